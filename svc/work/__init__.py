"""The engine: the background work of the one process that drives it,
from steps to webhooks and backups.
"""
