"""Processes: their names, their owner, and what a child gives up before it reads what strangers wrote."""
