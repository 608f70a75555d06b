"""Meaning: how near two texts are to each other, whatever their languages."""
