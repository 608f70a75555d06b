"""The review of a script by people: what they see of it, and the script with their changes."""
