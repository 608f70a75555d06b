"""API keys, master keys, rate limits, idempotency keys, and failed authentications."""
