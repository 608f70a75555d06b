"""The wake-up that follows a commit: nothing that becomes of the driver may harm
whoever wakes it.
"""

import os

import pytest

from svc.store import database, wake
from svc.store.database import db


@pytest.fixture(autouse=True)
def alarm(tmp_path):
    database.open_database(tmp_path / "service.db")
    yield wake.Alarm()
    db.close()


def test_a_wake_up_reaches_the_driver(alarm):
    wake.wake_engine()
    assert alarm.wait(0)
    assert not alarm.wait(0)
    alarm.close()


def test_nobody_listening_is_no_error(alarm):
    alarm.close()
    wake.wake_engine()


def test_a_driver_that_ends_in_the_middle_of_it_is_no_error(alarm, monkeypatch):
    """Found by stopping three workers at once: their engines woke each other while they closed."""
    opening = os.open

    def open_and_lose_the_reader(*given):
        descriptor = opening(*given)
        alarm.close()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose_the_reader)
    wake.wake_engine()


def test_more_wake_ups_than_anybody_reads_are_no_error(alarm):
    for _ in range(70_000):
        wake.wake_engine()
    assert alarm.wait(0)
    alarm.close()
