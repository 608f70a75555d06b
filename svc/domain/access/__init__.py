"""API keys, master keys, the rate limit, idempotency, and failed authentication."""
