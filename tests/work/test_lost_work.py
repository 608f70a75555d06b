"""A production whose work folder is gone, as after the restoration of a backup,
is made all the same.
"""

import shutil
from contextlib import closing
from functools import partial

import pytest
import requests

from svc.domain.lifecycle import script_review
from svc.store.engine.sqlite_driver import sqlite3
from svc.work.step_process import lost_work
from svc.work.step_process.outcomes import Completed, Failed
from svc.work.step_process.running import Stopping
from tests.faults.conftest import serve as serve
from tests.faults.test_faults import is_in_order, is_whole, status, trigger
from tests.work.test_recovery import until

SLOW = (
    "---\nsandbox:\n  slowStep: captions\n  slowSeconds: 600\n---\n\n"
    "The sea rises towards the moon."
)


def end_the_wait(service, production: str) -> None:
    """Make the step due that the scenario delays."""
    with (
        closing(sqlite3.connect(service.data_dir / "service.db", timeout=60)) as connection,
        connection,
    ):
        connection.execute("UPDATE productions SET not_before = 0 WHERE id = ?", (production,))


def step(position: int) -> dict:
    return {"position": position, "name": "captions", "production_id": "p"}


@pytest.fixture
def ran(monkeypatch):
    """The steps that are run again; each completes, unless a test says otherwise.

    No script is reviewed.
    """
    monkeypatch.setattr(script_review, "find_written_script", lambda production: None)
    return []


def test_nothing_is_made_again_while_the_files_are_there(tmp_path, ran):
    assert lost_work.recreate_files(step(0), tmp_path, ran.append) == Completed()
    (tmp_path / "script.json").touch()
    assert lost_work.recreate_files(step(3), tmp_path, ran.append) == Completed() and ran == []


def test_the_steps_before_are_run_in_their_order(tmp_path, ran):
    def run(name):
        ran.append(name)
        return Completed()

    assert lost_work.recreate_files(step(3), tmp_path, run) == Completed()
    assert ran == ["script", "narration", "video"]


def test_a_step_that_fails_this_time_ends_it(tmp_path, ran):
    def run(name):
        ran.append(name)
        return Failed("MODEL_DOWN", "…") if name == "narration" else Completed()

    assert lost_work.recreate_files(step(3), tmp_path, run) == Failed("MODEL_DOWN", "…")
    assert ran == ["script", "narration"]


@pytest.mark.parametrize("reviewed", [None, '{"title": "as reviewed"}'])
def test_what_ends_while_steps_are_run_again_lets_them_begin_anew(
    tmp_path, ran, monkeypatch, reviewed
):
    monkeypatch.setattr(script_review, "find_written_script", lambda production: reviewed)

    def run(name, ends_in=""):
        ran.append(name)
        if name == "script":
            (tmp_path / "script.json").touch()
        if name == ends_in:
            raise Stopping
        return Completed()

    with pytest.raises(Stopping):
        lost_work.recreate_files(step(3), tmp_path, partial(run, ends_in="narration"))
    assert (tmp_path / "script.json").exists()
    ran.clear()
    assert lost_work.recreate_files(step(3), tmp_path, run) == Completed()
    assert ran == [*([] if reviewed else ["script"]), "narration", "video"]
    assert (
        lost_work.recreate_files(step(3), tmp_path, run) == Completed()
        and ran[-1] == "video"
        and len(ran) < 4
    )
    assert [path.name for path in tmp_path.iterdir()] == ["script.json"]


def test_a_reviewed_script_is_not_written_anew(tmp_path, ran, monkeypatch):
    monkeypatch.setattr(
        script_review, "find_written_script", lambda production: '{"title": "as reviewed"}'
    )
    assert lost_work.recreate_files(step(1), tmp_path, ran.append) == Completed()
    assert ran == [] and (tmp_path / "script.json").read_text() == '{"title": "as reviewed"}'


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_production_whose_files_are_lost_between_two_steps_is_published_whole(serve, tmp_path):
    service = serve(tmp_path)
    production = trigger(service, SLOW).json()["productionId"]
    until(
        lambda: service.ask(
            "SELECT 1 FROM productions WHERE steps_complete = 3 AND claim_token IS NULL "
            "AND not_before > 0 "
            "AND scenario NOT LIKE '%captions%'"
        ),
        "the delay after the third step",
    )
    shutil.rmtree(service.data_dir / "work" / production)
    end_the_wait(service, production)
    until(lambda: status(service, production) == "Published", "publication")
    is_whole(service, production)
    is_in_order(service, {production})
    assert "the steps before captions are run again" in service.said()
    assert service.ask(
        "SELECT count(*) FROM events WHERE event_type = 'production.step.complete'"
    ) == [(7,)]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_script_that_was_changed_is_said_though_its_files_are_lost(serve, tmp_path):
    service = serve(tmp_path)
    account, key = service.seeded["sandboxAccountId"], {"X-API-Key": service.seeded["testKey"]}
    brief = service.brief(
        "The sea rises towards the moon.\n\n## The guest\n\nA lion waits at the door."
    ) | {"review": "script"}
    made = requests.post(
        f"{service.address}/v1/accounts/{account}/productions", json=brief, headers=key, timeout=60
    )
    production = made.json()["productionId"]
    at = f"{service.address}/v1/productions/{production}/script"
    until(lambda: service.ask("SELECT 1 FROM productions WHERE review = 'Awaited'"), "the script")
    shutil.rmtree(service.data_dir / "work" / production)
    scenes = [{"sceneId": 1, "narration": "Nobody sleeps."}, {"sceneId": 2}]
    assert (
        requests.put(at, json={"version": 1, "scenes": scenes}, headers=key, timeout=60).status_code
        == 200
    )
    assert requests.post(f"{at}/approve", headers=key, timeout=60).status_code == 202
    until(lambda: status(service, production) == "Published", "publication")
    [(transcript,)] = service.ask(
        "SELECT file FROM deliverables WHERE type = 'Transcript' AND format = 'txt'"
    )
    said = (service.data_dir / "media" / transcript).read_text("utf-8")
    assert "Nobody sleeps." in said and "A lion waits" in said and "towards the moon" not in said
    is_in_order(service, {production})
