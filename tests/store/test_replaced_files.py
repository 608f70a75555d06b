"""Files that are removed or replaced below a running service, or lost after a kill:
what is not kept is not acknowledged.
"""

import fcntl
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from support.counting import functions_called

from svc.base import outage
from svc.base.crypto import key_ring
from svc.base.errors import StartRefused
from svc.store import database, meta, upkeep
from svc.store.backup import database_file
from svc.store.database import db
from svc.store.sqlite import commit_mark, wal
from svc.store.sqlite.commit_mark import CommitMark
from svc.work.backup import incremental
from svc.work.backup import make as backup
from svc.work.doctor.findings import is_driven
from svc.work.driver_lock import DriverLock

pytestmark = pytest.mark.sqlite("is about SQLite's files")

ENDINGS = ("", "-wal", "-shm")


def removed(path: Path) -> None:
    path.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("aside"))


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.rename(path)


@pytest.fixture
def data_dir(app) -> Path:
    return app.extensions["svc"].settings.data_dir


def put(value: str) -> None:
    with db.transaction():
        meta.put("address_seen", value)


@pytest.mark.parametrize("harm", [removed, moved, replaced])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_trigger_is_refused_when_a_file_of_the_database_is_not_there_any_more(
    partner, data_dir, harm, ending
):
    assert partner.trigger().status_code == 202
    harm(data_dir / f"service.db{ending}")
    answer = partner.trigger()
    assert (answer.status_code, answer.json["error"]) == (503, "SERVICE_UNAVAILABLE")
    assert answer.json["message"].startswith(outage.REPLACED.sentence)


@pytest.mark.parametrize("ending", ENDINGS)
def test_it_goes_on_when_the_very_file_is_moved_back(partner, data_dir, ending):
    path = data_dir / f"service.db{ending}"
    moved(path)
    assert partner.trigger().status_code == 503
    (data_dir / "aside").rename(path)
    assert partner.trigger().status_code == 202


@pytest.mark.parametrize("ending", ENDINGS)
def test_readiness_says_it_although_what_is_there_now_can_be_written(
    app, partner, data_dir, ending
):
    replaced(data_dir / f"service.db{ending}")
    problems = app.test_client().get("/readyz").json["problems"]
    assert "not the file any more" in problems["database"]


def test_the_directory_of_a_running_service_that_is_moved_away_is_refused(partner, data_dir):
    data_dir.rename(data_dir.with_name("elsewhere"))
    assert partner.trigger().status_code == 503
    data_dir.with_name("elsewhere").rename(data_dir)


def test_whatever_remakes_or_shrinks_a_file_by_right_is_no_replacement(partner, data_dir, tmp_path):
    """Checkpoints, VACUUM, backups, and other connections that come and go."""
    with closing(database_file.connect(data_dir / "service.db")) as other:
        for statement in (
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "PRAGMA wal_checkpoint(RESTART)",
            "VACUUM",
            "PRAGMA incremental_vacuum(10)",
        ):
            other.execute(statement).fetchall()
            put(statement)
    backup.make_backup(data_dir, tmp_path / "backup.tar")
    incremental.add_backup(data_dir, incremental.open_repository(tmp_path / "repository"))
    upkeep.return_free_pages(10)
    put("after all of them")
    db.require_same_files()


def test_a_connection_that_is_opened_anew_has_the_files_of_then(data_dir):
    put("before")
    db.peewee_database.close()  # SQLite removes the log with the last connection
    assert not (data_dir / "service.db-wal").exists()
    put("after")
    db.require_same_files()


def test_a_commit_costs_few_looks_at_the_files_and_none_at_the_times_of_the_log(app, monkeypatch):
    looked = []
    monkeypatch.setattr(
        wal,
        "_identity",
        lambda path, before=wal._identity: (looked.append(Path(path).name), before(path))[1],
    )
    put("one")
    if Path("/proc/self/fd").is_dir():
        assert looked == ["service.db", "service.db-shm"]
    looked.clear()
    with db.transaction(durable=False):
        meta.put("address_seen", "two")
    assert looked == []


# The number of the last commit


def number_of(data_dir: Path) -> int:
    return int.from_bytes((data_dir / commit_mark.NAME).read_bytes(), "big")


def killed(data_dir: Path, *changes: str) -> None:
    """A process that commits and is killed before SQLite writes its log home."""
    code = f"""
import os, signal
from pathlib import Path
from svc.store import meta
from svc.store.database import db, open_database
open_database(Path({str(data_dir)!r}, "service.db"))
for change in {changes!r}:
    with db.transaction():
        meta.put("address_seen", change)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True
    )
    assert done.returncode == -9, done.stderr


@pytest.fixture
def closed(data_dir) -> Path:
    """A data directory that no process uses."""
    db.close()
    return data_dir


@pytest.mark.parametrize("also", ["", "-shm"])
def test_a_log_that_is_lost_after_a_kill_is_noticed_at_the_start(closed, also):
    killed(closed, "one", "two")
    kept = (closed / "service.db-wal").read_bytes()
    (closed / "service.db-wal").unlink()
    if also:
        (closed / f"service.db{also}").unlink()
    with pytest.raises(
        StartRefused, match=r"newest commits of .*are missing.*remove .*last-commit"
    ):
        database.open_database(closed / "service.db")
    (closed / "service.db-shm").unlink(missing_ok=True)
    for ending in ("-wal",):
        (closed / f"service.db{ending}").write_bytes(kept)
    database.open_database(closed / "service.db")  # it is put back
    assert meta.read_text("address_seen") == "two"


def test_who_accepts_the_loss_goes_on(closed):
    killed(closed, "one")
    (closed / "service.db-wal").unlink()
    (closed / commit_mark.NAME).unlink()
    database.open_database(closed / "service.db")
    assert meta.read_text("address_seen") is None


def test_a_log_that_another_program_wrote_home_after_the_kill_is_no_loss(closed):
    killed(closed, "one")
    with closing(database_file.connect(closed / "service.db")) as shell:
        assert shell.execute("SELECT value FROM meta WHERE name = 'address_seen'").fetchone() == (
            "one",
        )
    assert not (closed / "service.db-wal").exists()
    database.open_database(closed / "service.db")
    assert meta.read_text("address_seen") == "one"


def test_a_kill_alone_and_a_stop_are_no_loss(closed):
    killed(closed, "one")
    for _ in range(2):
        database.open_database(closed / "service.db")
        put("more")
        db.close()


def test_an_older_database_in_its_place_is_noticed(closed):
    shutil.copy(closed / "service.db", closed / "older")
    killed(closed, "one")
    for ending in ("-wal", "-shm"):
        (closed / f"service.db{ending}").unlink()
    (closed / "older").rename(closed / "service.db")
    with pytest.raises(StartRefused, match="newest commits"):
        database.open_database(closed / "service.db")


def test_a_backup_holds_no_mark_so_that_it_can_be_restored_and_started(app, data_dir, tmp_path):
    put("one")
    assert (data_dir / commit_mark.NAME).exists()
    manifest = backup.make_backup(data_dir, tmp_path / "backup.tar")
    assert commit_mark.NAME not in manifest.parts


def test_commits_between_two_checkpoints_cost_one_number_a_second(app, monkeypatch):
    now = [0.0]
    mark = CommitMark(db.path().parent, lambda: now[0])
    monkeypatch.setattr(db, "_mark", mark)
    numbers = []
    for _ in range(3):
        put("x")
        numbers.append(mark.newest)
    assert numbers[0] == numbers[1] == numbers[2] > 0
    now[0] = 1.0
    put("x")
    assert mark.newest > numbers[0]
    at_rest = functions_called(lambda: put("x")).count("execute")
    mark.begin_checkpoint()
    assert functions_called(lambda: put("x")).count("execute") == at_rest + 1


def test_every_commit_during_a_checkpoint_and_the_first_one_after_it_has_a_number(app, monkeypatch):
    mark = CommitMark(db.path().parent, lambda: 0.0)
    monkeypatch.setattr(db, "_mark", mark)
    put("x")
    seen = [mark.newest]
    mark.begin_checkpoint()
    for _ in range(2):
        put("x")
        seen.append(mark.newest)
    mark.end_checkpoint()
    put("x")
    seen.append(mark.newest)
    assert len(set(seen)) == 4 and seen == sorted(seen)


def test_a_transaction_that_is_undone_has_no_number(app, data_dir):
    put("x")
    db._mark._due_at = 0.0
    before = db._mark.newest
    with pytest.raises(ZeroDivisionError), db.transaction():
        raise ZeroDivisionError
    assert db._mark.newest == before == number_of(data_dir)


def test_a_number_grows_also_where_the_clock_was_set_back(app, monkeypatch):
    put("x")
    before = db._mark.newest
    monkeypatch.setattr(commit_mark.time, "time_ns", lambda: 1_000_000)
    db._mark._due_at = 0.0
    put("x")
    assert db._mark.newest == before + 1


def test_the_file_of_the_mark_that_cannot_be_written_stops_nothing(app, data_dir):
    (data_dir / commit_mark.NAME).unlink(missing_ok=True)
    (data_dir / commit_mark.NAME).mkdir()
    db._mark._due_at = 0.0
    put("x")


# The lock of the engine


def test_a_lock_file_that_is_replaced_lets_no_second_engine_in(tmp_path):
    with DriverLock(tmp_path) as first, DriverLock(tmp_path) as second:
        assert first.take() and first.take()
        assert not second.take()
        replaced(tmp_path / "driver.lock")
        assert not second.take()
        (tmp_path / "driver.lock").unlink()
        assert not second.take()
    with DriverLock(tmp_path) as third:
        assert third.take()


def test_the_lock_excludes_engines_of_earlier_releases_and_they_it(tmp_path):
    with (tmp_path / "driver.lock").open("w") as earlier:
        fcntl.flock(earlier, fcntl.LOCK_EX)
        with DriverLock(tmp_path) as lock:
            assert not lock.take()
    with DriverLock(tmp_path) as lock, (tmp_path / "driver.lock").open("a") as earlier:
        assert lock.take()
        with pytest.raises(BlockingIOError):
            fcntl.flock(earlier, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_doctor_knows_that_somebody_drives_whatever_became_of_the_file(data_dir):
    assert not is_driven(data_dir)
    with DriverLock(data_dir) as lock:
        assert lock.take()
        (data_dir / "driver.lock").unlink()
        assert is_driven(data_dir)
    assert not is_driven(data_dir)


def test_the_engine_and_a_change_of_master_keys_do_not_wait_for_each_other(tmp_path):
    with key_ring.hold_lock(tmp_path / "secret"), DriverLock(tmp_path) as lock:
        assert lock.take()
