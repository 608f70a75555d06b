"""The backlog: the length and age of the queues, and the state of the engine,
the disk and the database file.
"""

import shutil
from dataclasses import dataclass
from typing import Any

from svc.base import clock, ids, states
from svc.base.steps import STEPS
from svc.base.text.languages import FURTHER
from svc.domain import lanes
from svc.domain.monitoring import engine_heartbeat
from svc.domain.monitoring.gauges import Reading, gauge
from svc.store import claims, meta, upkeep
from svc.store.database import Connection, db
from svc.store.expressions import JOIN, SQL, Case, fn, greatest, indexed, is_distinct
from svc.store.models.productions import Production, RenderQueue
from svc.store.models.publishing import Publication
from svc.store.models.service import NamedValue
from svc.store.models.webhooks import Delivery, Subscription
from svc.store.queries import Prepared, Select, slot

# The same as the conditions of two indexes, so that SQLite uses them.
_TO_MAKE = Production.status.in_((states.QUEUED, states.PRODUCING))
_IN_STATE = Production.status.in_(
    (states.AWAITING_APPROVAL, states.DISTRIBUTING, states.FAILED, states.CANCELLED)
)
_RELEASABLE = Production.status.in_((states.AWAITING_APPROVAL, states.DISTRIBUTING)) & _IN_STATE
_NAMES = (Production.id, Production.status)
_PRODUCTIONS_TO_MAKE = indexed(Production, "productions_to_make")
_OPEN_ONES = (
    Production.select(*_NAMES)
    .from_(_PRODUCTIONS_TO_MAKE)
    .where(_TO_MAKE)
    .union_all(Production.select(*_NAMES).where(_RELEASABLE))
    .alias("p")
)
_NUMBER = fn.count(SQL("*")).alias("number")
_OPEN = Prepared(_OPEN_ONES.select(_OPEN_ONES.c.status, _NUMBER).group_by(_OPEN_ONES.c.status))
_DELIVERIES = Prepared(
    Delivery.select(Delivery.lane, _NUMBER)
    .where(Delivery.status == "Pending")
    .group_by(Delivery.lane)
)
# Ended productions have no open publications.
_OPEN_PUBLICATIONS = (Publication.production_id == _OPEN_ONES.c.id) & Publication.status.in_(
    ("Pending", "Publishing")
)
_PUBLICATIONS = Prepared(
    _OPEN_ONES.select(_NUMBER).join(Publication, JOIN.CROSS).where(_OPEN_PUBLICATIONS)
)

# The time since which the oldest item has been ready to run. This excludes items that wait for
# people (a review, a release, a paused queue), are held by a scenario, delayed, or waiting for a
# failing endpoint.
# A change of the future is of before the clock was set back, and says nothing about that.
_CHANGED_AT = Case(None, [(Production.updated_at > slot("now"), 0)], Production.updated_at)
_SINCE = fn.min(greatest(_CHANGED_AT, Production.not_before))


def _ready_steps_query(*columns: Any) -> Select:
    return (
        Production.select(*columns)
        .from_(_PRODUCTIONS_TO_MAKE)
        .join(RenderQueue, JOIN.LEFT_OUTER, on=RenderQueue.partner_id == Production.partner_id)
        .where(
            _TO_MAKE,
            is_distinct(Production.held_in, Production.status),
            Production.cancel_token.is_null(),
            Production.not_before <= slot("now"),
            claims.is_free(Production),
            RenderQueue.paused_at.is_null(),
            ~fn.EXISTS(NamedValue.select(NamedValue.name).where(NamedValue.name == "queue_paused")),
        )
    )


_KINDS = Prepared(
    _ready_steps_query(
        Production.steps_complete,
        Production.language_id,
        Production.voice_model,
        _SINCE.alias("since"),
        _NUMBER,
    )
    .group_by(SQL("1"), SQL("2"), SQL("3"))
    .order_by(SQL("1"), SQL("2"), SQL("3"))
)
_FURTHER = {ids.derive_id("language", code): code for code in FURTHER}
_READY = {
    "step": Prepared(_ready_steps_query(_SINCE)),
    "webhook": Prepared(
        Subscription.select(fn.min(Delivery.next_attempt_at))
        .join(Delivery, JOIN.CROSS)
        .where(
            Delivery.subscription_id == Subscription.id,
            Subscription.status == "Active",
            Subscription.troubled == 0,
            Subscription.deleted_at.is_null(),
            Delivery.lane.in_((lanes.FIRST, lanes.RETRIES)),
            Delivery.status == "Pending",
            Delivery.claim_token.is_null(),
            Delivery.next_attempt_at.is_null(False),
            Delivery.next_attempt_at <= slot("now"),
        )
    ),
    "publication": Prepared(
        _OPEN_ONES.select(fn.min(Publication.next_attempt_at))
        .join(Publication, JOIN.CROSS)
        .where(
            _OPEN_PUBLICATIONS,
            Publication.next_attempt_at <= slot("now"),
            claims.is_free(Publication),
        )
    ),
}


# The names of the queues in /metrics.
_QUEUES = {"production": "step", "delivery": "webhook", "publication": "publication"}


@dataclass(frozen=True)
class ReadyStep:
    """A kind of step that is ready to run, since when (ms) the oldest one has been, and how many
    there are. ``voice``: the model that speaks it best, if not every process has it.
    """

    name: str
    # The code of the language, if it is one that not every process speaks
    # (svc.base.text.languages); otherwise empty.
    language: str
    since: int
    number: int = 1
    voice: str | None = None

    @property
    def needs(self) -> frozenset[str]:
        """What a process must be able to run, in the
        words of svc.domain.monitoring.workers.Process.
        """
        return frozenset((self.name, self.language) if self.language else (self.name,))


def _read_values(reading: Reading) -> dict[str, str]:
    return meta.read_texts_by(reading.connection)


def _measure_size(reading: Reading) -> upkeep.Size:
    return upkeep.measure_database(reading.connection)


@gauge("productions", "Unfinished productions, by status.", "status")
def count_productions(reading: Reading) -> dict[str, int]:
    """Return the number of unfinished productions of each status."""
    return {row["status"]: row["number"] for row in _OPEN.rows_by(reading.connection)}


@gauge("deliveries_waiting", "Webhook deliveries in the queue, by lane.", "lane")
def count_deliveries(reading: Reading) -> dict[int, int]:
    """Return the number of pending deliveries of each lane."""
    return {row["lane"]: row["number"] for row in _DELIVERIES.rows_by(reading.connection)}


@gauge("publications_waiting", "Unfinished publications.")
def count_publications(reading: Reading) -> int:
    """Return the number of open publications."""
    [publications] = _PUBLICATIONS.rows_by(reading.connection)
    number: int = publications["number"]
    return number


@gauge("oldest_due_seconds", "How long the oldest work item has been ready to run.", "queue")
def measure_oldest_due(reading: Reading) -> dict[str, float]:
    """Return for how long the oldest row of each queue has been ready to run; 0: none is."""
    ready, now = _find_oldest_ready(reading.connection, reading.now), reading.now
    return {name: max(0, now - ready.get(queue, now)) / 1000 for name, queue in _QUEUES.items()}


@gauge("heartbeat_age_seconds", "Age of the heartbeat of the engine; +Inf: none has run yet.")
def measure_heartbeat(reading: Reading) -> float:
    """Return the age of the engine's last heartbeat: its distance, as one of the future, of before
    the clock was set back, is none of an engine that runs.
    """
    beat = engine_heartbeat.find_last_heartbeat(reading.measure_once(_read_values))
    return float("inf") if beat is None else abs(reading.now - beat) / 1000


@gauge("disk_free_bytes", "Free space on the disk of the data directory.")
def measure_disk(reading: Reading) -> int:
    """Return the free space on the disk."""
    return shutil.disk_usage(db.path().parent).free


@gauge("database_bytes", "Size of the database without its write-ahead log.")
def measure_database(reading: Reading) -> int:
    """Return the size of the database."""
    return reading.measure_once(_measure_size).database


@gauge("database_free_bytes", "Unused space within the database.")
def measure_free_pages(reading: Reading) -> int:
    """Return how much space in the database is reused before its file grows."""
    return reading.measure_once(_measure_size).free


@gauge("wal_bytes", "Size of the write-ahead log.")
def measure_log(reading: Reading) -> int:
    """Return the size of the write-ahead log."""
    return reading.measure_once(_measure_size).log


def _backup_times(reading: Reading) -> tuple[int, int] | None:
    """Return the age of the newest scheduled backup and the interval (ms); None: none are
    scheduled.
    """
    values = reading.measure_once(_read_values)
    newest, hours = _read_newest_backup(values), values.get("backup_hours")
    if newest is None or hours is None:
        return None
    return max(0, reading.now - newest), int(hours) * clock.HOUR


@gauge(
    "backup_age_seconds",
    "Age of the newest scheduled backup; while there is none, the time since they are scheduled.",
)
def measure_backup(reading: Reading) -> float | None:
    """Return the age of the newest scheduled backup."""
    times = reading.measure_once(_backup_times)
    return times and times[0] / 1000


@gauge("backup_interval_seconds", "Time between scheduled backups.")
def measure_backup_interval(reading: Reading) -> float | None:
    """Return how often backups are scheduled."""
    times = reading.measure_once(_backup_times)
    return times and times[1] / 1000


def find_oldest_ready(now: int) -> dict[str, int]:
    """Return since when (ms) the oldest runnable "step", "webhook" and "publication" has been
    ready; without empty queues.
    """
    with db.separate_connection() as connection:
        return _find_oldest_ready(connection, now)


def _find_oldest_ready(connection: Connection, now: int) -> dict[str, int]:
    times = {queue: query.rows_by(connection, now=now)[0][0] for queue, query in _READY.items()}
    return {queue: since for queue, since in times.items() if since is not None}


def list_ready_steps(now: int) -> list[ReadyStep]:
    """Return the kinds of steps that are ready to run, by language and voice, in the order of the
    steps.
    """
    with db.separate_connection() as connection:
        kinds = _KINDS.rows_by(connection, now=now)
    return [
        ReadyStep(
            STEPS[kind[0]][0], _FURTHER.get(kind[1], ""), kind["since"], kind["number"], kind[2]
        )
        for kind in kinds
    ]


def find_newest_backup_time() -> int | None:
    """Return the time (ms) of the newest scheduled backup; None: there is none yet."""
    return meta.read_number("backup")


def find_complete_until() -> int | None:
    """Return the time (ms) of the newest scheduled backup, or since which they are scheduled;
    None: they are not.
    """
    return _read_newest_backup(meta.read_texts("backup", "backup_since"))


def _read_newest_backup(values: dict[str, str]) -> int | None:
    if "backup_since" not in values:
        return None
    return int(values.get("backup", values["backup_since"]))


def is_backup_old(newest: int, every_hours: int, now: int) -> bool:
    """Return whether the newest backup, of ``newest`` (ms), is too old: the one after it did not
    come either."""
    return now - newest > 2 * every_hours * clock.HOUR


def bring_back_backup_times(every_hours: int, now: int) -> None:
    """Let no backup be of the future, as after the clock was set back: otherwise it would never be
    old. The next one is due at once, and overdue an interval later.
    """
    names: tuple[meta.Name, ...] = ("backup", "backup_since")
    ahead = [name for name in names if (meta.read_number(name) or 0) > now + clock.SKEW]
    if ahead:
        with db.transaction(durable=False):
            for name in ahead:
                meta.put(name, now - every_hours * clock.HOUR)


def store_backup_schedule(every_hours: int, now: int) -> None:
    """Store how often backups are scheduled, and since when.

    ``every_hours``: 0: they are not. Call it inside a transaction.
    """
    if not every_hours:
        meta.remove("backup_since")
        meta.remove("backup_hours")
        return
    if meta.read_text("backup_since") is None:
        meta.put("backup_since", now)
    meta.put("backup_hours", every_hours)
