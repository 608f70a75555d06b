"""Faults of the machine under a real service: a clear answer, a clear line,
recovery by itself, nothing lost.
"""

import hashlib
import os
import signal
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import requests
from support.front import running

from svc.base import outage, start_failures
from svc.domain.webhooks import event_types
from svc.store.engine.sqlite_driver import sqlite3
from tests.faults.conftest import HELD, MEGABYTE, NOTES, Service
from tests.torture.victim import answers
from tests.work.test_recovery import until

pytestmark = pytest.mark.slow


def trigger(service: Service, notes: str = HELD, seconds: float = 60) -> requests.Response:
    return requests.post(
        f"{service.address}/v1/accounts/{service.seeded['sandboxAccountId']}/productions",
        json=service.brief(notes),
        headers={"X-API-Key": service.seeded["testKey"]},
        timeout=seconds,
    )


def read(service: Service, seconds: float = 60) -> int:
    headers = {"X-API-Key": service.seeded["testKey"]}
    return requests.get(
        f"{service.address}/v1/partner/accounts", headers=headers, timeout=seconds
    ).status_code


def is_refused_for_a_while(answer: requests.Response, found: outage.Outage) -> None:
    envelope = answer.json()
    assert (answer.status_code, envelope["error"]) == (503, "SERVICE_UNAVAILABLE")
    assert envelope["message"].startswith(found.sentence)
    assert answer.headers["Retry-After"] == str(envelope["retryAfterSeconds"]) == str(found.seconds)


def status(service: Service, production: str) -> str:
    return service.ask("SELECT status FROM productions WHERE id = ?", (production,))[0][0]


def is_whole(service: Service, production: str) -> None:
    made = service.ask(
        "SELECT file, size_bytes, sha256 FROM deliverables WHERE production_id = ?", (production,)
    )
    assert len(made) >= 9
    for file, size, digest in made:
        content = (service.data_dir / "media" / file).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (size, digest)
    assert not list((service.data_dir / "media").rglob("*.part"))


def is_in_order(service: Service, acknowledged: set[str]) -> None:
    """Nothing lost, nothing that nobody was told of, no gap, and no mistake of ours in the log."""
    assert {each for (each,) in service.ask("SELECT id FROM productions")} == acknowledged
    assert service.ask("PRAGMA integrity_check") == [("ok",)]
    # What only some subscribers hear has numbers of its own, which begin behind those of the
    # documented events.
    further = event_types.FURTHER_NUMBERS
    gaps = f"""SELECT production_id FROM events GROUP BY production_id, sequence > {further}
               HAVING count(*) <> max(sequence) % {further}
               OR min(sequence) % {further} <> 1"""
    assert service.ask(gaps) == []
    assert "Traceback" not in service.said()


def test_a_full_disk_refuses_what_it_cannot_keep_and_goes_on_when_there_is_room(disk, serve):
    service = serve(disk.folder)
    acknowledged = {trigger(service).json()["productionId"]}
    disk.fill()
    # the log has some room of its own at first
    until(lambda: trigger(service).status_code == 503, "a refusal")
    acknowledged |= {each for (each,) in service.ask("SELECT id FROM productions")}
    is_refused_for_a_while(trigger(service), outage.DISK_FULL)
    assert read(service) == 200
    until(
        lambda: f"svc.trouble: {outage.DISK_FULL.mend}" in service.said(), "a line for the operator"
    )
    disk.clear()

    def is_taken() -> bool:
        answer = trigger(service)
        if answer.status_code == 202:
            acknowledged.add(answer.json()["productionId"])
        return answer.status_code == 202

    until(is_taken, "room")
    until(lambda: service.ask("SELECT 1 FROM alerts WHERE name = 'DiskFull'"), "the alert")
    is_in_order(service, acknowledged)


@pytest.mark.parametrize("leave", [1 * MEGABYTE, 3 * MEGABYTE, 6 * MEGABYTE])
def test_a_production_waits_for_room_and_is_published_whole(disk, serve, leave):
    """The disk is full for its steps, or for its media: whichever comes first with
    so little room.
    """
    service = serve(disk.folder)
    disk.fill(leave)
    production = trigger(service, NOTES).json()["productionId"]
    until(
        lambda: (
            outage.DISK_FULL.mend in service.said() or status(service, production) == "Published"
        ),
        "trouble",
    )
    assert status(service, production) in (
        "Queued",
        "Producing",
        "AwaitingApproval",
        "Distributing",
        "Published",
    )
    disk.clear()
    until(lambda: status(service, production) == "Published", "publication")
    is_whole(service, production)
    is_in_order(service, {production})


def test_a_database_that_another_program_locks_for_half_a_minute(serve, tmp_path):
    service = serve(tmp_path)
    acknowledged = {trigger(service).json()["productionId"]}
    locker = sqlite3.connect(service.data_dir / "service.db", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    try:
        while time.monotonic() < began + 30:
            asked = time.monotonic()
            assert read(service) == 200
            assert time.monotonic() - asked < 1.5, "a read waited for the lock"
            asked = time.monotonic()
            is_refused_for_a_while(trigger(service), outage.LOCKED)
            assert 4 < time.monotonic() - asked < 9
    finally:
        locker.execute("ROLLBACK")
        locker.close()
    acknowledged.add(trigger(service).json()["productionId"])
    assert outage.LOCKED.mend in service.said()
    until(lambda: service.ask("SELECT 1 FROM alerts WHERE name = 'DatabaseLocked'"), "the alert")
    is_in_order(service, acknowledged)


def test_a_service_on_a_read_only_disk_refuses_to_start_with_a_sentence(disk, tmp_path):
    (disk.folder / "data").mkdir()
    disk.remount("ro")
    service = Service(disk.folder / "data")
    service.log = tmp_path / "gunicorn.log"
    service.launch()
    assert service.process.wait(60) != 0
    assert (
        f"{service.data_dir} cannot be written: Read-only file system. Mount it writable."
        in service.said()
    )
    disk.remount("rw")
    with running(service):  # as a supervisor does
        assert answers(service.port)


def test_workers_that_are_killed_on_a_full_disk_are_followed_by_others_once_there_is_room(
    disk, serve
):
    service = serve(disk.folder)
    disk.fill()
    for each in service.workers():
        os.kill(each, signal.SIGKILL)
    until(
        lambda: "cannot start yet" in service.said() or answers(service.port),
        "a line, or an answer where room was left",
    )
    assert service.process.poll() is None
    disk.clear()
    service.wait_until(lambda: answers(service.port))
    acknowledged = {trigger(service).json()["productionId"]}
    is_in_order(service, acknowledged)


def step_process(production: str) -> int | None:
    """The process of the step that runs for a production."""
    command = ["pgrep", "--full", f"svc.work.step_process.child .*{production}"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(found.stdout.split()[0]) if found.stdout else None


def test_a_step_that_is_killed_for_want_of_memory_is_done_again(serve, tmp_path):
    service = serve(tmp_path)
    production = trigger(service, NOTES).json()["productionId"]
    until(lambda: step_process(production), "a step")
    os.kill(step_process(production), signal.SIGKILL)
    until(lambda: status(service, production) == "Published", "publication")
    assert "ended by signal 9, perhaps because memory ran out" in service.said()
    is_whole(service, production)
    is_in_order(service, {production})


def test_a_step_that_hangs_is_stopped_and_done_again_once(serve, tmp_path):
    service = serve(tmp_path, SVC_STEP_TIMEOUT_SECONDS="45")
    production = trigger(service, NOTES).json()["productionId"]
    until(lambda: step_process(production), "a step")
    os.kill(step_process(production), signal.SIGSTOP)
    until(lambda: "took longer than the operator allows" in service.said(), "its end")
    until(lambda: status(service, production) == "Published", "publication")
    is_whole(service, production)
    is_in_order(service, {production})


@pytest.fixture
def clocked(tmp_path):
    """A service of one worker whose clock ``set_clock(seconds)`` sets, and that function."""
    file = tmp_path / "clock"
    file.write_text("0")
    service = Service(tmp_path / "data", workers=1)
    service.command[-1] = "tests.faults.clocked:app"
    service.environment["CLOCK_FILE"] = str(file)

    def set_clock(seconds: int) -> None:
        partial = file.with_suffix(".part")
        partial.write_text(str(seconds))
        partial.replace(file)

    with running(service):
        service.enrol()
        yield service, set_clock


@pytest.mark.parametrize(
    "seconds", [3600, -3600, 86_400], ids=["an hour ahead", "an hour back", "a day ahead"]
)
def test_a_clock_that_is_set_stops_nothing(clocked, seconds):
    service, set_clock = clocked
    first = trigger(service, NOTES).json()["productionId"]
    until(lambda: step_process(first), "a step")
    set_clock(seconds)
    until(lambda: "the clock was set by" in service.said(), "a line")
    assert read(service) == 200
    second = trigger(service, NOTES).json()["productionId"]
    until(lambda: status(service, first) == "Published", "the first publication")
    until(lambda: status(service, second) == "Published", "the second publication")
    beat = service.ask("SELECT value FROM meta WHERE name = 'heartbeat'")
    until(
        lambda: service.ask("SELECT value FROM meta WHERE name = 'heartbeat'") != beat,
        "the next heartbeat",
    )
    assert service.ask("SELECT count(*) FROM alerts WHERE name = 'ClockJumped'") == [(1,)]
    is_whole(service, first)
    is_whole(service, second)
    is_in_order(service, {first, second})


class People(BaseHTTPRequestHandler):
    """Who is told of alerts."""

    told: list[str] = []

    def do_POST(self):
        self.told.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def people():
    """The address of somebody who is told."""
    People.told.clear()
    server = HTTPServer(("127.0.0.1", 0), People)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"json://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def have_both_started(service: Service) -> None:
    """Wait until both workers serve, as one that cannot start any more would not.

    Each is kept on one processor once it has started.
    """
    until(
        lambda: [len(os.sched_getaffinity(pid)) for pid in service.workers()] == [1, 1],
        "both workers",
    )


def is_one_short(service: Service) -> None:
    """The service goes on, while the successor of a worker that is killed now cannot start."""
    killed, left = service.workers()
    os.kill(killed, signal.SIGKILL)
    until(lambda: "the others continue to serve" in service.said(), "a line of the parent process")
    assert service.process.poll() is None and service.workers() == [left]


def test_a_worker_whose_successor_cannot_start_ends_nobody_else(serve, tmp_path):
    service = serve(tmp_path)
    have_both_started(service)
    secret, away = service.data_dir / "secret", tmp_path / "away"
    secret.rename(away)
    is_one_short(service)
    assert f"{secret} is missing" in service.said()
    note = service.data_dir / start_failures.NAME
    assert f"{secret} is missing" in note.read_text("utf-8")
    acknowledged = {trigger(service).json()["productionId"]}
    away.rename(secret)
    until(lambda: len(service.workers()) == 2, "another worker")
    have_both_started(service)
    assert not note.exists()
    is_in_order(service, acknowledged)


@pytest.mark.parametrize("begin", [0, 8192], ids=["its head", "its pages"])
def test_a_database_that_is_damaged_under_the_service(serve, tmp_path, people, begin):
    service = serve(tmp_path, SVC_ALERT_URLS=people)
    until(
        lambda: requests.get(f"{service.address}/readyz", timeout=30).status_code == 200,
        "readiness",
    )
    have_both_started(service)
    path = service.data_dir / "service.db"
    other = sqlite3.connect(path, isolation_level=None)
    # what the processes have read is read again after the commit of another
    other.execute("CREATE TABLE elsewhere (x) ")
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    other.close()
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(os.urandom(path.stat().st_size - begin))
    until(lambda: read(service) == 503, "a refusal")
    headers = {"X-API-Key": service.seeded["testKey"]}
    is_refused_for_a_while(
        requests.get(f"{service.address}/v1/partner/accounts", headers=headers, timeout=60),
        outage.DAMAGED,
    )

    def readiness() -> set[int]:
        return {requests.get(f"{service.address}/readyz", timeout=60).status_code for _ in range(8)}

    until(lambda: readiness() == {503}, "the word of both workers")
    until(lambda: outage.DAMAGED.mend in service.said(), "a line for the operator")
    until(lambda: any("DatabaseDamaged" in each for each in People.told), "a message to people")
    if begin == 0:  # a start reads no more than that
        is_one_short(service)
        assert readiness() == {503}
    assert "Traceback" not in service.said()
