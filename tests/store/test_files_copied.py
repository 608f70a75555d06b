"""Copies of the files: with a bucket, they follow the tables there and back, killed at any moment,
compared by hash.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import requests
from support.stage import complete_steps, make, publish_all

from svc.adapters.files.bucket import Bucket
from svc.base import settings
from svc.base.steps import STEPS
from svc.store.copying import copy as copying
from svc.store.engine.sqlite_driver import sqlite3
from svc.work.backup import make as backups
from svc.work.backup import restore as restoration
from svc.work.files import copying as file_copying
from tests.store import buckets
from tests.support.cast import body
from tests.support.documents import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.judges]

FILES = {
    "landscape.mp4": b"film" * 100_000,
    "captions.vtt": b"WEBVTT\n\n",
    "transcript.txt": b"Tides",
}
KINDS = {
    "landscape.mp4": ("Watch", "Video"),
    "captions.vtt": (None, "ClosedCaptions"),
    "transcript.txt": (None, "Transcript"),
}


@pytest.fixture(scope="module")
def stored():
    with buckets.serving("films") as environment:
        yield environment


@pytest.fixture
def address(postgres, tmp_path):
    return postgres.make(f"files_{os.getpid()}_{tmp_path.name}"[:60])


@pytest.fixture
def bucket(stored, monkeypatch, tmp_path):
    for name, value in stored.items():
        monkeypatch.setenv(name, value)
    return Bucket(f"s3://films/{tmp_path.name}")


@pytest.fixture
def data_dir(app, partner, clock, tmp_path) -> Path:
    """A data directory with a published production, its poster, and an upload."""
    given, made = app.extensions["svc"].settings, []
    production = body(partner.trigger())["productionId"]
    folder = given.media_dir / production
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
        platform, kind = KINDS[name]
        said = {
            "file": f"{production}/{name}",
            "size_bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        made.append(make(platform, kind, name.rpartition(".")[2], **said))
    (folder / "poster-wide.jpg").write_bytes(b"jpeg")
    complete_steps(clock, made=made)
    publish_all(clock)
    partner.trigger()
    backups.make_backup(given.data_dir, tmp_path / "first.tar")
    restoration.restore(tmp_path / "first.tar", tmp_path / "moved")
    return tmp_path / "moved"


def run(data_dir: Path, bucket, *words: str, expected: int = 0, **more: str) -> str:
    given = {**os.environ, "SVC_DATA_DIR": str(data_dir), "SVC_STORAGE_URL": str(bucket), **more}
    given = {name: value for name, value in given.items() if value}
    done = subprocess.run(
        [sys.executable, "app.py", *words],
        cwd=ROOT,
        env=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expected and "Traceback" not in done.stderr, done.stdout + done.stderr
    return done.stdout + done.stderr


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def in_bucket(bucket) -> dict[str, bytes]:
    return {name: bucket.read(name) for name in bucket.list_names("")}


def test_the_files_go_to_the_bucket_with_the_tables_and_come_back(data_dir, bucket, address):
    media = content(data_dir / "media")
    assert "4 files are copied, already there: 0;" in run(data_dir, bucket, "copy", "--to", address)
    assert in_bucket(bucket) == media and content(data_dir / "media") == media
    film = next(name for name in media if name.endswith(".mp4"))
    sent = requests.get(bucket.presign(film, 60), timeout=60)
    assert (
        "attachment" in sent.headers["Content-Disposition"]
        and sent.headers["Content-Type"] == "video/mp4"
    )
    shutil.rmtree(data_dir / "media")
    (data_dir / "service.db").unlink()
    assert "4 files are copied" in run(
        data_dir, bucket, "copy", "--to", "sqlite", SVC_DATABASE_URL=address
    )
    assert content(data_dir / "media") == media


def test_what_is_there_is_not_sent_again_and_what_is_damaged_there_is(
    data_dir, bucket, address, tmp_path
):
    media = content(data_dir / "media")
    for name in sorted(media)[:2]:
        bucket.put(data_dir / "media" / name, name, fixed=True)
    (tmp_path / "other").write_bytes(b"x" * len(media[sorted(media)[1]]))
    bucket.put(tmp_path / "other", sorted(media)[1], fixed=True)
    assert "3 files are copied, already there: 1;" in run(data_dir, bucket, "copy", "--to", address)
    assert in_bucket(bucket) == media


def test_a_file_that_is_not_what_the_database_says_stops_the_copy_and_the_next_one_goes_on(
    data_dir, bucket, address
):
    film = next((data_dir / "media").rglob("*.mp4"))
    right = film.read_bytes()
    film.write_bytes(b"another")
    assert "another content than the database says" in run(
        data_dir, bucket, "copy", "--to", address, expected=2
    )
    assert "part of a copy" in run(data_dir, bucket, "seed", expected=2, SVC_DATABASE_URL=address)
    film.write_bytes(right)
    run(data_dir, bucket, "copy", "--to", address)
    assert in_bucket(bucket) == content(data_dir / "media")


def test_a_file_that_is_nowhere_is_named_and_the_rest_is_copied(data_dir, bucket, address):
    film = next((data_dir / "media").rglob("*.mp4"))
    film.unlink()
    told = run(data_dir, bucket, "copy", "--to", address, expected=3)
    assert (
        "warning: 1 file that the database names is missing, such as "
        f"{film.parent.name}/{film.name}"
    ) in told
    assert in_bucket(bucket) == content(data_dir / "media")


def test_a_copy_whose_bucket_does_not_answer_goes_on_later(data_dir, bucket, address):
    refused = run(
        data_dir, bucket, "copy", "--to", address, expected=2, AWS_ENDPOINT_URL="http://127.0.0.1:1"
    )
    assert "copy again to go on" in refused
    assert "4 files are copied" in run(data_dir, bucket, "copy", "--to", address)


def test_the_files_stay_where_they_are_if_told_so(data_dir, bucket, address):
    assert "files are copied" not in run(data_dir, bucket, "copy", "--no-files", "--to", address)
    assert in_bucket(bucket) == {}


def test_the_work_of_an_unfinished_production_comes_back_from_the_bucket(
    data_dir, bucket, address, tmp_path
):
    run(data_dir, bucket, "copy", "--to", address)
    (tmp_path / "script.json").write_bytes(b"{}")
    with tarfile.open(tmp_path / "work.tar", "w") as tar:
        tar.add(tmp_path / "script.json", "script.json")
    with psycopg.connect(address) as connection:
        production = connection.execute(
            "SELECT id FROM productions WHERE status <> 'Published'"
        ).fetchone()[0]
        stored = bucket.put(tmp_path / "work.tar", f"work/{production}/0-token.tar", fixed=True)
        described = {
            "name": stored.file,
            "size_bytes": stored.size_bytes,
            "sha256": stored.sha256,
            "files": {"script.json": hashlib.sha256(b"{}").hexdigest()},
        }
        sql = (
            "INSERT INTO production_steps (production_id, position, name, label, status, files) "
            "VALUES (%s, 0, 'script', '', 'Completed', %s)"
        )
        connection.execute(sql, (production, json.dumps(described)))
    (data_dir / "service.db").unlink()
    run(data_dir, bucket, "copy", "--to", "sqlite", SVC_DATABASE_URL=address)
    assert (data_dir / "work" / production / "script.json").read_bytes() == b"{}"


def leave_work(data_dir: Path, files: dict[str, bytes], steps: int = 2) -> str:
    """Let the unfinished production have completed steps, without a bucket,
    that left these files.
    """
    with closing(sqlite3.connect(data_dir / "service.db")) as connection, connection:
        sql = "SELECT id FROM productions WHERE status NOT IN ('Published', 'AwaitingApproval')"
        [(production,)] = connection.execute(sql).fetchall()
        connection.execute(
            "UPDATE productions SET status = 'Producing', steps_complete = ? WHERE id = ?",
            (steps, production),
        )
        for position in range(steps):
            connection.execute(
                (
                    "INSERT INTO production_steps (production_id, position, name, label, status) "
                    "VALUES (?, ?, ?, '', 'Completed')"
                ),
                (production, position, STEPS[position][0]),
            )
    folder = data_dir / "work" / production
    folder.mkdir(parents=True)
    for name, sent in files.items():
        (folder / name).write_bytes(sent)
    return production


def described(address: str, production: str) -> list[dict | None]:
    sql = "SELECT files FROM production_steps WHERE production_id = %s ORDER BY position"
    with psycopg.connect(address) as connection:
        return [
            text and json.loads(text)
            for (text,) in connection.execute(sql, (production,)).fetchall()
        ]


WORK = {"script.json": b"{}", "narration.wav": b"sound" * 1000, "timeline.json": b"[]"}


def test_the_work_of_an_unfinished_production_goes_along_and_back_and_along_again(
    data_dir, bucket, address, tmp_path, postgres
):
    production = leave_work(data_dir, WORK | {"video.mp4.part": b"half"})
    assert "5 files are copied, already there: 0;" in run(data_dir, bucket, "copy", "--to", address)
    first, last = described(address, production)
    assert first is None and last["files"].keys() == WORK.keys()
    assert hashlib.sha256(bucket.read(last["name"])).hexdigest() == last["sha256"]
    shutil.rmtree(data_dir / "work")
    (data_dir / "service.db").unlink()
    run(data_dir, bucket, "copy", "--to", "sqlite", SVC_DATABASE_URL=address)
    assert content(data_dir / "work" / production) == WORK
    with closing(sqlite3.connect(data_dir / "service.db")) as connection:
        assert connection.execute("SELECT count(files) FROM production_steps").fetchone() == (0,)
    other, again = Bucket(f"{bucket}-other"), postgres.make(f"again_{os.getpid()}")
    run(data_dir, other, "copy", "--to", again)
    assert other.find_file_size(described(again, production)[1]["name"]) == last["size_bytes"]


def test_after_an_interruption_no_work_is_sent_again(data_dir, bucket, address, monkeypatch):
    production = leave_work(data_dir, WORK)
    monkeypatch.setenv("SVC_DATA_DIR", str(data_dir))
    monkeypatch.setenv("SVC_STORAGE_URL", str(bucket))

    def cut_off():
        assert file_copying.to_bucket(settings.read()).copied == 5
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copying.to_postgres(data_dir / "service.db", address, lambda name: None, cut_off)
    assert described(address, production) == [None, None]
    assert "0 files are copied, already there: 5;" in run(data_dir, bucket, "copy", "--to", address)
    assert described(address, production)[1]["files"].keys() == WORK.keys()


@pytest.mark.parametrize(
    "files", [{}, {"narration.wav": b"w"}, WORK | {".made-again": b""}, WORK | {"a\nb": b"hostile"}]
)
def test_work_that_is_lost_half_made_again_or_hostile_is_left_out(data_dir, bucket, address, files):
    production = leave_work(data_dir, files)
    assert "4 files are copied" in run(data_dir, bucket, "copy", "--to", address)
    assert described(address, production) == [None, None] and not list(bucket.list_names("work"))
