"""Choosing a font with every glyph of a text, for pictures (PIL) and documents (PDF)."""

import hashlib
import struct
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import fontpkg
from fontTools.ttLib import TTFont, TTLibError
from PIL import ImageFont

FAMILIES = (  # the order of preference
    "Inter",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Thai",
    "Rubik",
    "Noto Serif",
    "JetBrains Mono",
)
# Other cuts of a family, which are chosen by name only: their family, style and width (100:
# normal).
_CUTS = {
    "Noto Serif Condensed": ("Noto Serif", "normal", 75),
    "Noto Serif Condensed Italic": ("Noto Serif", "italic", 82),
}
_CJK = "noto_cjk_sans_otc"  # an optional package for Chinese, Japanese and Korean
# By language: the place in its file of the font with the language's forms of shared signs.
_REGIONS = {"ja": 0, "ko": 1, "zh": 2, "zh-TW": 3}
_KINDS = (".ttf", ".otf", ".ttc", ".otc")
# The characters that need no glyph: joiners, direction marks and breaks.
_NEEDS_NO_GLYPH = frozenset("\u200c\u200d\u200e\u200f\u00ad\ufe0e\ufe0f\ufeff\u2060\t\n\r")
_SIMILAR = {  # signs that no family has, and one that stands for them
    sign: similar
    for similar, signs in {
        "→": "➔➙➛➜➝➞➟➠➢➣➤➥➦➧➨➩➪➫➬➭➮➯➱➲➳➵➸➺➻➼➽➾⇢⇨⇾⟶⭢⮕⮞↦",
        "←": "⇠⇦⇽⟵⭠⮜",
        "↑": "⇑⇡⇧⭡",
        "↓": "⇓⇣⇩⭣",
        "↵": "↲⏎",
        "✗": "✘☒",
        "★": "✦✧✩✪✫✬✭✮✯✰⭑⭒",
        "■": "◼◾▮▬",
        "□": "◻◽▯▭❏❐❑❒",
        "◆": "❖◈⬥",
        "◇": "⬦",
    }.items()
    for sign in signs
}
MISSING_GLYPH = "□"  # stands for a sign that no family has, where its place matters
_MAX_FONTS = 512  # a picture needs a few sizes; the bound protects a long-running process
_added: dict[str, Path] = {}  # the operator's fonts
_brands: dict[str, Path] = {}  # accounts' fonts, by family: they draw only the text that names them


def use_folder(folder: Path) -> None:
    """Add the operator's font files in ``folder``, for glyphs that the built-in fonts lack;
    broken files are ignored.
    """
    files = sorted(folder.iterdir()) if folder.is_dir() else ()
    for file in files:
        if file.suffix.lower() in _KINDS and _is_font(file):
            _added[file.stem] = file
    list_families.cache_clear()


def find_brand_family(file: Path) -> str:
    """Return the family of an account's font file, named after its content; empty if there is no
    readable font.

    Only text that prefers this family is drawn with it, as far as it has the glyphs.
    """
    try:
        content = file.read_bytes()
        ImageFont.truetype(str(file), 20, layout_engine=ImageFont.Layout.BASIC)
    except OSError:
        return ""
    if not _is_font(file):
        return ""
    family = f"brand {hashlib.sha256(content).hexdigest()}"
    _brands[family] = file
    find_path.cache_clear()
    return family


@cache
def list_families() -> tuple[str, ...]:
    """Return all families in order of preference: the built-in ones, the operator's, and one for
    Chinese, Japanese and Korean."""
    return (*FAMILIES, *_added, *((_CJK,) if find_spec(_CJK) else ()))


@cache
def find_path(family: str) -> Path:
    """Return the font file of one of :func:`list_families`, of a cut of one,
    or of :func:`find_brand_family`.
    """
    if family == _CJK:
        package = find_spec(_CJK)
        if package is None or not package.submodule_search_locations:
            raise LookupError(f"{_CJK} is not installed")
        return next(Path(package.submodule_search_locations[0]).glob("*.ttc"))
    name, style, _ = _CUTS.get(family, (family, "normal", 100))
    return _brands.get(family) or _added.get(family) or Path(fontpkg.path(name, style=style))


@cache
def list_glyphs(family: str) -> frozenset[int]:
    """Return the code points that ``family`` can draw."""
    with TTFont(find_path(family), fontNumber=0, lazy=True) as font:
        # reading the names of glyphs takes as long as all else
        font.setGlyphOrder([""] * font["maxp"].numGlyphs)
        return frozenset(font.getBestCmap())


def choose_family(text: str, preferred: str = FAMILIES[0]) -> str:
    """Return ``preferred`` or the first other family with every glyph of ``text``; failing that,
    the one that lacks the fewest."""
    order = (preferred, *(family for family in list_families() if family != preferred))
    complete = next((family for family in order if not _list_missing(text, family)), None)
    # min keeps the order among equals
    return complete or min(order, key=lambda family: len(_list_missing(text, family)))


def has_all(text: str, family: str) -> bool:
    """Return whether ``family`` has every glyph of ``text``."""
    return not _list_missing(text, family)


def find_undrawable_characters(text: str) -> str:
    """Return the characters of ``text``, each once, that no family can draw."""
    missing = _list_needed(text)
    for family in list_families():  # the first has most texts: the others are not even opened
        if not missing:
            break
        missing = {character for character in missing if ord(character) not in list_glyphs(family)}
    return "".join(sorted(missing))


def find_similar(sign: str) -> str:
    """Return a sign that can be drawn and stands for ``sign``, which cannot;
    empty if there is none.
    """
    return _SIMILAR.get(sign, "")


def drop_undrawable(text: str) -> str:
    """Return ``text`` without the characters that no family can draw, with single spaces."""
    undrawable = find_undrawable_characters(text)
    return " ".join("".join(character for character in text if character not in undrawable).split())


def load(
    size: int, weight: int, text: str, preferred: str = FAMILIES[0], language: str = ""
) -> ImageFont.FreeTypeFont:
    """Return the font that draws ``text``. ``size``: pixels; ``weight``: 100 to 900, limited to the
    family's range; ``language``: a BCP 47 code, as Chinese and Japanese write some signs of the
    same number differently.

    The font is shared: do not change its variation.
    """
    family = choose_family(text, preferred)
    return _font(family, size, weight, _REGIONS.get(language, 0) if family == _CJK else 0)


def split_by_family(text: str, preferred: str) -> tuple[tuple[str, str], ...]:
    """Split ``text`` into ``(family, run)``, in order, each run drawable by its family.

    A family is kept for as long as it can draw, so that spaces and punctuation stay with the word
    before them.
    """
    result: list[tuple[str, str]] = []
    for character in text:
        if result and not _list_missing(character, result[-1][0]):
            result[-1] = (result[-1][0], result[-1][1] + character)
        else:
            result.append((choose_family(character, preferred), character))
    return tuple(result)


def _list_needed(text: str) -> set[str]:
    return set(text) - _NEEDS_NO_GLYPH


def _list_missing(text: str, family: str) -> set[str]:
    return {
        character for character in _list_needed(text) if ord(character) not in list_glyphs(family)
    }


@lru_cache(maxsize=_MAX_FONTS)
def _font(family: str, size: int, weight: int, place: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(
        str(find_path(family)), size, index=place, layout_engine=ImageFont.Layout.RAQM
    )
    try:
        width = _CUTS[family][2] if family in _CUTS else 100
        font.set_variation_by_axes(
            [_setting(axis, size, weight, width) for axis in font.get_variation_axes()]
        )
    except OSError:  # the font has only one weight
        pass
    return font


def _is_font(file: Path) -> bool:
    try:
        with file.open("rb") as content, TTFont(content, fontNumber=0, lazy=True) as font:
            return bool(font.getBestCmap())
    except (TTLibError, OSError, AssertionError, struct.error):
        return False


def _setting(axis: Mapping[str, Any], size: int, weight: int, width: int) -> float:
    """Return the value of a variation axis. Axes are named "Weight", "Optical Size", "Width", as
    text or bytes by Pillow's version."""
    name = axis["name"].decode() if isinstance(axis["name"], bytes) else str(axis["name"])
    value = {"weight": weight, "optical size": size, "width": width}.get(
        name.lower(), axis["default"]
    )
    return min(max(value, axis["minimum"]), axis["maximum"])
