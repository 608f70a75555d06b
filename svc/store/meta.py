"""The table ``meta``: single values that all processes of the service share, each under a name.

Other modules name the table only where a value is part of a larger statement, and say so. ``schema_version`` is
:mod:`svc.store.schema`'s, which reads it before the database is open.
"""

from typing import Literal

from svc.store import database

Name = Literal[
    "address_seen",  # JSON: the address under which a request came that SVC_BASE_URL does not name
    "backup",  # instant of the newest backup by the clock
    "clock",  # by how much the clock is ahead of steady time, after the id of the machine's start
    "closed_day",  # the day whose daily jobs were begun last
    "estimate_error",  # fading mean of how far off the estimates were, as a share
    "files_to_remove",  # JSON: the productions whose files are being removed
    "heartbeat",  # instant at which the engine said last that it runs
    "maintenance",  # seconds that clients are told to wait, or "off"
    "partner_disk_bytes",  # what a partner's files may take; 0: no quota
    "probe",  # instant at which a process tried last whether it can write
    "queue_paused",  # instant since which the whole render queue is paused; absent: it is not
    "queue_turn",  # the render queue's present virtual time
    "render_workers",  # how many steps run side by side
]


def text(name: Name) -> str | None:
    """Return a value; None: there is none."""
    row = database.row("SELECT value FROM meta WHERE name = ?", (name,))
    return None if row is None else str(row["value"])


def number(name: Name) -> int | None:
    """Return a value that is a whole number, such as an instant; None: there is none."""
    value = text(name)
    return None if value is None else int(value)


def texts(*names: Name) -> dict[str, str]:
    """Return several values by their names, without those that there are not."""
    marks = ", ".join("?" * len(names))
    return {row["name"]: row["value"] for row in database.rows(f"SELECT name, value FROM meta WHERE name IN ({marks})", names)}


def put(name: Name, value: str | int | float) -> None:
    """Set a value, inside write()."""
    database.execute(_PUT, (name, str(value)))


def remove(name: Name) -> None:
    """Remove a value, inside write(); none there is fine."""
    database.execute("DELETE FROM meta WHERE name = ?", (name,))


_PUT = "INSERT OR REPLACE INTO meta VALUES (?, ?)"


def texts_of(connection: database.Connection) -> dict[str, str]:
    """Return every value, by its name, that another connection sees."""
    return dict(connection.execute("SELECT name, value FROM meta").fetchall())


def put_by(connection: database.Connection, name: Name, value: str | int) -> None:
    """Set a value by another connection."""
    connection.execute(_PUT, (name, str(value)))
