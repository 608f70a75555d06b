"""The files of an installation: those that travel between steps, finished ones, and uploads."""
