"""Commands for an installation: serve, back up, deploy, look for faults."""
