"""The memory that processes share, and the journal: exact among processes,
and there after a death.
"""

import errno
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from svc.store.engine.shared_memory import COUNTERS, SharedMemory
from svc.store.journal import Journal, read_leftovers

PARTNERS = [str(uuid.UUID(int=number)) for number in range(1, 101)]  # more than fit in one chunk


@pytest.fixture
def memory(tmp_path):
    made = SharedMemory(tmp_path / "shared")
    yield made
    made.close()


COUNT = """
import sys, uuid, pathlib
from svc.store.engine.shared_memory import COUNTERS, SharedMemory
memory = SharedMemory(pathlib.Path(sys.argv[1]))
for number in range(2000):
    with memory.lock():
        owner = str(uuid.UUID(int=number % 100 + 1))
        memory.take_counters(owner, lambda counters: None)[COUNTERS - 1] += 1
        memory.number_request()
"""
DIE_IN_TURN = """
import os, pathlib, signal, sys
from svc.store.engine.shared_memory import SharedMemory
SharedMemory(pathlib.Path(sys.argv[1])).lock().__enter__()
os.kill(os.getpid(), signal.SIGKILL)
"""


def process(program: str, path: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", program, path], cwd=Path(__file__).parents[2])


def test_processes_count_together_and_lose_nothing(memory, tmp_path):
    several = [process(COUNT, tmp_path / "shared") for _ in range(3)]
    assert [each.wait() for each in several] == [0, 0, 0]
    with memory.lock():
        assert memory.number_request() == 6001
        assert [
            memory.take_counters(owner, lambda counters: None)[COUNTERS - 1] for owner in PARTNERS
        ] == [60] * 100


def test_a_process_that_dies_in_its_turn_gives_it_back(memory, tmp_path):
    assert process(DIE_IN_TURN, tmp_path / "shared").wait() == -9
    with memory.lock():
        assert memory.number_request() == 1


def test_whoever_opens_it_alone_begins_anew(tmp_path):
    first = SharedMemory(tmp_path / "shared")
    with first.lock():
        first.number_requests_after(41)
        first.take_counters(PARTNERS[0], lambda counters: None)[0] = 7
    second = SharedMemory(tmp_path / "shared")
    with second.lock():
        assert second.number_request() == 42
        assert second.take_counters(PARTNERS[0], lambda counters: None)[0] == 7
    first.close()
    second.close()
    third = SharedMemory(tmp_path / "shared")
    with third.lock():
        assert third.number_request() == 1
        assert third.take_counters(PARTNERS[0], lambda place: place.__setitem__(1, 5))[
            :2
        ].tolist() == [0, 5]
    third.close()


def test_the_version_is_none_while_something_is_changing(memory):
    assert memory.version(0) == memory.version(1) == 0
    change = memory.begin_change(1)
    assert memory.version(1) is None and memory.version(0) == 0
    memory.end_change(1, change)
    assert memory.version(1) == 1 and memory.version(0) == 0


def test_an_event_is_no_damage_and_damage_no_event(memory):
    memory.record_events()
    version = memory.read_events_version()
    assert version and (memory.damaged_at, memory.failing_at) == (0, 0)
    memory.note_failing(5)
    memory.note_damage(6)
    assert (memory.failing_at, memory.damaged_at, memory.read_events_version()) == (5, 6, version)


def test_a_journal_keeps_what_came_after_its_halves_changed(tmp_path):
    journal = Journal(tmp_path)
    journal.append(b"one")
    journal.change_halves()
    journal.append(b"two")
    with read_leftovers(tmp_path) as lines:
        assert lines == []  # it is in use
    journal.close(remove=False)
    with read_leftovers(tmp_path) as lines:
        assert sorted(lines) == [b"one", b"two"]
    with read_leftovers(tmp_path) as lines:
        assert lines == []


def test_a_journal_forgets_what_was_cleared_and_keeps_what_was_not(tmp_path):
    journal = Journal(tmp_path)
    for line in (b"written", b"written too"):
        journal.append(line)
        journal.change_halves()
        journal.clear()
    journal.append(b"not written")
    journal.change_halves()
    journal.change_halves()  # the transaction failed; what follows is entered after it
    journal.append(b"new")
    journal.close(remove=False)
    with read_leftovers(tmp_path) as lines:
        assert lines == [b"not written", b"new"]


def test_a_full_half_takes_nothing_more_until_the_halves_change(tmp_path):
    journal = Journal(tmp_path)
    entered = 0
    while journal.append(b"x" * 1000):
        entered += 1
    assert entered == 261
    journal.change_halves()
    assert journal.append(b"y")
    journal.close()
    assert not list(tmp_path.glob("*.journal"))


@pytest.fixture
def room(monkeypatch):
    """A disk with room for some bytes, on which the last write that fits comes
    out short: ``room(1000)``.
    """
    pwrite, left = os.pwrite, [0]

    def write(file, content, offset):
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = pwrite(file, content[: left[0]], offset)
        left[0] -= written
        return written

    monkeypatch.setattr(os, "pwrite", write)
    return lambda number: left.__setitem__(0, number)


@pytest.mark.parametrize("least", [0, 1000])
def test_a_journal_for_which_the_disk_has_no_room_leaves_nothing(tmp_path, room, least):
    room(least)
    with pytest.raises(OSError, match="No space left"):
        Journal(tmp_path)
    assert not list(tmp_path.glob("*.journal"))
    room(1 << 20)
    journal = Journal(tmp_path)
    assert journal.append(b"x")
    journal.close()


@pytest.mark.parametrize("least", [0, 1000])
def test_memory_for_which_the_disk_had_no_room_can_be_opened_once_it_has(tmp_path, room, least):
    room(least)
    for _ in range(2):  # the lock of the first attempt does not keep the second one waiting
        with pytest.raises(OSError, match="No space left"):
            SharedMemory(tmp_path / "shared")
    room(1 << 20)
    memory = SharedMemory(tmp_path / "shared")
    room(least)
    with pytest.raises(OSError, match="No space left"):
        memory.take_counters(PARTNERS[0], lambda counters: None)
    room(1 << 20)
    assert memory.take_counters(PARTNERS[0], lambda counters: None)[0] == 0
    memory.close()
