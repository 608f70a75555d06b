"""API keys, rate limits, idempotency keys, rotation, and failed authentications."""
