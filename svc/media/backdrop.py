"""The ground of every picture: a dark gradient in the brand's colour, dithered so that it does not band."""

import numpy as np

from svc.media.colour import Colour, mix

NIGHT: Colour = (9, 12, 24)
_GRAIN = 3.0  # of 255, peak to peak: what is left of a dither after 8-bit video and its quantiser


def backdrop(width: int, height: int, accent: Colour) -> np.ndarray:
    """RGB picture, ``(height, width, 3)`` of uint8: two soft lights in the accent's hue on a near-black ground."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    across, down = x / width, y / height
    short = min(width, height)
    picture = np.empty((height, width, 3), np.float32)
    picture[:] = NIGHT
    _light(picture, mix(accent, NIGHT, 0.55), (x - 0.92 * width) / short, (y - 0.02 * height) / short, 0.9)
    _light(picture, mix(accent, NIGHT, 0.78), (x - 0.02 * width) / short, (y - 1.0 * height) / short, 1.0)
    picture *= (1.0 - 0.3 * (across - 0.5) ** 2 - 0.10 * down)[..., None]
    picture += _grain(x, y)[..., None]
    picture[..., 2] += _grain(x // 2, y // 2)  # chroma has half the lines: a finer grain would cancel out there
    return np.clip(picture + 0.5, 0, 255).astype(np.uint8)


def _light(picture: np.ndarray, colour: Colour, across: np.ndarray, down: np.ndarray, reach: float) -> None:
    """Add a round light, brightest at the origin of ``across`` and ``down`` (in short sides)."""
    strength = np.exp(-(across**2 + down**2) / (reach * reach * 0.5))[..., None]
    picture += (np.array(colour, np.float32) - NIGHT) * strength


def _grain(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Interleaved gradient noise (J. Jimenez, "Next Generation Post Processing in Call of Duty", SIGGRAPH 2014): even in every
    small neighbourhood, and the same in every run."""
    return (np.mod(52.9829189 * np.mod(0.06711056 * x + 0.00583715 * y, 1.0), 1.0) - 0.5) * _GRAIN
