"""Titles and headings: the largest text of a scene, in the style of each look."""

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.colour import Colour
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene

MIN_SCALE = 0.55  # of its size, to which a text may shrink before it is cut
_TITLE_LEADING = {"bar": 1.12, "blocks": 1.3, "masthead": 1.18}


def statement(canvas: Canvas, text: str, box: Box) -> tuple[int, int]:
    """Draw one large text, centred vertically in ``box``, and return the top and the bottom of what was drawn."""
    plan, look = canvas.plan, canvas.look
    left, top, right, bottom = box
    ornament, inset = plan.px(60), plan.px(26) if look.statement == "blocks" else 0
    face = canvas.heading_face(plan.sizes.title, look.title_weight, _TITLE_LEADING[look.statement])
    foot = {"bar": 0, "blocks": 0, "masthead": plan.px(36)}[look.statement]
    head = 0 if look.statement == "blocks" else ornament
    block = typesetting.fit(text, right - left - 2 * inset, bottom - top - head - foot, face, minimum_size(face), balanced=True)
    start = top + max(0, (bottom - top - block.height - head - foot) // 2)
    if look.statement == "blocks":
        _blocks(canvas, block, (left, start, right, bottom), inset)
        return start, start + block.height
    end = start + head + block.height + foot
    if look.statement == "bar":
        bar(canvas, start, box=box)
    else:
        _masthead(canvas, start, end, box)
    canvas.block(block, (left, start + head, right, bottom), canvas.palette.ink, part="title")
    return start, end


def heading(canvas: Canvas, scene: Scene, share: float) -> int:
    """Draw the heading over at most ``share`` of the content's height, and return the y below it."""
    plan, look = canvas.plan, canvas.look
    if not scene.heading:
        return plan.content[1]
    left, top, right, bottom = plan.content
    face = canvas.heading_face(plan.sizes.heading, look.heading_weight, 1.18)
    block = typesetting.fit(scene.heading, right - left, round((bottom - top) * share), face, minimum_size(face), balanced=True)
    if look.statement == "masthead":
        bar(canvas, top)
        top += plan.px(34)
    canvas.block(block, (left, top, right, bottom), canvas.palette.ink, part="heading")
    return top + block.height + plan.px(36)


def bar(canvas: Canvas, top: int, colour: Colour | None = None, box: Box | None = None) -> None:
    """Draw a short, thick line at the side of ``box`` (else of the content) where reading begins."""
    plan = canvas.plan
    thick = plan.px(10)
    left, right = canvas.start_edge(box or plan.content, plan.px(104))
    surface = Surface(colour or canvas.palette.solid, 1.0, canvas.palette.on_solid)
    canvas.draw_panel((left, top, right, top + thick), thick // 2 if canvas.look.corner > 8 else 0, surface)


def minimum_size(face: Typeface) -> int:
    """Return the minimum size of ``face`` in pixels."""
    return max(1, round(face.size * MIN_SCALE))


def _masthead(canvas: Canvas, top: int, bottom: int, box: Box) -> None:
    """Draw lines above and below the title, as around a newspaper's name."""
    plan = canvas.plan
    left, _, right, _ = box
    canvas.rule((left, top, right, top + plan.px(2)), canvas.palette.faint)
    canvas.rule((left, bottom, right, bottom + plan.px(2)), canvas.palette.faint)
    bar(canvas, top, box=box)


def _blocks(canvas: Canvas, block: TextBlock, box, inset: int) -> None:
    """Draw each line of the title on a block of the brand's colour."""
    face, palette = block.face, canvas.palette
    left, top, right, _ = box
    for number, line in enumerate(block.lines):
        y = top + number * face.line_height
        wide = round(typesetting.line_width(line, face)) + 2 * inset
        x, end = canvas.start_edge((left, y, right, y), wide)
        surface = Surface(palette.solid, 1.0, palette.on_solid)
        canvas.draw_panel((x, y, end, y + face.line_height + canvas.plan.px(2)), canvas.plan.px(14), surface)
    for number, line in enumerate(block.lines):
        middle = top + (number + 0.5) * face.line_height
        places = typesetting.place(line, face, left + inset, right - inset, "start", canvas.right_to_left)
        canvas.line(line, places, middle, face, palette.on_solid, "title")
