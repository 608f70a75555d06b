"""Where a word that is wider than its line may be broken: at its marks, and between syllables.

Addresses break after ``@``, ``.`` and ``/`` alone. Syllables are found by the language's hyphenation patterns (the dictionaries
of LibreOffice, in ``pyphen``).
"""

import re
import unicodedata
from functools import cache, lru_cache
from itertools import pairwise

import pyphen

HYPHEN = "-"
GLUE = "\u2060"  # begins a piece that follows the previous one without a space, but with a possible line break
_ADDRESS = re.compile(r"@|/|www\.|[^\W\d_]\.[^\W\d_]{2,}", re.IGNORECASE)
_AFTER_ADDRESS_MARKS = re.compile(r"[^@./]*[@./]+|[^@./]+")
_AFTER_HYPHENS = re.compile("[^-\u2010\u2013\u2014]*[-\u2010\u2013\u2014]+|[^-\u2010\u2013\u2014]+")
_LETTERS = re.compile(r"[^\W\d_]{6,}")
_LEAST = 3  # letters before and after a break
_BREAKS_BEFORE = re.compile(  # Thai letters, and Chinese and Japanese signs
    "[\u0e01-\u0e2e\u0e40-\u0e44\u2e80-\u2fdf\u3041-\u30fa\u3105-\u312f\u3190-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
# No line break after an opening mark, or after a Thai vowel that is written before its consonant.
_KEEPS = re.compile("[\u0e40-\u0e44(\u300c\u300e\uff08\u3010\u300a\u3008\u201c\u2018]")
_VISIBLE = tuple("@./-\u2010\u2013\u2014")


@lru_cache(maxsize=8192)
def unspaced(word: str) -> tuple[str, ...]:
    """Return the pieces of ``word`` between possible line breaks: several only in scripts without spaces."""
    parts: list[str] = []
    for character in word:
        if parts and (not _BREAKS_BEFORE.match(character) or _KEEPS.match(parts[-1][-1])):
            parts[-1] += character
        else:
            parts.append(GLUE + character if parts else character)
    return tuple(parts)


@lru_cache(maxsize=2048)
def parts(word: str, language: str, syllables: bool) -> tuple[str, ...]:
    """Return the parts of ``word`` between which a line may end. ``syllables``: between these as well; in addresses, which have
    none, at every mark instead of after the ``@`` alone.

    ``language``: a BCP 47 code; without patterns for it there are no breaks between syllables.
    """
    if "@" in word and not syllables:
        return tuple(re.findall(r"[^@]*@+|[^@]+", word))
    if _ADDRESS.search(word):
        return tuple(_AFTER_ADDRESS_MARKS.findall(word))
    hyphenated = _AFTER_HYPHENS.findall(word)
    return tuple(piece for part in hyphenated for piece in (_syllables(part, language) if syllables else (part,)))


def ended(part: str, word: str) -> str:
    """Return ``part`` of ``word`` as it ends a line: with a hyphen, unless it has a mark there, joins letters (Arabic), or
    would change an address."""
    joins = unicodedata.bidirectional(part[-1:] or " ") != "L"
    return part if part.endswith(_VISIBLE) or joins or not part[-1].isalpha() or _ADDRESS.search(word) else part + HYPHEN


def _syllables(part: str, language: str) -> tuple[str, ...]:
    patterns = _patterns(language)
    letters = _LETTERS.search(part)
    if patterns is None or letters is None:
        return (part,)
    edges = [letters.start() + at for at in patterns.positions(letters[0])]
    bounds = [0, *edges, len(part)]
    return tuple(part[first:end] for first, end in pairwise(bounds))


@cache
def _patterns(language: str) -> pyphen.Pyphen | None:
    known = pyphen.language_fallback(language.replace("-", "_")) if language else None
    return pyphen.Pyphen(lang=known, left=_LEAST, right=_LEAST) if known else None
