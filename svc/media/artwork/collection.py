"""The collection: SVG pictures and the words for them in many languages, read from one compressed
file of this package.

Names: ``hot-beverage`` is an illustration, ``line:coffee`` a line icon, ``flag:fr`` a country's
flag, ``country:fr`` its shape with its flag; ``calendar:23`` and ``clock:1930`` are of
svc.media.artwork.moments.
"""

import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from svc.media.artwork.moments import is_moment
from svc.media.maps import shape

_FILE = Path(__file__).parent / "pictures.zip"  # written by .ci/pictures.py
_COUNTRY, _LINE = "country", "line"
# By set: its member in the archive, and the side of the view box.
_SETS = {"": ("flat", 32), _LINE: ("lines", 24), "flag": ("flags", 512)}
_NORWEGIAN = ("nb", "nn")  # CLDR has the words of both as "no"
_VARIANTS = dict.fromkeys(
    map(ord, "\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
)
_PERSON, _ADULTS = "\U0001f9d1", ("\U0001f468", "\U0001f469")  # of any sex, a man and a woman
_REGIONAL_A = 0x1F1E6  # the first of the 26 letters that make a flag in pairs


def read_picture_svg(name: str, colour: str = "#000000") -> str:
    """Return picture ``name`` as an SVG document. ``colour``: of a line icon or a country's shape.
    Raise KeyError for an unknown name."""
    kind, _, key = name.rpartition(":")
    if kind == _COUNTRY:
        return shape.shape_picture(key, _read("flags").get(key, ""), colour)
    member, side = _SETS[kind]
    body = _read(member)[key].replace("currentColor", colour)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" viewBox="0 0 '
        f'{side} {side}">{body}</svg>'
    )


def is_country(name: str) -> bool:
    """Return whether ``name`` is that of a country's shape."""
    return name.partition(":")[0] == _COUNTRY


def takes_colour(name: str) -> bool:
    """Return whether :func:`read_picture_svg` draws the picture in a colour that is given;
    others have colours of their own.
    """
    return name.partition(":")[0] in (_COUNTRY, _LINE) or is_moment(name)


def has_picture(name: str) -> bool:
    """Return whether there is a picture called ``name``."""
    kind, _, key = name.rpartition(":")
    if kind == _COUNTRY:
        return shape.has_shape(key)
    return is_moment(name) or (kind in _SETS and key in _read(_SETS[kind][0]))


def find_picture_of_emoji(emoji: str) -> str:
    """Return the name of the picture of ``emoji`` (one grapheme), in any skin tone;
    empty if there is none.
    """
    if len(emoji) == 2 and all(_REGIONAL_A <= ord(letter) < _REGIONAL_A + 26 for letter in emoji):
        flag = "flag:" + "".join(chr(ord(letter) - _REGIONAL_A + ord("a")) for letter in emoji)
        return flag if has_picture(flag) else ""
    names, bare = _characters(), emoji.translate(_VARIANTS)
    neutral = _PERSON + bare[1:] if bare[:1] in _ADULTS else bare
    return names.get(bare) or names.get(neutral) or names.get(bare.partition("\u200d")[0], "")


def find_code(language: str) -> str:
    """Return the code by which the words of pictures are known in ``language`` (BCP 47)."""
    base = language.lower().partition("-")[0]
    return "no" if base in _NORWEGIAN else base


@cache
def read_picture_words(language: str) -> dict[str, list[str]]:
    """Return for each picture its label, followed by its keywords, in ``language`` (BCP 47);
    nothing for an unknown one.
    """
    try:
        return _read(f"words/{find_code(language)}")
    except KeyError:
        return {}


@cache
def _characters() -> dict[str, str]:
    return {emoji.translate(_VARIANTS): name for emoji, name in _read("characters").items()}


@cache
def _read(member: str) -> dict[str, Any]:
    with zipfile.ZipFile(_FILE) as archive:
        return json.loads(archive.read(f"{member}.json"))
