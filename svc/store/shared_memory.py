"""Memory that all processes of one data directory share: what changes with every request, and is worth no write to the disk.

It lives in the file ``shared``, which the kernel keeps in memory for as long as anybody has it open: whoever opens it alone
begins it anew, so nothing in it need outlive the processes. It holds the number of the last request, how many
changes of each kind were begun and ended, and a place for each partner that asked.
"""

import ctypes
import fcntl
import mmap
import os
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

_PAGE = mmap.ALLOCATIONGRANULARITY
_PLACES_IN_CHUNK = 64
_INTEGERS = 320  # 64-bit ones in a place, of which two are its owner
PLACE = _INTEGERS - 2
_CHUNK = _PLACES_IN_CHUNK * _INTEGERS * 8
_HEADER = max(_PAGE, 4096)
_PLACES, _REQUEST, _CHANGES = range(3)  # integers of the header; from the last on, of each kind, changes begun and ended
# Integers at the end of the header: when the database was found damaged, when its disk failed, when events were committed.
_DAMAGED, _FAILING, _EVENTS = range(_HEADER // 8 - 3, _HEADER // 8)
KINDS = ("access", "estate", "productions", "hearing", "paces")  # of changes


# Called without letting other threads run, which costs a hundred times what the call does; it never waits.
_flock_at_once = ctypes.PyDLL(None).flock


class _Turn:
    def __init__(self, file: int):
        self._file = file
        self._of_this_process = threading.Lock()

    def __enter__(self) -> None:
        self._of_this_process.acquire()
        if _flock_at_once(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB):
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        _flock_at_once(self._file, fcntl.LOCK_UN)
        self._of_this_process.release()


class SharedMemory:
    """The memory of one data directory."""

    def __init__(self, path: Path):
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._turn = _Turn(self._lock)
        self._places: dict[str, memoryview] = {}
        self._known = 0  # how many of the places are in _places
        self._chunks: list[memoryview] = []
        with self._turn:
            if self._is_first():
                os.ftruncate(self._file, 0)
                os.pwrite(self._file, bytes(_HEADER), 0)
            fcntl.flock(self._file, fcntl.LOCK_SH)  # until it is closed: somebody has it open
        self._header = self._map(0, _HEADER)

    def _is_first(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _map(self, offset: int, length: int) -> memoryview:
        return memoryview(mmap.mmap(self._file, length, offset=offset)).cast("q")

    def turn(self) -> "_Turn":
        """``with memory.turn():`` nobody else changes a place or the number of the last request meanwhile, in whatever
        process; a death gives the turn back. Whoever needs the database's turn too takes that one first."""
        return self._turn

    def place(self, owner: str) -> memoryview | None:
        """The place of a partner: :data:`PLACE` integers; None: it has none yet."""
        return self._places.get(owner)

    def take_place(self, owner: str, fill: Callable[[memoryview], None]) -> memoryview:
        """The place of a partner, in turn: the one that another process took, or else the next free one, filled first."""
        while owner not in self._places and self._known < self._header[_PLACES]:
            self._read_owner()
        if owner not in self._places:
            place = self._cells(self._header[_PLACES])
            place[2:] = memoryview(bytes(PLACE * 8)).cast("q")
            fill(place[2:])
            place[:2] = memoryview(uuid.UUID(owner).bytes).cast("q")
            self._header[_PLACES] += 1
            self._read_owner()
        return self._places[owner]

    def _read_owner(self) -> None:
        cells = self._cells(self._known)
        self._places[str(uuid.UUID(bytes=bytes(cells[:2])))] = cells[2:]
        self._known += 1

    def _cells(self, number: int) -> memoryview:
        chunk, place = divmod(number, _PLACES_IN_CHUNK)
        while len(self._chunks) <= chunk:
            offset = _HEADER + len(self._chunks) * _CHUNK
            if os.fstat(self._file).st_size < offset + _CHUNK:
                os.pwrite(self._file, bytes(_CHUNK), offset)  # written, not a hole: a full disk is met here, by an error
            self._chunks.append(self._map(offset, _CHUNK))
        return self._chunks[chunk][place * _INTEGERS : (place + 1) * _INTEGERS]

    def next_request(self) -> int:
        """Count a request, in turn; its number. 0 until :meth:`number_requests_after` has said where to begin."""
        self._header[_REQUEST] += 1
        return self._header[_REQUEST]

    def number_requests_after(self, last: int) -> None:
        """Where numbers begin, unless another process has said so already. In turn."""
        self._header[_REQUEST] = max(self._header[_REQUEST], last)

    def note_damage(self, now: int) -> None:
        """Some process found the database damaged: that stays so until all of them have ended."""
        self._header[_DAMAGED] = now

    def note_failing(self, now: int) -> None:
        """Some process found that the disk cannot be read or written."""
        self._header[_FAILING] = now

    @property
    def damaged_at(self) -> int:
        """When the database was last found damaged; 0: never since the processes were started."""
        return self._header[_DAMAGED]

    @property
    def failing_at(self) -> int:
        """When the disk last failed; 0: never since the processes were started."""
        return self._header[_FAILING]

    def begin_change(self, kind: int) -> int:
        """A transaction makes a change of :data:`KINDS`, and SQLite lets no other one begin meanwhile; its number."""
        begun = _CHANGES + 2 * kind
        self._header[begun] += 1
        return self._header[begun]

    def end_change(self, kind: int, number: int) -> None:
        """That transaction has been committed or undone."""
        self._header[_CHANGES + 2 * kind + 1] = number

    def version(self, kind: int) -> int | None:
        """What stays the same while nothing of that kind changes in the database. None: something is changing just now, or
        the process that was changing it has died (until the next change)."""
        begun = _CHANGES + 2 * kind
        version = self._header[begun]
        return version if version == self._header[begun + 1] else None

    def events_changed(self) -> None:
        """Events have been committed."""
        self._header[_EVENTS] = time.monotonic_ns()  # one store; a counter would need a turn

    def events_version(self) -> int:
        """What changes whenever any process commits events."""
        return self._header[_EVENTS]

    def close(self) -> None:
        """Be of those who have it open no more."""
        fcntl.flock(self._file, fcntl.LOCK_UN)  # the mappings hold the file open, as long as anybody refers to a place
        os.close(self._file)
        os.close(self._lock)
