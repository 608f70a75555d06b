"""Alerts, metrics, health checks and readiness."""
