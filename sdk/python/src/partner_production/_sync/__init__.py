"""The synchronous half."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.
