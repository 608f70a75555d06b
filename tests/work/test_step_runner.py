"""A step's process: heard, killed, timed, mourned."""

import dataclasses
import os
from pathlib import Path

import pytest

from svc.media import model as programme
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.work.step_process import runner as step_runner
from svc.work.step_process.outcomes import Completed, Crashed, Failed, TimedOut
from tests.support.patience import PATIENCE


@pytest.fixture
def folder(tmp_path):
    renditions = (Rendition("small", 320, 180),)
    brief = VideoBrief(
        "p", "Tides", "Tides", "en", "US", "## One\n\nThe sea rises.", Presenter("Ada"), renditions
    )
    programme.save(brief, tmp_path / "brief.json")
    return tmp_path


def children_of(pid: int) -> list[int]:
    listed = (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit())
    found = []
    for each in listed:
        try:
            with open(f"/proc/{each}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(each))
    return found


@pytest.mark.slow
def test_a_step_that_is_done_has_written_its_files(folder):
    heard = []
    assert step_runner.run_step("script", folder, PATIENCE, heard.append) == Completed()
    assert (folder / "script.json").exists()


def test_a_refusal_carries_its_code_and_sentence(folder):
    brief = programme.load(VideoBrief, folder / "brief.json")
    programme.save(
        dataclasses.replace(brief, title="😀", topic="😀", metadata_md=""), folder / "brief.json"
    )
    outcome = step_runner.run_step("script", folder, PATIENCE, lambda _: None)
    assert isinstance(outcome, Failed) and outcome.code.startswith("SCRIPT_") and outcome.message


def test_a_step_that_crashes_says_what_it_last_wrote(tmp_path):
    outcome = step_runner.run_step("script", tmp_path, PATIENCE, lambda _: None)
    assert isinstance(outcome, Crashed)
    assert "ended with status 1" in outcome.message and "brief.json" in outcome.message


def test_a_step_that_takes_too_long_is_killed(folder):
    others = children_of(os.getpid())
    outcome = step_runner.run_step("script", folder, 0.01, lambda _: None)
    assert isinstance(outcome, TimedOut)
    assert children_of(os.getpid()) == others


class Stop(Exception):
    pass


def test_whoever_listens_can_stop_a_step_that_does_not_end(folder, monkeypatch):
    monkeypatch.setattr(step_runner, "_CHILD", (str(Path(__file__).with_name("hostile_step.py")),))
    brief = programme.load(VideoBrief, folder / "brief.json")
    programme.save(dataclasses.replace(brief, topic="wait 80000"), folder / "brief.json")
    running, others = [], children_of(os.getpid())  # of other tests

    def stop(_fraction):
        running.append(set(children_of(os.getpid())) - set(others))
        raise Stop

    with pytest.raises(Stop):
        step_runner.run_step("narration", folder, 80_000, stop)
    assert [len(each) for each in running] == [1]
    assert children_of(os.getpid()) == others


def test_only_what_a_thread_waited_since_the_last_look_is_no_silence():
    messages = step_runner._Messages(lambda _: None, lambda _: None, 60.0, None, lambda: 0.0)
    until = []
    for waits in ({7: 100.0}, {7: 130.0, 8: 5.0}, {8: 6.0}, {}, {8: 50.0}):
        messages.wait_for_processor(waits)
        until.append(messages.quiet_until)
    assert until == [60.0, 90.0, 91.0, 91.0, 91.0]
