"""The presenter's expression: eyes that look at the viewer and blink,
and a mouth that passes from one shape to the next.
"""

from dataclasses import astuple, dataclass, replace

from svc.media.colour import WHITE, Colour, compute_luminance, mix
from svc.media.figure.mouth import BITE, OPEN, PARTED, ROUND, SHUT, WIDE
from svc.media.figure.pen import Pen

EYES, LIPS = (73, 84, 127, 102), (79, 113, 121, 142)  # left, top, right, bottom of the moving parts
OPENED, HALF, CLOSED = range(3)  # lids
CALM, KIND, SMILING = range(3)  # cheeks: low; as of somebody friendly who speaks; raised by a smile
_INK: Colour = (38, 28, 32)  # eyes; softer than black
_LIPS: Colour = (168, 74, 74)
_THROAT: Colour = (112, 38, 44)
_TEETH: Colour = (250, 246, 242)
_LOWER_LIDS = {CALM: 0.6, KIND: 1.3, SMILING: 2.4}  # how much of an eye they cover
_GAP = 1.2  # the least height of an open mouth


@dataclass(frozen=True)
class _Shape:
    """A mouth between two curves from corner to corner. Lengths in the drawing's units."""

    half: float  # of the width
    corner: float  # y
    upper: float  # y of the upper curve's handles
    lower: float
    inset: float  # of the handles, from the corners
    teeth: float  # height
    lip: float  # width of the lips


_SHAPES = {
    SHUT: _Shape(12, 121, 127.5, 127.5, 6, 0, 3),
    PARTED: _Shape(12.5, 120.5, 122, 131.5, 3, 5, 1.6),
    OPEN: _Shape(12.5, 120.5, 121, 140, 2.5, 5.5, 1.8),
    WIDE: _Shape(16, 120.5, 122.5, 132, 3.5, 6, 1.6),
    ROUND: _Shape(6.6, 125.5, 116.5, 134.5, 0, 0, 3.2),
    BITE: _Shape(11.5, 122.5, 120, 129.5, 5, 5.5, 2.4),
}


def draw_eyes(pen: Pen, skin: Colour, lids: int, cheeks: int = SMILING) -> None:
    """Draw both eyes, looking straight ahead. ``lids``: OPENED, HALF or CLOSED. ``cheeks``: CALM,
    KIND or SMILING; a smile's raise the lower lids.
    """
    lid = mix(skin, _INK, 0.75)
    for eye in (81.5, 118.5):
        if lids == CLOSED:
            pen.stroke(
                (eye - 5.8, 93.6),
                ((eye - 2.4, 96.6), (eye + 2.4, 96.6), (eye + 5.8, 93.6)),
                fill=lid,
                width=2.2,
            )
            continue
        pen.ellipse(eye, 93, 7, 5.8, mix(WHITE, skin, 0.12))
        pen.ellipse(eye, 93, 4.5, 5.2, _INK)
        pen.ellipse(eye + 1.5, 91, 1.5, 1.6, WHITE)
        _draw_lower_lid(pen, eye, skin, lid, _LOWER_LIDS[cheeks])
        height = 94 if lids == HALF else 88.6
        if lids == HALF:
            pen.polygon(
                [(eye - 8, 85.5), (eye + 8, 85.5), (eye + 8, height), (eye - 8, height)], skin
            )
        pen.stroke(
            (eye - 7, height + 1.6),
            ((eye - 3, height - 1.4), (eye + 3, height - 1.4), (eye + 7, height + 1.6)),
            fill=lid,
            width=1.7,
        )


def _draw_lower_lid(pen: Pen, eye: float, skin: Colour, lid: Colour, rise: float) -> None:
    """Draw the lower lid, which covers ``rise`` of an eye."""
    edge = 98.8 - rise
    pen.shape(
        (eye - 8, edge + 1.6),
        ((eye - 3, edge - 0.7), (eye + 3, edge - 0.7), (eye + 8, edge + 1.6)),
        ((eye + 8, 100), (eye + 8, 100), (eye + 7.5, 100.4)),
        ((eye + 3, 100.4), (eye - 3, 100.4), (eye - 7.5, 100.4)),
        ((eye - 8, 100), (eye - 8, 100), (eye - 8, edge + 1.6)),
        fill=skin,
    )
    pen.stroke(
        (eye - 5.4, edge + 0.8),
        ((eye - 2.4, edge - 0.5), (eye + 2.4, edge - 0.5), (eye + 5.4, edge + 0.8)),
        fill=mix(skin, lid, 0.5),
        width=1.1,
    )


def draw_mouth(pen: Pen, skin: Colour, mouth: int, before: int, cheeks: int = SMILING) -> None:
    """Draw a mouth half way from ``before`` to ``mouth``, which may be the same; its corners are as
    high as the ``cheeks``.
    """
    first, second = (_find_shape(each, cheeks) for each in (before, mouth))
    shape = _Shape(*((a + b) / 2 for a, b in zip(astuple(first), astuple(second), strict=True)))
    lips = (
        mix(_LIPS, skin, 0.12) if compute_luminance(skin) > 0.25 else mix(skin, (70, 12, 24), 0.6)
    )
    left, right = (100 - shape.half, shape.corner), (100 + shape.half, shape.corner)
    upper = _make_curve(shape, shape.upper, right)
    if shape.lower - shape.upper > _GAP:
        pen.shape(left, upper, _make_back_curve(shape, shape.lower, left), fill=_THROAT)
        if shape.teeth > _GAP:
            edge = min(shape.lower - 1, shape.upper + shape.teeth)
            pen.shape(left, upper, _make_back_curve(shape, edge, left), fill=_TEETH)
        pen.stroke(left, _make_curve(shape, shape.lower, right), fill=lips, width=shape.lip)
    pen.stroke(left, upper, fill=lips, width=shape.lip)


def _find_shape(mouth: int, cheeks: int) -> _Shape:
    """Return the shape of a mouth; one that does not smile is straight when it is shut."""
    shape = _SHAPES[mouth]
    if cheeks != CALM:
        return shape
    if mouth == SHUT:
        return replace(shape, half=10, corner=122.6, upper=124.4, lower=124.4, lip=2.6)
    return replace(shape, corner=shape.corner + (0 if mouth == ROUND else 2.4))


def _make_curve(shape: _Shape, handle: float, end: tuple[float, float]):
    inset = shape.half - shape.inset
    return (100 - inset, handle), (100 + inset, handle), end


def _make_back_curve(shape: _Shape, handle: float, end: tuple[float, float]):
    inset = shape.half - shape.inset
    return (100 + inset, handle), (100 - inset, handle), end
