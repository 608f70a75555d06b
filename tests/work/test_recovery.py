"""Recovery: a real server is killed at many moments of a production, and after each start it goes on as if nothing had been."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from svc.base import clock, states
from svc.cli.demo.client import Client
from svc.cli.demo.demo_server import Server
from svc.cli.demo.receiver import Receiver
from svc.cli.installation import seed
from svc.store import database
from tests.support.processes import processes_with

pytestmark = pytest.mark.slow

PATIENCE = 240.0  # seconds until a test gives up
NOTES = "## One\n\nThe first scene says this much, and then a little more.\n\n## Two\n\n- A point\n- Another point"
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


class Stage:
    """A server that can be killed and started, a partner, and everything that its receiver was sent."""

    def __init__(self, data_dir: Path):
        self.data_dir = data_dir
        self.server = Server(data_dir, 0)
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

    def trigger(self, receiver: Receiver) -> None:
        types = [each for each in states.EVENT_TYPES if each != "webhook.ping"]
        registered = self.client.post("/v1/webhooks", {"endpointUrl": receiver.url, "eventTypes": types})
        receiver.trust(registered["signingSecret"])
        brief = {name: self.seeded[name] for name in ("languageId", "countryId", "avatarId")}
        address = f"/v1/accounts/{self.seeded['sandboxAccountId']}/productions"
        self.production = self.client.post(address, {"topic": "A small one", "metadataMD": NOTES, **brief})["productionId"]

    def crash(self) -> None:
        """Kill the server's process group, as a power failure would; its step's process must not outlive it."""
        self.server.kill()
        until(lambda: not processes_with(str(self.data_dir)), "the end of the step's process")

    def status(self) -> str:
        return database.row("SELECT status FROM productions WHERE id = ?", (self.production,))["status"]

    def runs(self, step: str) -> bool:
        """Whether a step is running, in a process that has got somewhere."""
        found = database.row(
            "SELECT s.status, p.claim_token FROM production_steps s JOIN productions p ON p.id = s.production_id "
            "WHERE s.production_id = ? AND s.name = ?",
            (self.production, step),
        )
        begun = found is not None and found["status"] == "Running" and found["claim_token"] is not None
        return begun and bool(processes_with(self.production))

    def events(self) -> list[database.Row]:
        return database.rows("SELECT sequence, event_type FROM events WHERE production_id = ?", (self.production,))

    def pending(self) -> int:
        return database.row("SELECT COUNT(*) FROM deliveries WHERE status = 'Pending'")[0]


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path / "data")
    with made.server:
        yield made
    database.close_database()
    assert processes_with(str(made.data_dir)) == []


def test_a_server_that_is_killed_at_many_moments_finishes_its_production_and_forgets_no_event(stage):
    with Receiver(stage.take) as receiver:
        stage.trigger(receiver)
        stage.crash()  # right after the 202
        for step in ("script", "narration", "video", "description", "checks", "certificate"):
            stage.server.start()
            until(lambda step=step: stage.runs(step) or stage.status() == "Published", f"step {step}")
            assert stage.runs(step)
            stage.crash()
        stage.server.start()
        until(lambda: stage.status() != "Producing", "the end of the steps")
        stage.crash()  # with events and publications on their way
        stage.server.start()
        until(lambda: stage.status() == "Published" and not stage.pending(), "publication")
    assert [(each["sequence"], each["event_type"]) for each in stage.events()] == list(enumerate(EVENTS, 1))
    check_what_came(stage)
    check_what_was_made(stage)


def check_what_came(stage: Stage) -> None:
    """Every event came at least once, verified, in order, and a repeated one was the same event."""
    assert stage.problems == []
    firsts = list(dict.fromkeys(each["sequenceNumber"] for each in stage.came))
    assert firsts == list(range(1, len(EVENTS) + 1))
    assert len({(each["sequenceNumber"], each["eventId"]) for each in stage.came}) == len(EVENTS)


def check_what_was_made(stage: Stage) -> None:
    made = database.rows("SELECT * FROM deliverables WHERE production_id = ?", (stage.production,))
    assert len(made) == 9
    for each in made:
        content = (stage.data_dir / "media" / each["file"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (each["size_bytes"], each["sha256"])
    steps = database.rows("SELECT status FROM production_steps WHERE production_id = ?", (stage.production,))
    assert [each["status"] for each in steps] == ["Completed"] * 7


@pytest.mark.parametrize("step", ["narration", "video"])
def test_a_server_that_is_told_to_end_gives_its_work_back_at_once(stage, step):
    with Receiver(stage.take) as receiver:
        stage.trigger(receiver)
        until(lambda: stage.runs(step), f"step {step}")
        began = time.monotonic()
        stage.server.stop()
        assert time.monotonic() - began < 10
        assert (stage.status(), stage.runs(step)) == ("Producing", False)
        assert "Traceback" not in stage.server.log.read_text()
        stage.server.start()
        until(lambda: stage.status() == "Published" and not stage.pending(), "publication")
    assert [(each["sequence"], each["event_type"]) for each in stage.events()] == list(enumerate(EVENTS, 1))
    check_what_came(stage)
