"""Reads the new commits in a write-ahead log since the last read, without missing any (SQLite's
file format, §4).

It relies on two properties of SQLite. While a reader has a read mark in the log, the log is not
restarted. While a reader reads only the database, because the log is completely checkpointed, no
further checkpoint runs, so the log restarts at most once, and not before all of it was read here.
:class:`Follower` always holds one of the two kinds of read lock, and replaces it only while it
blocks all writers.
"""

import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from svc.base import clock, outage
from svc.store.engine.sqlite_driver import sqlite3

# The header: magic, version, page size, checkpoint number, two salts, two checksums.
_HEADER = struct.Struct(">8I")
# The header of a frame: page, pages of the database after a commit, two salts, two checksums.
_FRAME = struct.Struct(">6I")
_MAGIC = {0x377F0682, 0x377F0683}
_OLDEST = (3, 51, 0)  # of SQLite, which can report the length of the log without a checkpoint
_PATIENCE = 30.0  # seconds until the database counts as locked
_LOOK_EVERY = 0.001
_SET_BACK = 5_000  # milliseconds; smaller differences come from time synchronisation


class Lost(Exception):
    """The log was overwritten before it was read, so commits may be missing:
    a new base is needed.
    """


@dataclass(frozen=True)
class Position:
    """How far a log has been read: its salts, which change when the log restarts,
    and the number of frames.
    """

    salts: tuple[int, int] | None
    frames: int


@dataclass
class Change:
    """The changes of commits: pages by number, and the page count of the database after them."""

    pages: dict[int, bytes]
    page_count: int
    start: Position
    end: Position

    def merge_with(self, change: "Change") -> "Change":
        """Return both changes as one."""
        return Change(self.pages | change.pages, change.page_count, self.start, change.end)


class Follower:
    """Follows the log of the database at ``path`` from this moment on, while others write.

    ``at``: the time of the last read, which returned all commits before that time and none after
    it. It is earlier than that of the read before only where the clock was set back.
    sqlite3.Error: the database stays locked for too long, or cannot be read.
    """

    def __init__(self, path: Path, now: Callable[[], int] = clock.now):
        if sqlite3.sqlite_version_info < _OLDEST:
            installed = sqlite3.sqlite_version
            raise sqlite3.NotSupportedError(
                f"this needs SQLite 3.51 or newer, but {installed} is installed"
            )
        self._now, self._log = now, path.with_name(path.name + "-wal")
        self._unseen: Change | None = None
        self._reader, self._gate, self._asker = (_connect(path) for _ in range(3))
        self._gate.execute("PRAGMA busy_timeout = 0")
        self.page_size = self._asker.execute("PRAGMA page_size").fetchone()[0]
        self._shut_gate()
        try:
            self.position, self.at = self._find_end(), self._now()
            self._hold_log()
        finally:
            self._gate.execute("ROLLBACK")

    def copy(self, target: Path) -> None:
        """Write the database in its state at the last read to ``target``, page by page."""
        target.touch(mode=0o600)
        copy = _connect(target)
        try:
            self._reader.backup(copy)
        finally:
            copy.close()

    def count_frames(self) -> int:
        """Return the number of frames in the log."""
        frames: int = self._asker.execute("PRAGMA wal_checkpoint(NOOP)").fetchone()[1]
        return frames

    def read_changes(self, checkpoint: bool = False) -> Change | None:
        """Return the commits since the last read; None if there are none.

        After an error the next call also returns the commits of this one. Lost: commits may be
        missing.

        Args:
            checkpoint: Checkpoint the log, so that it can restart.
        """
        if checkpoint:
            self._read_and_checkpoint()
        elif (at := self._now()) and self._find_end() == self.position:
            self.at = self._follow_clock(at)
        else:
            self._advance()
        change, self._unseen = self._unseen, None
        return change

    def _read_and_checkpoint(self) -> None:
        self._advance()  # so that most pages are checkpointed before writers have to wait
        self._checkpoint()
        self._advance(self._checkpoint)

    def _advance(self, then: Callable[[], None] = lambda: None) -> None:
        """Read to the end, and move the read lock there.

        ``then``: called while writers are blocked and no lock is held.
        """
        ahead = self._read_ahead()
        self._shut_gate()
        try:
            change = self._read_rest(*ahead)
            self.at = self._follow_clock(self._now())
            self._reader.execute("ROLLBACK")
            then()
            self._hold_log()
        finally:
            self._gate.execute("ROLLBACK")
        self.position = change.end
        if change.pages:
            self._unseen = change if self._unseen is None else self._unseen.merge_with(change)

    def _follow_clock(self, now: int) -> int:
        """Return the time of a read: no earlier than the last one, unless the clock was set back by
        more than time synchronisation does.
        """
        return now if self.at - now > _SET_BACK else max(self.at, now)

    def _shut_gate(self) -> None:
        """Block writers.

        SQLite's own busy handler polls ever more rarely, and would starve beside busy writers.
        """
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._gate.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as failure:
                if outage.recognise(failure) is not outage.LOCKED or time.monotonic() > until:
                    raise
            time.sleep(_LOOK_EVERY)

    def _hold_log(self) -> None:
        self._reader.execute("BEGIN")
        self._reader.execute("SELECT 1 FROM sqlite_schema").fetchall()

    def _checkpoint(self) -> None:
        self._asker.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _find_end(self) -> Position:
        """Return the end of the committed frames; without the gate it may be outdated.

        No position while the log restarts.
        """
        before = self._salts()
        frames = self.count_frames()
        if before != self._salts():
            return Position(None, -1)  # equal to no other position
        if frames <= 0 or before is None:
            return Position(None, 0)
        return Position(before, frames)

    def _salts(self) -> tuple[int, int] | None:
        with self._log.open("rb") as file:
            header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:  # the log is empty
            return None
        magic, _, page_size, _, *salts, _, _ = _HEADER.unpack(header)
        if magic not in _MAGIC or page_size != self.page_size:
            raise Lost("the log's header is not one of this database")
        return tuple(salts)

    def _read_ahead(self) -> tuple[Position, dict[int, bytes], int]:
        """Read without blocking writers; the result is valid only if the log has not restarted once
        they are blocked.
        """
        end = self._find_end()
        start = self.position.frames if end.salts == self.position.salts else 0
        if end.salts is None or end.frames < start:
            return self.position, {}, 0
        try:
            pages, count = self._collect(end.salts, start, end.frames)
        except Lost:
            return self.position, {}, 0
        return end, pages, count

    def _read_rest(self, ahead: Position, pages: dict[int, bytes], count: int) -> Change:
        """Read the rest while writers are blocked."""
        end, before = self._find_end(), self.position
        if end.salts is None:  # it was restarted and has no commits yet
            return Change({}, 0, before, end)
        if end.salts == before.salts and end.frames < before.frames:
            raise Lost("the log is shorter than it was")
        if ahead.salts != end.salts or ahead.frames > end.frames:
            ahead = Position(end.salts, before.frames if end.salts == before.salts else 0)
            pages = {}
            count = 0
        more, last = self._collect(end.salts, ahead.frames, end.frames)
        return Change(pages | more, last or count, before, end)

    def _collect(
        self, salts: tuple[int, int], start: int, end: int
    ) -> tuple[dict[int, bytes], int]:
        """Return the latest content of each page in the frames ``start`` to ``end``,
        and the page count at the last commit.
        """
        pages, count, size = {}, 0, _FRAME.size + self.page_size
        with self._log.open("rb") as file:
            file.seek(_HEADER.size + start * size)
            for _ in range(start, end):
                frame = file.read(size)
                if len(frame) < size:
                    raise Lost("the log ends too early")
                page, after, *frame_salts, _, _ = _FRAME.unpack_from(frame)
                if tuple(frame_salts) != salts:
                    raise Lost("a frame belongs to another log")
                pages[page], count = frame[_FRAME.size :], after or count
        return pages, count

    def close(self) -> None:
        for connection in (self._reader, self._gate, self._asker):
            connection.close()


def apply_changes(
    path: Path, changes: Iterator[tuple[dict[int, bytes], int]], page_size: int
) -> None:
    """Apply changes, in order, to a copy of the database that no process has open,
    as a checkpoint does.
    """
    with path.open("r+b") as file:
        for pages, count in changes:
            for number, content in pages.items():
                if number <= count:
                    file.seek((number - 1) * page_size)
                    file.write(content)
            file.truncate(count * page_size)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, timeout=_PATIENCE, check_same_thread=False
    )
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection
