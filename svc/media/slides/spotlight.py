"""Scenes with one element: a quotation, a figure, a picture."""

from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from svc.media import fonts
from svc.media.drawing import images, typesetting
from svc.media.drawing.canvas import NONE, Canvas, MovingPart
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import PlacedRun, TextBlock, Typeface
from svc.media.model import Scene, Visual
from svc.media.pictures import illustration
from svc.media.slides import framings, headings
from svc.media.slides.counting import count_up

_OPAQUE = 255
# The largest type of a quotation, in heading sizes, and the lines that it may have at that size in
# a wide and a tall picture.
_LARGEST_QUOTE, _FEW_LINES = 1.5, (3, 4)
_OVERSAMPLING = 4  # an icon is drawn this many times larger, then reduced, for smooth edges
# The share of the space that an illustration has, for the picture of a quotation: in a wide frame,
# and in a tall one.
_BESIDE, _ABOVE = 0.8, 0.66


def draw_quote(canvas: Canvas, scene: Scene, folder: Path | None) -> None:
    """Draw a quotation under a large quotation mark, with its source,
    beside its picture if it has one.
    """
    plan, palette, sight = canvas.plan, canvas.palette, scene.sight
    left, top, right, bottom = _draw_beside_picture(
        canvas, sight, _draw_heading(canvas, scene), folder
    )
    mark = canvas.make_heading_face(plan.px(210), 800, 1.0)
    indent, room = plan.px(28), bottom - top - plan.px(110) - (plan.px(84) if sight.note else 0)
    face = canvas.make_heading_face(
        round(plan.sizes.heading * _LARGEST_QUOTE), max(500, canvas.look.heading_weight - 180), 1.28
    )
    if canvas.look.quotation and fonts.has_all(sight.text, canvas.look.quotation):
        face = replace(face, family=canvas.look.quotation)
    block = _set_quotation(sight.text, right - left - indent, room, face, canvas)
    start = (
        top
        + (bottom - top - block.height - plan.px(190 if sight.note else 106)) // 2
        + plan.px(100)
    )
    wide, align = round(typesetting.measure_word("“", mark)), canvas.look.align
    x, _ = canvas.find_start_edge(
        (left, 0, right, 0), wide, (right - left - wide) // 2 if align == "centre" else 0
    )
    canvas.draw_line([PlacedRun("“", x)], start - plan.px(4), mark, palette.bright, "ornament")
    if align != "centre":
        left, right = (left, right - indent) if canvas.right_to_left else (left + indent, right)
    _draw_block_as_said(canvas, scene, block, (left, start, right, bottom), align, "quote")
    if sight.note:
        draw_attribution(
            canvas, sight.note, (left, start + block.height + plan.px(32), right, bottom)
        )


def _set_quotation(text: str, width: int, height: int, face: Typeface, canvas: Canvas) -> TextBlock:
    """Return a quotation in the largest type in which it takes few lines,
    or else in which it fits.
    """
    sizes, most = canvas.plan.sizes, _FEW_LINES[canvas.plan.stacked]
    usual = round(sizes.heading * (1.15 if canvas.plan.stacked else 0.94))
    few = typesetting.fit_text(
        text, width, min(height, most * face.line_height), face, usual, balanced=True
    )
    if len(few.lines) <= most and not headings.is_cut(few, text):
        return few
    return typesetting.fit_text(
        text, width, height, replace(face, size=usual), sizes.least, balanced=True
    )


def _draw_beside_picture(canvas: Canvas, sight: Visual, box: Box, folder: Path | None) -> Box:
    """Draw the picture of a quotation, if there is one, and return the rest of ``box``."""
    picture = images.open_image(folder / sight.file) if folder and sight.file else None
    if picture is None:
        return box
    tall = canvas.plan.width < canvas.plan.height
    rest, place = illustration.split_box(canvas, box, _ABOVE if tall else _BESIDE)
    side = min(place[2] - place[0], place[3] - place[1])
    free = place[2] - place[0] - side
    x, _ = canvas.find_start_edge(
        place, side, 0 if tall and canvas.look.align == "start" else free // 2
    )
    y = (place[1] + place[3] - side) // 2
    cropped = images.crop_to_fill(picture, side, side)
    canvas.image.paste(
        cropped, (x, y), images.draw_rounded_mask(cropped, canvas.plan.px(canvas.look.corner))
    )
    return rest


def draw_number(canvas: Canvas, scene: Scene, _: Path | None) -> None:
    """Draw a figure as large as it fits, with its note below;
    it counts up with ``canvas.growth``.
    """
    plan, palette, sight = canvas.plan, canvas.palette, scene.sight
    left, top, right, bottom = _draw_heading(canvas, scene)
    face = canvas.make_heading_face(
        round(plan.sizes.title * canvas.look.figure * (2.7 if plan.stacked else 2.1)),
        max(700, canvas.look.title_weight),
        1.04,
    )
    room = (bottom - top) * (7 if canvas.look.figure > 1 else 6) // 10
    figure = typesetting.fit_text(sight.text, right - left, room, face, plan.sizes.heading)
    note_face = canvas.make_text_face(
        round(plan.sizes.body * (1.4 if plan.stacked else 1.16)), canvas.look.body_weight, 1.3
    )
    room = bottom - top - figure.height - plan.px(28)
    note = typesetting.fit_text(
        sight.note, right - left, room, note_face, plan.sizes.least, balanced=True
    )
    start = top + max(0, (bottom - top - figure.height - plan.px(28) - note.height) // 2)
    text = count_up(sight.text, canvas.growth)
    counting = typesetting.fit_text(
        text, right - left, figure.height, figure.face, figure.face.size
    )
    if not (canvas.entered == NONE and canvas.stage < 0):  # it has not been said
        canvas.draw_block(
            counting, (left, start, right, bottom), palette.bright, canvas.look.align, "number"
        )
    below = (left, start + figure.height + plan.px(28), right, bottom)
    _draw_block_as_said(canvas, scene, note, below, canvas.look.align, "text")


def _draw_block_as_said(
    canvas: Canvas, scene: Scene, block: TextBlock, box: Box, align: str, part: str
) -> None:
    """Draw a text whose words enter as they are said, where the look composes its scenes."""
    words = framings.find_words_of_one_text(scene) if canvas.palette.sky else range(0)
    if words:
        canvas.draw_block_as_said(
            block,
            box,
            canvas.palette.ink,
            align,
            part,
            lambda pieces: framings.match_pieces_to_words(pieces, scene, words),
        )
    else:
        canvas.draw_block(block, box, canvas.palette.ink, align, part)


def draw_image(canvas: Canvas, scene: Scene, folder: Path | None) -> None:
    """Draw an uploaded picture, or one of an uploaded clip, which moves while the scene is shown;
    without one, a card with its description."""
    left, top, right, bottom = _draw_heading(canvas, scene)
    picture = images.open_image(folder / scene.sight.file) if folder and scene.sight.file else None
    if picture is None:
        _draw_card(canvas, scene.sight, (left, top, right, bottom))
        return
    fitted = images.fit_within(picture, right - left, bottom - top)
    # 4:2:0 has one colour for 2 × 2 pixels
    width, height = (max(2, side // 2 * 2) for side in fitted.size)
    fitted = fitted.crop((0, 0, width, height))
    x, _ = canvas.find_start_edge((left, top, right, bottom), fitted.width)
    x, y = x // 2 * 2, (top + (bottom - top - fitted.height) // 2) // 2 * 2
    mask = images.draw_rounded_mask(fitted, canvas.plan.px(canvas.look.corner))
    canvas.image.paste(fitted, (x, y), mask)
    if picture.getchannel("A").getextrema()[0] == _OPAQUE:
        canvas.moving = MovingPart(
            scene.sight.file, (x, y, x + fitted.width, y + fitted.height), mask
        )


def _draw_card(canvas: Canvas, sight: Visual, box: Box) -> None:
    """Draw a panel with an icon for a picture, and its description."""
    plan, palette = canvas.plan, canvas.palette
    left, top, right, bottom = box
    canvas.draw_panel(box, plan.px(canvas.look.corner), Surface(palette.ink, 0.07, palette.ink))
    icon = min(plan.px(170), (bottom - top) // 3)
    face = canvas.make_text_face(round(plan.sizes.body * 1.05), canvas.look.body_weight, 1.3)
    pad = plan.px(60)
    room = bottom - top - icon - 3 * plan.px(44)
    block = typesetting.fit_text(
        sight.text, right - left - 2 * pad, room, face, plan.sizes.least, balanced=True
    )
    start = top + (bottom - top - icon - plan.px(44) - block.height) // 2
    _draw_icon(
        canvas,
        (
            (left + right - icon * 4 // 3) // 2,
            start,
            (left + right + icon * 4 // 3) // 2,
            start + icon,
        ),
    )
    canvas.draw_block(
        block,
        (left + pad, start + icon + plan.px(44), right - pad, bottom),
        palette.ink,
        "centre",
        "text",
    )


def _draw_icon(canvas: Canvas, box: Box) -> None:
    """Draw hills under a sun, in a frame."""
    palette, width, height = canvas.palette, box[2] - box[0], box[3] - box[1]
    large = Image.new("RGB", (width * _OVERSAMPLING, height * _OVERSAMPLING), palette.solid)
    pen, w, h = ImageDraw.Draw(large), width * _OVERSAMPLING, height * _OVERSAMPLING
    pen.polygon([(0, h), (0.34 * w, 0.38 * h), (0.62 * w, h)], fill=palette.on_solid)
    pen.polygon([(0.4 * w, h), (0.7 * w, 0.55 * h), (w, h)], fill=palette.on_solid)
    pen.ellipse([0.66 * w, 0.16 * h, 0.66 * w + 0.2 * h, 0.36 * h], fill=palette.on_solid)
    small = large.reduce(_OVERSAMPLING)
    canvas.image.paste(
        small,
        box[:2],
        images.draw_rounded_mask(
            small.convert("RGBA"), canvas.plan.px(min(20, canvas.look.corner))
        ),
    )


def draw_attribution(canvas: Canvas, source: str, box: Box) -> None:
    """Draw the source of a quotation or a verse, after a short line, at the top of ``box``."""
    plan = canvas.plan
    face: Typeface = canvas.make_text_face(plan.sizes.label, 650)
    left, top, right, _ = box
    dash, gap = plan.px(44), plan.px(18)
    block = typesetting.fit_text(
        source, right - left - dash - gap, face.line_height, face, plan.sizes.least
    )
    if canvas.look.align == "centre":
        canvas.draw_block(
            block,
            (left, top, right, top + face.line_height),
            canvas.palette.bright,
            "centre",
            "name",
        )
        return
    x, end = canvas.find_start_edge((left, 0, right, 0), dash)
    middle = top + face.line_height // 2
    canvas.draw_rule((x, middle - plan.px(2), end, middle + plan.px(2)), canvas.palette.solid)
    left, right = (left, right - dash - gap) if canvas.right_to_left else (left + dash + gap, right)
    canvas.draw_block(
        block, (left, top, right, top + face.line_height), canvas.palette.bright, part="name"
    )


def _draw_heading(canvas: Canvas, scene: Scene) -> Box:
    left, _, right, bottom = canvas.plan.content
    return left, headings.draw_heading(canvas, scene, 0.3), right, bottom
