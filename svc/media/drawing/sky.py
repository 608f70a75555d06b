"""The ground of composed scenes: a sky of the brand's colours with drifting lights, above a lower
ground, under film grain.

Three soft lights drift, and the lower ground's edge is one curve. Only the sky's brightness drifts,
so that a step costs the encoder little; the grain stays where it is.
"""

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from svc.media.drawing.colour import Colour
from svc.media.drawing.palette import Palette

LIGHT_POSITIONS = 72  # places on the way round; the lights are back where they began after the last
# By light: its centre in shares of the frame, and its reach in longer sides.
_LIGHTS = ((0.2, 0.1, 0.62), (0.92, 0.34, 0.6), (0.42, 0.98, 0.56))
_WAY = 0.03  # of the frame: how far a light drifts to each side
_SOFT = 2.6  # how fast a light fades with the square of the distance
_GRAIN, _TILE = 3.0, 256  # standard deviation of the grain, of 255; pixels of the tile that repeats
_HORIZON, _HORIZON_TALL = 0.66, 0.6  # of the height, in wide and in tall frames
# The two handles and the end of the horizon's curve: across, and up or down, in shares of the
# height.
_WAVE = ((0.3, -0.05), (0.6, 0.05), (1.0, -0.02))
# How many steps of the drift pass until a light moves: each move changes the whole sky, which is
# dear to encode.
LIGHT_STRIDE = 6
_COARSE = 8  # pixels: brightness changes so slowly that one value is enough for so many
_POINTS = 64  # on the curve
_FINE = 8  # parts of one step of brightness, of which 16 to each side are enough

Tint = Colour | float


def find_horizon(width: int, height: int) -> int:
    """Return how many pixels below the top the ground begins, on average."""
    return round(height * (_HORIZON if width >= height else _HORIZON_TALL))


def draw_sky(width: int, height: int, palette: Palette, right_to_left: bool) -> np.ndarray:
    """Return the ground as it is while nothing drifts: ``(height, width, 3)``, uint8.
    ``palette.sky``: three lights, and the lower ground at its edge and at its foot."""
    *lights, near, far = palette.sky
    small_width, small_height = -(-width // _COARSE), -(-height // _COARSE)
    sky = _light_sky(small_width, small_height, palette.ground, lights, 0)
    picture = np.stack(
        [_enlarge(sky[..., channel], width, height) for channel in range(3)], axis=-1
    )
    rows = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    start = find_horizon(width, height) / height
    share = np.clip((rows - start) / (1 - start), 0, 1)
    below = np.asarray(near, np.float32) + share[..., None] * (
        np.asarray(far, np.float32) - np.asarray(near, np.float32)
    )
    cover = _cover(width, height)[..., None]
    picture += (below - picture) * cover
    picture += np.tile(_grain(), (-(-height // _TILE), -(-width // _TILE)))[:height, :width, None]
    result = np.clip(picture + 0.5, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(result[:, ::-1]) if right_to_left else result


def draw_sky_mask(width: int, height: int, right_to_left: bool = False) -> np.ndarray:
    """Return where the sky is, as ones and zeros, uint8, of shape ``(height, width)``."""
    sky = (_cover(width, height) < 0.02).astype(np.uint8)
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
    ):
        """``base``, ``lights``: their luma, 16 to 235."""
        self._size, self._base, self._lights, self._mirrored = (
            (width, height),
            base,
            lights,
            right_to_left,
        )
        self._coarse = -(-width // _COARSE), -(-height // _COARSE)
        self._first = _light_sky(*self._coarse, base, lights, 0)
        self._step: tuple[int, np.ndarray] = (0, np.zeros((height, width), np.uint8))

    def compute_differences(self, step: int) -> np.ndarray:
        """Return the differences modulo 256, uint8, of shape ``(height, width)``, which are shared:
        do not change them.
        """
        step = step // LIGHT_STRIDE * LIGHT_STRIDE % LIGHT_POSITIONS
        if self._step[0] != step:
            change = (_light_sky(*self._coarse, self._base, self._lights, step) - self._first)[
                ..., 0
            ]
            fine = np.clip(change * _FINE + (128 + _FINE // 2), 0, 255).astype(np.uint8)
            image = Image.fromarray(fine[:, ::-1] if self._mirrored else fine)
            whole = np.array(image.resize(self._size, Image.Resampling.BILINEAR))
            whole //= _FINE
            whole -= 128 // _FINE
            self._step = (step, whole)
        return self._step[1]


def _light_sky(width: int, height: int, base: Tint, lights, step: int) -> np.ndarray:
    """Return the sky of ``width`` × ``height`` values at
    ``step``: ``(height, width, channels)``, float32.
    """
    picture = np.empty((height, width, np.size(base)), np.float32)
    picture[:] = base
    x, y = (np.arange(side, dtype=np.float32) + 0.5 for side in (width, height))
    for number, (colour, (across, down, reach)) in enumerate(zip(lights, _LIGHTS, strict=True)):
        angle = 2 * np.pi * (step / LIGHT_POSITIONS * (1 if number != 1 else -1) + number / 3)
        centre = (across + _WAY * np.sin(angle)) * width, (down + _WAY * np.cos(angle)) * height
        far = _SOFT / (reach * max(width, height)) ** 2
        strength = np.outer(
            np.exp(-((y - centre[1]) ** 2) * far), np.exp(-((x - centre[0]) ** 2) * far)
        )
        picture += (np.asarray(colour, np.float32) - picture) * strength[..., None].astype(
            np.float32
        )
    return picture


def _enlarge(values: np.ndarray, width: int, height: int) -> np.ndarray:
    image = Image.fromarray(np.ascontiguousarray(values, np.float32))
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC))


@lru_cache(maxsize=4)
def _cover(width: int, height: int) -> np.ndarray:
    """Return how much the lower ground covers: 0.0 to 1.0, ``(height, width)``,
    with a smooth edge.
    """
    start = find_horizon(width, height)
    (first, up), (second, down), (_, end) = _WAVE
    handles = (
        (0.0, start),
        (first * width, start + up * height),
        (second * width, start + down * height),
    )
    points = []
    for number in range(_POINTS + 1):
        t = number / _POINTS
        shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        curve = (*handles, (width, start + end * height))
        points.append(
            tuple(
                sum(share * point[axis] for share, point in zip(shares, curve, strict=True))
                for axis in (0, 1)
            )
        )
    mask = Image.new("L", (width, height * 2))
    outline = [(x, y * 2) for x, y in points]
    ImageDraw.Draw(mask).polygon([*outline, (width, height * 2), (0, height * 2)], fill=255)
    return np.asarray(mask.reduce((1, 2)), np.float32) / 255


@lru_cache(maxsize=1)
def _grain() -> np.ndarray:
    """Return one tile of grain, the same in every run."""
    return np.random.default_rng(1).normal(0, _GRAIN, (_TILE, _TILE)).astype(np.float32)
