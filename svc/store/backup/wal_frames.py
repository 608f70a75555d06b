"""Reads what was committed to a write-ahead log since the last look, without missing a commit (SQLite's file format, §4).

Two facts about SQLite carry it. While a reader holds a mark in the log, nobody writes it over from its beginning; while one
reads past the log, because all of it is in the database already, nobody brings pages home, so that the log is written over
once at most, and not before all of it was read here. :class:`Follower` always holds one of the two, and changes its hold only
while it keeps every writer out.
"""

import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from svc.base import clock, outage
from svc.store.sqlite import sqlite3

_HEADER = struct.Struct(">8I")  # magic, version, page size, checkpoint number, two salts, two checksums
_FRAME = struct.Struct(">6I")  # page, pages of the database after a commit, two salts, two checksums
_MAGIC = {0x377F0682, 0x377F0683}
_OLDEST = (3, 51, 0)  # of SQLite, which can say how long the log is without checkpointing
_PATIENCE = 30.0  # seconds until the database counts as locked
_LOOK_EVERY = 0.001


class Lost(Exception):
    """The log went on without this reader, so commits may be missing: a new base is needed."""


@dataclass(frozen=True)
class Position:
    """How far a log has been read: its salts, which change whenever it begins anew, and the number of frames."""

    salts: tuple[int, int] | None
    frames: int


@dataclass
class Change:
    """What commits changed: pages by their numbers, and how many pages the database has after them."""

    pages: dict[int, bytes]
    page_count: int
    start: Position
    end: Position

    def followed_by(self, change: "Change") -> "Change":
        """Both changes as one."""
        return Change(self.pages | change.pages, change.page_count, self.start, change.end)


class Follower:
    """Follows the log of the database at ``path`` from this moment on, beside whoever writes.

    ``at``: when the last look was; every commit before that has been seen, and none after it.
    sqlite3.Error: the database is locked for longer than it should be, or cannot be read.
    """

    def __init__(self, path: Path, now: Callable[[], int] = clock.now):
        if sqlite3.sqlite_version_info < _OLDEST:
            found = sqlite3.sqlite_version
            raise sqlite3.NotSupportedError(f"this needs SQLite 3.51 or newer, and here is {found}")
        self._now, self._log = now, path.with_name(path.name + "-wal")
        self._unseen: Change | None = None
        self._reader, self._gate, self._asker = (_connect(path) for _ in range(3))
        self._gate.execute("PRAGMA busy_timeout = 0")
        self.page_size = self._asker.execute("PRAGMA page_size").fetchone()[0]
        self._shut_gate()
        try:
            self.position, self.at = self._end(), self._now()
            self._hold()
        finally:
            self._gate.execute("ROLLBACK")

    def copy(self, target: Path) -> None:
        """Write the database as it was at the last look to ``target``, page by page."""
        target.touch(mode=0o600)
        copy = _connect(target)
        try:
            self._reader.backup(copy)
        finally:
            copy.close()

    def frames(self) -> int:
        """How long the log is."""
        frames: int = self._asker.execute("PRAGMA wal_checkpoint(NOOP)").fetchone()[1]
        return frames

    def look(self, home: bool = False) -> Change | None:
        """What was committed since the last look; None: nothing. ``home``: bring the log home, so that it can begin anew.

        After an error the next look returns that, too. Lost: this is not certain to be all of it.
        """
        if home:
            self._look_and_checkpoint()
        elif (at := self._now()) and self._end() == self.position:
            self.at = max(self.at, at)
        else:
            self._advance()
        change, self._unseen = self._unseen, None
        return change

    def _look_and_checkpoint(self) -> None:
        self._advance()  # so that most of it can be brought home before writers have to wait
        self._checkpoint()
        self._advance(self._checkpoint)

    def _advance(self, then: Callable[[], None] = lambda: None) -> None:
        """Read to the end, and hold that. ``then``: what is done while nothing is held and nobody can write."""
        ahead = self._read_ahead()
        self._shut_gate()
        try:
            change = self._read_rest(*ahead)
            self.at = max(self.at, self._now())
            self._reader.execute("ROLLBACK")
            then()
            self._hold()
        finally:
            self._gate.execute("ROLLBACK")
        self.position = change.end
        if change.pages:
            self._unseen = change if self._unseen is None else self._unseen.followed_by(change)

    def _shut_gate(self) -> None:
        """Keep writers out. SQLite's own way to wait looks ever more rarely, and busy writers would never let it in."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._gate.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as failure:
                if outage.recognise(failure) is not outage.LOCKED or time.monotonic() > until:
                    raise
            time.sleep(_LOOK_EVERY)

    def _hold(self) -> None:
        self._reader.execute("BEGIN")
        self._reader.execute("SELECT 1 FROM sqlite_schema").fetchall()

    def _checkpoint(self) -> None:
        self._asker.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _end(self) -> Position:
        """The end of what is committed. Without the gate it is that of a moment ago; while the log begins anew, none."""
        before = self._salts()
        frames = self.frames()
        if before != self._salts():
            return Position(None, -1)  # like no other
        if frames <= 0 or before is None:
            return Position(None, 0)
        return Position(before, frames)

    def _salts(self) -> tuple[int, int] | None:
        with self._log.open("rb") as file:
            header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:  # it is empty
            return None
        magic, _, page_size, _, *salts, _, _ = _HEADER.unpack(header)
        if magic not in _MAGIC or page_size != self.page_size:
            raise Lost("the log's header is not one of this database")
        return tuple(salts)

    def _read_ahead(self) -> tuple[Position, dict[int, bytes], int]:
        """Read without keeping writers out; what it finds counts only if the log is still the same with them out."""
        end = self._end()
        start = self.position.frames if end.salts == self.position.salts else 0
        if end.salts is None or end.frames < start:
            return self.position, {}, 0
        try:
            pages, count = self._collect(end.salts, start, end.frames)
        except Lost:
            return self.position, {}, 0
        return end, pages, count

    def _read_rest(self, ahead: Position, pages: dict[int, bytes], count: int) -> Change:
        """With writers kept out."""
        end, before = self._end(), self.position
        if end.salts is None:  # it begins anew, and nothing has been committed to it
            return Change({}, 0, before, end)
        if end.salts == before.salts and end.frames < before.frames:
            raise Lost("the log is shorter than it was")
        if ahead.salts != end.salts or ahead.frames > end.frames:
            ahead, pages, count = Position(end.salts, before.frames if end.salts == before.salts else 0), {}, 0
        more, last = self._collect(end.salts, ahead.frames, end.frames)
        return Change(pages | more, last or count, before, end)

    def _collect(self, salts: tuple[int, int], start: int, end: int) -> tuple[dict[int, bytes], int]:
        """The pages of the frames ``start`` to ``end``, each as it was last; and the size after the last commit."""
        pages, count, size = {}, 0, _FRAME.size + self.page_size
        with self._log.open("rb") as file:
            file.seek(_HEADER.size + start * size)
            for _ in range(start, end):
                frame = file.read(size)
                if len(frame) < size:
                    raise Lost("the log ends too early")
                page, after, *found, _, _ = _FRAME.unpack_from(frame)
                if tuple(found) != salts:
                    raise Lost("a frame of the log is of another one")
                pages[page], count = frame[_FRAME.size :], after or count
        return pages, count

    def close(self) -> None:
        for connection in (self._reader, self._gate, self._asker):
            connection.close()


def apply(path: Path, changes: Iterator[tuple[dict[int, bytes], int]], page_size: int) -> None:
    """Write changes, in order, into a copy of the database that nobody has open, as a checkpoint does."""
    with path.open("r+b") as file:
        for pages, count in changes:
            for number, content in pages.items():
                if number <= count:
                    file.seek((number - 1) * page_size)
                    file.write(content)
            file.truncate(count * page_size)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE, check_same_thread=False)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection
