"""The triggers of PostgreSQL that count the changes of each kind,
for the read caches of all processes.
"""

import hashlib
from typing import Any

import psycopg

from svc.store.invalidation import CHANGES

_COUNTING = (
    "SELECT tgname, tgrelid::regclass AS of FROM pg_trigger "
    "WHERE tgfoid = 'service.change'::regproc"
)
_DROP = "EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, t.of);"


def statements() -> str:
    """Return the statements that create all triggers."""
    return "\n".join((_kinds(), *_triggers().values()))


def renew(connection: psycopg.Connection[Any]) -> None:
    """Replace the triggers of any earlier release by those of this one."""
    connection.execute(
        f"DO $$ DECLARE t record; BEGIN FOR t IN {_COUNTING} LOOP {_DROP} END LOOP; END $$"
    )
    connection.execute(statements())


def add(connection: psycopg.Connection[Any]) -> None:
    """Create the triggers that are missing, and leave those of earlier releases,
    whose programs go on.
    """
    present = {name for name, _ in connection.execute(_COUNTING).fetchall()}
    missing = [statement for name, statement in _triggers().items() if name not in present]
    connection.execute("\n".join((_kinds(), *missing)))


def _kinds() -> str:
    return "".join(
        f"INSERT INTO service.changes (kind, number) VALUES ('{kind}', 0) ON CONFLICT DO NOTHING;"
        for kind in CHANGES
    )


def _triggers() -> dict[str, str]:
    return dict(_named(kind, change) for kind, changes in CHANGES.items() for change in changes)


def _named(kind: str, change: str) -> tuple[str, str]:
    """Return the name of a trigger, which says what it counts,
    and the statement that creates it.
    """
    event, _, condition = change.partition(" WHEN ")
    when = f" WHEN ({condition})" if condition else ""
    name = f"{kind}_{hashlib.sha256(change.encode()).hexdigest()[:8]}"
    return (
        name,
        (
            f"CREATE TRIGGER {name} AFTER {event} FOR EACH ROW{when} EXECUTE FUNCTION "
            f"service.change('{kind}');"
        ),
    )
