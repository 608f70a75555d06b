"""The measures of the picture gates, on pictures made for them."""

import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import av
import numpy as np
import pytest

from svc.media.captions.chapters import Chapter, list_chapters
from svc.media.checks import film as film_checks
from svc.media.checks import likeness, pictures, speech
from svc.media.checks.film_timeline import Film, SceneSpan, find_scene_spans
from svc.media.checks.frame_stats import ANALYSIS_RATE, PictureStats, VisibleChanges
from svc.media.checks.likeness import Likeness
from svc.media.checks.probe import ProbeResult
from svc.media.checks.scene_pictures import ScenePictures
from svc.media.model import (
    DescriptionCue,
    Descriptions,
    Rendition,
    Scene,
    SceneTiming,
    Script,
    Timeline,
    Word,
)
from svc.media.video import key_pictures
from svc.media.video.key_pictures import KeyPicture, KeyPictures
from tests.media.small_programme import ENGLISH, timeline_of

WORDS = tuple((second, second + 0.8) for second in range(1, 19))
SCENES = (SceneSpan(0, 0, 10, WORDS[:9], 0), SceneSpan(10, 10, 20, WORDS[9:], 0))
FILM = Film(
    "film.mp4",
    Rendition("film", 320, 180),
    SCENES,
    "eng",
    tuple((first, False) for first, _ in WORDS),
)


def pattern(seed: int = 1) -> np.ndarray:
    """A picture with something in every block: ``(180, 320, 3)``."""
    coarse = np.random.default_rng(seed).integers(30, 226, (45, 80, 3), np.uint8)
    return coarse.repeat(4, axis=0).repeat(4, axis=1)


def likeness_of(rgb: np.ndarray, boxes=()) -> Likeness:
    ignored = likeness.mask_blocks(180, 320, boxes)
    return likeness.compare_pictures(
        KeyPicture.from_rgb(rgb), KeyPicture.from_rgb(pattern()), ignored
    )


def test_a_picture_is_like_itself_and_unlike_others():
    assert likeness_of(pattern()) == Likeness(pytest.approx(1.0), 0.0)
    for other in (pattern(2), pattern()[::-1].copy(), 255 - pattern()):
        assert likeness_of(other).structure < 0.3 and likeness_of(other).odd > 0.1


def test_what_captions_and_presenter_cover_is_not_compared():
    covered = pattern()
    covered[90:] = 0
    assert likeness_of(covered).structure < 0.7
    assert likeness_of(covered, ((0, 88, 320, 180),)).structure == pytest.approx(1.0, abs=0.01)


def test_key_pictures_are_read_as_they_were_written(tmp_path):
    key_pictures.write(tmp_path / "keys.zip", iter([pattern(1), pattern(2)]))
    read = KeyPictures(tmp_path / "keys.zip")
    assert np.array_equal(read.read(1).luma, KeyPicture.from_rgb(pattern(2)).luma)
    with pytest.raises(ValueError, match="missing or damaged"):
        read.read(2)
    read.close()
    (tmp_path / "keys.zip").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="zip"):
        KeyPictures(tmp_path / "keys.zip")


def test_noise_is_no_visible_change_and_a_small_mark_is():
    changes, luma = VisibleChanges(), np.full((176, 320), 90, np.int16)
    changes.add(0, luma)
    changes.add(1, luma + np.random.default_rng(1).integers(-4, 5, luma.shape, np.int16))
    marked = luma.copy()
    marked[80:88, 160:168] += 20
    changes.add(2, marked)
    assert changes.frames == [0, 2]


def result_of(changes, caption_changes=()) -> ProbeResult:
    captions = caption_changes or tuple(round(first * 30) for first, _ in WORDS)
    return ProbeResult(
        frame_rate=Fraction(30), frames=600, changes=tuple(changes), caption_changes=captions
    )


def failed(result: ProbeResult, tmp_path) -> set[str]:
    shown = ScenePictures(tmp_path / "none.zip", SCENES, 30.0, ())
    shown.results.update({0: Likeness(1.0, 0.0), 1: Likeness(1.0, 0.0)})
    return {
        finding.check
        for finding in pictures.list_findings(FILM, result, shown)
        if not finding.passed
    }


def test_a_film_that_moves_passes_and_one_that_stands_still_is_refused(tmp_path):
    still = round(pictures.LONGEST_STILL * 30) + 31
    assert failed(result_of(range(0, 600, 20)), tmp_path) == set()
    assert failed(result_of([*range(0, 60, 20), *range(60 + still, 600, 20)]), tmp_path) >= {
        "still picture"
    }
    assert failed(result_of([*range(0, 240, 20), *range(330, 600, 20)]), tmp_path) == {
        "frozen picture"
    }


def test_captions_that_do_not_follow_the_words_are_refused(tmp_path):
    followed = tuple(round(first * 30) for first, _ in WORDS if not 5 <= first <= 8)
    assert failed(result_of(range(0, 600, 20), followed), tmp_path) == {"captions in the picture"}


def test_scenes_that_could_not_be_compared_are_refused(tmp_path):
    shown = ScenePictures(tmp_path / "none.zip", SCENES, 30.0, ())
    (finding,) = [
        each
        for each in pictures.list_findings(FILM, result_of([0]), shown)
        if each.check == "scene pictures"
    ]
    assert not finding.passed and "No such file" in finding.measured
    shown.close()


def test_the_beginning_of_a_sound_is_found():
    sound = np.zeros(ANALYSIS_RATE * 3, np.int16)
    sound[ANALYSIS_RATE : 2 * ANALYSIS_RATE] = 9000
    assert speech.find_onset(sound, speech.measure_level(sound), 1.2, 0.5) == pytest.approx(
        1.0, abs=0.011
    )
    # it sounds from the first moment on
    assert speech.find_onset(sound, speech.measure_level(sound), 1.5, 1.2) is None
    assert speech.find_onset(sound, speech.measure_level(sound), 9.0, 8.0) is None


def test_each_heading_begins_a_chapter_and_the_closing_card_none():
    found = list_chapters(ENGLISH, timeline_of())
    starts = [timing.start for timing in timeline_of().scenes]
    assert found == tuple(Chapter(starts[at], ENGLISH.scenes[at].heading) for at in range(3))


def test_a_programme_of_one_heading_has_no_chapters():
    title, *_ = ENGLISH.scenes
    script = Script("Tea", "en", (title, dataclasses.replace(title, layout="prose")))
    timing = SceneTiming(0.0, 1.0, ())
    assert list_chapters(script, Timeline(2.0, 48_000, (timing, timing))) == ()


@pytest.mark.parametrize(
    ("shortest", "passed"), [((0.0, 9.2, 0.0), True), ((0.0, 0.0, 0.0), False)]
)
def test_only_code_that_is_read_on_may_be_silent(shortest, passed):
    times = ((0.0, 2.0), (2.0, 11.2), (11.2, 13.2))
    scenes = (
        SceneTiming(start, end, (Word("Code", start + 0.2, start + 0.6),)) for start, end in times
    )
    script = [
        Scene("code", "", (), ("Code",), ("Code",), "", shortest=seconds) for seconds in shortest
    ]
    spans = find_scene_spans(Timeline(13.2, 22050, tuple(scenes)), None, script)
    film = Film("landscape.mp4", Rendition("landscape", 320, 180), spans)
    silent = ((0.7, 2.1), (2.7, 11.3))
    file = film_checks.FilmFile(film, SimpleNamespace(silent=silent), ())
    assert film_checks.check_silence(file).passed is passed


@pytest.mark.parametrize(("spoken", "passed"), [(",", True), ("hash", False)])
def test_a_word_that_is_not_spoken_is_read_in_silence(spoken, passed):
    words = (Word("See", 0.2, 0.6), Word("8f3a9c", 0.6, 3.4), Word("now.", 3.4, 3.8))
    timing = SceneTiming(0.0, 4.4, words)
    scene = Scene("prose", "", (), ("See", "8f3a9c", "now."), ("See", spoken, "now."), "")
    spans = find_scene_spans(Timeline(4.4, 22050, (timing,)), None, [scene])
    film = Film("landscape.mp4", Rendition("landscape", 320, 180), spans)
    file = film_checks.FilmFile(film, SimpleNamespace(silent=((0.7, 3.3),)), ())
    assert film_checks.check_silence(file).passed is passed


@pytest.mark.parametrize(
    ("described", "silent", "passed"),
    [
        (8.0, (2.0, 3.2), True),  # between two of its sentences, at the slowest pace
        (8.0, (2.0, 4.2), False),  # longer than any pause
        (1.6, (0.1, 1.5), False),  # nothing of a short one is heard
        (1.6, (0.9, 1.7), True),  # what comes after it and before the first word
    ],
)
def test_a_description_has_pauses_and_is_heard(described, silent, passed):
    timing = SceneTiming(0.0, 2.0, (Word("Tea.", 0.3, 1.4),))
    cue = DescriptionCue(0, "A cup. It is hot.", 0.0, described)
    spans = find_scene_spans(Timeline(2.0, 22050, (timing,)), Descriptions((cue,)))
    film = Film("described.mp4", Rendition("landscape", 320, 180), spans)
    file = film_checks.FilmFile(film, SimpleNamespace(silent=(silent,)), ())
    assert film_checks.check_silence(file).passed is passed


def test_a_mark_in_the_lowest_rows_of_the_captions_is_seen():
    strip = (520, 876, 1824, 1022)  # of the look editorial: not whole blocks of the small picture
    stats = PictureStats(Fraction(30), strip)
    for number, (top, left) in enumerate(((0, 0), (1004, 600), (1004, 700), (800, 700))):
        luma = np.full((1080 * 3 // 2, 1920), 90, np.uint8)
        luma[top : top + 6, left : left + 40] = 160
        stats.add(number, av.VideoFrame.from_ndarray(luma, format="yuv420p"))
    # the last of them, as the mark has gone
    assert stats.summarise(4)["caption_changes"] == (0, 1, 2, 3)
