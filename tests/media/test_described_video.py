"""The described mp4 is the programme, with its pictures frozen during the descriptions."""

from types import SimpleNamespace

import av
import numpy as np
import pytest
from small_programme import ENGLISH, LANDSCAPE, describe, ignore, prepare, timeline_of

from svc.media.checks.probe import probe_film
from svc.media.model import Descriptions, save
from svc.media.video import described_video, encoding, mp4, render

pytestmark = pytest.mark.slow

TIMELINE = timeline_of()
SECONDS = 0.55
RATE = 48_000


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programme")
    brief = prepare(folder, renditions=[LANDSCAPE])
    render.render(brief, folder, ignore)
    return SimpleNamespace(folder=folder, brief=brief, plain=pictures(folder / "landscape.mp4"))


@pytest.fixture
def described(rendered):
    """Describe the rendered programme: the pictures and the sound of what comes out."""

    def make(**changes):
        describe(rendered.folder, TIMELINE, seconds=SECONDS, **changes)
        described_video.make_described_video(rendered.brief, rendered.folder, ignore)
        path = rendered.folder / "described.mp4"
        return SimpleNamespace(path=path, pictures=pictures(path), sound=sound(path))

    return make


def pictures(path) -> np.ndarray:
    """Luma of every frame: ``(frames, height, width)``."""
    with av.open(str(path)) as film:
        return np.stack([frame.to_ndarray()[: frame.height] for frame in film.decode(video=0)])


def sound(path) -> np.ndarray:
    with av.open(str(path)) as film:
        return np.concatenate([frame.to_ndarray().reshape(-1) for frame in film.decode(audio=0)])


def lag(heard: np.ndarray, expected: np.ndarray) -> int:
    """Return by how many samples ``expected`` is late in ``heard``."""
    length = 1 << 18
    return int(
        np.fft.irfft(np.fft.rfft(heard, length) * np.conj(np.fft.rfft(expected, length))).argmax()
    )


def expected(plain: np.ndarray, scenes) -> list[int]:
    """Return the programme's frame that each frame of the described video shows."""
    frames, before = [], 0.0
    starts = {round(TIMELINE.scenes[scene].start * 30): scene for scene in scenes}
    for frame in range(len(plain)):
        if frame in starts:
            frames += [frame] * (round((before + SECONDS) * 30) - round(before * 30))
            before += SECONDS
        frames.append(frame)
    return frames


@pytest.mark.parametrize("scenes", [(0, 1, 2, 3), (1,), (0, 3)])
def test_each_described_scene_waits_on_its_first_picture_and_then_goes_on(
    rendered, described, scenes
):
    seen = described(scenes=scenes).pictures
    frames = expected(rendered.plain, scenes)
    assert len(seen) == len(frames)
    assert (seen == rendered.plain[frames]).all()


def test_it_lasts_as_long_as_programme_and_descriptions_together(described):
    measured = probe_film(described().path)
    assert not measured.error
    assert measured.picture_seconds == pytest.approx(TIMELINE.duration + 4 * SECONDS, abs=1 / 30)
    assert measured.sound_seconds == pytest.approx(TIMELINE.duration + 4 * SECONDS, abs=1 / 30)


def test_descriptions_are_heard_where_the_picture_waits_and_the_narration_moves_with_it(
    rendered, described
):
    heard = described().sound
    narration = mp4.read_wav(rendered.folder / "narration.wav").astype(float)
    before = 0
    for number, timing in enumerate(TIMELINE.scenes):
        start = round(timing.start * 30) * RATE // 30
        held = (round((number + 1) * SECONDS * 30) - round(number * SECONDS * 30)) * RATE // 30
        description = mp4.read_wav(rendered.folder / f"description-{number}.wav").astype(float)[
            :held
        ]
        assert abs(lag(heard[start + before :][:held], description)) <= 1
        before += held
        scene = slice(start, round(timing.end * RATE))
        assert lag(heard[start + before :][: scene.stop - scene.start], narration[scene]) == 0


def test_a_programme_without_descriptions_is_only_copied(rendered):
    save(Descriptions(()), rendered.folder / "descriptions.json")
    described_video.make_described_video(rendered.brief, rendered.folder, ignore)
    assert (pictures(rendered.folder / "described.mp4") == rendered.plain).all()


def test_the_ordinary_way_holds_as_long(rendered, described, monkeypatch):
    monkeypatch.setattr(encoding, "FILL_WITH_SKIPPED", False)
    seen, frames = described().pictures, expected(rendered.plain, range(4))
    assert len(seen) == len(frames)
    assert np.abs(seen.astype(int) - rendered.plain[frames]).mean() < 2


def test_it_is_in_the_form_of_the_programme(described):
    path = described().path
    content = path.read_bytes()
    assert b"elst" not in content and content.index(b"moov") < content.index(b"mdat")
    with av.open(str(path)) as film:
        assert film.metadata["title"] == ENGLISH.title
        assert film.streams.audio[0].metadata["language"] == "eng"
        assert film.streams.video[0].average_rate == 30


def test_progress_ends_at_one_and_nothing_is_left_over(rendered):
    describe(rendered.folder, TIMELINE)
    steps = []
    described_video.make_described_video(rendered.brief, rendered.folder, steps.append)
    assert steps == sorted(steps) and steps[-1] == 1.0
    assert not list(rendered.folder.glob("*.part"))
