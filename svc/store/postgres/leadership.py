"""The leadership over all machines: an advisory lock, which PostgreSQL frees when its
holder's connection ends.
"""

import functools
import hashlib
import socket
from collections.abc import Collection
from pathlib import Path
from typing import Any

import psycopg

from svc.store.postgres import keepalives
from svc.store.postgres.failures import named
from svc.store.postgres.migrating import DRIVERS

_PATIENCE = 5  # seconds
# The name of an advisory lock of one number is in two columns.
_DEPOSE = """
    SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND (l.classid, l.objid, l.objsubid) = (0, %s, 1)
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND a.application_name = ANY (%s)
"""


@functools.lru_cache(maxsize=4)
def place_of(data_dir: Path) -> str:
    """Return what names a data directory on its machine among all machines."""
    return hashlib.sha256(f"{socket.gethostname()}:{data_dir.resolve()}".encode()).hexdigest()[:12]


class Leadership:
    """Holds the lock on a connection of its own. The engine's thread alone uses it."""

    def __init__(self, address: str, data_dir: Path):
        self.place = place_of(data_dir) + ":"
        self._address = address
        self._connection: psycopg.Connection[Any] | None = None

    def take(self, name: str = "", silent: Collection[str] = ()) -> bool:
        if self._connection is not None and self.holds():
            return True
        with named():
            connection: psycopg.Connection[Any] = psycopg.connect(
                self._address,
                autocommit=True,
                connect_timeout=_PATIENCE,
                application_name=f"driver {name}",
                **keepalives.OURS,
            )
            try:
                connection.execute(keepalives.ITS)
                if silent:
                    connection.execute(_DEPOSE, (DRIVERS, [f"driver {each}" for each in silent]))
                tried = connection.execute("SELECT pg_try_advisory_lock(%s)", (DRIVERS,))
                taken = bool(tried.fetchone()[0])  # type: ignore[index]
            except BaseException:
                connection.close()
                raise
        if taken:
            self._connection = connection
        else:
            connection.close()
        return taken

    def holds(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            self.release()
            return False
        return True

    def release(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
