"""The background of every picture: soft lights without banding, flat shapes, paper,
or what stands around a layout.
"""

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from svc.media.colour import Colour, mix
from svc.media.drawing import ornaments, sky
from svc.media.drawing.frame_layout import FrameLayout
from svc.media.drawing.palette import Palette

_GRAIN = 3.0  # of 255, peak to peak: the dither that survives 8-bit video and its quantiser
_OVERSAMPLING = 2  # shapes are drawn this many times larger, then reduced, for smooth edges


@lru_cache(maxsize=4)
def draw_backdrop(
    width: int,
    height: int,
    kind: str,
    palette: Palette,
    right_to_left: bool = False,
    plan: FrameLayout | None = None,
    scenery: int = 0,
) -> np.ndarray:
    """Return the background as an RGB array ``(height, width, 3)``, uint8, which is shared and
    read-only. ``kind``: see Look.

    ``plan``: the frame's layout, for the kinds that fill what it leaves free; without it they are
    plain. ``scenery``: its number, for the kind "horizon", which has several.
    """
    if kind == "horizon":
        picture = sky.draw_sky(width, height, palette, right_to_left, scenery)
    elif kind in _AROUND:
        picture = _AROUND[kind](width, height, palette, right_to_left, plan)
    else:
        picture = {"glow": _draw_glow, "shapes": _draw_shapes, "paper": _draw_paper}[kind](
            width, height, palette
        )
        picture = (
            np.ascontiguousarray(picture[:, ::-1]) if right_to_left and kind != "glow" else picture
        )
    picture.flags.writeable = False
    return picture


def _draw_glow(width: int, height: int, palette: Palette) -> np.ndarray:
    """Draw two lights in the brand's hues, dithered against banding."""
    y, x = np.ogrid[0:height, 0:width]
    y, x = y.astype(np.float32), x.astype(np.float32)
    short = min(width, height)
    picture = np.empty((height, width, 3), np.float32)
    picture[:] = palette.ground
    first, second = palette.lights
    _add_light(
        picture, palette.ground, first, (x - 0.92 * width) / short, (y - 0.02 * height) / short, 0.9
    )
    _add_light(
        picture, palette.ground, second, (x - 0.02 * width) / short, (y - 1.0 * height) / short, 1.0
    )
    picture *= (1.0 - _shade(palette) * (3 * (x / width - 0.5) ** 2 + y / height))[..., None]
    picture += _grain(x, y)[..., None]
    # chroma has half the lines: a finer grain would cancel out there
    picture[..., 2] += _grain(x // 2, y // 2)
    return np.clip(picture + 0.5, 0, 255).astype(np.uint8)


def _shade(palette: Palette) -> float:
    """Return how much darker the edges are: visible on a dark ground, but only a trace on a light
    one, where it looks like dirt."""
    return 0.1 if max(palette.ground) < 128 else 0.015


def _add_light(
    picture: np.ndarray,
    ground: Colour,
    colour: Colour,
    across: np.ndarray,
    down: np.ndarray,
    reach: float,
) -> None:
    """Add a round light, strongest at the origin of ``across`` and ``down`` (a row and a column,
    in short sides).
    """
    strength = np.exp(-(down**2) / (reach * reach * 0.5)) * np.exp(
        -(across**2) / (reach * reach * 0.5)
    )
    for channel, more in enumerate(np.array(colour, np.float32) - ground):
        picture[..., channel] += more * strength


def _draw_shapes(width: int, height: int, palette: Palette) -> np.ndarray:
    """Draw a slanted field in each brand colour and a ring: flat,
    so that they cost the encoder nothing.
    """
    w, h = width * _OVERSAMPLING, height * _OVERSAMPLING
    image = Image.new("RGB", (w, h), palette.ground)
    pen, short = ImageDraw.Draw(image), min(w, h)
    first, second = palette.lights
    pen.polygon(
        [(0.58 * w, 0), (w, 0), (w, h), (0.58 * w - 0.36 * short, h)],
        fill=mix(palette.ground, first, 0.75),
    )
    # clear of captions
    corner = (0.12, 0.26) if w > 1.2 * h else (0.28, 0.6) if h > 1.4 * w else (0.04, 0.3)
    pen.polygon([(0, h - corner[0] * short), (corner[1] * short, h), (0, h)], fill=second)
    if not 0.72 < w / h < 1.2:  # there the progress of the scenes would run through it
        _draw_ring(pen, w, h, short, second)
    return np.asarray(image.reduce(_OVERSAMPLING))


def _draw_ring(pen: ImageDraw.ImageDraw, w: int, h: int, short: int, colour: Colour) -> None:
    radius, centre = (0.26 if w > h else 0.17) * short, (w - 0.02 * short, 0.02 * short)
    box = [centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius]
    pen.ellipse(box, outline=colour, width=round(0.06 * short))


def _draw_paper(width: int, height: int, palette: Palette) -> np.ndarray:
    """Draw a plain sheet; a wide one has a column for the presenter."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = palette.ground
    if width > height:
        picture[:, : round(0.05 * width + 0.44 * height)] = palette.lights[0]
    return picture


def _draw_poster(
    width: int, height: int, palette: Palette, right_to_left: bool, plan: FrameLayout | None
) -> np.ndarray:
    """Draw a margin in the brand's colour: beside the content of a wide picture,
    a stripe along a tall one.
    """
    picture = _draw_plain(width, height, palette, right_to_left, plan)
    if plan:
        start = width - plan.content[2] if right_to_left else plan.content[0]
        edge = round(start * 0.3) if plan.stacked else start - plan.px(72)
        columns = slice(width - edge, width) if right_to_left else slice(edge)
        picture[:, columns] = palette.lights[0]
    return picture


def _draw_confetti(
    width: int, height: int, palette: Palette, right_to_left: bool, plan: FrameLayout | None
) -> np.ndarray:
    """Draw flat shapes where the layout leaves room: over the presenter of a wide picture,
    over and under a tall one.
    """
    picture = Image.fromarray(_draw_plain(width, height, palette, right_to_left, plan))
    if plan:
        ornaments.scatter_shapes(picture, plan, palette)
    return np.asarray(picture)


def _draw_plain(
    width: int, height: int, palette: Palette, right_to_left: bool, plan: FrameLayout | None
) -> np.ndarray:
    """Return a plain ground."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = palette.ground
    return picture


_AROUND = {
    "poster": _draw_poster,
    "confetti": _draw_confetti,
    "studio": _draw_plain,
}


def _grain(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return interleaved gradient noise, which is even in every small neighbourhood and the same in
    every run.

    Source: J. Jimenez, "Next Generation Post Processing in Call of Duty", SIGGRAPH 2014.
    """
    return (np.mod(52.9829189 * np.mod(0.06711056 * x + 0.00583715 * y, 1.0), 1.0) - 0.5) * _GRAIN
