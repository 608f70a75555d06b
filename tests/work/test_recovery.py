"""Recovery: a real server is killed at many points of a production,
and after each start it goes on as if nothing had been.
"""

import hashlib
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from svc.base import clock
from svc.base.errors import CommandError
from svc.cli.demo import demo_server
from svc.cli.demo.client import Client
from svc.cli.demo.receiver import Receiver
from svc.cli.installation import seed
from svc.domain.lifecycle import losses, render_queue
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer
from svc.domain.webhooks import event_types
from svc.store import database
from svc.store.database import Row, db
from tests.support import failpoints, plain_sql
from tests.support.failpoints import FailingServer
from tests.support.processes import processes_with

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

PATIENCE = 1200.0  # seconds: a guard against waiting for ever, on a busy machine too
NOTES = (
    "## One\n\nThe first scene says this much, and then a little more.\n\n## Two\n\n- A point\n"
    "- Another point"
)
STEPS = ["production.step.complete"] * 7
EVENTS = [
    "production.queued",
    *STEPS,
    "deliverable.ready",
    "production.awaiting_approval",
    "production.distributing",
    "production.published",
]


def until(happened: Callable[[], object], what: str) -> None:
    """Look again and again; these tests wait for other processes, which no clock of ours moves."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, f"{what} did not happen within {PATIENCE:.0f} s"
        time.sleep(0.005)


US = Viewer(None, "us", "us", OPERATOR, None)


class Stage:
    """A server that can be killed and started, a partner, and everything that its
    receiver was sent.
    """

    def __init__(self, data_dir: Path):
        self.data_dir = data_dir
        self.server = FailingServer(data_dir, 0)
        database.open_database(data_dir / "service.db")
        self.seeded = seed.make_partner("Enterprise", clock.now())
        self.client = Client(self.server.address, self.seeded["testKey"])
        self.came: list[dict] = []
        self.problems: list[str] = []
        self.production = ""

    def take(self, received) -> int:
        if received.problem:
            self.problems.append(received.problem)
        else:
            self.came.append(received.event)
        return 200

    def trigger_and_crash(self, receiver: Receiver, notes: str = NOTES) -> None:
        """Trigger a production, of which nothing has begun when the server is killed."""
        render_queue.pause(US, None, clock.now())
        self.trigger(receiver, notes)
        self.crash()
        render_queue.resume(US, None, clock.now())

    def trigger(self, receiver: Receiver, notes: str = NOTES) -> None:
        types = event_types.SPECIFIED_OF_PRODUCTIONS
        registered = self.client.post(
            "/v1/webhooks", {"endpointUrl": receiver.url, "eventTypes": types}
        )
        receiver.trust(registered["signingSecret"])
        brief = {name: self.seeded[name] for name in ("languageId", "countryId", "avatarId")}
        address = f"/v1/accounts/{self.seeded['sandboxAccountId']}/productions"
        self.production = self.client.post(
            address, {"topic": "A small one", "metadataMD": notes, **brief}
        )["productionId"]

    def crash(self) -> None:
        """Kill the server's process group, as a power failure would;
        its step's process must not outlive it.
        """
        self.server.kill()
        until(lambda: not processes_with(str(self.data_dir)), "the end of the step's process")

    def crash_at(self, *point: str) -> None:
        """Start the server, which is killed at a point of tests.support.failpoints."""
        self.server.at(*point)
        with suppress(CommandError):  # it was killed before it answered
            self.server.start()
        assert self.server.status(PATIENCE) == -signal.SIGKILL
        self.crash()
        self.server.at()

    def status(self) -> str:
        return plain_sql.row("SELECT status FROM productions WHERE id = ?", (self.production,))[
            "status"
        ]

    def is_claimed(self) -> bool:
        claim = plain_sql.row(
            "SELECT claim_token FROM productions WHERE id = ?", (self.production,)
        )
        return claim["claim_token"] is not None

    def events(self) -> list[Row]:
        return plain_sql.rows(
            "SELECT sequence, event_type FROM events WHERE production_id = ?", (self.production,)
        )

    def pending(self) -> int:
        return plain_sql.row("SELECT COUNT(*) FROM deliveries WHERE status = 'Pending'")[0]


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path / "data")
    with made.server:
        yield made
    db.close()
    assert processes_with(str(made.data_dir)) == []


POINTS = [
    *(
        (failpoints.RUNNING, step)
        for step in ("script", "narration", "video", "description", "checks", "certificate")
    ),
    (failpoints.STORED, "certificate"),
    (failpoints.PUBLISHED,),
    (failpoints.SENT,),
]


def test_a_server_that_is_killed_at_many_moments_finishes_its_production_and_forgets_no_event(
    stage,
):
    with Receiver(stage.take) as receiver:
        stage.trigger_and_crash(receiver)
        for point in POINTS:
            stage.crash_at(*point)
        stage.server.start()
        until(lambda: stage.status() == "Published" and not stage.pending(), "publication")
    assert [(each["sequence"], each["event_type"]) for each in stage.events()] == list(
        enumerate(EVENTS, 1)
    )
    check_what_came(stage)
    check_what_was_made(stage)


def test_a_server_that_is_killed_at_every_point_of_a_step_completes_it_once(stage):
    with Receiver(stage.take) as receiver:
        stage.trigger_and_crash(receiver, f"---\nsandbox:\n  failAt: narration\n---\n{NOTES}")
        for point in (
            failpoints.BEGUN,
            failpoints.RUNNING,
            failpoints.ENDED,
            failpoints.STORED,
            failpoints.COMMITTED,
        ):
            stage.crash_at(point, "script")
        stage.crash_at(failpoints.SENT)
        stage.server.start()
        until(
            lambda: stage.status() == "Failed" and not stage.pending(),
            "the end, and the events of it",
        )
    events = ["production.queued", "production.step.complete", "production.failed"]
    assert [(each["sequence"], each["event_type"]) for each in stage.events()] == list(
        enumerate(events, 1)
    )
    check_what_came(stage, len(events))


def test_a_production_that_ends_the_server_each_time_is_given_up_and_the_next_one_is_made(stage):
    """The service would otherwise end at each start for ever, and make nothing else."""
    failing = f"---\nsandbox:\n  failAt: narration\n---\n{NOTES}"
    with Receiver(stage.take) as receiver:
        stage.trigger_and_crash(receiver, failing)
        for _ in range(losses.LOSSES_ALLOWED + 1):
            stage.crash_at(failpoints.RUNNING, "script")
        stage.server.start()
        until(lambda: stage.status() == "Failed" and not stage.pending(), "the end")
        sql = "SELECT error_code, failed_step FROM productions WHERE id = ?"
        assert tuple(plain_sql.row(sql, (stage.production,))) == ("STEP_ABANDONED", "script")
        check_what_came(stage, 2)
        stage.trigger(receiver, failing)
        until(lambda: stage.status() == "Failed", "the end of the next one")
        [code] = plain_sql.row(
            "SELECT error_code FROM productions WHERE id = ?", (stage.production,)
        )
        assert code != "STEP_ABANDONED"


def check_what_came(stage: Stage, number: int = len(EVENTS)) -> None:
    """Every event came at least once, verified, in order, and a repeated one was the same event."""
    assert stage.problems == []
    firsts = list(dict.fromkeys(each["sequenceNumber"] for each in stage.came))
    assert firsts == list(range(1, number + 1))
    assert len({(each["sequenceNumber"], each["eventId"]) for each in stage.came}) == number


def check_what_was_made(stage: Stage) -> None:
    made = plain_sql.rows("SELECT * FROM deliverables WHERE production_id = ?", (stage.production,))
    assert len(made) == 9
    for each in made:
        content = (stage.data_dir / "media" / each["file"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (
            each["size_bytes"],
            each["sha256"],
        )
    steps = plain_sql.rows(
        "SELECT status FROM production_steps WHERE production_id = ?", (stage.production,)
    )
    assert [each["status"] for each in steps] == ["Completed"] * 7


@pytest.mark.parametrize("step", ["narration", "video"])
def test_a_server_that_is_told_to_end_gives_its_work_back_at_once(stage, step, monkeypatch):
    monkeypatch.setattr(demo_server, "_GRACE_SECONDS", PATIENCE)
    stage.server.stop()
    stage.server.at(failpoints.ENDLESS, step)
    stage.server.start()
    with Receiver(stage.take) as receiver:
        stage.trigger(receiver)
        until(lambda: processes_with(f"hostile_step.py {step} {stage.data_dir}"), f"step {step}")
        stage.server.stop()
        assert stage.server.status(0) == 0  # it ended by itself, and so its step did not
        assert (stage.status(), stage.is_claimed(), processes_with(stage.production)) == (
            "Producing",
            False,
            [],
        )
        assert "Traceback" not in stage.server.log.read_text()
        stage.server.at()
        stage.server.start()
        until(lambda: stage.status() == "Published" and not stage.pending(), "publication")
    assert [(each["sequence"], each["event_type"]) for each in stage.events()] == list(
        enumerate(EVENTS, 1)
    )
    check_what_came(stage)
