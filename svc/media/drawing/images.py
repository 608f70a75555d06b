"""Uploaded pictures, opened safely: untrusted until they are decoded,
and reduced to the size that is needed.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageFilter, ImageOps

from svc.media.drawing import rounded_box
from svc.media.drawing.colour import Colour, compute_contrast

FORMATS = ("PNG", "JPEG", "WEBP")
FACE_HEIGHT = 0.35  # of a picture's height: a little above the middle, where faces are
CLIP = ".mp4"  # how the file of an uploaded clip ends
MOST_PIXELS = 50_000_000
_SAMPLES = 48  # across and down, in which edges are looked for
_UNREADABLE = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    StopIteration,
    Image.DecompressionBombError,
)
_LONGEST_SIDE = 2048  # pixels to keep: more than any frame shows
# The contrast with the ground below which a part of a logo is lost, how many parts are looked at,
# how opaque they are at least, and the share of them of which none is missed.
_MIN_LOGO_CONTRAST, _PARTS, _SOLID, _MISSED = 1.7, 24, 200, 0.3


@lru_cache(maxsize=8)
def open_image(path: Path) -> Image.Image | None:
    """Return the picture as RGBA, upright by its EXIF orientation and reduced if it is huge; None
    if it is not readable. Of a clip, it is one from its middle.

    The image is shared: do not draw on it.
    """
    try:
        if path.suffix == CLIP:
            return _read_from_clip(path)
        with Image.open(path, formats=FORMATS) as source:
            if source.width * source.height > MOST_PIXELS:
                return None
            # a JPEG is decoded smaller from the start
            source.draft("RGB", (_LONGEST_SIDE, _LONGEST_SIDE))
            upright = ImageOps.exif_transpose(source).convert("RGBA")
    except _UNREADABLE:
        return None
    upright.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    return upright


def _read_from_clip(path: Path) -> Image.Image:
    with av.open(str(path)) as clip:
        middle = (clip.duration or 0) // 2
        clip.seek(middle)  # to the keyframe before
        later = (frame for frame in clip.decode(video=0) if frame.time * av.time_base >= middle)
        return next(later).to_image().convert("RGBA")


def fit_within(image: Image.Image, width: int, height: int) -> Image.Image:
    """Return ``image`` scaled to the largest size that fits into ``width`` × ``height`` pixels."""
    scale = min(width / image.width, height / image.height)
    return image.resize(
        (max(1, round(image.width * scale)), max(1, round(image.height * scale))),
        Image.Resampling.LANCZOS,
    )


def fades_into(logo: Image.Image, ground: Colour) -> bool:
    """Return whether much of ``logo``, such as one of its two colours, is hard to see on ``ground``
    and needs a plate."""
    premultiplied = logo.convert("RGBa")
    small = premultiplied.resize((_PARTS, _PARTS), Image.Resampling.BOX).convert("RGBA")
    mean: Any = premultiplied.resize((1, 1), Image.Resampling.BOX).convert("RGBA").getpixel((0, 0))
    if compute_contrast(mean[:3], ground) < _MIN_LOGO_CONTRAST:
        return True
    pixels = np.asarray(small).reshape(-1, 4)
    parts = [part for part in pixels.tolist() if part[3] >= _SOLID]
    lost = sum(
        compute_contrast((red, green, blue), ground) < _MIN_LOGO_CONTRAST
        for red, green, blue, _ in parts
    )
    return lost > _MISSED * len(parts)


def crop_to_fill(
    image: Image.Image, width: int, height: int, down: float = FACE_HEIGHT
) -> Image.Image:
    """Return ``image`` scaled and cropped to ``width`` × ``height`` pixels: across, about where
    most is to be seen; ``down`` its height, a little above the middle, where faces are."""
    return ImageOps.fit(
        image, (width, height), Image.Resampling.LANCZOS, centering=(find_interest(image), down)
    )


def draw_rounded_mask(picture: Image.Image, radius: int) -> Image.Image:
    """Return the mask of ``picture`` (RGBA) with rounded corners of ``radius`` pixels."""
    mask = rounded_box.draw_mask(picture.width, picture.height, radius)
    return Image.composite(picture.getchannel("A"), Image.new("L", picture.size), mask)


def find_interest(image: Image.Image) -> float:
    """Return the place with the most edges across the upper two thirds of ``image``,
    as a share of its width.
    """
    small = image.convert("L").resize((_SAMPLES, _SAMPLES), Image.Resampling.BOX)
    edges = small.filter(ImageFilter.FIND_EDGES).crop((1, 1, _SAMPLES - 1, _SAMPLES * 2 // 3))
    columns = np.asarray(edges).sum(axis=0, dtype=int).tolist()
    total = sum(columns)
    if total < _SAMPLES * _SAMPLES:  # nearly even: the middle
        return 0.5
    middle = sum(column * (x + 0.5) for x, column in enumerate(columns)) / total / edges.width
    return min(1.0, max(0.0, 0.5 + (middle - 0.5) * 2))
