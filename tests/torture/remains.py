"""What a kill leaves: a copy of the database's files is asked,
so that only the next server recovers the original.
"""

import shutil
import tempfile
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from svc.store.engine.sqlite_driver import sqlite3

FILES = ("service.db", "service.db-wal")
_CLAIMED = "SELECT id, event_id, claim_token, status FROM deliveries WHERE claim_token IS NOT NULL"
_PHASES = {
    "productions being made": "SELECT COUNT(*) FROM productions WHERE claim_token IS NOT NULL",
    "cancels being processed": "SELECT COUNT(*) FROM productions WHERE cancel_token IS NOT NULL",
    "deliveries waiting": (
        "SELECT COUNT(*) FROM deliveries WHERE status = 'Pending' AND claim_token IS NULL"
    ),
    "requests being answered": "SELECT COUNT(*) FROM requests WHERE status_code IS NULL",
}


@dataclass(frozen=True)
class Remains:
    """``claimed``: (delivery, event, claim token) of what was in flight;
    ``phases``: how much else was half done.
    """

    integrity: str
    claimed: list[tuple[str, str, str]]
    phases: Counter


class Coroner:
    """Looks at the remains in a thread of its own, while the next server starts."""

    def __init__(self, data_dir: Path):
        self._data_dir = data_dir
        self._pool = ThreadPoolExecutor(1)
        self._found: list[Future[Remains]] = []

    def look(self) -> None:
        """Copy now, while nothing runs; ask later."""
        folder = Path(tempfile.mkdtemp(prefix="remains.", dir=self._data_dir.parent))
        for name in FILES:
            if (self._data_dir / name).exists():
                shutil.copyfile(self._data_dir / name, folder / name)
        self._found.append(self._pool.submit(_examine, folder))

    def all(self) -> list[Remains]:
        """What every kill left."""
        self._pool.shutdown()
        return [each.result() for each in self._found]


def _examine(folder: Path) -> Remains:
    connection = sqlite3.connect(folder / FILES[0])
    try:
        integrity = "; ".join(each for (each,) in connection.execute("PRAGMA integrity_check"))
        claimed = [tuple(row[:3]) for row in connection.execute(_CLAIMED)]
        phases = Counter(
            {name: connection.execute(sql).fetchone()[0] for name, sql in _PHASES.items()}
        )
        return Remains(integrity, claimed, phases)
    except sqlite3.DatabaseError as broken:
        return Remains(str(broken), [], Counter())
    finally:
        connection.close()
        shutil.rmtree(folder)
