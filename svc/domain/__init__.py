"""The rules: what a production, a key, a budget, a webhook may do. Nothing here knows HTTP or Flask."""
