"""The calls of a client, by what they are about."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.
