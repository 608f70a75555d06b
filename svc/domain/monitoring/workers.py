"""The processes that run steps where several machines share the database: each has a row, and gives signs of life.

Whether a process lives is decided by a watch (svc.work.machines.watch), which sees that the sign changes, so that no two
machines' clocks need to agree. What is shown to people is judged by the clock.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from svc.base import clock
from svc.domain import rows
from svc.domain.monitoring import alerts, backlog
from svc.domain.tables.productions import ShownWorker, Worker
from svc.store import database

Role = Literal["driver", "standby", "worker"]
BEAT_SECONDS = 3.0  # between signs of life
LEASE_SECONDS = 10.0  # without a sign of life after which a process has lost its work
SILENT = 15 * clock.SECOND  # age of the last sign from which a process is shown as silent
FORGOTTEN = clock.HOUR  # age from which its row is removed
_WAITS_IN_VAIN = 30 * clock.SECOND  # for which a step may wait while nothing could run it

_BEAT = """
    INSERT INTO workers (id, role, hostname, pid, version, steps, can_run, started_at, seen_at)
    VALUES (:id, :role, :hostname, :pid, :version, :steps, :can_run, :started_at, :now)
    ON CONFLICT (id) DO UPDATE SET role = excluded.role, steps = excluded.steps, seen_at = excluded.seen_at
"""
_SHOWN = """
    SELECT w.*, (
        SELECT count(*) FROM productions p WHERE p.claim_token IS NOT NULL AND p.claim_boot = w.id AND p.claim_until > :now
    ) AS running FROM workers w ORDER BY w.role, w.hostname, w.started_at, w.id
"""


@dataclass(frozen=True)
class Process:
    """A process that gives signs of life. ``id``: as in the claims of its work; ``can_run``: names of steps."""

    id: str
    hostname: str
    pid: int
    version: str
    can_run: Sequence[str]
    started_at: int


def beat(process: Process, role: Role, steps: int, now: int) -> None:
    """Record a sign of life. ``steps``: how many it runs at the same time."""
    with database.write(durable=False):
        columns = vars(process) | {"can_run": json.dumps(process.can_run), "role": role, "steps": steps, "now": now}
        database.execute(_BEAT, columns)


def leave(process_id: str) -> None:
    """Remove the row of a process that ends."""
    with database.write(durable=False):
        database.execute("DELETE FROM workers WHERE id = ?", (process_id,))


def known() -> list[Worker]:
    """Return the rows of all processes, alive or not."""
    return rows.every(Worker, "SELECT * FROM workers")


def forget(now: int) -> None:
    """Remove the rows of processes that have been silent for long."""
    with database.write(durable=False):
        database.execute("DELETE FROM workers WHERE seen_at < ?", (now - FORGOTTEN,))


def shown(now: int) -> list[ShownWorker]:
    """Return all processes, with the number of steps that each is ``running`` and whether it ``is_silent``."""
    return [_judged(row, now) for row in rows.every(ShownWorker, _SHOWN, {"now": now})]


def shown_by(connection: database.Connection, now: int) -> list[ShownWorker]:
    """As :func:`shown`, over another connection."""
    return [_judged(row, now) for row in rows.every_by(connection, ShownWorker, _SHOWN, {"now": now})]


def _judged(row: ShownWorker, now: int) -> ShownWorker:
    return {**row, "is_silent": now - row["seen_at"] > SILENT}


def alert_of_none(own: int, now: int) -> None:
    """Raise an alert if a step waits and there is nothing that could run it. ``own``: how many steps the driver itself runs."""
    if own or any(row["steps"] and not row["is_silent"] for row in shown(now)):
        return
    since = backlog.oldest_ready(now).get("step")
    if since is not None and now - since > _WAITS_IN_VAIN:
        message = "Steps wait, and no worker runs: SVC_RENDER_WORKERS is 0 here. Start one with `python app.py worker`."
        with database.write():
            alerts.raise_once("NoWorker", "critical", message, now, every=clock.HOUR)
