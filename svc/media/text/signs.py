"""Signs by name: ✓, √, ≥, ×, →.

The names are CLDR's (signs.json), except where a speaker would say less.
"""

import json
import re
from functools import cache
from pathlib import Path

from svc.base.text.countries import strip_country
from svc.media.languages import Numbers, Signs, read_words
from svc.media.text.numerals import base_language

_FILE = Path(__file__).with_name("signs.json")
ORDERS = {">=": "≥", "<=": "≤"}  # of a keyboard
_ALIKE = {
    **ORDERS,
    "!=": "≠",
    **dict.fromkeys("✔☑✅🗹🗸", "✓"),
    **dict.fromkeys("✘☒❌❎✖", "✗"),
    "➔": "→",
    "➜": "→",
    "⟶": "→",
    "⇨": "→",
    "⩽": "≤",
    "⩾": "≥",
}
_ARROWS = ("->", "-->")  # of a keyboard, too


def is_sign(piece: str) -> bool:
    """Return whether ``piece`` is one sign that is spoken by name."""
    bare = piece.removesuffix("\ufe0f")
    return bare in _ALIKE or bare in _ARROWS or (len(bare) == 1 and bare in list_sign_names("en"))


def is_pause(piece: str, language: str) -> bool:
    """Return whether ``piece`` is an arrow, ``Ustawienia → Prywatność``, in a language whose file
    has no word for it: what CLDR calls it is no reading."""
    bare = piece.removesuffix("\ufe0f")
    return _ALIKE.get(bare, bare) == "→" and "→" not in read_words(language, Signs).names


def name_sign(sign: str, language: str) -> str:
    """Return what is said for ``sign``; empty if it has no name in ``language``."""
    bare = sign.removesuffix("\ufe0f")
    if bare in _ARROWS:
        return read_words(language, Numbers).to or "–"
    return list_sign_names(language).get(_ALIKE.get(bare, bare), "")


def split_signs(piece: str) -> list[str]:
    """Split ``piece`` into signs and the text between them: ``√2≥x`` is ``√``,
    ``2``, ``≥``, ``x``.
    """
    return [part for part in _make_sign_pattern().split(piece) if part and part != "\ufe0f"]


@cache
def list_sign_names(language: str) -> dict[str, str]:
    """Return the name of each sign in ``language`` (BCP 47)."""
    base, listed = base_language(language), _load_signs()
    own = listed.get(strip_country(language), listed.get(base, {}))
    return {**own, **read_words(language, Signs).names}


@cache
def _load_signs() -> dict[str, dict[str, str]]:
    return {
        code: signs for code, signs in json.loads(_FILE.read_text(encoding="utf-8")).items() if code
    }


@cache
def _make_sign_pattern() -> re.Pattern[str]:
    """Return a pattern for a sign within a word; < and > are not,
    since there they belong to markup and code.
    """
    single = {sign for sign in (*list_sign_names("en"), *_ALIKE) if len(sign) == 1} - set("<>§")
    return re.compile(f"([{''.join(single)}]\ufe0f?)")
