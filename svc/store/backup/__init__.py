"""Backups: make, store, verify and restore."""
