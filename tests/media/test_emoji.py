"""Emoji in a text are drawn as pictures, as large as the type, and count as drawn."""

import numpy as np
import pytest
from PIL import Image

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas, TextLine
from svc.media.drawing.frame_layout import lay_out
from svc.media.drawing.looks import LOOKS
from svc.media.drawing.palette import build_palette
from svc.media.drawing.typesetting import PlacedRun, Typeface
from svc.media.pictures import emoji

_FACE = Typeface(40, 600)


def _line(word: str) -> tuple[np.ndarray, Canvas]:
    look = LOOKS["explainer"]
    colours = build_palette(look, "dark", (61, 126, 255))
    canvas = Canvas(Image.new("RGB", (400, 80)), lay_out(1280, 720), look, colours, False)
    canvas.lines([TextLine([PlacedRun(word, 10)], 40, _FACE, (255, 255, 255))])
    return np.asarray(canvas.image), canvas


@pytest.mark.parametrize("text", ("🎉", "👩🏽‍🚀", "🇫🇷", "❤️"))
def test_an_emoji_is_drawn_in_colour_at_the_size_of_the_type(text):
    pixels, canvas = _line(text)
    coloured = np.argwhere(np.ptp(pixels.astype(int), axis=2) > 60)
    assert 0.6 * _FACE.size < np.ptp(coloured[:, 0]) < 1.2 * _FACE.size
    assert coloured[:, 1].min() >= 10 and coloured[:, 1].max() <= 10 + typesetting.word_width(
        text, _FACE
    )
    assert canvas.lettering[0].missing == ""


def test_an_emoji_within_a_word_leaves_its_letters_where_they_are():
    assert [bool(name) for _, name in emoji.split_emoji("go🚀now!")] == [False, True, False]
    pixels, _ = _line("go🚀")
    alone, _ = _line("go")
    end = 10 + int(typesetting.word_width("go", _FACE))
    assert (pixels[:, :end] == alone[:, :end]).all() and (pixels[:, end:] != alone[:, end:]).any()


def test_letters_figures_and_signs_of_a_font_stay_text():
    assert all(
        name == ""
        for text in ("©", "→", "123", "नमस्ते", "✓", "日本")
        for _, name in emoji.split_emoji(text)
    )


def test_a_sign_that_nothing_draws_is_reported():
    assert emoji.undrawable_characters("ok 🎉 \u0378") == "\u0378"
