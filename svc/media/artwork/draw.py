"""Drawing pictures of the collection in pixels: only SVG that is part of the program,
never an upload.
"""

import io
from functools import lru_cache

import resvg_py
from PIL import Image

from svc.media.artwork import collection, moments

_CACHED = 256  # pictures; a production shows a few dozen


@lru_cache(maxsize=_CACHED)
def draw_picture(name: str, size: int, colour: str = "#000000") -> Image.Image:
    """Return picture ``name`` as RGBA of ``size`` × ``size`` pixels.

    ``colour``: of a line icon, a country's shape or a picture of a moment, "#rrggbb".
    The image is shared: do not draw on it. Raise KeyError for an unknown name.
    """
    if moments.is_moment(name):
        return moments.draw_moment(name, size, colour)
    png = resvg_py.svg_to_bytes(
        collection.read_picture_svg(name, colour), skip_system_fonts=True, width=size, height=size
    )
    return Image.open(io.BytesIO(bytes(png)), formats=("PNG",)).convert("RGBA")
