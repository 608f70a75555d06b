"""Runs a step of a production in a child process, so that it can be confined and killed."""
