"""Names are looked up in few threads: one partner never takes them all, and whoever finds them taken is told at once."""

import threading
from contextlib import contextmanager
from ipaddress import ip_network

import pytest

from svc.adapters import resolver
from svc.adapters.addresses import NotResolved
from svc.adapters.resolver import Resolver, UrlCheck
from svc.base.errors import InvalidEndpointUrl, ServiceUnavailable


class Names:
    """A resolver of names that answers when it is told to; ``give_up``: whoever waits is late, and the lookup goes on."""

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


def test_one_partner_gets_a_part_and_another_its_own(names):
    looking = Resolver(names.look_up)
    with waiting(looking, names, *["one"] * resolver.OF_ONE):
        with pytest.raises(ServiceUnavailable, match="of your host names") as refused:
            looking.look_up("one", "quick.example", 5)
        assert refused.value.retry_after > 0
        assert looking.look_up("other", "quick.example", 5) == ["93.184.215.14"]


def test_all_partners_together_never_hold_more_than_half_of_the_threads(names):
    looking = Resolver(names.look_up)
    with waiting(looking, names, "one", "one", "two", "three"), pytest.raises(ServiceUnavailable, match="Too many"):
        looking.look_up("four", "quick.example", 5)
    assert looking.look_up("four", "quick.example", 5)


def test_lookups_that_nobody_waits_for_count_until_they_end(names):
    looking = Resolver(names.look_up)
    with waiting(looking, names, "one", "one", "two"):
        pass
    with pytest.raises(ServiceUnavailable):
        looking.look_up("one", "quick.example", 5)
    assert looking.look_up("two", "quick.example", 5)
    names.end()
    assert looking.look_up("one", "quick.example", 5)


def test_their_number_is_bounded_whoever_asks(names):
    looking = Resolver(names.look_up)
    names.give_up.set()
    for number in range(resolver.RUNNING):
        with pytest.raises(NotResolved):
            looking.look_up(f"partner {number}", "slow.example", 5)
    with pytest.raises(ServiceUnavailable):
        looking.look_up("one more", "quick.example", 5)
    names.end()
    assert looking.look_up("one more", "quick.example", 5)


def test_an_address_or_a_malformed_url_needs_no_lookup(names):
    looking = Resolver(names.look_up)
    check = UrlCheck([ip_network("127.0.0.0/8")], looking)
    with waiting(looking, names, *["one"] * resolver.OF_ONE):
        check("https://93.184.215.14/hooks", "one")
        check("http://127.0.0.1:9000/hooks", "one")
        with pytest.raises(InvalidEndpointUrl):
            check("https://", "one")
        with pytest.raises(ServiceUnavailable):
            check("https://quick.example/", "one")
        check("https://quick.example/", "other")
