"""A reload pauses nothing: new workers accept before the old ones stop,
and ones that cannot start stop nobody.
"""

import shutil
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from support.front import ROOT, Gunicorn, running

from tests.work.test_recovery import until

pytestmark = pytest.mark.slow

A_SECOND = 50  # requests
CALM_SECONDS = 3.0
# seconds: what a calm server is taken to need at most, on a machine where others are busy too
SLOWEST_CALM = 0.25
# of that, or of what was measured: a reload starts processes on the same cores; a pause would be
# dozens of times
TIMES = 6


class Requests:
    """So many requests a second, each over a connection of its own; how long each took,
    and what failed. A context manager.
    """

    def __init__(self, address: str):
        self._address, self._stopping = address, threading.Event()
        self._pool = ThreadPoolExecutor(100)
        self._thread = threading.Thread(target=self._run)
        self.took: list[float] = []
        self.failed: list[str] = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        self._thread.join()
        self._pool.shutdown()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            self._pool.submit(self._one, due)
            due += 1 / A_SECOND

    def _one(self, due: float) -> None:
        try:
            answer = requests.get(f"{self._address}/healthz", timeout=60)
        except requests.RequestException as failed:
            self.failed.append(repr(failed))
            return
        if answer.status_code != 200:
            self.failed.append(answer.text)
        # from when it was due, so that a pause is not hidden by waiting for it
        self.took.append(time.monotonic() - due)

    def longest(self) -> float:
        """The longest answer since this was asked last, in seconds."""
        took, self.took = self.took, []
        return max(took)


class Clients(Requests):
    """A few clients, each of which asks again as soon as it is answered."""

    def _run(self) -> None:
        for _ in range(4):
            self._pool.submit(self._ask)

    def _ask(self) -> None:
        while not self._stopping.is_set():
            self._one(time.monotonic())


def reload(service) -> None:
    """Reload, and return when every worker is a new one."""
    old, number = set(service.workers()), len(service.workers())
    service.tell(signal.SIGHUP)
    until(
        lambda: old.isdisjoint(service.workers()) and len(service.workers()) == number,
        "new workers",
    )


@pytest.fixture
def service(tmp_path):
    with running(Gunicorn(tmp_path / "data", workers=2)) as gunicorn:
        until(lambda: "this process runs the engine" in gunicorn.said(), "a driver")
        yield gunicorn
    assert "Traceback" not in gunicorn.said()


def test_a_reload_loses_no_request(service):
    with Clients(service.address) as load:
        for _ in range(2):
            answered = len(load.took)
            until(lambda answered=answered: len(load.took) > answered, "an answer of the workers")
            reload(service)
        answered = len(load.took)
        until(lambda: len(load.took) > answered, "an answer of the new workers")
    assert load.failed == []


def test_no_answer_takes_longer_because_the_service_is_reloaded_twice(service):
    with Requests(service.address) as load:
        time.sleep(CALM_SECONDS)  # this is what is measured
        calm = load.longest()
        for _ in range(2):
            reload(service)
        reloading = load.longest()
    assert load.failed == []
    assert reloading < TIMES * max(calm, SLOWEST_CALM), (
        f"{reloading:.2f} s, and {calm:.2f} s while it was calm"
    )


@pytest.fixture
def broken(tmp_path):
    """A service whose program can be made one that does not start: a function that does that."""
    program = tmp_path / "program"
    program.mkdir()
    shutil.copy(ROOT / "wsgi.py", program)
    gunicorn = Gunicorn(tmp_path / "data", workers=2)
    gunicorn.command[3:3] = ["--chdir", str(program)]
    with running(gunicorn):
        yield gunicorn, program / "wsgi.py"


def test_a_reload_into_a_program_that_cannot_start_leaves_the_old_workers_serving(broken):
    service, program = broken
    right, old = program.read_text(), set(service.workers())
    program.write_text("raise SystemExit(3)\n")  # as serving_app ends where a setting is wrong
    service.tell(signal.SIGHUP)
    until(
        lambda: "the reload failed, and the old workers continue to serve" in service.said(),
        "a line",
    )
    until(lambda: set(service.workers()) == old, "the old workers alone")
    assert requests.get(f"{service.address}/healthz", timeout=30).status_code == 200
    program.write_text(right)
    reload(service)
    assert requests.get(f"{service.address}/healthz", timeout=30).status_code == 200


def test_a_service_that_is_told_to_end_while_it_reloads_ends(service):
    service.tell(signal.SIGHUP)
    until(lambda: len(service.workers()) > 2, "a new worker")
    service.tell(signal.SIGTERM)
    assert service.end() == 0
