"""The presenter's arms and hands, which pass from one gesture to the next.

A gesture is a few numbers for each arm, so that half way between two is a gesture, too.
"""

import math
from dataclasses import astuple, dataclass

from svc.media.colour import BLACK, WHITE, Colour, compute_luminance, mix
from svc.media.figure.pen import Pen, Point

REST, WELCOME, POINT, COUNT, WAVE, WAVE_BACK = range(6)
_SHOULDER = (37.0, 187.0)  # of the left arm; the right one is its mirror image
_MIDDLE = 100.0
_UPPER, _ELBOW, _WRIST = 17.5, 15.5, 10.5  # half of the arm's width
_OUTLINE = 1.5  # of what sets an arm off from the body, which has the same colour
_PALM, _FINGER, _THUMB = 10.0, 3.1, 3.4  # half of the widths of a hand
_KNUCKLES = ((-7.4, -6.5), (-2.6, -9.2), (2.5, -9.4), (7.3, -7.2))  # little finger to index


@dataclass(frozen=True)
class _Arm:
    """Where one arm is, as the left one: the right one is mirrored. Lengths in the drawing's units,
    degrees clockwise from upright; of the fingers, from the little one to the index, how far they
    are stretched (0.0: bent, 1.0) and by how many degrees they part."""

    elbow_x: float
    elbow_y: float
    length: float  # of the forearm
    lean: float  # of the forearm, degrees
    turn: float  # of the hand, degrees
    little: float
    ring: float
    middle: float
    index: float
    thumb: float  # degrees from the hand's axis
    spread: float

    @property
    def elbow(self) -> Point:
        return self.elbow_x, self.elbow_y

    @property
    def wrist(self) -> Point:
        angle = math.radians(self.lean)
        return (
            self.elbow_x + self.length * math.sin(angle),
            self.elbow_y - self.length * math.cos(angle),
        )


# The places of an arm: on the desk, one hand over the other; beside the body, open; towards what is
# beside the presenter.
_FOLDED = _Arm(27, 246, 50, 101, 84, 0.62, 0.66, 0.68, 0.68, 26, 1)
_OPEN = _Arm(21, 245, 47, -43, -34, 0.86, 0.98, 1.0, 0.94, 58, 9)
_SHOWING = _Arm(20, 244, 44, -46, -56, 0.9, 1.0, 1.0, 0.96, 48, 4)
_ONE = _Arm(14, 246, 48, -18, -2, 0.0, 0.0, 0.0, 1.0, 8, 0)
_WAVING = _Arm(9, 243, 50, -24, -24, 0.9, 1.0, 1.0, 0.96, 48, 9)
_WAVED = _Arm(9, 243, 51, -14, 2, 0.9, 1.0, 1.0, 0.96, 48, 9)

_ARMS = {  # the left and the right one
    REST: (_FOLDED, _FOLDED),
    WELCOME: (_OPEN, _OPEN),
    POINT: (_SHOWING, _FOLDED),
    COUNT: (_FOLDED, _ONE),
    WAVE: (_FOLDED, _WAVING),
    WAVE_BACK: (_FOLDED, _WAVED),
}


def blend_arms(before: int, after: int, share: float) -> tuple[_Arm, _Arm]:
    """Return both arms at ``share`` (0.0 to 1.0) of the way from one gesture to another."""
    left, right = (
        _Arm(*(a + (b - a) * share for a, b in zip(astuple(one), astuple(other), strict=True)))
        for one, other in zip(_ARMS[before], _ARMS[after], strict=True)
    )
    return left, right


def draw_arms(
    pen: Pen, skin: Colour, clothes: Colour, outfit: str, arms: tuple[_Arm, _Arm]
) -> None:
    """Draw both arms over the body, in sleeves as long as those of ``outfit``."""
    for side, arm in zip((1, -1), arms, strict=True):
        _draw_arm(pen, skin, clothes, outfit, arm, side)


def _draw_arm(pen: Pen, skin: Colour, clothes: Colour, outfit: str, arm: _Arm, side: int) -> None:
    edge = (
        mix(clothes, BLACK, 0.3) if compute_luminance(clothes) > 0.02 else mix(clothes, WHITE, 0.2)
    )
    shoulder, elbow, wrist = (_mirror(point, side) for point in (_SHOULDER, arm.elbow, arm.wrist))
    cuff = _interpolate(elbow, wrist, 0.86)
    for colour, more in ((edge, _OUTLINE), (clothes, 0.0)):
        pen.limb(shoulder, elbow, _UPPER + more, _ELBOW + more, colour)
    inner = _mirror((_SHOULDER[0] + 7, _SHOULDER[1] + 3), side)
    pen.limb(shoulder, inner, _UPPER, _UPPER + 2, clothes)
    _draw_hand(pen, skin, arm, side)  # before the upper arm on its way up, and in the sleeve
    for colour, more in ((edge, _OUTLINE), (clothes, 0.0)):
        pen.limb(elbow, cuff, _ELBOW + more, _WRIST + 1.5 + more, colour)
    # the elbow passes into the upper arm without a line, and so does the shoulder into the body
    pen.limb(_interpolate(elbow, shoulder, 0.3), elbow, _ELBOW, _ELBOW, clothes)
    _draw_crease(pen, edge, elbow, shoulder, wrist)
    _draw_cuff(pen, clothes, edge, outfit, cuff, wrist)


def _draw_crease(pen: Pen, edge: Colour, elbow: Point, shoulder: Point, wrist: Point) -> None:
    """Draw the fold of the cloth inside the elbow."""
    start = _interpolate(elbow, _interpolate(shoulder, wrist, 0.5), 0.16)
    end = _interpolate(elbow, _interpolate(shoulder, wrist, 0.5), 0.42)
    pen.stroke(start, (start, end, end), fill=edge, width=1.3)


def _draw_cuff(
    pen: Pen, clothes: Colour, edge: Colour, outfit: str, cuff: Point, wrist: Point
) -> None:
    """Draw the end of a sleeve: the shirt below a blazer, or a band."""
    across = _normal_of(cuff, wrist)
    half = _WRIST + 1.5
    if outfit == "blazer":
        end = _extend_line(cuff, wrist, half * 0.75)
        pen.limb(_extend_line(cuff, wrist, half * 0.2), end, half * 0.86, half * 0.82, WHITE)
        pen.limb(_extend_line(cuff, wrist, -half * 0.9), cuff, half, half, clothes)
    colour = edge if outfit == "blazer" else mix(clothes, WHITE, 0.16)
    width = 1.3 if outfit == "blazer" else 3.4
    at = _extend_line(cuff, wrist, half * 0.62)
    first, last = (
        (at[0] + across[0] * half * way * 0.8, at[1] + across[1] * half * way * 0.8)
        for way in (-1, 1)
    )
    pen.stroke(first, (first, last, last), fill=colour, width=width)


def _draw_hand(pen: Pen, skin: Colour, arm: _Arm, side: int) -> None:
    """Draw a hand: four fingers, the palm over their roots, and the thumb."""
    shade = mix(skin, (110, 50, 40), 0.42)
    bends = (arm.little, arm.ring, arm.middle, arm.index)
    lengths = (14.5, 18.0, 19.0, 17.0)
    wrist = _mirror(arm.wrist, side)

    def place(x: float, y: float) -> Point:
        """Return a point of a hand that points up, with its wrist at 0, 0."""
        angle = math.radians(arm.turn)
        turned = (
            x * math.cos(angle) - y * math.sin(angle),
            x * math.sin(angle) + y * math.cos(angle),
        )
        return wrist[0] + turned[0] * side, wrist[1] + turned[1]

    fingers = []
    for number, ((x, y), bend, length) in enumerate(zip(_KNUCKLES, bends, lengths, strict=True)):
        angle = math.radians((number - 1.5) * arm.spread)
        long = 4.5 + (length - 4.5) * bend
        root = (x, y - 8)
        fingers.append((root, (root[0] + long * math.sin(angle), root[1] - long * math.cos(angle))))
    angle = math.radians(arm.thumb)
    start = (6.0, -6.0)
    tip = (start[0] + 15 * math.sin(angle), start[1] - 15 * math.cos(angle))
    for colour, more in ((shade, 1.0), (skin, 0.0)):
        pen.limb(place(*start), place(*tip), _THUMB + 1 + more, _THUMB - 0.4 + more, colour)
        pen.limb(place(0, 6), place(0, -1), 7.5 + more, 8 + more, colour)  # the wrist
        pen.limb(place(-1.5, -5.5), place(-0.5, -11), _PALM + more, _PALM - 0.6 + more, colour)
        if colour == shade:
            for root, end in fingers:
                pen.limb(place(*root), place(*end), _FINGER + more, _FINGER - 0.3 + more, shade)
    for root, end in fingers:
        pen.limb(place(*root), place(*end), _FINGER + 0.7, _FINGER + 0.3, shade)
        pen.limb(place(*root), place(*end), _FINGER, _FINGER - 0.3, skin)
    pen.limb(place(-2, -6), place(-0.5, -10.5), _PALM - 1.2, _PALM - 1.6, skin)


def _mirror(point: Point, side: int) -> Point:
    return (_MIDDLE + (point[0] - _MIDDLE) * side, point[1])


def _interpolate(start: Point, end: Point, share: float) -> Point:
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)


def _extend_line(start: Point, end: Point, length: float) -> Point:
    """Return the point ``length`` after ``start`` on the way to ``end``."""
    return _interpolate(start, end, length / max(0.01, math.dist(start, end)))


def _normal_of(start: Point, end: Point) -> Point:
    long = max(0.01, math.dist(start, end))
    return (-(end[1] - start[1]) / long, (end[0] - start[0]) / long)
