"""Trouble with the machine: said once, and met with what can be done without."""

import errno
import threading

import pytest
from support import plain_sql

from svc.media.cache import Cache
from svc.work.outages import Outages

FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def cache(tmp_path):
    made = Cache(tmp_path / "cache")
    for name in ("a", "b"):
        made.keep(name, bytes(5000))
    return made


def outages(cache) -> Outages:
    return Outages(lambda: 0, threading.Event(), cache.clear)


def test_a_full_disk_gets_the_room_of_what_can_be_made_again(cache, tmp_path):
    assert cache.find("a")
    outages(cache).record_failure(FULL)
    assert list((tmp_path / "cache").iterdir()) == [] and cache.find("a") is None
    cache.keep("a", b"again")
    assert cache.find("a") == b"again"


def test_nothing_is_given_up_for_other_trouble_or_a_mistake(cache):
    noting = outages(cache)
    assert (
        noting.record_failure(OSError(errno.EIO, "Input/output error")).name
        != noting.record_failure(FULL).name
    )
    cache.keep("c", b"kept")
    assert noting.record_failure(ValueError("a mistake")) is None and cache.find("c") == b"kept"


def test_a_cache_that_was_never_used_has_nothing_to_give(tmp_path):
    assert Cache(tmp_path / "never").clear() == Cache(None).clear() == 0


def test_each_part_of_the_engine_that_fails_has_an_alert_of_its_own(app, cache):
    noting = outages(cache)
    for part in ("deliveries", "publishing", "deliveries"):
        noting.raise_fault_alert(part)
    told = plain_sql.rows("SELECT subject_id FROM alerts WHERE name = 'EngineFault' ORDER BY id")
    assert [part for (part,) in told] == ["deliveries", "publishing"]
