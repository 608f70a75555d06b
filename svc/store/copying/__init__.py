"""Copies of all tables from one database to another: SQLite to PostgreSQL, or back."""
