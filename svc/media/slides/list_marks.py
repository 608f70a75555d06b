"""What stands before a point: its number, the box of a task, both for a numbered task, a line icon,
the writer's emoji, or a plain mark.
"""

from collections.abc import Collection

from PIL import Image, ImageDraw

from svc.media.artwork import draw as pictures
from svc.media.artwork import emoji
from svc.media.colour import Colour, make_legible, mix, to_hex
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.model import Point

_OVERSAMPLING = 4  # ticks are drawn this many times larger, then reduced, for smooth edges
# The labels of tasks, and whether they are done.
_TASKS = {"☐": False, "☑": True, "☒": True, "✅": True, "✓": True, "✔": True}
_REASONS = ("+", "−")  # the labels of what is for something, and against it
# The side of an icon in 1/1080 of the short side, and its contrast (WCAG 2.2, 1.4.11).
_ICON, _VISIBLE = 60, 3.0
_EMOJI = 56  # in 1/1080 of the short side: the type size of an emoji that is a mark
# The room for the number of a task, and before it, in 1/1080 of the short side.
_NUMBER, _GAP = 64, 14


def draw(canvas: Canvas, box: Box, point: Point, ahead: int) -> None:
    """Draw the mark of ``point`` in the middle of ``box``; ``ahead``: 0 for the point being spoken,
    positive for later ones.
    """
    number, sign = _split_label(point.label)
    if own := find_own_sign(point):
        size = canvas.plan.px(_EMOJI)
        emoji.Sprite(own, size).paste(
            canvas.image, (box[0] + box[2] - size * emoji.WIDTH) / 2, (box[1] + box[3]) / 2
        )
    elif sign:
        side = _find_text_box(canvas, box) if number else box
        _draw_task(canvas, _centre_square(canvas, side, 46), _TASKS[sign], ahead)
        if number:
            _draw_number(
                canvas,
                number,
                _number_box(canvas, box),
                _choose_surface(canvas, ahead).ink,
                display=True,
            )
    elif point.icon:
        _draw_icon(canvas, point.icon, _centre_square(canvas, box, _ICON), ahead)
    elif not point.label:
        _draw_plain(canvas, _centre_square(canvas, box, 22), ahead)
    elif canvas.look.rows in ("rules", "tiles"):
        _draw_number(
            canvas,
            point.label,
            box,
            canvas.palette.waiting if ahead > 0 else canvas.palette.bright,
            True,
        )
    else:
        _draw_badge(canvas, point.label, _centre_square(canvas, box, 64), ahead)


def find_own_sign(point: Point) -> str:
    """Return the name of the picture of the emoji that the writer set before ``point`` as its mark;
    empty if there is none.
    """
    return "" if point.label else emoji.split_leading(point.text)[0]


def strip_own_sign(point: Point) -> str:
    """Return the text of ``point`` without the emoji that is its mark."""
    return emoji.split_leading(point.text)[1] if find_own_sign(point) else point.text


def indent(canvas: Canvas, points: Collection[Point]) -> int:
    """Return the space before the points of a list that its marks need,
    in 1/1080 of the short side.
    """
    ruled = canvas.look.rows == "rules"
    wide = any(point.label or point.icon or find_own_sign(point) for point in points)
    mark = (104 if ruled else 126) if wide else (64 if ruled else 92)
    return mark + (_NUMBER if any(all(_split_label(point.label)) for point in points) else 0)


def _choose_surface(canvas: Canvas, ahead: int) -> Surface:
    """Return what a row is drawn on: while it is spoken, afterwards, or before."""
    palette = canvas.palette
    return palette.now if ahead == 0 else palette.past if ahead < 0 else palette.ahead


def _split_label(label: str) -> tuple[str, str]:
    """Return the number and the box of ``label``; each is empty if there is none."""
    number, _, sign = label.rpartition(" ")
    return (number, sign) if sign in _TASKS else (label, "")


def _number_box(canvas: Canvas, box: Box) -> Box:
    """Return the part of ``box`` for the number of a task, at the side where reading begins."""
    gap = canvas.plan.px(_GAP)
    left, right = canvas.find_start_edge(box, canvas.plan.px(_NUMBER), gap)
    return left, box[1], right, box[3]


def _find_text_box(canvas: Canvas, box: Box) -> Box:
    """Return the part of ``box`` after :func:`_number_box`."""
    width = box[2] - box[0] - canvas.plan.px(_NUMBER)
    left, right = canvas.find_start_edge(box, width, canvas.plan.px(_NUMBER))
    return left, box[1], right, box[3]


def _centre_square(canvas: Canvas, box: Box, size: float) -> Box:
    """Return a square of ``size`` (1/1080 of the short side) in the middle of ``box``."""
    side = min(canvas.plan.px(size), box[2] - box[0], box[3] - box[1])
    left, top = (box[0] + box[2] - side) // 2, (box[1] + box[3] - side) // 2
    return left, top, left + side, top + side


def _draw_plain(canvas: Canvas, box: Box, ahead: int) -> None:
    palette = canvas.palette
    square = canvas.look.corner and canvas.plan.px(4)
    radius = (box[2] - box[0]) // 2 if canvas.look.rows in ("panels", "tiles") else square
    canvas.draw_panel(box, radius, Surface(_choose_colour(canvas, ahead), 1.0, palette.on_solid))


def _draw_icon(canvas: Canvas, name: str, box: Box, ahead: int) -> None:
    """Draw a line icon in the account's colour, muted until its point is spoken."""
    surface = _choose_surface(canvas, ahead)
    behind = mix(canvas.palette.ground, surface.colour, surface.opacity)
    colour = make_legible(_choose_colour(canvas, ahead), behind, _VISIBLE)
    picture = pictures.draw_picture(name, box[2] - box[0], to_hex(colour))
    canvas.image.paste(picture, box[:2], picture)


def _choose_colour(canvas: Canvas, ahead: int) -> Colour:
    """Return the colour of a mark; on a card in a strong colour it is that of the text."""
    palette = canvas.palette
    if ahead == 0 and (palette.now.edge or palette.sky):
        return palette.now.ink
    return palette.solid if ahead <= 0 else palette.waiting


def _draw_badge(canvas: Canvas, label: str, box: Box, ahead: int) -> None:
    """Draw a disc or a rounded square: filled while its row is spoken,
    bright afterwards, faint before.
    """
    palette = canvas.palette
    radius = (box[2] - box[0]) // 2 if canvas.look.rows == "panels" else canvas.plan.px(16)
    filled = Surface(palette.solid, 1.0, palette.on_solid)
    pale = Surface(palette.ink, 0.08, palette.ink)
    if palette.sky:
        filled = Surface(palette.now.ink, 1.0, palette.now.colour)
    canvas.draw_panel(box, radius, filled if ahead == 0 else pale)
    _draw_number(
        canvas,
        label,
        box,
        filled.ink if ahead == 0 else palette.spoken if ahead < 0 else palette.waiting,
    )


def _draw_number(canvas: Canvas, label: str, box: Box, ink: Colour, display: bool = False) -> None:
    share = 90 if label in _REASONS else 70 if display else 50
    size = max(4, (box[3] - box[1]) * share // 100)
    face = canvas.make_heading_face(size, 700, 1.2) if display else canvas.make_text_face(size, 700)
    block = typesetting.fit_text(
        _mirror_label(label) if canvas.right_to_left else label,
        max(4, (box[2] - box[0]) * 92 // 100),
        face.line_height,
        face,
        4,
    )
    middle = (box[1] + box[3]) // 2
    canvas.draw_block(
        block, (box[0], middle - block.height // 2, box[2], box[3]), ink, "centre", "number"
    )


def _mirror_label(label: str) -> str:
    """Return "1." as it looks where one reads from right to left:
    the full stop is between number and text.
    """
    return f".{label[:-1]}" if label.endswith(".") and label[:-1].isdecimal() else label


def _draw_task(canvas: Canvas, box: Box, is_done: bool, ahead: int) -> None:
    """Draw a box with rounded corners, with a tick if the task is done."""
    size = box[2] - box[0]
    colour = _choose_colour(canvas, ahead)
    large, inset = size * _OVERSAMPLING, size * _OVERSAMPLING // 16
    mask = Image.new("L", (large, large))
    pen, corner = ImageDraw.Draw(mask), large // 5
    edge = [inset, inset, large - inset, large - inset]
    pen.rounded_rectangle(edge, corner, outline=255, fill=255 if is_done else 0, width=large // 11)
    if is_done:
        tick = [
            (0.26 * large, 0.52 * large),
            (0.44 * large, 0.70 * large),
            (0.76 * large, 0.32 * large),
        ]
        pen.line(tick, fill=0, width=large // 9, joint="curve")
    canvas.image.paste(colour, box[:2], mask.reduce(_OVERSAMPLING))
