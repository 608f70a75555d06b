"""The queue for Procrastinate's own command line, which lists jobs, and retries or cancels one:
``procrastinate --app=svc.store.postgres.command_line.app shell``.
"""

from procrastinate import App, PsycopgConnector

from svc.base import settings
from svc.store.postgres import queue

app = App(
    connector=PsycopgConnector(
        conninfo=settings.read().database_url,
        kwargs={"options": f"-c search_path={queue.SCHEMA}", "application_name": "command line"},
    )
)
