"""Pictures beside one another, such as before and after, each under its heading;
those not yet spoken of are muted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from PIL import Image

from svc.media.drawing import images, typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene
from svc.media.slides import headings

_MUTED = 0.4  # of a picture's own colours, before it is spoken of
# The spaces in 1/1080 of the short side: between pictures, and beside, above and below a heading's
# text.
_GAP, _PAD, _ROOM = 20, 28, 14
_SIZE, _LINES = 0.6, 2  # of the scenes' heading; lines of a picture's own

Size = tuple[int, int]


@dataclass(frozen=True)
class _Arranged:
    """The boxes of the pictures with their headings, which are all as high.

    ``sizes``: of the pictures within them.
    """

    boxes: list[Box]
    heads: list[TextBlock]
    above: int  # pixels that a heading takes
    sizes: list[Size]

    @property
    def area(self) -> int:
        """Pixels of the smallest picture."""
        return min(width * height for width, height in self.sizes)


def draw(canvas: Canvas, scene: Scene, stage: int, folder: Path | None) -> None:
    """Draw the pictures beside or below one another, whichever lets the smallest be larger.

    ``stage``: the picture being spoken of, or -1. In place of a picture that cannot be read there
    is only its heading.
    """
    left, _, right, bottom = canvas.plan.content
    box = left, headings.draw_heading(canvas, scene, 0.3), right, bottom
    files = [images.open_image(folder / file) if folder else None for file in scene.sight.files]
    titles = [
        (point.text, column)
        for point, column in zip(scene.points, scene.sight.columns, strict=True)
    ]
    spreads = (_split_across(canvas, box, len(files)), _split_down(canvas, box, len(files)))
    best = max(
        (_fit_pictures(canvas, titles, files, boxes) for boxes in spreads), key=lambda way: way.area
    )
    for number, picture in enumerate(files):
        _draw_picture(canvas, best, number, picture, number - stage)


def _split_across(canvas: Canvas, box: Box, count: int) -> list[Box]:
    spans = _spans(box[0], box[2], count, canvas.plan.px(_GAP))
    return [
        (first, box[1], last, box[3])
        for first, last in (spans[::-1] if canvas.right_to_left else spans)
    ]


def _split_down(canvas: Canvas, box: Box, count: int) -> list[Box]:
    return [
        (box[0], first, box[2], last)
        for first, last in _spans(box[1], box[3], count, canvas.plan.px(_GAP))
    ]


def _spans(start: int, end: int, count: int, gap: int) -> list[tuple[int, int]]:
    ends = [start + round((end - start + gap) * number / count) for number in range(count + 1)]
    return [(first, last - gap) for first, last in pairwise(ends)]


def _fit_pictures(
    canvas: Canvas,
    titles: Sequence[tuple[str, str]],
    files: Sequence[Image.Image | None],
    boxes: list[Box],
) -> _Arranged:
    """Return how the pictures lie in ``boxes``.

    ``titles``: what is said of each, and its column's heading alone.
    """
    plan = canvas.plan
    face = canvas.make_heading_face(
        round(plan.sizes.heading * _SIZE), canvas.look.heading_weight, 1.22
    )
    width = min(right - left for left, _, right, _ in boxes)
    height = min(bottom - top for _, top, _, bottom in boxes)
    room = width - 2 * plan.px(_PAD)
    heads = [_choose_head(title, column, room, face, plan.sizes.least) for title, column in titles]
    above = max(head.height for head in heads) + 2 * plan.px(_ROOM)
    free = max(1, height - above - plan.px(_ROOM))
    return _Arranged(boxes, heads, above, [_fit_size(picture, width, free) for picture in files])


def _choose_head(title: str, column: str, room: int, face: Typeface, least: int) -> TextBlock:
    """Return ``title``, or if it is too long ``column``, because captions have all that is said."""
    block = typesetting.fit_text(title, room, _LINES * face.line_height, face, least, balanced=True)
    if not column or not headings.is_cut(block, title):
        return block
    return typesetting.fit_text(column, room, _LINES * face.line_height, face, least, balanced=True)


def _fit_size(picture: Image.Image | None, width: int, height: int) -> Size:
    if picture is None:
        return width, 0
    scale = min(width / picture.width, height / picture.height)
    return max(1, round(picture.width * scale)), max(1, round(picture.height * scale))


def _draw_picture(
    canvas: Canvas, arranged: _Arranged, number: int, picture: Image.Image | None, ahead: int
) -> None:
    """Draw one picture under its heading.

    ``ahead``: 0 for the one being spoken of, positive for later ones.
    """
    palette, plan, head = canvas.palette, canvas.plan, arranged.heads[number]
    left, top, right, bottom = arranged.boxes[number]
    width, height = arranged.sizes[number]
    tallest = max(size[1] for size in arranged.sizes)
    top += (bottom - top - arranged.above - plan.px(_ROOM) - tallest) // 2
    across = max(width, min(right - left, round(head.width) + 2 * plan.px(_PAD)))
    middle = (left + right) // 2
    panel = (middle - across // 2, top, middle - across // 2 + across, top + arranged.above)
    surface = (
        Surface(palette.ink, 0.1, palette.ink)
        if ahead > 0
        else palette.fields[0 if ahead == 0 else 1]
    )
    canvas.draw_panel(panel, plan.px(canvas.look.corner), surface)
    start = top + (arranged.above - head.height) // 2
    canvas.draw_block(head, (left, start, right, bottom), surface.ink, "centre", "point")
    if picture is None:
        return
    fitted = picture.resize((width, height), Image.Resampling.LANCZOS)
    mask = images.draw_rounded_mask(fitted, plan.px(canvas.look.corner))
    if ahead > 0:
        mask = mask.point(lambda level: round(level * _MUTED))
    canvas.image.paste(
        fitted.convert("RGB"), (middle - width // 2, top + arranged.above + plan.px(_ROOM)), mask
    )
