"""A pen that draws curved shapes in a figure's own units, larger than they are needed,
for smooth edges.
"""

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw

from svc.media.colour import Colour

OVERSAMPLING = 4  # drawn this many times larger, then reduced
SPAN = 200.0  # the drawing's own units across

Point = tuple[float, float]
Curve = tuple[Point, Point, Point]  # two handles and an end point


class Pen:
    """Draws shapes in the drawing's own units (0 to 200, y downwards) on a large canvas,
    or on a part of one.
    """

    def __init__(
        self, pixels: float, part: Image.Image | None = None, origin: tuple[int, int] = (0, 0)
    ):
        """``pixels``: of the large canvas, across. ``part``: the part of it that begins at
        ``origin`` (pixels of the small picture); None: a new, transparent one."""
        self.scale = pixels / SPAN
        self.image = part or Image.new("RGBA", (round(pixels), round(pixels)))
        self.draw = ImageDraw.Draw(self.image)
        self._left, self._top = (edge * OVERSAMPLING for edge in origin)

    def ellipse(self, x: float, y: float, across: float, down: float, fill: Colour) -> None:
        """Draw an ellipse centred on x, y with half axes ``across`` and ``down``."""
        self.draw.ellipse(
            [*self.to_pixels(x - across, y - down), *self.to_pixels(x + across, y + down)],
            fill=fill,
        )

    def ring(
        self, x: float, y: float, across: float, down: float, colour: Colour, width: float
    ) -> None:
        """Draw the outline of an ellipse."""
        edges = [*self.to_pixels(x - across, y - down), *self.to_pixels(x + across, y + down)]
        self.draw.ellipse(edges, outline=colour, width=max(1, round(width * self.scale)))

    def shape(self, start: Point, *curves: Curve, fill: Colour) -> None:
        """Fill a closed outline of cubic Bézier curves, each given by two handles and
        an end point.
        """
        self.draw.polygon(
            [self.to_pixels(x, y) for x, y in _draw_outline(start, curves)], fill=fill
        )

    def polygon(self, points: Sequence[Point], fill: Colour) -> None:
        """Fill an outline of straight lines."""
        self.draw.polygon([self.to_pixels(x, y) for x, y in points], fill=fill)

    def stroke(self, start: Point, *curves: Curve, fill: Colour, width: float) -> None:
        """Draw a line with round ends along cubic Bézier curves."""
        for x, y in _draw_outline(start, curves, steps=60):
            self.ellipse(x, y, width / 2, width / 2, fill)

    def limb(self, start: Point, end: Point, first: float, last: float, fill: Colour) -> None:
        """Draw a straight part with round ends, whose half width goes from ``first`` to
        ``last``.
        """
        long = math.dist(start, end)
        if long > abs(first - last):
            tilt = math.asin((first - last) / long)
            along = math.atan2(end[1] - start[1], end[0] - start[0])
            corners = []
            for (x, y), half, side in (
                (start, first, 1),
                (end, last, 1),
                (end, last, -1),
                (start, first, -1),
            ):
                angle = along + side * (math.pi / 2 - tilt)
                corners.append((x + half * math.cos(angle), y + half * math.sin(angle)))
            self.polygon(corners, fill)
        self.ellipse(*start, first, first, fill)
        self.ellipse(*end, last, last, fill)

    def to_pixels(self, x: float, y: float) -> Point:
        """Return where a point of the drawing is, in pixels of the large canvas."""
        return x * self.scale - self._left, y * self.scale - self._top


def _draw_outline(start: Point, curves: Sequence[Curve], steps: int = 40) -> list[Point]:
    points, last = [start], start
    for first, second, end in curves:
        for step in range(1, steps + 1):
            points.append(_compute_bezier(last, first, second, end, step / steps))
        last = end
    return points


def _compute_bezier(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    u = 1 - t
    weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
    x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
    return x, y
