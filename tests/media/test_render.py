"""The mp4 files contain the programme, frame by frame and sample by sample,
in the format that platforms require.
"""

import subprocess
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import av
import numpy as np
import pytest
from PIL import Image
from small_programme import (
    ENGLISH,
    LANDSCAPE,
    PORTRAIT,
    brief_of,
    ignore,
    prepare,
    timeline_of,
    voice,
)

from svc.media.captions import captions
from svc.media.deliverables import name_thumbnail_file
from svc.media.model import Lettering, Rendition, load
from svc.media.slides import slide
from svc.media.video import encoding, mp4, render, skip_frames, storyboard, thumbnail
from svc.media.video.scene import SceneRenderer

pytestmark = pytest.mark.slow

TIMELINE = timeline_of()
FRAMES = round(TIMELINE.duration * 30)
SHAPES = (LANDSCAPE, PORTRAIT)


def decoded(path) -> np.ndarray:
    """``(frames, height, width, 3)``."""
    with av.open(str(path)) as film:
        return np.stack(
            [
                frame.to_ndarray(format="rgb24", src_colorspace="ITU709")
                for frame in film.decode(video=0)
            ]
        )


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """Read it, but do not change what is in its folder."""
    folder = tmp_path_factory.mktemp("rendered")
    brief = prepare(folder)
    steps = []
    render.render(brief, folder, steps.append)
    films = {shape.name: decoded(folder / f"{shape.name}.mp4") for shape in SHAPES}
    return SimpleNamespace(folder=folder, brief=brief, steps=steps, films=films)


def moments(rendition=LANDSCAPE):
    studio = SceneRenderer(brief_of(), ENGLISH, rendition)
    cues = captions.split_cues(ENGLISH, TIMELINE, studio.plan.line_length)
    motion = render.choose_motion(brief_of(), studio)
    return cues, list(storyboard.plan_changes(ENGLISH, TIMELINE, cues, 30, motion, voice(TIMELINE)))


def distance(first, second) -> float:
    return float(np.abs(first.astype(int) - second).mean())


def strip(film: np.ndarray, frame: int, plan) -> np.ndarray:
    left, top, right, bottom = plan.strip
    return film[frame, top:bottom, left:right]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_each_shape_has_its_size_and_a_frame_for_every_thirtieth_of_a_second(rendered, shape):
    assert rendered.films[shape.name].shape == (FRAMES, shape.height, shape.width, 3)
    with av.open(str(rendered.folder / f"{shape.name}.mp4")) as film:
        (picture,) = film.streams.video
        assert (picture.average_rate, picture.frames, picture.start_time) == (30, FRAMES, 0)
        times = [packet.pts * packet.time_base for packet in film.demux(picture) if packet.size]
    assert times == [Fraction(number, 30) for number in range(FRAMES)]


def test_the_stream_says_which_colours_it_means(rendered):
    with av.open(str(rendered.folder / "landscape.mp4")) as film:
        context = film.streams.video[0].codec_context
        assert (
            context.color_primaries,
            context.color_trc,
            context.colorspace,
            context.color_range,
        ) == (1, 1, 1, 1)
        assert (context.name, context.profile, context.pix_fmt) == ("h264", "High", "yuv420p")


def test_the_file_starts_with_its_index_and_has_no_edit_list(rendered):
    content = (rendered.folder / "portrait.mp4").read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")
    assert b"elst" not in content


def test_the_file_says_its_title_and_language_and_nothing_of_the_machine(rendered):
    with av.open(str(rendered.folder / "landscape.mp4")) as film:
        assert film.metadata["title"] == ENGLISH.title
        assert {
            stream.metadata["language"] for stream in (film.streams.audio[0], film.streams.video[0])
        } == {"eng"}
        assert [chapter["metadata"]["title"] for chapter in film.chapters()] == [
            "Tea in four seconds",
            "Two steps",
            "Waiting",
        ]
    assert str(rendered.folder).encode() not in (rendered.folder / "landscape.mp4").read_bytes()


def test_the_sound_is_where_the_narration_is(rendered):
    narration = mp4.read_wav(rendered.folder / "narration.wav").astype(float)
    with av.open(str(rendered.folder / "landscape.mp4")) as film:
        frames = list(film.decode(audio=0))
    sound = np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames])
    length = 1 << 19
    both = np.fft.rfft(sound, length) * np.conj(np.fft.rfft(narration, length))
    assert frames[0].pts == 0
    assert np.fft.irfft(both).argmax() == 0  # samples
    assert abs(len(sound) - len(narration)) <= 1024


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_while_a_word_is_spoken_it_has_the_highlight(rendered, shape):
    studio = SceneRenderer(rendered.brief, ENGLISH, shape)
    cues, _ = moments(shape)
    for cue in cues:
        for word in range(cue.first_word, cue.last_word + 1):
            timing = TIMELINE.scenes[cue.scene].words[word]
            seen = strip(
                rendered.films[shape.name], round((timing.start + timing.end) / 2 * 30), studio.plan
            )
            expected = distance(seen, studio.draw_caption(cue, word).pixels)
            others = [
                distance(seen, studio.draw_caption(cue, other).pixels)
                for other in (*range(cue.first_word, word), None)
            ]
            assert expected < 6 and all(expected < other for other in others)


def test_a_scene_starts_with_a_clean_picture(rendered):
    studio = SceneRenderer(rendered.brief, ENGLISH, LANDSCAPE)
    for number, timing in enumerate(TIMELINE.scenes):
        assert (
            distance(rendered.films["landscape"][round(timing.start * 30)], studio.picture(number))
            < 3
        )


def test_a_point_enters_from_its_first_word_on(rendered):
    studio = SceneRenderer(rendered.brief, ENGLISH, LANDSCAPE)
    left, top, right, bottom = studio.plan.content
    for stage, word in ((0, 0), (1, 3)):
        frame = round(TIMELINE.scenes[1].words[word].start * 30)
        film = rendered.films["landscape"]
        before, first, last = (
            film[number, top:bottom, left:right] for number in (frame - 1, frame, frame + 12)
        )
        expected = studio.picture(1, stage)[top:bottom, left:right]
        assert distance(last, expected) < 3 < distance(before, last) + 2.5
        assert distance(last, expected) < distance(first, expected) < distance(before, expected)


def test_scenes_fade_over_in_the_silence_and_under_no_caption():
    cues, board = moments()
    fades = [moment for moment in board if isinstance(moment.shown, storyboard.Fade)]
    assert 10 * (len(ENGLISH.scenes) - 1) <= len(fades) <= 12 * (len(ENGLISH.scenes) - 1)
    for moment in fades:
        assert moment.shown.before.cue is moment.shown.after.cue is None
        assert not any(cue.start <= moment.frame / 30 < cue.end for cue in cues)
        assert 0 < moment.shown.share < 1


def test_without_silence_before_it_a_scene_is_cut_to():
    scenes = tuple(
        type(scene)(
            scene.start,
            scene.end,
            (*scene.words[:-1], type(scene.words[0])("end", scene.words[-1].start, scene.end)),
        )
        for scene in TIMELINE.scenes
    )
    board = list(
        storyboard.plan_changes(ENGLISH, type(TIMELINE)(TIMELINE.duration, 48000, scenes), (), 30)
    )
    assert not any(isinstance(moment.shown, storyboard.Fade) for moment in board)


def test_moments_rise_and_the_first_of_a_scene_is_clean():
    _, board = moments()
    assert board[0].frame == 0 and all(
        first.frame < second.frame for first, second in pairwise(board)
    )
    opening = [moment.shown for moment in board if moment.opens]
    assert opening == [
        storyboard.State(number, slide.NOTHING_YET) for number in range(len(ENGLISH.scenes))
    ]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_between_two_moments_the_picture_does_not_change_by_a_bit(rendered, shape):
    film = rendered.films[shape.name]
    _, board = moments(shape)
    for moment, end in zip(board, [*(change.frame for change in board[1:]), FRAMES], strict=True):
        assert (film[moment.frame : end] == film[moment.frame]).all()


def test_the_ordinary_way_shows_the_same_programme(rendered, tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "FILL_WITH_SKIPPED", False)
    render.render(prepare(tmp_path, renditions=[LANDSCAPE]), tmp_path, ignore)
    ordinary = decoded(tmp_path / "landscape.mp4")
    assert ordinary.shape == rendered.films["landscape"].shape
    assert (
        max(
            distance(ordinary[frame], rendered.films["landscape"][frame])
            for frame in range(0, FRAMES, 7)
        )
        < 3
    )


def test_an_encoder_that_cannot_be_counted_in_is_used_the_ordinary_way(tmp_path, monkeypatch):
    monkeypatch.setattr(skip_frames, "_LARGEST", 3)
    render.render(prepare(tmp_path, renditions=[LANDSCAPE]), tmp_path, ignore)
    assert len(decoded(tmp_path / "landscape.mp4")) == FRAMES


def test_the_poster_is_the_title(rendered):
    with Image.open(rendered.folder / "poster-portrait.jpg") as poster:
        assert (
            distance(
                np.asarray(poster), SceneRenderer(rendered.brief, ENGLISH, PORTRAIT).draw_poster()
            )
            < 4
        )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_thumbnail_is_the_poster_in_small(rendered, shape):
    file = rendered.folder / name_thumbnail_file(shape)
    with (
        Image.open(rendered.folder / f"poster-{shape.name}.jpg") as poster,
        Image.open(file) as small,
    ):
        assert small.size[1] == 90 and file.stat().st_size <= thumbnail.MOST_BYTES
        assert (
            distance(np.asarray(small.convert("RGB")), np.asarray(poster.resize(small.size))) < 12
        )


@pytest.mark.judges
@pytest.mark.parametrize("name", ["landscape.mp4", "portrait.mp4"])
def test_debians_ffmpeg_decodes_every_frame_without_a_complaint(rendered, name):
    command = [
        "ffmpeg",
        "-v",
        "error",
        "-err_detect",
        "explode",
        "-xerror",
        "-i",
        name,
        "-f",
        "framemd5",
        "-",
    ]
    judged = subprocess.run(
        command, cwd=rendered.folder, capture_output=True, text=True, check=True
    )
    assert judged.stderr == ""
    assert sum(line.startswith("0,") for line in judged.stdout.splitlines()) == FRAMES


def test_what_is_written_on_the_pictures_is_recorded(rendered):
    lettering = load(Lettering, rendered.folder / "lettering-portrait.json")
    assert (lettering.width, lettering.height) == (180, 320)
    assert {text.text for text in lettering.texts if text.part == "heading"} == {
        "Two steps",
        "Waiting",
    }
    assert all(text.missing == "" and text.contrast >= 4.5 for text in lettering.texts)


def test_progress_rises_to_one_and_nothing_is_left_over(rendered):
    assert rendered.steps == sorted(rendered.steps) and rendered.steps[-1] == 1.0
    assert not list(rendered.folder.glob("*.part"))


def test_a_video_that_was_interrupted_has_no_name_yet(tmp_path):
    def stop(fraction):
        if fraction > 0.3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        render.render(prepare(tmp_path, renditions=[LANDSCAPE]), tmp_path, stop)
    assert not (tmp_path / "landscape.mp4").exists()


def test_rendering_again_gives_the_same_bytes(rendered, tmp_path):
    render.render(prepare(tmp_path, renditions=[PORTRAIT]), tmp_path, ignore)
    assert (tmp_path / "portrait.mp4").read_bytes() == (
        rendered.folder / "portrait.mp4"
    ).read_bytes()


def test_an_odd_size_and_another_frame_rate_are_made_as_near_as_can_be(tmp_path):
    render.render(prepare(tmp_path, renditions=[Rendition("odd", 241, 135, 25)]), tmp_path, ignore)
    assert decoded(tmp_path / "odd.mp4").shape[:3] == (round(TIMELINE.duration * 25), 134, 240)
