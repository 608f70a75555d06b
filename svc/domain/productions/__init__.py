"""Productions: brief, gates, states, steps, queue, publications, deliverables."""
