"""The leasing loop of the pipeline and of the publisher."""

import queue
import threading

import pytest

from svc.work.leasing import Workers
from svc.work.outages import Outages

SECONDS = 60  # until a test gives up waiting


class Bench:
    """Claims to be carried out, each of which ends when the test says so."""

    def __init__(self, number: int, claims: list[str]):
        self.waiting, self.begun = list(claims), queue.Queue()
        self.may_end = {name: threading.Event() for name in claims}
        outages = Outages(lambda: 0, threading.Event())
        self.workers = Workers("bench", number, self.claim_next, self.carry_out, outages)

    def claim_next(self) -> str | None:
        return self.waiting.pop(0) if self.waiting else None

    def carry_out(self, claim: str) -> None:
        self.begun.put(claim)
        assert self.may_end[claim].wait(SECONDS)

    def next_begun(self) -> str:
        return self.begun.get(timeout=SECONDS)


@pytest.fixture
def bench():
    made = Bench(2, ["one", "two", "three"])
    yield made
    for event in made.may_end.values():
        event.set()
    made.workers.stop()


def test_no_more_is_leased_than_there_are_workers(bench):
    bench.workers.claim_work()
    assert {bench.next_begun(), bench.next_begun()} == {"one", "two"}
    bench.workers.claim_work()
    assert bench.waiting == ["three"]


def test_a_worker_that_has_ended_looks_for_the_next(bench):
    bench.workers.claim_work()
    first = bench.next_begun()
    bench.next_begun()
    bench.may_end[first].set()
    assert bench.next_begun() == "three"


def test_a_lease_that_fails_leaves_its_worker_free(bench, monkeypatch):
    def fail():
        raise OSError("the disk is away")

    working = bench.workers._claim_next
    monkeypatch.setattr(bench.workers, "_claim_next", fail)
    for _ in range(3):
        with pytest.raises(OSError, match="away"):
            bench.workers.claim_work()
    monkeypatch.setattr(bench.workers, "_claim_next", working)
    bench.workers.claim_work()
    assert {bench.next_begun(), bench.next_begun()} == {"one", "two"}


def test_nothing_is_leased_once_the_workers_stop(bench):
    for event in bench.may_end.values():
        event.set()
    bench.workers.stop()
    bench.workers.claim_work()
    assert bench.begun.empty() and len(bench.waiting) == 3
