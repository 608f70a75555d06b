"""The OpenAPI document: built once, on the first request for it,
from the views and their metadata.
"""
