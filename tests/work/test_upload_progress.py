"""How much of a post a place has: counted over attempts, of what it is sent in all,
and shown while it is sent.
"""

import threading

import pytest
from support import places, plain_sql
from support.cast import text
from support.connected import CONTENT, add, publication, publish
from support.places import Crash
from support.receivers import LOOPBACK
from support.stage import DRIVER

from svc.adapters import addresses
from svc.adapters.transfers import Transfers
from svc.domain.productions import publications
from svc.domain.publishing import connections
from svc.platforms.connected import Tools
from svc.store import claims
from svc.store.database import db
from svc.work.publishing import posting

pytest_plugins = ("tests.support.connected",)


@pytest.fixture(autouse=True)
def _written_at_once(monkeypatch):
    monkeypatch.setattr(posting, "_PROGRESS_SECONDS", 0.0)


def test_what_is_sent_is_counted_of_all_files_that_a_place_takes(
    connected, partner, publisher, released, clock, service
):
    with places.bucket() as bucket:
        add(connected, partner, bucket)
        production = released()
        (service.settings.data_dir / "media" / production / "poster-landscape.jpg").write_bytes(
            b"picture"
        )
        assert publish(publisher, clock, production, "S3") == ["Published"]
    row = publication(production, "S3")
    assert (row["sent_bytes"], row["total_bytes"]) == (len(CONTENT) + 7, len(CONTENT) + 7)


def test_a_place_that_is_sent_nothing_has_no_total(connected, partner, publisher, released, clock):
    with places.relay() as relay:
        add(connected, partner, relay.counterpart)
        production = released()
        publish(publisher, clock, production, "Hook")
    assert publication(production, "Hook")["total_bytes"] == 0


@pytest.mark.judges
def test_what_an_earlier_attempt_has_sent_counts(
    connected, partner, released, clock, service, tmp_path, monkeypatch
):
    tools = Tools(Transfers(LOOPBACK), LOOPBACK, addresses.look_up, clock)
    content, seen = b"moving pictures" * 10_000, []
    with places.sftp(tmp_path) as there:
        add(connected, partner, there)
        production = released(content=content)
        claim = publications.claim_next(DRIVER, clock(), at_places=True)
        count_sent = posting.StoredUploadState.count_sent

        def break_off(upload_state, number):
            count_sent(upload_state, number)
            if upload_state._sent > 80_000:
                raise Crash

        monkeypatch.setattr(posting.StoredUploadState, "count_sent", break_off)
        with pytest.raises(Crash):
            posting.publish(claim, service.storage, service.ring, tools, threading.Event())
        publications.release_claim(claim)
        [partial] = (tmp_path / "root").rglob("*.part")
        there_already = partial.stat().st_size
        monkeypatch.setattr(
            posting.StoredUploadState,
            "count_sent",
            lambda self, number: (
                count_sent(self, number),
                seen.append(publication(production, "SFTP")),
            ),
        )
        claim = publications.claim_next(claims.Driver("next"), clock(), at_places=True)
        posting.publish(claim, service.storage, service.ring, tools, threading.Event())
    counts = [row["sent_bytes"] for row in seen if row["sent_bytes"]]
    assert counts[0] > there_already > 0 and counts[-1] == len(content) == seen[-1]["total_bytes"]


def test_the_page_of_a_production_shows_and_renews_a_bar(
    connected, partner, owner, released, clock
):
    with places.bucket() as bucket:
        made = add(connected, partner, bucket)
    production = released()
    journal_of(production, clock)
    page = text(owner.get(f"/console/productions/{production}"))
    assert (
        '<progress max="2000000" value="0" aria-label="Upload to S3"></progress>' in page
        and "0 %: 0" in page
    )
    live = page.partition(f"/console/productions/{production}/live?seen=")[2].partition('"')[0]
    again = f"/console/productions/{production}/live?seen={live}"
    assert owner.get(again).status_code == 204
    sent(production, 500_000)
    page = text(owner.get(again))
    assert 'value="500000"' in page and "25 %: 500 kB of 2.0 MB sent." in page.replace(
        "2 MB", "2.0 MB"
    )
    assert connections.list_upload_percentages(partner.account) == {made: 25}
    assert "Uploading: 25 %" in text(owner.get(f"/console/connections/{partner.account}"))
    sent(production, 2_100_000)  # captions grew meanwhile
    assert "100 %: 2" in text(owner.get(again))


def test_the_page_of_a_published_production_follows_a_retry(
    connected, partner, owner, released, clock
):
    with places.bucket() as bucket:
        add(connected, partner, bucket)
    production = released()
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Published' WHERE id = ?", (production,))
        plain_sql.execute("UPDATE publications SET status = 'Published'")
    page = f"/console/productions/{production}"
    assert 'hx-trigger="every 2s"' not in text(owner.get(page))
    with db.transaction():
        plain_sql.execute("UPDATE publications SET status = 'Pending' WHERE platform = 'S3'")
    assert 'hx-trigger="every 2s"' in text(owner.get(page))


def test_a_stranger_sees_nothing_of_an_upload(connected, partner, stranger, released, clock):
    with places.bucket() as bucket:
        add(connected, partner, bucket)
    journal_of(released(), clock)
    assert connections.list_upload_percentages(stranger.account) == {}


def journal_of(production: str, clock) -> None:
    """Let an upload of 2 MB begin."""
    claim = publications.claim_next(DRIVER, clock(), at_places=True)
    with db.transaction():
        plain_sql.execute(
            (
                "UPDATE publications SET sent_bytes = 0, total_bytes = 2000000 "
                "WHERE production_id = ? AND claim_token = ?"
            ),
            (production, claim.token),
        )


def sent(production: str, number: int) -> None:
    with db.transaction():
        plain_sql.execute(
            "UPDATE publications SET sent_bytes = ? WHERE production_id = ? AND platform = 'S3'",
            (number, production),
        )
