"""The small picture of a video for lists: its poster in WebP, within so many pixels and bytes."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from svc.base import atomic_file

SIZE = (160, 90)  # pixels, at most
MOST_BYTES = 3000
_QUALITIES = (80, 60, 40, 20, 5)


def write_thumbnail(path: Path, poster: np.ndarray) -> None:
    """Write the small picture of ``poster``, an array of ``(height, width, 3)``."""
    with atomic_file.replace(path) as partial:
        partial.write_bytes(encode_webp(Image.fromarray(poster)))


def encode_webp(picture: Image.Image) -> bytes:
    """Return a picture in WebP that keeps the proportions: the best of which the bytes
    are few enough.
    """
    size = SIZE
    while True:
        small = picture.copy()
        small.thumbnail(size, Image.Resampling.LANCZOS)
        for quality in _QUALITIES:
            content = _encode_webp(small, quality)
            if len(content) <= MOST_BYTES:
                return content
        size = (size[0] // 2, size[1] // 2)  # noise, which no quality makes small


def _encode_webp(picture: Image.Image, quality: int) -> bytes:
    written = io.BytesIO()
    picture.save(written, "WEBP", quality=quality, method=6)
    return written.getvalue()
