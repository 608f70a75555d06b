"""The business rules for productions, keys, limits and webhooks, independent of HTTP and Flask."""
