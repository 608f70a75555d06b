"""Uploaded pictures, opened safely: untrusted until they are decoded, and reduced to the size that is needed."""

from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageFilter, ImageOps

FORMATS = ("PNG", "JPEG", "WEBP")
MOST_PIXELS = 50_000_000
_SAMPLES = 48  # across and down, in which edges are looked for
_LONGEST_SIDE = 2048  # pixels to keep: more than any frame shows


@lru_cache(maxsize=8)
def open_image(path: Path) -> Image.Image | None:
    """Return the picture as RGBA, upright by its EXIF orientation and reduced if it is huge; None if it is not readable.

    The image is shared: do not draw on it.
    """
    try:
        with Image.open(path, formats=FORMATS) as source:
            if source.width * source.height > MOST_PIXELS:
                return None
            source.draft("RGB", (_LONGEST_SIDE, _LONGEST_SIDE))  # a JPEG is decoded smaller from the start
            upright = ImageOps.exif_transpose(source).convert("RGBA")
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):  # what Pillow raises for broken files
        return None
    upright.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    return upright


def fit_within(image: Image.Image, width: int, height: int) -> Image.Image:
    """Return ``image`` scaled to the largest size that fits into ``width`` × ``height`` pixels."""
    scale = min(width / image.width, height / image.height)
    return image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))), Image.Resampling.LANCZOS)


def crop_to_fill(image: Image.Image, width: int, height: int, down: float = 0.35) -> Image.Image:
    """Return ``image`` scaled and cropped to ``width`` × ``height`` pixels: across, about where most is to be seen; ``down``
    its height, a little above the middle, where faces are."""
    return ImageOps.fit(image, (width, height), Image.Resampling.LANCZOS, centering=(_interest(image), down))


def _interest(image: Image.Image) -> float:
    """Return the place with the most edges across the upper two thirds of ``image``, as a share of its width."""
    small = image.convert("L").resize((_SAMPLES, _SAMPLES), Image.Resampling.BOX)
    edges = small.filter(ImageFilter.FIND_EDGES).crop((1, 1, _SAMPLES - 1, _SAMPLES * 2 // 3))
    columns = [
        sum(edges.crop((x, 0, x + 1, edges.height)).histogram()[level] * level for level in range(256))
        for x in range(edges.width)
    ]
    total = sum(columns)
    if total < _SAMPLES * _SAMPLES:  # nearly even: the middle
        return 0.5
    middle = sum(column * (x + 0.5) for x, column in enumerate(columns)) / total / edges.width
    return min(1.0, max(0.0, 0.5 + (middle - 0.5) * 2))
