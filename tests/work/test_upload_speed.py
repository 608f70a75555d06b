"""Connections with a limit of speed: uploads keep it, hold their claim meanwhile, end when told,
and slow nobody else.
"""

import math
import threading
import time

import pytest
from support import places, plain_sql
from support.connected import US, add, publication, publish, wait_until
from support.places import PATIENCE, Counterpart, post_of
from support.receivers import LOOPBACK, answering, receiving
from support.stage import DRIVER

from svc.adapters import addresses
from svc.adapters.transfers import Part, Transfers
from svc.base.errors import InvalidRequest
from svc.domain.lifecycle import endings
from svc.domain.productions import productions, publications
from svc.domain.publishing import actions, connections
from svc.platforms.connected import Tools
from svc.store import claims
from svc.store.database import db
from svc.work.publishing import posting
from svc.work.publishing.posting import Pace

pytest_plugins = ("tests.support.connected",)
LARGE = b"moving pictures" * 20_000  # 300 kB


class Held(threading.Event):
    """What ends an upload; time passes only while it is waited for."""

    def __init__(self):
        super().__init__()
        self.seconds = 0.0

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds += timeout
        return self.is_set()

    def steady(self) -> float:
        return self.seconds


@pytest.fixture
def tools(clock):
    return Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock)


@pytest.mark.parametrize("place", ["S3", pytest.param("SFTP", marks=pytest.mark.judges)])
def test_an_upload_takes_as_long_as_its_limit_wants(
    place, connected, partner, released, clock, service, tools, tmp_path
):
    held = Held()
    with places.bucket() if place == "S3" else places.sftp(tmp_path) as there:
        add(connected, partner, there, max_kilobytes_per_second="100")
        released(content=LARGE)
        claim = publications.claim_next(DRIVER, clock(), at_places=True)
        posted = posting.publish(claim, service.storage, service.ring, tools, held, held.steady)
        assert round(held.seconds, 6) >= len(LARGE) / 100_000
        assert there.fetch(f"{posted.post_id}/video.mp4") == LARGE


def test_a_slow_connection_slows_no_other_one(
    connected, partner, publisher, released, clock, monkeypatch
):
    monkeypatch.setattr(
        Pace, "find_next_time", lambda pace, number: math.inf if pace._rate else 0.0
    )
    with places.bucket() as bucket:
        add(connected, partner, bucket, "Slow", max_kilobytes_per_second="50", folder="slow")
        add(connected, partner, bucket, "Fast", folder="fast")
        production = released(content=LARGE)
        publish(publisher, clock, production, "Fast", "Watch", "WatchVertical")
        assert publication(production, "Slow")["status"] == "Publishing"  # for ever
        publisher.stop()
        # and is given back at once
        wait_until(lambda: publication(production, "Slow")["claim_token"] is None)
    assert publication(production, "Slow")["attempts"] == 0


@pytest.mark.judges
def test_an_upload_that_was_ended_goes_on_with_its_limit(
    connected, partner, released, clock, service, tools, tmp_path
):
    with places.sftp(tmp_path) as there:
        connection = add(connected, partner, there, max_kilobytes_per_second="50")
        production, stopping, whole = released(content=LARGE * 10), threading.Event(), LARGE * 10
        claim = publications.claim_next(DRIVER, clock(), at_places=True)
        parts = (tmp_path / "root").rglob
        ending = threading.Thread(
            target=lambda: (wait_until(lambda: _size(parts("*.part"))), stopping.set())
        )
        ending.start()
        with pytest.raises(posting.Stopped):
            posting.publish(claim, service.storage, service.ring, tools, stopping)
        ending.join()
        publications.release_claim(claim)
        sent, claim = (
            _size(parts("*.part")),
            publications.claim_next(claims.Driver("next"), clock(), at_places=True),
        )
        assert 0 < sent < len(whole)
        connected.renew(US, connection, {"max_kilobytes_per_second": "1000"})
        held = Held()
        posted = posting.publish(claim, service.storage, service.ring, tools, held, held.steady)
        assert round(held.seconds, 6) >= (len(whole) - sent) / 1_000_000
        assert there.fetch(f"{posted.post_id}/video.mp4") == whole
    assert production in posted.post_id


def _size(files) -> int:
    return sum(file.stat().st_size for file in files)


@pytest.fixture
def held(connected, partner, released, clock, service, monkeypatch):
    """An upload that is held back for hours: its production, what ends it,
    and what becomes of it.
    """
    monkeypatch.setattr(posting, "_PROGRESS_SECONDS", 0.05)
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
    production, stopping, raised = released(), threading.Event(), []
    claim = publications.claim_next(DRIVER, clock(), at_places=True)
    upload_state = posting.StoredUploadState(claim, service.ring, clock, stopping, most=10_000)

    def upload():
        try:
            upload_state.count_sent(100_000_000)
        except (posting.Stopped, claims.LostClaim) as ended:
            raised.append(type(ended))

    thread = threading.Thread(target=upload)
    thread.start()
    yield production, stopping, lambda: (thread.join(PATIENCE), raised)[1]
    stopping.set()
    thread.join(PATIENCE)


def test_an_upload_that_is_held_back_keeps_its_claim_and_tells_how_far_it_is(held, clock):
    production, stopping, _ = held
    wait_until(lambda: publication(production, "Hook")["sent_bytes"] == 100_000_000)
    clock.tick(600)  # longer than the lease
    wait_until(
        lambda: publication(production, "Hook")["claim_until"] == clock() + publications.LEASE
    )


def test_an_upload_that_is_held_back_ends_with_the_process(held):
    production, stopping, outcome = held
    stopping.set()
    assert outcome() == [posting.Stopped]


def test_an_upload_that_is_held_back_ends_when_it_is_skipped(held, clock):
    production, _, outcome = held
    wait_until(lambda: publication(production, "Hook")["sent_bytes"])
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Distributing' WHERE id = ?", (production,)
        )
    actions.skip(US, production, "Hook", clock())
    assert outcome() == [claims.LostClaim]


def test_an_upload_that_is_held_back_ends_when_its_production_is_cancelled(held, clock):
    production, _, outcome = held
    wait_until(lambda: publication(production, "Hook")["sent_bytes"])
    productions.request_cancel(production, clock())
    assert endings.finish_cancel(production, clock())
    assert (
        outcome() == [claims.LostClaim] and publication(production, "Hook")["status"] == "Withdrawn"
    )


def test_the_time_in_which_bytes_are_held_back_is_none_of_the_exchange(tmp_path, monkeypatch):
    """An hour passes between two blocks, by this process's clock."""
    passed, real, video = [0.0], time.monotonic, post_of(tmp_path).video
    monkeypatch.setattr(time, "monotonic", lambda: real() + passed[0])
    with video.fetch() as path, receiving(answering()) as receiver:
        body = Part(
            path, 0, video.size_bytes, lambda number: passed.__setitem__(0, passed[0] + 3600)
        )
        assert Transfers(LOOPBACK).request("PUT", receiver.url(), {}, body).status == 200
    assert passed[0] > 3600


@pytest.mark.parametrize("given", ["49", "0", "-5", "1000000", "1.5", "fast", "²²"])
def test_a_limit_that_is_none_is_named_with_its_field(connected, partner, given):
    there = Counterpart(
        "S3",
        {"bucket": "films", "access_key_id": "id", "secret_access_key": "key"},
        lambda name: None,
    )
    with pytest.raises(InvalidRequest, match="from 50 to 999999") as refused:
        add(connected, partner, there, max_kilobytes_per_second=given)
    assert list(refused.value.fields) == ["max_kilobytes_per_second"]


def test_a_kind_that_is_sent_no_files_refuses_a_limit(connected, partner):
    with places.relay() as relay, pytest.raises(InvalidRequest, match="Hook is sent no files"):
        add(connected, partner, relay.counterpart, max_kilobytes_per_second="100")


def test_a_limit_is_changed_and_taken_away(connected, partner, service):
    with places.bucket() as bucket:
        made = add(connected, partner, bucket, max_kilobytes_per_second="100")
        for given, most in ((None, 100_000), ("250", 250_000), ("", None)):
            connected.renew(US, made, {} if given is None else {"max_kilobytes_per_second": given})
            assert connections.unseal_connection(made, service.ring).bytes_per_second == most
