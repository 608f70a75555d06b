"""The places to which accounts are connected: connections that are tried,
and posts on their way there.
"""
