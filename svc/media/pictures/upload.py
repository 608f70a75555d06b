"""Checking uploaded pictures (portraits, logos, those of briefs) and writing them again, so that
only pixels survive; in briefs, drawings (SVG) become pixels.

It runs in the confined process of uploads.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import resvg_py
from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from svc.base import atomic_file
from svc.media.errors import InvalidUpload

FORMATS = ("JPEG", "PNG", "WEBP")
SMALLEST_PORTRAIT, SMALLEST_LOGO, SMALLEST = 256, 32, 64  # pixels of a side
LARGEST = 10_000
MOST_PIXELS = 40_000_000
SIDE = 800  # pixels of a portrait or logo as it is written
LONG_SIDE = 2048  # of another picture
_THINNEST = 32  # pixels of the short side as it is kept: in a frame, less is a line
_MOST_DRAWING = 2 * 1024 * 1024  # bytes of an SVG
_DRAWING = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>|\s)*<svg[\s>]", re.DOTALL | re.IGNORECASE
)
_TEXT = re.compile(r"<(?:\w+:)?(?:text|foreignObject)[\s>]", re.IGNORECASE)
_ELSEWHERE = re.compile(r"href\s*=\s*[\"']\s*(?!#|data:)", re.IGNORECASE)
_QUALITY = 92


class InvalidPicture(InvalidUpload):
    """The file is not usable; the message says why, and what to do."""


def convert_portrait(source: Path, target: Path) -> None:
    """Write the middle of the picture ``source`` as a square JPEG. Raises InvalidPicture."""
    with _open_upright(source, SMALLEST_PORTRAIT) as upright:
        square = ImageOps.fit(
            _flatten(upright), (SIDE, SIDE), Image.Resampling.LANCZOS, centering=(0.5, 0.4)
        )
    square.info.clear()  # or Pillow would write the source's comment
    with atomic_file.replace(target) as partial:
        square.save(partial, "JPEG", quality=92)


def convert_logo(source: Path, target: Path) -> None:
    """Write the picture ``source``, with its transparency, as a PNG of at most SIDE pixels.

    Raises InvalidPicture.
    """
    with _open_upright(source, SMALLEST_LOGO) as upright:
        small = upright.convert("RGBA")
        small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    small.info.clear()  # or Pillow would write the source's comment and colour profile
    with atomic_file.replace(target) as partial:
        small.save(partial, "PNG", optimize=True)


def convert_picture(source: Path, target: Path) -> None:
    """Write the picture ``source`` as a JPEG, or as a PNG if it is partly transparent, of at most
    LONG_SIDE pixels.

    InvalidPicture: it is none of the formats, damaged, too small or too large, or a drawing that
    cannot be drawn whole.
    """
    content = source.read_bytes()
    if _DRAWING.match(content[:4096].removeprefix(b"\xef\xbb\xbf")):
        whole = _rasterise(content)
    else:
        with _open_upright(source, SMALLEST) as upright:
            whole = upright.convert("RGBA")
    whole.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.LANCZOS)
    if min(whole.size) < _THINNEST:
        raise InvalidPicture(
            f"The picture is a line: of {LONG_SIDE:,} pixels of its long side, the other has "
            f"{min(whole.size)}, and needs {_THINNEST}. Crop it, or give it a margin."
        )
    whole.info.clear()  # or Pillow would write the source's comment and colour profile
    low, _ = whole.getchannel("A").getextrema()
    with atomic_file.replace(target) as partial:
        if low == 255:
            whole.convert("RGB").save(partial, "JPEG", quality=_QUALITY)
        else:
            whole.save(partial, "PNG", optimize=True)


@contextmanager
def _open_upright(source: Path, smallest: int) -> Iterator[Image.Image]:
    """Yield the upright picture.

    Raises InvalidPicture, whether the error shows on opening or on decoding.
    """
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with Image.open(source, formats=FORMATS) as opened:
            _check_size(opened, smallest)
            yield ImageOps.exif_transpose(opened)
    except UnidentifiedImageError:
        raise InvalidPicture(
            "This is not a readable picture. Choose a JPEG, PNG or WebP file."
        ) from None
    except Image.DecompressionBombError:
        raise InvalidPicture(
            f"The picture has more than {MOST_PIXELS:,} pixels. Make it smaller first."
        ) from None
    except (OSError, ValueError, SyntaxError, MemoryError) as error:
        raise InvalidPicture(
            "The picture is damaged or ends early. Save it again as JPEG or PNG."
        ) from error


def _check_size(picture: Image.Image, smallest: int) -> None:
    width, height = picture.size
    if (
        min(width, height) < smallest
        or max(width, height) > LARGEST
        or width * height > MOST_PIXELS
    ):
        raise InvalidPicture(
            f"The picture has {width} × {height} pixels; each side must have {smallest} to "
            f"{LARGEST:,}, and the whole picture at most {MOST_PIXELS:,}."
        )


def _flatten(picture: Image.Image) -> Image.Image:
    """Return the picture without transparency, on white."""
    if picture.mode in ("RGB", "L"):
        return picture.convert("RGB")
    solid = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", solid.size, "white"), solid).convert("RGB")


def _rasterise(content: bytes) -> Image.Image:
    """Return a drawing in pixels.

    What it names elsewhere is not fetched, and its letters have no font: both are refused.
    """
    if len(content) > _MOST_DRAWING:
        raise InvalidPicture(
            f"The drawing has {len(content):,} bytes; at most {_MOST_DRAWING:,} are drawn. Export "
            "it as PNG."
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidPicture(
            "The drawing is not UTF-8. Save it as plain SVG, or export it as PNG."
        ) from None
    if _TEXT.search(text):
        raise InvalidPicture(
            "The drawing has text, whose font is not here. Turn its text into outlines, or export "
            "it as PNG."
        )
    if _ELSEWHERE.search(text):
        raise InvalidPicture(
            "The drawing names pictures that are elsewhere. Embed them, or export it as PNG."
        )
    try:
        png = resvg_py.svg_to_bytes(text, skip_system_fonts=True, width=LONG_SIDE, height=LONG_SIDE)
    except ValueError as error:
        raise InvalidPicture(
            f"This is not a drawing in SVG that can be read ({str(error)[:80]}). Export it as PNG."
        ) from None
    drawn = Image.open(io.BytesIO(bytes(png)), formats=("PNG",)).convert("RGBA")
    if drawn.getbbox() is None:
        raise InvalidPicture("The drawing shows nothing. Export it as PNG, and look at it.")
    return drawn
