"""Arithmetic on colours: parsing, mixing, and finding a colour that is legible on another (WCAG
2.2, "contrast ratio").
"""

import colorsys
from functools import lru_cache

from svc.base.text.colours import (
    BLACK,
    WHITE,
    Colour,
    compute_contrast,
    compute_luminance,
    mix,
    to_hex,
)

__all__ = ["BLACK", "WHITE", "Colour", "compute_contrast", "compute_luminance", "mix", "to_hex"]

LEGIBLE = 4.5  # WCAG level AA for text of any size
AMBER: Colour = (255, 196, 61)
_MIN_CHROMA = 48  # between the strongest and the weakest channel
_WARM = (20 / 360, 75 / 360)  # hues from orange to yellow: with black they turn brown and olive
_TURN = 0.34  # of a warm hue, towards red, where it is much darkened
_FALLBACK: Colour = (61, 126, 255)


def parse_colour(text: str) -> Colour:
    """Return ``#rrggbb`` as a colour; the default blue for anything else,
    because a wrong colour must not fail a production.
    """
    digits = text.strip().lstrip("#")
    if len(digits) != 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        return _FALLBACK
    return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16))


def is_warm(colour: Colour) -> bool:
    """Return whether ``colour`` is an orange or a yellow, which black ink suits better than a
    darker shade does.
    """
    return is_vivid(colour) and _WARM[0] <= colorsys.rgb_to_hls(*colour)[0] <= _WARM[1]


def mix_towards(colour: Colour, end: Colour, share: float) -> Colour:
    """Return ``colour`` mixed with ``share`` of ``end``; a warm one that is darkened turns towards
    red, as in printed scales, instead of becoming olive."""
    if end != BLACK or not is_warm(colour):
        return mix(colour, end, share)
    hue, light, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in colour))
    turned = colorsys.hls_to_rgb(hue * (1 - _TURN * min(1.0, share * 2.5)), light, saturation)
    red, green, blue = (round(channel * 255) for channel in turned)
    return mix((red, green, blue), BLACK, share)


@lru_cache(maxsize=256)
def make_legible(colour: Colour, ground: Colour, ratio: float = LEGIBLE) -> Colour:
    """Return ``colour`` mixed with the least white (on a dark ground) or black that gives it
    ``ratio`` against ``ground``.
    """
    end = WHITE if compute_contrast(WHITE, ground) >= compute_contrast(BLACK, ground) else BLACK
    for step in range(41):
        mixed = mix_towards(colour, end, step / 40)
        if compute_contrast(mixed, ground) >= ratio:
            return mixed
    return end


def is_vivid(colour: Colour) -> bool:
    """Return whether the hue of ``colour`` distinguishes it from white and grey text."""
    return max(colour) - min(colour) >= _MIN_CHROMA
