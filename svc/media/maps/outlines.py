"""The outlines of countries, read from one compressed file of this package when the first
is asked for.
"""

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FILE = Path(__file__).parent / "outlines.json.xz"  # written by .ci/outlines.py
_LONGEST_EDGE = 1.0  # degrees: a longer one gets points, because a projection bends it

Points = NDArray[np.float64]  # one row per point: longitude and latitude in degrees, or x and y
Polygon = tuple[Points, ...]  # its outer ring, then its holes

NO_COUNTRY = ""  # the code of land that has none


def list_codes() -> frozenset[str]:
    """Return the codes (ISO 3166-1 alpha-2 in small letters, and xk) of all countries
    with an outline.
    """
    return frozenset(_load_file()["countries"]) - {NO_COUNTRY}


@cache
def find_polygons(code: str) -> tuple[Polygon, ...]:
    """Return the polygons of a country, the largest first; none for an unknown code."""
    polygons = _load_file()["countries"].get(code, ())
    return tuple(tuple(_join_arcs(ring) for ring in polygon) for polygon in polygons)


def _join_arcs(arcs: list[int]) -> Points:
    """Return a closed line. One that crosses the 180th meridian goes on beyond it."""
    points = np.concatenate([_read_arc(arc) for arc in arcs])
    points[:, 0] = np.unwrap(points[:, 0], period=360)
    return points


@cache
def _read_arc(arc: int) -> Points:
    """Return a line; ~arc is the same line backwards."""
    if arc < 0:
        return _read_arc(~arc)[::-1]
    steps = np.array(_load_file()["lines"][arc], np.float64).reshape(-1, 2).cumsum(axis=0)
    points = steps / _load_file()["steps"]
    edges = np.abs(np.diff(points, axis=0)).max(axis=1, initial=0.0)
    if not (edges > _LONGEST_EDGE).any():
        return points
    along = [0.0]
    for number, edge in enumerate(edges):
        pieces = max(1, int(np.ceil(edge / _LONGEST_EDGE)))
        along += [number + piece / pieces for piece in range(1, pieces + 1)]
    whole = np.arange(len(points))
    return np.stack([np.interp(along, whole, points[:, axis]) for axis in (0, 1)], axis=1)


@cache
def _load_file() -> dict[str, Any]:
    return json.loads(lzma.decompress(_FILE.read_bytes()))
