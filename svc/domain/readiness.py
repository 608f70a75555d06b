"""Whether the service can do its work now: write to its database, drive productions, and find room on its disk."""

import shutil
import threading
import time

from svc.base import clock
from svc.store import database

FRESH = 30 * clock.SECOND  # six heartbeats
_KNOWN_SECONDS = 1.0
_WRITE_SECONDS = 1.0  # how long a probe waits for whoever is writing


class Probe:
    """Finds out at most once a second, however often it is asked, since anybody may ask."""

    def __init__(self, floor_megabytes: int):
        self._floor = floor_megabytes
        self._turn = threading.Lock()
        self._known_until, self._problems = 0.0, {}

    def problems(self, now: int) -> dict[str, str]:
        """What is wrong, by its part: "database", "engine", "disk"; empty when the service is ready."""
        with self._turn:
            if time.monotonic() >= self._known_until:
                found = {"database": _database(now), "engine": _engine(now), "disk": _disk(self._floor)}
                self._problems = {part: problem for part, problem in found.items() if problem}
                self._known_until = time.monotonic() + _KNOWN_SECONDS
            return self._problems


def _database(now: int) -> str | None:
    try:
        with database.beside(_WRITE_SECONDS) as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('probe', ?)", (str(now),))
    except database.Error as failed:
        return f"cannot be written: {failed}"
    return None


def _engine(now: int) -> str | None:
    beat = database.row("SELECT value FROM meta WHERE name = 'heartbeat'")
    if beat is None:
        return "nobody drives the work yet"
    age = now - int(beat["value"])
    return None if abs(age) <= FRESH else f"the last heartbeat of whoever drives the work is {age // clock.SECOND} s old"


def _disk(floor_megabytes: int) -> str | None:
    free = shutil.disk_usage(database.path().parent).free // 1_000_000
    return None if free >= floor_megabytes else f"{free} MB are free, and {floor_megabytes} should be"
