"""Wake-ups between machines on a real PostgreSQL."""

import threading
import time

import psycopg
import pytest

from svc.store import database, wake
from svc.store.postgres.listening import Listening
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
        self.rung, self._once = 0, threading.Event()

    def __call__(self) -> None:
        self.rung += 1
        self._once.set()

    def heard_within(self, seconds: float) -> bool:
        heard = self._once.wait(seconds)
        self._once.clear()
        return heard


@pytest.fixture
def elsewhere(opened):
    """A bell on another machine, which has been rung when it began to listen."""
    bell = Bell()
    with Listening(opened, "elsewhere", bell):
        assert bell.heard_within(10)
        yield bell


def commit(roll_back=False) -> None:
    with database.write():
        wake.on_commit()
        if roll_back:
            raise LookupError


def test_a_commit_is_heard_on_another_machine_and_a_rollback_is_not(elsewhere):
    commit()
    assert elsewhere.heard_within(0.5)
    with pytest.raises(LookupError):
        commit(roll_back=True)
    with database.write():
        pass  # nothing was said in this one
    assert not elsewhere.heard_within(0.3)
    wake.others()
    assert elsewhere.heard_within(0.5)


def test_the_own_directory_is_not_woken_twice(opened):
    bell = Bell()
    with database.listening(bell):
        assert bell.heard_within(10)
        commit()
        assert not bell.heard_within(0.3)


def test_a_lost_connection_is_replaced_and_meanwhile_work_is_looked_for_each_second(opened, postgres, elsewhere):
    postgres.stop()
    try:
        before = elsewhere.rung
        until(lambda: elsewhere.rung >= before + 3)  # as often as it would poll
    finally:
        postgres.start()
    until(lambda: _listeners(opened) == 1)
    time.sleep(0.1)  # for the call of its beginning
    elsewhere.heard_within(0)
    until(lambda: _committed())
    assert elsewhere.heard_within(0.5)


def _listeners(address: str) -> int:
    with psycopg.connect(address) as connection:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'listening' AND query LIKE '%LISTEN%'"
        return connection.execute(sql).fetchone()[0]


def _committed() -> bool:
    try:
        commit()
    except database.Error:  # a connection of before the restart
        return False
    return True
