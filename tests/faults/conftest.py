"""Machines in trouble: disks of a few megabytes, clocks that are set, and a service on them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.front import Gunicorn, running

from svc.base import clock
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db
from svc.store.engine.sqlite_driver import sqlite3

MEGABYTE = 1 << 20
NOTES = "## One\n\nOne sentence, and no more."
HELD = "---\nsandbox:\n  holdIn: Queued\n---\n"


class Disk:
    """A small file system in memory."""

    def __init__(self, folder: Path):
        self.folder, self._ballast = folder, folder / "ballast"

    def fill(self, leave: int = 0) -> None:
        """Fill it, but for so many bytes."""
        with self._ballast.open("wb", buffering=0) as writing:
            try:
                while writing.write(bytes(16384)):
                    pass
            except OSError:
                pass
        if leave:
            os.truncate(self._ballast, max(0, self._ballast.stat().st_size - leave))

    def clear(self) -> None:
        self._ballast.unlink(missing_ok=True)

    def remount(self, option: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{option}", self.folder], check=True)


@pytest.fixture
def disk(tmp_path) -> Iterator[Disk]:
    if os.geteuid() or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], check=True)
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


class Service(Gunicorn):
    """A gunicorn with a partner, and what its database says."""

    seeded: dict

    def enrol(self) -> None:
        database.open_database(self.data_dir / "service.db")
        try:
            self.seeded = seed.make_partner("Enterprise", clock.now())
        finally:
            db.close()

    def ask(self, sql: str, parameters=()) -> list:
        connection = sqlite3.connect(f"file:{self.data_dir / 'service.db'}?mode=ro", uri=True)
        try:
            return connection.execute(sql, parameters).fetchall()
        finally:
            connection.close()

    def brief(self, notes: str) -> dict:
        return {name: self.seeded[name] for name in ("languageId", "countryId", "avatarId")} | {
            "topic": "A small one",
            "metadataMD": notes,
        }


@pytest.fixture
def serve(tmp_path):
    """Start a service that is ended with the test: ``serve(folder, **settings)``."""
    contexts = []

    def start(folder: Path, **settings: str) -> Service:
        service = Service(folder / "data", workers=2, **settings)
        service.log = tmp_path / "gunicorn.log"  # not on the disk that is filled
        context = running(service)
        contexts.append(context)
        context.__enter__()
        service.enrol()
        return service

    yield start
    for each in contexts:
        each.__exit__(None, None, None)
