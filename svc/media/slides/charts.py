"""Bar charts of a table's figures: a row's bars grow and its figures count up while it is spoken.

Each row has a lane for every series, as high as its figure, so that no text can touch another; rows
that do not fit the picture at a legible size are on further pages.
"""

from dataclasses import dataclass
from math import ceil

from svc.media.colour import Colour
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene
from svc.media.slides import headings, legend, paging
from svc.media.slides.counting import count_up

# The most of the width for labels beside the bars, for labels whose long word is whole only then,
# and for figures.
_LABELS, _WHOLE_LABELS, _FIGURES = 0.36, 0.46, 0.4
_LANE = 1.34  # of the type size: the height of one figure with its distance to the next
_LEAST = 0.6  # of the body size: the smallest type, below which rows go on another page
# How much larger type must be so that labels stand beside the bars of a tall picture, which are
# longer above them.
_ROOMIER = 1.25
_STEP = 0.94  # from one tried size to the next
# A width, in pixels, at which a label is measured whole: it is cut only where one row is more than
# a picture.
_UNLIMITED = 1 << 20
_SPREAD = 1.9  # how much higher than necessary a row becomes to fill the picture


@dataclass(frozen=True)
class _Scale:
    """The scale from values to pixels: zero is at ``zero`` pixels, one unit is ``unit`` pixels."""

    zero: float
    unit: float

    @classmethod
    def of(cls, values, room: int) -> "_Scale":
        flat = [value for row in values for value in row]
        low, high = min(0.0, *flat), max(0.0, *flat)
        unit = room / ((high - low) or 1.0)
        return cls(-low * unit, unit)


@dataclass(frozen=True)
class _Rows:
    """The measures of all rows in one type size.

    ``beside``: the width for labels beside the bars; 0: they are above.
    """

    names: tuple[TextBlock, ...]
    figure: Typeface
    beside: int
    scale: _Scale
    above: int  # the height for labels above the bars
    lane: int  # the height for the bar of one series
    height: int
    gap: int  # between two rows


def draw_bars(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw a horizontal bar for each row and series; ``stage``: the row being spoken, or -1.

    Labels are beside the bars in a wide picture, above them in a tall one, unless more rows fit it
    beside them.
    """
    plan = canvas.plan
    left, _, right, bottom = plan.content
    top = legend.draw(canvas, scene, headings.draw_heading(canvas, scene, 0.3))
    rows, pages = _fit_rows(canvas, scene, right - left, bottom - top)
    gap = rows.gap
    most = max(map(len, pages))
    tall = min((bottom - top - gap * (most - 1)) // most, round(rows.height * _SPREAD))
    y = top + (bottom - top - tall * most - gap * (most - 1)) // 2
    for number in paging.find_current_page(pages, stage):
        _draw_row(canvas, scene, number, (left, y, right, y + tall), rows, number - stage)
        y += tall + gap


def _fit_rows(canvas: Canvas, scene: Scene, width: int, height: int) -> tuple[_Rows, list[range]]:
    """Return the measures in the largest size in which the rows fit, and their pages."""
    beside = _arrange_in_manner(canvas, scene, width, height, above=False)
    if not canvas.plan.stacked:
        return beside
    above = _arrange_in_manner(canvas, scene, width, height, above=True)
    worth = [
        (-len(pages), rows.figure.size * share)
        for (rows, pages), share in ((above, _ROOMIER), (beside, 1.0))
    ]
    return above if worth[0] >= worth[1] else beside


def _arrange_in_manner(
    canvas: Canvas, scene: Scene, width: int, height: int, above: bool
) -> tuple[_Rows, list[range]]:
    """Return the measures and pages with labels above the bars, or beside them."""
    plan, count = canvas.plan, len(scene.sight.rows)
    least = max(plan.sizes.least, round(plan.sizes.body * _LEAST))
    rows = _measure_rows(canvas, scene, width, height, least, above)
    gap, pages = rows.gap, paging.split_pages([rows.height] * count, height, rows.gap)
    most, size = max(map(len, pages)), float(plan.sizes.body)
    while size > least:
        tried = _measure_rows(canvas, scene, width, _UNLIMITED, round(size), above)
        if tried.height * most + gap * (most - 1) <= height:
            return tried, pages
        size *= _STEP
    return rows, pages


def _measure_rows(
    canvas: Canvas, scene: Scene, width: int, height: int, size: int, above: bool
) -> _Rows:
    plan, sight = canvas.plan, scene.sight
    face = canvas.make_text_face(size, canvas.look.body_weight, 1.2)
    figure = _choose_figure_face(canvas, scene, round(width * _FIGURES), size)
    lane = max(round(size * _LANE), round(figure.size * _LANE)) + plan.px(3)
    lanes = lane * len(sight.values[0])
    room = width if above else _find_room(scene, width, face)
    tall = max(face.line_height, height - lanes if above else height)
    names = tuple(_fit_name(row[0], room, tall, face, above) for row in sight.rows)
    highest = max(name.height for name in names)
    beside = 0 if above else round(max(name.width for name in names)) + plan.px(24)
    figures = round(
        max(_measure_widest(cell, figure) for row in sight.rows for cell in row[1:])
    ) + plan.px(20)
    scale = _Scale.of(sight.values, width - beside - figures)
    label = highest + plan.px(4) if above else 0
    gap = plan.px(4 if plan.stacked and not above else 14)
    return _Rows(
        names,
        figure,
        beside,
        scale,
        label,
        lane,
        label + lanes if above else max(highest, lanes),
        gap,
    )


def _find_room(scene: Scene, width: int, face: Typeface) -> int:
    """Return the width for labels beside the bars, in which no word is broken if that helps: words
    are hyphenated by syllables, which tears some of several parts ("Roombo-terkoekjes")."""
    words = (word for row in scene.sight.rows for word in typesetting.split_pieces(row[0]))
    widest = max((typesetting.measure_word(word, face) for word in words), default=0.0)
    usual = round(width * _LABELS)
    return max(usual, ceil(widest)) if widest <= width * _WHOLE_LABELS else usual


def _fit_name(text: str, width: int, height: int, face: Typeface, above: bool) -> TextBlock:
    return typesetting.fit_text(text, width, height, face, face.size, balanced=not above)


def _choose_figure_face(canvas: Canvas, scene: Scene, room: int, size: int) -> Typeface:
    """Return the typeface in which the widest figure fits ``room``."""
    face = canvas.make_text_face(size, 700, 1.2)
    widest = max(_measure_widest(cell, face) for row in scene.sight.rows for cell in row[1:])
    return canvas.make_text_face(max(4, int(size * min(1.0, room / max(1.0, widest)))), 700, 1.2)


def _measure_widest(text: str, face: Typeface) -> float:
    """Return the width of ``text`` with whatever digits it counts through."""
    wide = "".join(
        "8" if character.isascii() and character.isdecimal() else character for character in text
    )
    return max(
        typesetting.measure_line(text.split(), face), typesetting.measure_line(wide.split(), face)
    )


def _draw_row(canvas: Canvas, scene: Scene, number: int, box: Box, rows: _Rows, ahead: int) -> None:
    """Draw a row.

    ``ahead``: 0 for the row being spoken, positive for later rows, negative for earlier ones.
    """
    palette = canvas.palette
    ink = palette.ink if ahead == 0 else palette.spoken if ahead < 0 else palette.waiting_on_ground
    values = scene.sight.values[number]
    top = _draw_label(canvas, rows.names[number], box, rows, ink)
    lane = min((box[3] - top) // len(values), round(rows.lane * _SPREAD))
    y = top if rows.above else (top + box[3] - lane * len(values)) // 2
    _draw_axis(canvas, box, rows, (y, y + lane * len(values)))
    for series, value in enumerate(values):
        growth = canvas.growth if ahead == 0 else float(ahead < 0)
        end = _draw_bar(canvas, series, value * growth, (box[0], y, box[2], y + lane), rows, ahead)
        if ahead <= 0:
            _draw_figure(
                canvas,
                count_up(scene.sight.rows[number][series + 1], growth),
                end,
                y + lane // 2,
                rows.figure,
                ink,
            )
        y += lane


def _draw_label(canvas: Canvas, name: TextBlock, box: Box, rows: _Rows, ink: Colour) -> int:
    """Draw a row's label, and return the top of the space for its bars."""
    left, top, right, bottom = box
    if not rows.beside:
        slack = max(0, bottom - top - rows.height) // 4
        canvas.draw_block(
            name,
            (left, top + slack + rows.above - name.height - canvas.plan.px(4), right, bottom),
            ink,
            part="point",
        )
        return top + slack + rows.above
    x, end = canvas.find_start_edge(box, rows.beside - canvas.plan.px(24))
    canvas.draw_block(name, (x, (top + bottom - name.height) // 2, end, bottom), ink, part="point")
    return top


def _draw_axis(canvas: Canvas, box: Box, rows: _Rows, span: tuple[int, int]) -> None:
    """Draw the line at which the bars begin."""
    x = _place_on_scale(canvas, box, rows, rows.scale.zero)
    canvas.draw_rule(
        (x - canvas.plan.px(1), span[0], x + canvas.plan.px(1), span[1]), canvas.palette.faint
    )


def _place_on_scale(canvas: Canvas, box: Box, rows: _Rows, along: float) -> int:
    """Return the x of a position on the scale."""
    return (
        round(box[2] - rows.beside - along)
        if canvas.right_to_left
        else round(box[0] + rows.beside + along)
    )


def _draw_bar(canvas: Canvas, series: int, value: float, lane: Box, rows: _Rows, ahead: int) -> int:
    """Draw the bar of ``value``, and return the x beyond which its figure has room:
    never over a bar below zero.
    """
    plan, scale = canvas.plan, rows.scale
    shortest = plan.px(4)
    first, last = sorted((scale.zero, scale.zero + value * scale.unit))
    ends = sorted(
        _place_on_scale(canvas, lane, rows, along) for along in (first, max(last, first + shortest))
    )
    thick = max(1, min(round((lane[3] - lane[1]) * 0.8), plan.px(72)))
    y = (lane[1] + lane[3] - thick) // 2
    radius = min(thick // 2, (ends[1] - ends[0]) // 2, plan.px(canvas.look.corner // 2))
    now = legend.choose_series_surface(canvas, series)
    surface = (
        now
        if ahead == 0
        else legend.choose_spoken_colour(canvas, series)
        if ahead < 0
        else legend.choose_unspoken_colour(canvas)
    )
    canvas.draw_panel((ends[0], y, ends[1], y + thick), radius, surface)
    return ends[0] if canvas.right_to_left else ends[1]


def _draw_figure(
    canvas: Canvas, text: str, end: int, middle: int, face: Typeface, ink: Colour
) -> None:
    words, gap = tuple(text.split()), canvas.plan.px(16)
    wide = typesetting.measure_line(words, face)
    x = end - gap - wide if canvas.right_to_left else end + gap
    runs = typesetting.place_runs(words, face, x, x + wide, "start", canvas.right_to_left)
    canvas.draw_line(runs, middle, face, ink, "number")
