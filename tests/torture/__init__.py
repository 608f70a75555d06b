"""Fault tests: the real server is killed at random moments under load,
and nothing that it acknowledged may be lost.
"""
