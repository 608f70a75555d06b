"""Emoji within text: drawn as pictures of the collection at the size of the type,
where no font has them.
"""

from dataclasses import dataclass
from functools import lru_cache

import regex
from PIL import Image

from svc.media import fonts
from svc.media.artwork import collection
from svc.media.artwork import draw as pictures

_MAY_BE = regex.compile(
    "[\u203c\u2049\u20e3\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_GRAPHEME = regex.compile(r"\X")
WIDTH, _SIZE = 1.24, 1.12  # of the type size: the advance of an emoji, and its picture
_CACHED = 4096
_SELECTOR = "\ufe0f"  # asks for the picture of a sign that is text as well: ☎️


@dataclass(frozen=True)
class Sprite:
    """A picture in the place of a font: the one for the emoji named ``name`` in type
    of ``size`` pixels.
    """

    name: str
    size: int

    def getlength(self, text: str) -> float:
        """Return the advance width in pixels, as a font does."""
        return self.size * WIDTH

    def paste(self, image: Image.Image, x: float, middle: float) -> None:
        """Draw the picture at the left edge ``x``, centred on ``middle``."""
        side = max(1, round(self.size * _SIZE))
        picture = pictures.draw_picture(self.name, side)
        image.paste(
            picture, (round(x + (self.size * WIDTH - side) / 2), round(middle - side / 2)), picture
        )


@lru_cache(maxsize=_CACHED)
def split_emoji(word: str) -> tuple[tuple[str, str], ...]:
    """Return the parts of ``word``, each with the name of its picture;
    empty for text that a font draws.
    """
    if not _MAY_BE.search(word):
        return ((word, ""),)
    parts: list[tuple[str, str]] = []
    for grapheme in _GRAPHEME.findall(word):
        name = collection.find_picture_of_emoji(grapheme) if _needs_picture(grapheme) else ""
        if parts and not name and not parts[-1][1]:
            parts[-1] = (parts[-1][0] + grapheme, "")
        else:
            parts.append((grapheme, name))
    return tuple(parts)


def split_leading(text: str) -> tuple[str, str]:
    """Return the name of the picture of the emoji that ``text`` begins with, and what follows it;
    an empty name if it begins with none, or if nothing follows.
    """
    (first, name), *rest = split_emoji(text) if text else (("", ""),)
    following = text[len(first) :].lstrip()
    is_apart = rest and not rest[0][1] and rest[0][0][:1].isspace()
    return (name, following) if name and is_apart and following else ("", text)


def strip_selectors(text: str) -> str:
    """Return ``text`` without the selectors of emoji (U+FE0F) behind signs without a picture."""
    if _SELECTOR not in text:
        return text
    return "".join(
        part if name else part.replace(_SELECTOR, "") for part, name in split_emoji(text)
    )


def undrawable_characters(text: str) -> str:
    """Return the characters of ``text``, each once, that neither a font nor a picture can draw."""
    return fonts.find_undrawable_characters(
        "".join(part for part, name in split_emoji(text) if not name)
    )


def replace_unknown(text: str) -> str:
    """Return ``text`` with a box for each sign that can neither be drawn nor be replaced by
    a similar one.
    """
    missing = {
        sign
        for sign in undrawable_characters(text)
        if sign.isprintable() and not sign.isalnum() and not fonts.find_similar(sign)
    }
    return "".join(fonts.MISSING_GLYPH if sign in missing else sign for sign in text)


def _needs_picture(grapheme: str) -> bool:
    return _SELECTOR in grapheme or bool(fonts.find_undrawable_characters(grapheme))
