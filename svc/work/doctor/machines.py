"""The doctor's checks of servers and workers, where several machines share the database."""

from collections.abc import Iterator

from svc.base import clock
from svc.base.settings import Settings
from svc.base.version import VERSION
from svc.domain.monitoring import workers
from svc.domain.tables.productions import ShownWorker
from svc.store import database
from svc.work.doctor.findings import OK, PROBLEM, WARNING, Finding

_START = "python app.py worker --steps 2  # on any machine, with the same SVC_DATABASE_URL, SVC_STORAGE_URL and secret"


def examine(settings: Settings, now: int, connection: database.Connection) -> Iterator[Finding]:
    """Check the processes that run steps. Where there is one machine, nothing is found."""
    processes = workers.shown_by(connection, now)
    alive = [each for each in processes if not each["is_silent"]]
    for each in processes:
        if each["is_silent"]:
            yield _silent(each, now)
        elif each["version"] != VERSION:
            text = f"{_name(each)} is of release {each['version']}, this program of {VERSION}."
            yield Finding("workers", WARNING, text, f"git pull  # on {each['hostname']}, and start it anew")
    steps = sum(each["steps"] for each in alive)
    if not steps and settings.render_workers == 0:
        text = "No worker runs, and SVC_RENDER_WORKERS is 0: nothing is produced."
        yield Finding("workers", PROBLEM, text, _START)
    elif alive:
        count = sum(each["role"] == "worker" for each in alive)
        yield Finding("workers", OK, f"{len(alive) - count} servers and {count} workers live; together they run {steps} steps.")


def _silent(process: ShownWorker, now: int) -> Finding:
    seconds = (now - process["seen_at"]) // clock.SECOND
    text = f"{_name(process)} gave its last sign of life {seconds} s ago; its work is left to others."
    return Finding("workers", WARNING, text, f"kill -KILL {process['pid']}  # on {process['hostname']}, and start it anew")


def _name(process: ShownWorker) -> str:
    kind = "Worker" if process["role"] == "worker" else "Server"
    return f"{kind} {process['pid']} on {process['hostname']}"
