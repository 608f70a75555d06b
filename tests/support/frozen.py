"""Transactions that hang where many machines share the database, and what waits for them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from support import plain_sql

from svc.store.database import db
from svc.store.postgres import engine

_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def only_on_postgres(app):
    if db.list_jobs() is None:
        pytest.skip("with SQLite all transactions take turns")


class Hang:
    """A call in a thread of its own whose name begins with "frozen", which hangs at a place."""

    def __init__(self):
        self._hung, self._go_on = threading.Event(), threading.Event()

    def here(self) -> None:
        """Hang until the block of :meth:`begin` has ended, the first time that the call is here."""
        if threading.current_thread().name.startswith("frozen") and not self._hung.is_set():
            self._hung.set()
            self._go_on.wait(60)

    @contextmanager
    def begin(self, call, *given):
        """Run the block while the call hangs, with its result, which comes after the block."""
        with ThreadPoolExecutor(1, "frozen") as threads:
            result = threads.submit(call, *given)
            assert self._hung.wait(60)
            try:
                yield result
            finally:
                self._go_on.set()
            result.result()


@pytest.fixture
def frozen(monkeypatch):
    """Hang in a transaction that has changed all that it changes, and does not commit."""
    commit, hang = engine.PostgresEngine._commit, Hang()

    def commit_later(self, connection):
        if threading.current_thread().name.startswith("frozen"):
            # so that only a lock, and no clock, decides what others can do meanwhile
            connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        hang.here()
        commit(self, connection)

    monkeypatch.setattr(engine.PostgresEngine, "_commit", commit_later)
    return hang.begin


@pytest.fixture
def impatient(monkeypatch):
    """Nothing is waited for: what would have to wait fails."""
    return lambda: monkeypatch.setattr(engine, "_PATIENCE", 0.2)


def until(happened) -> None:
    while not happened():
        pass  # pytest-timeout ends it


def waits_for_a_turn(result) -> bool:
    return result.done() or plain_sql.row(_WAITING)[0] > 0
