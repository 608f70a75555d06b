"""Files that are to go: their rows are removed first, in a transaction that enters the files here;
the files follow.

No row names a file that is gone, whenever a process dies, and no file is forgotten: what is entered
is removed once more after a crash. Everything that removes rows of files calls this module:
cancels, failures, retention, erasure, replaced uploads.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from svc.base import clock
from svc.store.database import Connection, db
from svc.store.expressions import SQL, elements, fn
from svc.store.models.productions import Deliverable, FileToRemove
from svc.store.queries import Prepared, slot, slots

PRODUCTION, UPLOAD, SCENES = "production", "upload", "scenes"
# The age from which a removal counts as overdue: the bucket does not answer, or no engine runs.
OVERDUE_AFTER = clock.HOUR
_BATCH = 100

_FORGET = Prepared(Deliverable.delete().where(Deliverable.production_id.in_(elements(slot("ids")))))
_ENTER = Prepared(
    FileToRemove.insert(slots("kind", "name", "sha256", "since")).on_conflict("nothing")
)
_REMOVED = Prepared(
    FileToRemove.delete().where(
        FileToRemove.kind == slot("kind"), FileToRemove.name == slot("name")
    )
)
_NEXT = Prepared(
    FileToRemove.select(FileToRemove.kind, FileToRemove.name, FileToRemove.sha256)
    .order_by(FileToRemove.kind, FileToRemove.name)
    .limit(_BATCH)
)
# Of a database that may be another than the open one:
_LATE = Prepared(
    FileToRemove.select(
        fn.count(SQL("1")).alias("number"), fn.min(FileToRemove.since).alias("since")
    ).where(FileToRemove.since < slot("before"))
)
_ENTERED = Prepared(FileToRemove.select(FileToRemove.name).where(FileToRemove.kind == PRODUCTION))


class Removal(NamedTuple):
    """The files of a production, an upload (``name``: of its file),
    or the rendered scenes of a partner.
    """

    kind: str
    name: str
    sha256: str | None = None


def forget_productions(production_ids: Sequence[str], now: int) -> None:
    """Remove the rows of productions' files, and enter the files. Inside a transaction."""
    _FORGET.execute(ids=json.dumps(list(production_ids)))
    schedule_removals((Removal(PRODUCTION, production_id) for production_id in production_ids), now)


def schedule_removals(removals: Iterable[Removal], now: int) -> None:
    """Enter files whose rows are being removed. Inside a transaction."""
    _ENTER.execute_many({**removal._asdict(), "since": now} for removal in removals)


def remove_scheduled(remove: Callable[[Removal], None]) -> int:
    """Remove the files that are entered, and return how many removals that were.

    ``remove``: may be called again for the same files. What it raises ends this, and the next call
    goes on there.
    """
    number = 0
    while batch := _list_next():
        for removal in batch:
            remove(removal)
        with db.transaction(durable=False):
            _REMOVED.execute_many({"kind": removal.kind, "name": removal.name} for removal in batch)
        number += len(batch)
    return number


def _list_next() -> list[Removal]:
    return [Removal(row["kind"], row["name"], row["sha256"]) for row in _NEXT.rows()]


def count_overdue_by(connection: Connection, now: int) -> tuple[int, int | None]:
    """Return how many removals wait for longer than :data:`OVERDUE_AFTER`, and since when,
    in the database of ``connection``.
    """
    [row] = _LATE.rows_by(connection, before=now - OVERDUE_AFTER)
    return row["number"], row["since"]


def list_scheduled_by(connection: Connection) -> set[str]:
    """Return the productions whose files are to be removed, in the database of ``connection``."""
    return {row["name"] for row in _ENTERED.rows_by(connection)}
