"""What a backup asks of a database: a copy of it, its files, its keys, and its log."""
