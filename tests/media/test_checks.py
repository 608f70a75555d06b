"""Every gate lets a sound file through and stops a broken one."""

import shutil

import numpy as np
import pytest
from small_programme import LANDSCAPE, PORTRAIT, finish, ignore, timeline_of

from svc.media import checks, encoding, mp4, sound, subtitles
from svc.media.encoding import Format, Shot
from svc.media.errors import MediaError
from svc.media.probing import probe
from svc.media.programme import Findings, load
from svc.media.yuv import Picture

SECONDS = timeline_of().duration


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    return folder, finish(folder)


@pytest.fixture
def folder(finished, tmp_path):
    """A finished production, to be broken."""
    return shutil.copytree(finished[0], tmp_path / "copy")


@pytest.fixture
def brief(finished):
    return finished[1]


def failures(brief, folder) -> dict[tuple[str, str], str]:
    """What each failed gate measured."""
    with pytest.raises(MediaError) as raised:
        checks.run(brief, folder, ignore)
    assert raised.value.code == "QUALITY_GATE_FAILED"
    failed = [each for each in load(Findings, folder / "findings.json").findings if not each.passed]
    for each in failed:
        assert f"{each.check} of {each.subject}: measured {each.measured}, limit {each.limit}" in raised.value.message
    assert str(folder) not in raised.value.message
    return {(each.check, each.subject): each.measured for each in failed}


def film(path, samples: np.ndarray, seconds: float = SECONDS, width: int = 320, height: int = 180, rate: int = 30) -> None:
    """An mp4 of ours that shows grey."""
    made_as, frames = Format(width, height, rate, sound.SAMPLE_RATE, "Grey", "en"), round(seconds * rate)
    grey = Shot(0, Picture(width, height, np.full(width * height * 3 // 2, 128, np.uint8)), opens=True)
    with mp4.writing(path, made_as) as made:
        made.mux(encoding.packets(made.video, encoding.encode([grey], frames, made_as), frames, made_as), samples)


def narration(folder) -> np.ndarray:
    return mp4.read_wav(folder / "narration.wav")


def test_a_sound_production_passes_every_gate(brief, folder):
    steps = []
    checks.run(brief, folder, steps.append)
    findings = load(Findings, folder / "findings.json").findings
    assert all(each.passed for each in findings)
    assert {each.subject for each in findings} == {
        "landscape.mp4", "portrait.mp4", "described.mp4", "captions.srt", "captions.vtt",
    }  # fmt: skip
    assert steps == sorted(steps) and steps[-1] == 1.0


def test_a_truncated_film_is_stopped(brief, folder):
    path = folder / "landscape.mp4"
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    found = failures(brief, folder)
    assert ("decoding", "landscape.mp4") in found
    assert ("picture duration", "landscape.mp4") in found


def test_a_film_without_its_last_bytes_is_stopped(brief, folder):
    path = folder / "portrait.mp4"
    path.write_bytes(path.read_bytes()[:-20])
    assert ("decoding", "portrait.mp4") in failures(brief, folder)


def test_a_damaged_frame_is_stopped(brief, folder):
    path = folder / "described.mp4"
    content = bytearray(path.read_bytes())
    start = content.index(b"mdat") + 1500
    content[start : start + 60] = bytes(byte ^ 0x5A for byte in content[start : start + 60])
    path.write_bytes(content)
    assert ("decoding", "described.mp4") in failures(brief, folder)


@pytest.mark.parametrize("content", [b"", b"this is no film at all", b"\0\0\0\x1cftypmp42"])
def test_what_is_no_film_is_stopped(brief, folder, content):
    (folder / "landscape.mp4").write_bytes(content)
    assert list(failures(brief, folder)) == [("decoding", "landscape.mp4")]


@pytest.mark.parametrize("name", ["portrait.mp4", "described.mp4"])
def test_a_film_that_is_not_there_is_stopped(brief, folder, name):
    (folder / name).unlink()
    assert "No such file" in failures(brief, folder)["decoding", name]


def test_a_film_of_another_size_or_frame_rate_is_stopped(brief, folder):
    film(folder / "landscape.mp4", narration(folder), width=160, height=90)
    film(folder / "portrait.mp4", narration(folder), width=180, height=320, rate=25)
    found = failures(brief, folder)
    assert "160×90" in found["format", "landscape.mp4"]
    assert "25 frames" in found["format", "portrait.mp4"]


def test_a_film_that_ends_too_early_is_stopped(brief, folder):
    film(folder / "landscape.mp4", narration(folder), seconds=SECONDS - 0.7)
    assert list(failures(brief, folder)) == [("picture duration", "landscape.mp4")]


def test_a_film_whose_sound_goes_on_too_long_is_stopped(brief, folder):
    film(folder / "landscape.mp4", np.concatenate([narration(folder), narration(folder)[:40_000]]))
    assert list(failures(brief, folder)) == [("sound duration", "landscape.mp4")]


def test_a_described_film_without_its_descriptions_is_stopped(brief, folder):
    shutil.copy(folder / "landscape.mp4", folder / "described.mp4")
    assert list(failures(brief, folder)) == [("picture duration", "described.mp4"), ("sound duration", "described.mp4")]


def test_a_film_that_is_too_quiet_is_stopped(brief, folder):
    film(folder / "landscape.mp4", narration(folder) // 2)
    assert list(failures(brief, folder)) == [("loudness", "landscape.mp4")]


def test_a_film_that_is_too_loud_is_stopped(brief, folder):
    loud = np.clip(narration(folder).astype(int) * 3, -32768, 32767).astype(np.int16)
    film(folder / "landscape.mp4", loud)
    assert list(failures(brief, folder)) == [("loudness", "landscape.mp4"), ("true peak", "landscape.mp4")]


def test_a_silent_film_is_stopped(brief, folder):
    film(folder / "landscape.mp4", np.zeros_like(narration(folder)))
    found = failures(brief, folder)
    assert found["loudness", "landscape.mp4"] == "-70.0 LUFS"
    assert found["true peak", "landscape.mp4"] == "silence"


@pytest.mark.parametrize("name", checks.CAPTION_FILES)
def test_captions_that_leave_out_a_scene_are_stopped(brief, folder, name):
    path = folder / name
    path.write_text(path.read_text().replace("Enjoy", "Enjoyed"))  # a word too long, in the last scene
    assert failures(brief, folder) == {("scenes in captions", name): "3 of 4, without scene 4"}


@pytest.mark.parametrize("name, point", [("captions.srt", ","), ("captions.vtt", ".")])
def test_captions_that_overlap_or_end_after_the_programme_are_stopped(brief, folder, name, point):
    path = folder / name
    first, *rest = path.read_text().split(" --> ")
    path.write_text(" --> ".join([first, f"00:00:09{point}000{rest[0][12:]}", *rest[1:]]))
    assert failures(brief, folder)["caption timing", name] == "2 cues overlap or lie outside"


@pytest.mark.parametrize("content", ["", "WEBVTT\n", "WEBVTT\n\nsoon --> later\nHello\n"])
def test_captions_that_cannot_be_read_are_stopped(brief, folder, content):
    (folder / "captions.vtt").write_text(content)
    assert failures(brief, folder)["captions", "captions.vtt"].startswith("unreadable")


def test_captions_that_are_not_there_are_stopped(brief, folder):
    (folder / "captions.srt").unlink()
    assert "No such file" in failures(brief, folder)["captions", "captions.srt"]


def test_all_failures_are_told_at_once(brief, folder):
    film(folder / "portrait.mp4", narration(folder) // 3, width=100, height=100)
    (folder / "captions.srt").unlink()
    assert {check for check, _ in failures(brief, folder)} == {"format", "loudness", "captions"}


def test_markup_in_captions_is_read_as_what_it_stands_for(tmp_path):
    (tmp_path / "a.vtt").write_text("WEBVTT\n\n1\n00:01.500 --> 01:00:02.000\nR&amp;D &lt;now&gt;\nnext\n")
    assert subtitles.read(tmp_path / "a.vtt") == [subtitles.Subtitle(1.5, 3602.0, "R&D <now> next")]
    assert subtitles.plain("‹a›  → b") == "<a> --> b"


def test_a_probe_measures_what_a_film_is(folder):
    found = probe(folder / "portrait.mp4")
    assert (found.width, found.height, found.frame_rate) == (PORTRAIT.width, PORTRAIT.height, LANDSCAPE.frame_rate)
    assert found.frames == found.frames_promised == round(SECONDS * 30)
    assert found.loudness == pytest.approx(-14, abs=0.6)
