"""Backups: consistent beside writers, whole or not there, checked to the last byte;
restored into nothing but emptiness.
"""

import io
import itertools
import json
import os
import shutil
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import peewee
import pytest
from support import plain_sql
from support.cast import body
from support.sampling import sampled
from support.stage import complete_steps, make, publish_all

from app import create_app
from svc.base import settings
from svc.base.errors import CommandError, StartRefused
from svc.domain import file_removal, key_retirement, master_keys
from svc.domain.audit.audit import Actor
from svc.domain.lifecycle import endings
from svc.domain.productions import productions
from svc.store import database, meta
from svc.store.backup import database_file, named_files
from svc.store.database import Row, db
from svc.store.engine import schema
from svc.work.backup import archive, restore
from svc.work.backup import make as backup

pytestmark = pytest.mark.sqlite("a backup of the file; that of PostgreSQL is in tests/deploy")


@pytest.fixture
def data_dir(app) -> Path:
    return app.extensions["svc"].settings.data_dir


@pytest.fixture
def finished(app, partner, clock, data_dir) -> str:
    """A production that was published, with its file."""
    production = body(partner.trigger())["productionId"]
    store(data_dir, f"{production}/transcript.txt", b"tides")
    store(data_dir, f"{production}/poster-tall.jpg", b"jpeg")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    return production


def store(data_dir: Path, file: str, content: bytes) -> Path:
    path = data_dir / "media" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def names(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        return tar.getnames()


def rewritten(path: Path, target: Path, name: str, content: bytes) -> Path:
    """The same backup with another content of one part."""
    with tarfile.open(path) as old, tarfile.open(target, "w") as new:
        for entry in old:
            text = content if entry.name == name else old.extractfile(entry).read()
            entry.size = len(text)
            new.addfile(entry, io.BytesIO(text))
    return target


def leftovers(*folders: Path) -> list[str]:
    return [each.name for folder in folders for each in folder.rglob("*") if ".part" in each.name]


def test_a_backup_holds_the_database_the_secret_and_the_media_and_only_its_owner_may_read_it(
    data_dir, finished, tmp_path
):
    target = tmp_path / "backup.tar"
    manifest = backup.make_backup(data_dir, target)
    assert names(target)[0] == "service.db" and names(target)[-1] == "manifest.json"
    assert {
        f"media/{finished}/transcript.txt",
        f"media/{finished}/poster-tall.jpg",
        "secret",
    } <= set(names(target))
    assert target.stat().st_mode & 0o777 == 0o600
    assert (manifest.schema, manifest.rows["productions"]) == (schema.VERSION, 1)
    assert archive.verify(target) == manifest
    assert leftovers(tmp_path) == []


def test_what_is_made_anew_is_not_in_it(data_dir, finished, tmp_path):
    for each in (
        "work/x/brief.json",
        "cache/scene",
        "backups/old.tar",
        "media/y/video.mp4.part",
        "driver.lock",
    ):
        (data_dir / each).parent.mkdir(parents=True, exist_ok=True)
        (data_dir / each).write_text("x")
    os.mkfifo(data_dir / "fifo")
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    found = set(names(tmp_path / "backup.tar"))
    assert {each.split("/")[0] for each in found} == {
        "service.db",
        "media",
        "secret",
        "manifest.json",
    }
    assert not [each for each in found if each.endswith(".part")]


def test_a_restored_service_answers_as_the_first_one_did(
    data_dir, app, partner, finished, clock, tmp_path
):
    path = f"/v1/productions/{finished}/deliverables"
    link = body(partner.get(path))["data"][0]["sasUrl"].removeprefix("http://localhost")
    status = body(partner.get(f"/v1/productions/{finished}"))
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    app.extensions["svc"].recorder.stop()
    restore.restore(tmp_path / "backup.tar", tmp_path / "elsewhere")
    other = create_app(
        settings.read({}, data_dir=tmp_path / "elsewhere", base_url="http://localhost"), clock
    )
    client = other.test_client()
    assert (
        json.loads(
            client.get(f"/v1/productions/{finished}", headers={"X-API-Key": partner.key}).data
        )
        == status
    )
    # the secret is the same, so links given before still lead there
    with client.get(link) as answer:
        assert answer.data == b"tides"
    other.extensions["svc"].recorder.stop()
    assert (tmp_path / "elsewhere" / "secret").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "elsewhere" / "service.db").stat().st_mode & 0o777 == 0o600


def test_a_restored_service_tidies_no_bucket_of_the_first_one(data_dir, app, finished, tmp_path):
    with db.transaction():
        meta.put("bucket_owner", "the first")
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    restore.restore(tmp_path / "backup.tar", tmp_path / "again")
    assert sorted(path.name for path in (tmp_path / "again").glob("service*")) == ["service.db"]
    app.extensions["svc"].recorder.stop()  # its thread would open the first database again
    database.open_database(tmp_path / "again" / "service.db")
    assert meta.read_text("bucket_owner") not in (None, "the first")


def test_a_production_that_ends_after_the_snapshot_is_not_half_in_it(
    data_dir, partner, finished, tmp_path, monkeypatch
):
    late = body(partner.trigger())["productionId"]
    hold = backup._link_contents

    def ends_meanwhile(*given):
        store(data_dir, f"{late}/transcript.txt", b"late")
        store(data_dir, "01900000-0000-7000-8000-000000000000/transcript.txt", b"later still")
        return hold(*given)

    monkeypatch.setattr(backup, "_link_contents", ends_meanwhile)
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    assert {each for each in names(tmp_path / "backup.tar") if each.startswith("media/")} == {
        f"media/{finished}/transcript.txt",
        f"media/{finished}/poster-tall.jpg",
    }


def test_what_is_removed_while_the_backup_is_written_is_in_it_all_the_same(
    data_dir, finished, tmp_path, monkeypatch
):
    write = archive.write_archive

    def removed_meanwhile(*given, **more):
        shutil.rmtree(data_dir / "media" / finished)
        return write(*given, **more)

    monkeypatch.setattr(archive, "write_archive", removed_meanwhile)
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    assert f"media/{finished}/transcript.txt" in names(tmp_path / "backup.tar")


def test_what_is_removed_before_it_can_be_held_makes_the_backup_begin_anew(
    data_dir, finished, tmp_path, monkeypatch
):
    hold = backup._link_contents
    called = []

    def pruned_meanwhile(*given):
        if not called:
            shutil.rmtree(data_dir / "media" / finished)
            with db.transaction():
                plain_sql.execute("DELETE FROM deliverables")
        called.append(1)
        return hold(*given)

    monkeypatch.setattr(backup, "_link_contents", pruned_meanwhile)
    manifest = backup.make_backup(data_dir, tmp_path / "backup.tar")
    assert len(called) == 2 and manifest.rows["deliverables"] == 0


def test_a_backup_during_which_a_master_key_is_retired_can_be_started(
    data_dir, finished, tmp_path, monkeypatch
):
    master_keys.rotate(data_dir / "secret", data_dir / "service.db", 1)
    hold, called = backup._link_contents, []

    def retired_meanwhile(*given):
        if not called:
            key_retirement.retire(data_dir / "secret", 1, Actor(None, "somebody"), 2)
        called.append(1)
        return hold(*given)

    monkeypatch.setattr(backup, "_link_contents", retired_meanwhile)
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    restore.restore(tmp_path / "backup.tar", tmp_path / "there")
    with closing(database_file.connect(tmp_path / "there" / "service.db")) as connection:
        connection.row_factory = Row
        assert (
            master_keys.describe_mismatch(
                tmp_path / "there" / "secret", master_keys.list_recorded_by(connection)
            )
            is None
        )


def test_a_file_that_is_missing_for_good_is_named_and_the_rest_is_backed_up(
    data_dir, finished, tmp_path, monkeypatch
):
    (data_dir / "media" / finished / "transcript.txt").unlink()
    hold, tries = backup._link_contents, []
    monkeypatch.setattr(backup, "_link_contents", lambda *given: tries.append(1) or hold(*given))
    manifest = backup.make_backup(data_dir, tmp_path / "backup.tar")
    # the second snapshot is sure of it
    assert manifest.missing == (f"media/{finished}/transcript.txt",) and len(tries) == 2
    assert named_files.describe_file(manifest.missing[0]).endswith(f"of the production {finished}")
    restore.restore(tmp_path / "backup.tar", tmp_path / "there")
    assert (tmp_path / "there" / "media" / finished / "poster-tall.jpg").exists()


def test_an_upload_that_is_missing_is_named_too(data_dir, finished, partner, tmp_path):
    with db.transaction():
        font = (partner.account, "OFL", "lost.ttf")
        plain_sql.execute("INSERT INTO brand_fonts VALUES (?, ?, ?, 4, 'x', 1)", font)
    assert backup.make_backup(data_dir, tmp_path / "backup.tar").missing == ("assets/lost.ttf",)


def test_a_backup_after_a_cancel_of_a_finished_production_has_no_row_of_its_files(
    data_dir, partner, clock, tmp_path, app
):
    """Rows and files of a cancelled production go together, so a backup finds nothing missing,
    whenever it is made.
    """
    production = body(partner.live().trigger())["productionId"]
    store(data_dir, f"{production}/transcript.txt", b"tides")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    productions.request_cancel(production, clock())
    made = []

    def backed_up(removal):
        # the rows are gone, the files are not
        made.append(backup.make_backup(data_dir, tmp_path / "between.tar"))
        storage.remove_production(removal.name)

    storage = app.extensions["svc"].storage
    endings.finish_cancel(production, clock())
    assert file_removal.remove_scheduled(backed_up) == 1
    made.append(backup.make_backup(data_dir, tmp_path / "after.tar"))
    assert [manifest.missing for manifest in made] == [(), ()]
    assert [manifest.rows["deliverables"] for manifest in made] == [0, 0]
    assert not (data_dir / "media" / production).exists()


def test_a_backup_beside_writers_is_of_one_moment(data_dir, partner, tmp_path):
    written, ended = threading.Event(), threading.Event()

    def write():
        for number in itertools.takewhile(lambda _: not ended.is_set(), itertools.count()):
            with db.transaction(durable=False):
                for name in ("one", "two"):
                    plain_sql.execute(
                        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, str(number))
                    )
            written.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            written.clear()
            assert written.wait(60)
            backup.make_backup(data_dir, tmp_path / f"{number}.tar")
    finally:
        ended.set()
        writer.join()
    moments = []
    for number in range(5):
        restore.restore(tmp_path / f"{number}.tar", tmp_path / str(number))
        with closing(database_file.connect(tmp_path / str(number) / "service.db")) as found:
            [(one,), (two,)] = found.execute("SELECT value FROM meta WHERE name IN ('one', 'two')")
        assert one == two
        moments.append(int(one))
    assert moments == sorted(moments) and moments[-1] > moments[0]


def test_a_backup_is_not_written_over_a_file(data_dir, tmp_path):
    (tmp_path / "backup.tar").write_text("precious")
    with pytest.raises(CommandError, match="already exists"):
        backup.make_backup(data_dir, tmp_path / "backup.tar")
    assert (tmp_path / "backup.tar").read_text() == "precious"


def test_media_on_another_disk_are_copied_where_they_cannot_be_linked(
    data_dir, finished, tmp_path, monkeypatch
):
    def elsewhere(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(backup.os, "link", elsewhere)
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    assert f"media/{finished}/transcript.txt" in names(tmp_path / "backup.tar")


def test_a_backup_is_not_put_into_what_it_is_of(data_dir):
    for place in (data_dir / "backup.tar", data_dir / "media" / "backup.tar"):
        with pytest.raises(CommandError, match="inside the directory that is backed up"):
            backup.make_backup(data_dir, place)
    (data_dir / "backups").mkdir()
    for number in range(2):
        manifest = backup.make_backup(data_dir, data_dir / "backups" / f"{number}.tar")
    assert not [name for name in manifest.parts if name.endswith(".tar")]


def test_two_backups_at_once_are_one_and_a_refusal(data_dir, tmp_path):
    with backup.hold_locks(data_dir), pytest.raises(CommandError, match="Another backup"):
        backup.make_backup(data_dir, tmp_path / "backup.tar")


def test_a_disk_without_room_is_said_before_anything_is_written(data_dir, tmp_path, monkeypatch):
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1 << 30, 1 << 30, 4096)
    )
    with pytest.raises(CommandError, match="0 MiB are free on the disk of"):
        backup.make_backup(data_dir, tmp_path / "backup.tar")
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("share", sampled([0.0, 0.3, 0.9, 1.0], 2))
def test_a_backup_that_was_cut_off_is_refused(data_dir, finished, tmp_path, share):
    whole = tmp_path / "backup.tar"
    backup.make_backup(data_dir, whole)
    with tarfile.open(whole) as tar:
        manifest = tar.getmember("manifest.json")
    os.truncate(whole, int((manifest.offset_data + manifest.size - 1) * share))
    with pytest.raises(CommandError, match="not a backup of this service|cannot be read"):
        archive.verify(whole)
    with pytest.raises(CommandError):
        restore.restore(whole, tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere").exists()


def test_any_byte_that_changed_is_found(data_dir, finished, tmp_path):
    whole = tmp_path / "backup.tar"
    manifest = backup.make_backup(data_dir, whole)
    with tarfile.open(whole) as tar:
        places = {
            each.name: each.offset_data + each.size // 2
            for each in tar
            if each.name in manifest.parts
        }
    assert len(places) == 4
    for name, place in places.items():
        with whole.open("r+b") as file:
            file.seek(place)
            byte = file.read(1)
            file.seek(place)
            file.write(bytes([byte[0] ^ 1]))
            file.flush()
            with pytest.raises(CommandError, match=f"{name} of the backup is damaged"):
                archive.verify(whole)
            file.seek(place)
            file.write(byte)
    assert archive.verify(whole) == manifest


NEWER, TOO_OLD = "made by a newer release.* Upgrade it first", "restore it with release 1.0.0"


@pytest.mark.parametrize(
    ("change", "what_to_do"),
    [
        ({"format": archive.FORMAT_OF_DUMPS + 1}, NEWER),
        ({"schema": schema.VERSION + 1}, NEWER),
        ({"schema": schema.OLDEST - 1}, TOO_OLD),
    ],
)
def test_a_backup_that_is_too_new_or_too_old_is_refused(data_dir, tmp_path, change, what_to_do):
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    with tarfile.open(tmp_path / "backup.tar") as tar:
        manifest = json.load(tar.extractfile("manifest.json"))
    other = rewritten(
        tmp_path / "backup.tar",
        tmp_path / "new.tar",
        "manifest.json",
        json.dumps(manifest | change).encode(),
    )
    for read in (archive.verify, lambda path: restore.restore(path, tmp_path / "elsewhere")):
        with pytest.raises(CommandError, match=what_to_do):
            read(other)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "name", sampled(["../outside", "/etc/outside", "media/../../outside", "a\\b", "media//x"], 2)
)
def test_a_name_that_leads_outside_is_refused(data_dir, tmp_path, name):
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    with tarfile.open(tmp_path / "backup.tar") as tar:
        manifest = json.load(tar.extractfile("manifest.json"))
    manifest["parts"][name] = {"size": 1, "sha256": "0" * 64}
    hostile = rewritten(
        tmp_path / "backup.tar",
        tmp_path / "bad.tar",
        "manifest.json",
        json.dumps(manifest).encode(),
    )
    with pytest.raises(CommandError, match="not a backup of this service"):
        restore.restore(hostile, tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere").exists()


def test_a_directory_that_is_not_empty_is_refused(data_dir, tmp_path):
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine").write_text("x")
    with pytest.raises(CommandError, match="is not empty"):
        restore.restore(tmp_path / "backup.tar", tmp_path / "elsewhere")
    assert [each.name for each in (tmp_path / "elsewhere").iterdir()] == ["mine"]


def test_an_interrupted_restoration_is_not_served_and_goes_on_where_it_stopped(
    data_dir, finished, tmp_path, monkeypatch
):
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    backup.make_backup(data_dir, tmp_path / "other.tar")
    elsewhere, extract, written = tmp_path / "elsewhere", archive.Archive.extract, []

    def full(self, name, target):
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(name)
        extract(self, name, target)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(archive.Archive, "extract", full)
        with pytest.raises(CommandError, match="No space left.*run the command again"):
            restore.restore(tmp_path / "backup.tar", elsewhere)
    with pytest.raises(StartRefused, match="only partly restored"):
        schema.prepare(elsewhere / "service.db")
    with pytest.raises(CommandError, match="another backup that is only partly restored"):
        restore.restore(tmp_path / "other.tar", elsewhere)
    again = []
    monkeypatch.setattr(
        archive.Archive, "extract", lambda *given: (again.append(given[1]), extract(*given))
    )
    restore.restore(tmp_path / "backup.tar", elsewhere)
    assert len(written) == 2 and not set(written) & set(again)
    assert (elsewhere / "media" / finished / "transcript.txt").read_bytes() == b"tides"
    assert leftovers(elsewhere) == [] and not (elsewhere / "restoring").exists()


def test_a_backup_of_an_earlier_schema_is_restored_and_migrated(tmp_path, monkeypatch):
    old = tmp_path / "old"
    old.mkdir()
    released = Path(__file__).parents[1] / "store" / "released"
    connection = peewee.sqlite3.connect(old / "service.db", isolation_level=None)
    for name in ("schema-21.sql", "data-21.sql"):
        connection.executescript((released / name).read_text("utf-8"))
    for table in ("deliverables", "assets"):  # whose files nobody released
        connection.execute(f"DELETE FROM {table}")
    connection.close()
    backup.make_backup(old, tmp_path / "backup.tar")
    assert restore.restore(tmp_path / "backup.tar", tmp_path / "new").schema == schema.OLDEST
    database.open_database(tmp_path / "new" / "service.db")
    assert plain_sql.row("SELECT value FROM meta WHERE name = 'schema_version'")[0] == str(
        schema.VERSION
    )
    db.close()


def test_a_key_that_was_revoked_after_the_backup_is_valid_again_once_it_is_restored(
    data_dir, app, partner, clock, tmp_path
):
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    with db.transaction():
        plain_sql.execute(
            "UPDATE api_keys SET revoked_at = ? WHERE environment = 'test'", (clock(),)
        )
    assert partner.get("/v1/languages").status_code == 401
    app.extensions["svc"].recorder.stop()
    restore.restore(tmp_path / "backup.tar", tmp_path / "elsewhere")
    other = create_app(
        settings.read({}, data_dir=tmp_path / "elsewhere", base_url="http://localhost"), clock
    )
    assert (
        other.test_client().get("/v1/languages", headers={"X-API-Key": partner.key}).status_code
        == 200
    )
    other.extensions["svc"].recorder.stop()


def test_a_restoration_that_was_interrupted_names_the_file_that_it_began_with(data_dir, tmp_path):
    first, other = tmp_path / "first backup.tar", tmp_path / "other.tar"
    backup.make_backup(data_dir, first)
    backup.make_backup(data_dir, other)
    there = tmp_path / "there"
    with archive.open_archive(first) as opened, pytest.raises(OSError, match="stopped here"):
        with restore.begin_restore(opened, there, source=f"'{first}'"):
            raise OSError("stopped here")
    again = f"python app.py restore '{first}'"
    with pytest.raises(CommandError) as refused:
        restore.restore(other, there)
    assert again in str(refused.value)
    with pytest.raises(StartRefused) as not_started:
        schema.require_restored(there)
    assert again in str(not_started.value)
    restore.restore(first, there)
    schema.require_restored(there)


def test_a_restoration_that_an_earlier_release_began_goes_on(data_dir, tmp_path):
    manifest = backup.make_backup(data_dir, tmp_path / "backup.tar")
    there = tmp_path / "there"
    there.mkdir()
    (there / schema.RESTORING).write_text(manifest.id)
    with pytest.raises(StartRefused, match="again with the same backup"):
        schema.require_restored(there)
    restore.restore(tmp_path / "backup.tar", there)
