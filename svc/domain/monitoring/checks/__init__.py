"""The health checks: each is a function under its name, which every reader of the list finds."""
