"""Signs by name: ✓, √, ≥, ×, →.

The names are CLDR's (signs.json), except where a speaker would say less.
"""

import json
import re
from functools import cache
from pathlib import Path

from svc.media.text import vocabulary
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
_SAID = {
    "en": {
        "√": "square root of", "∈": "is in", "∉": "is not in", "∞": "infinity", "≈": "about",
        "≠": "is not", "≤": "at most", "≥": "at least", "<": "less than", ">": "more than",
        "±": "plus or minus", "×": "times", "÷": "divided by", "→": "to", "←": "from", "↑": "up",
        "↓": "down", "⇒": "therefore",
    },
    "de": {
        "√": "Wurzel aus", "∈": "ist Element von", "∉": "ist nicht Element von", "∞": "unendlich",
        "≈": "etwa", "≠": "ungleich", "≤": "höchstens", "≥": "mindestens", "<": "unter",
        ">": "über", "±": "plus minus", "×": "mal", "÷": "geteilt durch", "→": "zu", "←": "von",
        "↑": "aufwärts", "↓": "abwärts", "⇒": "also",
    },
    "fr": {
        "√": "racine de", "∞": "l’infini", "≈": "environ", "≠": "différent de", "≤": "au plus",
        "≥": "au moins", "<": "moins de", ">": "plus de", "±": "plus ou moins", "×": "fois",
        "÷": "divisé par", "→": "vers", "§": "paragraphe",
    },
    "es": {
        "√": "raíz de", "∞": "infinito", "≈": "aproximadamente", "≠": "distinto de",
        "≤": "como máximo", "≥": "al menos", "<": "menos de", ">": "más de", "±": "más menos",
        "×": "por", "÷": "dividido por", "→": "a", "§": "sección",
    },
    "it": {
        "√": "radice di", "∞": "infinito", "≈": "circa", "≤": "al massimo", "≥": "almeno",
        "<": "meno di", ">": "più di", "×": "per", "→": "a", "§": "paragrafo",
    },
    "pt": {
        "√": "raiz de", "∞": "infinito", "≈": "cerca de", "≤": "no máximo", "≥": "pelo menos",
        "<": "menos de", ">": "mais de", "×": "vezes", "→": "para", "§": "parágrafo",
    },
    "nl": {
        "√": "wortel", "∞": "oneindig", "≈": "ongeveer", "≤": "hoogstens", "≥": "minstens",
        "<": "minder dan", ">": "meer dan", "×": "keer", "→": "naar",
    },
    "sv": {"<": "under", ">": "över", "≤": "högst", "≥": "minst", "≈": "ungefär"},
    "nb": {"<": "under", ">": "over", "≤": "høyst", "≥": "minst", "≈": "omtrent"},
    "da": {"<": "under", ">": "over", "≤": "højst", "≥": "mindst", "≈": "omtrent"},
    "pl": {"<": "poniżej", ">": "powyżej", "≤": "najwyżej", "≥": "co najmniej", "≈": "około"},
    "cs": {"<": "pod", ">": "nad", "≤": "nejvýše", "≥": "nejméně", "≈": "asi"},
    "ru": {"<": "менее", ">": "более", "≤": "не более", "≥": "не менее", "≈": "около"},
}  # fmt: skip


def is_sign(piece: str) -> bool:
    """Return whether ``piece`` is one sign that is spoken by name."""
    bare = piece.removesuffix("\ufe0f")
    return bare in _ALIKE or bare in _ARROWS or (len(bare) == 1 and bare in names_of_signs("en"))


def name_of_sign(sign: str, language: str) -> str:
    """Return what is said for ``sign``; empty if it has no name in ``language``."""
    bare = sign.removesuffix("\ufe0f")
    if bare in _ARROWS:
        return vocabulary.TO.get(base_language(language), "–")
    return names_of_signs(language).get(_ALIKE.get(bare, bare), "")


def split_signs(piece: str) -> list[str]:
    """Split ``piece`` into signs and the text between them: ``√2≥x`` is ``√``,
    ``2``, ``≥``, ``x``.
    """
    return [part for part in _signs().split(piece) if part and part != "\ufe0f"]


@cache
def names_of_signs(language: str) -> dict[str, str]:
    """Return the name of each sign in ``language`` (BCP 47)."""
    base, listed = base_language(language), _listed()
    return {**listed.get(language, listed.get(base, {})), **_SAID.get(base, {})}


@cache
def _listed() -> dict[str, dict[str, str]]:
    return {
        code: signs for code, signs in json.loads(_FILE.read_text(encoding="utf-8")).items() if code
    }


@cache
def _signs() -> re.Pattern[str]:
    """Return a pattern for a sign within a word; < and > are not,
    since there they belong to markup and code.
    """
    single = {sign for sign in (*names_of_signs("en"), *_ALIKE) if len(sign) == 1} - set("<>§")
    return re.compile(f"([{''.join(single)}]\ufe0f?)")
