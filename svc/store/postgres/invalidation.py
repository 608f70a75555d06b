"""The triggers of PostgreSQL that count the changes of each kind,
for the read caches of all processes.

A row of ``service.changes`` belongs to all, so it is changed only while the transaction commits,
which no process that hangs can interrupt. Until then, the transaction alone knows what it changed.
"""

import hashlib
from typing import Any

import psycopg

from svc.store.engine.invalidation import CHANGES

# The triggers that count changes. service.change is of releases before 1.91, and changed the row at
# once.
_COUNTING = (
    "SELECT tgname, tgrelid::regclass AS of FROM pg_trigger WHERE tgfoid IN ("
    "'service.change'::regproc, 'service.note_change'::regproc, 'service.count_changes'::regproc)"
)
# The names of the kinds that a transaction has changed stand in a setting of its own, each between
# spaces. All rows are changed in one order, so that two that commit do not wait for each other.
_FUNCTIONS = """
CREATE OR REPLACE FUNCTION service.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed text := coalesce(current_setting('svc.changed', true), '');
BEGIN
    IF position(' ' || TG_ARGV[0] || ' ' IN changed) = 0 THEN
        PERFORM set_config('svc.changed', changed || ' ' || TG_ARGV[0] || ' ', true);
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION service.count_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed text := coalesce(current_setting('svc.changed', true), '');
BEGIN
    IF changed <> '' THEN
        PERFORM FROM service.changes WHERE position(' ' || kind || ' ' IN changed) > 0
        ORDER BY kind FOR UPDATE;
        UPDATE service.changes SET number = nextval('service.change_numbers')
        WHERE position(' ' || kind || ' ' IN changed) > 0;
        PERFORM set_config('svc.changed', '', true);
    END IF;
    RETURN NULL;
END $$;
"""
_DROP = "EXECUTE format('DROP TRIGGER %I ON %s', t.tgname, t.of);"


def list_statements() -> str:
    """Return the statements that create all triggers."""
    return "\n".join((_FUNCTIONS, _list_insertions(), *_triggers().values()))


def renew(connection: psycopg.Connection[Any]) -> None:
    """Replace the triggers of any earlier release by those of this one."""
    connection.execute(_FUNCTIONS)
    connection.execute(
        f"DO $$ DECLARE t record; BEGIN FOR t IN {_COUNTING} LOOP {_DROP} END LOOP; END $$"
    )
    connection.execute(list_statements())


def add(connection: psycopg.Connection[Any]) -> None:
    """Create the triggers that are missing, and leave those of earlier releases,
    whose programs go on.
    """
    connection.execute(_FUNCTIONS)
    present = {name for name, _ in connection.execute(_COUNTING).fetchall()}
    missing = [statement for name, statement in _triggers().items() if name not in present]
    connection.execute("\n".join((_list_insertions(), *missing)))


def _list_insertions() -> str:
    return "".join(
        f"INSERT INTO service.changes (kind, number) VALUES ('{kind}', 0) ON CONFLICT DO NOTHING;"
        for kind in CHANGES
    )


def _triggers() -> dict[str, str]:
    return dict(
        _build_trigger(kind, change) for kind, changes in CHANGES.items() for change in changes
    )


def _build_trigger(kind: str, change: str) -> tuple[str, str]:
    """Return the name of a trigger, which says what it notes, and the statements that create it
    and the one that counts it.
    """
    event, _, condition = change.partition(" WHEN ")
    when = f" WHEN ({condition})" if condition else ""
    name = f"{kind}_{hashlib.sha256(change.encode()).hexdigest()[:8]}"
    return (
        name,
        (
            f"CREATE TRIGGER {name} AFTER {event} FOR EACH ROW{when} EXECUTE FUNCTION "
            f"service.note_change('{kind}');\n"
            f"CREATE CONSTRAINT TRIGGER {name}_counted AFTER {event} DEFERRABLE INITIALLY DEFERRED "
            f"FOR EACH ROW{when} EXECUTE FUNCTION service.count_changes();"
        ),
    )
