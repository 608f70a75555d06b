"""Wake-ups between machines on a real PostgreSQL."""

import threading

import psycopg
import pytest

from svc.store import database, wake
from svc.store.postgres.listening import CHANNEL, Listening
from tests.work.test_finished_files import until

pytestmark = pytest.mark.judges


@pytest.fixture
def opened(postgres, request, tmp_path):
    address = postgres.make(f"db{abs(hash(request.node.name))}")
    database.open_database(tmp_path / "service.db", address)
    yield address
    database.close_database()


class Bell:
    """Counts how often it was rung."""

    def __init__(self):
        self.rung = 0

    def __call__(self) -> None:
        self.rung += 1


class Line:
    """What the database tells whoever listens, one after another;
    a mark at its end says that all before it was handled.
    """

    MARK = "a mark"

    def __init__(self, address: str):
        self._address, self._handled, self._changed = address, [], threading.Condition()

    def handled(self, payload: str) -> None:
        with self._changed:
            self._handled.append(payload)
            self._changed.notify_all()

    def to_its_end(self) -> int:
        """Wait until all that was told so far is handled; return how much it was, with the mark,
        since the last time.
        """
        with psycopg.connect(self._address) as connection:
            connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, self.MARK))
        with self._changed:
            assert self._changed.wait_for(lambda: self.MARK in self._handled, 60)
            number = len(self._handled)
            self._handled.clear()
        return number


@pytest.fixture
def line(opened, monkeypatch) -> Line:
    watched, notifies = Line(opened), psycopg.Connection.notifies

    def noted(connection, **given):
        for notification in notifies(connection, **given):
            yield notification
            watched.handled(notification.payload)  # the listener has come back for the next one

    monkeypatch.setattr(psycopg.Connection, "notifies", noted)
    return watched


@pytest.fixture
def elsewhere(opened, line):
    """A bell on another machine, which has been rung when it began to listen."""
    bell = Bell()
    with Listening(opened, "elsewhere", bell):
        until(lambda: _listeners(opened) == 1)
        assert (line.to_its_end(), bell.rung) == (1, 2)
        bell.rung = 0
        yield bell


def commit(roll_back=False) -> None:
    with database.write():
        wake.wake_on_commit()
        if roll_back:
            raise LookupError


def test_a_commit_is_heard_on_another_machine_and_a_rollback_is_not(elsewhere, line):
    commit()
    assert (line.to_its_end(), elsewhere.rung) == (2, 2)
    with pytest.raises(LookupError):
        commit(roll_back=True)
    with database.write():
        pass  # nothing was said in this one
    assert (line.to_its_end(), elsewhere.rung) == (1, 3)
    wake.wake_others()
    assert (line.to_its_end(), elsewhere.rung) == (2, 5)


def test_the_own_directory_is_not_woken_twice(opened, line):
    bell = Bell()
    with database.listening(bell):
        until(lambda: _listeners(opened) == 1)
        assert (line.to_its_end(), bell.rung) == (1, 2)
        commit()
        assert (line.to_its_end(), bell.rung) == (2, 3)  # only the mark was of another one


def test_a_lost_connection_is_replaced_and_meanwhile_work_is_looked_for_each_second(
    opened, postgres, elsewhere, line
):
    postgres.stop()
    try:
        before = elsewhere.rung
        until(lambda: elsewhere.rung >= before + 3)  # as often as it would poll
    finally:
        postgres.start()
    until(lambda: _listeners(opened) == 1)
    line.to_its_end()
    before = elsewhere.rung
    until(lambda: _committed())
    assert (line.to_its_end(), elsewhere.rung) == (2, before + 2)


_LISTENERS = """SELECT count(*) FROM pg_stat_activity
    WHERE application_name = 'listening' AND state = 'idle' AND query LIKE '%LISTEN%'"""


def _listeners(address: str) -> int:
    with psycopg.connect(address) as connection:
        return connection.execute(_LISTENERS).fetchone()[0]


def _committed() -> bool:
    try:
        commit()
    except database.Error:  # a connection of before the restart
        return False
    return True
