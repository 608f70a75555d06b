"""The rows of a list: they fill the picture, muted until they are spoken,
and the current row stands out.
"""

from dataclasses import replace

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Point, Scene
from svc.media.slides import headings, list_marks, paging
from svc.media.text.line_breaks import GLUE

_LARGEST, _STEP = 1.22, 0.95  # of the body size: the largest type; from one tried size to the next
# The smallest type of a list that is not on several pages, in 1/1080 of the short side: in a tall
# and in a wide picture.
_LEAST_STACKED, _LEAST = 44, 36
_SPREAD = 1.7  # how much higher than necessary a row becomes to fill the picture
_PAD = 28  # in 1/1080 of the short side: least space above and below a row's text, together
# A width, in pixels, at which a text is measured whole: it is cut only where one row is more than a
# picture.
_UNLIMITED = 1 << 20
_LEVEL = 60  # in 1/1080 of the short side: the indent of a nested list


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw the heading and the rows; ``stage``: the row being spoken, or -1."""
    left, _, right, bottom = canvas.plan.content
    draw_rows(
        canvas, scene, stage, (left, headings.draw_heading(canvas, scene, 0.34), right, bottom)
    )


def draw_rows(canvas: Canvas, scene: Scene, stage: int, box: Box) -> None:
    """Draw the rows into ``box``, likewise."""
    left, top, right, bottom = box
    gap = canvas.plan.px(18)
    blocks, pages = _fit_points(canvas, scene, right - left, bottom - top, gap)
    page = paging.find_current_page(pages, stage)
    heights = paging.spread_heights(
        [_measure_height(canvas, block) for block in blocks[page.start : page.stop]],
        bottom - top,
        gap,
        _SPREAD,
    )
    top += (bottom - top - sum(heights) - gap * (len(page) - 1)) // 2
    for number, height in zip(page, heights, strict=True):
        _draw_row(canvas, scene, (left, top, right, top + height), number, blocks[number], stage)
        top += height + gap


def _fit_points(
    canvas: Canvas, scene: Scene, width: int, height: int, gap: int
) -> tuple[list[TextBlock], list[range]]:
    """Return the points' texts in the largest size in which they fit, and their pages; contacts in
    that in which addresses are broken least.
    """
    plan, may_break = canvas.plan, scene.sight.kind != "contact"
    fitting: list[list[TextBlock]] = []
    least = max(plan.sizes.least, plan.px(_LEAST_STACKED if plan.stacked else _LEAST))
    blocks = _fit_texts(canvas, scene, width, height, least)
    pages = paging.split_pages([_measure_height(canvas, block) for block in blocks], height, gap)
    size = plan.sizes.body * _LARGEST
    while size > least:
        tried = _fit_texts(canvas, scene, width, _UNLIMITED, round(size))
        heights = [_measure_height(canvas, block) for block in tried]
        if all(paging.sum_heights(heights, rows, gap) <= height for rows in pages):
            fitting.append(tried)
            if may_break or not _count_breaks(tried):
                break
        size *= _STEP
    return min(fitting, key=_count_breaks, default=blocks), pages


def _count_breaks(blocks: list[TextBlock]) -> int:
    """Return how many lines go on with a part of the word that ended the one before."""
    return sum(line[0].startswith(GLUE) for block in blocks for line in block.lines[1:])


def _fit_texts(canvas: Canvas, scene: Scene, width: int, height: int, size: int) -> list[TextBlock]:
    face = canvas.make_text_face(size, canvas.look.body_weight, 1.24)
    pad = canvas.plan.px(_PAD)
    blocks = []
    for point in scene.points:
        room = width - _measure_indent(canvas, scene, point) - canvas.plan.px(32)
        block = typesetting.fit_text(
            list_marks.strip_own_sign(point), room, height - pad, face, size, balanced=True
        )
        blocks.append(replace(block, face=face))
    return blocks


def _measure_height(canvas: Canvas, block: TextBlock) -> int:
    return block.height + canvas.plan.px(_PAD)


def _measure_indent(canvas: Canvas, scene: Scene, point: Point) -> int:
    """Return the space before the text of ``point``: its level, and the marks of all points."""
    marks = list_marks.indent(canvas, scene.points)
    return canvas.plan.px(marks + _LEVEL * max(0, point.level))


def _draw_row(
    canvas: Canvas, scene: Scene, box: Box, number: int, block: TextBlock, stage: int
) -> None:
    plan, palette, point = canvas.plan, canvas.palette, scene.points[number]
    surface = palette.now if number == stage else palette.past if number < stage else palette.ahead
    indent, level = _measure_indent(canvas, scene, point), plan.px(_LEVEL) * max(0, point.level)
    box = (
        (box[0], box[1], box[2] - level, box[3])
        if canvas.right_to_left
        else (box[0] + level, box[1], box[2], box[3])
    )
    canvas.draw_panel(box, min(plan.px(canvas.look.corner), (box[3] - box[1]) // 2), surface)
    if canvas.look.rows == "rules":
        canvas.draw_rule((box[0], box[3] + plan.px(8), box[2], box[3] + plan.px(10)), palette.faint)
        draw_edge(canvas, box, number == stage)
    middle = (box[1] + box[3]) // 2
    start, end = canvas.find_start_edge(box, indent - level)
    list_marks.draw(
        canvas, (start, middle - plan.px(32), end, middle + plan.px(32)), point, number - stage
    )
    left, right = box[0] + indent - level, box[2] - plan.px(32)
    if canvas.right_to_left:
        left, right = box[0] + plan.px(32), box[2] - indent + level
    canvas.draw_block(
        block, (left, middle - block.height // 2, right, box[3]), surface.ink, part="point"
    )


def draw_edge(canvas: Canvas, box: Box, current: bool) -> None:
    """Draw a rule beside the row being spoken, where reading begins."""
    if current:
        left, right = canvas.find_start_edge(box, canvas.plan.px(6))
        surface = Surface(canvas.palette.solid, 1.0, canvas.palette.on_solid)
        canvas.draw_rule(
            (left, box[1] + canvas.plan.px(12), right, box[3] - canvas.plan.px(12)), surface.colour
        )
