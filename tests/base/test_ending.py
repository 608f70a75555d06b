"""``Ending``: a signal handler sets it wherever it interrupts ``wait``; ``threading.Event`` would wait for itself."""

import random
import signal
import subprocess
import sys
import threading
import time

from svc.base.processes.ending import Ending

INTERRUPTED = """
import random, signal
from svc.base.processes.ending import Ending
for number in range(1000):
    ending = Ending()
    signal.signal(signal.SIGALRM, lambda *_: ending.set())
    signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 6e-5))
    ending.wait()
    assert ending.is_set()
"""


def test_a_handler_sets_it_wherever_it_interrupts_a_wait():
    subprocess.run([sys.executable, "-c", INTERRUPTED], check=True, timeout=60)


def test_a_wait_ends_after_its_time_or_when_another_thread_sets_it():
    ending = Ending()
    assert not ending.wait(0) and not ending.wait(0.01) and not ending.is_set()
    threading.Timer(random.uniform(0, 0.02), ending.set).start()
    assert ending.wait(30) and ending.wait() and ending.wait(0) and ending.is_set()
    ending.set()
    began = time.monotonic()
    assert ending.wait(60)
    assert time.monotonic() - began < 30


def test_a_signal_ends_a_wait_without_end():
    ending = Ending()
    before = signal.signal(signal.SIGALRM, lambda *_: ending.set())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        assert ending.wait()
    finally:
        signal.signal(signal.SIGALRM, before)
