"""Webhooks: subscriptions, signing secrets, events, the outbox and its attempts."""
