"""Adapters to external systems: partners' endpoints, models,
object stores, files, notifications.
"""
