"""The write-ahead log of the database: one fsync makes many commits durable, and checkpoints run in the background."""

import ctypes
import fcntl
import os
import sys
import threading
from pathlib import Path

from svc.store.sqlite import sqlite3

# Rare enough that a page is written to the database once for many commits, and frequent enough that the WAL is overwritten
# while it is in the page cache: frames are not aligned to pages, so overwriting an evicted page means reading it first.
_COMMITS_PER_CHECKPOINT = 100
_LARGE_WAL = 1_000  # pages; together with those of one interval it stays below journal_size_limit, which would truncate the WAL
_FEW = 100  # pages committed during a checkpoint
_SYNC_FILE_RANGE_WRITE = 2
_write_out = getattr(ctypes.CDLL(None), "sync_file_range", None)  # Linux only
if _write_out is not None:
    _write_out.argtypes = ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint


class SharedSync:
    """One fsync of the ``-wal`` file for all commits that wait at that moment.

    SQLite's locks are on the ``-shm`` file, so opening ``-wal`` separately is safe; checkpoints do their own fsyncs.
    """

    def __init__(self, path: Path):
        self._path = path
        self._turn = threading.Condition()
        self._asked = self._synced = 0
        self._leader = False
        self._descriptor = -1

    def promise(self) -> int:
        """Register a commit that must become durable; return its number for :meth:`wait`."""
        with self._turn:
            self._asked += 1
            return self._asked

    def is_behind(self) -> bool:
        """Return whether a registered commit may not be durable yet."""
        return self._synced < self._asked

    def begin(self) -> None:
        """Start to write the commits to the disk, so that :meth:`wait` takes less time; it guarantees nothing itself."""
        if _write_out is not None and self._descriptor >= 0:
            _write_out(self._descriptor, 0, 0, _SYNC_FILE_RANGE_WRITE)

    def wait(self, mine: int) -> None:
        """Wait until a registered commit and all before it are durable. OSError: they may not be."""
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
        if sys.platform == "darwin":  # fsync does not flush the disk's cache on macOS
            fcntl.fcntl(self._descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Close the file, and open it again when it is needed: SQLite removes it only with its last connection.

        The file is not checked more often, because a stat on Linux makes the next write update the file's times with
        nanosecond precision, and each fdatasync then also writes the inode.
        """
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Checkpointer:
    """Checkpoints the WAL in a thread with its own connection, so that no request waits for it.

    A passive checkpoint blocks no other connection and skips frames that are committed meanwhile. The WAL can restart only
    after a checkpoint that covers all frames: once it has ``_LARGE_WAL`` pages, the few remaining frames are checkpointed
    while the lock of the connection is held.
    """

    def __init__(self, path: Path, turn: threading.RLock):
        self._turn = turn  # while it is held, no other thread of this process writes
        self._path = path
        self._due = threading.Event()
        self._commits = 0
        self._ended = False
        self._thread: threading.Thread | None = None

    def committed(self) -> None:
        """Count a commit, and start a checkpoint after some of them. The caller, which has just committed, holds the lock."""
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
                pass  # for example a full disk: the next checkpoint tries again, and SQLite's own limit is the fallback
        connection.close()

    def checkpoint(self, connection: sqlite3.Connection) -> None:
        """Checkpoint the commits over ``connection``, which belongs to this thread."""
        [(_, pages, home)] = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if pages >= _LARGE_WAL and pages - home <= _FEW:  # otherwise a reader still uses it and it cannot restart
            with self._turn:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """End the thread."""
        self._ended = True
        self._due.set()
        if self._thread is not None:
            self._thread.join()
