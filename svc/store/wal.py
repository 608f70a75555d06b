"""The write-ahead log beside the database: made durable for many commits at a time, and brought home behind their backs."""

import ctypes
import fcntl
import os
import sys
import threading
from pathlib import Path

from svc.store.sqlite import sqlite3

# Seldom enough that a page is written home once for many commits, and often enough that the WAL is written over while the
# kernel still has its pages: frames are no pages, so to write over one that it has let go means to read it first.
_COMMITS_PER_CHECKPOINT = 100
_LARGE_WAL = 1_000  # pages; with those of so many commits below journal_size_limit, to which it would be cut
_FEW = 100  # pages that are committed during a checkpoint
_SYNC_FILE_RANGE_WRITE = 2
_write_out = getattr(ctypes.CDLL(None), "sync_file_range", None)  # Linux alone has it
if _write_out is not None:
    _write_out.argtypes = ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint


class SharedSync:
    """One fsync of the ``-wal`` file for every commit that waits at that moment.

    SQLite's locks are on the ``-shm`` file, so opening ``-wal`` beside it is safe; its checkpoints sync by themselves.
    """

    def __init__(self, path: Path):
        self._path = path
        self._turn = threading.Condition()
        self._asked = self._synced = 0
        self._leader = False
        self._descriptor = -1

    def promise(self) -> int:
        """Say that a commit has been made that must be on the disk: what :meth:`wait` is given."""
        with self._turn:
            self._asked += 1
            return self._asked

    def is_behind(self) -> bool:
        """Whether a commit has been promised that may not be on the disk yet."""
        return self._synced < self._asked

    def begin(self) -> None:
        """Let the disk begin with what has been committed, so that :meth:`wait` finds it written: it is no promise itself."""
        if _write_out is not None and self._descriptor >= 0:
            _write_out(self._descriptor, 0, 0, _SYNC_FILE_RANGE_WRITE)

    def wait(self, mine: int) -> None:
        """Return when that commit, with all before it, is on the disk. OSError: it may not be."""
        with self._turn:
            while self._leader and self._synced < mine:
                self._turn.wait()
            if self._synced >= mine:
                return
            self._leader, upto = True, self._asked
        synced = False
        try:
            self._sync()
            synced = True
        finally:
            with self._turn:
                self._leader = False
                self._synced = max(self._synced, upto) if synced else self._synced
                self._turn.notify_all()

    def _sync(self) -> None:
        if self._descriptor < 0:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        if sys.platform == "darwin":  # there fsync does not reach the platter
            fcntl.fcntl(self._descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Look for the file again when it is needed next: SQLite removes it with its last connection, and never before.

        Not looked at more often, for whoever has asked Linux for the times of a file makes its next write change them to the
        nanosecond, and each fdatasync then writes the inode too.
        """
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Checkpointer:
    """Brings the WAL home from a thread and a connection of its own, so that no request waits for it.

    A checkpoint holds nobody up, and leaves what is committed meanwhile. Only one that leaves nothing lets the WAL begin
    anew: when it holds ``_LARGE_WAL``, what is left after a checkpoint, which is little, is brought home in a turn.
    """

    def __init__(self, path: Path, turn: threading.RLock):
        self._turn = turn  # whoever has it, nobody else of this process writes
        self._path = path
        self._due = threading.Event()
        self._commits = 0
        self._ended = False
        self._thread: threading.Thread | None = None

    def committed(self) -> None:
        """Count a commit; after some of them a checkpoint is due. Called in turn by whoever has just committed."""
        self._commits += 1
        if self._commits % _COMMITS_PER_CHECKPOINT:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
            self._thread.start()
        self._due.set()

    def _run(self) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        while self._due.wait() and not self._ended:
            self._due.clear()
            try:
                self.checkpoint(connection)
            except (sqlite3.Error, OSError):
                pass  # a full disk, say: the next one tries again, and SQLite's own limit stands behind it
        connection.close()

    def checkpoint(self, connection: sqlite3.Connection) -> None:
        """Bring home what is committed, by a connection of this thread's own."""
        [(_, pages, home)] = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if pages >= _LARGE_WAL and pages - home <= _FEW:  # otherwise somebody still reads from it, and it cannot begin anew
            with self._turn:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """End the thread."""
        self._ended = True
        self._due.set()
        if self._thread is not None:
            self._thread.join()
