"""Captions and transcripts."""
