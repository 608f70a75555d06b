"""Notes in the data directory that a server, a worker or a process of one could not start, and why:
whoever looks from outside sees it, and the processes that serve say so.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from svc.base import atomic_file, clock
from svc.base.text import display

NAME = "start-failure"
# One that cannot start is tried again every 30 seconds at the latest, and may take as long to load.
_HOLDS = 90 * clock.SECOND
_LONGEST = 500  # characters of a reason
# What reading a note may raise that is none: the pages that tell of it are needed all the same.
_MALFORMED = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)


class StartFailure(NamedTuple):
    """When a process could not start (ms), and a sentence that says why."""

    at: int
    why: str


def make_note(why: str, now: int) -> dict[str, Any]:
    """Return a note as JSON has it."""
    return {"at": now, "why": why[:_LONGEST]}


def read_note(note: Any, now: int) -> StartFailure | None:
    """Return the failure of a note; None: it is of long ago, or malformed."""
    try:
        # The name of a file may have bytes that no page and no alert can have.
        failure = StartFailure(int(note["at"]), display.to_one_line(note["why"], "No reason."))
    except _MALFORMED:
        return None
    return failure if abs(now - failure.at) <= _HOLDS else None


def record(data_dir: Path, why: str, now: int) -> None:
    """Note that this process cannot start. Without room or rights for that, nothing happens."""
    with suppress(OSError), atomic_file.replace(data_dir / NAME, unique=True) as partial:
        partial.write_text(json.dumps(make_note(why, now)), "utf-8")


def forget(data_dir: Path) -> None:
    """Remove the note, as this process has started."""
    with suppress(OSError):
        (data_dir / NAME).unlink(missing_ok=True)


def find(data_dir: Path, now: int) -> StartFailure | None:
    """Return the last failure, if no process has started since and it is tried again; None: there
    is none, or it is of long ago.
    """
    try:
        note = json.loads((data_dir / NAME).read_text("utf-8"))
    except (OSError, *_MALFORMED):
        return None
    return read_note(note, now)
