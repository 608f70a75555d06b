"""Backups by the clock: made when due, some kept, a failure told once;
the service's end does not wait for one.
"""

import shutil
import subprocess
import sys
import threading
from dataclasses import replace

import pyrage
import pytest
from support import plain_sql

from svc.work.backup import incremental
from svc.work.backup import schedule as backup_schedule
from svc.work.backup.schedule import Backups, parse_backup_time

pytestmark = pytest.mark.slow


@pytest.fixture
def given(app, tmp_path):
    settings = app.extensions["svc"].settings
    (tmp_path / "backups").mkdir()
    return replace(settings, backup_every_hours=6, backup_keep=2, backup_dir=tmp_path / "backups")


def made(given) -> list[str]:
    """When each of the backups was made."""
    return [entry.id for entry in incremental.open_repository(given.backups).list_entries()]


def turn(given, clock, stopping=None) -> None:
    Backups(given, stopping or threading.Event(), clock).back_up_if_due()


def test_a_backup_is_made_at_first_and_then_when_it_is_due(given, clock):
    turn(given, clock)
    [first] = made(given)
    repo = incremental.open_repository(given.backups)
    assert incremental.verify_backup(repo, repo.find_entry(first)).rows["meta"]
    clock.tick(6 * 3600 - 1)
    turn(given, clock)
    assert len(made(given)) == 1
    clock.tick(1)
    turn(given, clock)
    assert len(made(given)) == 2 and made(given)[0] == first


def test_the_oldest_go_and_other_files_stay(given, clock):
    (given.backups / "notes.txt").touch()
    for _ in range(3):
        turn(given, clock)
        clock.tick(6 * 3600)
    kept = made(given)
    turn(given, clock)
    assert len(kept) == 2 and made(given)[0] == kept[1]
    assert (given.backups / "notes.txt").exists()


def test_files_of_an_earlier_release_go_when_there_are_enough_backups(given, clock):
    for day in (18, 19, 20):
        (given.backups / f"backup-202611{day}T000000Z.tar").touch()
    turn(given, clock)
    assert [each.name for each in given.backups.glob("*.tar")] == ["backup-20261120T000000Z.tar"]
    clock.tick(6 * 3600)
    turn(given, clock)
    assert not list(given.backups.glob("*.tar"))


def test_a_clock_that_went_back_does_not_end_the_backups(given, clock):
    turn(given, clock)
    clock.tick(-48 * 3600)
    turn(given, clock)
    assert len(made(given)) == 2


def test_backups_that_have_gone_from_their_directory_are_made_anew(given, clock):
    turn(given, clock)
    shutil.rmtree(given.backups)
    turn(given, clock)
    [alert] = plain_sql.rows("SELECT * FROM alerts")
    assert alert["name"] == "BackupFailed" and "mount its disk" in alert["message"]
    given.backups.mkdir()
    turn(given, clock)
    assert len(made(given)) == 1


def test_they_are_encrypted_to_whom_the_settings_name(given, clock):
    identity = pyrage.x25519.Identity.generate()
    turn(replace(given, backup_recipients=(str(identity.to_public()),)), clock)
    [entry] = incremental.open_repository(given.backups).list_entries()
    assert entry.encrypted


def test_none_are_made_unless_asked_for(given, clock):
    turn(replace(given, backup_every_hours=0), clock)
    assert not list(given.backups.iterdir())


def test_a_failure_is_told_as_an_alert_once_in_six_hours(given, clock, tmp_path):
    blocked = replace(given, backup_dir=tmp_path / "file")
    blocked.backups.write_text("x")
    for _ in range(3):
        turn(blocked, clock)
    [alert] = plain_sql.rows("SELECT * FROM alerts")
    assert (alert["name"], alert["severity"]) == (
        "BackupFailed",
        "critical",
    ) and "could not be made" in alert["message"]
    clock.tick(6 * 3600 + 1)
    turn(blocked, clock)
    assert len(plain_sql.rows("SELECT * FROM alerts")) == 2


def test_what_the_process_says_is_what_is_told(given, clock):
    (given.data_dir / "backup.lock").mkdir()
    turn(given, clock)
    [alert] = plain_sql.rows("SELECT * FROM alerts")
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

    monkeypatch.setattr(backup_schedule.subprocess, "Popen", Popen)
    turn(given, clock, stopping)
    assert started[0].returncode == -15 and plain_sql.rows("SELECT * FROM alerts") == []


def test_a_name_says_when_a_backup_was_made(tmp_path):
    assert parse_backup_time(tmp_path / "backup-20261121T120000Z.tar") == 1_795_262_400_000
    assert parse_backup_time(tmp_path / "backup-mine.tar") == 0
