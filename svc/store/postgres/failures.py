"""Translates failures of PostgreSQL to those of the store, so that ``except db.Error`` catches
both.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import PoolTimeout

from svc.base import outage
from svc.store.engine.sqlite_driver import sqlite3

# The codes of lock_timeout, of serialisation failures, of deadlocks and of statement_timeout.
_LOCKED = {"55P03", "40001", "40P01", "57014"}
_FULL, _READ_ONLY = "53100", "25006"
# The codes of no memory, of too many connections, and of a transaction that paused for too long.
_ENDED = {"53200", "53300", "25P03"}


class AllInUse(psycopg.OperationalError):
    """All connections of this process are in use, and stay so."""


class Failure(sqlite3.OperationalError):
    """A failure of PostgreSQL. ``outage``: what it is due to; None: a programming error."""

    def __init__(self, cause: psycopg.Error):
        super().__init__(str(cause))
        self.outage = _outage(cause)


class Refused(Failure, sqlite3.IntegrityError):
    """A constraint refused the row."""


def _outage(cause: psycopg.Error) -> outage.Outage | None:
    state = cause.sqlstate
    if isinstance(cause, AllInUse):
        return outage.DATABASE_BUSY
    if state in _ENDED:
        return outage.UNREACHABLE
    if (
        isinstance(cause, PoolTimeout)
        or state is None
        or (state[:2] in ("08", "57") and state not in _LOCKED)
    ):
        return (
            outage.UNREACHABLE
            if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError)
            else None
        )
    if state in _LOCKED:
        return outage.LOCKED
    return {_FULL: outage.DATABASE_FULL, _READ_ONLY: outage.DATABASE_READ_ONLY}.get(state)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Run the block, and raise failures of PostgreSQL as :class:`Failure`."""
    try:
        yield
    except psycopg.IntegrityError as cause:
        raise Refused(cause) from cause
    except psycopg.Error as cause:
        raise Failure(cause) from cause
