"""Small print: a strip at the foot of the content, under a hairline."""

from dataclasses import replace

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import FrameLayout

_SHARE = 0.28  # of the content's height, at most
_GAP = 18  # in 1/1080 of the short side: above the hairline, and below it


def draw(canvas: Canvas, text: str) -> FrameLayout:
    """Draw ``text`` and return the layout with what is left of the content."""
    plan, palette = canvas.plan, canvas.palette
    left, top, right, bottom = plan.content
    face = canvas.make_text_face(plan.sizes.label, canvas.look.body_weight, 1.3)
    block = typesetting.fit_text(
        text, right - left, round((bottom - top) * _SHARE), face, plan.sizes.small, balanced=True
    )
    start, gap = bottom - block.height, plan.px(_GAP)
    canvas.draw_rule((left, start - gap, right, start - gap + plan.px(2)), palette.faint)
    canvas.draw_block(
        block, (left, start, right, bottom), palette.spoken, canvas.look.align, "small print"
    )
    return replace(plan, content=(left, top, right, start - 2 * gap))
