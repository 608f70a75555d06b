"""Rims: a thin edge around the parts of a picture that are nearly of the colour of what they stand
on, so that they are seen: grey on a pale ground, a glow on a dark one.
"""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageFilter, ImageStat

from svc.media.colour import (
    BLACK,
    WHITE,
    Colour,
    compute_luminance,
    make_legible,
    mix,
)

# The distance of two colours (RGB) from which a part needs no rim, and over which the rim fades.
_ALIKE, _RAMP = 78.0, 30.0
_WIDTH = 1 / 110  # of a picture's side
_PALE = 0.45  # the luminance from which a ground is pale
_SHADE, _CONTRAST = 0.3, 2.2  # of a rim with the ground
_SOFT = 0.7  # pixels
# Of a sprite, whose ground moves: what it is made smaller by, as its square holds the rim, too; the
# share of its outline that is as its ground from which on it has one; and the same in a dark theme,
# where eyes see less.
_SMALLER, _UNSEEN, _UNSEEN_AT_NIGHT = 0.94, 0.62, 0.44
_HUE_AT_NIGHT = 0.5  # how much hue and saturation count on dark grounds
_APART = 28.0  # the distance of two colours in CIELAB from which one is seen on the other
_CONTRAST_OF_SPRITE = 3.6  # of the rim with the darkest of pale grounds: soft, some 3 are left
_SHADE_WIDTH, _SOFT_SHADE = 1 / 70, 1 / 160  # of its side: a rim on pale grounds
# The pixels of a picture that is measured, and those to each side of its outline.
_MEASURED, _OUTLINE = 96, 2
# How white a glow is, its width and its softness in shares of the picture's side, and the pixels of
# the side from which on more count for half.
_GLOW, _GLOW_WIDTH, _GLOW_SOFT, _GLOW_FULL = 0.7, 1 / 45, 1 / 50, 160
_BRIGHT = 0.5  # of a picture's area


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


def add_rim(picture: Image.Image, grounds: Sequence[Colour]) -> Image.Image:
    """Return ``picture`` (RGBA) on a rim, in the same size, for grounds that are all pale or all
    dark, between which it moves; a glow on dark ones.
    """
    inner = max(1, round(picture.width * _SMALLER))
    small = Image.new("RGBA", picture.size)
    edge = (picture.width - inner) // 2
    small.paste(picture.resize((inner, inner), Image.Resampling.LANCZOS), (edge, edge))
    alike = _find_alike(small, grounds)
    is_dark = is_night(grounds)
    side = picture.width
    full = min(side, _GLOW_FULL) + max(0, side - _GLOW_FULL) / 2
    width, soft = (
        (_GLOW_WIDTH * full, _GLOW_SOFT * full)
        if is_dark
        else (_SHADE_WIDTH * side, _SOFT_SHADE * side)
    )
    mask = alike.filter(ImageFilter.MaxFilter(2 * max(1, round(width)) + 1))
    mask = mask.filter(ImageFilter.GaussianBlur(soft))
    darkest = min(grounds, key=compute_luminance)
    shade = (
        mix(grounds[0], WHITE, _GLOW)
        if is_dark
        else make_legible(mix(darkest, BLACK, _SHADE), darkest, _CONTRAST_OF_SPRITE)
    )
    rim = Image.new("RGBA", picture.size, shade)
    rim.putalpha(mask)
    rim.alpha_composite(small)
    return rim


def is_night(grounds: Sequence[Colour]) -> bool:
    """Return whether grounds are darker than they are pale."""
    return compute_luminance(grounds[0]) < _PALE / 2


def needs_rim(picture: Image.Image, grounds: Sequence[Colour]) -> bool:
    """Return whether so much of the outline of ``picture`` (RGBA) is as one of ``grounds`` that it
    is hardly seen there; at night not if it is bright within, as a magnifying glass is.
    """
    is_dark = is_night(grounds)
    most = _UNSEEN_AT_NIGHT if is_dark else _UNSEEN
    return any(
        1 - find_seen_share(picture, ground) > most
        and not (is_dark and find_seen_area(picture, ground) > _BRIGHT)
        for ground in grounds
    )


def find_seen_share(picture: Image.Image, ground: Colour) -> float:
    """Return the share of the outline of ``picture`` (RGBA) that is seen on ``ground``."""
    picture = picture.resize((_MEASURED, _MEASURED), Image.Resampling.BICUBIC)
    shape = picture.getchannel("A").point(lambda alpha: 255 if alpha > 128 else 0)
    side = 2 * _OUTLINE + 1
    within = np.asarray(shape) > 0
    outline = within & (np.asarray(shape.filter(ImageFilter.MinFilter(3))) == 0)
    under = Image.new("RGBA", picture.size, (*ground, 255))
    under.alpha_composite(picture)
    far = _measure_distance(np.asarray(under)[..., :3], ground) >= _APART
    near = Image.fromarray((far * 255).astype(np.uint8)).filter(ImageFilter.MaxFilter(side))
    return float((np.asarray(near)[outline] > 0).mean()) if outline.any() else 1.0


def find_seen_area(picture: Image.Image, ground: Colour) -> float:
    """Return the share of ``picture`` (RGBA) that is seen on ``ground``."""
    pixels = np.asarray(picture.resize((_MEASURED, _MEASURED), Image.Resampling.BICUBIC))
    visible = pixels[..., :3][pixels[..., 3] > 128]
    return float((_measure_distance(visible, ground) >= _APART).mean()) if len(visible) else 1.0


def _find_alike(picture: Image.Image, grounds: Sequence[Colour]) -> Image.Image:
    """Return where ``picture`` is as one of ``grounds`` (L)."""
    pixels = np.asarray(picture)
    distance = np.min([_measure_distance(pixels[..., :3], ground) for ground in grounds], axis=0)
    alike = np.clip((_APART * 1.2 - distance) / (_APART * 0.4), 0, 1) * pixels[..., 3]
    return Image.fromarray(alike.astype(np.uint8))


def _measure_distance(pixels: np.ndarray, ground: Colour) -> np.ndarray:
    """Return the distance of each pixel from ``ground`` in CIELAB (CIE 76, D65); what differs from
    a dark one in hue and saturation, as black does from violet, is hardly seen there.
    """
    apart = (_to_lab(pixels) - _to_lab(np.array(ground, np.uint8))) ** 2
    share = _HUE_AT_NIGHT if is_night([ground]) else 1.0
    return np.sqrt(apart[..., 0] + share**2 * (apart[..., 1] + apart[..., 2]))


def _to_lab(pixels: np.ndarray) -> np.ndarray:
    linear = _LINEAR[pixels] @ _TO_XYZ
    root = np.where(linear > 0.008856, np.cbrt(linear), 7.787 * linear + 16 / 116)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _make_linear() -> np.ndarray:
    """Return the light of each of the 256 values of a channel in sRGB."""
    value = np.arange(256, dtype=np.float32) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


_LINEAR = _make_linear()
# The matrix from linear sRGB to XYZ, relative to the white of D65.
_TO_XYZ = np.array(
    [
        [0.4124 / 0.9505, 0.2126, 0.0193 / 1.089],
        [0.3576 / 0.9505, 0.7152, 0.1192 / 1.089],
        [0.1805 / 0.9505, 0.0722, 0.9505 / 1.089],
    ],
    np.float32,
)
