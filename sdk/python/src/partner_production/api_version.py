"""The dated version of the API that this client was made for.

Written by sdk/generate.py; do not edit.
"""

API_VERSION = "2026-11-23"
