"""Choosing a font that has every glyph of a text, for pictures (PIL) and documents (PDF)."""

from functools import cache, lru_cache
from pathlib import Path

import fontpkg
from fontTools.ttLib import TTFont
from PIL import ImageFont

FAMILIES = ("Inter", "Noto Sans", "Noto Sans Arabic", "Noto Sans Thai", "Rubik", "Noto Serif")  # the order of preference
_NEEDS_NO_GLYPH = frozenset("\u200c\u200d\u200e\u200f\u00ad\ufeff\u2060\t\n\r")  # joiners, direction marks, breaks
_SETS_HELD = 512  # a picture needs a few sizes; the bound only guards a service that runs for long


@cache
def path(family: str) -> Path:
    """The variable font file of one of ``FAMILIES``."""
    return Path(fontpkg.path(family))


@cache
def glyphs(family: str) -> frozenset[int]:
    """The code points that ``family`` can draw."""
    with TTFont(path(family), lazy=True) as font:
        return frozenset(font.getBestCmap())


def family_for(text: str, preferred: str = FAMILIES[0]) -> str:
    """``preferred``, or else the first family, with every glyph of ``text``; failing that, the one that lacks the fewest."""
    order = sorted(FAMILIES, key=lambda family: family != preferred)
    return min(order, key=lambda family: len(_missing(text, family)))  # min keeps the order among equals


def covers(text: str) -> str:
    """The characters of ``text``, each once, that no family can draw; empty when all can be drawn."""
    return "".join(sorted(each for each in _needed(text) if ord(each) not in _drawable()))


def load(size: int, weight: int, text: str, preferred: str = FAMILIES[0]) -> ImageFont.FreeTypeFont:
    """The font that draws ``text``: ``size`` in pixels, ``weight`` 100 to 900 (held within what the family has).

    The font is shared: do not change its variation."""
    return _font(family_for(text, preferred), size, weight)


def runs(text: str, preferred: str = FAMILIES[0]) -> tuple[tuple[str, str], ...]:
    """Cut ``text`` into ``(family, run)``, in order, each run drawable by its family.

    A family is kept for as long as it can draw, so that spaces and punctuation stay with the word before them."""
    found: list[tuple[str, str]] = []
    for character in text:
        if found and not _missing(character, found[-1][0]):
            found[-1] = (found[-1][0], found[-1][1] + character)
        else:
            found.append((family_for(character, preferred), character))
    return tuple(found)


@cache
def _drawable() -> frozenset[int]:
    return frozenset().union(*(glyphs(family) for family in FAMILIES))


def _needed(text: str) -> set[str]:
    return set(text) - _NEEDS_NO_GLYPH


def _missing(text: str, family: str) -> set[str]:
    return {character for character in _needed(text) if ord(character) not in glyphs(family)}


@lru_cache(maxsize=_SETS_HELD)
def _font(family: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(str(path(family)), size, layout_engine=ImageFont.Layout.RAQM)
    font.set_variation_by_axes([_setting(axis, size, weight) for axis in font.get_variation_axes()])
    return font


def _setting(axis: dict, size: int, weight: int) -> float:
    """Axes come named in words ("Weight", "Optical Size", "Width"), as text or bytes by Pillow's version."""
    name = axis["name"].decode() if isinstance(axis["name"], bytes) else str(axis["name"])
    wanted = {"weight": weight, "optical size": size}.get(name.lower(), axis["default"])
    return min(max(wanted, axis["minimum"]), axis["maximum"])
