"""Prose scenes as pictures: a key phrase in large type with an illustration, in every look,
shape and direction.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from media.layout_sweep import dressed
from support.sampling import sampled

from svc.media.drawing.looks import LOOKS
from svc.media.model import Presenter, Rendition, Scene, Script, VideoBrief
from svc.media.slides import slide
from svc.media.video.scene import SceneRenderer

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
_TEXT = "The moon pulls the water of all oceans towards itself. Six hours later it is low tide."
_WORDS = tuple(_TEXT.split())
_PROSE = Scene(
    "prose",
    "Why",
    (),
    _WORDS,
    _WORDS,
    "d",
    (9, 16),
    key_phrase="The moon pulls the water",
    illustration="full-moon",
)


def _renderer(scene=_PROSE, shape=WIDE, language="en", **settings) -> SceneRenderer:
    brief = VideoBrief(
        "p", "Tides", "Tides", language, "US", "", Presenter("Ada"), (shape,), "Demo", **settings
    )
    return SceneRenderer(brief, Script("Tides", language, (scene,)), shape)


def _drawn(renderer: SceneRenderer):
    picture = renderer.picture(0)
    return picture, renderer.drain_texts()


@pytest.mark.parametrize(
    ("look", "theme", "shape"), sampled(dressed(("landscape", "portrait"), 4), 6)
)
def test_a_prose_scene_shows_its_key_phrase_large_and_not_its_text(look, theme, shape):
    renderer = _renderer(shape={"landscape": WIDE, "portrait": TALL}[shape], look=look, theme=theme)
    _, texts = _drawn(renderer)
    phrase = [text for text in texts if text.part == "text"]
    assert " ".join(text.text for text in phrase) == _PROSE.key_phrase
    assert all(
        text.size > renderer.plan.sizes.body and text.contrast >= 4.5 and not text.missing
        for text in phrase
    )
    left, top, right, bottom = renderer.plan.content
    assert all(
        left - 1 <= text.box[0] and text.box[2] <= right + 1 and text.box[3] <= bottom + 1
        for text in texts
    )


@pytest.mark.parametrize("shape", (WIDE, TALL))
def test_the_illustration_is_large_and_covers_no_text(shape):
    renderer = _renderer(shape=shape)
    picture, texts = _drawn(renderer)
    without, _ = _drawn(_renderer(replace(_PROSE, illustration=""), shape=shape))
    yellow = (picture[..., 0] > 230) & (picture[..., 1] > 180) & (picture[..., 2] < 90)
    rows, columns = np.nonzero(yellow)
    assert (
        yellow.sum() > 0.012 * yellow.size
        and not ((without[..., 0] > 230) & (without[..., 2] < 90)).any()
    )
    box = (columns.min(), rows.min(), columns.max(), rows.max())
    assert all(
        t.box[2] <= box[0] or t.box[0] >= box[2] or t.box[3] <= box[1] or t.box[1] >= box[3]
        for t in texts
    )


def test_a_phrase_of_a_right_to_left_language_stands_at_the_right():
    scene = replace(_PROSE, heading="", key_phrase="القمر يجذب ماء المحيط")
    renderer = _renderer(scene, language="ar")
    picture, texts = _drawn(renderer)
    middle = (renderer.plan.content[0] + renderer.plan.content[2]) / 2
    assert min(text.box[2] for text in texts) > middle
    yellow = (picture[..., 0] > 230) & (picture[..., 1] > 180) & (picture[..., 2] < 90)
    assert np.nonzero(yellow)[1].max() < middle


@pytest.mark.parametrize("shape, look", sampled(product((WIDE, TALL), LOOKS), 4))
def test_no_word_of_a_long_key_phrase_is_cut(shape, look):
    phrase = (
        "Thank you to everyone who has taken part for such a long time and has helped us all "
        "along the way"
    )
    _, texts = _drawn(_renderer(replace(_PROSE, key_phrase=phrase), shape, look=look))
    assert " ".join(text.text for text in texts if text.part == "text") == phrase


def test_the_full_text_is_shown_if_the_brief_wants_it():
    _, texts = _drawn(_renderer(full_text=True))
    assert " ".join(_WORDS[:4]) in " ".join(text.text for text in texts)


_LEANING = ("Leave", "it", "in", "the", "tin.", "A", "warm", "cake", "breaks.")


@pytest.mark.parametrize(("shape", "look"), sampled(product((WIDE, TALL), LOOKS), 4))
def test_a_heading_that_stands_for_no_phrase_has_the_text_below_it(shape, look):
    """A last scene showed its section's heading alone, while something else was said."""
    scene = replace(
        _PROSE,
        heading="Method",
        key_phrase="Method",
        illustration="",
        words=_LEANING,
        spoken=_LEANING,
        sentence_ends=(4, 8),
    )
    renderer = _renderer(scene, shape, look=look)
    shown = ""
    for stage in range(len(renderer.list_stages(0))):
        renderer.picture(0, stage)
        shown += " ".join(text.text for text in renderer.drain_texts())
    assert "Method" in shown and "Leave it" in shown and "warm cake" in shown


def test_a_heading_alone_is_large_where_it_is_said_or_has_a_picture():
    said = replace(_PROSE, key_phrase="Why", words=("Why",), spoken=("Why",), sentence_ends=(0,))
    for scene in (replace(said, illustration=""), replace(_PROSE, key_phrase="Why")):
        renderer = _renderer(scene, look="explainer")
        _, texts = _drawn(renderer)
        assert [text.text for text in texts] == ["Why"]
        assert renderer.list_stages(0) == ()


def test_a_key_phrase_is_one_picture_and_prose_in_full_one_for_each_sentence():
    assert (
        slide.list_stages(_PROSE) == ()
        and len(slide.list_stages(replace(_PROSE, key_phrase=""))) == 2
    )


def test_an_unknown_illustration_is_left_out():
    _, texts = _drawn(_renderer(replace(_PROSE, illustration="../etc/passwd")))
    assert any(text.part == "text" for text in texts)


@pytest.mark.parametrize(
    ("phrase", "shown"),
    [
        ("no later than 14 days", "No later than 14 days"),
        ("ärgerlich genug", "Ärgerlich genug"),
        ("iPhone sales fell", "iPhone sales fell"),
        ("setup.py is gone", "setup.py is gone"),
        ("14 days", "14 days"),
        ("e was its name", "e was its name"),
        ("a forester in Mannheim", "A forester in Mannheim"),
        ("в конце года", "В конце года"),
        ("a = 3", "a = 3"),
    ],
)
def test_a_key_phrase_begins_with_a_capital_unless_its_first_word_is_spelt_otherwise(phrase, shown):
    _, texts = _drawn(_renderer(replace(_PROSE, key_phrase=phrase, illustration="")))
    assert " ".join(text.text for text in texts if text.part == "text") == shown


@pytest.mark.parametrize("look", LOOKS)
def test_no_long_word_of_a_key_phrase_is_hyphenated_in_a_tall_picture(look):
    _, texts = _drawn(
        _renderer(
            replace(_PROSE, key_phrase="Berlin (Deutschland)", illustration=""),
            shape=TALL,
            look=look,
        )
    )
    shown = [text.text for text in texts if text.part == "text"]
    assert shown in (["Berlin", "(Deutschland)"], ["Berlin (Deutschland)"])


@pytest.mark.parametrize("look", LOOKS)
def test_a_very_long_word_goes_in_two_parts_rather_than_in_small_type(look):
    renderer = _renderer(
        replace(
            _PROSE,
            key_phrase="Das Bundesausbildungsförderungsgesetz gilt ab Mai",
            illustration="",
        ),
        shape=TALL,
        language="de",
        look=look,
    )
    _, texts = _drawn(renderer)
    phrase = [text for text in texts if text.part == "text"]
    assert [text.text for text in phrase][:2] == ["Das Bundesausbildungs-", "förderungsgesetz"]
    assert all(text.size >= 0.45 * renderer.plan.sizes.title for text in phrase)
