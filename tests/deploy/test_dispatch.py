"""Which connection gets a thread next: a caller's burst queues for its share,
and nobody else waits for it.
"""

import socket

import pytest
from gunicorn.workers.gthread import ThreadWorker

from svc.base import threads
from svc.serving.dispatch import Turns, sign_of
from svc.serving.worker import Worker


@pytest.fixture
def turns():
    return Turns(lambda owner: 2, lambda: 2)


def test_a_burst_waits_for_its_own_threads_and_goes_on_in_its_order(turns):
    assert [turns.admit(name, "one", 0) for name in "abcd"] == [True, True, False, False]
    assert turns.admit("x", "other", 0) and len(turns) == 2
    assert turns.free_thread("x") is None
    assert (turns.free_thread("a"), turns.free_thread("b"), turns.free_thread("c")) == (
        "c",
        "d",
        None,
    )
    assert len(turns) == 0 and turns.admit("e", "one", 0)


def test_an_unknown_caller_waits_for_nobody(turns):
    assert all(turns.admit(name, None, 0) for name in "abcd")
    assert turns.free_thread("a") is None


def test_who_waits_too_long_gets_a_thread_to_be_refused_in(turns):
    for name, at in zip("abcde", (0, 0, 1, 2, 3), strict=True):
        turns.admit(name, "one", at)
    assert turns.admit_late(2) == ["c", "d"] and turns.admit_late(2) == []
    assert (
        turns.free_thread("a") is None
    )  # three are still in threads, which is more than the share
    assert turns.free_thread("b") is None
    assert turns.free_thread("c") == "e"


class Moment:
    """A clock and a thread's processor time that stand still."""

    def __init__(self):
        self.now, self.used = 5.0, 0.0
        self.shares = threads.ThreadShares(8, lambda: self.now, lambda: self.used)

    def answer(self, owner: str, number: int, seconds: float) -> None:
        for _ in range(number):
            request = self.shares.begin_request()
            self.shares.charge_request(owner)
            self.used += seconds
            request.end()


@pytest.fixture
def moment():
    return Moment()


def test_requests_wait_while_so_many_of_their_owner_are_refused_and_nobody_elses_do(moment):
    for number in range(20):
        assert moment.shares.find_limit("one") == 4, f"after {number} refusals"
        moment.shares.record_refusal("one")
    moment.now = 5.9
    assert [moment.shares.find_limit(owner) for owner in ("one", "other")] == [0, 4]
    moment.now = 6.0
    assert moment.shares.find_limit("one") == 4
    moment.shares.record_refusal("one")
    assert moment.shares.find_limit("one") == 4  # a span begins anew


def test_requests_that_take_much_of_the_processor_wait_while_others_ask(moment):
    moment.answer("one", 30, 0.02)
    assert moment.shares.find_limit("one") == 4  # nobody else is there
    moment.answer("other", 1, 0.02)
    assert [moment.shares.find_limit(owner) for owner in ("one", "other")] == [0, 4]
    moment.answer("one", 1, 0.02)
    assert moment.shares.find_limit("one") == 0


def test_a_flood_beside_others_computes_one_request_at_a_time(moment):
    """Each thread that computes takes the interpreter's lock from others at each of their reads:
    four of one owner keep them waiting four times as long as one does.
    """
    moment.answer("other", 1, 0.001)
    shares = []
    for _ in range(2000):  # five milliseconds each, ten seconds of a processor in ten seconds
        share = moment.shares.find_limit("one")
        shares.append(share)
        if share:
            moment.answer("one", 1, 0.005)
        moment.answer("other", 1, 0.0)
        moment.now += 0.005
    assert shares[:10] == [4] * 10 and set(shares[20:]) == {0, 1}
    # the part of a processor that it gets, with what it could have at first
    assert 0.005 * sum(share > 0 for share in shares) == pytest.approx(0.25 * 10 + 0.25, rel=0.05)


def test_what_a_thread_computes_around_a_request_counts_as_its_owners(moment):
    shares = moment.shares
    moment.answer("other", 1, 0.001)
    for _ in range(3):
        with shares.measure_turn():
            moment.used += 0.01  # the head is read
            request = shares.begin_request()
            shares.charge_request("flood")
            moment.used += 0.001
            request.end()
            moment.used += 0.01  # the answer is sent
    assert shares.find_limit("flood") == 1  # 3 ms within requests alone would be nothing
    moment.used += 1.0  # between connections a thread works for nobody
    with shares.measure_turn():
        pass  # a connection without a request
    moment.answer("other", 1, 0.001)
    assert shares.find_limit("other") == shares.owner_limit
    moment.now += 0.063  # a quarter of this is what three turns took above 50 ms
    assert shares.find_limit("flood") == shares.owner_limit


def test_the_worker_charges_a_connection_with_all_that_it_takes(monkeypatch, moment):
    """Its head is read, and its answer sent, outside of the application."""
    shares = moment.shares

    def handle(worker, conn):
        moment.used += 0.1
        request = shares.begin_request()
        shares.charge_request("flood")
        request.end()
        moment.used += 0.1
        return True

    monkeypatch.setattr(threads, "thread_shares", shares)
    monkeypatch.setattr(ThreadWorker, "handle", handle)
    moment.answer("other", 1, 0.001)
    worker = Worker.__new__(Worker)
    worker._begun = {}
    assert worker.handle("conn") and shares.find_limit("flood") == 1
    assert worker.handle("conn") and shares.find_limit("flood") == 0


def test_what_a_flood_took_alone_keeps_it_waiting_for_a_second(moment):
    moment.answer("other", 1, 0.001)
    moment.answer("one", 10_000, 0.02)
    assert moment.shares.find_limit("one") == 0
    moment.now += 1.01
    assert moment.shares.find_limit("one") == 1
    moment.now += 1.0
    assert moment.shares.find_limit("one") == 4


def test_work_beside_requests_counts_as_theirs(moment):
    """A try that is refused at once may be sent again at once:
    only what the tries compute bounds how many there are in a second.
    """
    moment.answer("other", 1, 0.001)
    for _ in range(10):
        moment.shares.begin_background_work("one").end(0.02)
    assert moment.shares.find_limit("one") == 1
    for _ in range(10):
        moment.shares.begin_background_work("one").end(0.02)
    assert moment.shares.find_limit("one") == 0


def test_an_owner_alone_again_has_its_whole_share(moment):
    moment.answer("other", 1, 0.001)
    moment.now += 10.0
    moment.answer("one", 100, 0.02)
    assert moment.shares.find_limit("one") == 4


def test_requests_that_wait_for_events_keep_none_that_computes_from_its_thread(moment):
    moment.answer("other", 1, 0.001)
    moment.answer("one", 10, 0.02)
    with moment.shares.admit_wait("one") as first, moment.shares.admit_wait("one") as second:
        assert (first, second, moment.shares.find_limit("one")) == (True, True, 3)
    assert moment.shares.find_limit("one") == 1


def test_after_one_long_request_or_many_short_ones_the_next_waits_for_no_time(moment):
    moment.answer("other", 1, 0.001)
    moment.answer("long", 1, 3.0)
    moment.answer("short", 100, 0.002)
    moment.answer("shorter", 100, 0.0004)
    owners = ("other", "long", "short", "shorter")
    assert [moment.shares.find_limit(owner) for owner in owners] == [4, 1, 1, 4]


def test_who_is_refused_again_and_again_gets_a_thread_only_when_it_has_waited():
    share = {"one": 2, "other": 2}
    turns = Turns(share.__getitem__, lambda: 2)
    assert [turns.admit(name, "one", 0) for name in "abc"] == [True, True, False]
    share["one"] = 0
    assert turns.free_thread("a") is None and turns.free_thread("b") is None
    assert not turns.admit("d", "one", 1) and turns.admit("x", "other", 1)
    assert turns.admit_ready() == []
    assert turns.admit_late(0) == ["c"] and turns.admit_late(1) == []  # one at a time
    share["one"] = 2
    assert turns.free_thread("c") == "d" and turns.admit("e", "one", 2)


def test_late_ones_of_a_flood_are_let_in_one_at_a_time():
    """Where one connection computes at a time, a hundred that have waited for a second do not
    compute together.
    """
    turns = Turns(lambda owner: 1, lambda: 4)
    assert [turns.admit(name, "one", 0) for name in "abc"] == [True, False, False]
    assert turns.admit_late(5) == []
    assert turns.free_thread("a") == "b" and turns.admit_late(5) == []
    small = Turns(lambda owner: 1, lambda: 1)  # of a server with two threads
    assert [small.admit(name, "one", 0) for name in "abc"] == [True, False, False]
    assert small.admit_late(5) == ["b", "c"]


def test_those_that_wait_go_on_as_soon_as_their_share_has_grown():
    """No request of theirs ends meanwhile that would let them in."""
    share = {"one": 0, "other": 2}
    turns = Turns(share.__getitem__, lambda: 2)
    assert [turns.admit(name, "one", 0) for name in "abc"] == [False] * 3
    assert turns.admit_ready() == []
    share["one"] = 1
    assert turns.admit_ready() == ["a"] and turns.admit_ready() == []
    share["one"] = 2
    assert turns.admit_ready() == ["b"] and len(turns) == 1


def test_the_event_loop_looks_whether_the_share_of_who_waits_has_grown(monkeypatch):
    """A second as long as nobody waits; nothing else would tell it."""
    share, looked, begun = {"one": 0}, [], []
    monkeypatch.setattr(
        ThreadWorker, "wait_for_and_dispatch_events", lambda _, timeout: looked.append(timeout)
    )
    monkeypatch.setattr(ThreadWorker, "enqueue_req", lambda _, conn: begun.append(conn))
    worker = Worker.__new__(Worker)
    worker._turns = Turns(share.__getitem__, lambda: 2)
    worker.wait_for_and_dispatch_events(1.0)
    worker._turns.admit("a", "one", 0)
    worker.wait_for_and_dispatch_events(1.0)
    assert looked[0] == 1.0 and looked[1] < 0.1 and begun == []
    share["one"] = 1
    worker.wait_for_and_dispatch_events(1.0)
    assert begun == ["a"]


@pytest.mark.parametrize(
    ("head", "value"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_test_abc\r\n\r\n", b"svc_test_abc"),
        (b"GET / HTTP/1.1\r\nx-api-key:svc_test_abc\r\n\r\n", b"svc_test_abc"),
        (b"GET / HTTP/1.1\r\nCookie: device=x; session=a.b-c; y=1\r\n\r\n", b"a.b-c"),
        (b"GET / HTTP/1.1\r\nCookie: session=a.b\r\n\r\n", b"a.b"),
        (b"GET /?x-api-key:svc HTTP/1.1\r\nHost: a\r\n\r\n", None),
        (b"GE", None),
        (b"", None),
    ],
)
def test_whose_a_request_is_is_seen_without_reading_it(head, value):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(head)
        assert sign_of(ours) == (None if value is None else threads.sign_of_secret(value))
        assert not head or ours.recv(len(head)) == head


@pytest.mark.parametrize("timeout", [None, 0.0, 86_400.0])
def test_a_look_at_a_connection_where_nothing_has_arrived_waits_for_nothing(timeout):
    """A connection that was kept has a time limit, with which Python waits,
    and the event loop with it, for everybody.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(timeout)
        assert sign_of(ours) is None
        assert ours.gettimeout() == timeout
    assert sign_of(ours) is None  # it was closed meanwhile


def test_a_request_that_was_read_with_the_end_of_the_one_before_says_whose_it_is():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"i-key: svc_test_abc\r\n\r\n")
        assert sign_of(ours, b"GET / HTTP/1.1\r\nx-ap") == threads.sign_of_secret(b"svc_test_abc")
        assert sign_of(
            ours, b"GET / HTTP/1.1\r\nX-API-Key: svc_live_x\r\n\r\n"
        ) == threads.sign_of_secret(b"svc_live_x")


def test_keys_of_a_partner_are_known_as_one_caller(shares):
    assert shares.find_owner("a") == "a"
    shares.remember_owner("a", "partner")
    shares.remember_owner("b", "partner")
    assert {shares.find_owner("a"), shares.find_owner("b")} == {"partner"}
