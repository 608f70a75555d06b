"""Notes why processes of the service cannot start: in the data directory, and, where several
machines share the database, in that, too, as nobody looks into the directory of another machine.
"""

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from svc.base import logs, settings, start_failures
from svc.base.errors import StartRefused
from svc.base.text import display
from svc.store import database, journal, meta
from svc.store.database import Connection, db

_JOURNALS = "journal"  # as svc.application names the folder
_NAME: meta.Name = "start_failures"
_MOST = 20  # notes in the database
_TRIES = 5
_Notes: TypeAlias = dict[str, Any]  # by place, the newest last


class StartFailureElsewhere(NamedTuple):
    """The machine on which a process could not start, and when (ms) and why."""

    host: str
    at: int
    why: str


def is_served(data_dir: Path) -> bool:
    """Return whether some process answers requests for this data directory, with or without an
    engine.
    """
    return journal.is_in_use(data_dir / _JOURNALS)


def record(data_dir: Path, why: str, now: int) -> None:
    """Note that this process cannot start, wherever there is room and right for that.

    A database that does not answer is waited for a few seconds.
    """
    why = logs.mask_secrets(why)
    start_failures.record(data_dir, why, now)
    address = settings.read_database_url()
    if not address:
        return
    note = {"host": socket.gethostname(), **start_failures.make_note(why, now)}
    with suppress(db.Error, StartRefused, OSError), database.connect_apart(address) as connection:
        _change_notes(connection, lambda notes: _without(notes, data_dir) | {_at(data_dir): note})


def forget(data_dir: Path) -> None:
    """Remove the notes, as this process has started. The database is open."""
    start_failures.forget(data_dir)
    if not db.place():
        return
    with suppress(db.Error), db.separate_connection(1.0) as connection:
        _change_notes(connection, lambda notes: _without(notes, data_dir))


def list_elsewhere(
    data_dir: Path, now: int, connection: Connection | None = None
) -> list[StartFailureElsewhere]:
    """Return the last failures of other machines and data directories, if no process has started
    there since and it is tried again.

    ``connection``: to the database, if that is not the open one.
    """
    text = meta.read_texts_by(connection).get(_NAME) if connection else meta.read_text(_NAME)
    failures = [
        (note.get("host"), start_failures.read_note(note, now))
        for note in _without(_parse(text), data_dir).values()
        if isinstance(note, dict)
    ]
    return [
        StartFailureElsewhere(display.to_one_line(str(host), "another machine"), *failure)
        for host, failure in failures
        if failure is not None
    ]


def _at(data_dir: Path) -> str:
    return f"{socket.gethostname()}:{data_dir.absolute()}"


def _without(notes: _Notes, data_dir: Path) -> _Notes:
    return {place: note for place, note in notes.items() if place != _at(data_dir)}


def _parse(text: str | None) -> _Notes:
    try:
        notes = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _change_notes(connection: Connection, change: Callable[[_Notes], _Notes]) -> None:
    """Change the notes, beside other machines that do so, too."""
    for _ in range(_TRIES):
        known = meta.read_texts_by(connection).get(_NAME)
        notes = change(_parse(known))
        text = json.dumps(dict(list(notes.items())[-_MOST:]))
        if text == (known or "{}"):
            return
        meta.exchange_by(connection, _NAME, known, text)
