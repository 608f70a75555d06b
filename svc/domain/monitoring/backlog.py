"""The backlog: the length and age of the queues, and the state of the engine, the disk and the database file."""

import shutil
from dataclasses import dataclass
from typing import Any

from svc.base import ids
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
_OLDEST_PRODUCTION = "SELECT min(created_at) FROM productions WHERE status IN ('Queued', 'Producing')"
_DELIVERIES = "SELECT lane, count(*) AS number FROM deliveries WHERE status = 'Pending' GROUP BY lane"
_OLDEST_DELIVERY = """
    SELECT min(next_attempt_at) FROM deliveries
    WHERE status = 'Pending' AND claim_token IS NULL AND next_attempt_at IS NOT NULL
"""
# Ended productions have no open publications.
_PUBLICATIONS = f"""
    SELECT count(*) AS number, min(q.next_attempt_at) AS oldest
    FROM ({_OPEN_ONES}) AS p CROSS JOIN publications q ON q.production_id = p.id AND q.status IN ('Pending', 'Publishing')
"""

# The time since which the oldest item has been ready to run. This excludes items that are held by a scenario, delayed, in a
# paused queue (checked in the same statement), or waiting for a failing endpoint.
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


@dataclass(frozen=True)
class Backlog:
    """Numbers of rows by queue, and for how many milliseconds the oldest row has been due (0: none is due)."""

    productions: dict[str, int]
    deliveries: dict[int, int]
    publications: int
    oldest_due: dict[str, int]
    heartbeat_age: int | None  # milliseconds; None: no engine has run yet
    disk_free: int  # bytes
    database_size: int
    database_free: int  # bytes of it that are reused before the file grows
    wal_size: int
    backup_age: int | None  # milliseconds; None: there is no scheduled backup yet


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
        due = {"production": ask(_OLDEST_PRODUCTION)[0][0], "delivery": ask(_OLDEST_DELIVERY)[0][0]}
        due["publication"] = publications["oldest"]
        values = meta.texts_of(connection)
        beat, backup = engine_heartbeat.last_of(values), values.get("backup")
        size = upkeep.size(connection)
        return Backlog(
            productions={row["status"]: row["number"] for row in ask(_OPEN)},
            deliveries={row["lane"]: row["number"] for row in ask(_DELIVERIES)},
            publications=publications["number"],
            oldest_due={queue: max(0, now - at) if at is not None else 0 for queue, at in due.items()},
            heartbeat_age=None if beat is None else now - beat,
            disk_free=shutil.disk_usage(database.path().parent).free,
            database_size=size.database,
            database_free=size.free,
            wal_size=size.log,
            backup_age=None if backup is None else now - int(backup),
        )


def oldest_ready(now: int) -> dict[str, int]:
    """Return since when (ms) the oldest runnable "step", "webhook" and "publication" has been ready; without empty queues."""
    with database.separate_connection() as connection:
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
