"""Publishing at places of the account's own: its connections,
and what is stored of a publication under way.
"""
