"""The engine of SQLite, which is the default."""
