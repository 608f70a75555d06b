"""The first and the last picture: a title with an illustration of the topic, and an end card with logo, name and link."""

from typing import Any

import segno
from PIL import Image

from svc.media.drawing import images, typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.colour import BLACK, WHITE, contrast
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface, ink_on
from svc.media.model import Scene
from svc.media.slides import headings, illustration

_QUIET = 4  # modules of margin around a QR code (ISO/IEC 18004)
_MIN_LOGO_CONTRAST = 1.7  # of a logo with the ground; below it, the logo needs a plate


def title(canvas: Canvas, scene: Scene) -> None:
    """Draw the title, under the account's name, with the illustration of the topic."""
    text, picture = illustration.split(canvas, scene.illustration)
    if picture:
        illustration.draw(canvas, scene.illustration, picture)
    headings.statement(canvas, scene.heading, text)


def close(canvas: Canvas, scene: Scene) -> None:
    """Draw the end card: the logo over the account's name and the title, and the link as a QR code; without name and link, the
    heading alone."""
    link = scene.sight.note
    if not canvas.account and not link:
        headings.statement(canvas, scene.heading, canvas.plan.content)
        return
    text, code = illustration.halves(canvas) if link else (canvas.plan.content, None)
    if code:
        _code(canvas, link, code)
    left, top, right, bottom = text
    logo = _fitted_logo(canvas, right - left, (bottom - top) // 3)
    above = logo.height + canvas.plan.px(56) if logo else 0
    rest = _rest(canvas, scene, link, right - left)
    below = sum(block.height + canvas.plan.px(20) for block, _ in rest)
    place = (left, top + above, right, bottom - below)
    start, foot = headings.statement(canvas, canvas.account or scene.heading, place)
    if logo:
        _draw_logo(canvas, logo, (left, top, right, start - canvas.plan.px(56)))
    for block, part in rest:
        foot += canvas.plan.px(20)
        ink = canvas.palette.bright if part == "link" else canvas.palette.spoken
        canvas.block(block, (left, foot, right, bottom), ink, part=part)
        foot += block.height


def _rest(canvas: Canvas, scene: Scene, link: str, width: int):
    """Return what stands under the name: the title, and the link without its scheme."""
    sizes, rows = canvas.plan.sizes, []
    roomy = not link or canvas.plan.width > canvas.plan.height
    if roomy and canvas.account and scene.heading and scene.heading != canvas.account:
        rows.append((scene.heading, sizes.body, canvas.look.body_weight, 2, "text"))
    if link:
        rows.append((link.removeprefix("https://").removeprefix("www.").rstrip("/"), sizes.label, 650, 2, "link"))
    blocks = []
    for text, size, weight, lines, part in rows:
        face = canvas.text_face(size, weight, 1.25)
        blocks.append((typesetting.fit(text, width, lines * face.line_height, face, sizes.least, balanced=True), part))
    return blocks


def _fitted_logo(canvas: Canvas, width: int, height: int) -> Image.Image | None:
    if canvas.logo is None:
        return None
    return images.fit_within(canvas.logo, min(width, canvas.plan.px(420)), min(height, canvas.plan.px(180)))


def _draw_logo(canvas: Canvas, logo: Image.Image, box: Box) -> None:
    """Draw ``logo`` at the foot of ``box``, on a plate if its contrast with the ground is too low."""
    pad, palette = canvas.plan.px(18), canvas.palette
    pixel: Any = logo.convert("RGBa").resize((1, 1), Image.Resampling.BOX).convert("RGBA").getpixel((0, 0))
    plated = contrast(pixel[:3], palette.ground) < _MIN_LOGO_CONTRAST
    left, right = canvas.start_edge(box, logo.width, pad if plated else 0)
    top = box[3] - logo.height
    if plated:
        plate = Surface(ink_on(palette.ground), 0.94, palette.ground)
        canvas.draw_panel((left - pad, top - pad, right + pad, box[3] + pad), canvas.plan.px(canvas.look.corner), plate)
    canvas.image.paste(logo, (left, top), logo)


def _code(canvas: Canvas, link: str, box: Box) -> None:
    """Draw ``link`` as a QR code on a white field in the middle of ``box``."""
    matrix = segno.make_qr(link, error="m").matrix
    count = len(matrix) + 2 * _QUIET
    module = max(1, min(box[2] - box[0], box[3] - box[1]) // count)
    side = module * count
    left, top = (box[0] + box[2] - side) // 2, (box[1] + box[3] - side) // 2
    canvas.draw_panel((left, top, left + side, top + side), canvas.plan.px(canvas.look.corner), Surface(WHITE, 1.0, BLACK))
    code = Image.new("L", (len(matrix), len(matrix)))
    code.putdata([0 if dark else 255 for row in matrix for dark in row])
    canvas.image.paste(
        code.resize((module * len(matrix),) * 2, Image.Resampling.NEAREST), (left + _QUIET * module, top + _QUIET * module)
    )
