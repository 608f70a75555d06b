"""Carries finished productions to platforms: the publisher, posts at places of the account's own
on their way there, and the trying of connections.
"""
