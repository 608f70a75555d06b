"""Charts of a table's figures: bars for categories, a line for a sequence; the row being spoken stands out."""

from dataclasses import dataclass

from PIL import Image, ImageDraw

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.colour import Colour, mix
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface, ink_on
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Scene
from svc.media.slides import headings

_OVERSAMPLING = 3  # lines are drawn this many times larger, then reduced, for smooth edges
_LABELS = 0.36  # of the width, for the bars' labels at most
_HEADROOM = 1.34  # of a line's height, for the value above its highest point


def bars(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw a horizontal bar for each row, thinner ones for several series; the value appears when it is spoken.

    Labels are beside the bars in a wide picture, above them in a tall one.
    """
    plan, sight = canvas.plan, scene.sight
    left, _, right, bottom = plan.content
    top = _legend(canvas, scene, headings.heading(canvas, scene, 0.3))
    count, gap, above = len(sight.rows), plan.px(20), plan.height > plan.width
    tall = min((bottom - top - gap * (count - 1)) // count, plan.px(150 if above else 128))
    room = right - left if above else round((right - left) * _LABELS)
    face = _face(canvas, [row[0] for row in sight.rows], room, tall // 2 if above else tall)
    widest = round(max(typesetting.line_width(row[0].split(), face) for row in sight.rows)) + plan.px(24)
    value = round(max(typesetting.line_width(cell.split(), face) for row in sight.rows for cell in row[1:])) + plan.px(34)
    label = 0 if above else min(widest, room)
    lanes = _Lanes(face, label, _Scale.of(sight.values, right - left - label - value))
    for number, row in enumerate(sight.rows):
        y = top + number * (tall + gap)
        _bar(canvas, row, sight.values[number], (left, y, right, y + tall), lanes, number - stage)


def line(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw a line for each series: solid up to the row being spoken, faint beyond."""
    plan, sight, palette = canvas.plan, scene.sight, canvas.palette
    left, _, right, bottom = plan.content
    top = _legend(canvas, scene, headings.heading(canvas, scene, 0.3))
    face = canvas.text_face(max(plan.sizes.least, plan.sizes.label), 600)
    foot = bottom - round(face.line_height * 1.5)
    field = (left + plan.px(16), top + plan.px(10), right - plan.px(16), foot)
    canvas.rule((left, foot, right, foot + plan.px(3)), palette.faint)
    points = _points(sight.values, field, canvas.right_to_left)
    _names(canvas, [row[0] for row in sight.rows], [x for x, _ in points[0]], (left, foot, right, bottom), face, stage)
    for series, line_points in enumerate(points):
        _path(canvas, line_points, _colour(canvas, series), stage)
    shown = min(stage, len(sight.rows) - 1)
    if shown >= 0:
        _values(canvas, sight.rows[shown][1:], [line_points[shown] for line_points in points], field)


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
class _Lanes:
    """``label``: the width for labels beside the bars in pixels; 0: they are above."""

    face: Typeface
    label: int
    scale: _Scale


def _bar(canvas: Canvas, row, values, box: Box, lanes: _Lanes, ahead: int) -> None:
    """Draw the bars of a row. ``ahead``: 0 for the row being spoken, positive for later rows, negative for earlier ones."""
    plan, palette, face = canvas.plan, canvas.palette, lanes.face
    ink = palette.ink if ahead == 0 else palette.spoken if ahead < 0 else palette.waiting
    top = _name(canvas, row[0], box, lanes, ink)
    gap, count = plan.px(4), len(values)
    thick = max(1, min((box[3] - top) // count - gap, plan.px(64)))
    y = (top + box[3] - thick * count - gap * (count - 1)) // 2
    for series, value in enumerate(values):
        lane = _lane(canvas, box, lanes, value)
        colour = _colour(canvas, series) if ahead <= 0 else palette.faint
        surface = Surface(colour, 1.0 if ahead == 0 else 0.62, ink)
        canvas.draw_panel((lane[0], y, lane[1], y + thick), min(thick // 2, plan.px(canvas.look.corner // 2)), surface)
        if ahead <= 0:
            _figure(canvas, row[series + 1], lane, y + thick // 2, face, ink)
        y += thick + gap


def _name(canvas: Canvas, text: str, box: Box, lanes: _Lanes, ink: Colour) -> int:
    """Draw a row's label, and return the top of the space for its bars."""
    left, top, right, bottom = box
    if not lanes.label:
        block = typesetting.fit(text, right - left, lanes.face.line_height, lanes.face, lanes.face.size)
        canvas.block(block, box, ink, part="point")
        return top + lanes.face.line_height
    block = typesetting.fit(text, lanes.label - canvas.plan.px(20), bottom - top, lanes.face, lanes.face.size)
    x, end = canvas.start_edge(box, lanes.label)
    canvas.block(block, (x, (top + bottom - block.height) // 2, end, bottom), ink, part="point")
    return top


def _lane(canvas: Canvas, box: Box, lanes: _Lanes, value: float) -> tuple[int, int]:
    """Return the left and right edge of the bar of ``value``."""
    start, end = sorted((lanes.scale.zero, lanes.scale.zero + value * lanes.scale.unit))
    start, end = round(start), max(round(end), round(start) + canvas.plan.px(4))
    if canvas.right_to_left:
        return box[2] - lanes.label - end, box[2] - lanes.label - start
    return box[0] + lanes.label + start, box[0] + lanes.label + end


def _figure(canvas: Canvas, text: str, lane: tuple[int, int], middle: int, face: Typeface, ink: Colour) -> None:
    words, gap = tuple(text.split()), canvas.plan.px(16)
    wide = typesetting.line_width(words, face)
    x = lane[0] - gap - wide if canvas.right_to_left else lane[1] + gap
    places = typesetting.place(words, face, x, x + wide, "start", right_to_left=False)
    canvas.line(words, places, middle, face, ink, "number")


def _legend(canvas: Canvas, scene: Scene, top: int) -> int:
    """Draw the names of the series with their colours, and return the y below them."""
    plan, names = canvas.plan, scene.sight.columns[1:]
    left, _, right, _ = plan.content
    face = canvas.text_face(max(plan.sizes.least, plan.sizes.label), 600)
    room = (right - left) // len(names) - plan.px(60)
    blocks = [typesetting.fit(name, room, face.line_height, face, face.size) for name in names]
    x = right if canvas.right_to_left else left
    for series, block in enumerate(blocks):
        step = plan.px(44) + round(block.width) + plan.px(36)
        box = (x - step + plan.px(36), top, x, top + face.line_height)
        if not canvas.right_to_left:
            box = (x, top, x + step - plan.px(36), top + face.line_height)
        key, end = canvas.start_edge(box, plan.px(28))
        middle = (box[1] + box[3]) // 2
        canvas.draw_panel((key, middle - plan.px(9), end, middle + plan.px(9)), plan.px(5), _field(canvas, series))
        start, stop = (box[0], end - plan.px(44)) if canvas.right_to_left else (key + plan.px(44), box[2])
        canvas.block(block, (start, top, stop, box[3]), canvas.palette.spoken, part="name")
        x += -step if canvas.right_to_left else step
    return top + face.line_height + plan.px(28)


def _colour(canvas: Canvas, series: int) -> Colour:
    palette = canvas.palette
    if palette.second != palette.solid:
        return (palette.solid, palette.second, palette.spoken)[series % 3]
    return (palette.solid, palette.bright if palette.bright != palette.solid else palette.spoken, palette.spoken)[series % 3]


def _face(canvas: Canvas, labels: list[str], width: int, tall: int) -> Typeface:
    """Return the typeface in the size in which every label fits."""
    plan = canvas.plan
    face = canvas.text_face(plan.sizes.body, canvas.look.body_weight, 1.16)
    least = max(plan.sizes.least, headings.minimum_size(face))
    size = min(typesetting.fit(label, width - plan.px(24), tall, face, least).face.size for label in labels)
    return canvas.text_face(size, canvas.look.body_weight, 1.16)


def _points(values, field: Box, right_to_left: bool) -> list[list[tuple[float, float]]]:
    """Return, for each series, the position of each row in ``field``."""
    left, top, right, bottom = field
    flat = [value for row in values for value in row]
    low, high = min(flat), max(flat)
    low = min(0.0, low) if low < (high - low) * 2 else low - (high - low) * 0.35
    unit = (bottom - top) / ((high - low) * _HEADROOM or 1.0)
    step = (right - left) / max(1, len(values) - 1)
    columns = [right - number * step if right_to_left else left + number * step for number in range(len(values))]
    return [
        [(x, bottom - (row[series] - low) * unit) for x, row in zip(columns, values, strict=True)]
        for series in range(len(values[0]))
    ]


def _path(canvas: Canvas, points: list[tuple[float, float]], colour: Colour, stage: int) -> None:
    """Draw the line up to ``stage`` in ``colour`` and the rest faint, with a dot at each figure that has been spoken."""
    image, plan, palette = canvas.image, canvas.plan, canvas.palette
    pad, thick = plan.px(24), plan.px(9)
    box = (
        max(0, round(min(x for x, _ in points)) - pad),
        max(0, round(min(y for _, y in points)) - pad),
        min(image.width, round(max(x for x, _ in points)) + pad),
        min(image.height, round(max(y for _, y in points)) + pad),
    )
    size = ((box[2] - box[0]) * _OVERSAMPLING, (box[3] - box[1]) * _OVERSAMPLING)
    part = image.crop(box).resize(size, Image.Resampling.NEAREST)
    pen, places = ImageDraw.Draw(part), [((x - box[0]) * _OVERSAMPLING, (y - box[1]) * _OVERSAMPLING) for x, y in points]
    pen.line(places, fill=mix(palette.ground, palette.faint, 0.8), width=thick * _OVERSAMPLING // 2, joint="curve")
    if stage >= 1:
        pen.line(places[: stage + 1], fill=colour, width=thick * _OVERSAMPLING, joint="curve")
    for number, (x, y) in enumerate(places[: stage + 1]):
        radius = _OVERSAMPLING * (thick * 1.7 if number == stage else thick)
        pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=colour)
    image.paste(part.resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.BOX), box[:2])


def _names(canvas: Canvas, labels: list[str], columns: list[float], box: Box, face: Typeface, stage: int) -> None:
    """Draw the rows' labels below the line; if they would overlap, only the spoken one, the first and the last."""
    plan, palette = canvas.plan, canvas.palette
    widths = [typesetting.line_width(label.split(), face) for label in labels]
    step = abs(columns[-1] - columns[0]) / max(1, len(columns) - 1)
    crowded = max(widths) + plan.px(20) > step
    middle = box[1] + round(face.line_height * 0.9)
    occupied: list[tuple[float, float]] = []
    for number in sorted(range(len(labels)), key=lambda index: (index != stage, index not in (0, len(labels) - 1))):
        x = min(max(columns[number] - widths[number] / 2, box[0]), box[2] - widths[number])
        span = (x - plan.px(14), x + widths[number] + plan.px(14))
        if crowded and any(span[0] < end and start < span[1] for start, end in occupied):
            continue
        occupied.append(span)
        words = tuple(labels[number].split())
        places = typesetting.place(words, face, x, x + widths[number], "start", canvas.right_to_left)
        ink = palette.ink if number == stage else palette.spoken if number < stage else palette.waiting
        canvas.line(words, places, middle, face, ink, "point")


def _values(canvas: Canvas, texts, points: list[tuple[float, float]], field: Box) -> None:
    """Draw the figures of the row being spoken: the highest above its dot, the others below."""
    order = sorted(range(len(points)), key=lambda series: points[series][1])
    for place, series in enumerate(order):
        _value(canvas, texts[series], points[series], field, _field(canvas, series), above=place == 0)


def _value(canvas: Canvas, text: str, point: tuple[float, float], field: Box, surface: Surface, above: bool) -> None:
    plan = canvas.plan
    face, words = canvas.text_face(plan.sizes.body, 700), tuple(text.split())
    wide, pad, half = typesetting.line_width(words, face), plan.px(20), round(face.size * 0.68)
    x = min(max(point[0] - wide / 2, field[0] + pad), field[2] - wide - pad)
    distance = plan.px(30) + half
    middle = round(point[1]) - distance if above else round(point[1]) + distance
    middle = min(max(middle, field[1] + half), field[3] - half)
    box = (round(x) - pad, middle - half, round(x + wide) + pad, middle + half)
    canvas.draw_panel(box, plan.px(canvas.look.corner // 2), surface)
    canvas.line(words, typesetting.place(words, face, x, x + wide, "start", False), middle, face, surface.ink, "number")


def _field(canvas: Canvas, series: int) -> Surface:
    colour = _colour(canvas, series)
    return Surface(colour, 1.0, ink_on(colour))
