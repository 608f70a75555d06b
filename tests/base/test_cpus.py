"""Threads of requests are kept on one processor, and what computes beside them is not."""

import os
import subprocess
import sys
import threading

import pytest

from svc.base.processes import confinement, cpus

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="threads have processors on Linux")


def run_in_thread(work):
    """What ``work`` returns in a thread of its own, whose processors end with it."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    thread.join()
    return answers[0]


@pytest.fixture(autouse=True)
def none_was_kept(monkeypatch):
    monkeypatch.setattr(cpus, "_all", None)


class Kernel:
    """A machine with four processors, in place of this one's."""

    def __init__(self, **kept: int):
        self.kept = {int(pid.removeprefix("pid")): {cpu} for pid, cpu in kept.items()}

    def sched_getaffinity(self, pid: int) -> set[int]:
        if pid == 404:
            raise ProcessLookupError
        return self.kept.get(pid, {0, 1, 2, 3})

    def sched_setaffinity(self, pid: int, chosen: set[int]) -> None:
        self.kept[pid] = chosen


def kernel(monkeypatch, **kept: int) -> Kernel:
    made = Kernel(**kept)
    monkeypatch.setattr(os, "sched_getaffinity", made.sched_getaffinity)
    monkeypatch.setattr(os, "sched_setaffinity", made.sched_setaffinity)
    return made


def test_threads_of_a_kept_one_share_its_processor():
    own = os.sched_getaffinity(0)

    def keep():
        cpus.keep_on_one(0)
        return os.sched_getaffinity(0), run_in_thread(lambda: os.sched_getaffinity(0))

    kept, of_its_thread = run_in_thread(keep)
    assert len(kept) == 1 and of_its_thread == kept
    assert os.sched_getaffinity(0) == own


def test_a_thread_that_computes_gets_all_back():
    def compute():
        cpus.keep_on_one(0)
        cpus.use_all()
        return os.sched_getaffinity(0)

    assert run_in_thread(compute) == os.sched_getaffinity(0)


def test_children_of_low_priority_use_all():
    def start():
        cpus.keep_on_one(0)
        with subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
        ) as child:
            confinement.lower_priority(child.pid)
            usable = os.sched_getaffinity(child.pid)
            child.communicate(b"\n")
        return usable

    assert run_in_thread(start) == os.sched_getaffinity(0)


@pytest.mark.parametrize(("number", "chosen"), [(0, 0), (1, 1), (7, 3)])
def test_numbers_go_around_the_processors(monkeypatch, number, chosen):
    machine = kernel(monkeypatch)
    cpus.keep_on_one(number)
    assert machine.kept[0] == {chosen}


def test_the_processor_with_the_fewest_siblings_is_taken(monkeypatch):
    """A worker that takes the place of one that ended gets its processor, whatever its number."""
    machine = kernel(monkeypatch, pid11=0, pid12=1, pid13=3)
    cpus.keep_on_one(4, [11, 12, 13])
    assert machine.kept[0] == {2}


def test_siblings_that_ended_or_roam_do_not_count(monkeypatch):
    machine = kernel(monkeypatch)
    cpus.keep_on_one(2, [404, 12])
    assert machine.kept[0] == {2}


def test_refused_by_a_filter_of_system_calls(monkeypatch):
    def refuse(pid, chosen):
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    cpus.keep_on_one(0)
    cpus.use_all()


def test_siblings_are_the_other_children_of_the_parent():
    """A child that was started beside one that waits sees that one, and not itself."""
    program = "from svc.base.processes import cpus; print(cpus.list_siblings())"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as waiting:
        printed = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
        waiting.communicate(b"\n")
    assert str(waiting.pid) in printed.strip("[]\n").split(", ")
