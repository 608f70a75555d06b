"""Arithmetic on colours: reading, mixing, and finding one that can be read on another (WCAG 2.2, "contrast ratio")."""

from functools import lru_cache

Colour = tuple[int, int, int]  # red, green, blue: 0 to 255, sRGB

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
LEGIBLE = 4.5  # WCAG level AA for text of any size
AMBER: Colour = (255, 196, 61)
_LEAST_HUE = 48  # between the strongest and the weakest channel
_FALLBACK: Colour = (61, 126, 255)


def parse(text: str) -> Colour:
    """``#rrggbb`` as a colour; the house blue for anything else, because a wrong colour is no reason to fail a production."""
    digits = text.strip().lstrip("#")
    if len(digits) != 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
        return _FALLBACK
    return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16))


def written(colour: Colour) -> str:
    """``colour`` as ``#rrggbb``."""
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """``first`` with ``share`` (0.0 to 1.0) of ``second`` in it."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Relative luminance, 0.0 (black) to 1.0 (white)."""
    linear = [_linear(channel / 255) for channel in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Colour, second: Colour) -> float:
    """The contrast ratio of two colours, 1.0 to 21.0, in either order."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=256)
def legible(colour: Colour, ground: Colour, ratio: float = LEGIBLE) -> Colour:
    """``colour``, mixed with as little white (on a dark ground) or black as gives it ``ratio`` against ``ground``."""
    towards = WHITE if contrast(WHITE, ground) >= contrast(BLACK, ground) else BLACK
    for step in range(21):
        found = mix(colour, towards, step / 20)
        if contrast(found, ground) >= ratio:
            return found
    return towards


def vivid(colour: Colour) -> bool:
    """Whether ``colour`` has a hue that tells it from white and grey text."""
    return max(colour) - min(colour) >= _LEAST_HUE


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
