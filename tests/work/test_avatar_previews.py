"""The processes that make previews for the console: they end, all of them,
and each preview is made once.
"""

import os
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.shares import count_held

from svc.base import settings, voices
from svc.base.errors import InternalError, InvalidRequest, RateLimitExceeded, ServiceUnavailable
from svc.base.processes import entry_points
from svc.media.brand_kit import BrandKit
from svc.media.model import Presenter, SceneEdit
from svc.work import avatar_previews
from svc.work.avatar_previews import AvatarPreviews

ENDLESS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
while os.getpriority(os.PRIO_PROCESS, child.pid) < 10 and os.getpriority(os.PRIO_PROCESS, 0) < 10:
    time.sleep(0.01)
open({told!r}, "w").write(str(child.pid))
time.sleep(600)
"""


@pytest.fixture
def previews(tmp_path) -> AvatarPreviews:
    return AvatarPreviews(settings.read({"SVC_DATA_DIR": str(tmp_path)}))


@pytest.mark.slow
def test_a_voice_that_does_not_answer_ends_with_all_its_processes_which_have_a_low_priority(
    previews, tmp_path, monkeypatch
):
    told = tmp_path / "child"
    code = ENDLESS.format(told=str(told))
    monkeypatch.setattr(entry_points, "list_arguments", lambda process: ("-c", code))
    communicate = subprocess.Popen.communicate

    def once_it_runs(process, given, _seconds):
        while not (told.exists() and told.read_text()):
            time.sleep(0.01)
        return communicate(process, given, 0.01)

    monkeypatch.setattr(subprocess.Popen, "communicate", once_it_runs)
    with pytest.raises(InvalidRequest, match="did not answer"):
        previews.say("heart", "en", "Hello.", tmp_path / "voice.wav")
    assert has_ended(int(told.read_text()))


def has_ended(pid: int) -> bool:
    for _ in range(6000):  # a guard against waiting for ever
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


def test_a_preview_that_was_made_while_it_waited_is_not_made_again(previews, monkeypatch):
    voice = voices.VOICES["heart"]
    monkeypatch.setattr(avatar_previews, "_run_module", None)  # whose call would fail

    class Turn:
        def acquire(self, blocking: bool) -> bool:
            [target] = targets
            target.write_bytes(b"made by another request")
            return True

        def release(self) -> None:
            """It is nobody's."""

    targets = []
    made = previews._make_file
    monkeypatch.setattr(
        previews,
        "_make_file",
        lambda target, *more: (targets.append(target), made(target, *more))[1],
    )
    previews._turn = Turn()
    assert previews.render_voice_sample(voice).read_bytes() == b"made by another request"


def test_a_scene_is_shown_without_intro_outro_and_translated_captions(previews, monkeypatch):
    brand, filmed = (
        BrandKit(
            font="own.ttf",
            intro="first.mp4",
            intro_licence="CC0",
            outro="last.mp4",
            outro_licence="CC0",
        ),
        [],
    )
    brief = avatar_previews._make_brief(Presenter("Ada"), "en", "Tea")
    monkeypatch.setattr(
        avatar_previews.script_review, "find_scene", lambda production_id, scene: ({}, "{}")
    )
    monkeypatch.setattr(avatar_previews.settled_briefs, "find_settings", lambda production_id: "{}")
    monkeypatch.setattr(
        avatar_previews.brief_builder,
        "build_brief",
        lambda production_id: replace(brief, brand=brand, caption_languages=("es",)),
    )
    monkeypatch.setattr(
        avatar_previews.brief_builder, "make_scene_edit", lambda shown: SceneEdit(1)
    )
    monkeypatch.setattr(avatar_previews, "_remove_cards", str)
    monkeypatch.setattr(
        previews, "_make_film", lambda brief, steps, folder, target: filmed.append(brief)
    )
    previews.render_scene("a production", 1, "a partner", 60)
    assert [(each.brand, each.caption_languages) for each in filmed] == [
        (BrandKit(font="own.ttf"), ())
    ]


class Studio:
    """Makes previews when it is told to."""

    def __init__(self, previews, monkeypatch, shares):
        shares.set_threads(8)
        self.begun, self.go_on, self.made, self.refusal = (
            threading.Semaphore(0),
            threading.Event(),
            [],
            None,
        )
        self.previews = previews
        monkeypatch.setattr(previews, "_speak_sample", self._say)

    def _say(self, name, _language, _text, folder, target):
        self.begun.release()
        assert self.go_on.wait(60)
        self.made.append(name)
        if self.refusal:
            raise self.refusal
        spoken = folder / "voice.wav"
        spoken.write_bytes(b"sound")
        spoken.replace(target)  # whole, as the voice's own: it is there before this has returned

    def end(self):
        """Make everything that was asked for."""
        self.go_on.set()
        for each in threading.enumerate():
            if each.name == "preview":
                each.join(60)

    def ask(self, name, owner="one", seconds=0):
        return self.previews.render_voice_sample(voices.VOICES[name], owner, seconds)


@pytest.fixture
def studio(previews, monkeypatch, shares):
    made = Studio(previews, monkeypatch, shares)
    yield made
    made.end()


def test_a_request_does_not_wait_for_its_preview_and_who_asks_again_gets_it(studio, shares):
    assert studio.ask("heart") is None and count_held(shares, "one") == 1
    assert (
        studio.ask("heart") is None and count_held(shares, "one") == 1
    )  # the same preview, not another
    studio.go_on.set()
    assert studio.ask("heart", seconds=60).read_bytes() == b"sound"
    studio.end()
    assert studio.made == ["heart"] and count_held(shares, "one") == 0


def test_many_previews_at_once_are_refused_at_once_and_another_partners_is_taken(studio):
    first, second, third, fourth = list(voices.VOICES)[:4]
    assert (studio.ask(first), studio.ask(second)) == (None, None)
    with pytest.raises(RateLimitExceeded) as refused:
        studio.ask(third)
    assert refused.value.retry_after == 5
    assert studio.ask(fourth, owner="other") is None


def test_previews_are_made_one_at_a_time(studio):
    first, second = list(voices.VOICES)[:2]
    studio.ask(first)
    assert studio.begun.acquire(timeout=60)
    studio.ask(second, owner="other")
    assert not studio.begun.acquire(blocking=False)
    studio.go_on.set()
    assert studio.ask(first, seconds=60) and studio.ask(second, owner="other", seconds=60)


def test_why_a_preview_was_not_made_is_told_once_and_then_it_is_tried_again(studio):
    studio.refusal = InvalidRequest("The voice did not answer.")
    studio.go_on.set()
    with pytest.raises(InvalidRequest, match="did not answer"):
        studio.ask("heart", seconds=60)
    studio.refusal = None
    assert studio.ask("heart", seconds=60)


def test_a_preview_that_fails_unexpectedly_ends_its_job_too(studio, shares, caplog):
    studio.refusal = ZeroDivisionError()
    studio.go_on.set()
    with pytest.raises(InternalError):
        studio.ask("heart", seconds=60)
    assert count_held(shares, "one") == 0
    caplog.clear()


def test_what_a_preview_computes_in_this_process_counts_as_its_owners(studio, shares, monkeypatch):
    noted = []
    monkeypatch.setattr(
        shares, "record_work", lambda owner, seconds: noted.append((owner, seconds))
    )
    studio.go_on.set()
    assert studio.ask("heart", seconds=60)
    [(owner, seconds)] = noted
    assert owner == "one" and seconds > 0


def test_what_a_preview_is_made_of_is_read_only_where_there_is_room_for_it(
    studio, monkeypatch, shares
):
    briefs = avatar_previews.brief_builder
    built: list[str] = []
    monkeypatch.setattr(
        avatar_previews.script_review, "find_scene", lambda production, scene: ({"n": scene}, "{}")
    )
    monkeypatch.setattr(
        avatar_previews.settled_briefs, "find_settings", lambda production: f"of {production}"
    )

    def build(production: str):
        built.append(production)
        if production == "broken":
            raise LookupError("no platform")
        return avatar_previews._make_brief(Presenter("Ada"), "en", "Tea")

    monkeypatch.setattr(briefs, "build_brief", build)
    monkeypatch.setattr(briefs, "make_scene_edit", lambda shown: SceneEdit(1))
    monkeypatch.setattr(avatar_previews, "_remove_cards", str)

    def film(_brief, _steps, _folder, target: Path):
        assert studio.go_on.wait(60)
        target.write_bytes(b"film")

    monkeypatch.setattr(studio.previews, "_make_film", film)
    ask = studio.previews.render_scene
    with pytest.raises(LookupError):
        ask("broken", 1, "one")
    assert count_held(shares, "one") == 0 and ask("first", 1, "one") is None
    # it is being made, and what is made of the second leaves no room for a third
    assert ask("first", 1, "one") is None and ask("second", 1, "one") is None
    for _ in range(3):
        with pytest.raises(RateLimitExceeded):
            ask("third", 1, "one")
    assert built == ["broken", "first", "second"]
    studio.end()
    assert ask("first", 1, "one").read_bytes() == b"film"
    assert ask("first", 2, "one", 60) != ask("first", 1, "one")
    assert built == ["broken", "first", "second", "first"]


def test_another_brief_or_another_setting_is_another_preview_of_a_scene(previews, monkeypatch):
    brief = avatar_previews._make_brief(Presenter("Ada"), "en", "Tea")
    settings, targets = {"a": "{}", "b": "{}"}, []
    monkeypatch.setattr(
        avatar_previews.script_review, "find_scene", lambda production, scene: ({}, "{}")
    )
    monkeypatch.setattr(avatar_previews.settled_briefs, "find_settings", settings.get)
    monkeypatch.setattr(
        avatar_previews.brief_builder, "build_brief", lambda production: briefs[production]
    )
    monkeypatch.setattr(
        previews, "_prepare_file", lambda target, *_: targets.append(target) or target
    )
    briefs = {"c": brief}
    previews.render_scene("a", 1)
    previews.render_scene("b", 1)
    settings["a"] = '{"look": "other"}'
    previews.render_scene("a", 1)
    previews.render_scene("c", 1)  # no step was run: its settings are those of this moment
    briefs["c"] = replace(brief, look="other")
    previews.render_scene("c", 1)
    assert len(set(targets)) == len(targets) == 5


def test_a_script_is_refused_at_once_and_before_its_brief_is_read(previews, monkeypatch):
    monkeypatch.setattr(previews, "_build_untriggered_brief", None)  # whose call would fail
    with previews._outlines, previews._outlines, pytest.raises(ServiceUnavailable):
        previews.outline({}, "Tea", 1)


def test_an_upload_is_refused_at_once_while_another_one_is_handled(studio):
    with studio.previews._upload, pytest.raises(ServiceUnavailable, match="Another one"):
        studio.previews.reencode("portrait", b"x")


@pytest.fixture
def outlines(previews, monkeypatch, shares):
    """Scripts that are written once ``go_on`` is set; ``written`` counts them."""
    shares.set_threads(8)
    brief = avatar_previews._make_brief(Presenter("Ada"), "en", "Tea")
    go_on, written = threading.Event(), []

    def outline(asked, _folder, _seconds):
        assert go_on.wait(60)
        written.append(asked)
        return [{"scene": 1, "narration": asked.metadata_md}]

    monkeypatch.setattr(
        previews,
        "_build_untriggered_brief",
        lambda account, text, now: replace(brief, metadata_md=text, triggered_at=str(now)),
    )
    monkeypatch.setattr(previews, "_draft_script", outline)
    yield go_on, written
    go_on.set()


def test_the_scenes_of_a_brief_are_made_beside_the_request_and_once_whenever_it_is_asked(
    previews, outlines
):
    go_on, written = outlines
    assert previews.begin_outline({}, "Tea", 1, "one") is None
    assert previews.begin_outline({}, "Tea", 2, "one") is None
    go_on.set()
    assert previews.begin_outline({}, "Tea", 3, "one", 60) == [{"scene": 1, "narration": "Tea"}]
    assert previews.begin_outline({}, "Tea", 4, "other") == [{"scene": 1, "narration": "Tea"}]
    assert len(written) == 1


def test_scenes_of_briefs_wait_for_no_sample_and_push_none_out(previews, outlines, monkeypatch):
    go_on, _ = outlines
    go_on.set()
    monkeypatch.setattr(avatar_previews, "_KEPT", 2)
    sample = previews._make_cache_folder() / "sample-x.mp4"
    sample.write_bytes(b"film")
    with previews._turn:  # a sample is being made
        for text in ("One", "Two", "Three"):
            assert previews.begin_outline({}, text, 1, "one", 60)
    assert (
        sample.exists() and len(list((previews._make_cache_folder() / "outlines").iterdir())) == 2
    )


def test_a_partner_that_asks_for_many_scenes_is_refused_at_once_and_another_one_is_not(
    previews, outlines
):
    assert [previews.begin_outline({}, text, 1, "one") for text in ("One", "Two")] == [None, None]
    with pytest.raises(RateLimitExceeded):
        previews.begin_outline({}, "Three", 1, "one")
    assert previews.begin_outline({}, "Three", 1, "other") is None


def test_a_file_that_another_thread_removes_is_passed_over(previews, tmp_path, monkeypatch):
    """Between the look at what it is and the look at its time."""
    (tmp_path / "kept.jpg").write_bytes(b"x")
    (tmp_path / "removed.jpg").symlink_to(tmp_path / "gone")
    monkeypatch.setattr(Path, "is_file", lambda path: True)
    previews._forget_old(tmp_path)
    assert (tmp_path / "kept.jpg").exists()
