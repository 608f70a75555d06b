"""Contacts: lines with the icons of telephone, mail and clock,
beside the code of the address that they name.
"""

from svc.media.drawing.canvas import Canvas
from svc.media.model import Scene
from svc.media.pictures import illustration
from svc.media.slides import headings, lists

# The code's share of the space that an illustration has: in a wide and in a tall picture.
_BESIDE, _BELOW = 0.8, 0.62


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw heading, lines and code; ``stage``: the line being spoken, or -1."""
    left, _, right, bottom = canvas.plan.content
    box = left, headings.draw_heading(canvas, scene, 0.3), right, bottom
    if scene.sight.note:
        tall = canvas.plan.width < canvas.plan.height
        box, code = illustration.split_box(canvas, box, _BELOW if tall else _BESIDE)
        if tall:  # people read the lines first
            height = code[3] - code[1]
            box, code = (
                (left, code[1], right, box[3] - height - (box[1] - code[3])),
                (left, box[3] - height, right, box[3]),
            )
        headings.draw_link_code(canvas, scene.sight.note, code)
    lists.draw_rows(canvas, scene, stage, box)
