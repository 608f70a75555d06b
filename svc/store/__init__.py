"""The database: connections and transactions, tables as models, claims, and the wake-up after a commit."""
