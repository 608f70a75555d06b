"""The calls of a client, by what they are about."""
