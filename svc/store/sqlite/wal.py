"""The write-ahead log of the database: one fsync makes many commits durable,
and checkpoints run in the background.
"""

import ctypes
import fcntl
import os
import sys
import threading
from pathlib import Path

from svc.base import outage
from svc.base.processes import cpus
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.sqlite.commit_mark import CommitMark

# Rare enough that a page is written to the database once for many commits, and frequent enough that
# the WAL is overwritten while it is in the page cache: frames are not aligned to pages, so
# overwriting an evicted page means reading it first.
_COMMITS_PER_CHECKPOINT = 100
# The pages of a large log: together with those of one interval it stays below journal_size_limit,
# which would truncate the WAL. Triggers make it so large in four intervals, and whoever writes
# waits for two fsyncs then.
_LARGE_WAL = 6_000
_FEW = 100  # pages committed during a checkpoint
_DESCRIPTORS = "/proc/self/fd"
_HAS_DESCRIPTORS = Path(_DESCRIPTORS).is_dir()  # Linux only
# Begins to write a file's pages without waiting for them. Linux has it, but not the module os.
_start_writing = getattr(ctypes.CDLL(None), "sync_file_range", None)
if _start_writing is not None:
    _start_writing.argtypes = ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint
_SYNC_FILE_RANGE_WRITE = 2


class Replaced(sqlite3.OperationalError):
    """The database, its log or its index is not the file any more that this process has open:
    what is committed is lost.
    """

    outage = outage.REPLACED


class SharedSync:
    """One fsync of the ``-wal`` file for all commits that wait at that moment.

    SQLite's locks are on the ``-shm`` file, so opening ``-wal`` separately is safe; checkpoints do
    their own fsyncs.
    """

    def __init__(self, path: Path, mark: CommitMark):
        """``path``: of the ``-wal`` file.

        ``mark``: keeps the number of the last commit outside the database.
        """
        self._path, self._mark = str(path), mark  # paths are texts here: each commit asks for them
        database = self._path.removesuffix("-wal")
        self._beside = (database, database + "-shm")
        # What the files were when they were opened; None: they are not opened yet.
        self._files: list[object] | None = None
        self._lock = threading.Lock()
        self._turn = threading.Condition(self._lock)  # which is slower to enter than its lock
        self._asked = self._synced = 0
        self._leader = False
        self._descriptor = -1
        self._link = ""  # of the descriptor

    def promise(self) -> int:
        """Register a commit that must become durable; return its number for :meth:`wait`."""
        with self._lock:
            self._asked += 1
            return self._asked

    def is_behind(self) -> bool:
        """Return whether a registered commit may not be durable yet."""
        return self._synced < self._asked

    def start(self) -> None:
        """Let the disk write what is committed while the caller does something else:
        :meth:`wait` then waits for the rest.

        During an fsync it does nothing, so that the commits of that time are written together. An
        error is for the fsync to report, as Linux keeps it for that.
        """
        if _start_writing is not None and not self._leader:
            _start_writing(self._descriptor, 0, 0, _SYNC_FILE_RANGE_WRITE)

    def wait(self, mine: int) -> None:
        """Wait until a registered commit and all before it are durable.

        OSError, Replaced: they may not be.
        """
        with self._lock:
            while self._leader and self._synced < mine:
                self._turn.wait()
            if self._synced >= mine:
                return
            self._leader, upto, number = True, self._asked, self._mark.newest
        synced = False
        try:
            self.require_same()  # the commits are in these files; the disk writes meanwhile
            self._sync()
            self._mark.keep(number)
            synced = True
        finally:
            with self._lock:
                self._leader = False
                self._synced = max(self._synced, upto) if synced else self._synced
                self._turn.notify_all()

    def remember(self) -> None:
        """Open the log, and store which files the connection has just opened."""
        if self._descriptor < 0:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            self._link = f"{_DESCRIPTORS}/{self._descriptor}"
            self._files = self._present()

    def require_same(self) -> None:
        """Raise Replaced if one of the files is not the one that the connection has: it was
        removed, moved or replaced.

        SQLite never does that while a connection is open: neither a checkpoint, VACUUM, a backup
        nor a migration.
        """
        if self._files is not None and self._present() != self._files:
            raise Replaced(
                f"{self._beside[0]}, or its -wal or -shm, is not the file any more that was opened"
            )

    def _present(self) -> list[object]:
        """Return what tells whether the files are the same: few system calls, of which none looks
        at the log's times.

        After a stat of the log, Linux would update its times at the next write with nanosecond
        precision, and each fdatasync would also write the inode. The link of the open file shows
        whether it was removed or moved.
        """
        try:
            if _HAS_DESCRIPTORS:
                # a Path costs more than the call
                identities: list[object] = [os.readlink(self._link)]  # noqa: PTH115
            else:
                identities = [_identity(self._path)]
            identities += map(_identity, self._beside)
        except FileNotFoundError as missing:
            return [missing.filename]
        return identities

    def _sync(self) -> None:
        self.remember()
        if sys.platform == "darwin":  # fsync does not flush the disk's cache on macOS
            fcntl.fcntl(self._descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Close the file, and open it again when it is needed: SQLite removes it only with its last
        connection.

        What replaces it meanwhile is noticed by :meth:`require_same`.
        """
        self._files = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _identity(path: str) -> tuple[int, int]:
    status = os.stat(path)  # noqa: PTH116 - as above
    return status.st_dev, status.st_ino


class Checkpointer:
    """Checkpoints the WAL in a thread with its own connection, so that no request waits for it.

    A passive checkpoint blocks no other connection and skips frames that are committed meanwhile.
    The WAL can restart only after a checkpoint that covers all frames: once it has ``_LARGE_WAL``
    pages, the few remaining frames are checkpointed while the lock of the connection is held.
    """

    def __init__(self, path: Path, turn: threading.RLock, mark: CommitMark):
        self._mark = mark
        self._turn = turn  # while it is held, no other thread of this process writes
        self._path = path
        self._due = threading.Event()
        self._commits = 0
        self._ended = False
        self._thread: threading.Thread | None = None

    def count_commit(self) -> None:
        """Count a commit, and start a checkpoint after some of them.

        The caller, which has just committed, holds the lock.
        """
        self._commits += 1
        if self._commits % _COMMITS_PER_CHECKPOINT:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
            self._thread.start()
        self._due.set()

    def _run(self) -> None:
        cpus.use_all()
        connection = sqlite3.connect(self._path, isolation_level=None)
        while self._due.wait() and not self._ended:
            self._due.clear()
            self._mark.begin_checkpoint()
            try:
                self.checkpoint(connection)
            except (sqlite3.Error, OSError):
                # The disk may be full, for example: the next checkpoint tries again, and SQLite's
                # own limit is the fallback.
                pass
            finally:
                self._mark.end_checkpoint()
        connection.close()

    def checkpoint(self, connection: sqlite3.Connection) -> None:
        """Checkpoint the commits over ``connection``, which belongs to this thread."""
        [(_, pages, home)] = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        # Otherwise a reader still uses it, and it cannot restart.
        if pages >= _LARGE_WAL and pages - home <= _FEW:
            with self._turn:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """End the thread."""
        self._ended = True
        self._due.set()
        if self._thread is not None:
            self._thread.join()
