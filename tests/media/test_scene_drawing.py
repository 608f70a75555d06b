"""Pictures keep everything within the frame, are legible, and follow the direction
of the language.
"""

import itertools
import shutil
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw
from small_programme import ENGLISH, LANDSCAPE, PORTRAIT, brief_of, scene, timeline_of
from support.sampling import sampled
from support.tables import each_of

from svc.base.looks import THEMES
from svc.media import fonts
from svc.media.captions import captions
from svc.media.colour import compute_contrast, make_legible, parse_colour
from svc.media.drawing import typesetting
from svc.media.drawing.backdrop import draw_backdrop
from svc.media.drawing.frame_layout import lay_out
from svc.media.drawing.looks import LOOKS
from svc.media.drawing.palette import build_palette
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Presenter, Rendition, Script
from svc.media.slides import slide
from svc.media.text import direction
from svc.media.video import scene as scene_renderer
from svc.media.video.scene import SceneRenderer

SHAPES = (LANDSCAPE, PORTRAIT, Rendition("square", 320, 320), Rendition("large", 960, 540))
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
LONG = (
    "A text that goes on for much longer than anybody would have thought possible on one screen. "
    * 6
)
NOTHING = scene("title", "", "x")  # an end card would have the name of the account
OVERFULL = (
    scene("title", LONG + LONG_WORD, "x"),
    scene(
        "points", LONG, "a b c d e", *((f"{LONG_WORD} {LONG}", index, index) for index in range(5))
    ),
    scene("prose", LONG_WORD, f"{LONG} {LONG_WORD}", ends=tuple(range(16, 100, 17))),
    scene("prose", "", LONG_WORD * 9),
    scene("close", LONG_WORD * 3, "x"),
)


def studio(*scenes, rendition=LANDSCAPE, language="en", **changes) -> SceneRenderer:
    script = Script("Test", language, scenes or ENGLISH.scenes)
    return SceneRenderer(brief_of(script, **changes), script, rendition)


def differing(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """``(y, x)`` of each pixel that is not the same."""
    return np.argwhere((first.astype(int) != second).any(axis=-1))


def area(box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def strip_of(drawn: SceneRenderer, cue, word=None) -> np.ndarray:
    return drawn.draw_caption(cue, word).pixels.astype(int)


def near(pixels: np.ndarray, colour, tolerance: int = 30) -> np.ndarray:
    return np.abs(pixels - np.array(colour)).max(axis=-1) <= tolerance


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("number", range(len(OVERFULL)))
def test_however_long_a_text_is_it_stays_in_the_content_box(shape, number):
    drawn = studio(OVERFULL[number], NOTHING, rendition=shape)
    left, top, right, bottom = drawn.plan.content
    for stage in (slide.NOTHING_YET, 0, 3):
        # a presenter who hosts the one hosts the other
        empty = drawn.picture(1) if drawn.is_hosted(0, stage) else drawn.draw_grounds()[0]
        changed = differing(drawn.picture(0, stage), empty)
        # above it is the progress, which differs too
        changed = changed[changed[:, 0] > drawn.plan.brand[3]]
        assert len(changed)
        assert top - 1 <= changed[:, 0].min() and changed[:, 0].max() <= bottom
        assert left - 1 <= changed[:, 1].min() and changed[:, 1].max() <= right


@each_of(
    "width, height",
    [(1920, 1080), (1080, 1920), (1080, 1080), (1080, 1350), (320, 180), (180, 320)],
)
@each_of("right_to_left", [False, True])
@each_of("figure", [True, False])
@each_of("look", LOOKS.values())
def test_no_two_parts_of_a_picture_overlap(width, height, right_to_left, look, figure):
    plan = lay_out(width, height, right_to_left, look, figure=figure)
    for first, second in itertools.combinations(
        (plan.brand, plan.content, plan.presenter, plan.label, plan.strip), 2
    ):
        assert (
            first[2] <= second[0]
            or second[2] <= first[0]
            or first[3] <= second[1]
            or second[3] <= first[1]
        )


@pytest.mark.parametrize("figure", [True, False])
@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_tall_picture_keeps_clear_of_what_platforms_lay_over_it(look, figure):
    plan = lay_out(1080, 1920, look=look, figure=figure)
    boxes = (plan.brand, plan.content, plan.presenter, plan.label, plan.strip)
    assert min(box[1] for box in boxes) >= 0.12 * 1920
    assert max(box[3] for box in boxes) <= 0.8 * 1920


@each_of("right_to_left", [False, True])
@each_of("look", LOOKS.values())
@each_of("width, height", [(1920, 1080), (1080, 1920), (1080, 1080), (1080, 1350)])
def test_without_a_figure_content_takes_the_whole_width_and_more_of_the_picture(
    width, height, look, right_to_left
):
    plan, usual = (
        lay_out(width, height, right_to_left, look, figure=figure) for figure in (False, True)
    )
    assert (plan.content[0], plan.content[2]) == (plan.safe[0], plan.safe[2])
    assert area(plan.content) > 1.08 * area(usual.content)
    assert area(plan.presenter) == 0


@pytest.mark.parametrize("look", LOOKS)
def test_without_a_figure_nobody_is_drawn_or_named_and_an_uploaded_portrait_stays_away(
    look, tmp_path
):
    Image.new("RGB", (300, 300), "#ff00ff").save(tmp_path / "me.png")
    voice = Presenter("Ada Lovelace", portrait="me.png", figure="none")
    drawn = SceneRenderer(brief_of(avatar=voice, look=look), ENGLISH, LANDSCAPE, tmp_path)
    assert not drawn.shows_upload and not drawn.shows_figure
    assert not near(drawn.picture(0), (255, 0, 255)).any()
    texts = [text.text for text in drawn.record_lettering(drawn.drain_texts()).texts]
    assert "Roasters & Sons" in texts and "Ada Lovelace" not in texts
    plain = SceneRenderer(
        brief_of(avatar=Presenter("Kofi", figure="none"), look=look), ENGLISH, LANDSCAPE
    )
    assert (plain.picture(0) == drawn.picture(0)).all()


@pytest.mark.parametrize("shape", (LANDSCAPE, PORTRAIT, SHAPES[3]), ids=lambda shape: shape.name)
def test_a_caption_fits_its_strip_and_only_the_spoken_word_has_the_highlight(shape):
    drawn = studio(rendition=shape)
    cue = captions.split_cues(ENGLISH, timeline_of(), drawn.plan.line_length)[1]
    plain, first, second = (
        strip_of(drawn, cue, word) for word in (None, cue.first_word, cue.first_word + 1)
    )
    assert not near(plain, drawn.highlight).any()
    where = (
        np.argwhere(near(first, drawn.highlight))[:, 1],
        np.argwhere(near(second, drawn.highlight))[:, 1],
    )
    assert where[0].max() < where[1].min()
    assert (plain[:, [0, -1]] == strip_of(drawn, None)[:, [0, -1]]).all()


@pytest.mark.parametrize("look, shape", sampled(itertools.product(LOOKS, SHAPES), 4))
def test_captions_of_one_line_are_as_large_as_those_of_two(look, shape):
    drawn = studio(look=look, rendition=shape)
    sizes = set()
    for lines in (((0, 1),), ((0,), (1,)))[: drawn.plan.caption_lines[1]]:
        drawn.drain_texts()
        drawn.draw_caption(captions.Cue(0, 0, 1, 0.0, 1.0, lines), 1)
        sizes |= {text.size for text in drawn.drain_texts() if text.part == "caption"}
    assert len(sizes) == 1


def test_a_caption_of_one_endless_word_is_made_smaller():
    drawn = studio(scene("title", "x", LONG_WORD), rendition=PORTRAIT)
    script = drawn.script
    (cue,) = captions.split_cues(script, timeline_of(script), drawn.plan.line_length)
    plain = strip_of(drawn, cue)
    assert near(plain, (255, 255, 255), 60).any()
    assert (plain[:, [0, -1]] == strip_of(drawn, None)[:, [0, -1]]).all()


@pytest.mark.parametrize(
    "accent", ["#000000", "#ffffff", "#3d7eff", "#7a0000", "#ffe100", "#123456", "nonsense"]
)
def test_the_highlight_can_be_read_whatever_the_accent(accent):
    drawn = studio(accent=accent)
    lightest = strip_of(drawn, captions.split_cues(ENGLISH, timeline_of())[0])[
        :, drawn.plan.px(700)
    ].min(axis=0)
    assert compute_contrast(drawn.highlight, tuple(lightest)) >= 4.5
    assert compute_contrast((255, 255, 255), tuple(lightest)) >= 7


@pytest.mark.parametrize("accent", ["#000000", "#ffffff", "#808890"])
def test_a_grey_accent_does_not_make_the_spoken_word_grey(accent):
    assert max(studio(accent=accent).highlight) - min(studio(accent=accent).highlight) > 100


def test_a_name_is_shown_without_the_signs_that_no_font_has():
    script = Script("Test", "en", (NOTHING,))
    plain, extended = (
        SceneRenderer(replace(brief_of(script), account_name=name), script, LANDSCAPE).picture(0)
        for name in ("Tea", "Tea \u0378")
    )
    assert not len(differing(plain, extended))


def test_a_colour_that_is_legible_already_is_kept():
    assert make_legible((255, 200, 0), (0, 0, 0)) == (255, 200, 0)
    assert parse_colour("#FF8000") == (255, 128, 0)


def test_a_point_appears_when_it_is_spoken_and_stands_out():
    drawn = studio(rendition=SHAPES[3])
    before, first, second = (drawn.picture(1, stage).astype(int) for stage in (-1, 0, 1))
    changed = differing(before, first)
    # the second stands below the first
    assert changed[:, 0].max() < differing(first, second)[:, 0].max()
    row = slice(changed[:, 0].min(), changed[:, 0].max())
    # waiting, then bright, then a little less so
    assert first[row].sum() > second[row].sum() > before[row].sum()


def test_the_spoken_sentence_stands_out_and_a_spoken_heading_is_not_repeated():
    drawn = studio(rendition=SHAPES[3])
    assert slide.list_stages(ENGLISH.scenes[2]) == (0, 1, 4)
    silent, heading, first, second = (drawn.picture(2, stage) for stage in (-1, 0, 1, 2))
    assert not len(differing(silent, heading))
    assert len(differing(heading, first)) and len(differing(first, second))


@pytest.mark.parametrize("theme", ["explainer", "short"])
@pytest.mark.parametrize(
    ("said", "stages", "is_shown"),
    [("Handbook Waiting", (1, 2), False), ("It rests. Waiting", (2, 3), True)],
)
def test_headings_above_that_of_the_text_are_said_and_not_shown(theme, said, stages, is_shown):
    """What a sentence with a full stop says is no heading."""
    ends = (stages[0] - 1, stages[1] - 1, stages[1] + 2)
    long = scene("prose", "Waiting", f"{said} It takes time.", ends=ends)
    short = scene("prose", "Waiting", "Waiting It takes time.", ends=(0, 3))
    drawn = [
        studio(each, rendition=SHAPES[3], theme=theme).picture(0, stage)
        for each, stage in ((long, 2), (short, 1))
    ]
    assert (len(differing(*drawn)) > 0) == is_shown


def test_arabic_is_laid_out_from_the_right():
    arabic = scene("title", "مرحبا", "الشاي الأخضر لذيذ")
    drawn = studio(arabic, replace(NOTHING, layout="title"), language="ar")
    assert drawn.plan.content[2] == 320 - lay_out(320, 180).content[0]
    changed = differing(drawn.picture(0), drawn.picture(1))
    changed = changed[changed[:, 0] > drawn.plan.brand[3]]
    assert changed[:, 1].min() > 160 and drawn.plan.presenter[2] < 160
    cue = captions.split_cues(drawn.script, timeline_of(drawn.script))[0]
    first, last = (
        np.argwhere(near(strip_of(drawn, cue, word), drawn.highlight))[:, 1] for word in (0, 2)
    )
    assert first.min() > last.max()


def shown(words, right_to_left: bool) -> str:
    """The line from its left to its right, each run in the order of reading."""
    return "".join(run.text for run in direction.order_runs(words, right_to_left))


def test_an_english_name_in_arabic_keeps_its_own_order():
    words = ("هذا", "Partner", "Production", "جيد")
    assert shown(words, right_to_left=True) == "جيد Partner Production هذا"
    named = ("هذا", "Roasters", "&", "Sons", "–", "جيد")
    assert shown(named, right_to_left=True) == "جيد – Roasters & Sons هذا"
    assert shown(("This", "جيد", "هذا", "fits"), right_to_left=False) == "This هذا جيد fits"


@pytest.mark.parametrize(
    "text", ["Чай за четыре секунды", "Trà trong bốn giây", "चाय चार सेकंड में", "Τσάι σε τέσσερα"]
)
def test_other_scripts_are_drawn_and_not_as_empty_boxes(text):
    drawn = studio(
        scene("title", text, text),
        scene("title", "\u0378 \u0378 \u0378 \u0378", "x"),
        NOTHING,
        rendition=SHAPES[3],
    )
    changed, boxes = (differing(drawn.picture(number), drawn.picture(2)) for number in (0, 1))
    assert len(changed) != len(boxes) and len(changed) > 1000


def test_a_sign_too_rich_for_a_heavy_weight_is_drawn_in_a_lighter_one():
    picture = Image.new("L", (500, 80))
    typesetting.draw_run(
        ImageDraw.Draw(picture),
        typesetting.PlacedRun("\ufdfd", 10, True),
        40,
        Typeface(20, 700),
        255,
    )
    assert np.asarray(picture).any()


def test_a_text_that_does_not_fit_ends_in_an_ellipsis():
    block = typesetting.fit_text(LONG, 200, 60, Typeface(20, 500), 16)
    assert block.height <= 60 and block.width <= 200
    assert block.lines[-1][-1].endswith(typesetting.ELLIPSIS)


def test_a_heading_has_no_lonely_last_word():
    block = typesetting.fit_text(
        "One two three four five six", 150, 200, Typeface(24, 500), 24, balanced=True
    )
    widths = [typesetting.measure_line(line, block.face) for line in block.lines]
    assert len(widths) > 1 and min(widths) > 0.5 * max(widths)


def _dashes(look: str, shape: Rendition, count: int) -> int:
    """Return how many separate pieces the progress has in the middle of a programme
    of ``count`` scenes.
    """
    drawn = studio(*(scene("close", "", "x") for _ in range(count)), rendition=shape, look=look)
    left, top, right, bottom = drawn.plan.brand
    with_progress, ground = (
        pixels[top : bottom + 1, left:right].astype(int)
        for pixels in (drawn.picture(count // 2), drawn.draw_grounds()[0])
    )
    columns = (np.abs(with_progress - ground).max(axis=-1) > 4).any(axis=0)
    return int(columns[0]) + int((columns[1:] & ~columns[:-1]).sum())


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1080, 1080)])
@pytest.mark.parametrize("look", tuple(LOOKS))
def test_progress_is_dashes_or_one_line_and_never_dots(look, width, height):
    shape = Rendition("shape", width, height)
    assert _dashes(look, shape, 7) == (1 if look == "news" else 7)
    assert _dashes(look, shape, 150) == 1


@pytest.mark.parametrize("theme", THEMES)
def test_the_ground_does_not_band(theme):
    row = draw_backdrop(960, 540, "glow", build_palette(LOOKS["explainer"], theme, (61, 126, 255)))[
        100, :, 2
    ].astype(int)
    longest = max(len(list(run)) for _, run in itertools.groupby(row))
    assert longest < 12


def test_the_same_brief_gives_the_same_picture():
    assert not len(differing(studio().picture(1, 0), studio().picture(1, 0)))


def test_words_with_and_without_marks_are_set_in_one_family():
    vietnamese = scene("title", "Thủy triều", "Thủy triều lên xuống hai lần")
    drawn = studio(vietnamese, NOTHING, look="short")
    assert fonts.has_all("Thủy triều", drawn.look.display) and drawn.look.display != "Rubik"
    assert studio(ENGLISH.scenes[0], look="short").look.display == "Rubik"


@pytest.mark.parametrize(
    "text",
    ["潮汐是如何形成的海洋因此隆起", "月は地球の側をより強く引きます", "น้ำขึ้นน้ำลงทำงานอย่างไร"],
)
def test_scripts_without_spaces_break_anywhere_but_not_before_a_mark(text):
    block = typesetting.fit_text(text + "。", 120, 400, Typeface(20, 500), 20)
    assert len(block.lines) > 1 and block.width <= 120
    joined = "".join(piece.removeprefix(typesetting.GLUE) for line in block.lines for piece in line)
    assert joined == text + "。" and not any(
        line[0].removeprefix(typesetting.GLUE).startswith("。") for line in block.lines
    )


def test_the_operators_own_font_is_used_where_ours_have_no_glyph(tmp_path, monkeypatch):
    monkeypatch.setattr(fonts, "FAMILIES", ("Noto Sans Thai",))
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    shutil.copy(fonts.find_path("Rubik"), tmp_path / "mine.ttf")
    try:
        fonts.use_folder(tmp_path)
        assert fonts.list_families()[:2] == ("Noto Sans Thai", "mine")
        assert (
            fonts.find_undrawable_characters("שלום") == ""
            and fonts.choose_family("שלום", "Noto Sans Thai") == "mine"
        )
    finally:
        fonts._added.clear()
        monkeypatch.undo()
        fonts.use_folder(tmp_path / "none")


def test_a_sentence_in_arabic_that_ends_in_an_english_name_ends_at_the_left():
    words = ("فيديو", "من", "Harbour", "&", "Sons.")
    assert shown(words, right_to_left=True) == ".Harbour & Sons من فيديو"
    assert shown(("هذا", "Sons,", "جيد."), right_to_left=True) == "جيد. ,Sons هذا"
    assert shown(("Sons.", "…"), right_to_left=True) == "… .Sons"


def test_a_name_goes_on_in_its_own_order_on_the_next_line():
    assert shown(("&", "Sons"), right_to_left=True) == "& Sons"
    assert shown(("–", "Sons"), right_to_left=True) == "Sons –"


@each_of("look", LOOKS)
def test_the_progress_of_a_scene_is_drawn_once_and_looks_the_same_in_its_further_pictures(look):
    for rendition in SHAPES:
        drawing = studio(rendition=rendition, look=look)
        first, other = drawing.picture(1, 0), drawing.picture(2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scene_renderer, "draw_progress", None)
            assert (drawing.picture(2) == other).all()
        assert (drawing.picture(1, 0) == first).all()
