"""What a worker does around loading the application: it collects no garbage meanwhile and little at
a time afterwards, and has its threads take short turns.
"""

import gc
import sys
from types import SimpleNamespace

import pytest
from gunicorn.workers.gthread import ThreadWorker

from svc.serving.worker import Worker


@pytest.fixture
def interpreter_as_it_was():
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)
    gc.enable()
    gc.unfreeze()


@pytest.fixture
def worker(monkeypatch, interpreter_as_it_was):
    """A worker whose application is loaded as soon as it is asked for."""
    ours = Worker.__new__(Worker)
    ours.cfg = SimpleNamespace(threads=8)
    ours.collected_while_loading = []
    monkeypatch.setattr(
        ThreadWorker, "load_wsgi", lambda self: self.collected_while_loading.append(gc.isenabled())
    )
    return ours


def test_no_garbage_is_collected_while_the_application_is_loaded(worker):
    worker.load_wsgi()
    assert worker.collected_while_loading == [False]
    assert gc.isenabled() and gc.get_freeze_count() > 0


def test_a_thread_that_computes_hands_the_interpreter_over_within_half_a_millisecond(worker):
    worker.load_wsgi()
    assert sys.getswitchinterval() == pytest.approx(0.0005)


def test_no_collection_of_garbage_is_a_long_one(worker):
    """A collection keeps the interpreter from all threads: one partner's pages of the console, each
    with hundreds of objects in reference cycles, made others wait 40 ms twice a second.
    """
    removed = []

    def note(phase, info):
        if phase == "stop":
            removed.append(info["collected"])

    worker.load_wsgi()
    gc.callbacks.append(note)
    try:
        for _ in range(50_000):
            cycle = []
            cycle.append(cycle)
    finally:
        gc.callbacks.remove(note)
    assert sum(removed) > 40_000
    assert max(removed) < 2_000
