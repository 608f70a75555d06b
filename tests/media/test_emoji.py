"""Emoji in a text are drawn as pictures, as large as the type, and count as drawn."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from svc.media.artwork import emoji
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas, TextLine
from svc.media.drawing.frame_layout import lay_out
from svc.media.drawing.looks import LOOKS
from svc.media.drawing.palette import build_palette
from svc.media.drawing.typesetting import PlacedRun, Typeface
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.media.script import from_brief
from svc.media.text import tokens
from svc.media.video.scene import SceneRenderer

_FACE = Typeface(40, 600)


def _line(word: str) -> tuple[np.ndarray, Canvas]:
    look = LOOKS["explainer"]
    colours = build_palette(look, "dark", (61, 126, 255))
    canvas = Canvas(Image.new("RGB", (400, 80)), lay_out(1280, 720), look, colours, False)
    canvas.draw_lines([TextLine([PlacedRun(word, 10)], 40, _FACE, (255, 255, 255))])
    return np.asarray(canvas.image), canvas


@pytest.mark.parametrize("text", ("🎉", "👩🏽‍🚀", "🇫🇷", "❤️"))
def test_an_emoji_is_drawn_in_colour_at_the_size_of_the_type(text):
    pixels, canvas = _line(text)
    coloured = np.argwhere(np.ptp(pixels.astype(int), axis=2) > 60)
    assert 0.6 * _FACE.size < np.ptp(coloured[:, 0]) < 1.2 * _FACE.size
    assert coloured[:, 1].min() >= 10 and coloured[:, 1].max() <= 10 + typesetting.measure_word(
        text, _FACE
    )
    assert canvas.lettering[0].missing == ""


def test_an_emoji_within_a_word_leaves_its_letters_where_they_are():
    assert [bool(name) for _, name in emoji.split_emoji("go🚀now!")] == [False, True, False]
    pixels, _ = _line("go🚀")
    alone, _ = _line("go")
    end = 10 + int(typesetting.measure_word("go", _FACE))
    assert (pixels[:, :end] == alone[:, :end]).all() and (pixels[:, end:] != alone[:, end:]).any()


def test_letters_figures_and_signs_of_a_font_stay_text():
    assert all(
        name == ""
        for text in ("©", "→", "123", "नमस्ते", "✓", "日本")
        for _, name in emoji.split_emoji(text)
    )


def test_a_sign_that_nothing_draws_is_reported():
    assert emoji.undrawable_characters("ok 🎉 \u0378") == "\u0378"


def test_a_sign_without_a_picture_leaves_the_font_of_the_words_beside_it():
    """Else "Call" of "♫ Call" would be in the font of the sign."""
    widths = [typesetting.measure_word(word, _FACE) for word in ("♫\u00a0Call", "♫", "\u00a0Call")]
    assert widths[0] == widths[1] + widths[2]


def test_a_sign_that_is_asked_for_as_an_emoji_stays_one():
    assert tokens.clean("On vous attend ! ❤️") == "On vous attend ! ❤️"
    assert tokens.clean("☎️ Call") == "☎️ Call" and tokens.clean("a\ufe0fb") == "ab"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("🟡 Gelb", ("yellow-circle", "Gelb")),
        ("♻️ Made of bottles", ("recycling-symbol", "Made of bottles")),
        ("Gelb 🟡", ("", "Gelb 🟡")),
        ("🟡", ("", "🟡")),
        ("3 lemons", ("", "3 lemons")),
    ],
)
def test_the_emoji_before_a_point_is_its_mark(text, expected):
    assert emoji.split_leading(text) == expected


def test_a_point_with_an_emoji_has_no_dot_beside_it():
    """The emoji stands where the dot would, and all lines of the text beside it."""
    shape = Rendition("square", 1080, 1080)
    brief = VideoBrief(
        "p",
        "A",
        "A",
        "en",
        "US",
        "## Colours\n\n- 🟡 Yellow\n- Blue",
        Presenter("Ada", "f3"),
        (shape,),
    )
    script = from_brief.write_script(replace(brief, look="scenes"))
    number = next(at for at, scene in enumerate(script.scenes) if scene.points)
    renderer = SceneRenderer(replace(brief, look="scenes"), script, shape)
    renderer.picture(number, 0)
    shown = [each.text for each in renderer.drain_texts() if each.part == "point"]
    assert shown == ["Yellow", "Blue"]
