"""``Ending``: a signal handler sets it wherever it interrupts ``wait``;
``threading.Event`` would wait for itself.
"""

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

from svc.base.processes import ending as module
from svc.base.processes.ending import Ending

# A process of its own: one that waits for itself is past help. The signal comes at the first
# instruction of ``wait``, in the next round at the second, and so on until the system call that
# waits is reached.
INTERRUPTED = """
import itertools, select, signal, sys
from types import SimpleNamespace
from svc.base.processes import ending as module

class Poll:
    def __init__(self):
        self._poll = select.poll()
        self.register = self._poll.register
    def poll(self, milliseconds):
        global is_reached
        if not is_sent:
            is_reached = True
            ending.set()
        return self._poll.poll()  # without end: what was set must be heard

def trace(frame, event, argument):
    global left, is_sent
    frame.f_trace_opcodes = True
    if event == "opcode":
        left -= 1
        if left == 0:
            is_sent = True
            signal.raise_signal(signal.SIGUSR1)
    return trace

signal.signal(signal.SIGUSR1, lambda *_: ending.set())
module.select = SimpleNamespace(poll=Poll, POLLIN=select.POLLIN)
is_reached = False
for number in itertools.count(1):
    ending, left, is_sent = module.Ending(), number, False
    sys.settrace(trace)
    ending.wait()
    sys.settrace(None)
    assert ending.is_set()
    if is_reached:
        break
print(number)
"""


def test_a_handler_sets_it_wherever_it_interrupts_a_wait():
    told = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], check=True, timeout=60, capture_output=True, text=True
    )
    assert int(told.stdout) > 20  # instructions at which it was interrupted


def test_a_wait_ends_after_its_time_or_when_another_thread_sets_it(monkeypatch):
    ending = Ending()
    assert not ending.wait(0) and not ending.wait(0.01) and not ending.is_set()
    threading.Timer(0.01, ending.set).start()
    assert ending.wait(60) and ending.wait() and ending.wait(0) and ending.is_set()
    ending.set()
    polled: list[float] = []
    poll = SimpleNamespace(register=lambda *_: None, poll=polled.append)
    monkeypatch.setattr(module, "select", SimpleNamespace(poll=lambda: poll, POLLIN=1))
    assert ending.wait(60) and polled == []  # what is set is not waited for


def test_a_signal_ends_a_wait_without_end():
    ending = Ending()
    # SIGALRM is the guard's against tests that hang
    before = signal.signal(signal.SIGUSR1, lambda *_: ending.set())
    try:
        threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        assert ending.wait()
    finally:
        signal.signal(signal.SIGUSR1, before)
