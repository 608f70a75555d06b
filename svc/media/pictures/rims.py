"""Rims: a thin grey edge around the parts of a picture that are nearly as pale as what they stand
on, so that they are seen.
"""

import numpy as np
from PIL import Image, ImageFilter, ImageStat

from svc.media.drawing.colour import BLACK, compute_luminance, make_legible, mix

# the distance of two colours (RGB) from which a part needs no rim, and over which the rim fades
_ALIKE, _RAMP = 78.0, 30.0
_WIDTH = 1 / 110  # of a picture's side
_PALE = 0.45  # the luminance from which a ground is pale
_SHADE, _CONTRAST = 0.3, 2.2  # of a rim with the ground
_SOFT = 0.7  # pixels


def paste_with_rim(image: Image.Image, picture: Image.Image, place: tuple[int, int]) -> None:
    """Paste ``picture`` (RGBA) with its top left corner at ``place``,
    and a rim behind what is as pale as the ground there.
    """
    x, y = place
    under = image.crop((x, y, x + picture.width, y + picture.height)).convert("RGB")
    red, green, blue = ImageStat.Stat(under).median
    ground = (red, green, blue)
    if compute_luminance(ground) >= _PALE:
        image.paste(
            make_legible(mix(ground, BLACK, _SHADE), ground, _CONTRAST), place, _rim(picture, under)
        )
    image.paste(picture, place, picture)


def _rim(picture: Image.Image, under: Image.Image) -> Image.Image:
    """Return where rims are drawn (L): on and around the parts of ``picture`` whose colour is like
    the one ``under`` them.
    """
    pixels, ground = np.asarray(picture, np.float32), np.asarray(under, np.float32)
    distance = np.sqrt(((pixels[..., :3] - ground) ** 2).sum(axis=-1))
    alike = np.clip((_ALIKE - distance) / _RAMP, 0, 1) * pixels[..., 3]
    width = max(1, round(picture.width * _WIDTH))
    wider = Image.fromarray(alike.astype(np.uint8)).filter(ImageFilter.MaxFilter(2 * width + 1))
    return wider.filter(ImageFilter.GaussianBlur(_SOFT))
