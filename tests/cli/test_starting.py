"""What a start that fails leaves in the data directory: the doctor and the console say it."""

import click
import pytest

from svc.base import clock, start_failures
from svc.base.errors import StartRefused
from svc.cli import starting
from svc.store.journal import Journal
from svc.work.driver_lock import DriverLock

KEY = f"svc_live_{'k' * 43}"


@pytest.fixture
def find(monkeypatch, tmp_path):
    """Return why a process could not start; None: nothing says so."""
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))

    def look() -> str | None:
        failure = start_failures.find(tmp_path, clock.now())
        return failure.why if failure else None

    return look


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (StartRefused("The bucket is another one."), "The bucket is another one."),
        (FileNotFoundError(2, "No such file", "/nowhere"), "No such file: /nowhere."),
        (ValueError("a bug"), "ValueError: a bug"),
        (click.UsageError("No such option."), None),
    ],
)
def test_a_start_that_fails_leaves_its_reason(find, failure, why):
    with pytest.raises(type(failure)), starting.note_failure():
        raise failure
    assert find() == why


def test_a_start_that_fails_beside_a_server_is_told_to_the_one_who_started_it_alone(find, tmp_path):
    with DriverLock(tmp_path) as lock:
        assert lock.take()
        with pytest.raises(StartRefused), starting.note_failure():
            raise StartRefused("Nothing can listen there.")
    assert find() is None


def test_a_start_that_fails_beside_a_server_without_an_engine_leaves_no_note(find, tmp_path):
    journal = Journal(tmp_path / "journal")  # each process that answers requests has one
    with pytest.raises(StartRefused), starting.note_failure():
        raise StartRefused("Nothing can listen there.")
    assert find() is None
    journal.close(remove=False)  # it was killed, and cannot start again
    with pytest.raises(StartRefused), starting.note_failure():
        raise StartRefused("The secret is missing.")
    assert find() == "The secret is missing."


def test_a_process_that_has_started_removes_the_note_and_leaves_none(find, tmp_path):
    start_failures.record(tmp_path, "The database is away.", clock.now())
    with pytest.raises(StartRefused), starting.note_failure() as start:
        assert find() == "The database is away."
        start.complete()
        assert find() is None
        raise StartRefused("The database was migrated by a newer release.")
    assert find() is None


def test_a_note_has_no_secret_in_it(find):
    with pytest.raises(StartRefused), starting.note_failure():
        raise StartRefused(f"There is no file {KEY}.")
    assert KEY not in find()
