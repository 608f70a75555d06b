"""The database: connections and transactions, tables as models, claims, and the wake-up that follows a commit."""
