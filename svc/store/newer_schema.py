"""Whether this program can still work on the schema of the open database.

A newer release migrates it only where the programs that run can go on, or where none gives signs of
life: one that slept or was cut off meanwhile finds a schema on which its statements fail, or mean
something else. SQLite's file is not migrated while a process uses it.
"""

from svc.base import outage
from svc.store import meta
from svc.store.engine.schema import VERSION


class ProgramOld(Exception):
    """This program is older than the schema allows: the process takes no more work."""

    outage = outage.PROGRAM_OLD


def find_problem() -> str | None:
    """Return a sentence if this program cannot work on the schema; None: it can."""
    return _describe_version(meta.read_text("oldest_program"))


def require_known(oldest_program: str | None) -> None:
    """Raise ProgramOld if this program cannot work on the schema that says so in ``meta``."""
    if problem := _describe_version(oldest_program):
        raise ProgramOld(problem)


def _describe_version(oldest_program: str | None) -> str | None:
    if oldest_program is None or int(oldest_program) <= VERSION:
        return None
    return (
        f"The database was migrated for programs of schema {oldest_program} or newer, and this "
        f"program knows schemas up to {VERSION}: start the release that migrated it"
    )
