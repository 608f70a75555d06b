"""Diagrams: content that a list would only name, drawn by its meaning."""
