"""Slides: what a scene shows, as lists, tables, charts, prose, spotlights or headings."""
