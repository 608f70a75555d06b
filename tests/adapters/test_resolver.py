"""Names are looked up in few threads: one partner never takes them all,
and whoever finds them taken is told at once.
"""

import threading
from contextlib import contextmanager
from ipaddress import ip_network

import pytest
from support.shares import count_held

from svc.adapters.addresses import NotResolved
from svc.adapters.resolver import Resolver, UrlCheck
from svc.base.errors import InvalidEndpointUrl, RateLimitExceeded, ServiceUnavailable


class Names:
    """A resolver of names that answers when it is told to; ``give_up``: whoever waits is late,
    and the lookup goes on.
    """

    def __init__(self):
        self.asked = threading.Semaphore(0)
        self.answer, self.give_up = threading.Event(), threading.Event()
        self._going: list[threading.Thread] = []

    def look_up(self, host, seconds, ended):
        if host == "quick.example":
            ended()
            return ["93.184.215.14"]
        going = threading.Thread(target=lambda: (self.answer.wait(60), ended()))
        going.start()
        self._going.append(going)
        self.asked.release()
        self.give_up.wait(60)
        raise NotResolved(temporary=True)

    def end(self):
        self.answer.set()
        self.give_up.set()
        for each in self._going:
            each.join(60)


@pytest.fixture(autouse=True)
def eight_threads(shares):
    """Two lookups for one partner, three requests that wait, 32 lookups in all."""
    shares.set_threads(8)


@pytest.fixture
def names():
    made = Names()
    yield made
    made.end()


@contextmanager
def waiting(looking, names, *partners):
    """So many lookups wait for a name that does not answer."""

    def look_up(partner):
        with pytest.raises(NotResolved):
            looking.look_up(partner, "slow.example", 5)

    threads = [threading.Thread(target=look_up, args=(each,)) for each in partners]
    for each in threads:
        each.start()
        assert names.asked.acquire(timeout=60)
    try:
        yield
    finally:
        names.give_up.set()
        for each in threads:
            each.join(60)


def test_one_partner_gets_a_part_and_another_its_own(names, shares):
    looking = Resolver(names.look_up)
    with waiting(looking, names, "one", "one"):
        with pytest.raises(RateLimitExceeded, match="of your requests are waiting") as refused:
            looking.look_up("one", "quick.example", 5)
        assert refused.value.retry_after > 0
        assert looking.look_up("other", "quick.example", 5) == ["93.184.215.14"]


def test_all_partners_together_leave_most_threads_to_requests_that_do_not_wait(names):
    looking = Resolver(names.look_up)
    with (
        waiting(looking, names, "one", "one", "two"),
        pytest.raises(ServiceUnavailable, match="Too many"),
    ):
        looking.look_up("four", "quick.example", 5)
    assert looking.look_up("four", "quick.example", 5)


def test_long_polls_and_lookups_share_what_may_wait(names, shares):
    looking = Resolver(names.look_up)
    with shares.admit_wait("one") as first, shares.admit_wait("one") as second:
        assert first and second
        with pytest.raises(RateLimitExceeded):
            looking.look_up("one", "quick.example", 5)
        with waiting(looking, names, "two"), shares.admit_wait("three") as third:
            assert not third


def test_lookups_that_nobody_waits_for_count_until_they_end(names, shares):
    looking = Resolver(names.look_up)
    with waiting(looking, names, "one", "one", "two"):
        assert (
            count_held(shares, "one") == 0
        )  # the requests that wait count, which this test has none of
    assert (count_held(shares, "one"), count_held(shares, "two")) == (2, 1)
    with pytest.raises(RateLimitExceeded, match="looked up slowly"):
        looking.look_up("one", "quick.example", 5)
    assert looking.look_up("two", "quick.example", 5)
    names.end()
    assert looking.look_up("one", "quick.example", 5) and count_held(shares, "one") == 0


def test_their_number_is_bounded_whoever_asks(names):
    looking = Resolver(names.look_up)
    names.give_up.set()
    for number in range(32):
        with pytest.raises(NotResolved):
            looking.look_up(f"partner {number}", "slow.example", 5)
    with pytest.raises(ServiceUnavailable):
        looking.look_up("one more", "quick.example", 5)
    names.end()
    assert looking.look_up("one more", "quick.example", 5)


def test_a_server_with_one_thread_looks_names_up_too(names, shares):
    shares.set_threads(1)
    assert Resolver(names.look_up).look_up("one", "quick.example", 5)


def test_an_address_or_a_malformed_url_needs_no_lookup(names):
    looking = Resolver(names.look_up)
    check = UrlCheck([ip_network("127.0.0.0/8")], looking)
    with waiting(looking, names, "one", "one"):
        check("https://93.184.215.14/hooks", "one")
        check("http://127.0.0.1:9000/hooks", "one")
        with pytest.raises(InvalidEndpointUrl):
            check("https://", "one")
        with pytest.raises(RateLimitExceeded):
            check("https://quick.example/", "one")
        check("https://quick.example/", "other")
