"""Backups by the clock: made when due, some kept, a failure told once; the service's end does not wait for one."""

import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from svc.store import archive, database
from svc.work import backups
from svc.work.backups import Backups, made_at


@pytest.fixture
def given(app, tmp_path):
    settings = app.extensions["svc"].settings
    return replace(settings, backup_every_hours=6, backup_keep=2, backup_dir=tmp_path / "backups")


def made(given) -> list[str]:
    return sorted(each.name for each in given.backups.glob("*"))


def turn(given, clock, stopping=None) -> None:
    Backups(given, stopping or threading.Event(), clock).turn()


def test_a_backup_is_made_at_first_and_then_when_it_is_due(given, clock):
    turn(given, clock)
    assert made(given) == ["backup-20261121T120000Z.tar"]
    archive.verify(given.backups / "backup-20261121T120000Z.tar")
    clock.tick(6 * 3600 - 1)
    turn(given, clock)
    assert len(made(given)) == 1
    clock.tick(1)
    turn(given, clock)
    assert made(given) == ["backup-20261121T120000Z.tar", "backup-20261121T180000Z.tar"]


def test_the_oldest_go_and_other_files_stay(given, clock):
    given.backups.mkdir()
    (given.backups / "notes.txt").touch()
    (given.backups / "backup-20261120T000000Z.tar.part").touch()  # of a process that was killed
    for _ in range(4):
        turn(given, clock)
        clock.tick(6 * 3600)
    assert made(given) == ["backup-20261122T000000Z.tar", "backup-20261122T060000Z.tar", "notes.txt"]


def test_a_clock_that_went_back_does_not_end_the_backups(given, clock):
    turn(given, clock)
    clock.tick(-48 * 3600)
    turn(given, clock)
    assert "backup-20261119T120000Z.tar" in made(given)


def test_none_are_made_unless_asked_for(given, clock):
    turn(replace(given, backup_every_hours=0), clock)
    assert not given.backups.exists()


def test_a_failure_is_told_as_an_alert_once_in_six_hours(given, clock, tmp_path):
    blocked = replace(given, backup_dir=tmp_path / "file")
    blocked.backups.write_text("x")
    for _ in range(3):
        turn(blocked, clock)
    [alert] = database.rows("SELECT * FROM alerts")
    assert (alert["name"], alert["severity"]) == ("BackupFailed", "critical") and "could not be made" in alert["message"]
    clock.tick(6 * 3600 + 1)
    turn(blocked, clock)
    assert len(database.rows("SELECT * FROM alerts")) == 2


def test_what_the_process_says_is_what_is_told(given, clock):
    (given.data_dir / "backup.lock").mkdir()
    turn(given, clock)
    [alert] = database.rows("SELECT * FROM alerts")
    assert "backup.lock" in alert["message"]


def test_the_service_does_not_wait_for_a_backup_when_it_stops(given, clock, monkeypatch):
    stopping = threading.Event()
    stopping.set()
    started = []
    hang = [sys.executable, "-c", "import time; time.sleep(60)"]

    class Popen(subprocess.Popen):
        def __init__(self, _, **more):
            super().__init__(hang, **more)
            started.append(self)

    monkeypatch.setattr(backups.subprocess, "Popen", Popen)
    turn(given, clock, stopping)
    assert started[0].returncode == -15 and database.rows("SELECT * FROM alerts") == []


def test_a_name_says_when_a_backup_was_made(tmp_path):
    assert made_at(tmp_path / "backup-20261121T120000Z.tar") == 1_795_262_400_000
    assert made_at(tmp_path / "backup-mine.tar") == 0
