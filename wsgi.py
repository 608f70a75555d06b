"""The WSGI entry point: ``gunicorn wsgi:app``.

Each worker imports it after the fork, so do not use ``--preload``.
"""

from svc.application import serving_app

app = serving_app()
