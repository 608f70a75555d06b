"""A deadline ends an exchange whatever the other side sends:
the connections that it guards are shut down.
"""

import contextlib
import socket
import ssl
import threading

import pytest
from support.receivers import nothing_left_over

from svc.adapters import deadline
from svc.adapters.deadline import Deadline, Stop


class Clock:
    """A monotonic clock that moves when told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pair():
    """Two ends of a connection."""
    near, far = socket.socketpair()
    with near, far:
        yield near, far


def test_the_end_stays_where_it_is_however_often_it_is_asked_for(clock):
    end = Deadline(60, clock)
    assert end.remaining_seconds() == 60
    clock.now += 59
    assert end.remaining_seconds() == 1
    clock.now += 1
    with pytest.raises(Stop, match="timed out after 60 s"):
        end.check()


def test_time_in_which_this_side_held_bytes_back_moves_the_end(clock):
    end = Deadline(60, clock)
    end.extend(30)
    clock.now += 89
    assert end.remaining_seconds() == 1
    clock.now += 1
    with pytest.raises(Stop, match="timed out after 90 s"):
        end.remaining_seconds()


def test_of_several_reasons_the_first_one_is_raised(clock):
    end = Deadline(60, clock)
    end.abort(KeyError("lost"))
    end.abort(Stop("late"))
    clock.now += 61
    with pytest.raises(KeyError, match="lost"):
        end.check()


def test_a_reader_whom_single_bytes_keep_waiting_is_ended(pair):
    """Each byte would begin a timeout of the socket anew; the reader itself never looks
    at a clock.
    """
    near, far = pair
    near.settimeout(60)
    stopping = threading.Event()

    def drip():
        with contextlib.suppress(OSError):
            while not stopping.wait(0.005):
                far.send(b"x")

    dripping = threading.Thread(target=drip)
    dripping.start()
    with Deadline(0.05) as end, end.guard(near):
        while near.recv(1):
            pass
    with pytest.raises(Stop, match=r"timed out after 0.1 s"):
        end.check()
    stopping.set()
    dripping.join()


def test_an_end_that_was_moved_is_kept_where_it_is_now(pair, clock, monkeypatch):
    """The watchdog looks at the present end when it wakes up, and goes on waiting."""
    timers = []

    class Timer:
        def __init__(self, seconds, call):
            self.seconds, self.call = seconds, call

        def start(self):
            timers.append(self)

        def cancel(self):
            pass

    monkeypatch.setattr(deadline.threading, "Timer", Timer)
    near, far = pair
    with Deadline(60, clock) as end, end.guard(near):
        end.extend(5)
        clock.now += 60
        timers[0].call()
        near.send(b"still open")
        assert far.recv(20) == b"still open"
        clock.now += 5
        timers[1].call()
        assert far.recv(20) == b""
    assert [timer.seconds for timer in timers] == [60, 5]


def test_a_connection_that_a_library_has_wrapped_is_ended_too(pair):
    """To wrap a socket in TLS detaches it: the object that was guarded has no
    descriptor any more.
    """
    near, far = pair
    with Deadline(60) as end, end.guard(near):
        context = ssl.create_default_context()
        with contextlib.suppress(OSError):
            wrapped = context.wrap_socket(
                near, server_hostname="example.com", do_handshake_on_connect=False
            )
        end.abort(Stop("enough"))
        with pytest.raises(OSError):
            wrapped.do_handshake()
        wrapped.close()


def test_what_is_guarded_after_the_end_ends_at_once(pair):
    near, far = pair
    end = Deadline(60)
    end.abort(Stop("enough"))
    with end.guard(near):
        assert far.recv(1) == b""


def test_a_connection_is_left_alone_once_it_is_no_longer_guarded(pair):
    near, far = pair
    with Deadline(60) as end:
        with end.guard(near):
            pass
        end.abort(Stop("enough"))
        near.send(b"free")
        assert far.recv(4) == b"free"


def test_nothing_is_left_of_a_deadline():
    with nothing_left_over():
        near, far = socket.socketpair()
        with near, far, Deadline(60) as end, end.guard(near):
            end.extend(1)
        end._timer.join()
