"""Pictures drawn from the collection alone."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from media.layout_sweep import ODD
from PIL import Image

from svc.media.artwork import collection, draw, rims, solid
from svc.media.colour import compute_contrast, parse_colour
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import lay_out
from svc.media.drawing.looks import LOOKS, find_look
from svc.media.drawing.palette import build_palette
from svc.media.drawing.sprites import draw_sprite
from svc.media.pictures import forms, illustration, themes


def test_a_picture_is_drawn_in_colour_and_clear_around_it():
    pixels = np.asarray(draw.draw_picture("hot-beverage", 96))
    assert (
        pixels.shape == (96, 96, 4)
        and pixels[0, 0, 3] == 0
        and 0.2 < (pixels[..., 3] > 200).mean() < 0.9
    )


def test_a_line_icon_has_the_colour_that_it_is_given():
    pixels = np.asarray(draw.draw_picture("line:coffee", 64, "#ff0000"))
    assert (pixels[pixels[..., 3] > 250][:, :3] == (255, 0, 0)).all()


def test_every_picture_that_has_a_theme_can_be_drawn():
    assert all(draw.draw_picture(name, 8).getbbox() for name in themes.read_phrases())


@pytest.mark.parametrize("ground", [(198, 222, 219), (232, 242, 240)])
def test_a_pale_part_of_a_picture_has_an_edge_on_a_pale_ground(ground):
    image = Image.new("RGB", (320, 320), ground)
    rims.paste_with_rim(image, draw.draw_picture("bicycle", 320), (0, 0))
    beside_handlebar = np.asarray(image)[115, 80:90]
    assert max(compute_contrast(tuple(map(int, pixel)), ground) for pixel in beside_handlebar) > 1.8


def test_an_illustration_has_such_edges():
    colours = build_palette(LOOKS["news"], "light", (15, 118, 110))
    canvas = Canvas(Image.new("RGB", (400, 400)), lay_out(1280, 720), LOOKS["news"], colours, False)
    illustration.draw_illustration(canvas, "bicycle", (0, 0, 400, 400))
    field, beside_handlebar = (
        np.asarray(canvas.image)[60, 60],
        np.asarray(canvas.image)[163, 134:142],
    )
    assert (
        max(
            compute_contrast(tuple(map(int, pixel)), tuple(map(int, field)))
            for pixel in beside_handlebar
        )
        > 1.8
    )


@pytest.mark.parametrize(
    ("name", "ground"), [("bicycle", (20, 20, 24)), ("evergreen-tree", (198, 222, 219))]
)
def test_a_picture_that_stands_out_has_no_edge(name, ground):
    image, plain, picture = (
        Image.new("RGB", (320, 320), ground),
        Image.new("RGB", (320, 320), ground),
        draw.draw_picture(name, 320),
    )
    rims.paste_with_rim(image, picture, (0, 0))
    plain.paste(picture, (0, 0), picture)
    clear = np.asarray(picture)[..., 3] == 0
    assert (np.asarray(image)[clear] == np.asarray(plain)[clear]).all()


@pytest.mark.parametrize(
    ("emoji", "name"),
    [
        ("☕", "hot-beverage"),
        ("👍🏽", "thumbs-up"),
        ("🇫🇷", "flag:fr"),
        ("☕️", "hot-beverage"),
        ("👩🏽‍🚀", "astronaut"),
        ("\u0378", ""),
    ],
)
def test_an_emoji_has_a_picture_in_any_tone(emoji, name):
    assert collection.find_picture_of_emoji(emoji) == name


def test_threads_find_the_stems_that_one_alone_finds():
    words = [
        f"{start}{end}"
        for start in ("relat", "conduct", "adjust", "hope", "form", "nation")
        for end in ("ional", "ation", "ing", "ement", "fulness", "ization")
    ]
    alone = [forms.stem.__wrapped__(word, "en") for word in words]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(
                pool.map(lambda _: [forms.stem.__wrapped__(word, "en") for word in words], range(8))
            )
    finally:
        sys.setswitchinterval(interval)
    assert found == [alone] * 8


# what is hardly seen at night or by day, in the brands of tests.media.layout_sweep and a green one
@pytest.mark.parametrize(
    ("theme", "names"),
    [
        ("dark", ("chess-pawn", "musical-notes", "copyright", "footprints", "kaaba")),
        ("light", ("spider-web", "cloud", "page-facing-up", "fork-and-knife", "headphone")),
    ],
)
def test_a_picture_as_dark_or_as_pale_as_its_ground_is_seen_by_its_rim(theme, names):
    for brand, name in product(("#0f766e", *ODD), names):
        grounds = build_palette(find_look("scenes"), theme, parse_colour(brand)).grounds
        plain = draw_sprite(name, 192, "#000000")
        drawn = draw_sprite(name, 192, "#000000", grounds)
        before, after = (
            min(rims.find_seen_share(each, ground) for ground in grounds) for each in (plain, drawn)
        )
        assert drawn.size == plain.size and after > max(0.25, min(before, 0.38)), (brand, name)
    assert rims.needs_rim(plain, build_palette(find_look("scenes"), theme, (15, 118, 110)).grounds)


@pytest.mark.parametrize("brand", ["#7c3aed", "#be123c", "#1d4ed8"])
@pytest.mark.parametrize("name", ["musical-notes", "bomb", "pool-8-ball"])
def test_black_is_hardly_seen_on_dark_colours_however_vivid(name, brand):
    grounds = build_palette(find_look("scenes"), "dark", parse_colour(brand)).grounds
    assert rims.needs_rim(draw_sprite(name, 192, "#000000"), grounds)


def test_a_picture_that_is_seen_on_all_grounds_is_drawn_as_it_is():
    for theme, name in (
        ("dark", "bus"),
        ("light", "bus"),
        ("dark", "magnifying-glass-tilted-left"),
    ):
        grounds = build_palette(find_look("scenes"), theme, parse_colour("#0f766e")).grounds
        plain, drawn = draw_sprite(name, 96, "#000000"), draw_sprite(name, 96, "#000000", grounds)
        assert (np.asarray(plain) == np.asarray(drawn)).all()


@pytest.mark.parametrize("name", ("busts-in-silhouette", "speaking-head"))
def test_a_silhouette_is_seen_on_a_dark_ground(name):
    pixels = np.asarray(solid.draw_solid_picture(name, 96))
    tones = pixels[..., :3][pixels[..., 3] > 128].mean(axis=-1)
    assert np.percentile(tones, 20) > 90
