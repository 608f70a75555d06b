"""Memory that all processes of one data directory share, for values that change with every request
and need no disk write.

It is the mapped file ``shared``. A process that opens it while no other has it open clears it, so
its content does not outlive the processes. It has the number of the last request, the numbers of
changes of each kind that were begun and ended, and a place for each partner that sent a request.
"""

import fcntl
import mmap
import os
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from svc.base import disk

_PAGE = mmap.ALLOCATIONGRANULARITY
_PLACES_IN_CHUNK = 64
_INTEGERS = 320  # 64-bit integers in a place, of which two are its owner
COUNTERS = _INTEGERS - 2
_CHUNK = _PLACES_IN_CHUNK * _INTEGERS * 8
_HEADER = max(_PAGE, 4096)
# The integers of the header; from the last one on, the changes begun and ended of each kind.
_PLACES, _REQUEST, _CHANGES = range(3)
# Integers at the end of the header: the instants when the database was found damaged, the disk
# failed, events were committed.
_DAMAGED, _FAILING, _EVENTS = range(_HEADER // 8 - 3, _HEADER // 8)
KINDS = ("access", "estate", "productions", "hearing", "paces")  # of changes


class _Turn:
    def __init__(self, file: int):
        self._file = file
        self._of_this_process = threading.Lock()

    def __enter__(self) -> None:
        self._of_this_process.acquire()
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)
        self._of_this_process.release()


class Shared(Protocol):
    """The values that the processes of one database share.

    :class:`SharedMemory` describes the methods.
    """

    @property
    def damaged_at(self) -> int: ...
    @property
    def failing_at(self) -> int: ...
    def lock(self) -> AbstractContextManager[None]: ...
    def find_counters(self, owner: str) -> memoryview | None: ...
    def take_counters(self, owner: str, fill: Callable[[memoryview], None]) -> memoryview: ...
    def number_request(self) -> int: ...
    def number_requests_after(self, last: int) -> None: ...
    def note_damage(self, now: int) -> None: ...
    def note_failing(self, now: int) -> None: ...
    def version(self, kind: int) -> int | None: ...
    def record_events(self) -> None: ...
    def read_events_version(self) -> int: ...


class SharedMemory:
    """The memory of one data directory."""

    def __init__(self, path: Path):
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._lock = os.open(
            path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        self._turn = _Turn(self._lock)
        self._places: dict[str, memoryview] = {}
        self._known = 0  # number of places in _places
        self._chunks: list[memoryview] = []
        try:
            with self._turn:
                if self._is_first():
                    os.ftruncate(self._file, 0)
                    disk.reserve(self._file, 0, _HEADER)
                # held until close: marks the memory as in use
                fcntl.flock(self._file, fcntl.LOCK_SH)
        except OSError:
            self.close()  # or its lock would keep every later attempt waiting
            raise
        self._header = self._map(0, _HEADER)

    def _is_first(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _map(self, offset: int, length: int) -> memoryview:
        return memoryview(mmap.mmap(self._file, length, offset=offset)).cast("q")

    def lock(self) -> "_Turn":
        """Return the lock of the places and of the number of the last request, across processes:
        ``with memory.lock():``.

        The death of a process releases it. A caller that also needs the lock of the database takes
        that one first.
        """
        return self._turn

    def find_counters(self, owner: str) -> memoryview | None:
        """Return the counters of a partner, :data:`COUNTERS` integers; None: it has none yet."""
        return self._places.get(owner)

    def take_counters(self, owner: str, fill: Callable[[memoryview], None]) -> memoryview:
        """Return the counters of a partner: those that another process took, or else the next free
        ones, after ``fill``.

        The caller holds :meth:`lock`.
        """
        while owner not in self._places and self._known < self._header[_PLACES]:
            self._read_owner()
        if owner not in self._places:
            place = self._cells(self._header[_PLACES])
            place[2:] = memoryview(bytes(COUNTERS * 8)).cast("q")
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
                disk.reserve(self._file, offset, _CHUNK)
            self._chunks.append(self._map(offset, _CHUNK))
        return self._chunks[chunk][place * _INTEGERS : (place + 1) * _INTEGERS]

    def number_request(self) -> int:
        """Count a request and return its number; :meth:`number_requests_after` sets the first.

        The caller holds the lock.
        """
        self._header[_REQUEST] += 1
        return self._header[_REQUEST]

    def number_requests_after(self, last: int) -> None:
        """Set the last used number, unless another process has set a higher one.

        The caller holds :meth:`lock`.
        """
        self._header[_REQUEST] = max(self._header[_REQUEST], last)

    def note_damage(self, now: int) -> None:
        """Record that the database is damaged, until all processes have ended."""
        self._header[_DAMAGED] = now

    def note_failing(self, now: int) -> None:
        """Record that the disk cannot be read or written."""
        self._header[_FAILING] = now

    @property
    def damaged_at(self) -> int:
        """The instant when the database was last found damaged;
        0: never since the processes started.
        """
        return self._header[_DAMAGED]

    @property
    def failing_at(self) -> int:
        """The instant when the disk last failed; 0: never since the processes started."""
        return self._header[_FAILING]

    def begin_change(self, kind: int) -> int:
        """Record that the present transaction, the only one that writes,
        changes a kind of :data:`KINDS`; return its number.
        """
        begun = _CHANGES + 2 * kind
        self._header[begun] += 1
        return self._header[begun]

    def end_change(self, kind: int, number: int) -> None:
        """Record that the transaction was committed or rolled back."""
        self._header[_CHANGES + 2 * kind + 1] = number

    def version(self, kind: int) -> int | None:
        """Return a version that stays the same while no data of that kind changes.

        None: a change is in progress, or its process has died and no other change has followed.
        """
        begun = _CHANGES + 2 * kind
        version = self._header[begun]
        return version if version == self._header[begun + 1] else None

    def record_events(self) -> None:
        """Record that events have been committed."""
        self._header[_EVENTS] = time.monotonic_ns()  # a single store; a counter would need the lock

    def read_events_version(self) -> int:
        """Return a number that changes whenever any process commits events."""
        return self._header[_EVENTS]

    def close(self) -> None:
        """Release the memory."""
        # the mappings keep the file open while a place is in use
        fcntl.flock(self._file, fcntl.LOCK_UN)
        os.close(self._file)
        os.close(self._lock)
