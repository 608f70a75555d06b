"""A production that begins in one data directory and ends in another one,
which shares the database and the bucket with it.
"""

import shutil
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import body

from svc.base import clock as wall_clock
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin, assets
from svc.work.engine import Engine
from svc.work.files import bucket_owner
from svc.work.files.uploads import Uploads
from svc.work.step_process.outcomes import Completed
from tests.support.elsewhere import Elsewhere
from tests.work.test_finished_files import leave_files, until

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def bucket(app, tmp_path):
    store = Elsewhere(tmp_path / "bucket")
    app.extensions["svc"].storage.files = store
    return store


@pytest.fixture
def clock():
    return wall_clock.now


@pytest.fixture
def engine(app, bucket, monkeypatch):
    monkeypatch.setattr("svc.work.outages.AGAIN_SECONDS", 0.02)
    monkeypatch.setattr("svc.work.pipeline.AGAIN_SECONDS", 0.02)
    service, started = app.extensions["svc"], []

    def start(data_dir=service.settings.data_dir):
        if not (data_dir / "secret").exists():
            shutil.copy(service.settings.secret, data_dir / "secret")
        started.append(
            Engine(replace(service.settings, data_dir=data_dir), service.storage, service.ring)
        )
        started[-1].start()
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def half_done(engine, partner, monkeypatch):
    """A production with three steps done by an engine that has stopped."""

    def run(name, folder, _seconds, heard, *_given):
        while name == "captions":  # until the engine stops
            heard(0.5)
        (folder / f"{name}.txt").write_text(name)
        return Completed()

    monkeypatch.setattr("svc.work.step_process.runner.run_step", run)
    first = engine()
    production = body(partner.trigger())["productionId"]
    until(lambda: plain_sql.row("SELECT 1 FROM production_steps WHERE name = 'captions'"))
    first.stop()
    monkeypatch.setattr("svc.work.step_process.runner.run_step", check_and_leave)
    return production


def test_a_production_is_finished_from_another_directory_while_the_bucket_fails_for_a_while(
    engine, half_done, bucket, tmp_path
):
    (tmp_path / "second").mkdir()
    bucket.failures = 3
    engine(tmp_path / "second")
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Published'"))
    assert bucket.failures == 0
    # removed after the publication
    until(lambda: plain_sql.one("SELECT count(files) FROM production_steps")[0] == 0)
    assert plain_sql.one("SELECT max(attempts) FROM production_steps")[0] == 0
    until(
        lambda: (
            not list(bucket.list_names("work"))
            and not list((tmp_path / "second" / "work").iterdir())
        )
    )


def test_a_production_whose_archive_is_lost_fails_with_a_reason(
    engine, half_done, bucket, tmp_path
):
    (tmp_path / "second").mkdir()
    bucket.delete_folder("work")
    engine(tmp_path / "second")
    found = until(
        lambda: plain_sql.row(
            "SELECT error_code, error_message FROM productions WHERE status = 'Failed'"
        )
    )
    # whose end is cut off
    assert found["error_code"] == "STEP_CRASHED" and "bucket/work" in found["error_message"]


def test_a_cancel_removes_the_work_from_the_bucket(engine, half_done, bucket, partner, tmp_path):
    assert len(list(bucket.list_names("work"))) == 3
    (tmp_path / "second").mkdir()
    partner.delete(f"/v1/productions/{half_done}")
    engine(tmp_path / "second")
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Cancelled'"))
    until(
        lambda: list(bucket.list_names("")) in ([], [bucket_owner.NAME])
    )  # files follow their rows


def test_a_step_has_the_logo_that_another_machine_took(
    app, engine, bucket, partner, tmp_path, monkeypatch
):
    folders = []

    def run(name, folder, *given):
        folders.append({path.name for path in folder.iterdir()})
        return leave_files(name, folder, *given)

    monkeypatch.setattr("svc.work.step_process.runner.run_step", run)
    Uploads(bucket, tmp_path / "first").keep(PNG)
    admin.set_logo(Actor(None, "olga"), partner.account, PNG, tmp_path / "first", wall_clock.now())
    (tmp_path / "second").mkdir()
    partner.trigger()
    engine(tmp_path / "second")
    until(lambda: plain_sql.row("SELECT 1 FROM productions WHERE status = 'Published'"))
    assert len(folders) == 7 and all(
        assets.find_logo_file(partner.account) in found for found in folders
    )


def test_uploads_from_before_the_setting_are_sent_when_the_engine_starts(
    app, engine, bucket, partner
):
    folder = app.extensions["svc"].previews.assets
    admin.set_logo(Actor(None, "olga"), partner.account, PNG, folder, wall_clock.now())
    engine()
    until(lambda: list(bucket.list_names("uploads")))


def check_and_leave(name, folder, *given):
    """Do what a step would, after those before it."""
    before = [
        each for each in ("script", "narration", "video") if not (folder / f"{each}.txt").exists()
    ]
    assert not before, before
    return leave_files(name, folder, *given)
