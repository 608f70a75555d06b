"""What is done with finished files reaches those in a bucket: retention, export, erasure,
the doctor, backups.
"""

import tarfile
from contextlib import closing
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import body

from svc.adapters.storage import Storage
from svc.base.errors import CommandError
from svc.domain import file_removal
from svc.domain.audit.audit import Actor
from svc.domain.productions import retention
from svc.store import meta
from svc.store.backup import database_file
from svc.store.database import db
from svc.work import partner_data
from svc.work.backup import make as backup
from svc.work.backup import restore
from svc.work.doctor import files as doctor
from svc.work.doctor.findings import OK, PROBLEM, WARNING
from svc.work.files.removal import Remover
from svc.work.files.uploads import Uploads
from svc.work.self_check import SelfCheck
from tests.support.elsewhere import CONTENT, Elsewhere, published_in

ME = Actor(None, "olga")


@pytest.fixture
def bucket(app, tmp_path, monkeypatch):
    store = Elsewhere(tmp_path / "bucket")
    app.extensions["svc"].storage.files = store
    for module in (partner_data, doctor):
        monkeypatch.setattr(module, "open_store", lambda settings: store)
    return store


@pytest.fixture
def given(app):
    """The settings of the server."""
    return replace(app.extensions["svc"].settings, storage_url="s3://media")


@pytest.fixture
def finished(bucket, partner, clock, tmp_path):
    return published_in(bucket, partner, clock, tmp_path)


@pytest.fixture
def remover(bucket, given):
    return Remover(bucket, Uploads(bucket, given.assets_dir))


def test_retention_removes_files_from_the_bucket_and_tries_again_when_that_failed(
    remover, bucket, finished, clock
):
    bucket.failures = 1
    retention.prune_files(clock.tick(1), clock())
    with pytest.raises(OSError, match="500"):
        file_removal.remove_scheduled(remover)
    assert len(list(bucket.list_names(finished))) == 3
    file_removal.remove_scheduled(remover)
    assert list(bucket.list_names(finished)) == []


def test_an_export_has_the_files_of_the_bucket(bucket, partner, finished, given, tmp_path):
    partner_data.export(partner.seeded["partnerId"], given, tmp_path / "partner.tar")
    with tarfile.open(tmp_path / "partner.tar") as tar:
        content = {each.name: tar.extractfile(each).read() for each in tar}
    assert {
        f"media/{finished}/{name}": text for name, text in CONTENT.items()
    }.items() <= content.items()


def test_an_export_that_the_bucket_interrupts_leaves_no_file(
    bucket, partner, finished, given, tmp_path
):
    bucket.failures = 1
    with pytest.raises(CommandError, match="500 Internal Server Error. Nothing is written"):
        partner_data.export(partner.seeded["partnerId"], given, tmp_path / "partner.tar")
    assert not (tmp_path / "partner.tar").exists()


def test_an_erasure_removes_the_rows_first_and_the_server_the_files_that_a_bucket_kept(
    bucket, partner, finished, given, clock, remover
):
    bucket.failures = 1
    with pytest.raises(
        CommandError,
        match="the server removes the files that are left as soon as the bucket answers",
    ):
        partner_data.erase(partner.seeded["partnerId"], given, clock, ME)
    assert (
        plain_sql.rows("SELECT 1 FROM partners WHERE id = ?", (partner.seeded["partnerId"],)) == []
    )
    assert len(list(bucket.list_names(finished))) == 3
    file_removal.remove_scheduled(remover)
    assert list(bucket.list_names(finished)) == []


@pytest.mark.sqlite("the doctor reads the file")
def test_the_doctor_says_what_a_bucket_lacks_and_that_it_does_not_answer(bucket, finished, given):
    def examine(deep=False):
        with db.separate_connection(1.0) as connection:
            [finding] = doctor.examine(given, connection, deep, 0)
        assert (finding.mend is None) == (finding.verdict == OK)
        return finding.verdict, finding.text

    assert examine(deep=True) == (OK, f"{bucket} has the 3 files that were compared.")
    (bucket._root / finished / "captions.vtt").write_bytes(b"short")
    verdict, text = examine()
    assert (
        verdict == WARNING
        and text.startswith("1 of 3 files is missing")
        and f"{finished}/captions.vtt" in text
    )
    bucket.failures = 1
    assert examine() == (PROBLEM, "the bucket does not answer.")


def test_a_bucket_that_does_not_answer_is_an_alert(bucket, given, clock):
    bucket.failures = 1
    check = SelfCheck(replace(given, disk_floor_megabytes=0), clock, bucket.find_problem)
    check.run()
    assert ("FileStoreUnavailable", "critical") in [
        tuple(row) for row in plain_sql.rows("SELECT name, severity FROM alerts")
    ]


@pytest.mark.sqlite("a backup copies the file")
def test_a_backup_names_each_file_of_the_bucket_with_its_size_and_hash(
    bucket, partner, finished, given, tmp_path
):
    listed = body(partner.get(f"/v1/productions/{finished}/deliverables"))["data"]
    # without a bucket the files would have to be there
    lost = backup.make_backup(given.data_dir, tmp_path / "without.tar").missing
    assert lost == tuple(sorted(f"media/{finished}/{name}" for name in CONTENT))
    with db.transaction():
        meta.put("storage_url", given.storage_url)
    assert backup.make_backup(given.data_dir, tmp_path / "backup.tar").missing == ()
    restore.restore(tmp_path / "backup.tar", tmp_path / "restored")
    assert not (tmp_path / "restored" / "media").exists()
    with closing(database_file.connect(tmp_path / "restored" / "service.db")) as connection:
        rows = connection.execute(
            "SELECT file, size_bytes, sha256 FROM deliverables ORDER BY position"
        ).fetchall()
    assert [tuple(row) for row in rows] == [
        (f"{finished}/{name}", each["sizeBytes"], each["sha256"])
        for name, each in zip(CONTENT, listed, strict=True)
    ]


def test_a_proxy_that_serves_the_data_directory_serves_no_file_of_a_bucket(given, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    storage = Storage(replace(given, media_redirect="/_media/"), None)
    assert storage.files.is_remote and storage.find_redirect("production/landscape.mp4") is None
