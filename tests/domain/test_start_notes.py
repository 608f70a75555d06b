"""What is told of processes that cannot start: here, and by the database where others share it."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import NOON, text

from svc.base import settings, start_failures
from svc.base.errors import StartRefused
from svc.domain.monitoring import health_checks, start_notes
from svc.domain.monitoring.health_checks import Installation
from svc.store import database, meta
from svc.store.database import db
from svc.store.journal import Journal, read_leftovers
from svc.work.doctor import run as doctor
from svc.work.self_check import SelfCheck

KEY = f"svc_live_{'k' * 43}"
HERE = socket.gethostname()


@pytest.fixture
def shared(app, monkeypatch):
    """The database is shared: what others write into it comes by a connection of their own."""
    monkeypatch.setattr(settings, "read_database_url", lambda: "postgresql://somewhere")
    monkeypatch.setattr(database, "connect_apart", lambda address: db.separate_connection())
    monkeypatch.setattr(db, "place", lambda: "here:")


@pytest.fixture
def elsewhere(shared, tmp_path):
    """The data directory of another machine."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def given(app):
    return replace(app.extensions["svc"].settings, database_url="postgresql://somewhere")


def check(given, now: int) -> list[str]:
    [check] = [each for each in health_checks.list_checks() if each.name == "processes"]
    found = check.find_problems(Installation(given, now))
    return [check.describe_problem(each) for each in found]


def list_elsewhere(given, now: int) -> list[tuple[str, str]]:
    return [(each.host, each.why) for each in start_notes.list_elsewhere(given.data_dir, now)]


def test_the_others_hear_why_a_process_of_one_machine_cannot_start(
    given, elsewhere, clock, operator, owner
):
    start_notes.record(elsewhere, "The secret is missing.", clock())
    [said] = check(given, clock())
    assert said.endswith("Z: The secret is missing.") and f"could not start on {HERE} at" in said
    page = text(operator.get("/console/"))
    assert f"could not start on {HERE}" in page and "The secret is missing." in page
    assert "could not start" not in text(owner.get("/console/"))
    start_notes.forget(elsewhere)
    assert check(given, clock()) == []


def test_each_machine_on_which_a_process_cannot_start_has_an_alert_of_its_own(
    given, shared, tmp_path, clock, monkeypatch
):
    def alerted() -> list[str]:
        rows = plain_sql.rows("SELECT message FROM alerts WHERE name = 'WorkerCannotStart'")
        return [message.rpartition(": ")[2] for (message,) in rows]

    checks = SelfCheck(given, clock)
    start_notes.record(given.data_dir, "The port is taken.", clock())
    checks.run()
    for host, why in (("one", "No secret."), ("two", "No disk."), ("one", "No secret.")):
        with monkeypatch.context() as there:
            there.setattr(start_notes.socket, "gethostname", lambda host=host: host)
            start_notes.record(tmp_path / host, why, clock())
        checks.run()
    assert alerted() == ["The port is taken.", "No secret.", "No disk."]
    # the machine that checks from now on is another one, and has heard of all of them
    monkeypatch.setattr(start_notes.socket, "gethostname", lambda: "two")
    SelfCheck(replace(given, data_dir=tmp_path / "two"), clock).run()
    assert alerted() == ["The port is taken.", "No secret.", "No disk."]


def test_a_failure_is_told_once_where_it_happened(given, shared, clock):
    start_notes.record(given.data_dir, "The secret is missing.", clock())
    [said] = check(given, clock())
    assert "could not start at" in said


@pytest.mark.parametrize("seconds", [91, -91])
def test_what_is_not_tried_again_is_no_failure(given, elsewhere, clock, seconds):
    start_notes.record(elsewhere, "The secret is missing.", clock())
    clock.tick(seconds)
    assert check(given, clock()) == []


def test_several_machines_tell_at_the_same_moment(given, elsewhere, clock):
    now = clock()
    folders = [elsewhere / f"{number}" for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda folder: start_notes.record(folder, folder.name, now), folders))
    assert sorted(why for _, why in list_elsewhere(given, now)) == ["0", "1", "2", "3"]
    start_notes.forget(folders[1])
    assert sorted(why for _, why in list_elsewhere(given, now)) == ["0", "2", "3"]


def test_the_notes_are_bounded_and_the_newest_stay(given, elsewhere, clock):
    for number in range(50):
        start_notes.record(elsewhere / f"{number}", f"{number} {'x' * 10_000}", clock())
    kept = list_elsewhere(given, clock())
    assert [why.split()[0] for _, why in kept] == [f"{number}" for number in range(30, 50)]
    assert len(meta.read_text("start_failures")) < 20_000


@pytest.mark.parametrize(
    "failure", [StartRefused("No package."), database.db.Error("It is away."), OSError(101, "No")]
)
def test_a_database_that_cannot_be_reached_leaves_the_note_of_the_machine(
    elsewhere, monkeypatch, clock, failure
):
    @contextmanager
    def refuse(address):
        raise failure
        yield

    monkeypatch.setattr(database, "connect_apart", refuse)
    start_notes.record(elsewhere, "The secret is missing.", clock())
    assert start_failures.find(elsewhere, clock()).why == "The secret is missing."


def test_a_disk_on_which_nothing_can_be_written_leaves_the_note_of_the_database(
    given, elsewhere, clock
):
    start_notes.record(elsewhere / "read-only" / "nowhere", "It is read-only.", clock())
    assert list_elsewhere(given, clock()) == [(HERE, "It is read-only.")]


def test_no_secret_enters_the_database(elsewhere, clock):
    start_notes.record(elsewhere, f"There is no file {KEY}.", clock())
    assert KEY not in meta.read_text("start_failures")


@pytest.mark.parametrize(
    "notes",
    [
        "",
        "[]",
        '"x"',
        "[" * 100_000,
        '{"a": 1}',
        '{"a": {"at": 1e999, "why": "x"}}',
        '{"a": {"why": "x"}}',
        '{"a": {"at": 1, "why": [1], "host": {}}}',
    ],
)
def test_malformed_notes_are_none_and_the_next_one_takes_their_place(
    given, elsewhere, clock, notes
):
    with db.transaction():
        meta.put("start_failures", notes)
    assert check(given, clock()) == []
    start_notes.record(elsewhere, "The secret is missing.", clock())
    assert list_elsewhere(given, clock()) == [(HERE, "The secret is missing.")]


def test_any_name_and_reason_is_shown_in_one_line_as_text(given, shared, operator, clock):
    note = {"host": "<b>\u202eone\n", "at": clock(), "why": "\udce9 <i>\x00two\x1b[31m"}
    with db.transaction():
        meta.put("start_failures", json.dumps({"there": note}))
    assert list_elsewhere(given, clock()) == [("<b>one", "<i>two[31m")]
    page = operator.get("/console/").text
    assert "could not start on &lt;b&gt;one (" in page and "): &lt;i&gt;two[31m</p>" in page


@pytest.mark.sqlite("opens the file of the data directory")
def test_the_doctor_says_it_by_its_own_connection(given, elsewhere, clock):
    start_notes.record(elsewhere, "The secret is missing.", clock())
    with db.separate_connection() as connection:
        found = list(doctor._run_health_checks(Installation(given, clock(), connection=connection)))
    [said] = [each for each in found if each.name == "processes"]
    assert said.verdict == "problem" and f"could not start on {HERE} at" in said.text


def test_one_who_answers_is_seen_by_its_journal_which_nobody_makes_by_looking(tmp_path):
    assert not start_notes.is_served(tmp_path) and list(tmp_path.iterdir()) == []
    journal = Journal(tmp_path / "journal")
    assert start_notes.is_served(tmp_path)
    journal.close(remove=False)
    assert not start_notes.is_served(tmp_path)  # it has died


def test_a_journal_that_is_closed_meanwhile_is_no_sign_of_the_others(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "journal")
    (tmp_path / "journal" / "0.journal").symlink_to(tmp_path / "gone")
    assert start_notes.is_served(tmp_path)
    journal.close()
    assert not start_notes.is_served(tmp_path)


def test_looking_never_keeps_a_server_from_starting(tmp_path):
    """A journal is made and then locked: whoever looks in between would hold its lock."""
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            start_notes.is_served(tmp_path)

    with ThreadPoolExecutor(2) as threads:
        looking = [threads.submit(look) for _ in range(2)]
        try:
            for _ in range(100):
                Journal(tmp_path / "journal").close()
        finally:
            ended.set()
    assert [each.result() for each in looking] == [None, None]
    assert not start_notes.is_served(tmp_path)


def test_one_that_starts_at_this_moment_counts_as_serving(tmp_path):
    folder = tmp_path / "journal"
    with read_leftovers(folder):  # of processes that have died, before it makes its own
        assert start_notes.is_served(tmp_path)
    assert not start_notes.is_served(tmp_path)


@pytest.mark.parametrize("kind", ["file", "folder", "link to itself", "lock that is a folder"])
def test_a_journal_that_is_none_is_nobodys(tmp_path, kind):
    folder = tmp_path / "journal"
    if kind == "file":
        folder.write_text("")
    elif kind == "link to itself":
        folder.symlink_to(folder)
    else:
        folder.mkdir()
    if kind == "lock that is a folder":
        (folder / "lock").mkdir()
    assert not start_notes.is_served(tmp_path)


def test_starts_that_fail_at_the_same_moment_leave_one_whole_note(tmp_path):
    with ThreadPoolExecutor(4) as threads:
        list(
            threads.map(
                lambda number: start_notes.record(tmp_path, f"{number}" * 400, NOON), range(8)
            )
        )
    assert len(set(start_failures.find(tmp_path, NOON).why)) == 1
    assert [each.name for each in tmp_path.iterdir()] == [start_failures.NAME]


def test_a_note_that_others_may_not_read_is_none(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    start_notes.record(tmp_path, "The secret is missing.", NOON)
    monkeypatch.setattr(Path, "read_text", refuse)
    assert start_failures.find(tmp_path, NOON) is None


def test_a_note_of_an_installation_alone_asks_no_database(app, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "connect_apart", lambda address: pytest.fail("asked"))
    monkeypatch.setattr(settings, "read_database_url", lambda: "")
    start_notes.record(tmp_path, "The secret is missing.", NOON)
    assert start_failures.find(tmp_path, NOON) == (NOON, "The secret is missing.")


@pytest.mark.parametrize(
    ("variable", "address"),
    [
        ("postgresql://service@127.0.0.1:1/service", "postgresql://service@127.0.0.1:1/service"),
        ("mysql://127.0.0.1/service", ""),
        ("", ""),
    ],
)
def test_the_address_is_known_where_other_settings_are_wrong(monkeypatch, variable, address):
    monkeypatch.setenv("SVC_DATABASE_URL", variable)
    monkeypatch.setenv("SVC_RENDER_WORKERS", "many")
    assert settings.read_database_url() == address
