"""The accent colour of the console: which are legible, and the style sheet with one,
light and dark (WCAG 2.2, 1.4.3).
"""

import re

from svc.base.text.colours import BLACK, WHITE, Colour, compute_contrast, mix, to_hex

LEGIBLE = 4.5  # contrast ratio of WCAG level AA for text of any size
_MARGIN = 5.5  # of the shades that are made here
# The grounds of the console on which links stand; a test compares them with console.css.
LIGHT = ("#f6f6f3", "#ffffff", "#f0f0ec", "#e0f3e7", "#fcefcf", "#fce5e3", "#e2eafa", "#ebebe6")
DARK = ("#131417", "#1c1e22", "#17181c", "#17341f", "#38290a", "#451b19", "#22304f", "#2c2f35")
_FORM = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)
_SHEET = """:root {{
  --accent: {0}; --on-accent: #ffffff; --accent-strong: {1}; --chosen: {2}; --on-chosen: {3};
}}
@media (prefers-color-scheme: dark) {{
  :root {{ --accent: {4}; --on-accent: {5}; --accent-strong: {6}; --chosen: {7};
    --on-chosen: {8}; }}
}}
"""


def parse_accent(text: str) -> str:
    """Return a legible accent colour, as ``#rrggbb``.

    ValueError: says what it should be, as svc.base.settings takes it.
    """
    if not _FORM.fullmatch(text):
        raise ValueError("a colour such as #2456b8")
    least = min(compute_contrast(_parse(text), _parse(ground)) for ground in LIGHT)
    if least < LEGIBLE:
        raise ValueError(
            f"a darker colour: its contrast with the light pages is {int(least * 100) / 100}:1, "
            f"and text needs at least {LEGIBLE}:1"
        )
    return text.lower()


def write_style_sheet(accent: str) -> str:
    """Return the custom properties of console.css that follow from an accent colour.

    ``accent``: of :func:`parse_accent`.
    """
    return _SHEET.format(*(to_hex(each) for each in derive_shades(_parse(accent))))


def derive_shades(accent: Colour) -> tuple[Colour, ...]:
    """Return accent, strong, chosen and the text on it for light pages;
    those with the text on the accent for dark ones.
    """
    strong, selected_row = mix(accent, BLACK, 0.25), mix(accent, WHITE, 0.88)
    bright = _mix_until_legible(accent, WHITE, tuple(_parse(each) for each in DARK))
    dark = mix(accent, _parse(DARK[1]), 0.7)
    return (
        accent,
        strong,
        selected_row,
        _mix_until_legible(strong, BLACK, (selected_row,)),
        bright,
        _mix_until_legible(mix(accent, BLACK, 0.7), BLACK, (bright,)),
        mix(bright, WHITE, 0.4),
        dark,
        _mix_until_legible(bright, WHITE, (dark,)),
    )


def _mix_until_legible(colour: Colour, end: Colour, grounds: tuple[Colour, ...]) -> Colour:
    """Return ``colour`` mixed with the least of ``end`` that is legible on all of ``grounds``."""
    for step in range(41):
        candidate = mix(colour, end, step / 40)
        if min(compute_contrast(candidate, ground) for ground in grounds) >= _MARGIN:
            return candidate
    return end


def _parse(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
