"""Alerts, metrics, readiness, and the dashboard."""
