"""Backups in a bucket: the same as in a directory, and errors in a sentence."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from buckets import serving
from support import plain_sql
from support.cast import Clock

from svc.adapters import objects
from svc.base import clock as wall_clock
from svc.base.errors import CommandError
from svc.store.backup import database_file
from svc.store.database import db
from svc.work.backup import incremental, restore, stream
from svc.work.backup.repository import Repository, Stored
from svc.work.backup.schedule import Backups
from svc.work.backup.shipping_process import Sender

pytestmark = pytest.mark.slow

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture(scope="module")
def bucket():
    with serving("backups") as environment:
        yield environment


@pytest.fixture
def url(bucket, monkeypatch, tmp_path) -> str:
    for name, value in bucket.items():
        monkeypatch.setenv(name, value)
    return f"s3://backups/{tmp_path.name}"


@pytest.fixture(params=["directory", "bucket"])
def kept(request, tmp_path):
    """Objects, of either kind."""
    place = request.getfixturevalue("url") if request.param == "bucket" else tmp_path / "objects"
    return objects.open_store(place)


def test_objects_are_put_got_listed_and_deleted(kept):
    kept.put("objects/ab/one", b"1" * 3_000_000)
    kept.put("objects/ab/one", b"one")
    kept.put("objects/cd/two", b"")
    kept.put("wal/x/three", b"three")
    assert (kept.get("objects/ab/one"), kept.get("objects/cd/two")) == (b"one", b"")
    assert sorted(kept.list_names("objects")) == ["objects/ab/one", "objects/cd/two"]
    kept.delete("objects/ab/one")
    kept.delete("objects/ab/one")
    assert list(kept.list_names("objects")) == ["objects/cd/two"]
    assert list(kept.list_names("nothing")) == []
    with pytest.raises(FileNotFoundError):
        kept.get("objects/ab/one")


def test_a_list_is_longer_than_a_page_of_the_protocol(url):
    kept = objects.open_store(url)
    for number in range(1005):
        kept.put(f"many/{number}", b"")
    assert len(set(kept.list_names("many"))) == 1005


def test_a_backup_and_a_stream_in_a_bucket_are_restored(app, partner, url, tmp_path):
    data_dir = app.extensions["svc"].settings.data_dir
    (data_dir / "assets").mkdir()
    (data_dir / "assets" / "logo.png").write_bytes(b"logo")
    repo = incremental.open_repository(url)
    first = incremental.add_backup(data_dir, repo)
    assert incremental.add_backup(data_dir, repo, keep=1).new <= 3 < first.new
    assert incremental.verify_backup(repo, repo.find_newest()).rows["partners"] == 1
    restore.restore_from(Stored(repo, repo.find_newest()), tmp_path / "there")
    assert (tmp_path / "there" / "assets" / "logo.png").read_bytes() == b"logo"
    hand = Clock(wall_clock.now())
    sender = Sender(data_dir, repo, hand)
    sender.begin()
    sender.wait_for_base()
    before = hand.at
    hand.tick()
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('number', '1')")
    sender.send_changes()
    sender.close()
    for at, rows in ((before, 0), (hand.at, 1)):
        with stream.make_temporary_folder() as scratch:
            restore.restore_from(stream.Moment(repo, at, Path(scratch)), tmp_path / str(rows))
        with database_file.connect(tmp_path / str(rows) / "service.db") as connection:
            assert (
                connection.execute("SELECT count(*) FROM meta WHERE name = 'number'").fetchone()[0]
                == rows
            )
        connection.close()


def test_backups_by_the_clock_go_to_the_bucket_of_the_setting(app, clock, url, tmp_path):
    given = replace(
        app.extensions["svc"].settings,
        backup_every_hours=6,
        backup_url=url,
        backup_dir=tmp_path / "unused",
    )
    for number in (1, 1, 2):
        Backups(given, threading.Event(), clock).back_up_if_due()
        assert len(incremental.open_repository(url).list_entries()) == number
        clock.tick(4 * 3600)
    assert not (tmp_path / "unused").exists()


def test_a_bucket_that_is_not_there_is_said_in_a_sentence(app, url, tmp_path):
    with pytest.raises(CommandError, match="s3://elsewhere/x could not be made"):
        incremental.add_backup(
            app.extensions["svc"].settings.data_dir,
            Repository(objects.open_store("s3://elsewhere/x")),
        )
    with pytest.raises(CommandError, match="not a place for backups"):
        objects.open_store("https://example.com/bucket")


def test_the_command_reaches_a_bucket(app, partner, bucket, url, tmp_path):
    given = {
        **os.environ,
        **bucket,
        "SVC_BACKUP_URL": url,
        "SVC_DATA_DIR": str(app.extensions["svc"].settings.data_dir),
    }

    def run(*words: str, **more) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, str(APP), *words], env=given | more, capture_output=True, text=True
        )

    made = run("backup")
    assert (
        made.returncode == 0
        and url in made.stdout
        and "is not encrypted and holds `secret`" in made.stderr
    )
    assert "full" in run("backup", "--list").stdout
    assert "whole and sound" in run("backup", "--verify").stdout
    there = run("restore", url, SVC_DATA_DIR=str(tmp_path / "there"))
    assert there.returncode == 0 and (tmp_path / "there" / "service.db").exists(), there.stderr
    nobody = run("backup", "--list", AWS_ENDPOINT_URL="http://127.0.0.1:9")
    assert (
        nobody.returncode == 2
        and nobody.stderr.startswith(f"error: {url}: ")
        and nobody.stderr.count("\n") == 1
    )
    lost = run("backup", "s3://elsewhere/x")
    assert lost.returncode == 2 and lost.stderr.splitlines()[-1].startswith(
        "error: The backup in s3://elsewhere/x"
    )
