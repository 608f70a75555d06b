"""Webhooks: event types, subscriptions, signing secrets, events, deliveries and their outbox;
thresholds of usage.
"""
