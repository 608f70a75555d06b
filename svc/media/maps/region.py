"""The map of a region: its land, and some countries of it, as masks."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from svc.media.maps import outlines, projection, shape
from svc.media.maps.outlines import Points, Polygon

_WIDEST = 70.0  # degrees from the middle: countries farther apart are on a map of the world
_WORLD = 0.62  # of its width: the height of such a map
_NEAR = 110.0  # degrees from the middle that a part of the land may begin at
# The space around the countries, in shares of their extent, and the least that a map shows, in
# radii of the Earth.
_MARGIN, _LEAST = 0.16, 0.22
_OVERSAMPLING = 3  # masks are drawn this many times larger, then reduced, for smooth edges
# The least extent of a country without a dot, and the dot's radius, in shares of the shorter side.
_SPECK, _DOT = 0.018, 0.016


class Region(NamedTuple):
    """Masks of one size: of all land, and of each country."""

    land: Image.Image
    countries: tuple[Image.Image, ...]


def choose_height(codes: tuple[str, ...], width: int, most: int) -> int:
    """Return how many pixels, at most ``most``, a map of ``codes`` should be high:
    one of the world is a wide one.
    """
    return min(most, round(width * _WORLD)) if _find_middle(codes)[2] > _WIDEST else most


@lru_cache(maxsize=16)
def draw_region(codes: tuple[str, ...], width: int, height: int) -> Region:
    """Return the map of the region that ``codes`` lie in, of ``width`` × ``height`` pixels. It has
    no borders but theirs.

    A country too small to be seen is a dot.
    """
    parts = [_find_parts(code) for code in codes]
    longitude, latitude, reach = _find_middle(codes)
    world = reach > _WIDEST
    project = (
        projection.project_equal_earth if world else projection.project_around(longitude, latitude)
    )
    placed = [project(polygon[0]) for each in parts for polygon in each]
    corner, scale = _fit_frame(np.concatenate(placed), width, height)

    def on_map(ring: Points) -> Points:
        return (project(ring) - corner) * scale * _OVERSAMPLING

    size = (width * _OVERSAMPLING, height * _OVERSAMPLING)
    everywhere = [
        polygon
        for code in (*sorted(outlines.list_codes()), outlines.NO_COUNTRY)
        for polygon in outlines.find_polygons(code)
    ]
    middle = None if world else (longitude, latitude)
    land = _draw_mask(
        [[on_map(ring) for ring in polygon] for polygon in everywhere if _is_near(polygon, middle)],
        size,
    )
    shown = (
        _draw_country([[on_map(ring) for ring in polygon] for polygon in each], size)
        for each in parts
    )
    return Region(land.reduce(_OVERSAMPLING), tuple(mask.reduce(_OVERSAMPLING) for mask in shown))


def _find_parts(code: str) -> tuple[Polygon, ...]:
    return shape.main_parts(code) or outlines.find_polygons(code)


def _find_middle(codes: tuple[str, ...]) -> tuple[float, float, float]:
    return projection.find_middle(
        np.concatenate([polygon[0] for code in codes for polygon in _find_parts(code)])
    )


def _fit_frame(points: Points, width: int, height: int) -> tuple[Points, float]:
    """Return the map's top left corner in radii of the Earth, and how many pixels one radius is."""
    least, most = points.min(axis=0), points.max(axis=0)
    extent = np.maximum((most - least) * (1 + 2 * _MARGIN), _LEAST)
    scale = float(min(width / extent[0], height / extent[1]))
    return (least + most) / 2 - np.array([width, height]) / scale / 2, scale


def _is_near(polygon: Polygon, middle: tuple[float, float] | None) -> bool:
    """Return whether a part of the land is not on the other side of the Earth,
    where the projection tears it.
    """
    if middle is None:
        return True
    across, up = np.radians(polygon[0][:, 0] - middle[0]), np.radians(polygon[0][:, 1])
    height = np.radians(middle[1])
    return float(
        (np.sin(height) * np.sin(up) + np.cos(height) * np.cos(up) * np.cos(across)).min()
    ) > np.cos(np.radians(_NEAR))


def _draw_mask(polygons: list[list[Points]], size: tuple[int, int]) -> Image.Image:
    mask = Image.new("L", size)
    pen = ImageDraw.Draw(mask)
    for outer, *holes in polygons:
        pen.polygon([*map(tuple, outer)], fill=255)
        for hole in holes:
            pen.polygon([*map(tuple, hole)], fill=0)
    return mask


def _draw_country(polygons: list[list[Points]], size: tuple[int, int]) -> Image.Image:
    mask, short = _draw_mask(polygons, size), min(size)
    outer = np.concatenate([rings[0] for rings in polygons])
    least, most = outer.min(axis=0), outer.max(axis=0)
    if (most - least).max() < short * _SPECK:
        x, y = (least + most) / 2
        radius = short * _DOT
        ImageDraw.Draw(mask).ellipse([x - radius, y - radius, x + radius, y + radius], fill=255)
    return mask
