"""The asynchronous half."""
