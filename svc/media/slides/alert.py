"""Alerts: a card in the colour of its kind, with its sign and title above what it says."""

from pathlib import Path

from svc.base.text import alerts
from svc.media.artwork import draw as pictures
from svc.media.colour import Colour, make_legible, mix, to_hex
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.slides import framings, headings

_COLOURS: dict[str, Colour] = {  # as GitHub has them
    alerts.NOTE: (56, 132, 255),
    alerts.TIP: (46, 170, 80),
    alerts.IMPORTANT: (150, 100, 240),
    alerts.WARNING: (235, 165, 20),
    alerts.CAUTION: (230, 60, 60),
}
_SIGNS = {
    alerts.NOTE: "line:info",
    alerts.TIP: "line:lightbulb",
    alerts.IMPORTANT: "line:message-square-warning",
    alerts.WARNING: "line:triangle-alert",
    alerts.CAUTION: "line:octagon-alert",
}
_TINT = 0.14  # of the kind's colour in its card
_READABLE = 4.9  # contrast of the title (WCAG 2.2)
# The sizes in 1/1080 of the short side: the space within the card, its edge, the space below the
# title, and the sign.
_PAD, _EDGE, _GAP, _SIGN = 52, 14, 30, 96
_LARGEST = 1.5  # of the body size: the type of a short alert


def draw(canvas: Canvas, scene: Scene, _: Path | None) -> None:
    """Draw the card in the middle of the content, below the heading."""
    plan, sight, palette = canvas.plan, scene.sight, canvas.palette
    left, _top, right, bottom = plan.content
    top = headings.draw_heading(canvas, scene, 0.3)
    pad, edge, gap, sign = (plan.px(measure) for measure in (_PAD, _EDGE, _GAP, _SIGN))
    ground = mix(palette.ground, _COLOURS[sight.tone], _TINT)
    strong = make_legible(_COLOURS[sight.tone], ground, _READABLE)
    ink = make_legible(palette.ink, ground, 7.0)
    width = right - left - 2 * pad - edge
    face = canvas.make_heading_face(
        round(plan.sizes.heading * 0.9), canvas.look.heading_weight, 1.15
    )
    title = typesetting.fit_text(
        sight.note, width - sign - gap, 2 * face.line_height, face, plan.sizes.least, balanced=True
    )
    head = max(sign, title.height)
    below = gap if sight.text else 0
    room = bottom - top - 2 * pad - head - below
    body = canvas.make_text_face(round(plan.sizes.body * _LARGEST), canvas.look.body_weight, 1.3)
    text = typesetting.fit_text(sight.text, width, room, body, plan.sizes.least, balanced=True)
    height = 2 * pad + head + below + (text.height if sight.text else 0)
    y = top + max(0, (bottom - top - height) // 2)
    _draw_card(canvas, (left, y, right, y + height), Surface(ground, 1.0, ink), strong)
    x, _end = canvas.find_start_edge((left, y, right, y), sign, edge + pad)
    picture = pictures.draw_picture(_SIGNS[sight.tone], sign, to_hex(strong))
    canvas.image.paste(picture, (x, y + pad + (head - sign) // 2), picture)
    inner = (
        (left + pad, right - pad - edge)
        if canvas.right_to_left
        else (left + edge + pad, right - pad)
    )
    beside = (
        (inner[0], inner[1] - sign - gap)
        if canvas.right_to_left
        else (inner[0] + sign + gap, inner[1])
    )
    canvas.draw_block(
        title,
        (beside[0], y + pad + (head - title.height) // 2, beside[1], bottom),
        strong,
        part="heading",
    )
    if sight.text:
        _draw_text(canvas, scene, text, (inner[0], y + pad + head + below, inner[1], bottom), ink)


def _draw_card(canvas: Canvas, box: Box, surface: Surface, strong: Colour) -> None:
    """Draw the panel, with a bar in the kind's colour along the edge where reading begins."""
    corner, edge = canvas.plan.px(canvas.look.corner), canvas.plan.px(_EDGE)
    canvas.draw_panel(box, corner, surface)
    bar, end = canvas.find_start_edge(box, edge)
    canvas.draw_panel(
        (bar, box[1], end, box[3]), min(edge // 2, corner), Surface(strong, 1.0, surface.colour)
    )


def _draw_text(canvas: Canvas, scene: Scene, text: TextBlock, box: Box, ink: Colour) -> None:
    """Draw what stands below the title, in looks whose words enter as they are said."""
    words = framings.find_words_of_one_text(scene)
    if canvas.palette.sky and words:
        canvas.draw_block_as_said(
            text,
            box,
            ink,
            "start",
            "text",
            lambda pieces: framings.match_pieces_to_words(pieces, scene, words),
        )
    else:
        canvas.draw_block(text, box, ink, part="text")
