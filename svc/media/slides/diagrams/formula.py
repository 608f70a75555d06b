"""A formula, typeset as large as fits; one that would be too small to read is shown in
words and signs.
"""

from pathlib import Path

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.maths import reading, typeset
from svc.media.model import Scene
from svc.media.slides import headings

_LARGEST = 1.5  # of a heading's size: the type of a short formula
_LEAST = 36  # in 1/1080 of the short side: the smallest type of one
_INSET = 44  # in 1/1080 of the short side: around a formula on its panel


def draw(canvas: Canvas, scene: Scene, _folder: Path | None = None) -> None:
    """Draw the formula on a panel in the middle, below the heading."""
    plan = canvas.plan
    left, _, right, bottom = plan.content
    top, inset = headings.draw_heading(canvas, scene, 0.3), plan.px(_INSET)
    width, height = right - left - 2 * inset, bottom - top - 2 * inset
    size = plan.sizes.heading * _LARGEST
    mask = typeset.draw_formula(
        scene.sight.text, width, height, size, max(plan.sizes.least, plan.px(_LEAST))
    )
    if mask is None:
        _draw_words(canvas, scene.sight.text, (left, top, right, bottom))
        return
    x, y = (left + right - mask.width) // 2, (top + bottom - mask.height) // 2
    panel = (left, y - inset, right, y + mask.height + inset)
    canvas.draw_panel(
        panel, min(plan.px(canvas.look.corner), (panel[3] - panel[1]) // 2), canvas.palette.panel
    )
    canvas.image.paste(canvas.palette.panel.ink, (x, y), mask)


def _draw_words(canvas: Canvas, source: str, box: Box) -> None:
    """Draw the formula as captions have it."""
    face = canvas.make_text_face(canvas.plan.sizes.heading, canvas.look.body_weight, 1.3)
    text = reading.caption_formula(source, canvas.language)
    block = typesetting.fit_text(
        text, box[2] - box[0], box[3] - box[1], face, canvas.plan.sizes.least, balanced=True
    )
    top = (box[1] + box[3] - block.height) // 2
    canvas.draw_block(block, (box[0], top, box[2], box[3]), canvas.palette.ink, canvas.look.align)
