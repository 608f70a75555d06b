"""Scenes that one machine rendered are not rendered again by another one,
if the bucket has them.
"""

import hashlib
import os
import threading
from concurrent.futures import Future

import pytest

from svc.base.processes.entry_points import ROOT
from svc.media.cache import Cache, make_cache_key
from svc.work.files import scenes
from svc.work.files.scenes import SharedScenes
from svc.work.step_process import runner as step_runner
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import Completed, Crashed
from svc.work.step_process.scene_requests import SceneRequests
from tests.support.elsewhere import Elsewhere
from tests.support.patience import PATIENCE

SCENE, OTHER = make_cache_key("a scene"), make_cache_key("another one")
MOST = 1 << 20
CHILD = """
import json, os, sys, threading
sys.path.insert(0, {root!r})
from pathlib import Path
from svc.media.cache import Cache
from svc.work.step_process import child
from svc.work.step_process.scene_requests import SceneRequests
child._first_line()
asking = SceneRequests(child._write_message)
threading.Thread(target=child._die_with_parent, args=(asking,), daemon=True).start()
cache = Cache(Path({folder!r}), 1 << 20, asking)
{code}
child._write_message({{"done": True}})
"""


@pytest.fixture
def bucket(app, tmp_path):
    store = Elsewhere(tmp_path / "bucket")
    app.extensions["svc"].storage.files = store
    return store


class AtOnce:
    """A pool that does the work in the caller's thread."""

    def submit(self, work, *given):
        work(*given)
        return Future()

    def shutdown(self, **_how):
        pass


@pytest.fixture
def machine(app, bucket, tmp_path):
    def make(name, partner="partner"):
        shared = SharedScenes(app.extensions["svc"].storage, tmp_path / name, MOST)
        shared._pool = AtOnce()
        return shared.prepare_for_step("video", partner), Cache(tmp_path / name, MOST)

    return make


def test_a_scene_of_one_machine_is_in_the_cache_of_another_one_that_asks_for_it(machine, bucket):
    one, cache = machine("one")
    cache.keep(SCENE, b"frames")
    one.keep(SCENE)
    assert list(bucket.list_names("")) == [f"scenes/partner/{SCENE}"]
    other, cache = machine("other")
    other.fetch(SCENE)
    other.fetch(OTHER)
    assert other.is_asked and other.take_answers() == [SCENE, OTHER] and not other.is_asked
    assert cache.find(SCENE) == b"frames" and cache.find(OTHER) is None


def test_scenes_are_only_for_their_own_partner(machine):
    one, cache = machine("one")
    cache.keep(SCENE, b"frames")
    one.keep(SCENE)
    other, cache = machine("other", partner="stranger")
    other.fetch(SCENE)
    assert cache.find(SCENE) is None


def test_a_damaged_scene_is_not_taken(machine, bucket, tmp_path):
    (tmp_path / "damaged").write_bytes(hashlib.sha256(b"frames").digest() + b"other frames")
    bucket.put(tmp_path / "damaged", f"scenes/partner/{SCENE}")
    one, cache = machine("one")
    one.fetch(SCENE)
    assert one.take_answers() == [SCENE] and cache.find(SCENE) is None


def test_what_is_no_file_is_not_sent(machine, bucket, tmp_path):
    one, cache = machine("one")
    (tmp_path / "secret").write_text("the secret of the service")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / SCENE).symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "one" / OTHER)
    for name in (SCENE, OTHER, make_cache_key("missing")):
        one.keep(name)
    assert list(bucket.list_names("")) == []


def test_a_bucket_that_fails_is_not_asked_again_in_this_step(machine, bucket):
    bucket.failures = 1
    one, cache = machine("one")
    cache.keep(SCENE, b"frames")
    one.fetch(OTHER)
    one.fetch(OTHER)
    one.keep(SCENE)
    assert one.take_answers() == [OTHER, OTHER] and bucket.failures == 0 and bucket.puts == []


def test_a_step_sends_and_looks_for_a_bounded_number(machine, bucket, monkeypatch):
    monkeypatch.setattr(scenes, "MOST_SCENES", 1)
    one, cache = machine("one")
    for name in (SCENE, OTHER):
        cache.keep(name, b"frames")
        one.keep(name)
    assert len(bucket.puts) == 1
    other, cache = machine("other")
    other.fetch(OTHER)
    other.fetch(SCENE)
    assert other.take_answers() == [OTHER, SCENE] and cache.find(SCENE) is None


@pytest.mark.parametrize("name", ["script", "narration", "certificate"])
def test_other_steps_share_nothing(app, bucket, tmp_path, name):
    assert (
        SharedScenes(app.extensions["svc"].storage, tmp_path, MOST).prepare_for_step(
            name, "partner"
        )
        is None
    )


def test_without_a_bucket_or_a_cache_nothing_is_shared(app, bucket, tmp_path):
    storage = app.extensions["svc"].storage
    assert SharedScenes(storage, tmp_path, 0).prepare_for_step("video", "partner") is None
    bucket.is_remote = False
    assert SharedScenes(storage, tmp_path, MOST).prepare_for_step("video", "partner") is None
    assert not StepConfig().prepare_for_step("video").shared


def run(tmp_path, monkeypatch, step_scenes, code):
    """Run a step's process that does this with its cache in the folder ``other``."""
    program = tmp_path / "child.py"
    program.write_text(CHILD.format(root=str(ROOT), folder=str(tmp_path / "other"), code=code))
    monkeypatch.setattr(step_runner, "_CHILD", (str(program),))
    (tmp_path / "work").mkdir()
    return step_runner.run_step(
        "video", tmp_path / "work", PATIENCE, lambda fraction: None, scenes=step_scenes
    )


def test_a_process_asks_its_parent_and_tells_it_of_new_scenes(
    machine, bucket, tmp_path, monkeypatch
):
    one, cache = machine("one")
    cache.keep(SCENE, b"frames")
    one.keep(SCENE)
    other, _ = machine("other")
    code = (
        f"assert cache.find({SCENE!r}) == b'frames' and cache.find({OTHER!r}) is None; "
        f"cache.keep({OTHER!r}, b'more')"
    )
    assert run(tmp_path, monkeypatch, other, code) == Completed()
    assert sorted(bucket.list_names("")) == sorted(
        f"scenes/partner/{name}" for name in (SCENE, OTHER)
    )


def test_a_process_that_asks_for_no_scene_is_stopped(machine, tmp_path, monkeypatch):
    outcome = run(
        tmp_path,
        monkeypatch,
        machine("other")[0],
        "child._write_message({'lacks': '../../secret'})",
    )
    assert isinstance(outcome, Crashed) and "invalid message" in outcome.message


def test_a_process_that_reads_no_answer_does_not_stop_its_parent(machine, tmp_path, monkeypatch):
    code = (
        "asking.answer = lambda name: threading.Event().wait()\n"
        f"for _ in range(3000): child._write_message({{'lacks': {SCENE!r}}})"
    )
    assert run(tmp_path, monkeypatch, machine("other")[0], code) == Completed()


def test_a_process_without_answers_waits_once(monkeypatch):
    monkeypatch.setattr("svc.work.step_process.scene_requests._SECONDS", 0.01)
    told = []
    asking = SceneRequests(told.append)
    asking.fetch(SCENE)
    asking.fetch(OTHER)
    assert told == [{"lacks": SCENE}]


def test_an_answer_ends_the_waiting():
    told = []

    def tell(message):
        told.append(message["lacks"])
        threading.Thread(target=asking.answer, args=(message["lacks"],)).start()

    asking = SceneRequests(tell)
    asking.fetch(SCENE)
    asking.fetch(OTHER)
    assert told == [SCENE, OTHER]
