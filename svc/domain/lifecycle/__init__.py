"""The life cycle of a production: its states, gates, queues, reviews and losses."""
