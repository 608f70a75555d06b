"""What gunicorn loads: ``gunicorn wsgi:app``. It imports this in each worker, after the fork; so do not use ``--preload``."""

from svc.application import serving_app

app = serving_app()
