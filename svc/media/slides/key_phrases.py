"""A prose scene's key phrase in large type, with an illustration beside it in a wide picture and above it in a tall one."""

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.pictures import illustration
from svc.media.slides import headings

_MARKS = " .,:;!?؟،。…"
_LARGEST, _ALONE = 1.06, 1.5  # times the title's size, with an illustration and without
_LEADING = 1.16


def draw(canvas: Canvas, scene: Scene) -> None:
    """Draw heading, key phrase and illustration of ``scene`` into the content box."""
    text, picture = illustration.split(canvas, scene.illustration)
    if picture:
        illustration.draw(canvas, scene.illustration, picture)
    left, top, right, bottom = text
    align = headings.alignment(canvas, picture)
    kicker = _kicker(canvas, scene, right - left)
    ornament = 0 if picture and canvas.plan.width < canvas.plan.height else headings.mark_height(canvas)
    above = ornament + (kicker.height + canvas.plan.px(18) if kicker else 0)
    face = canvas.heading_face(
        round(canvas.plan.sizes.title * (_LARGEST if picture else _ALONE)), canvas.look.title_weight, _LEADING
    )
    room = (right - left, bottom - top - above)
    block = typesetting.fit(scene.key_phrase.strip(), *room, face, canvas.plan.sizes.label, balanced=True)
    y = top + max(0, (bottom - top - above - block.height) // 2)
    if ornament:
        headings.mark(canvas, y, (left, y, right, bottom))
    y += ornament
    if kicker:
        canvas.block(kicker, (left, y, right, bottom), canvas.palette.bright, align, "heading")
        y += kicker.height + canvas.plan.px(18)
    canvas.block(block, (left, y, right, bottom), canvas.palette.ink, align, "text")


def _kicker(canvas: Canvas, scene: Scene, width: int) -> TextBlock | None:
    """Return the scene's heading in small type; None if there is none, or the key phrase repeats it."""
    heading = scene.heading.strip()
    if not heading or heading.strip(_MARKS).casefold() == scene.key_phrase.strip(_MARKS).casefold():
        return None
    face = canvas.text_face(round(canvas.plan.sizes.label * 1.15), 650, 1.25)
    return typesetting.fit(heading, width, 2 * face.line_height, face, canvas.plan.sizes.least, balanced=True)
