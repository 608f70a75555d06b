"""Alerts, metrics, readiness and what operators watch."""
