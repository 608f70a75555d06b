"""Scheduled backups, and the continuous shipping of database changes."""
