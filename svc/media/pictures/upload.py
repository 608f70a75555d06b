"""Checking an uploaded picture for briefs and writing it again, so that only pixels survive;
drawings (SVG) become pixels.

It runs in the confined process of uploads.
"""

import io
import re
from pathlib import Path

import resvg_py
from PIL import Image

from svc.base import atomic_file
from svc.media.drawing.upload_process import InvalidPicture, open_upright

SMALLEST, LONG_SIDE = 64, 2048  # pixels of a side
_THINNEST = 32  # pixels of the short side as it is kept: in a frame, less is a line
_MOST_DRAWING = 2 * 1024 * 1024  # bytes of an SVG
_DRAWING = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*>|\s)*<svg[\s>]", re.DOTALL | re.IGNORECASE
)
_TEXT = re.compile(r"<(?:\w+:)?(?:text|foreignObject)[\s>]", re.IGNORECASE)
_ELSEWHERE = re.compile(r"href\s*=\s*[\"']\s*(?!#|data:)", re.IGNORECASE)
_QUALITY = 92


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
        with open_upright(source, SMALLEST) as upright:
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
