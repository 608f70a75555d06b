"""How long processes wait for a processor."""

import os
import sys
import threading

import pytest

from svc.base.processes import run_queue


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_the_system_says_how_long_each_thread_of_a_group_waited_for_a_processor():
    ready, stop = threading.Barrier(2), threading.Event()
    thread = threading.Thread(target=lambda: (ready.wait(), stop.wait()))
    thread.start()
    ready.wait()
    waits = run_queue.read_thread_waits(os.getpgid(0))
    stop.set()
    thread.join()
    assert os.getpid() in run_queue.list_members(os.getpgid(0))
    assert waits[os.getpid()] > 0 and thread.native_id in waits


def test_a_group_that_has_ended_has_no_processes():
    assert run_queue.list_members(2**22 + 1) == [] and run_queue.read_thread_waits(2**22 + 1) == {}
