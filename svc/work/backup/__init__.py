"""Backups: their file and their repository, made on demand, by schedule and continuously."""
