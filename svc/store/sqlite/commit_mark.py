"""The number of the last commit, beside the database: shows at the next start that the log with the
newest commits was lost.

After a kill the newest commits are in the ``-wal`` file alone. If it is removed, the database is as
it was at the last checkpoint, whole and without a trace of them. So some commits carry a number,
which is kept in a file once they are durable: the first one after the start and after each
checkpoint, those during a checkpoint, and one a second. Others cost nothing.
"""

import os
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from peewee import fn

from svc.base.errors import StartRefused
from svc.store.engine.compiling import compile_for_sqlite, slot
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.models.service import NamedValue

NAME = "last-commit"
_FORMAT = struct.Struct(">Q")
_EVERY = 1.0  # seconds
# The name belongs to svc.store.meta. A number grows by one at least, also where the clock was set
# back.
_NUMBER, _ = compile_for_sqlite(
    NamedValue.insert(name="commit", value=slot("now"))
    .on_conflict(
        conflict_target=[NamedValue.name],
        update={
            NamedValue.value: fn.max(
                NamedValue.value.cast("INTEGER") + 1, slot("now").cast("INTEGER")
            ).cast("TEXT")
        },
    )
    .returning(NamedValue.value)
)
_NEWEST, _ = compile_for_sqlite(
    NamedValue.select(NamedValue.value).where(NamedValue.name == "commit")
)


class CommitMark:
    """Numbers commits of this process, and keeps the last number. Whoever calls holds the
    connection, but for :meth:`keep`.

    ``newest``: the number of the last commit that has one.
    """

    def __init__(self, data_dir: Path, monotonic: Callable[[], float] = time.monotonic):
        self._path, self._monotonic = data_dir / NAME, monotonic
        self._due_at = 0.0
        self._checkpoints = 0  # that run
        self.newest = self._kept = 0

    def number(self, statements: sqlite3.Cursor) -> int:
        """Number the present transaction, if that is due, and return its number for
        :meth:`record_commit`; 0: it has none.
        """
        if not self._checkpoints and self._monotonic() < self._due_at:
            return 0
        now = str(time.time_ns() // 1_000_000)
        [(number,)] = statements.execute(_NUMBER, {"now": now}).fetchall()
        return int(number)

    def record_commit(self, number: int) -> None:
        """Record that the transaction with this number was committed."""
        if number:
            self.newest, self._due_at = number, self._monotonic() + _EVERY

    def keep(self, number: int) -> None:
        """Keep the number of a commit, which is durable.

        Without room for eight bytes it is kept later.
        """
        if number > self._kept:
            with suppress(OSError):
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    if number > _read_mark(descriptor):  # another process may have a newer one
                        os.pwrite(descriptor, _FORMAT.pack(number), 0)
                finally:
                    os.close(descriptor)
                self._kept = number

    def begin_checkpoint(self) -> None:
        """Number all commits from now on: which of them the checkpoint takes is unknown."""
        self._checkpoints += 1

    def end_checkpoint(self) -> None:
        """Number the next commit, which is in the log alone."""
        self._due_at = 0.0
        self._checkpoints -= 1


def require_newest(data_dir: Path, connection: sqlite3.Connection) -> None:
    """Raise StartRefused if the database has not the last commit that is known to
    have been durable.
    """
    try:
        descriptor = os.open(data_dir / NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        known = _read_mark(descriptor)
    finally:
        os.close(descriptor)
    row = connection.execute(_NEWEST).fetchone()
    if known > (int(row[0]) if row else 0):
        raise StartRefused(
            f"The newest commits of {data_dir / 'service.db'} are missing: its -wal was removed "
            "after the service was killed, or an older database was put in its place. Put the "
            "file back, or restore a backup into an empty directory. To go on without those "
            f"commits, which are lost then, remove {data_dir / NAME}."
        )


def _read_mark(descriptor: int) -> int:
    content = os.pread(descriptor, _FORMAT.size, 0)
    return int(_FORMAT.unpack(content)[0]) if len(content) == _FORMAT.size else 0
