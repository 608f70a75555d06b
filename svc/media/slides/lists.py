"""The rows of a list: a row's text appears when it is spoken, and the current row stands out."""

from dataclasses import replace

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.slides import headings


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw the heading and the numbered rows; ``stage``: the row being spoken, or -1."""
    plan = canvas.plan
    top = headings.heading(canvas, scene, 0.34)
    left, _, right, bottom = plan.content
    gap, count = plan.px(18), len(scene.points)
    height = (bottom - top - gap * (count - 1)) // count
    blocks = _blocks(canvas, scene, right - left, height)
    heights = [min(height, max(block.height + plan.px(44), plan.px(124))) for block in blocks]
    if not scene.heading:
        top += (bottom - top - sum(heights) - gap * (count - 1)) // 2
    for number, (block, height) in enumerate(zip(blocks, heights, strict=True)):
        _row(canvas, (left, top, right, top + height), number, block, stage)
        top += height + gap


def _blocks(canvas: Canvas, scene: Scene, width: int, height: int) -> list[TextBlock]:
    """Return the points' texts, all in the size that the longest needs."""
    plan = canvas.plan
    room, tall = width - _indent(canvas) - plan.px(32), height - plan.px(20)
    face = canvas.text_face(plan.sizes.body, canvas.look.body_weight, 1.24)
    smallest = headings.minimum_size(face)
    size = min(typesetting.fit(point.text, room, tall, face, smallest).face.size for point in scene.points)
    return [typesetting.fit(point.text, room, tall, replace(face, size=size), size, balanced=True) for point in scene.points]


def _indent(canvas: Canvas) -> int:
    return canvas.plan.px(104 if canvas.look.rows == "rules" else 126)


def _row(canvas: Canvas, box: Box, number: int, block: TextBlock, stage: int) -> None:
    plan, palette = canvas.plan, canvas.palette
    surface = palette.now if number == stage else palette.past if number < stage else palette.ahead
    canvas.draw_panel(box, plan.px(canvas.look.corner), surface)
    if canvas.look.rows == "rules":
        canvas.rule((box[0], box[3] + plan.px(8), box[2], box[3] + plan.px(10)), palette.faint)
    middle = (box[1] + box[3]) // 2
    _BADGES[canvas.look.rows](canvas, box, middle, number, stage)
    if number > stage:
        return
    left, right = box[0] + _indent(canvas), box[2] - plan.px(32)
    if canvas.right_to_left:
        left, right = box[0] + plan.px(32), box[2] - _indent(canvas)
    canvas.block(block, (left, middle - block.height // 2, right, box[3]), surface.ink, part="point")


def _disc(canvas: Canvas, box: Box, middle: int, number: int, stage: int) -> None:
    """Draw the row's number in a disc or a rounded square: filled while it is spoken, bright afterwards, faint before."""
    plan, palette = canvas.plan, canvas.palette
    size = min(plan.px(64), box[3] - box[1] - plan.px(8))
    left, right = canvas.start_edge(box, size, plan.px(30))
    disc = (left, middle - size // 2, right, middle - size // 2 + size)
    radius = size // 2 if canvas.look.rows == "panels" else plan.px(16)
    current = number == stage
    filled, pale = Surface(palette.solid, 1.0, palette.on_solid), Surface(palette.ink, 0.08, palette.ink)
    canvas.draw_panel(disc, radius, filled if current else pale)
    ink = palette.on_solid if current else palette.spoken if number < stage else palette.waiting
    _numeral(canvas, number, (left + right) / 2, middle, max(4, size // 2), 700, ink)


def _bare(canvas: Canvas, box: Box, middle: int, number: int, stage: int) -> None:
    """Draw the row's number in the heading typeface, with a rule beside the row being spoken."""
    plan, palette = canvas.plan, canvas.palette
    left, right = canvas.start_edge(box, plan.px(64), plan.px(14))
    if number == stage:
        edge, end = canvas.start_edge(box, plan.px(6))
        canvas.rule((edge, box[1] + plan.px(12), end, box[3] - plan.px(12)), palette.solid)
    size = min(plan.sizes.body, max(4, (box[3] - box[1]) // 2))
    ink = palette.bright if number <= stage else palette.waiting
    _numeral(canvas, number, (left + right) / 2, middle, size, 700, ink, display=True)


def _numeral(canvas: Canvas, number: int, centre: float, middle: int, size: int, weight: int, ink, display=False) -> None:
    face = canvas.heading_face(size, weight, 1.2) if display else canvas.text_face(size, weight)
    text = (str(number + 1),)
    canvas.line(text, [centre - typesetting.line_width(text, face) / 2], middle, face, ink, "number")


_BADGES = {"panels": _disc, "cards": _disc, "rules": _bare}
