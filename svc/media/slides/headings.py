"""Titles, end cards and headings: the largest text of a scene, in the style of each look."""

from dataclasses import replace

import segno
from PIL import Image

from svc.base.text import links
from svc.media.colour import BLACK, WHITE
from svc.media.drawing import images, ornaments, typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface, choose_ink
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene
from svc.media.pictures import illustration

MIN_SCALE = 0.55  # of its size, to which a text may shrink before it is cut
_TITLE_LEADING = {
    "bar": 1.12,
    "blocks": 1.3,
    "masthead": 1.18,
    "rule": 1.06,
    "squiggle": 1.1,
    "plain": 1.08,
}
_SPACES = {  # above and below a statement, in 1/1080 of the short side: for its lines
    "bar": (60, 0),
    "blocks": (0, 0),
    "masthead": (60, 36),
    "rule": (52, 0),
    "squiggle": (0, 84),
    "plain": (0, 0),
}
# The sizes of a title's picture, in shares of the usual one: the first at which the title is not
# cut is used.
_SCALES = (1.0, 0.75, 0.5, 0.0)
_ALONE = 1.3  # of its size: a title without a picture
_INSET = 26  # of a title's text in its blocks, in 1/1080 of the short side
_BUTTON = (40, 18)  # around the text of a button: across and down, in 1/1080 of the short side
# How far the title on an end card may shrink, in shares of its size, before it is left out.
_LEAST_TITLE = 0.8
_QUIET = 4  # modules of margin around a QR code (ISO/IEC 18004)


def draw_title(canvas: Canvas, scene: Scene) -> None:
    """Draw the title with the illustration of the topic."""
    for scale in _SCALES:
        text, picture = illustration.split_content(canvas, scene.illustration, scale)
        if _set_statement(canvas, scene.heading, text).face.size >= find_minimum_size(
            _title_face(canvas)
        ):
            break
    if picture:
        illustration.draw_illustration(canvas, scene.illustration, picture)
    share = 1.0 if picture else _ALONE
    draw_statement(canvas, scene.heading, text, choose_alignment(canvas, picture), share)


def draw_close(canvas: Canvas, scene: Scene) -> None:
    """Draw the end card: the logo over the account's name and the title, and the link as a QR code;
    without name and link, the heading alone."""
    link = scene.sight.note
    if not canvas.account and not link:
        draw_statement(canvas, scene.heading, canvas.plan.content)
        return
    text, code = illustration.split_in_halves(canvas) if link else (canvas.plan.content, None)
    if code:
        draw_link_code(canvas, link, code)
    left, top, right, bottom = text
    name = canvas.account or scene.heading
    rows = _list_rows_under_name(canvas, scene, link, right - left)
    without_link = [row for row in rows if row[1] != "link"]  # which the code has, too
    for share, rest in ((3, rows), (3, without_link), (5, without_link), (0, without_link)):
        logo = _fit_logo(canvas, right - left, (bottom - top) // share) if share else None
        above = logo.height + canvas.plan.px(56) if logo else 0
        below = sum(_measure_block(canvas, *row) + canvas.plan.px(20) for row in rest)
        place = (left, top + above, right, bottom - below)
        if _measure_statement(canvas, name, place) <= place[3] - place[1]:
            break
    start, foot = draw_statement(canvas, name, place, choose_alignment(canvas, code))
    if logo:
        _draw_logo(
            canvas,
            logo,
            (left, top, right, start - canvas.plan.px(56)),
            choose_alignment(canvas, code),
        )
    for block, part in rest:
        foot += canvas.plan.px(20)
        if part == "button":
            foot = _draw_button(
                canvas, block, (left, foot, right, bottom), choose_alignment(canvas, code)
            )
            continue
        ink = canvas.palette.bright if part == "link" else canvas.palette.spoken
        canvas.draw_block(
            block, (left, foot, right, bottom), ink, choose_alignment(canvas, code), part
        )
        foot += block.height


def choose_alignment(canvas: Canvas, beside: Box | None) -> str:
    """Return the alignment of a text: the look's, unless something is ``beside`` it,
    as in pictures that are not tall.
    """
    return "start" if beside and canvas.plan.width >= canvas.plan.height else canvas.look.align


def draw_statement(
    canvas: Canvas, text: str, box: Box, align: str = "", share: float = 1.0
) -> tuple[int, int]:
    """Draw one large text, centred vertically in ``box``, and return the top and the bottom of what
    was drawn.

    ``share``: of the usual size.
    """
    plan, look = canvas.plan, canvas.look
    left, top, right, bottom = box
    head, foot = _measure_ornaments(canvas)
    block = _set_statement(canvas, text, box, share)
    start = top + max(0, (bottom - top - block.height - head - foot) // 2)
    if look.statement == "blocks":
        _draw_blocks(canvas, block, (left, start, right, bottom), plan.px(_INSET))
        return start, start + block.height
    end = start + head + block.height + foot
    _draw_ornament(canvas, start, end, box)
    canvas.draw_block(
        block, (left, start + head, right, bottom), canvas.palette.ink, align or look.align, "title"
    )
    return start, end


def _set_statement(canvas: Canvas, text: str, box: Box, share: float = 1.0) -> TextBlock:
    """Return ``text`` in ``share`` of the usual size, or in the usual one if it would be torn."""
    inset = canvas.plan.px(_INSET) if canvas.look.statement == "blocks" else 0
    face = _title_face(canvas)
    room = (box[2] - box[0] - 2 * inset, box[3] - box[1] - sum(_measure_ornaments(canvas)))
    block = typesetting.fit_display(
        text, *room, replace(face, size=round(face.size * share)), find_minimum_size(face)
    )
    if share != 1.0 and typesetting.is_torn(block):
        block = typesetting.fit_display(text, *room, face, find_minimum_size(face))
    if not is_cut(block, text):
        return block
    # No title is cut, however long it is.
    return typesetting.fit_display(text, *room, face, canvas.plan.sizes.label)


def _measure_statement(canvas: Canvas, text: str, box: Box) -> int:
    """Return how high :func:`draw_statement` draws ``text`` in ``box``, if need be beyond it."""
    return _set_statement(canvas, text, box).height + sum(_measure_ornaments(canvas))


def _title_face(canvas: Canvas) -> Typeface:
    return canvas.make_heading_face(
        canvas.plan.sizes.title, canvas.look.title_weight, _TITLE_LEADING[canvas.look.statement]
    )


def _measure_ornaments(canvas: Canvas) -> tuple[int, int]:
    """Return the heights above and below a statement that its bar and its lines take."""
    px = canvas.plan.px
    above, below = _SPACES[canvas.look.statement]
    return above and px(above), below and px(below)


def _draw_ornament(canvas: Canvas, top: int, bottom: int, box: Box) -> None:
    """Draw the lines of a statement that is between ``top`` and ``bottom``."""
    match canvas.look.statement:
        case "bar":
            draw_bar(canvas, top, box=box)
        case "masthead":
            _draw_masthead(canvas, top, bottom, box)
        case "rule":
            ornaments.draw_rule(canvas, (box[0], top, box[2], bottom), heavy=True)
        case "squiggle":
            _draw_squiggle(canvas, bottom - canvas.plan.px(52), box, 300)


def _draw_squiggle(canvas: Canvas, top: int, box: Box, length: float) -> None:
    left, _ = canvas.find_start_edge(box, canvas.plan.px(length) + canvas.plan.px(18))
    ornaments.underline(canvas, left, top, canvas.plan.px(length))


def is_cut(block: TextBlock, text: str) -> bool:
    """Return whether ``block`` shows only the beginning of ``text``."""
    return (
        bool(block.lines)
        and block.lines[-1][-1].endswith(typesetting.ELLIPSIS)
        and not text.endswith(typesetting.ELLIPSIS)
    )


def number_heading(scene: Scene) -> str:
    """Return the heading of a section, with its number if an agenda announces it."""
    return (
        f"{scene.number}. {scene.heading}"
        if scene.number and scene.layout != "agenda"
        else scene.heading
    )


def draw_heading(canvas: Canvas, scene: Scene, share: float) -> int:
    """Draw the heading over at most ``share`` of the content's height,
    and return the y below it.
    """
    plan, look = canvas.plan, canvas.look
    if not scene.heading:
        return plan.content[1]
    left, top, right, bottom = plan.content
    face = canvas.make_heading_face(plan.sizes.heading, look.heading_weight, 1.18)
    block = typesetting.fit_display(
        number_heading(scene),
        right - left,
        round((bottom - top) * share),
        face,
        find_minimum_size(face),
    )
    if look.statement == "masthead":
        draw_bar(canvas, top)
        top += plan.px(34)
    if look.statement == "rule":
        ornaments.draw_rule(canvas, (left, top, right, bottom), heavy=False)
        top += plan.px(22)
    canvas.draw_block(block, (left, top, right, bottom), canvas.palette.ink, look.align, "heading")
    foot = top + block.height
    if look.statement == "squiggle":
        _draw_squiggle(canvas, foot + plan.px(6), plan.content, 180)
        foot += plan.px(36)
    return foot + plan.px(36)


def draw_bar(canvas: Canvas, top: int, box: Box | None = None) -> None:
    """Draw a short, thick line at the side of ``box`` (else of the content)
    where reading begins.
    """
    plan = canvas.plan
    thick = plan.px(10)
    left, right = canvas.find_start_edge(box or plan.content, plan.px(104))
    surface = Surface(canvas.palette.solid, 1.0, canvas.palette.on_solid)
    canvas.draw_panel(
        (left, top, right, top + thick), thick // 2 if canvas.look.corner > 8 else 0, surface
    )


def mark_height(canvas: Canvas) -> int:
    """Return the height of a look's mark above a key phrase, with the space below it;
    0: it has none.
    """
    return 0 if canvas.look.statement in ("plain", "squiggle") else canvas.plan.px(44)


def draw_mark(canvas: Canvas, top: int, box: Box) -> None:
    """Draw the look's mark above a key phrase: a line across, or a short one."""
    if canvas.look.statement == "rule":
        ornaments.draw_rule(canvas, (box[0], top, box[2], box[3]), heavy=True)
    else:
        draw_bar(canvas, top, box=box)


def find_minimum_size(face: Typeface) -> int:
    """Return the minimum size of ``face`` in pixels."""
    return max(1, round(face.size * MIN_SCALE))


def _draw_masthead(canvas: Canvas, top: int, bottom: int, box: Box) -> None:
    """Draw lines above and below the title, as around a newspaper's name."""
    plan = canvas.plan
    left, _, right, _ = box
    canvas.draw_rule((left, top, right, top + plan.px(2)), canvas.palette.faint)
    canvas.draw_rule((left, bottom, right, bottom + plan.px(2)), canvas.palette.faint)
    draw_bar(canvas, top, box=box)


def _draw_blocks(canvas: Canvas, block: TextBlock, box, inset: int) -> None:
    """Draw each line of the title on a block of the brand's colour."""
    face, palette, ordered_left = block.face, canvas.palette, canvas.is_ordered_left(block)
    left, top, right, _ = box
    for number, line in enumerate(block.lines):
        y = top + number * face.line_height
        wide = round(typesetting.measure_line(line, face)) + 2 * inset
        x, end = canvas.find_start_edge((left, y, right, y), wide)
        surface = Surface(palette.solid, 1.0, palette.on_solid)
        canvas.draw_panel(
            (x, y, end, y + face.line_height + canvas.plan.px(2)), canvas.plan.px(14), surface
        )
    for number, line in enumerate(block.lines):
        middle = top + (number + 0.5) * face.line_height
        runs = typesetting.place_runs(
            line, face, left + inset, right - inset, "start", canvas.right_to_left, ordered_left
        )
        canvas.draw_line(runs, middle, face, palette.on_solid, "title")


def _list_rows_under_name(canvas: Canvas, scene: Scene, link: str, width: int):
    """Return what stands under the name: the title, the call to action,
    and the link without its scheme.
    """
    sizes, rows = canvas.plan.sizes, []
    roomy = not link or canvas.plan.width > canvas.plan.height
    if roomy and canvas.account and scene.heading and scene.heading != canvas.account:
        rows.append((scene.heading, sizes.body, canvas.look.body_weight, 2, "text"))
    if scene.sight.text:
        rows.append((scene.sight.text, sizes.body, 700, 1, "button"))
    # Otherwise the code has to do.
    if link and (roomy or not scene.sight.text or canvas.plan.height > 1.5 * canvas.plan.width):
        rows.append((links.display_address(link), sizes.label, 650, 2, "link"))
    blocks = []
    for text, size, weight, lines, part in rows:
        face = canvas.make_text_face(size, weight, 1.25)
        room = width - 2 * canvas.plan.px(_BUTTON[0]) if part == "button" else width
        block = typesetting.fit_text(
            text, room, lines * face.line_height, face, sizes.least, balanced=True
        )
        # a long one has been shown already
        if part != "text" or block.face.size >= size * _LEAST_TITLE:
            blocks.append((block, part))
    return blocks


def _measure_block(canvas: Canvas, block: TextBlock, part: str) -> int:
    return block.height + (2 * canvas.plan.px(_BUTTON[1]) if part == "button" else 0)


def _draw_button(canvas: Canvas, block: TextBlock, box: Box, align: str) -> int:
    """Draw a call to action on a button at the top of ``box``, and return its foot."""
    across, down = (canvas.plan.px(each) for each in _BUTTON)
    left, top, right, _ = box
    wide = (
        max(round(typesetting.measure_line(line, block.face)) for line in block.lines) + 2 * across
    )
    x, end = canvas.find_start_edge(
        box, wide, (right - left - wide) // 2 if align == "centre" else 0
    )
    foot = top + block.height + 2 * down
    surface = Surface(canvas.palette.solid, 1.0, canvas.palette.on_solid)
    canvas.draw_panel((x, top, end, foot), canvas.plan.px(min(28, canvas.look.corner + 8)), surface)
    canvas.draw_block(
        block,
        (x + across, top + down, end - across, foot),
        canvas.palette.on_solid,
        "centre",
        "button",
    )
    return foot


def _fit_logo(canvas: Canvas, width: int, height: int) -> Image.Image | None:
    if canvas.logo is None:
        return None
    return images.fit_within(
        canvas.logo, min(width, canvas.plan.px(420)), min(height, canvas.plan.px(180))
    )


def _draw_logo(canvas: Canvas, logo: Image.Image, box: Box, align: str) -> None:
    """Draw ``logo`` at the foot of ``box``, on a plate if its contrast with the ground
    is too low.
    """
    pad, palette = canvas.plan.px(18), canvas.palette
    plated = images.fades_into(logo, palette.ground)
    left, right = canvas.find_start_edge(box, logo.width, pad if plated else 0)
    if align == "centre":
        left, right = canvas.find_start_edge(box, logo.width, (box[2] - box[0] - logo.width) // 2)
    top = box[3] - logo.height
    if plated:
        plate = Surface(choose_ink(palette.ground), 0.94, palette.ground)
        canvas.draw_panel(
            (left - pad, top - pad, right + pad, box[3] + pad),
            canvas.plan.px(canvas.look.corner),
            plate,
        )
    canvas.image.paste(logo, (left, top), logo)


def draw_link_code(canvas: Canvas, link: str, box: Box) -> None:
    """Draw ``link`` as a QR code on a white field in the middle of ``box``."""
    matrix = segno.make_qr(link, error="m").matrix
    count = len(matrix) + 2 * _QUIET
    module = max(1, min(box[2] - box[0], box[3] - box[1]) // count)
    side = module * count
    left, top = (box[0] + box[2] - side) // 2, (box[1] + box[3] - side) // 2
    canvas.draw_panel(
        (left, top, left + side, top + side),
        canvas.plan.px(canvas.look.corner),
        Surface(WHITE, 1.0, BLACK),
    )
    code = Image.new("L", (len(matrix), len(matrix)))
    code.putdata([0 if dark else 255 for row in matrix for dark in row])
    canvas.image.paste(
        code.resize((module * len(matrix),) * 2, Image.Resampling.NEAREST),
        (left + _QUIET * module, top + _QUIET * module),
    )
