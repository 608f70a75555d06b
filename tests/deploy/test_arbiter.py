"""Workers that cannot start: whether the service goes on with the others, or ends."""

import errno
import itertools
import os
from types import SimpleNamespace

import pytest
from gunicorn import arbiter as gunicorn
from gunicorn.errors import HaltServer

from svc.base import outage, start_failures
from svc.base.errors import StartRefused
from svc.serving import arbiter
from svc.serving import worker as serving
from svc.serving.arbiter import Arbiter
from svc.serving.worker import Worker
from tests.support.cast import NOON

CANNOT_START = Arbiter.WORKER_BOOT_ERROR


class Log(SimpleNamespace):
    """The lines of the parent process."""

    def __init__(self):
        super().__init__(said=[])

    def critical(self, text: str, *of: object) -> None:
        self.said.append(text % of)

    error = critical


@pytest.fixture
def now(monkeypatch) -> SimpleNamespace:
    """The monotonic clock, which a test moves."""
    steady = SimpleNamespace(at=1_000.0)
    monkeypatch.setattr(arbiter.time, "monotonic", lambda: steady.at)
    return steady


@pytest.fixture
def parent(monkeypatch, now) -> Arbiter:
    """The parent process of two workers, which ends of workers are told by ``ends`` (process and
    status), and which counts in ``begun`` the workers that it starts.
    """
    made = Arbiter.__new__(Arbiter)
    made.log, made.cfg, made._num_workers = Log(), SimpleNamespace(child_exit=lambda *_: None), 2
    made.reexec_pid = made.dirty_arbiter_pid = 0
    made.ends, made.begun = [], 0
    numbers = itertools.count(100)

    def start() -> None:
        for _ in range(made.num_workers - len(made.WORKERS)):
            made.begun += 1
            made.WORKERS[next(numbers)] = worker()

    monkeypatch.setattr(made, "WORKERS", {1: worker(accepts=True), 2: worker()})
    monkeypatch.setattr(gunicorn.Arbiter, "spawn_workers", lambda _: start())
    ended = lambda *_: made.ends.pop(0) if made.ends else (0, 0)  # noqa: E731
    monkeypatch.setattr(os, "waitpid", ended)
    return made


def worker(accepts: bool = False, leaves: bool = False) -> SimpleNamespace:
    tmp = SimpleNamespace(close=lambda: None)
    return SimpleNamespace(accepts=accepts, leaves=leaves, tmp=tmp)


def exited(status: int) -> int:
    return status << 8  # as waitpid has it


class Loading(Worker):
    """A worker whose application is loaded by ``load``."""

    def __init__(self, load):
        self.cfg, self.log, self.alive = SimpleNamespace(threads=2), Log(), True
        self.app = SimpleNamespace(wsgi=load)

    def notify(self) -> None:
        self.alive = False  # it is told to end while it waits

    def is_parent_alive(self) -> bool:
        return True


@pytest.fixture
def data_dir(monkeypatch, tmp_path):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(serving.time, "sleep", lambda seconds: None)
    for name in ("disable", "freeze", "enable"):
        monkeypatch.setattr(serving.gc, name, lambda: None)
    monkeypatch.setattr(serving.gc, "set_threshold", lambda *_: None)
    monkeypatch.setattr(serving.clock, "now", lambda: NOON)
    return tmp_path


def refuse():
    try:
        raise StartRefused("the secret is missing")
    except StartRefused as refused:
        raise SystemExit(CANNOT_START) from refused


def fail(failure: Exception):
    def load():
        raise failure

    return load


@pytest.mark.parametrize(
    "load, why",
    [
        (refuse, "the secret is missing"),
        (fail(OSError(errno.ENOSPC, "full")), outage.DISK_FULL.mend),
        (fail(ValueError("no such thing")), "ValueError: no such thing"),
    ],
)
def test_a_worker_that_cannot_start_notes_why_until_one_has_started(data_dir, load, why):
    with pytest.raises((SystemExit, ValueError)):
        Loading(load).load_wsgi()
    assert start_failures.find(data_dir, NOON + 60_000) == (NOON, why)
    assert start_failures.find(data_dir, NOON + 91_000) is None  # nobody tries again any more
    Loading(lambda: None).load_wsgi()
    assert start_failures.find(data_dir, NOON) is None


@pytest.mark.parametrize("status", [CANNOT_START, Arbiter.APP_LOAD_ERROR])
def test_a_worker_that_cannot_start_does_not_end_those_that_serve(parent, status):
    parent.ends = [(2, exited(status))]
    parent.reap_workers()
    assert list(parent.WORKERS) == [1]
    assert "the others continue to serve" in parent.log.said[-1]


def test_the_ends_that_are_told_with_it_are_noted_too(parent):
    parent.WORKERS[3] = worker()
    parent.ends = [(2, exited(CANNOT_START)), (3, exited(CANNOT_START))]
    parent.reap_workers()
    assert list(parent.WORKERS) == [1]


def test_another_one_is_started_after_a_pause(parent, now):
    parent.ends = [(2, exited(CANNOT_START))]
    parent.reap_workers()
    parent.spawn_workers()
    assert parent.begun == 0
    now.at += arbiter.AGAIN_SECONDS
    parent.spawn_workers()
    assert parent.begun == 1


def test_once_none_serves_the_pause_is_over(parent):
    parent.ends = [(2, exited(CANNOT_START))]
    parent.reap_workers()
    parent.ends = [(1, exited(0))]
    parent.reap_workers()
    parent.spawn_workers()
    assert parent.begun == 2


@pytest.mark.parametrize("others", [{}, {1: worker()}, {1: worker(accepts=True, leaves=True)}])
def test_the_service_ends_when_a_worker_cannot_start_and_none_serves(parent, others):
    """None is left, the other one is still starting, or it is one of a failed reload."""
    parent.WORKERS = {**others, 2: worker()}
    parent.ends = [(2, exited(CANNOT_START))]
    with pytest.raises(HaltServer) as ended:
        parent.reap_workers()
    assert ended.value.exit_status == CANNOT_START
