"""Charts in every size, shape and look: no text touches another, all of it can be read,
and nothing is missing.
"""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from media.layout_sweep import ODD, chart, dressed, faults, studio
from small_programme import PORTRAIT
from support.sampling import sampled
from support.tables import each_of

from svc.base.looks import THEMES
from svc.media import colour
from svc.media.drawing.looks import LOOKS, find_look
from svc.media.drawing.palette import build_palette
from svc.media.model import Rendition
from svc.media.slides import charts, legend, line_chart, slide
from svc.media.slides.counting import count_up
from svc.media.text.amounts import parse_amount

SHAPES = {
    name: Rendition(name, *size)
    for name, size in {
        "landscape": (640, 360),
        "portrait": (360, 640),
        "square": (360, 360),
        "feed": (360, 450),
    }.items()
}
LABELS = ("Fundy", "Severn Estuary", "Mont-Saint-Michel", "Ungava")
LONG = (
    "Donaudampfschifffahrtsgesellschaft für den Nahverkehr mit Schiff",
    "A label of as many words as a cell is allowed to have",
)
FIGURES = {
    "plain": ("16.3 m", "15 m", "9.5 m", "0.4 m"),
    "huge": ("€1,234,567,890.50", "€987,654,321.00", "€3.00", "€12,000,000.00"),
    "signed": ("−12 %", "4.5 %", "0 %", "−0.25 %"),
    "zero": ("0", "0", "0", "0"),
}


@pytest.mark.parametrize("kind, rows, series", [("bars", 3, 2), ("bars", 8, 3), ("line", 5, 2)])
@pytest.mark.parametrize("shape", ("landscape", "portrait"))
def test_no_text_of_a_chart_touches_another(kind, rows, series, shape):
    scene = chart(kind, rows, series, LABELS, FIGURES["huge"])
    assert faults(scene, SHAPES[shape], "short", "light", range(-1, rows)) == []


@pytest.mark.slow
@pytest.mark.parametrize("look, theme, shape", dressed(SHAPES, 3))
def test_no_chart_of_any_size_fails_in_any_look_and_shape(look, theme, shape):
    wrong = []
    for rows, series in product((2, 3, 5, 8), (1, 2, 3)):
        labels, figures = (LABELS, LONG)[rows == 5], tuple(FIGURES.values())[(rows + series) % 4]
        for kind in ("bars", "line")[: 1 + (rows in (3, 8))]:
            wrong += faults(
                chart(kind, rows, series, labels, figures), SHAPES[shape], look, theme, (rows - 1,)
            )
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("figures", FIGURES)
@pytest.mark.parametrize("labels", (LABELS, LONG), ids=("short", "long"))
def test_figures_and_labels_of_every_kind_find_room(figures, labels):
    wrong = []
    for number, (shape, (rows, series)) in enumerate(
        product(SHAPES.values(), ((2, 1), (3, 2), (8, 3)))
    ):
        for kind in ("bars", "line"):
            scene, language = (
                chart(kind, rows, series, labels, FIGURES[figures]),
                ("en", "ar", "de")[number % 3],
            )
            wrong += faults(
                scene, shape, tuple(LOOKS)[number % 2], THEMES[number % 2], (0,), language
            )
    assert wrong == []


@each_of("kind, rows", [("bars", 3), ("line", 5)])
@each_of("accent, second", [("#808890", "#7a0000"), ("#7a0000", "#000000"), ("#ffe100", "")])
def test_labels_of_rows_that_are_not_spoken_yet_are_legible_on_the_lower_ground(
    kind, rows, accent, second
):
    """It is darker than the sky, and cards do not lie there."""
    scene = chart(kind, rows, 2, LABELS, FIGURES["signed"])
    for theme, shape in product(THEMES, ("landscape", "square")):
        colours = {"accent": accent, "second_colour": second}
        assert faults(scene, SHAPES[shape], "scenes", theme, (-1, 0), **colours) == []


@pytest.mark.parametrize("accent", ODD)
def test_a_chart_is_legible_in_every_colour_of_a_brand(accent):
    scene = chart("bars", 3, 2, LABELS, FIGURES["signed"])
    for theme in THEMES:
        assert faults(scene, PORTRAIT, "explainer", theme, (1,), accent=accent) == []


@each_of("look, theme", tuple(product(LOOKS, THEMES)))
@each_of("accent", ("#3d7eff", *ODD))
def test_two_series_of_a_brand_with_one_colour_differ_in_lightness(look, theme, accent):
    canvas = SimpleNamespace(
        palette=build_palette(find_look(look), theme, colour.parse_colour(accent))
    )
    first, second, third = (legend.choose_series_colour(canvas, series) for series in range(3))
    assert colour.compute_contrast(first, second) >= 1.6
    assert third not in (first, second)


@pytest.mark.parametrize("accent", ("#3d7eff", "#888888", *ODD))
def test_spoken_text_has_a_margin_where_the_ground_is_brightest(accent):
    """The number of a row stands on a pale badge, which takes some of the contrast."""
    colours = build_palette(find_look("explainer"), "dark", colour.parse_colour(accent))
    assert (
        min(
            colour.compute_contrast(colours.spoken, ground)
            for ground in (colours.ground, *colours.lights)
        )
        >= 6.2
    )


def test_every_row_of_a_chart_is_shown_when_it_is_spoken():
    scene = chart("bars", 8, 3, LABELS, FIGURES["plain"])
    drawn = studio(scene, SHAPES["portrait"])
    for stage in range(8):
        drawn.picture(0, stage)
        texts = [text.text for text in drawn.drain_texts()]
        assert set(scene.sight.rows[stage][1:]) <= set(texts)


def grown(kind: str, growth: float, stage: int = 1) -> tuple[np.ndarray, list[str]]:
    """The picture of a chart whose current row has grown so far, and its figures."""
    drawn = studio(chart(kind, 3, 1, LABELS, ("10 m", "20 m", "30 m")), SHAPES["landscape"])
    canvas = drawn._canvas(drawn._copy_ground(0))
    canvas.growth = growth
    slide.draw(canvas, drawn.script.scenes[0], stage)
    return np.asarray(canvas.image).astype(int), [
        text.text for text in canvas.lettering if text.part == "number"
    ]


def test_the_bar_of_the_spoken_row_grows_and_its_figure_counts_up():
    (start, first), (middle, half), (end, whole) = (
        grown("bars", growth) for growth in (0.0, 0.5, 1.0)
    )
    assert (first, half, whole) == (["10 m", "0 m"], ["10 m", "10 m"], ["10 m", "20 m"])
    assert 0 < (start != middle).any(axis=-1).sum() < (start != end).any(axis=-1).sum()


def test_a_line_is_drawn_along_from_the_row_before():
    (start, first), (middle, half), (_, whole) = (
        grown("line", growth) for growth in (0.0, 0.5, 1.0)
    )
    assert (first, half, whole) == (["10 m"], ["15 m"], ["20 m"])
    assert (start != middle).any()


@pytest.mark.parametrize("figures", [("−1.2 %", "4 %", "2 %"), ("−8 t", "−2 t", "−5 t")])
@pytest.mark.parametrize("right_to_left", [False, True])
def test_the_axis_of_a_line_with_figures_below_zero_lies_at_zero(figures, right_to_left):
    points, zero = line_chart._place_points(
        tuple((parse_amount(figure),) for figure in figures), (0, 100, 300, 400), right_to_left
    )
    below = [y > zero for _, y in points[0]]
    assert (
        zero is not None
        and 100 <= zero <= 400
        and below == [figure.startswith("−") for figure in figures]
    )


@pytest.mark.parametrize(
    "written, value",
    [
        ("−€29,000", -29_000),
        ("-£3.5", -3.5),
        ("-USD 3", -3),
        ("–kr 20", -20),
        ("− 5 %", -5),
        ("-٥ €", -5),
        ("€-5", -5),
        ("€29,000", 29_000),
        ("- 5 %", 5),
        ("2–", 2),
    ],
)
def test_a_minus_before_a_currency_is_one(written, value):
    """A grant of −€29,000 had a bar as long as a cost, on the same side."""
    assert parse_amount(written) == value


def test_the_axis_of_a_line_without_figures_below_zero_lies_at_the_foot():
    assert line_chart._place_points(((3.0,), (4.0,)), (0, 100, 300, 400), False)[1] is None


@pytest.mark.parametrize(
    "text, half",
    [
        ("71 %", "36 %"),
        ("€1,234.50", "€617.25"),
        ("0.05 °C", "0.02 °C"),
        ("1.234.567", "617.284"),
        ("−40", "−20"),
        ("٨٠", "٤٠"),
        ("24/7", "24/7"),
        ("n/a", "n/a"),
        ("0", "0"),
        ("12 345", "6 172"),
    ],
)
def test_a_figure_counts_up_in_the_form_in_which_it_is_written(text, half):
    assert count_up(text, 0.5) == half
    assert count_up(text, 1.0) == text


@pytest.mark.parametrize(
    "text",
    ("7.30 pm", "7 a.m.", "5 p.\u00a0m.", "18.30 Uhr", "18\u00a0Uhr", "14.15 uur", "10.30 बजे"),
)
def test_a_time_of_day_does_not_count_up(text):
    """It passed 10.98 Uhr on its way, and a meeting at 7 was for a moment at 6."""
    assert count_up(text, 0.6) == text


def test_a_figure_between_two_rows_counts_from_one_to_the_other():
    assert [count_up("30 m", growth, 20) for growth in (0.0, 0.5, 1.0)] == ["20 m", "25 m", "30 m"]


def test_a_chart_of_one_value_and_of_none_but_zero_has_its_bars():
    scene = chart("bars", 2, 1, LABELS, ("0", "0"))
    assert faults(replace(scene, heading=""), SHAPES["portrait"], "news", "light", (-1, 0, 1)) == []


@pytest.mark.parametrize("look", sampled(LOOKS, 3))
@pytest.mark.parametrize("shape", ("portrait", "square", "feed"))
def test_six_bars_are_compared_on_one_picture_of_every_shape(look, shape):
    drawn = studio(chart("bars", 6, 1, LABELS[:1], FIGURES["signed"]), SHAPES[shape], look)
    drawn.drain_texts()
    drawn.picture(0, 5)
    texts = drawn.drain_texts()
    assert (
        sum(text.part == "point" for text in texts)
        == sum(text.part == "number" for text in texts)
        == 6
    )


@pytest.mark.parametrize("kind", ("bars", "line"))
def test_a_unit_stands_left_of_its_figure_where_one_reads_from_right_to_left(kind, monkeypatch):
    placed, place = [], charts.typesetting.place_runs

    def recorded(words, *rest):
        placed.append((words, place(words, *rest)))
        return placed[-1][1]

    monkeypatch.setattr(charts.typesetting, "place_runs", recorded)
    drawn = studio(
        chart(kind, 3, 1, ("طحين",), ("500 غ", "320 غ")), SHAPES["landscape"], language="ar"
    )
    drawn.picture(0, 2)
    figures = [
        {run.word: run.x for run in runs}
        for words, runs in placed
        if len(words) == 2 and words[1] == "غ"
    ]
    assert figures and all(places[0] > places[1] for places in figures)


@pytest.mark.parametrize("right_to_left", (False, True))
def test_flags_cover_no_line_that_they_belong_to(right_to_left):
    rising = [(100.0, 300.0), (300.0, 100.0)]
    line = [(400 - x, y) for x, y in rising] if right_to_left else rising
    span = (100.0, 200.0) if right_to_left else (200.0, 300.0)
    assert (
        max(line_chart._list_heights(line, span)) == 200.0
        and min(line_chart._list_heights(line, span)) == 100.0
    )
    assert line_chart._list_heights(line[-1:], span) == [100.0]


@pytest.mark.parametrize("kind", ("bars", "line"))
def test_the_name_of_the_only_series_is_left_out_where_it_repeats_the_heading(kind):
    def names(series: int, heading: str) -> list[str]:
        drawn = studio(
            replace(chart(kind, 3, series, LABELS, ("10 m", "20 m", "30 m")), heading=heading),
            SHAPES["portrait"],
        )
        drawn.picture(0, 2)
        return [text.text for text in drawn.drain_texts() if text.part == "name"]

    assert (
        names(1, "today ") == []
        and names(1, "Ranges") == ["Today"]
        and names(2, "Today") == ["Today", "A week ago"]
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_no_label_is_hyphenated_that_a_wider_column_holds_whole(shape):
    """It was torn between syllables of one of its parts: "Roombo-terkoekjes"."""
    labels = ("Roomboterkoekjes", "Chocoladekruidnoten", "Speculaas", "Amandelspijs")
    large = replace(SHAPES[shape], width=SHAPES[shape].width * 3, height=SHAPES[shape].height * 3)
    drawn = studio(chart("bars", 4, 1, labels, ("142", "98", "76")), large, "scenes", language="nl")
    drawn.picture(0, 3)
    texts = " ".join(text.text for text in drawn.drain_texts() if text.part == "point")
    assert all(label in texts for label in labels), texts


def test_the_line_that_waits_is_drawn_once_for_all_pictures_of_a_chart():
    scene = chart("line", 5, 2, LABELS, FIGURES["plain"])
    drawing, before = studio(scene, SHAPES["landscape"]), line_chart._draw_line.cache_info()
    for stage, growth in product(range(-1, 5), (0.3, 1.0)):
        drawing.picture(0, stage, growth)
    after = line_chart._draw_line.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (2, 22)
