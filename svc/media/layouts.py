"""What each layout of a scene shows in the content box: title, points, prose and close."""

from svc.media import prose, typesetting
from svc.media.canvas import SPOKEN, WAITING, Canvas, panel
from svc.media.colour import WHITE, legible
from svc.media.composition import Box, Composition
from svc.media.programme import Scene
from svc.media.typesetting import Face

NOTHING_YET = -1  # the stage of a scene of which no point or sentence has been spoken
_ROW_NOW, _ROW_PAST, _ROW_WAITING = 0.12, 0.045, 0.025  # of white in a list's rows
_LEAST_SHARE = 0.55  # of its size that a text may shrink to before it is cut


def stages(scene: Scene) -> tuple[int, ...]:
    """The word at which each stage of ``scene`` begins: a point of a list, a sentence of prose."""
    if scene.points or scene.layout in ("title", "close"):
        return tuple(point.first_word for point in scene.points)
    return prose.sentence_starts(scene)


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw ``scene`` into the content box as it is at ``stage`` (an index into :func:`stages`, or ``NOTHING_YET``)."""
    if scene.points:
        _list(canvas, scene, stage)
    elif scene.layout in ("title", "close"):
        _statement(canvas, scene)
    else:
        top = _heading(canvas, scene, 0.4)
        left, _, right, bottom = canvas.plan.content
        prose.draw(canvas, scene, stage, (left, top, right, bottom))


def _statement(canvas: Canvas, scene: Scene) -> None:
    """A title or a last word: one large text, centred in height, under a short bar."""
    if not scene.heading:
        return
    plan = canvas.plan
    left, top, right, bottom = plan.content
    bar = plan.px(60)
    face = Face(plan.sizes.title, 750, 1.08)
    block = typesetting.fit(scene.heading, right - left, bottom - top - bar, face, _least(face), balanced=True)
    start = top + (bottom - top - block.height - bar) // 2
    _bar(canvas, start)
    box = (left, start + bar, right, bottom)
    typesetting.draw_block(canvas.pen, block, box, WHITE, right_to_left=canvas.right_to_left)


def _bar(canvas: Canvas, top: int) -> None:
    plan = canvas.plan
    left, right = plan.content[0], plan.content[2]
    length, thick = plan.px(104), plan.px(10)
    x = right - length if canvas.right_to_left else left
    panel(canvas.image, (x, top, x + length, top + thick), thick // 2, canvas.solid, 1.0)


def _heading(canvas: Canvas, scene: Scene, share: float) -> int:
    """Draw the heading over at most ``share`` of the content's height; the y below it."""
    plan = canvas.plan
    if not scene.heading:
        return plan.content[1]
    left, top, right, bottom = plan.content
    face = Face(plan.sizes.heading, 720, 1.14)
    most = round((bottom - top) * share)
    block = typesetting.fit(scene.heading, right - left, most, face, _least(face), balanced=True)
    typesetting.draw_block(canvas.pen, block, plan.content, WHITE, right_to_left=canvas.right_to_left)
    return top + block.height + plan.px(40)


def _list(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Numbered rows; a row's text comes when it is spoken, and the current one stands out."""
    plan = canvas.plan
    top = _heading(canvas, scene, 0.34)
    left, _, right, bottom = plan.content
    gap, count = plan.px(18), len(scene.points)
    each = (bottom - top - gap * (count - 1)) // count
    blocks = _row_blocks(canvas, scene, right - left, each)
    heights = [min(each, max(block.height + plan.px(44), plan.px(124))) for block in blocks]
    if not scene.heading:
        top += (bottom - top - sum(heights) - gap * (count - 1)) // 2
    for number, (block, height) in enumerate(zip(blocks, heights, strict=True)):
        _row(canvas, (left, top, right, top + height), number, block, stage)
        top += height + gap


def _row_blocks(canvas: Canvas, scene: Scene, width: int, height: int) -> list[typesetting.Block]:
    """The points' texts, all in the size that the longest needs."""
    plan = canvas.plan
    room, tall = width - _indent(plan) - plan.px(32), height - plan.px(20)
    face = Face(plan.sizes.body, 520, 1.24)
    least = _least(face)
    size = min(typesetting.fit(point.text, room, tall, face, least).face.size for point in scene.points)
    face = Face(size, face.weight, face.leading)
    return [typesetting.fit(point.text, room, tall, face, size, balanced=True) for point in scene.points]


def _least(face: Face) -> int:
    return max(1, round(face.size * _LEAST_SHARE))


def _indent(plan: Composition) -> int:
    return plan.px(126)


def _row(canvas: Canvas, box: Box, number: int, block: typesetting.Block, stage: int) -> None:
    plan = canvas.plan
    current, shown = number == stage, number <= stage
    panel(canvas.image, box, plan.px(22), WHITE, _ROW_NOW if current else _ROW_PAST if shown else _ROW_WAITING)
    middle = (box[1] + box[3]) // 2
    _badge(canvas, box, middle, number, current, shown)
    if not shown:
        return
    left, right = box[0] + _indent(plan), box[2] - plan.px(32)
    if canvas.right_to_left:
        left, right = box[0] + plan.px(32), box[2] - _indent(plan)
    where = (left, middle - block.height // 2, right, box[3])
    typesetting.draw_block(canvas.pen, block, where, WHITE if current else SPOKEN, right_to_left=canvas.right_to_left)


def _badge(canvas: Canvas, box: Box, middle: int, number: int, current: bool, shown: bool) -> None:
    """The row's number in a disc: filled while it is spoken, bright afterwards, faint before."""
    plan = canvas.plan
    size = min(plan.px(64), box[3] - box[1] - plan.px(8))
    left = box[2] - plan.px(30) - size if canvas.right_to_left else box[0] + plan.px(30)
    disc = (left, middle - size // 2, left + size, middle - size // 2 + size)
    panel(canvas.image, disc, size // 2, canvas.solid if current else WHITE, 1.0 if current else 0.08)
    ink = legible(WHITE, canvas.solid, 3.0) if current else canvas.bright if shown else WAITING
    face = Face(max(4, size // 2), 700)
    text = str(number + 1)
    x = left + (size - typesetting.line_width((text,), face)) / 2
    typesetting.draw_word(canvas.pen, text, x, middle, face, ink)
