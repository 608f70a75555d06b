"""Whether the service can do its work now: read and write its database, drive productions, find room, sign with its keys."""

import shutil
import threading
import time
from collections.abc import Callable
from typing import Any

from svc.base import clock, outage
from svc.base.outage import Trouble
from svc.domain.access import master_keys
from svc.domain.monitoring import engine_heartbeat
from svc.store import database, meta

_KNOWN_SECONDS = 1.0
_WRITE_SECONDS = 1.0  # how long a probe waits for whoever is writing
_FAILING_FOR = clock.MINUTE  # since the last time


def note(found: Trouble | None, now: int) -> None:
    """Some process met trouble: where it is the database itself, or its disk, no process is ready from now on."""
    memory = database.shared_if_open()
    if memory is not None and found is outage.DAMAGED:
        memory.note_damage(now)
    elif memory is not None and found is outage.FAILING:
        memory.note_failing(now)


def known(now: int) -> Trouble | None:
    """The trouble with the database or its disk that some process met."""
    memory = database.shared_if_open()
    if memory is None:
        return None
    if memory.damaged_at:
        return outage.DAMAGED
    return outage.FAILING if memory.failing_at and now - memory.failing_at < _FAILING_FOR else None


class Probe:
    """Finds out at most once a second, however often it is asked, since anybody may ask."""

    def __init__(self, floor_megabytes: int):
        self._floor = floor_megabytes
        self._turn = threading.Lock()
        self._known_until = 0.0
        self._problems: dict[str, str] = {}

    def problems(self, now: int) -> dict[str, str]:
        """What is wrong, by its part: "database", "engine", "disk", "secret"; empty when the service is ready."""
        with self._turn:
            if time.monotonic() >= self._known_until:
                found = {
                    "database": _database(now),
                    "engine": _asked(_engine, now),
                    "disk": _asked(_disk, self._floor),
                    "secret": _asked(_secret),
                }
                self._problems = {part: problem for part, problem in found.items() if problem}
                self._known_until = time.monotonic() + _KNOWN_SECONDS
            return self._problems


def _asked(question: Callable[..., str | None], *given: Any) -> str | None:
    """The answer to a question; that it cannot be asked is a problem too."""
    try:
        return question(*given)
    except (database.Error, OSError) as failed:
        return f"cannot be told: {failed}"


def _database(now: int) -> str | None:
    found = known(now)
    if found is not None:
        return found.mend
    try:
        with database.beside(_WRITE_SECONDS) as connection:
            meta.put_by(connection, "probe", now)
    except database.Error as failed:
        note(outage.recognise(failed), now)
        return f"cannot be written: {failed}"
    return None


def _engine(now: int) -> str | None:
    heartbeat = engine_heartbeat.last()
    if heartbeat is None:
        return "nobody drives the work yet"
    age = now - heartbeat
    if abs(age) <= engine_heartbeat.LATE:
        return None
    return f"the last heartbeat of whoever drives the work is {age // clock.SECOND} s old"


def _disk(floor_megabytes: int) -> str | None:
    free = shutil.disk_usage(database.path().parent).free // 1_000_000
    return None if free >= floor_megabytes else f"{free} MB are free, and {floor_megabytes} should be"


def _secret() -> str | None:
    """What was started with the right keys goes on with them; but the next start would be refused."""
    return master_keys.problem(database.path().with_name("secret"), master_keys.recorded())
