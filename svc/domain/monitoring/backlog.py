"""The backlog: the length and age of the queues, and the state of the engine, the disk and the database file."""

import shutil
from dataclasses import dataclass
from typing import Any

from svc.base import clock, ids
from svc.base.steps import STEPS
from svc.base.text.languages import FURTHER
from svc.domain.monitoring import engine_heartbeat
from svc.store import database, meta, upkeep
from svc.store.sql import by_index

# The same text as the conditions of two indexes, so that SQLite uses them.
_OPEN_ONES = f"""
    SELECT id, status FROM productions {by_index("productions_to_make")} WHERE status IN ('Queued', 'Producing')
    UNION ALL SELECT id, status FROM productions WHERE status IN ('AwaitingApproval', 'Distributing')
       AND status IN ('AwaitingApproval', 'Distributing', 'Failed', 'Cancelled')
"""
_OPEN = f"SELECT status, count(*) AS number FROM ({_OPEN_ONES}) AS p GROUP BY status"
_DELIVERIES = "SELECT lane, count(*) AS number FROM deliveries WHERE status = 'Pending' GROUP BY lane"
# Ended productions have no open publications.
_PUBLICATIONS = f"""
    SELECT count(*) AS number
    FROM ({_OPEN_ONES}) AS p CROSS JOIN publications q ON q.production_id = p.id AND q.status IN ('Pending', 'Publishing')
"""

# The time since which the oldest item has been ready to run. This excludes items that wait for people (a review, a release, a
# paused queue), are held by a scenario, delayed, or waiting for a failing endpoint.
_SINCE = "min(max(p.updated_at, p.not_before))"
_READY_STEPS = f"""
    FROM productions p {by_index("productions_to_make")} LEFT JOIN render_queues q ON q.partner_id = p.partner_id
    WHERE p.status IN ('Queued', 'Producing') AND p.held_in IS DISTINCT FROM p.status AND p.cancel_token IS NULL
      AND p.not_before <= :now AND (p.claim_token IS NULL OR p.claim_until <= :now) AND q.paused_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'queue_paused')
"""
_KINDS = f"SELECT p.steps_complete, p.language_id, {_SINCE} AS since {_READY_STEPS} GROUP BY 1, 2 ORDER BY 1, 2"
_FURTHER = {ids.named("language", code): code for code in FURTHER}
_READY = {
    "step": f"SELECT {_SINCE} {_READY_STEPS}",
    "webhook": """
        SELECT min(d.next_attempt_at) FROM subscriptions s CROSS JOIN deliveries d ON d.subscription_id = s.id
        WHERE s.status = 'Active' AND s.troubled = 0 AND s.deleted_at IS NULL AND d.lane IN (0, 1)
          AND d.status = 'Pending' AND d.claim_token IS NULL AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :now
    """,
    "publication": f"""
        SELECT min(q.next_attempt_at)
        FROM ({_OPEN_ONES}) AS p CROSS JOIN publications q ON q.production_id = p.id AND q.status IN ('Pending', 'Publishing')
        WHERE q.next_attempt_at <= :now AND (q.claim_token IS NULL OR q.claim_until <= :now)
    """,
}


_QUEUES = {"production": "step", "delivery": "webhook", "publication": "publication"}  # their names in /metrics


@dataclass(frozen=True)
class Backlog:
    """Numbers of rows by queue, and for how many milliseconds the oldest row has been ready to run (0: none is)."""

    productions: dict[str, int]
    deliveries: dict[int, int]
    publications: int
    oldest_due: dict[str, int]
    heartbeat_age: int | None  # milliseconds; None: no engine has run yet
    disk_free: int  # bytes
    database_size: int
    database_free: int  # bytes of it that are reused before the file grows
    wal_size: int
    backup_age: int | None  # milliseconds since the newest scheduled backup, or since they are scheduled; None: they are not
    backup_interval: int | None  # milliseconds; None: likewise


@dataclass(frozen=True)
class ReadyStep:
    """A kind of step that is ready to run, and since when (ms) the oldest one has been."""

    name: str
    language: str  # its code, if it is one that not every process speaks (svc.base.text.languages); otherwise empty
    since: int

    @property
    def needs(self) -> frozenset[str]:
        """What a process must be able to run, in the words of svc.domain.monitoring.workers.Process."""
        return frozenset((self.name, self.language) if self.language else (self.name,))


def backlog(now: int) -> Backlog:
    """Return the current backlog, read on a separate connection."""
    with database.separate_connection() as connection:

        def ask(sql: str) -> list[Any]:
            return connection.execute(sql).fetchall()

        [publications] = ask(_PUBLICATIONS)
        ready = _oldest_ready(connection, now)
        values = meta.texts_of(connection)
        beat, backup, hours = engine_heartbeat.last_of(values), _newest_backup(values), values.get("backup_hours")
        size = upkeep.size(connection)
        return Backlog(
            productions={row["status"]: row["number"] for row in ask(_OPEN)},
            deliveries={row["lane"]: row["number"] for row in ask(_DELIVERIES)},
            publications=publications["number"],
            oldest_due={name: max(0, now - ready.get(queue, now)) for name, queue in _QUEUES.items()},
            heartbeat_age=None if beat is None else now - beat,
            disk_free=shutil.disk_usage(database.path().parent).free,
            database_size=size.database,
            database_free=size.free,
            wal_size=size.log,
            backup_age=None if backup is None else now - backup,
            backup_interval=None if hours is None else int(hours) * clock.HOUR,
        )


def oldest_ready(now: int) -> dict[str, int]:
    """Return since when (ms) the oldest runnable "step", "webhook" and "publication" has been ready; without empty queues."""
    with database.separate_connection() as connection:
        return _oldest_ready(connection, now)


def _oldest_ready(connection: database.Connection, now: int) -> dict[str, int]:
    times = {queue: connection.execute(sql, {"now": now}).fetchone()[0] for queue, sql in _READY.items()}
    return {queue: since for queue, since in times.items() if since is not None}


def ready_steps(now: int) -> list[ReadyStep]:
    """Return the kinds of steps that are ready to run, by language, in the order of the steps."""
    with database.separate_connection() as connection:
        kinds = connection.execute(_KINDS, {"now": now}).fetchall()
    return [ReadyStep(STEPS[kind[0]][0], _FURTHER.get(kind[1], ""), kind["since"]) for kind in kinds]


def newest_backup() -> int | None:
    """Return the time (ms) of the newest scheduled backup; None: there is none yet."""
    return meta.number("backup")


def backed_up_since() -> int | None:
    """Return the time (ms) of the newest scheduled backup, or since which they are scheduled; None: they are not."""
    return _newest_backup(meta.texts("backup", "backup_since"))


def _newest_backup(values: dict[str, str]) -> int | None:
    if "backup_since" not in values:
        return None
    return int(values.get("backup", values["backup_since"]))


def declare_backups(every_hours: int, now: int) -> None:
    """Store how often backups are scheduled, and since when. ``every_hours``: 0: they are not. Call it inside write()."""
    if not every_hours:
        meta.remove("backup_since")
        meta.remove("backup_hours")
        return
    if meta.text("backup_since") is None:
        meta.put("backup_since", now)
    meta.put("backup_hours", every_hours)
