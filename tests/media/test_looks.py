"""The looks, dark and light: they differ, and all text is legible and clear of the edges."""

import colorsys
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from media.layout_sweep import FIRST, LATER
from small_programme import ENGLISH, brief_of, scene, timeline_of

from svc.base.looks import THEMES
from svc.media.captions import captions
from svc.media.colour import (
    BLACK,
    LEGIBLE,
    compute_contrast,
    is_vivid,
    mix,
    parse_colour,
)
from svc.media.drawing.looks import LOOKS, find_look
from svc.media.drawing.palette import build_palette, stands_out
from svc.media.drawing.yuv import Picture
from svc.media.model import Lettering, Rendition, Scene, Script, Visual
from svc.media.pictures import shown
from svc.media.slides import slide
from svc.media.video.scene import SceneRenderer
from svc.media.video.storyboard import Fade, Motion, plan_changes

pytestmark = pytest.mark.slow

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
ACCENTS = ("#3d7eff", "#000000", "#ffffff", "#ffe100", "#7a0000", "#00a86b", "#808890")
DRESSED = tuple(product(LOOKS, THEMES))
TINTED = (  # the first looks in every colour, the later ones in turns
    *product(product(FIRST, THEMES), ACCENTS),
    *(
        ((LATER[number % 3], theme), accent)
        for number, accent in enumerate(ACCENTS)
        for theme in THEMES
    ),
)


def studio(look: str, theme: str, shape=WIDE, script: Script = ENGLISH, **changes) -> SceneRenderer:
    return SceneRenderer(brief_of(script, look=look, theme=theme, **changes), script, shape)


def drawn_through(drawn: SceneRenderer) -> Lettering:
    """Draw every picture and caption of the programme, and return the record of its texts."""
    cues = captions.split_cues(drawn.script, timeline_of(drawn.script), *drawn.plan.caption_lines)
    for number, content in enumerate(drawn.script.scenes):
        for stage in range(slide.NOTHING_YET, len(slide.list_stages(content))):
            drawn.picture(number, stage)
    for cue in cues:
        for word in (None, *range(cue.first_word, cue.last_word + 1)):
            drawn.draw_caption(cue, word)
    return drawn.record_lettering(drawn.drain_texts())


@pytest.mark.parametrize("dress, accent", TINTED)
def test_every_text_can_be_read_whatever_the_brands_colour(dress, accent):
    look, theme = dress
    texts = drawn_through(studio(look, theme, accent=accent)).texts
    assert {text.part for text in texts} >= {
        "title",
        "heading",
        "point",
        "text",
        "caption",
        "name",
        "number",
    }
    assert [text for text in texts if text.contrast < LEGIBLE] == []


@pytest.mark.parametrize("look, theme", DRESSED)
def test_the_spoken_word_is_seen_among_the_others_whatever_the_brands_colour(look, theme):
    for accent in (*ACCENTS, "#0a2540", "#000000"):
        colours = build_palette(find_look(look), theme, parse_colour(accent))
        # there the highlight is behind the word, or below it
        if find_look(look).ground not in ("shapes", "confetti"):
            caption = colours.caption
            assert compute_contrast(colours.highlight, caption.colour) >= 3
            if colours.sky:  # it may lie over a picture that is black there
                darkest = mix(BLACK, caption.colour, caption.opacity)
                assert compute_contrast(colours.highlight, darkest) >= LEGIBLE
            assert stands_out(colours.highlight, colours.caption.ink), (
                accent,
                colours.highlight,
                colours.caption.ink,
            )


@pytest.mark.parametrize("look, theme", DRESSED)
def test_every_text_can_be_read_whatever_the_brands_two_colours(look, theme):
    # A link and a source are in the accent, on a ground that the second colour may light.
    quotation = Visual("quote", "Patience is the host.", "Mira Volkova")
    scenes = (
        replace(scene("quote", "Who waits", "Patience is the host"), sight=quotation),
        *ENGLISH.scenes[:-1],
    )
    close = replace(
        scene("close", "Enjoy", "Enjoy"),
        sight=Visual("", "Ask for the leaf", "https://tea.example"),
    )
    script, wrong = Script("Tea", "en", (*scenes, close)), []
    for accent, second in product((*ACCENTS, "#0a2540"), repeat=2):
        drawn = studio(look, theme, script=script, accent=accent, second_colour=second)
        for number in range(len(script.scenes)):
            drawn.picture(number, len(slide.list_stages(script.scenes[number])) - 1)
        texts = drawn.drain_texts()
        assert {text.part for text in texts} >= {"link", "name", "point", "text"}
        wrong += [
            (accent, second, text.part, text.contrast) for text in texts if text.contrast < LEGIBLE
        ]
    assert wrong == []


@pytest.mark.parametrize("look, theme", DRESSED)
@pytest.mark.parametrize("shape", (WIDE, TALL), ids=lambda shape: shape.name)
def test_every_text_stands_where_no_platform_covers_it(look, theme, shape):
    lettering = drawn_through(studio(look, theme, shape))
    left, top, right, bottom = lettering.safe
    outside = [
        text
        for text in lettering.texts
        if text.box[0] < left - 1
        or text.box[1] < top - 1
        or text.box[2] > right + 1
        or text.box[3] > bottom + 1
    ]
    assert outside == [] and all(text.missing == "" for text in lettering.texts)


def test_the_record_says_which_character_has_no_glyph(monkeypatch):
    monkeypatch.setattr(
        shown, "make_drawable", lambda text: text
    )  # which leaves such characters out
    script = Script("Test", "en", (scene("title", "Tea \u0378", "Tea"),))
    texts = drawn_through(studio("news", "dark", script=script)).texts
    assert [text.missing for text in texts if text.part == "title"] == ["\u0378"]


@pytest.mark.parametrize("shape", (WIDE, TALL), ids=lambda shape: shape.name)
def test_no_two_looks_are_alike(shape):
    pictures = [studio(look, theme, shape).picture(1, 0).astype(int) for look, theme in DRESSED]
    assert all(np.abs(first - second).mean() > 5 for first, second in combinations(pictures, 2))


@pytest.mark.parametrize("look", LOOKS)
def test_light_is_light_and_dark_is_dark(look):
    # of the ground, whatever the type covers
    dark, light = (np.median(studio(look, theme).picture(2)) for theme in THEMES)
    assert dark < 80 and light > 170


def test_the_second_colour_of_a_brand_is_seen():
    first, second = (
        studio("short", "dark", second_colour=colour).picture(0) for colour in ("", "#00ff66")
    )
    assert (first != second).any()


def test_an_unknown_look_is_the_explainers():
    assert find_look("holographic") is LOOKS["explainer"]


@pytest.mark.parametrize("look", LOOKS)
def test_a_safe_area_of_its_own_moves_everything_in(look):
    narrow = Rendition("portrait", 360, 640, safe=(0.2, 0.2, 0.2, 0.3))
    lettering = drawn_through(studio(look, "dark", narrow))
    assert lettering.safe == (72, 128, 288, 448)
    assert all(
        text.box[0] >= 72 - 1 and text.box[2] <= 288 + 1 and text.box[3] <= 448 + 1
        for text in lettering.texts
    )


def test_with_plain_captions_no_word_stands_out():
    drawn = studio("explainer", "dark")
    cues = captions.split_cues(ENGLISH, timeline_of(), *drawn.plan.caption_lines)
    plain, marked = (
        list(plan_changes(ENGLISH, timeline_of(), cues, 30, Motion(words=words, face=False)))
        for words in (False, True)
    )
    assert all(moment.shown.word is None for moment in plain if not isinstance(moment.shown, Fade))
    assert len(plain) < len(marked)


@pytest.mark.parametrize("right_to_left", (False, True))
def test_a_wipe_comes_from_the_side_where_reading_begins(right_to_left):
    black, white = (Picture(40, 20, np.full(1200, level, np.uint8)) for level in (16, 235))
    luma = black.wipe(white, 0.25, right_to_left).samples[:800].reshape(20, 40)
    covered = luma[:, 30:] if right_to_left else luma[:, :10]
    assert (covered == 235).all() and (luma == 235).sum() == covered.size


def _frame_corner(drawn: SceneRenderer) -> int:
    """Return how much the corner of the presenter's frame differs from the ground behind it, in a
    scene that the presenter does not host.
    """
    left, top, _, _ = drawn.presenter_box
    place = slice(top + 3, top + 6), slice(left + 3, left + 6)
    hosted = drawn.list_hosted_scenes()
    scene = next(each for each in range(len(drawn.script.scenes)) if each not in hosted)
    return int(
        np.abs(
            drawn.picture(scene)[place].astype(int) - drawn.draw_grounds()[1][place].astype(int)
        ).max()
    )


def _is_near(ground: str, colour: tuple[int, int, int]) -> bool:
    return max(abs(a - b) for a, b in zip(parse_colour(ground), colour, strict=True)) < 12


@pytest.mark.parametrize("theme", THEMES)
def test_explainer_lights_up_a_translucent_row_and_has_its_presenter_in_a_circle(theme):
    drawn = studio("explainer", theme)
    surfaces = (drawn.palette.ahead, drawn.palette.past, drawn.palette.now)
    assert 0 < surfaces[0].opacity < surfaces[1].opacity < surfaces[2].opacity < 1
    assert not any(surface.edge or surface.shadow for surface in surfaces)
    assert _frame_corner(drawn) < 20 < _frame_corner(studio("news", theme))


@pytest.mark.parametrize("theme", THEMES)
def test_short_has_a_block_behind_each_line_of_its_title_and_one_hue(theme):
    drawn = studio("short", theme)
    drawn.picture(0)
    titles = [text for text in drawn.drain_texts() if text.part == "title"]
    assert titles and all(_is_near(text.ground, drawn.palette.solid) for text in titles)
    hues = [
        colorsys.rgb_to_hsv(*(value / 255 for value in pixel))[0]
        for pixel in drawn.draw_grounds()[1].reshape(-1, 3)[::997]
        if int(max(pixel)) - int(min(pixel)) > 24
    ]
    assert len(hues) > 50 and max(hues) - min(hues) < 0.08


@pytest.mark.parametrize("theme", THEMES)
def test_news_has_serif_headlines_hairlines_in_place_of_cards_and_the_accounts_name_on_a_tab(theme):
    drawn = studio("news", theme, account_name="Harbour")
    assert (
        "Serif" in drawn.look.display
        and not drawn.palette.past.opacity
        and not drawn.palette.ahead.opacity
    )
    [name] = [
        text
        for text in drawn.record_lettering(()).texts
        if text.part == "name" and "Harbour" in text.text
    ]
    assert _is_near(name.ground, drawn.palette.solid)


@pytest.mark.parametrize("language, columns", [("en", slice(0, 90)), ("ar", slice(-90, None))])
def test_editorial_has_a_field_of_the_brands_colour_where_reading_begins(language, columns):
    drawn = SceneRenderer(
        brief_of(ENGLISH, language=language, look="editorial", theme="light", accent="#7a0000"),
        ENGLISH,
        WIDE,
    )
    field = drawn.picture(1)[100:150, columns].astype(int)
    assert (np.abs(field - drawn.palette.lights[0]).max(axis=-1) < 12).mean() > 0.95
    names = [text for text in drawn.record_lettering(()).texts if text.part == "name"]
    assert names and all(text.contrast >= LEGIBLE for text in names)


def test_editorial_sets_quotations_in_italics_if_they_have_the_letters():
    pictures = []
    for text in ("A net of wonder", "A net of م"):
        said = Scene("quote", "", (), ("x",), ("x",), "", (0,), Visual("quote", text=text))
        drawn = studio("editorial", "light", script=Script("Test", "en", (said,)))
        look = replace(drawn.look, quotation="")
        upright = studio("editorial", "light", script=Script("Test", "en", (said,)))
        upright.look = look
        pictures.append((drawn.picture(0) != upright.picture(0)).any())
    assert pictures == [True, False]


@pytest.mark.parametrize("shape", (WIDE, TALL), ids=lambda shape: shape.name)
def test_playful_outlines_its_cards_and_fills_its_free_corner(shape):
    drawn = studio("playful", "light", shape)
    assert drawn.palette.now.edge and drawn.palette.past.edge and drawn.palette.now.shadow
    corner = drawn.picture(1)[: shape.height // 12, -shape.width // 12 :].reshape(-1, 3).astype(int)
    assert (np.abs(corner - drawn.palette.ground).max(axis=-1) > 40).mean() > 0.5
    texts = drawn_through(drawn).texts
    assert all(text.contrast >= LEGIBLE for text in texts)


@pytest.mark.parametrize("accent", ACCENTS)
def test_the_companions_of_a_brand_are_far_from_its_colours(accent):
    colours = build_palette(find_look("playful"), "light", parse_colour(accent))
    assert colours.lights[0] != colours.lights[1]
    hues = [colorsys.rgb_to_hls(*colour)[0] for colour in (parse_colour(accent), *colours.lights)]
    apart = [min(abs(hues[0] - hue), 1 - abs(hues[0] - hue)) for hue in hues[1:]]
    assert not is_vivid(parse_colour(accent)) or min(apart) > 0.12


@pytest.mark.parametrize("shape", (WIDE, TALL), ids=lambda shape: shape.name)
def test_product_centres_what_stands_alone(shape):
    drawn = studio("product", "light", shape)
    drawn.picture(1)
    left, _, right, _ = drawn.plan.content
    headings = [text for text in drawn.drain_texts() if text.part == "heading"]
    assert headings and all(abs(text.box[0] + text.box[2] - left - right) <= 4 for text in headings)
