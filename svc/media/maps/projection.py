"""Projections that keep areas: one around a point, for a country or a region, and one of the whole
world.

Results are in radii of the Earth, with y downwards as in pictures.
"""

from collections.abc import Callable

import numpy as np

from svc.media.maps.outlines import Points

Projection = Callable[[Points], Points]

_EQUAL_EARTH = (1.340264, -0.081106, 0.000893, 0.003796)


def project_around(longitude: float, latitude: float) -> Projection:
    """Return Lambert's azimuthal equal-area projection around a point, in degrees.

    Source: J. P. Snyder, Map Projections – A Working Manual (1987), pages 182–190.
    The opposite point of the Earth has no place.
    """
    middle, height = np.radians(longitude), np.radians(latitude)

    def project(points: Points) -> Points:
        turn, up = np.radians(points[:, 0]) - middle, np.radians(points[:, 1])
        towards = np.sin(height) * np.sin(up) + np.cos(height) * np.cos(up) * np.cos(turn)
        scale = np.sqrt(2 / np.maximum(1e-9, 1 + towards))
        x = scale * np.cos(up) * np.sin(turn)
        y = scale * (np.cos(height) * np.sin(up) - np.sin(height) * np.cos(up) * np.cos(turn))
        return np.stack([x, -y], axis=1)

    return project


def project_equal_earth(points: Points) -> Points:
    """Return ``points`` in the Equal Earth projection of the whole world.

    Source: B. Šavrič, T. Patterson, B. Jenny, The Equal Earth map projection (2019).
    """
    first, second, third, fourth = _EQUAL_EARTH
    angle = np.arcsin(np.sqrt(3) / 2 * np.sin(np.radians(points[:, 1])))
    square = angle**2
    sixth = square**3
    slope = first + 3 * second * square + sixth * (7 * third + 9 * fourth * square)
    x = 2 / np.sqrt(3) * np.radians(points[:, 0]) * np.cos(angle) / slope
    y = angle * (first + second * square + sixth * (third + fourth * square))
    return np.stack([x, -y], axis=1)


def find_middle(points: Points) -> tuple[float, float, float]:
    """Return the longitude and latitude in the middle of ``points``, and how far the farthest is
    from it, all in degrees.

    It is the middle of the points' box, so that many points on one coast do not draw it there.
    """
    across, up = np.radians(points[:, 0]), np.radians(points[:, 1])
    vectors = np.stack(
        [np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)], axis=1
    )
    centre = (vectors.min(axis=0) + vectors.max(axis=0)) / 2
    length = float(np.linalg.norm(centre))
    centre = centre / length if length > 1e-6 else vectors[0]
    reach = float(np.degrees(np.arccos(np.clip((vectors @ centre).min(), -1.0, 1.0))))
    return (
        float(np.degrees(np.arctan2(centre[1], centre[0]))),
        float(np.degrees(np.arcsin(np.clip(centre[2], -1, 1)))),
        reach,
    )
