"""The doctor: checks of an installation, whose findings name the command that fixes the problem."""
