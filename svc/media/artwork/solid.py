"""Pictures in the round: those of the collection that exist as small sculptures,
the others flat with a soft shade.
"""

import io
import zipfile
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from svc.media.artwork import draw

# The pictures in the round, written by .ci/pictures.py: NAME.webp, 256 × 256 pixels.
_FILE = Path(__file__).parent / "solid.zip"
_CACHED = 48  # pictures in one size
# The alpha of what is seen, the tone of what is dark, the share of a dark picture that may be
# lighter, and how much lighter it is made.
_VISIBLE, _DARK, _FEW, _LIFT = 128, 78, 0.1, 0.42
_SHADE, _SHINE = 0.26, 0.2  # how much darker a flat picture is at its foot, and lighter at its head


def has_solid(name: str) -> bool:
    """Return whether picture ``name`` exists in the round."""
    return f"{name}.webp" in _members()


@lru_cache(maxsize=_CACHED)
def draw_solid_picture(name: str, size: int, colour: str = "#000000") -> Image.Image:
    """Return picture ``name`` as RGBA of ``size`` × ``size`` pixels. ``colour``: as in
    svc.media.artwork.draw.

    The image is shared: do not draw on it. Raise KeyError for an unknown name.
    """
    if not has_solid(name):
        return _shade(draw.draw_picture(name, size, colour))
    return _load_picture(name).resize((size, size), Image.Resampling.BICUBIC)


@lru_cache(maxsize=_CACHED)
def _load_picture(name: str) -> Image.Image:
    """Return a picture as it is stored."""
    with zipfile.ZipFile(_FILE) as archive:
        stored = Image.open(io.BytesIO(archive.read(f"{name}.webp")), formats=("WEBP",))
    return _lift_black(stored.convert("RGBA"))


def _lift_black(picture: Image.Image) -> Image.Image:
    """Return a picture that is black all over, as a silhouette is, in a middle grey,
    which is seen on a dark ground as well; any other as it is.
    """
    pixels = np.asarray(picture, np.float32).copy()
    visible = pixels[..., 3] > _VISIBLE
    tones = pixels[..., :3][visible].mean(axis=-1)
    if not len(tones) or (tones > _DARK).mean() > _FEW:
        return picture
    pixels[..., :3] += (255 - pixels[..., :3]) * _LIFT
    return Image.fromarray(pixels.astype(np.uint8))


def _shade(flat: Image.Image) -> Image.Image:
    """Return a flat picture as if it were lit from above."""
    pixels = np.asarray(flat, np.float32).copy()
    down = np.linspace(0, 1, flat.height, dtype=np.float32)[:, None, None]
    pixels[..., :3] += (255 - pixels[..., :3]) * _SHINE * np.clip(1 - 2 * down, 0, 1)
    pixels[..., :3] *= 1 - _SHADE * np.clip(2 * down - 1, 0, 1)
    return Image.fromarray(pixels.astype(np.uint8))


@cache
def _members() -> frozenset[str]:
    with zipfile.ZipFile(_FILE) as archive:
        return frozenset(archive.namelist())
