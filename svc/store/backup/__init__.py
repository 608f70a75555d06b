"""Backups: make, pack, verify and restore."""
