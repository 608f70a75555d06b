"""The doctor: checks of an installation, each finding with the command that mends it."""
