"""Backups of PostgreSQL and a bucket, through the commands,
restored into an empty database and an empty bucket.
"""

import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import psycopg
import pyrage
import pytest
import requests

from svc.adapters.files.bucket import Bucket
from svc.base.crypto.age_encryption import MAGIC
from svc.store import meta
from svc.store.database import db
from svc.work.backup import make as backups
from svc.work.backup import restore as restoration
from tests.store import buckets
from tests.support.documents import ROOT
from tests.support.elsewhere import published_in

pytestmark = [pytest.mark.slow, pytest.mark.judges]

PASSWORD = "hunter22"


@pytest.fixture(scope="module")
def stored():
    with buckets.serving("films") as environment:
        requests.put(
            f"{environment['AWS_ENDPOINT_URL']}/empty",
            headers={"Authorization": buckets._AUTHORIZATION},
            timeout=20,
        )
        yield environment


class Installation:
    """A data directory, a database and maybe a bucket, and what commands on them say."""

    def __init__(self, folder: Path, address: str, stored: dict[str, str], bucket: str):
        self.folder, self.address, self.bucket = folder, address, bucket
        self.environment = {
            "PATH": os.environ["PATH"],
            **stored,
            "SVC_DATA_DIR": str(folder),
            "SVC_DATABASE_URL": address,
        }
        if bucket:
            self.environment["SVC_STORAGE_URL"] = bucket

    def run(self, *arguments: str, expected: int = 0, **more: str) -> str:
        command = [sys.executable, "app.py", *arguments]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment | more,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == expected and "Traceback" not in said, said
        assert PASSWORD not in said
        return said

    def rows(self) -> dict[str, list]:
        tables = (
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'service')"
        )
        with psycopg.connect(self.address) as connection:
            names = connection.execute(tables).fetchall()
            found = {
                name: connection.execute(f"SELECT * FROM {place}.{name}").fetchall()
                for place, name in names
            }
        # Restored ones have marks of their own, so that they tidy no bucket of the first.
        self.mark = dict(found["meta"]).get("bucket_owner")
        found["meta"] = [row for row in found["meta"] if row[0] != "bucket_owner"]
        return {name: sorted(map(repr, rows)) for name, rows in found.items()}

    def doctor(self) -> list[dict]:
        command = [sys.executable, "app.py", "doctor", "--deep", "--json"]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        return [
            each
            for each in json.loads(done.stdout)["findings"]
            if each["name"] in ("database", "schema", "secret", "files", "audit log")
        ]


@pytest.fixture
def running(app, partner, clock, postgres, stored, tmp_path, monkeypatch) -> Installation:
    """An installation with a published production and an upload, whose files are in the bucket."""
    for name, value in stored.items():
        monkeypatch.setenv(name, value)
    given, place = app.extensions["svc"].settings, f"s3://films/{tmp_path.name}"
    store = Bucket(place)
    production = published_in(store, partner, clock, tmp_path)
    (tmp_path / "poster.jpg").write_bytes(b"jpeg")
    store.put(tmp_path / "poster.jpg", f"{production}/poster-wide.jpg", fixed=True)
    with db.transaction():
        meta.put("storage_url", place)
        meta.put("bucket_owner", "the first")
    backups.make_backup(given.data_dir, tmp_path / "first.tar")
    restoration.restore(tmp_path / "first.tar", tmp_path / "moved")
    made = Installation(
        tmp_path / "moved", postgres.make(f"one_{os.getpid()}_{tmp_path.name}"), stored, place
    )
    made.run("copy", "--to", made.address, SVC_DATABASE_URL="")
    made.address = made.environment["SVC_DATABASE_URL"] = made.address.replace(
        "service@", f"service:{PASSWORD}@"
    )
    (made.folder / "service.db").unlink()
    return made


def test_a_backup_with_the_files_of_the_bucket_is_restored_to_an_empty_database_and_bucket(
    running, postgres, stored, tmp_path
):
    target = tmp_path / "backup.tar"
    said = running.run("backup", "--bucket-files", str(target))
    assert "1 production," in said and "the list of 4 in the bucket" in said
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert "whole and sound" in running.run("backup", "--verify", str(target))
    address = postgres.make(f"two_{os.getpid()}").replace("service@", f"service:{PASSWORD}@")
    again = Installation(tmp_path / "again", address, stored, f"s3://empty/{tmp_path.name}")
    assert "lacks" not in again.run("restore", str(target))
    assert again.rows() == running.rows() and again.mark not in (None, running.mark)
    assert (again.folder / "secret").read_bytes() == (running.folder / "secret").read_bytes()
    assert sorted(
        path.name for path in again.folder.iterdir() if not path.name.endswith(".lock")
    ) == ["secret"]
    found = again.doctor()
    assert len(found) >= 3 and {each["verdict"] for each in found} == {"ok"}, found
    assert any(each["name"] == "files" and "the 3 files" in each["text"] for each in found)
    again.run("seed")  # numbers go on after the last ones


def test_a_backup_without_files_has_hashes_and_restoring_it_says_what_is_missing(
    running, postgres, stored, tmp_path
):
    running.run("backup", str(tmp_path / "backup.tar"))
    with tarfile.open(tmp_path / "backup.tar") as tar:
        manifest = json.load(tar.extractfile("manifest.json"))
        assert not [name for name in tar.getnames() if name.startswith("bucket")]
    assert len(manifest["bucket"]) == 4 and all(
        len(part["sha256"]) == 64 for part in manifest["bucket"].values()
    )
    again = Installation(
        tmp_path / "again",
        postgres.make(f"three_{os.getpid()}"),
        stored,
        f"s3://empty/{tmp_path.name}",
    )
    assert "The bucket lacks 4 of 4 files" in again.run("restore", str(tmp_path / "backup.tar"))
    beside = Installation(
        tmp_path / "beside", postgres.make(f"four_{os.getpid()}"), stored, running.bucket
    )
    assert "lacks" not in beside.run("restore", str(tmp_path / "backup.tar"))


def test_an_encrypted_backup_is_restored_with_its_key(running, postgres, stored, tmp_path):
    key, secret = pyrage.x25519.Identity.generate(), tmp_path / "key"
    secret.write_text(f"{key}\n")
    running.run("backup", "--recipient", str(key.to_public()), str(tmp_path / "backup.tar"))
    assert (tmp_path / "backup.tar").read_bytes().startswith(MAGIC)
    again = Installation(
        tmp_path / "again", postgres.make(f"five_{os.getpid()}"), stored, running.bucket
    )
    assert "private key" in again.run("restore", str(tmp_path / "backup.tar"), expected=2)
    again.run("restore", "--identity", str(secret), str(tmp_path / "backup.tar"))
    assert again.rows() == running.rows()


def test_a_restoration_says_what_prevents_it(running, postgres, stored, tmp_path):
    running.run("backup", str(tmp_path / "backup.tar"))
    again = Installation(tmp_path / "again", running.address, stored, running.bucket)
    assert "is not empty; a backup is restored into an empty database" in again.run(
        "restore", str(tmp_path / "backup.tar"), expected=2
    )
    empty = postgres.make(f"six_{os.getpid()}")
    assert "set SVC_DATABASE_URL" in again.run(
        "restore", str(tmp_path / "backup.tar"), expected=2, SVC_DATABASE_URL=""
    )
    assert "set SVC_STORAGE_URL" in again.run(
        "restore",
        str(tmp_path / "backup.tar"),
        expected=2,
        SVC_STORAGE_URL="",
        SVC_DATABASE_URL=empty,
    )
    assert "name a new file" in running.run("backup", f"{tmp_path}/", expected=2)
    assert "PostgreSQL failed" in running.run(
        "backup",
        str(tmp_path / "b.tar"),
        expected=2,
        SVC_DATABASE_URL=f"postgresql://x:{PASSWORD}@127.0.0.1:1/y",
    )


@pytest.mark.parametrize("place", ["before the dump was read", "after it"])
def test_an_interrupted_restoration_goes_on(running, postgres, stored, tmp_path, place):
    running.run("backup", "--bucket-files", str(tmp_path / "backup.tar"))
    again = Installation(
        tmp_path / "again",
        postgres.make(f"seven_{os.getpid()}_{len(place)}"),
        stored,
        f"s3://empty/{tmp_path.name}",
    )
    with programs(
        tmp_path, "pg_restore", "kill -9 $PPID; exit 1", runs_first=place == "after it"
    ) as path:
        again.run("restore", str(tmp_path / "backup.tar"), expected=-9, PATH=path)
    assert "partly restored" in again.run("seed", expected=2)
    assert "lacks" not in again.run("restore", str(tmp_path / "backup.tar"))
    assert again.rows() == running.rows()


@pytest.mark.parametrize("program", ["pg_dump", "pg_restore"])
def test_a_program_that_is_missing_or_too_old_is_named(
    running, postgres, stored, tmp_path, program
):
    running.run("backup", str(tmp_path / "backup.tar"))
    again = Installation(
        tmp_path / "again", postgres.make(f"eight_{os.getpid()}_{program}"), stored, running.bucket
    )
    words = (
        ("backup", str(tmp_path / "b.tar"))
        if program == "pg_dump"
        else ("restore", str(tmp_path / "backup.tar"))
    )
    one = running if program == "pg_dump" else again
    assert f"{program} is missing" in one.run(*words, expected=2, PATH=str(tmp_path / "nothing"))
    with programs(tmp_path, program, f"echo '{program} (PostgreSQL) 9.6.24'") as path:
        assert f"{program} is of PostgreSQL 9 and the server of" in one.run(
            *words, expected=2, PATH=path
        )
    assert not list(tmp_path.glob("b.tar*"))


def test_the_password_stands_in_no_argument_of_a_program(running, tmp_path):
    with programs(
        tmp_path,
        "pg_dump",
        'case "$*" in *--version*) ;; *) echo "$*" > "$SEEN";; esac',
        runs_first=True,
    ) as path:
        running.run("backup", str(tmp_path / "b.tar"), PATH=path, SEEN=str(tmp_path / "seen"))
    seen = (tmp_path / "seen").read_text()
    assert "--format=custom" in seen and PASSWORD not in seen


@contextlib.contextmanager
def programs(folder: Path, name: str, script: str, runs_first: bool = False):
    """A PATH on which a program does ``script``, after the real one if ``runs_first``;
    its release is answered as it is.
    """
    real = shutil.which(name)
    made = folder / "programs" / name
    made.parent.mkdir(exist_ok=True)
    first = f'{real} "$@" || exit 1' if runs_first else ""
    version = "" if "(PostgreSQL)" in script else f'[ "$1" = --version ] && exec {real} --version\n'
    made.write_text(f"#!/bin/sh\n{version}{first}\n{script}\n")
    made.chmod(0o755)
    yield f"{made.parent}:{os.environ['PATH']}"
