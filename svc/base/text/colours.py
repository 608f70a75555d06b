"""Arithmetic on colours that pages and pictures share: mixing, and the contrast of WCAG 2.2."""

Colour = tuple[int, int, int]  # red, green, blue: 0 to 255, sRGB

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)


def to_hex(colour: Colour) -> str:
    """Return ``colour`` as ``#rrggbb``."""
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Return ``first`` mixed with ``share`` (0.0 to 1.0) of ``second``."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def compute_luminance(colour: Colour) -> float:
    """Return the relative luminance, 0.0 (black) to 1.0 (white)."""
    linear = [_make_linear(channel / 255) for channel in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def compute_contrast(first: Colour, second: Colour) -> float:
    """Return the contrast ratio of two colours, 1.0 to 21.0, in either order."""
    dark, light = sorted((compute_luminance(first), compute_luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def _make_linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
