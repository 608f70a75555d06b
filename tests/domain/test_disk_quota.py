"""A partner's files take no more room than they may, measured by a counter,
whoever asks for more.
"""

import pytest
from support import plain_sql
from support.cast import body, refused
from support.stage import complete_steps, make, publish_all

from svc.base.errors import DiskQuotaReached
from svc.base.settings import read
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import assets, disk_quota
from svc.domain.partners.brand_files import brand_fonts, intro_clips, music_tracks
from svc.domain.productions import retention
from svc.store.database import db

PNG = b"\x89PNG\r\n\x1a\n"
QUOTA = 10  # megabytes


@pytest.fixture
def full(partner, clock) -> str:
    """A published production whose files take all that the partner may have."""
    with db.transaction():
        disk_quota.store_quota(read({"SVC_PARTNER_DISK_MEGABYTES": str(QUOTA)}))
    production = body(partner.trigger(headers={"Idempotency-Key": "first"}))["productionId"]
    complete_steps(clock, made=[make(size_bytes=QUOTA * 1_000_000)])
    publish_all(clock)
    return production


def used_bytes(partner) -> int:
    sql = "SELECT bytes FROM partner_storage WHERE partner_id = ?"
    row = plain_sql.row(sql, (partner.seeded["partnerId"],))
    return row["bytes"] if row else 0


def test_a_partner_over_its_quota_triggers_nothing_more_and_others_do(full, partner, stranger):
    found = refused(partner.trigger(), 409, "DISK_QUOTA_REACHED")
    assert "10 MB" in found["message"]
    assert stranger.trigger().status_code == 202
    assert partner.get(f"/v1/productions/{full}").status_code == 200


def test_a_repeated_trigger_still_gets_its_first_answer(full, partner):
    again = partner.trigger(headers={"Idempotency-Key": "first"})
    assert (again.status_code, body(again)["productionId"]) == (202, full)


def test_room_that_retention_makes_can_be_used_again(full, partner, clock):
    assert retention.prune_files(clock.tick(1), clock()) == 1
    assert used_bytes(partner) == 0
    assert partner.trigger().status_code == 202


def test_what_was_triggered_before_is_finished(partner, clock, full):
    with db.transaction():
        disk_quota.store_quota(read({"SVC_PARTNER_DISK_MEGABYTES": "0"}))
    assert partner.trigger().status_code == 202
    with db.transaction():
        disk_quota.store_quota(read({"SVC_PARTNER_DISK_MEGABYTES": str(QUOTA)}))
    complete_steps(clock, made=[make(size_bytes=5)])
    assert used_bytes(partner) == QUOTA * 1_000_000 + 5


def test_uploads_are_counted_replaced_and_refused(partner, clock, tmp_path):
    with db.transaction():
        disk_quota.store_quota(read({"SVC_PARTNER_DISK_MEGABYTES": "1"}))
    customer = partner_admin.find(partner_admin.ACCOUNT, partner.account)["customer_id"]
    before = used_bytes(partner)

    def keep(size):
        with db.transaction():
            assets.store_picture(
                tmp_path, customer, None, "logo", PNG.ljust(size, b"x"), clock.tick()
            )

    keep(400_000)
    keep(300_000)  # in its place
    assert used_bytes(partner) == before + 300_000
    with pytest.raises(DiskQuotaReached):
        keep(900_000)
    assert used_bytes(partner) == before + 300_000


@pytest.mark.parametrize(
    "files", [brand_fonts, music_tracks, intro_clips], ids=["font", "track", "intro"]
)
def test_a_file_of_the_brand_is_counted_replaced_with_its_file_and_refused(
    partner, clock, tmp_path, files
):
    with db.transaction():
        disk_quota.store_quota(read({"SVC_PARTNER_DISK_MEGABYTES": "1"}))
    before = used_bytes(partner)

    def keep(size):
        content = b"OTTO".ljust(size, b"x")
        files.replace(Actor(None, "olga"), partner.account, content, "OFL", tmp_path, clock.tick())

    keep(400_000)
    keep(300_000)
    with pytest.raises(DiskQuotaReached):
        keep(900_000)
    assert used_bytes(partner) == before + 300_000
    assert [file.stat().st_size for file in tmp_path.iterdir() if file.is_file()] == [300_000]
    files.remove(Actor(None, "olga"), partner.account, tmp_path, clock.tick())
    assert used_bytes(partner) == before
    assert not [file for file in tmp_path.iterdir() if file.is_file()]


def test_sandboxes_are_pruned_by_settings_of_their_own(partner, clock):
    for each in (partner, partner.live()):
        each.trigger()
        complete_steps(clock, made=[make(size_bytes=7)])
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Published', finished_at = ?", (clock(),)
        )
        plain_sql.execute("UPDATE publications SET status = 'Published'")
    assert retention.prune_files(clock.tick(1), clock(), sandboxes=True) == 1
    assert retention.prune_productions(clock(), clock(), sandboxes=True) == 1
    [left] = plain_sql.rows("SELECT lane FROM productions")
    assert left["lane"] == 1 and used_bytes(partner) == 7
