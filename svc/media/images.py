"""Opening pictures that somebody uploaded: hostile until they have been decoded, and never larger than is needed."""

from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageOps

FORMATS = ("PNG", "JPEG", "WEBP")
MOST_PIXELS = 50_000_000
_LONGEST_SIDE = 2048  # pixels that are kept: more than any frame shows


@lru_cache(maxsize=8)
def open_image(path: Path) -> Image.Image | None:
    """The picture as RGBA, turned as its camera meant it, made smaller where it is huge; None if it is none that we read.

    The image is shared: do not draw on it."""
    try:
        with Image.open(path, formats=FORMATS) as found:
            if found.width * found.height > MOST_PIXELS:
                return None
            found.draft("RGB", (_LONGEST_SIDE, _LONGEST_SIDE))  # a JPEG is decoded smaller from the start
            turned = ImageOps.exif_transpose(found).convert("RGBA")
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):  # what Pillow raises for broken files
        return None
    turned.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    return turned


def fit_within(image: Image.Image, width: int, height: int) -> Image.Image:
    """The whole of ``image``, as large as fits ``width`` × ``height``."""
    share = min(width / image.width, height / image.height)
    return image.resize((max(1, round(image.width * share)), max(1, round(image.height * share))), Image.Resampling.LANCZOS)


def crop_to_fill(image: Image.Image, width: int, height: int) -> Image.Image:
    """The middle of ``image``, a little higher than the middle where faces are, so that it fills ``width`` × ``height``."""
    return ImageOps.fit(image, (width, height), Image.Resampling.LANCZOS, centering=(0.5, 0.35))
