"""The processes that make previews for the console: they end, all of them, and each preview is made once."""

import os
import subprocess
import time
from dataclasses import replace

import pytest

from svc.base import settings
from svc.base.errors import InvalidRequest
from svc.base.processes import entry_points
from svc.media.brand.kit import BrandKit
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
def test_a_voice_that_does_not_answer_ends_with_all_its_processes_which_have_a_low_priority(previews, tmp_path, monkeypatch):
    told = tmp_path / "child"
    code = ENDLESS.format(told=str(told))
    monkeypatch.setattr(entry_points, "arguments", lambda process: ("-c", code))
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


def test_a_preview_that_was_made_while_it_waited_is_not_made_again(previews, tmp_path, monkeypatch):
    target = tmp_path / "voice.wav"

    class Turn:
        def acquire(self, timeout: float) -> bool:
            target.write_bytes(b"made by another request")
            return True

        def release(self) -> None:
            """It is nobody's."""

    previews._turn = Turn()
    monkeypatch.setattr(avatar_previews, "_run", None)  # whose call would fail
    previews.say("heart", "en", "Hello.", target, again=False)
    assert target.read_bytes() == b"made by another request"


def test_a_scene_is_shown_without_intro_outro_and_translated_captions(previews, monkeypatch):
    brand, filmed = BrandKit(font="own.ttf", intro="first.mp4", intro_licence="CC0", outro="last.mp4", outro_licence="CC0"), []
    brief = avatar_previews._brief(Presenter("Ada"), "en", "Tea")
    monkeypatch.setattr(avatar_previews.script_review, "shown_scene", lambda production_id, scene: ({}, "{}"))
    monkeypatch.setattr(
        avatar_previews.brief_builder, "brief", lambda production_id: replace(brief, brand=brand, caption_languages=("es",))
    )
    monkeypatch.setattr(avatar_previews.brief_builder, "edit", lambda shown: SceneEdit(1))
    monkeypatch.setattr(avatar_previews, "_without_cards", str)
    monkeypatch.setattr(previews, "_film", lambda brief, steps, folder, target: filmed.append(brief))
    previews.scene("a production", 1)
    assert [(each.brand, each.caption_languages) for each in filmed] == [(BrandKit(font="own.ttf"), ())]
