"""Scheduled backups, and the shipping of what the database commits."""
