"""The serving process: gunicorn's configuration, worker and supervisor."""
