"""Verse, and other lines that stay as their writer broke them; the line being spoken stands out."""

from dataclasses import replace

from svc.media.colour import Colour
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene
from svc.media.slides import headings, spotlight

_LARGEST = 1.1  # of the heading's size: the largest type
# The sizes of type, in shares of the body's, from which lines are broken: in a wide picture and a
# tall one.
_LEAST, _LEAST_STACKED = 1.0, 1.2
_STEP = 0.95  # from one tried size to the next
_LEADING = 1.36
_TURNED = 1.1  # of the type's size: the indent of what is turned over
_APART = 0.5  # of the type's size: at most so much more between two lines, to fill the picture
_SOURCE = 84  # in 1/1080 of the short side: the room for the source of a verse
_UNLIMITED = 1 << 20  # pixels


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw heading and lines; ``stage``: the line being spoken, or -1."""
    plan, palette = canvas.plan, canvas.palette
    left, _, right, bottom = plan.content
    top = headings.draw_heading(canvas, scene, 0.3)
    below = plan.px(_SOURCE) if scene.sight.note else 0
    blocks = _fit_lines(canvas, scene, right - left, bottom - top - below)
    free = max(0, bottom - top - sum(block.height for block in blocks) - below)
    apart = min(free // len(blocks), round(blocks[0].face.size * _APART)) if blocks else 0
    y = top + (free - apart * (len(blocks) - 1)) // 2
    for number, block in enumerate(blocks):
        ink = (
            palette.ink
            if number == stage
            else palette.spoken
            if number < stage
            else palette.waiting_on_ground
        )
        _draw_line(canvas, block, (left, y, right, bottom), ink)
        y += block.height + apart
    if scene.sight.note:
        spotlight.draw_attribution(canvas, scene.sight.note, (left, y + below // 3, right, bottom))


def _draw_line(canvas: Canvas, block: TextBlock, box: Box, ink: Colour) -> None:
    """Draw a line of verse; what is turned over is indented, so that it is no line of its own."""
    left, top, right, bottom = box
    first, rest = replace(block, lines=block.lines[:1]), replace(block, lines=block.lines[1:])
    canvas.draw_block(first, box, ink, canvas.look.align, "point")
    if rest.lines:
        indent = _measure_indent(canvas, block.face)
        inner = (left, right - indent) if canvas.right_to_left else (left + indent, right)
        below = (inner[0], top + first.height, inner[1], bottom)
        canvas.draw_block(rest, below, ink, canvas.look.align, "point")


def _measure_indent(canvas: Canvas, face: Typeface) -> int:
    """Return by how much what is turned over is indented; in centred verse, not at all."""
    return round(face.size * _TURNED) if canvas.look.align == "start" else 0


def _fit_lines(canvas: Canvas, scene: Scene, width: int, height: int) -> list[TextBlock]:
    """Return the lines in the largest type in which none is broken; else, in small type,
    in which all are seen.
    """
    sizes = canvas.plan.sizes
    face = canvas.make_heading_face(
        round(sizes.heading * _LARGEST), max(500, canvas.look.heading_weight - 180), _LEADING
    )
    size = float(face.size)
    least = round(sizes.body * (_LEAST_STACKED if canvas.plan.stacked else _LEAST))
    while True:
        blocks = [
            _fit_line(canvas, point.text, width, replace(face, size=round(size)))
            for point in scene.points
        ]
        fits = sum(block.height for block in blocks) <= height
        is_whole = all(len(block.lines) == 1 for block in blocks)
        if (fits and (is_whole or size <= least)) or size <= sizes.least:
            return blocks
        size *= _STEP


def _fit_line(canvas: Canvas, text: str, width: int, face: Typeface) -> TextBlock:
    """Return a line of verse, whole if it fits ``width``, or else with room for its indent."""
    whole = typesetting.fit_text(text, width, _UNLIMITED, face, face.size)
    if len(whole.lines) == 1:
        return whole
    room = width - _measure_indent(canvas, face)
    return typesetting.fit_text(text, room, _UNLIMITED, face, face.size, balanced=True)
