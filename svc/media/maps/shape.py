"""The shape of one country: its land as far as it lies together, as a picture."""

from functools import cache

import numpy as np
from PIL import Image, ImageDraw

from svc.media.maps import outlines, projection
from svc.media.maps.outlines import Points, Polygon

_FARTHER = 1.1  # how much a part may lengthen the diagonal of the large ones
_LARGE = 0.17  # of the largest part's area: such a part belongs to the picture wherever it is
# The share of a country's area that the parts must have: a country of scattered islands has no
# shape.
_TOGETHER = 0.7
_FEWEST = 9  # points of an outline that is one
_SMALLEST = 1.4e-5  # of the Earth's radius squared: some 570 km²
_THINNEST = 0.02  # of the square around it that is land; islands far from one another are specks
_SIDE, _MARGIN = 512, 24  # of the picture's view box, which is that of a flag, and around the shape
_BADGE, _RIM = 156, 8  # the diameter of the flag, and the white line around it
# Countries whose outline the parties to a dispute draw differently: a picture would take a side,
# their flag does not.
DISPUTED = frozenset(
    (
        "am",
        "az",
        "cn",
        "cy",
        "eh",
        "ge",
        "il",
        "in",
        "ma",
        "md",
        "pk",
        "ps",
        "rs",
        "ru",
        "sd",
        "so",
        "ss",
        "sy",
        "ua",
        "xk",
    )
)
_COARSE = 8  # units of the view box in one pixel of the mask that finds the flag's place


@cache
def main_parts(code: str) -> tuple[Polygon, ...]:
    """Return the polygons of a country that lie together: not those across an ocean.

    None for an unknown code.
    """
    polygons = outlines.find_polygons(code)
    if not polygons:
        return ()
    project = _make_projection(polygons[:1])
    flat = [project(polygon[0]) for polygon in polygons]
    large = [
        ring for ring in flat if measure_ring_area(ring) >= _LARGE * measure_ring_area(flat[0])
    ]
    box = _find_bounds(np.concatenate(large))
    most = _FARTHER * _measure_diagonal(box)
    return tuple(
        polygon
        for polygon, ring in zip(polygons, flat, strict=True)
        if any(ring is other for other in large)
        or _measure_diagonal(_find_bounds(np.concatenate([box, ring]))) <= most
    )


@cache
def has_shape(code: str) -> bool:
    """Return whether a country has a shape that can be told from others and is not disputed: no
    microstate or scattered islands."""
    polygons, parts = outlines.find_polygons(code), main_parts(code)
    if not parts or code == outlines.NO_COUNTRY or code in DISPUTED:
        return False
    project = _make_projection(parts)
    whole, shown = (
        sum(measure_ring_area(project(polygon[0])) for polygon in some)
        for some in (polygons, parts)
    )
    (left, top), (right, bottom) = _find_bounds(
        np.concatenate([project(polygon[0]) for polygon in parts])
    )
    least = max(_SMALLEST, _TOGETHER * whole, _THINNEST * max(right - left, bottom - top) ** 2)
    return shown >= least and sum(len(polygon[0]) for polygon in parts) >= _FEWEST


def shape_picture(code: str, flag: str, colour: str) -> str:
    """Return the shape in ``colour`` with its flag in the corner that covers least of it, as an SVG
    document.

    ``flag``: the inside of an SVG of 512 × 512, or nothing. Raise KeyError for a country without a
    shape.
    """
    rings = _place_rings(code, _SIDE - 2 * _MARGIN)
    path = "".join(_write_path(ring + _MARGIN) for ring in rings)
    shape = f'<path fill="{colour}" fill-rule="evenodd" d="{path}"/>'
    if flag:
        x, y = _choose_corner(rings)
        middle = f'cx="{x + _BADGE // 2}" cy="{y + _BADGE // 2}"'
        shape += f'<circle {middle} r="{_BADGE // 2 + _RIM}" fill="#ffffff"/>'
        shape += (
            f'<svg x="{x}" y="{y}" width="{_BADGE}" height="{_BADGE}" viewBox="0 0 512 '
            f'512">{flag}</svg>'
        )
    box = f'width="{_SIDE}" height="{_SIDE}" viewBox="0 0 {_SIDE} {_SIDE}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{shape}</svg>'


@cache
def _place_rings(code: str, side: int) -> tuple[Points, ...]:
    """Return all rings of the shape in a square of ``side``.

    Raise KeyError for a country without a shape.
    """
    if not has_shape(code):
        raise KeyError(code)
    parts = main_parts(code)
    project = _make_projection(parts)
    rings = [project(ring) for polygon in parts for ring in polygon]
    (left, top), (right, bottom) = _find_bounds(np.concatenate(rings))
    scale = side / max(right - left, bottom - top)
    shift = np.array([(side - (right - left) * scale) / 2, (side - (bottom - top) * scale) / 2])
    return tuple((ring - (left, top)) * scale + shift for ring in rings)


def _choose_corner(rings: tuple[Points, ...]) -> tuple[int, int]:
    """Return the left and top of the flag, in the corner where it covers least of the shape:
    the first of several.
    """
    mask = Image.new("L", (_SIDE // _COARSE, _SIDE // _COARSE))
    pen = ImageDraw.Draw(mask)
    for ring in rings:
        pen.polygon([(x, y) for x, y in (ring + _MARGIN) / _COARSE], fill=1)
    land, far = np.asarray(mask), _SIDE - _BADGE - _RIM
    corners = [(far, far), (_RIM, far), (far, _RIM), (_RIM, _RIM)]

    def covered(corner: tuple[int, int]) -> int:
        x, y = (edge // _COARSE for edge in corner)
        return int(land[y : y + _BADGE // _COARSE, x : x + _BADGE // _COARSE].sum())

    return min(corners, key=covered)


def measure_ring_area(ring: Points) -> float:
    """Return the area within a projected ring."""
    x, y = ring[:, 0], ring[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def _make_projection(parts: tuple[Polygon, ...]) -> projection.Projection:
    longitude, latitude, _ = projection.find_middle(
        np.concatenate([polygon[0] for polygon in parts])
    )
    return projection.project_around(longitude, latitude)


def _find_bounds(points: Points) -> Points:
    """Return the least and the greatest coordinates."""
    return np.stack([points.min(axis=0), points.max(axis=0)])


def _measure_diagonal(box: Points) -> float:
    return float(np.linalg.norm(box[1] - box[0]))


def _write_path(ring: Points) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in ring) + "Z"
