"""Processes: their entry points, their owner, and the confinement of those that
read untrusted input.
"""
