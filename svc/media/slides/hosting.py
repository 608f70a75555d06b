"""Where the presenter hosts a composed scene: as a half body behind a desk, at the film's title, at
its close, and where a chapter begins.
"""

from svc.media.drawing import host as drawing
from svc.media.drawing import sprites
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.host import Host
from svc.media.drawing.sprites import Sprite
from svc.media.model import Scene, Script
from svc.media.slides import framings

_LARGEST = 660  # the side of the host's square, in 1/1080 of the short side
# of pictures beside the host's head: their size, and the height of their feet, in shares of the
# host's side; hands reach no higher
_SIZE, _FEET = 0.25, (0.4, 0.31)
_BESIDE = 1.26  # times its side: the width of the host with pictures
_LEAST = 8  # words: while fewer are said, nobody comes and goes
_DEPTH = 0.1  # with which they move with the camera: hardly, so that they stay clear of the host


def hosted_scenes(script: Script) -> frozenset[int]:
    """Return the scenes that the presenter hosts: the title, the close, and prose with which a
    chapter begins, of which they host the first framings.
    """
    found, heading = set(), ""
    for number, scene in enumerate(script.scenes):
        if scene.layout in ("title", "close") or (
            scene.heading not in ("", heading) and count_framings(scene)
        ):
            found.add(number)
        heading = scene.heading or heading
    return frozenset(found)


def count_framings(scene: Scene) -> int:
    """Return how many framings of prose the presenter hosts where a chapter begins with it: one, or
    two if the first is short; 0 if no other would be left for its pictures.
    """
    framed = framings.framings_of(scene)
    if len(framed) > 1 and framed[1].first >= _LEAST:
        return 1
    return 2 if len(framed) > 2 else 0


def has_room(scene: Scene, is_stacked: bool) -> bool:
    """Return whether a frame has room for the host: a tall one needs all of it for a code to
    scan.
    """
    return not (is_stacked and scene.layout == "close" and scene.sight.note)


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
    for turn, ((name, colour), feet, way) in enumerate(zip(shown, _FEET, (-1, 1), strict=False)):
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
        )
        placed.append(at)
    return placed


def reach_of_hands(sprite: Sprite) -> list[tuple[int, int, int, int]]:
    """Return where the hands of a host can be, in pixels of the frame."""
    left, top = sprite.x - sprite.size // 2, sprite.foot - sprite.size
    is_mirrored = bool(sprite.host and sprite.host.mirrored)
    return [
        (left + box[0], top + box[1], left + box[2], top + box[3])
        for box in drawing.hands_within(sprite.size, is_mirrored)
    ]
