"""The pictures of warnings: the moment that each is about, as the film shows it."""

from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from svc.media.checks import stills
from svc.media.checks.film_timeline import Film, SceneSpan
from svc.media.model import QualityFinding, Rendition

SHAPE = Rendition("landscape", 64, 36, 10)
SCENES = (
    SceneSpan(1.0, 1.0, 2.0, ((1.1, 1.9),), 0.0),
    SceneSpan(2.0, 2.0, 3.0, ((2.1, 2.75),), 0.0),
)  # after an intro of a second
FILM = Film("landscape.mp4", SHAPE, SCENES, intro=1.0, outro=0.5)
SLOW = QualityFinding("reading speed", "landscape.mp4", "22", "20", False, certain=False, at=2.35)


def write(path: Path) -> None:
    """A film of 3.5 s whose pictures become lighter by 7 of 255 with each tenth of a second."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10, options={"crf": "1", "g": "20"})
        stream.width, stream.height, stream.pix_fmt = SHAPE.width, SHAPE.height, "yuv420p"
        for number in range(35):
            grey = np.full((SHAPE.height, SHAPE.width, 3), 7 * number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")))
        container.mux(stream.encode(None))


@pytest.fixture
def folder(tmp_path) -> Path:
    write(tmp_path / FILM.name)
    return tmp_path


def tenth(picture: Path) -> int:
    """Which tenth of a second a picture shows."""
    with Image.open(picture) as image:
        return round(np.asarray(image.convert("L")).mean() / 7)


@pytest.mark.parametrize(
    ("at", "shown", "scene"),
    [(0.0, 0, None), (1.05, 10, 1), (2.35, 23, 2), (2.0, 20, 2), (3.4, 34, None)],
)
def test_a_warning_has_the_picture_of_its_moment(folder, at, shown, scene):
    [found] = stills.add_pictures([replace(SLOW, at=at)], [FILM], folder)
    assert (found.scene, found.picture) == (scene, "warning-1.jpg")
    assert tenth(folder / found.picture) == shown


def test_a_warning_about_a_scene_shows_it_as_its_last_word_ends(folder):
    [found] = stills.add_pictures([replace(SLOW, at=None, scene=2)], [FILM], folder)
    assert found.scene == 2 and tenth(folder / found.picture) == 27


def test_captions_are_shown_in_the_first_film(folder):
    other = replace(FILM, name="portrait.mp4")
    [found] = stills.add_pictures([replace(SLOW, subject="captions.srt")], [FILM, other], folder)
    assert tenth(folder / found.picture) == 23


def test_warnings_of_one_moment_share_a_picture_and_many_have_a_limited_number(folder):
    many = [replace(SLOW, at=number / 10) for number in range(30)]
    found = stills.add_pictures([*many, SLOW, SLOW], [FILM], folder)
    assert len(list(folder.glob("warning-*.jpg"))) == stills.MOST
    assert [each.picture for each in found[:2]] == ["warning-1.jpg", "warning-2.jpg"] and found[
        25
    ].picture == ""
    same = stills.add_pictures([SLOW, replace(SLOW, check="caption gap")], [FILM], folder)
    assert [each.picture for each in same] == ["warning-1.jpg"] * 2


def test_what_passed_failed_or_is_about_no_moment_has_no_picture(folder):
    findings = [replace(SLOW, passed=True), replace(SLOW, certain=True), replace(SLOW, at=None)]
    assert stills.add_pictures(findings, [FILM], folder) == findings and not list(
        folder.glob("*.jpg")
    )


@pytest.mark.parametrize("content", [b"", b"nonsense", None])
def test_a_film_that_cannot_be_read_has_no_pictures(tmp_path, content):
    if content is not None:
        (tmp_path / FILM.name).write_bytes(content)
    [found] = stills.add_pictures([SLOW], [FILM], tmp_path)
    assert (found.scene, found.picture) == (2, "")


def test_a_large_film_has_small_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(stills, "_WIDEST", 32)
    write(tmp_path / FILM.name)
    [found] = stills.add_pictures([SLOW], [FILM], tmp_path)
    with Image.open(tmp_path / found.picture) as image:
        assert image.size == (32, 18)
