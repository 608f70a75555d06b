"""Productions: briefs, gates, life cycle, steps, queue, publications, deliverables."""
