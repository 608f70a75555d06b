"""Line charts of a sequence: the line is drawn along and its figure follows while a
row is spoken.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from PIL import Image, ImageDraw

from svc.media.colour import Colour, mix
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Scene
from svc.media.slides import headings, legend
from svc.media.slides.counting import count_up

Position = tuple[float, float]  # x, y: pixels

_OVERSAMPLING = 3  # lines are drawn this many times larger, then reduced, for smooth edges
# The part of the chart's height that figures have at most, so that the lines keep most of it.
_LOWEST = 9
_THICK, _THICK_ON_SKY = 9, 15  # in 1/1080 of the short side: a line
# The opacities on a sky: of what is beneath all lines together, and of a line that is not spoken
# yet.
_FILL, _WAITING = 0.3, 0.42
_WIDEST = 0.6  # of the chart's width: a figure


def draw_line_chart(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw a line for each series: solid up to the row being spoken, faint beyond."""
    plan, sight, palette = canvas.plan, scene.sight, canvas.palette
    left, _, right, bottom = plan.content
    top = legend.draw(canvas, scene, headings.draw_heading(canvas, scene, 0.3))
    face = _name_face(canvas, scene, (right - left) // 2)
    foot = bottom - round(face.line_height * 1.5)
    figure = _choose_figure_face(
        canvas, scene, round((right - left) * _WIDEST), (foot - top) // _LOWEST
    )
    # above the highest point and below the lowest
    edge = _measure_flag_distance(canvas, figure) + _measure_half_height(figure)
    field = (
        left + plan.px(16),
        top + edge,
        right - plan.px(16),
        foot - (edge if len(sight.columns) > 2 else plan.px(20)),
    )
    points, zero = _place_points(sight.values, field, canvas.right_to_left)
    axis = foot if zero is None else round(zero)
    canvas.draw_rule((left, axis, right, axis + plan.px(3)), palette.faint)
    _draw_names(
        canvas,
        [row[0] for row in sight.rows],
        [x for x, _ in points[0]],
        (left, foot, right, bottom),
        face,
        stage,
    )
    shown = min(stage, len(sight.rows) - 1)
    growth = canvas.growth if shown == stage else 1.0
    tips = [_find_tip(series, shown, growth) for series in points]
    for series, places in enumerate(points):
        if palette.sky and shown >= 1:
            _fill_below(
                canvas,
                [*places[:shown], tips[series]],
                axis,
                legend.choose_series_colour(canvas, series),
                len(points),
            )
    for series, places in enumerate(points):
        _draw_path(
            canvas, places, legend.choose_series_colour(canvas, series), shown, tips[series], growth
        )
    if shown >= 0:
        texts = [_count_up_figure(scene, shown, series, growth) for series in range(len(points))]
        drawn = [[*places[:shown], tip] for places, tip in zip(points, tips, strict=True)]
        _draw_flags(canvas, texts, drawn, (left, top, right, foot - plan.px(4)), figure)


def _count_up_figure(scene: Scene, row: int, series: int, growth: float) -> str:
    """Return the figure on its way from that of the row before."""
    before = scene.sight.values[row - 1][series] if row else 0.0
    return count_up(scene.sight.rows[row][series + 1], growth, before)


def _name_face(canvas: Canvas, scene: Scene, width: int) -> Typeface:
    plan = canvas.plan
    face = canvas.make_text_face(max(plan.sizes.least, plan.sizes.label), 600)
    sizes = (
        typesetting.fit_text(row[0], width, face.line_height, face, plan.sizes.least).face.size
        for row in scene.sight.rows
    )
    return canvas.make_text_face(min(sizes), 600)


def _choose_figure_face(canvas: Canvas, scene: Scene, width: int, height: int) -> Typeface:
    sizes = canvas.plan.sizes
    face = canvas.make_text_face(max(sizes.least, min(sizes.body, height)), 700)
    widest = max(
        typesetting.measure_line(cell.split(), face) for row in scene.sight.rows for cell in row[1:]
    )
    return canvas.make_text_face(max(4, int(face.size * min(1.0, width / max(1.0, widest)))), 700)


def _place_points(
    values, field: Box, right_to_left: bool
) -> tuple[list[list[Position]], float | None]:
    """Return, for each series, the position of each row in ``field``; and the y of zero,
    if a figure is below zero.
    """
    left, top, right, bottom = field
    flat = [value for row in values for value in row]
    low, high = min(flat), max(0.0, *flat) if min(flat) < 0 else max(flat)
    low = min(0.0, low) if low < (high - low) * 2 else low - (high - low) * 0.35
    unit = (bottom - top) / ((high - low) or 1.0)
    step = (right - left) / max(1, len(values) - 1)
    columns = [
        right - number * step if right_to_left else left + number * step
        for number in range(len(values))
    ]
    points = [
        [(x, bottom - (row[series] - low) * unit) for x, row in zip(columns, values, strict=True)]
        for series in range(len(values[0]))
    ]
    return points, bottom + low * unit if min(flat) < 0 else None


def _find_tip(points: list[Position], shown: int, growth: float) -> Position:
    """Return how far the line has been drawn."""
    if shown < 1:
        return points[0]
    (x, y), (to_x, to_y) = points[shown - 1], points[shown]
    return x + (to_x - x) * growth, y + (to_y - y) * growth


def _fill_below(
    canvas: Canvas, points: list[Position], axis: int, colour: Colour, count: int
) -> None:
    """Fill what is between the line and its axis with ``colour``,
    the thinner the more lines there are.
    """
    edges = [*(y for _, y in points), float(axis)]
    box = (
        round(min(x for x, _ in points)),
        round(min(edges)),
        round(max(x for x, _ in points)),
        round(max(edges)),
    )
    if box[2] - box[0] < 2 or box[3] - box[1] < 2:
        return
    outline = [(points[0][0], axis), *points, (points[-1][0], axis)]
    with _open_pen(canvas.image, box, colour) as pen:
        pen.polygon(_enlarge(outline, box), fill=round(_FILL * 255 / count))


def _draw_path(
    canvas: Canvas, points: list[Position], colour: Colour, shown: int, tip: Position, growth: float
) -> None:
    """Draw the line up to ``tip`` in ``colour`` and the rest faint,
    with a dot at each figure that has been spoken.
    """
    plan, palette = canvas.plan, canvas.palette
    pad, thick = plan.px(28), plan.px(_THICK_ON_SKY if palette.sky else _THICK) * _OVERSAMPLING
    waiting, opacity = (
        (palette.ink, _WAITING) if palette.sky else (mix(palette.ground, palette.faint, 0.8), 1.0)
    )
    box = _surround(points, pad, canvas.image)
    line = _draw_line(tuple(_enlarge(points, box)), _size(box), thick // 2, round(255 * opacity))
    canvas.image.paste(waiting, box[:2], line)
    if shown < 0:
        return
    spoken = [*points[:shown], tip]
    box = _surround(spoken, pad, canvas.image)
    *places, end = _enlarge(spoken, box)
    with _open_pen(canvas.image, box, colour) as pen:
        if shown >= 1:
            pen.line([*places, end], fill=255, width=thick, joint="curve")
        for x, y in places:
            _draw_dot(pen, x, y, thick)
        _draw_dot(pen, *end, thick * (1.7 if shown else 1.7 * growth))


def _surround(points: list[Position], pad: int, image: Image.Image) -> Box:
    """Return the box around ``points`` and ``pad`` pixels more, within the image."""
    return (
        max(0, round(min(x for x, _ in points)) - pad),
        max(0, round(min(y for _, y in points)) - pad),
        min(image.width, round(max(x for x, _ in points)) + pad),
        min(image.height, round(max(y for _, y in points)) + pad),
    )


def _enlarge(points: list[Position], box: Box) -> list[Position]:
    """Return the places of ``points`` on what :func:`_open_pen` draws of ``box``."""
    return [((x - box[0]) * _OVERSAMPLING, (y - box[1]) * _OVERSAMPLING) for x, y in points]


def _size(box: Box) -> tuple[int, int]:
    return box[2] - box[0], box[3] - box[1]


@lru_cache(maxsize=8)  # the same in each picture of a chart, of which some have several lines
def _draw_line(
    places: tuple[Position, ...], size: tuple[int, int], width: int, level: int
) -> Image.Image:
    """Return the mask of a line, of ``size`` pixels."""
    mask = Image.new("L", (size[0] * _OVERSAMPLING, size[1] * _OVERSAMPLING))
    ImageDraw.Draw(mask).line(places, fill=level, width=width, joint="curve")
    return mask.reduce(_OVERSAMPLING)


@contextmanager
def _open_pen(image: Image.Image, box: Box, colour: Colour) -> Iterator[ImageDraw.ImageDraw]:
    """Yield a pen for what is to be painted in ``colour`` on a box of the image,
    :data:`_OVERSAMPLING` times as large.
    """
    width, height = _size(box)
    mask = Image.new("L", (width * _OVERSAMPLING, height * _OVERSAMPLING))
    yield ImageDraw.Draw(mask)
    image.paste(colour, box[:2], mask.reduce(_OVERSAMPLING))


def _draw_dot(pen: ImageDraw.ImageDraw, x: float, y: float, radius: float) -> None:
    pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=255)


def _draw_names(
    canvas: Canvas, labels: list[str], columns: list[float], box: Box, face: Typeface, stage: int
) -> None:
    """Draw the rows' labels below the line; if they would overlap, only the spoken one,
    the first and the last.
    """
    plan, palette = canvas.plan, canvas.palette
    blocks = [
        typesetting.fit_text(label, (box[2] - box[0]) // 2, face.line_height, face, face.size)
        for label in labels
    ]
    widths = [block.width for block in blocks]
    middle = box[1] + round(face.line_height * 0.9)
    occupied: list[tuple[float, float]] = []
    for number in sorted(
        range(len(labels)),
        key=lambda index: (index != stage, index not in (0, len(labels) - 1), index),
    ):
        x = min(max(columns[number] - widths[number] / 2, box[0]), box[2] - widths[number])
        span = (x - plan.px(12), x + widths[number] + plan.px(12))
        if any(span[0] < end and start < span[1] for start, end in occupied):
            continue
        occupied.append(span)
        words = blocks[number].lines[0] if blocks[number].lines else ()
        runs = typesetting.place_runs(
            words, face, x, x + widths[number], "start", canvas.right_to_left
        )
        ink = (
            palette.ink
            if number == stage
            else palette.spoken
            if number < stage
            else palette.waiting_on_ground
        )
        canvas.draw_line(runs, middle, face, ink, "point")


def _measure_half_height(face: Typeface) -> int:
    """Return half the height of a flag."""
    return round(face.size * 0.68)


def _measure_flag_distance(canvas: Canvas, face: Typeface) -> int:
    """Return how far the middle of a flag is from its dot."""
    return canvas.plan.px(26) + _measure_half_height(face)


def _draw_flags(
    canvas: Canvas, texts: list[str], lines: list[list[Position]], field: Box, face: Typeface
) -> None:
    """Draw the figures of the row being spoken at the ends of ``lines``: the highest above its
    line, the others below theirs, and none over another."""
    tips = [line[-1] for line in lines]
    order = sorted(range(len(tips)), key=lambda series: tips[series][1])
    distance, half = _measure_flag_distance(canvas, face), _measure_half_height(face)
    step = 2 * half + canvas.plan.px(8)
    spans = [
        _find_flag_span(canvas, text, tip[0], field, face)
        for text, tip in zip(texts, tips, strict=True)
    ]
    middles = [min(_list_heights(lines[order[0]], spans[order[0]])) - distance]
    middles += [max(_list_heights(lines[series], spans[series])) + distance for series in order[1:]]
    middles[0] = max(middles[0], field[1] + half)
    for place in range(1, len(middles)):
        middles[place] = max(middles[place], middles[place - 1] + step)
    lowest: float = field[3] - half
    for place in reversed(range(len(middles))):
        middles[place] = min(middles[place], lowest)
        lowest = middles[place] - step
    for series, middle in zip(order, middles, strict=True):
        _draw_flag(canvas, texts[series], series, (tips[series][0], middle), field, face)


def _list_heights(line: list[Position], span: tuple[float, float]) -> list[float]:
    """Return the y of the last stretch of ``line`` at its tip and at the edges of ``span``
    that it crosses.
    """
    (x, y), (to_x, to_y) = line[-2] if len(line) > 1 else line[-1], line[-1]
    crossed = [edge for edge in span if min(x, to_x) < edge < max(x, to_x)]
    return [to_y, *(y + (to_y - y) * (edge - x) / (to_x - x) for edge in crossed)]


def _find_flag_span(
    canvas: Canvas, text: str, at: float, field: Box, face: Typeface
) -> tuple[float, float]:
    """Return the left and right edges of a figure's flag at x ``at``."""
    wide, pad = typesetting.measure_line(tuple(text.split()), face), canvas.plan.px(20)
    x = min(max(at - wide / 2, field[0] + pad), field[2] - wide - pad)
    return x - pad, x + wide + pad


def _draw_flag(
    canvas: Canvas, text: str, series: int, at: Position, field: Box, face: Typeface
) -> None:
    plan, words, half = canvas.plan, tuple(text.split()), _measure_half_height(face)
    left, right = _find_flag_span(canvas, text, at[0], field, face)
    pad = plan.px(20)
    surface = legend.choose_series_surface(canvas, series)
    x, wide, middle = left + pad, right - left - 2 * pad, round(at[1])
    box = (round(x) - pad, middle - half, round(x + wide) + pad, middle + half)
    canvas.draw_panel(box, min(half, plan.px(canvas.look.corner // 2)), surface)
    canvas.draw_line(
        typesetting.place_runs(words, face, x, x + wide, "start", canvas.right_to_left),
        middle,
        face,
        surface.ink,
        "number",
    )
