"""Sends due deliveries to webhooks: the dispatcher, and how many requests may be in flight."""
