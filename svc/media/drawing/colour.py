"""Arithmetic on colours: parsing, mixing, and finding a colour that is legible on another (WCAG 2.2, "contrast ratio")."""

import colorsys
from functools import lru_cache

Colour = tuple[int, int, int]  # red, green, blue: 0 to 255, sRGB

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
LEGIBLE = 4.5  # WCAG level AA for text of any size
AMBER: Colour = (255, 196, 61)
_MIN_CHROMA = 48  # between the strongest and the weakest channel
_WARM = (20 / 360, 75 / 360)  # hues from orange to yellow: with black they turn brown and olive
_TURN = 0.34  # of a warm hue, towards red, where it is much darkened
_FALLBACK: Colour = (61, 126, 255)


def parse(text: str) -> Colour:
    """Return ``#rrggbb`` as a colour; the default blue for anything else, because a wrong colour must not fail a production."""
    digits = text.strip().lstrip("#")
    if len(digits) != 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        return _FALLBACK
    return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16))


def to_hex(colour: Colour) -> str:
    """Return ``colour`` as ``#rrggbb``."""
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Return ``first`` mixed with ``share`` (0.0 to 1.0) of ``second``."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def warm(colour: Colour) -> bool:
    """Return whether ``colour`` is an orange or a yellow, which black ink suits better than a darker shade does."""
    return vivid(colour) and _WARM[0] <= colorsys.rgb_to_hls(*colour)[0] <= _WARM[1]


def towards(colour: Colour, end: Colour, share: float) -> Colour:
    """Return ``colour`` mixed with ``share`` of ``end``; a warm one that is darkened turns towards red, as in printed scales,
    instead of becoming olive."""
    if end != BLACK or not warm(colour):
        return mix(colour, end, share)
    hue, light, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in colour))
    turned = colorsys.hls_to_rgb(hue * (1 - _TURN * min(1.0, share * 2.5)), light, saturation)
    red, green, blue = (round(channel * 255) for channel in turned)
    return mix((red, green, blue), BLACK, share)


def luminance(colour: Colour) -> float:
    """Return the relative luminance, 0.0 (black) to 1.0 (white)."""
    linear = [_linear(channel / 255) for channel in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Colour, second: Colour) -> float:
    """Return the contrast ratio of two colours, 1.0 to 21.0, in either order."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=256)
def legible(colour: Colour, ground: Colour, ratio: float = LEGIBLE) -> Colour:
    """Return ``colour`` mixed with the least white (on a dark ground) or black that gives it ``ratio`` against ``ground``."""
    end = WHITE if contrast(WHITE, ground) >= contrast(BLACK, ground) else BLACK
    for step in range(41):
        mixed = towards(colour, end, step / 40)
        if contrast(mixed, ground) >= ratio:
            return mixed
    return end


def vivid(colour: Colour) -> bool:
    """Return whether the hue of ``colour`` distinguishes it from white and grey text."""
    return max(colour) - min(colour) >= _MIN_CHROMA


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
