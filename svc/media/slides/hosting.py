"""Where the presenter hosts a composed scene: as a half body behind a desk, at the film's title, at
its close, and where a chapter begins.
"""

from dataclasses import replace

from svc.media.drawing import sprites
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import FrameLayout
from svc.media.drawing.sprites import Sprite
from svc.media.figure.host import Host
from svc.media.model import CARDS, Scene, Script
from svc.media.slides import framings

_LARGEST = 660  # the side of the host's square, in 1/1080 of the short side
# The size of pictures beside the host's head, and the heights of their feet, in shares of the
# host's side: hands reach no higher.
_SIZE, _FEET = 0.25, (0.4, 0.31)
# The same for pictures that have room beside the host's square, and the space between the two.
_SIZE_CLEAR, _FEET_CLEAR, _APART = 0.62, (0.74, 0.62), 16
_BESIDE = 1.26  # times its side: the width of the host with pictures
# The share of the content's height for text above a host who has the presenter's place, and by how
# much the content is narrower beside it, in 1/1080 of the short side.
_ABOVE, _NARROWER = 0.42, 90
_LONGEST_TITLE = 80  # characters, which are never cut beside the host
_LEAST = 8  # words: while fewer are said, nobody comes and goes
_DEPTH = 0.1  # with which they move with the camera: hardly, so that they stay clear of the host


def find_hosted_scenes(script: Script, is_composed: bool = True) -> frozenset[int]:
    """Return the scenes that the presenter hosts: the title, the close, and prose with which a
    chapter begins, of which they host the first framings if the look composes its scenes.
    """
    hosted, seen = set(), {""}  # scenes, and headings
    for number, scene in enumerate(script.scenes):
        if scene.layout in CARDS or (
            scene.heading not in seen
            and (count_framings(scene) if is_composed else _is_prose(scene))
        ):
            hosted.add(number)
        seen.add(scene.heading)
    return frozenset(hosted)


def count_framings(scene: Scene) -> int:
    """Return how many framings of prose the presenter hosts where a chapter begins with it: one, or
    two if the first is short; 0 if no other would be left for its pictures.
    """
    framed = framings.list_framings(scene)
    if len(framed) > 1 and framed[1].first >= _LEAST:
        return 1
    return 2 if len(framed) > 2 else 0


def has_room(scene: Scene, plan: FrameLayout, is_composed: bool) -> bool:
    """Return whether a frame has room for the host. A long title needs all of it; so do, in a tall
    one, a code to scan and prose that is not framed.
    """
    if scene.layout == "title" and len(scene.heading) > _LONGEST_TITLE:
        return False
    if not plan.stacked:
        return True
    return (is_composed or scene.layout in CARDS) and not (
        scene.layout == "close" and scene.sight.note
    )


def split_off(canvas: Canvas, scene: Scene) -> tuple[FrameLayout, Scene]:
    """Return the layout with the content beside or above a host who has the presenter's place, and
    what is shown there of ``scene``: in a tall frame, no picture.
    """
    plan, (left, top, right, bottom) = canvas.plan, canvas.plan.content
    if plan.stacked:
        foot = top + round((bottom - top) * _ABOVE)
        return replace(plan, content=(left, top, right, foot)), replace(scene, illustration="")
    less = plan.px(_NARROWER)
    if canvas.right_to_left:
        return replace(plan, content=(left + less, top, right, bottom)), scene
    return replace(plan, content=(left, top, right - less, bottom)), scene


def place_in_column(canvas: Canvas, host: Host, whole: FrameLayout) -> list[Sprite]:
    """Return the host in the presenter's place beside the content, or below it in a tall frame."""
    gap, (left, top, right, bottom) = whole.px(30), whole.content
    if whole.stacked:
        box = (left, top + round((bottom - top) * _ABOVE) + gap, right, bottom)
    else:
        start = canvas.plan.content[0 if canvas.right_to_left else 2]
        edges = (
            (whole.safe[0], start - gap) if canvas.right_to_left else (start + gap, whole.safe[2])
        )
        box = (edges[0], whole.brand[3] + gap, edges[1], whole.label[1] - gap // 2)
    size = min(whole.px(_LARGEST), box[2] - box[0], box[3] - box[1]) // 2 * 2
    return [Sprite(sprites.HOST, (box[0] + box[2]) // 2, box[3], size, host=host)]


def place_host(
    canvas: Canvas, host: Host, shown: list[tuple[str, str]], box: tuple[int, int, int, int]
) -> list[Sprite]:
    """Return the host in the middle of ``box``, with pictures beside the head.

    ``shown``: their names, with the colours of those that take one.
    """
    plan, (left, top, right, bottom) = canvas.plan, box
    width = round((right - left) / _BESIDE)
    size = min(plan.px(_LARGEST), width, bottom - top) // 2 * 2
    x, foot = (left + right) // 2, bottom
    placed = [Sprite(sprites.HOST, x, foot, size, host=host)]
    side = round(size * _SIZE)
    off = round(size * _BESIDE / 2) - side // 2
    feet_of = _FEET
    free = (right - left - size) // 2 - plan.px(_APART)  # clear of the host's square, and of hands
    if min(free, round(size * _SIZE_CLEAR)) > side:
        side, feet_of = min(free, round(size * _SIZE_CLEAR)), _FEET_CLEAR
        off = size // 2 + plan.px(_APART) // 2 + side // 2
    for turn, ((name, colour), feet, way) in enumerate(zip(shown, feet_of, (-1, 1), strict=False)):
        way = -way if canvas.right_to_left else way
        at = Sprite(
            name,
            x + way * off,
            foot - size + round(size * feet),
            side,
            _DEPTH * way,
            True,
            turn + 1,
            colour,
            grounds=canvas.palette.grounds,
        )
        placed.append(at)
    return placed


def _is_prose(scene: Scene) -> bool:
    return scene.layout == "prose" and not (scene.points or scene.sight.kind)
