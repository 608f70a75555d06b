"""``queue jobs``, ``retry`` and ``abort``: what is done, and what is refused with what to do."""

import json

import pytest
from click.testing import CliRunner
from support import plain_sql
from support.tables import each_of

from svc.cli import commands
from svc.store import database
from svc.store.database import db


@pytest.fixture
def run(app, monkeypatch):
    """Run a command on the database that is open; the result."""
    monkeypatch.setattr(database, "open_database", lambda *_: None)
    monkeypatch.setenv("SVC_DATA_DIR", str(app.extensions["svc"].settings.data_dir))
    return lambda *words: CliRunner().invoke(commands.main, ["queue", *words])


class Queue:
    """One job, with what happens to it."""

    def __init__(self, monkeypatch, status="failed", **more):
        self.job = {
            "id": 7,
            "status": status,
            "queue": "steps.video",
            "task": "call",
            "worker": 3,
            "seconds": 61,
            "attempts": 1,
            "abort_requested": False,
        } | more
        self.done: list[str] = []
        self.has_ended = False
        monkeypatch.setattr(db, "list_jobs", lambda: [self.job])
        monkeypatch.setattr(db, "retry_job", lambda _: self._do("retry"))
        monkeypatch.setattr(db, "abort_job", lambda _: self._do("abort"))

    def _do(self, what: str) -> bool:
        self.done += [] if self.has_ended else [what]
        return not self.has_ended


def audited() -> list[tuple]:
    return [tuple(row) for row in plain_sql.rows("SELECT action, subject FROM audit ORDER BY id")]


@pytest.mark.sqlite("has no queue of jobs")
@pytest.mark.parametrize("words", [("jobs",), ("retry", "7"), ("abort", "7")])
def test_one_machine_has_no_jobs_and_says_what_does_it_there(run, words):
    refused = run(*words)
    assert refused.exit_code != 0
    said = str(refused.exception) + refused.output
    for other in ("queue show", "queue pause", "production cancel ID"):
        assert other in said


def test_jobs_are_listed(run, monkeypatch):
    queue = Queue(monkeypatch, "stalled")
    del queue.job["abort_requested"]
    assert json.loads(run("jobs", "--json").output) == [queue.job]
    assert "steps.video" in run("jobs").output


@pytest.mark.parametrize("command", ["retry", "abort"])
def test_a_job_is_retried_or_aborted_and_that_is_audited(run, monkeypatch, command):
    queue = Queue(monkeypatch, "failed" if command == "retry" else "doing")
    done = run(command, "7")
    assert (done.exit_code, queue.done) == (0, [command]), done.output
    assert (f"queue.{command}", "Job 7 (steps.video)") in audited()


@each_of(
    ("command", "status", "more", "said"),
    [
        ("retry", "todo", {}, "It waits: there is nothing to retry"),
        ("retry", "doing", {}, "It runs: abort it first (`queue abort 7`)"),
        ("retry", "aborted", {}, "It was aborted. What it was to do is looked for"),
        ("retry", "stalled", {"abort_requested": True}, "It was aborted. What it was to do"),
        ("retry", "cancelled", {}, "It was cancelled before it began"),
        ("abort", "todo", {}, "It waits, and runs nothing"),
        ("abort", "stalled", {}, "`queue retry 7` makes the job ready at once"),
        ("abort", "failed", {}, "It has failed: `queue retry 7` makes it ready again"),
        ("abort", "aborted", {}, "It was aborted already"),
        ("abort", "doing", {"queue": "ticks"}, "It is periodic, and ends by itself"),
        ("abort", "doing", {"id": 8}, "There is no job 7"),
        ("retry", "failed", {"id": 8}, "There is no job 7"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_to_do(
    run, monkeypatch, command, status, more, said
):
    queue = Queue(monkeypatch, status, **more)
    refused = run(command, "7")
    assert refused.exit_code != 0 and queue.done == [] and audited() == []
    assert said in str(refused.exception) + refused.output


@pytest.mark.parametrize(("command", "status"), [("retry", "failed"), ("abort", "doing")])
def test_a_job_that_ends_meanwhile_is_said(run, monkeypatch, command, status):
    Queue(monkeypatch, status).has_ended = True
    refused = run(command, "7")
    assert "ended meanwhile" in str(refused.exception) + refused.output and audited() == []


@pytest.mark.parametrize("number", ["0", "-1", "seven"])
def test_an_id_is_a_number(run, number):
    assert run("retry", "--", number).exit_code == 2
