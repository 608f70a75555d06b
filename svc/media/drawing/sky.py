"""The ground of composed scenes: a sky of the brand's colours with drifting lights, above hills,
under film grain.

A film has several sceneries, one for each of its chapters in turn, which differ in the light that
most of the sky has and in the shape of the hills. Only the sky's brightness drifts, so that a step
costs the encoder little; the grain stays where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from svc.media.colour import Colour, mix
from svc.media.drawing.palette import Palette

LIGHT_POSITIONS = 72  # places on the way round; the lights are back where they began after the last
_WAY = 0.03  # of the frame: how far a light drifts to each side
_SOFT = 2.6  # how fast a light fades with the square of the distance
_GRAIN, _TILE = 3.0, 256  # standard deviation of the grain, of 255; pixels of the tile that repeats
_HORIZON, _HORIZON_TALL = 0.66, 0.6  # of the height, in wide and in tall frames
# How many steps of the drift pass until a light moves: each move changes the whole sky, which is
# dear to encode.
LIGHT_STRIDE = 6
_COARSE = 8  # pixels: brightness changes so slowly that one value is enough for so many
_POINTS = 64  # on the curve
_FINE = 8  # parts of one step of brightness, of which 16 to each side are enough
# Of a disc in the sky: its opacity, and the share of the first light in its colour.
_DISC, _DISC_TINT = 0.8, 0.3
_SEEN = 6  # of 255: what covers less leaves the sky to be seen

Tint = Colour | float


@dataclass(frozen=True)
class _Light:
    """``number``: of the palette's lights. ``across``, ``down``: its centre in shares of the frame.
    ``reach``: in longer sides.
    """

    number: int
    across: float
    down: float
    reach: float


@dataclass(frozen=True)
class _Hill:
    """A hill whose edge is one curve. ``start`` and ``end``: how far below the horizon the curve is
    at the sides, in shares of the height; ``handles``: between them, across and below. ``lit``: the
    share of the first light in its colour.
    """

    start: float
    handles: tuple[tuple[float, float], tuple[float, float]]
    end: float
    lit: float = 0.0


@dataclass(frozen=True)
class _Disc:
    """A sun or moon behind the hills. ``radius``: in shorter sides."""

    across: float
    down: float
    radius: float


@dataclass(frozen=True)
class Scenery:
    """What a sky and the hills below it are made of, the farthest first."""

    lights: tuple[_Light, _Light, _Light]
    hills: tuple[_Hill, ...]
    disc: _Disc | None = None


# The first is that of a film's title and of its close.
SCENERIES = (
    Scenery(
        (_Light(0, 0.2, 0.1, 0.62), _Light(1, 0.92, 0.34, 0.6), _Light(2, 0.42, 0.98, 0.56)),
        (_Hill(0.0, ((0.3, -0.05), (0.6, 0.05)), -0.02),),
    ),
    Scenery(
        (_Light(1, 0.25, 0.0, 0.95), _Light(1, 0.9, 0.2, 0.6), _Light(0, 0.95, 0.9, 0.5)),
        (
            _Hill(0.04, ((0.25, 0.06), (0.6, -0.16)), -0.1, lit=0.5),
            _Hill(-0.04, ((0.3, -0.06), (0.6, 0.14)), 0.06),
        ),
    ),
    Scenery(
        (_Light(2, 0.3, 0.1, 0.95), _Light(2, 0.95, 0.5, 0.55), _Light(0, 0.5, 1.0, 0.4)),
        (_Hill(-0.02, ((0.4, 0.02), (0.6, 0.02)), -0.02),),
        _Disc(0.95, 0.48, 0.34),
    ),
    Scenery(
        (_Light(0, 0.8, 0.0, 0.8), _Light(1, 0.1, 0.2, 0.5), _Light(0, 0.4, 1.0, 0.6)),
        (
            _Hill(-0.16, ((0.3, -0.11), (0.6, 0.04)), 0.04, lit=0.5),
            _Hill(0.06, ((0.4, 0.08), (0.7, -0.04)), -0.06),
        ),
    ),
)


def find_horizon(width: int, height: int) -> int:
    """Return how many pixels below the top the ground begins, on average."""
    return round(height * (_HORIZON if width >= height else _HORIZON_TALL))


def draw_sky(
    width: int, height: int, palette: Palette, right_to_left: bool, number: int = 0
) -> np.ndarray:
    """Return the ground as it is while nothing drifts: ``(height, width, 3)``, uint8.

    ``palette.sky``: three lights, and the lower ground at its edge and at its foot. ``number``: of
    the scenery.
    """
    result = np.empty((height, width, 3), np.uint8)
    # Each channel by itself, as the whole picture in fractions takes four times as much memory.
    for channel in range(3):
        result[..., channel] = _draw_channel(width, height, palette, SCENERIES[number], channel)
    return np.ascontiguousarray(result[:, ::-1]) if right_to_left else result


def _draw_channel(
    width: int, height: int, palette: Palette, scenery: Scenery, channel: int
) -> np.ndarray:
    """Return one channel of the picture of :func:`draw_sky`: ``(height, width)``, uint8."""
    *lights, near, far = palette.sky
    tints = [lights[light.number] for light in scenery.lights]
    lit = [tint[channel] for tint in tints]
    coarse = _light_sky(*_coarse(width, height), scenery, palette.ground[channel], lit, 0)[..., 0]
    picture = _enlarge(coarse, width, height).copy()
    if scenery.disc:
        disc = mix(lights[1], lights[0], _DISC_TINT)[channel]
        picture += (disc - picture) * (_DISC * _as_share(_cover_disc(width, height, scenery.disc)))
    rows = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    start = find_horizon(width, height) / height
    share = np.clip((rows - start) / (1 - start), 0, 1)
    for hill in scenery.hills:
        edge = mix(near, tints[0], hill.lit)[channel]
        below = edge + share * np.float32(far[channel] - edge)
        picture += (below - picture) * _as_share(_cover_hill(width, height, hill))
    picture += np.tile(_grain(), (-(-height // _TILE), -(-width // _TILE)))[:height, :width]
    picture += 0.5
    return np.clip(picture, 0, 255, out=picture).astype(np.uint8)


def _as_share(cover: np.ndarray) -> np.ndarray:
    return cover / np.float32(255)


def draw_sky_mask(
    width: int, height: int, right_to_left: bool = False, number: int = 0
) -> np.ndarray:
    """Return where the sky is, as ones and zeros, uint8, of shape ``(height, width)``."""
    scenery = SCENERIES[number]
    covers = [_cover_hill(width, height, hill) for hill in scenery.hills]
    covers += [_cover_disc(width, height, scenery.disc)] if scenery.disc else []
    sky = np.logical_and.reduce([cover < _SEEN for cover in covers]).astype(np.uint8)
    return np.ascontiguousarray(sky[:, ::-1]) if right_to_left else sky


class Brightness:
    """How the sky's luma differs at each step from where its lights begin."""

    def __init__(
        self,
        width: int,
        height: int,
        base: float,
        lights: tuple[float, ...],
        right_to_left: bool = False,
        number: int = 0,
    ):
        """``base``, ``lights``: their luma, 16 to 235. ``number``: of the scenery."""
        self._size, self._base, self._mirrored = (width, height), base, right_to_left
        self._scenery = SCENERIES[number]
        self._lights = [lights[light.number] for light in self._scenery.lights]
        self._first = self._light(0)
        self._step: tuple[int, np.ndarray] = (0, np.zeros((height, width), np.uint8))

    def compute_differences(self, step: int) -> np.ndarray:
        """Return the differences modulo 256, uint8, of shape ``(height, width)``, which are shared:
        do not change them.
        """
        step = step // LIGHT_STRIDE * LIGHT_STRIDE % LIGHT_POSITIONS
        if self._step[0] != step:
            change = (self._light(step) - self._first)[..., 0]
            fine = np.clip(change * _FINE + (128 + _FINE // 2), 0, 255).astype(np.uint8)
            image = Image.fromarray(fine[:, ::-1] if self._mirrored else fine)
            whole = np.array(image.resize(self._size, Image.Resampling.BILINEAR))
            whole //= _FINE
            whole -= 128 // _FINE
            self._step = (step, whole)
        return self._step[1]

    def _light(self, step: int) -> np.ndarray:
        return _light_sky(*_coarse(*self._size), self._scenery, self._base, self._lights, step)


def _coarse(width: int, height: int) -> tuple[int, int]:
    return -(-width // _COARSE), -(-height // _COARSE)


def _light_sky(
    width: int, height: int, scenery: Scenery, base: Tint, tints: Sequence[Tint], step: int
) -> np.ndarray:
    """Return the sky of ``width`` × ``height`` values at ``step``: ``(height, width, channels)``,
    float32.

    ``tints``: of the scenery's lights.
    """
    picture = np.empty((height, width, np.size(base)), np.float32)
    picture[:] = base
    x, y = (np.arange(side, dtype=np.float32) + 0.5 for side in (width, height))
    for number, (tint, light) in enumerate(zip(tints, scenery.lights, strict=True)):
        angle = 2 * np.pi * (step / LIGHT_POSITIONS * (1 if number != 1 else -1) + number / 3)
        centre = (
            (light.across + _WAY * np.sin(angle)) * width,
            (light.down + _WAY * np.cos(angle)) * height,
        )
        far = _SOFT / (light.reach * max(width, height)) ** 2
        strength = np.outer(
            np.exp(-((y - centre[1]) ** 2) * far), np.exp(-((x - centre[0]) ** 2) * far)
        )
        picture += (np.asarray(tint, np.float32) - picture) * strength[..., None].astype(np.float32)
    return picture


def _enlarge(values: np.ndarray, width: int, height: int) -> np.ndarray:
    image = Image.fromarray(np.ascontiguousarray(values, np.float32))
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC))


@lru_cache(maxsize=4)
def _cover_hill(width: int, height: int, hill: _Hill) -> np.ndarray:
    """Return how much a hill covers: 0 to 255, uint8, ``(height, width)``, with a smooth edge."""
    start = find_horizon(width, height)
    handles = (
        (0.0, start + hill.start * height),
        *((across * width, start + below * height) for across, below in hill.handles),
        (width, start + hill.end * height),
    )
    points = []
    for number in range(_POINTS + 1):
        t = number / _POINTS
        shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        points.append(
            tuple(
                sum(share * point[axis] for share, point in zip(shares, handles, strict=True))
                for axis in (0, 1)
            )
        )
    mask = Image.new("L", (width, height * 2))
    outline = [(x, y * 2) for x, y in points]
    ImageDraw.Draw(mask).polygon([*outline, (width, height * 2), (0, height * 2)], fill=255)
    return np.asarray(mask.reduce((1, 2)))


@lru_cache(maxsize=2)
def _cover_disc(width: int, height: int, disc: _Disc) -> np.ndarray:
    """Return how much a disc covers, as :func:`_cover_hill`."""
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    away = np.hypot(x - disc.across * width, y - disc.down * height)
    inside = np.clip(disc.radius * min(width, height) - away + 0.5, 0, 1)
    return np.asarray(inside * 255).astype(np.uint8)


@lru_cache(maxsize=1)
def _grain() -> np.ndarray:
    """Return one tile of grain, the same in every run."""
    return np.random.default_rng(1).normal(0, _GRAIN, (_TILE, _TILE)).astype(np.float32)
