"""The table ``meta``: named single values that all processes of the service share.

Other modules use the table directly only if a value is part of a larger statement, and a comment
says so. ``schema_version`` and PostgreSQL's ``oldest_program`` belong to
:mod:`svc.store.engine.schema` and :mod:`svc.store.postgres.schema`, which read them before the
database is open.
"""

import json
import uuid
from typing import Literal

from svc.store.database import Connection
from svc.store.expressions import elements
from svc.store.models.service import NamedValue
from svc.store.queries import Prepared, slot, slots

Name = Literal[
    # JSON: the newest entry of the audit log under its seal, of svc.domain.audit.audit_head alone
    "audit_head",
    "address_seen",  # JSON: the address of a request that does not match SVC_BASE_URL
    "backup",  # instant of the newest scheduled backup
    "backup_hours",  # the interval of scheduled backups; absent: none are scheduled
    "backup_since",  # instant since which backups are scheduled
    "bucket_owner",  # what the bucket is marked with that this database tidies
    "clock",  # the boot id of the machine, and the offset of the clock from the monotonic clock
    "commit",  # number of the last numbered commit, of svc.store.sqlite.commit_mark alone
    "closed_day",  # the last day whose daily jobs are done
    "closing_until",  # instant until which they are left to whoever has begun them
    # since when something is dated ahead of the clock, and up to when; absent: nothing is
    "dated_ahead",
    "estimate_error",  # moving average of the relative error of the estimates
    "heartbeat",  # instant of the engine's last heartbeat
    "maintenance",  # Retry-After in seconds, or "off"
    "partner_disk_bytes",  # disk quota of a partner's files; 0: no quota
    # the oldest schema whose programs can work on this one; svc.store.postgres.schema alone writes
    # it, and on SQLite there is none
    "oldest_program",
    "probe",  # instant of the last test write
    "queue_paused",  # instant since which the render queue is paused; absent: not paused
    "queue_turn",  # the current virtual time of the render queue
    "removals_wait_until",  # instant before which nothing is removed for its age
    "render_workers",  # number of steps that run concurrently
    "titles_indexed",  # id of the newest production whose title's words can be searched
    # JSON: why processes cannot start, by the machine and data directory; on PostgreSQL alone
    "start_failures",
    # the bucket of the finished files, read by svc.store.backup too; absent: they are in the data
    # directory
    "storage_url",
]


_FIND = Prepared(NamedValue.select(NamedValue.value).where(NamedValue.name == slot("name")))
_FIND_SEVERAL = Prepared(
    NamedValue.select(NamedValue.name, NamedValue.value).where(
        NamedValue.name.in_(elements(slot("names")))
    )
)
_STORE = Prepared(
    NamedValue.insert(slots("name", "value")).on_conflict(
        conflict_target=[NamedValue.name], preserve=[NamedValue.value]
    )
)
_EXCHANGE = Prepared(
    NamedValue.insert(slots("name", "value")).on_conflict(
        conflict_target=[NamedValue.name],
        preserve=[NamedValue.value],
        where=NamedValue.value == slot("known"),
    )
)
_REMOVE = Prepared(NamedValue.delete().where(NamedValue.name == slot("name")))


def read_text(name: Name) -> str | None:
    """Return a value; None if there is none."""
    value: str | None = _FIND.value(name=name)
    return value


def read_number(name: Name) -> int | None:
    """Return a value as an integer, such as an instant; None if there is none."""
    value = read_text(name)
    return None if value is None else int(value)


def read_texts(*names: Name) -> dict[str, str]:
    """Return several values by name, without those that do not exist."""
    return {row["name"]: row["value"] for row in _FIND_SEVERAL.rows(names=json.dumps(names))}


def put(name: Name, value: str | int | float) -> None:
    """Set a value, inside a transaction."""
    _STORE.execute(name=name, value=str(value))


def exchange(name: Name, known: str | None, value: str | int | float) -> bool:
    """Set a value that is still ``known``, or that there was none of, inside a transaction.

    Returns whether it was set: nobody else has set it meanwhile.
    """
    return bool(_EXCHANGE.execute(name=name, value=str(value), known=known or ""))


def remove(name: Name) -> None:
    """Remove a value, if it exists, inside a transaction."""
    _REMOVE.execute(name=name)


# For a database that is not the open one:
_EVERY = Prepared(NamedValue.select(NamedValue.name, NamedValue.value))


def disown_bucket(connection: Connection) -> None:
    """Give a restored database a mark of its own, so that it tidies no bucket that the first one
    may still use.
    """
    if "bucket_owner" in read_texts_by(connection):
        put_by(connection, "bucket_owner", uuid.uuid4().hex)


def read_texts_by(connection: Connection) -> dict[str, str]:
    """Return all values by name, read over another connection."""
    return dict(map(tuple, _EVERY.rows_by(connection)))


def exchange_by(connection: Connection, name: Name, known: str | None, value: str) -> None:
    """Set a value that is still ``known``, or that there was none of, over another connection."""
    _EXCHANGE.execute_by(connection, name=name, value=value, known=known or "")


def put_by(connection: Connection, name: Name, value: str | int) -> None:
    """Set a value over another connection."""
    _STORE.execute_by(connection, name=name, value=str(value))
