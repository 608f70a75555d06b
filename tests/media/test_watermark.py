"""A logo as a watermark: quiet, at one place of every scene, seen on every ground."""

import dataclasses

import numpy as np
import pytest
from PIL import Image, ImageDraw
from small_programme import ENGLISH, brief_of

from svc.base.looks import THEMES
from svc.media.brand_kit import BrandKit
from svc.media.checks import text as text_checks
from svc.media.colour import compute_contrast
from svc.media.drawing import images
from svc.media.drawing.looks import LOOKS
from svc.media.model import Rendition
from svc.media.video.scene import SceneRenderer

SHAPES = [
    Rendition("landscape", 960, 540),
    Rendition("portrait", 540, 960),
    Rendition("square", 540, 540),
]
QUIET = BrandKit(logo_style="watermark")


def shape(path, colour="#1a2a6c", second=None) -> str:
    """A disc and a bar on a transparent ground, of one tone or of two."""
    logo = Image.new("RGBA", (600, 200))
    pen = ImageDraw.Draw(logo)
    pen.ellipse((10, 10, 190, 190), fill=colour)
    pen.rectangle((230, 40, 590, 160), fill=second or colour)
    logo.save(path)
    return path.name


def drawn(folder, rendition=SHAPES[0], **changes) -> SceneRenderer:
    return SceneRenderer(brief_of(**{"brand": QUIET, **changes}), ENGLISH, rendition, folder)


def changed(one: np.ndarray, other: np.ndarray) -> tuple[int, int, int, int]:
    """The box of the pixels that are not alike."""
    ys, xs = np.nonzero((one != other).any(axis=-1))
    return xs.min(), ys.min(), xs.max() + 1, ys.max() + 1


@pytest.mark.slow
@pytest.mark.parametrize("rendition", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("look", LOOKS)
def test_a_watermark_is_seen_and_yet_quiet_on_every_ground(tmp_path, look, rendition):
    shape(tmp_path / "logo.png")
    for theme in THEMES:
        bare, marked = (
            drawn(tmp_path, rendition, look=look, theme=theme, logo=logo).draw_grounds()[0]
            for logo in ("", "logo.png")
        )
        left, top, right, bottom = changed(bare, marked)
        at = (
            slice((top + bottom) // 2, (top + bottom) // 2 + 1),
            slice(right - (right - left) // 3, right - 4),
        )
        before, after = (
            tuple(int(channel) for channel in picture[at].mean(axis=(0, 1)))
            for picture in (bare, marked)
        )
        assert 1.5 < compute_contrast(before, after) < 3


def test_a_watermark_has_the_same_place_in_every_scene_and_leaves_the_texts_alone(tmp_path):
    logo = shape(tmp_path / "logo.png")
    for rendition in SHAPES:
        studio, plain = (
            drawn(tmp_path, rendition, logo=logo),
            drawn(tmp_path, rendition, logo=logo, brand=BrandKit()),
        )
        left, top, right, bottom = studio.plan.brand
        row = slice(top, bottom), slice(right - studio.plan.px(120), right)
        scenes = [studio.picture(number)[row] for number in range(len(ENGLISH.scenes))]
        assert all(np.array_equal(scenes[0], each) for each in scenes)
        for number in range(len(ENGLISH.scenes)):
            plain.picture(number)
        lettering = studio.record_lettering(studio.drain_texts())
        assert lettering == plain.record_lettering(plain.drain_texts())
        assert all(
            finding.passed for finding in text_checks.list_findings("x.mp4", lettering, ENGLISH)
        )


def test_a_watermark_stands_where_reading_ends(tmp_path):
    logo = shape(tmp_path / "logo.png")
    for language, at_the_left in (("ar", True), ("en", False)):
        script = dataclasses.replace(ENGLISH, language=language)
        bare, marked = (
            SceneRenderer(
                brief_of(script, brand=QUIET, logo=name), script, SHAPES[0], tmp_path
            ).draw_grounds()[0]
            for name in ("", logo)
        )
        left, _, right, _ = changed(bare, marked)
        assert bool(right < SHAPES[0].width / 2) is at_the_left


def test_a_logo_of_several_tones_keeps_them_and_is_translucent(tmp_path):
    shape(tmp_path / "logo.png", "#c02020", "#20a040")
    bare, solid, quiet = (
        drawn(tmp_path, theme="light", logo=logo, brand=kit).draw_grounds()[0].astype(int)
        for logo, kit in (("", QUIET), ("logo.png", BrandKit()), ("logo.png", QUIET))
    )
    left, top, right, bottom = changed(bare, solid)
    middle, end = (top + bottom) // 2, right - 6
    assert np.abs(quiet[middle, end] - (bare[middle, end] + solid[middle, end]) / 2).max() <= 3
    assert quiet[middle, end, 1] > quiet[middle, end, 0] + 30


def test_a_logo_of_which_one_colour_is_lost_has_a_plate(tmp_path):
    shape(tmp_path / "logo.png", "#e11d48", "#1a2a6c")
    logo = Image.open(tmp_path / "logo.png")
    assert images.fades_into(logo, (10, 10, 10)) and not images.fades_into(logo, (240, 240, 240))
    shape(tmp_path / "logo.png", "#e11d48", "#f0f0f0")
    assert not images.fades_into(Image.open(tmp_path / "logo.png"), (10, 10, 10))


def test_a_logo_that_the_ground_would_swallow_has_a_translucent_plate(tmp_path):
    shape(tmp_path / "logo.png", "#0a0c14", "#1e2d4b")
    bare, solid, quiet = (
        drawn(tmp_path, logo=logo, brand=kit).draw_grounds()[0]
        for logo, kit in (("", QUIET), ("logo.png", BrandKit()), ("logo.png", QUIET))
    )
    left, top, right, bottom = changed(bare, quiet)
    assert changed(bare, solid) == (left, top, right, bottom)
    plates = [
        np.percentile(picture[top:bottom, left:right].min(axis=-1), 90)
        for picture in (solid, quiet)
    ]
    assert plates[0] > 200 and 90 < plates[1] < 160


@pytest.mark.parametrize(
    "mode, size", [("RGBA", (300, 100)), ("RGBA", (1, 1)), ("L", (4000, 3)), ("RGB", (3, 900))]
)
def test_no_picture_is_too_strange_for_a_watermark(tmp_path, mode, size):
    Image.new(mode, size).save(tmp_path / "logo.png")
    picture = drawn(tmp_path, logo="logo.png").picture(1)
    assert picture.shape == (540, 960, 3)
