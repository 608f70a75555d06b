"""Uploads of accounts are in the bucket before any row names them,
and every machine takes what it lacks from there.
"""

import hashlib
import os
import tarfile
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support import plain_sql
from support.cast import body

from svc.adapters.files.directory import Directory
from svc.base.errors import CommandError, FileStoreUnavailable
from svc.domain import file_removal
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin, assets
from svc.domain.partners.brand_files import brand_fonts
from svc.store import meta
from svc.store.database import db
from svc.work import brief_builder, partner_data
from svc.work.avatar_previews import AvatarPreviews
from svc.work.doctor import files as doctor
from svc.work.files import bucket_owner
from svc.work.files.removal import Remover
from svc.work.files.uploads import GRACE, Uploads
from tests.support.elsewhere import Elsewhere

ME = Actor(None, "olga")
PNG = b"\x89PNG\r\n\x1a\n"
FONT = b"OTTO and the rest of a font"


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    store = Elsewhere(tmp_path / "bucket")
    monkeypatch.setattr(partner_data, "open_store", lambda settings: store)
    return store


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


class Machine:
    """One of several machines that share a database and a bucket,
    with an assets folder of its own.
    """

    def __init__(self, bucket, folder):
        self.folder, self.now = folder, 0.0
        self.uploads = Uploads(bucket, folder, lambda: self.now)

    def take(self, account, clock, content=PNG):
        self.uploads.keep(content)
        admin.set_logo(ME, account, content, self.folder, clock.tick())
        return assets.find_logo_file(account)


@pytest.fixture
def machines(bucket, tmp_path, partner):
    return Machine(bucket, tmp_path / "one"), Machine(bucket, tmp_path / "other")


def place(content):
    return f"uploads/{hashlib.sha256(content).hexdigest()}/content"


def test_a_logo_that_one_machine_took_is_shown_by_another_one(machines, partner, clock, tmp_path):
    one, other = machines
    file = one.take(partner.account, clock)
    brief = brief_builder.build_brief(body(partner.trigger())["productionId"])
    assert brief_builder.list_uploads(brief) == {file}
    other.uploads.fetch(brief_builder.list_uploads(brief))
    (tmp_path / "production").mkdir()
    brief_builder.copy_uploads(brief, other.folder, tmp_path / "production")
    assert (tmp_path / "production" / file).read_bytes() == PNG


def test_an_upload_is_fetched_once(machines, partner, clock, bucket, monkeypatch):
    one, other = machines
    file = one.take(partner.account, clock)
    other.uploads.fetch([file, ""])
    monkeypatch.setattr(bucket, "read", lambda *given: pytest.fail("read again"))
    other.uploads.fetch([file])
    one.uploads.fetch([file])


@pytest.mark.parametrize("content", [None, b"something else"])
def test_an_upload_that_the_bucket_lost_is_left_out(
    machines, partner, clock, bucket, content, caplog
):
    one, other = machines
    file = one.take(partner.account, clock)
    bucket.delete_folder("uploads")
    if content is not None:
        (bucket._root / place(PNG)).parent.mkdir(parents=True)
        (bucket._root / place(PNG)).write_bytes(content)
    other.uploads.fetch([file])
    assert not (other.folder / file).exists() and file in caplog.text


def test_a_bucket_that_fails_takes_no_upload(given, bucket, monkeypatch):
    previews = AvatarPreviews(given, bucket)
    monkeypatch.setattr(
        previews, "_run_child", lambda kind, source, target: target.write_bytes(PNG) and None
    )
    bucket.failures = 1
    with pytest.raises(FileStoreUnavailable):
        previews.reencode("logo", PNG)
    assert previews.reencode("logo", PNG) == PNG
    assert list(bucket.list_names("")) == [place(PNG)]


def test_the_console_shows_a_logo_that_another_machine_took(
    given, bucket, partner, machines, clock
):
    file = machines[0].take(partner.account, clock)
    assert AvatarPreviews(given, bucket).fetch_asset(file).read_bytes() == PNG


def test_uploads_of_before_the_setting_are_sent(machines, partner, clock, bucket):
    one, other = machines
    admin.set_logo(ME, partner.account, PNG, one.folder, clock())
    brand_fonts.replace(ME, partner.account, FONT, "OFL 1.1", one.folder, clock())
    assert list(bucket.list_names("")) == []
    other.uploads.sweep()  # it has none
    one.uploads.sweep()
    assert sorted(bucket.list_names("")) == sorted([place(PNG), place(FONT)])
    one.uploads.sweep()
    assert len(bucket.puts) == 2


def test_what_no_row_has_is_removed_after_an_hour_in_the_bucket_and_on_each_machine(
    machines, partner, clock, bucket
):
    one, other = machines
    file = one.take(partner.account, clock)
    other.uploads.fetch([file])
    one.take(partner.account, clock, PNG + b"a newer one")
    one.uploads.keep(b"the transaction failed")
    for machine in machines:
        for path in machine.folder.iterdir():
            os.utime(path, (0, 0))
        machine.uploads.sweep()
    assert len(list(bucket.list_names(""))) == 3 and (other.folder / file).exists()
    for machine in machines:
        machine.now = GRACE + 1
        machine.uploads.sweep()
    assert list(bucket.list_names("")) == [place(PNG + b"a newer one")]
    assert list(other.folder.iterdir()) == [] and len(list(one.folder.iterdir())) == 1


def test_only_the_database_that_first_tidied_a_bucket_removes_what_it_does_not_know(
    app, bucket, caplog
):
    assert (
        bucket_owner.is_ours(bucket)
        and bucket_owner.is_ours(bucket)
        and bucket.puts == [bucket_owner.NAME]
    )
    with db.transaction():
        meta.remove("bucket_owner")
    assert not bucket_owner.is_ours(bucket) and "is not tidied" in caplog.text
    bucket.delete_folder("owner")
    assert bucket_owner.is_ours(bucket)


def test_the_engine_tidies_no_bucket_of_another_database(app, clock, bucket, tmp_path):
    engine = app.extensions["engine"]
    engine._storage.files, swept = bucket, []
    work_archives, uploads = (
        SimpleNamespace(sweep=lambda name=name: swept.append(name), forget_ended=lambda: None)
        for name in ("work", "uploads")
    )
    engine._pipeline = SimpleNamespace(work_archives=work_archives, uploads=uploads)
    engine._tidy()
    assert swept == ["work", "uploads"]
    with db.transaction():
        meta.put("bucket_owner", "a database that was named by mistake")
    engine._tidy()
    assert swept == ["work", "uploads"]


def test_an_upload_that_comes_back_while_the_bucket_is_tidied_stays(
    machines, partner, clock, bucket, monkeypatch
):
    one, _ = machines
    one.uploads.keep(PNG)
    one.uploads.sweep()
    one.now, listed = GRACE + 1, bucket.list_names

    def meanwhile(folder):
        one.take(partner.account, clock)
        return listed(folder)

    monkeypatch.setattr(bucket, "list_names", meanwhile)
    one.uploads.sweep()
    assert list(listed("")) == [place(PNG)]


def test_an_erasure_removes_uploads_and_scenes_from_the_bucket_unless_others_have_the_same(
    given, bucket, partner, stranger, clock, machines
):
    one, _ = machines
    for each in (partner, stranger):
        one.take(each.account, clock)
    one.uploads.keep(FONT)
    brand_fonts.replace(ME, partner.account, FONT, "OFL 1.1", one.folder, clock())
    bucket.put(
        one.folder / assets.find_logo_file(partner.account),
        f"scenes/{partner.seeded['partnerId']}/a-scene",
    )
    bucket.failures = 1
    with pytest.raises(CommandError, match="as soon as the bucket answers"):
        partner_data.erase(partner.seeded["partnerId"], given, clock, ME)
    file_removal.remove_scheduled(Remover(bucket, one.uploads))
    assert list(bucket.list_names("")) == [place(PNG)]
    assert len(plain_sql.rows("SELECT 1 FROM assets")) == 1


def test_an_export_has_the_uploads_that_another_machine_took(
    given, bucket, partner, clock, machines, tmp_path
):
    file = machines[0].take(partner.account, clock)
    bucket.failures = 1
    with pytest.raises(CommandError, match="Nothing is written"):
        partner_data.export(partner.seeded["partnerId"], given, tmp_path / "partner.tar")
    partner_data.export(partner.seeded["partnerId"], given, tmp_path / "partner.tar")
    with tarfile.open(tmp_path / "partner.tar") as tar:
        assert tar.extractfile(f"assets/{file}").read() == PNG


def test_the_doctor_says_which_upload_the_bucket_lacks(
    given, bucket, partner, clock, machines, monkeypatch
):
    monkeypatch.setattr(doctor, "open_store", lambda settings: bucket)
    machines[0].take(partner.account, clock)
    machines[0].uploads.keep(FONT)
    brand_fonts.replace(ME, partner.account, FONT, "OFL 1.1", machines[0].folder, clock())
    (bucket._root / place(FONT)).unlink()
    with db.separate_connection(1.0) as connection:
        [finding] = doctor.examine(replace(given, storage_url="s3://media"), connection, False, 0)
    assert finding.text.startswith("1 of 2 files is missing") and place(FONT) in finding.text


def test_without_a_bucket_no_row_is_asked_for_and_no_file_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(db, "rows", lambda *given: pytest.fail(f"asked {given}"))
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "old.png").write_bytes(PNG)
    os.utime(tmp_path / "assets" / "old.png", (0, 0))
    uploads = Uploads(Directory(tmp_path / "media"), tmp_path / "assets")
    uploads.keep(PNG)
    uploads.fetch(["missing.png"])
    uploads.sweep()
    assert not (tmp_path / "media").exists() and (tmp_path / "assets" / "old.png").exists()
    uploads.remove("old.png", None)
    assert not (tmp_path / "assets" / "old.png").exists()
