"""Clips of the account's own: before the programme, after it, and within its scenes."""
