"""Voices of trained models, which run on this machine in a process of their own."""
