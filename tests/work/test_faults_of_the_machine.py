"""What the machine lacks (rights, folders, descriptors, memory) is an outage that is waited for,
and no production's fault.
"""

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.cast import body
from support.service_user import SERVICE, as_service
from support.stage import claim

from svc.base import disk, outage
from svc.base.errors import FileStoreUnavailable, StartRefused
from svc.cli.run import describe_failure
from svc.domain.monitoring import alerts, health_checks
from svc.domain.productions import progress
from svc.work import engine as engines
from svc.work import work_folder
from svc.work.outages import Outages
from svc.work.step_process import running
from svc.work.step_process.outcomes import Completed, Crashed, Failed, Interrupted
from svc.work.step_process.running import Run, Running


def of_path(code: int, path: object = "/data/work") -> OSError:
    return OSError(code, os.strerror(code), str(path))


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (of_path(errno.EACCES), outage.READ_ONLY),
        (of_path(errno.EPERM), outage.READ_ONLY),
        (of_path(errno.EROFS), outage.READ_ONLY),
        (of_path(errno.ENOTDIR), outage.NO_FOLDER),
        (of_path(errno.ELOOP), outage.NO_FOLDER),
        (OSError(errno.EMFILE, "x"), outage.TOO_MANY_FILES),
        (OSError(errno.ENFILE, "x"), outage.TOO_MANY_FILES),
        (OSError(errno.ENOMEM, "x"), outage.NO_MEMORY),
        (OSError(errno.ENOBUFS, "x"), outage.NO_MEMORY),
        (RuntimeError("can't start new thread"), outage.NO_MEMORY),
        (FileStoreUnavailable(errno.EMFILE, "x"), outage.TOO_MANY_FILES),
        (FileStoreUnavailable("x"), outage.FILE_STORE_UNAVAILABLE),
        (OSError(errno.ESTALE, "x"), outage.FAILING),
        (OSError(errno.EIO, "x"), outage.FAILING),
        (OSError(errno.ENOSPC, "x"), outage.DISK_FULL),
        (OSError(errno.EDQUOT, "x"), outage.DISK_FULL),
        (OSError(errno.EACCES, "a firewall, of a socket"), None),
        (of_path(errno.ENOENT), None),
        (ValueError("x"), None),
    ],
)
def test_each_failure_of_the_machine_is_recognised(failure, expected):
    assert outage.recognise(failure) is expected
    if expected is not None:
        assert alerts.SEVERITIES[expected.name] == ("critical",)


@pytest.mark.parametrize(
    "code", [errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ELOOP, errno.EMFILE, errno.ENOMEM]
)
def test_what_a_step_meets_by_its_confinement_is_no_outage(code):
    assert outage.recognise(of_path(code), of_step=True) is None
    assert outage.recognise(of_path(errno.ENOSPC), of_step=True) is outage.DISK_FULL


def test_a_lack_of_resources_for_an_exchange_with_others_is_an_outage_in_a_step_too():
    failure = outage.ResourcesExhausted(OSError(errno.EMFILE, os.strerror(errno.EMFILE)))
    assert outage.recognise(failure, of_step=True) is outage.TOO_MANY_FILES


def test_a_command_that_may_not_read_a_file_of_the_operators_names_that_file():
    assert "/root/x" in describe_failure(of_path(errno.EACCES, "/root/x"))
    assert "data directory" not in describe_failure(of_path(errno.EACCES, "/root/x"))


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


@pytest.fixture
def stopping() -> threading.Event:
    return threading.Event()


@pytest.fixture
def steps(app, given, clock, stopping) -> Running:
    return Running(given, app.extensions["svc"].storage, clock, Outages(clock, stopping), stopping)


@pytest.fixture
def run(partner, clock) -> Run:
    partner.trigger()
    return Run(claim(clock))


def outcome(steps: Running, run: Run, given, clock):
    step = progress.start_step(run.claim, clock())
    return steps._run(run, step, given.work_dir / run.claim.production_id)


def test_a_file_in_place_of_the_work_folder_is_an_outage(steps, run, given, clock):
    given.work_dir.write_text("")
    assert outcome(steps, run, given, clock).trouble is outage.NO_FOLDER


def test_a_work_folder_of_another_user_is_an_outage(steps, run, given, clock, monkeypatch):
    def denied(folder):
        raise of_path(errno.EACCES, folder)

    monkeypatch.setattr(work_folder, "make_folder", denied)
    assert outcome(steps, run, given, clock).trouble is outage.READ_ONLY


@pytest.mark.parametrize("left", ["a link", "a folder", "no rights"])
def test_what_a_step_left_in_its_folder_is_its_own_fault(
    steps, run, given, clock, left, monkeypatch
):
    folder = given.work_dir / run.claim.production_id
    folder.mkdir(parents=True)
    brief = folder / "brief.json"
    code = (
        errno.ELOOP if left == "a link" else errno.ENOTDIR if left == "a folder" else errno.EACCES
    )
    brief.symlink_to(
        brief
    ) if left == "a link" else brief.mkdir() if left == "a folder" else brief.touch(0o000)

    def refused(_brief, path):
        raise of_path(code, path)

    monkeypatch.setattr(running.programme, "save", refused)
    assert isinstance(outcome(steps, run, given, clock), Crashed)


def test_a_folder_whose_rights_a_step_took_away_is_made_accessible_again(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir(mode=0o700)
    folder.chmod(0o000)
    work_folder.make_folder(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_step_that_fails_beside_files_of_root_is_run_again(steps, run, given, clock, monkeypatch):
    monkeypatch.setattr(
        running.step_runner, "run_step", lambda *_: Failed("SCRIPT_FAILED", "It cannot be written.")
    )
    assert isinstance(steps._run_child(run, "script", given.data_dir, False), Failed)
    monkeypatch.setattr(work_folder, "is_of_another", lambda _: True)
    assert steps._run_child(run, "script", given.data_dir, False) == Interrupted(
        "It cannot be written.", outage.READ_ONLY
    )


def test_files_of_another_user_that_cannot_be_changed_are_seen_at_any_depth(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "scene").touch()
    assert not work_folder.is_of_another(tmp_path)
    monkeypatch.setattr(work_folder.os, "geteuid", lambda: 12345)
    monkeypatch.setattr(work_folder.os, "access", lambda *_: False)
    assert work_folder.is_of_another(tmp_path)


@pytest.mark.parametrize("of", ["the step", "the machine"])
def test_files_are_stored_again_after_an_outage_and_not_when_the_step_is_to_blame(tmp_path, of):
    folder = tmp_path / "work" / "x"
    folder.mkdir(parents=True)
    path = folder / "film.mp4" if of == "the step" else tmp_path / "media" / "film.mp4"

    def store():
        raise of_path(errno.EACCES, path)

    with pytest.raises(ValueError if of == "the step" else PermissionError) as raised:
        work_folder.guard_step_faults(folder, store)()
    assert (outage.recognise(raised.value) is None) == (of == "the step")


def test_media_in_another_users_hands_keep_a_production_waiting_until_they_are_given_back(
    steps, run, given, clock, monkeypatch
):
    monkeypatch.setattr(steps, "_retry", steps._outages.retry_until_written)
    monkeypatch.setattr("svc.work.outages.AGAIN_SECONDS", 0)
    given.media_dir.write_text("")  # a file in its place
    tried = []

    def store(_, wanted, warnings):
        assert warnings == []
        tried.append(wanted)
        if len(tried) == 3:
            given.media_dir.unlink()
        given.media_dir.mkdir(exist_ok=True) if len(tried) > 2 else (given.media_dir / "x").mkdir()
        return []

    monkeypatch.setattr(running.FinishedFiles, "store", store)
    monkeypatch.setattr(running.steps, "is_last", lambda _: True)
    assert isinstance(steps._keep(run, progress.start_step(run.claim, clock()), None)[0], Completed)
    assert len(tried) == 3


@pytest.mark.parametrize("name", disk.FOLDERS)
def test_a_folder_that_is_none_is_not_ready_an_alert_and_refused_at_the_start(app, given, name):
    path = given.data_dir / name
    if path.is_dir():
        path.rename(given.data_dir / "aside")
    path.write_text("")
    answer = app.test_client().get("/readyz")
    assert (
        answer.status_code == 503 and f"{name} is no folder" in answer.json["problems"]["directory"]
    )
    with pytest.raises(StartRefused, match=f"{name} is no folder"):
        disk.require_usable(given.data_dir)
    [check] = [each for each in health_checks.list_checks() if each.name == "directory"]
    assert check.alert in outage.OUTAGES and check.severities == ("critical",)
    path.unlink()
    if (given.data_dir / "aside").exists():
        (given.data_dir / "aside").rename(path)
    app.extensions["svc"].probe._known_until = 0.0  # asked anew
    assert "directory" not in app.test_client().get("/readyz").json["problems"]


@pytest.mark.slow
def test_a_folder_of_root_is_named_with_the_command_that_gives_it_back(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "work").mkdir(mode=0o700)
    os.chown(data, SERVICE, SERVICE)
    for parent in [data, *data.parents]:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    (data / "work").chmod(0o700)
    code = (
        "from pathlib import Path; from svc.base import disk; "
        f"print(disk.find_unusable_folder(Path({str(data)!r})))"
    )
    command = as_service([sys.executable, "-c", code])
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.stdout.strip() == (
        f"{data / 'work'} cannot be written. Make it this user's: chown -R {SERVICE} "
        f"{data / 'work'}"
    ), done.stderr


def test_the_engine_outlives_a_lock_file_that_it_may_not_open(app, given, clock, monkeypatch):
    monkeypatch.setattr(engines, "AGAIN_SECONDS", 0)
    engine, driven, refused = app.extensions["engine"], threading.Event(), threading.Event()
    lock = given.data_dir / "driver.lock"
    lock.mkdir()
    record_failure = engine._outages.record_failure
    monkeypatch.setattr(
        engine._outages,
        "record_failure",
        lambda failure: (refused.set(), record_failure(failure))[1],
    )

    def drive():
        driven.set()
        engine.begin_to_stop()

    monkeypatch.setattr(engine, "_drive", drive)
    engine.start()
    assert refused.wait(60) and engine._thread.is_alive()
    lock.rmdir()
    assert driven.wait(60)
    engine.stop()


def test_too_many_open_files_are_a_503_and_pass(app, partner, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr("svc.domain.access.rate_limit.count_request", full)
        answer = partner.get("/v1/webhooks")
        assert (
            answer.status_code == 503
            and body(answer)["retryAfterSeconds"] == outage.TOO_MANY_FILES.seconds
        )
    assert partner.get("/v1/webhooks").status_code == 200
    assert "database" not in app.test_client().get("/readyz").json["problems"]
