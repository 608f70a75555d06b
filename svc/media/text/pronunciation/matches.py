"""Where the entries of a lexicon stand in a text: whole words, and parts of a compound,
but no part of another word.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from svc.media.languages import Sentences, read_words
from svc.media.model import Pronunciation
from svc.media.text import reading
from svc.media.text.numerals import OPENERS, SPACE
from svc.media.text.tokens import GLUE

_CLITIC = re.compile(r"['’](?!t\b)[^\W\d]", re.IGNORECASE)  # SQL's, SQL'in; not can't
_ELISION = re.compile(  # l'SQL, dell'SQL
    r"(?:^|[^\w'’])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|all|dall|dell|nell|sull|quell)['’]$",
    re.IGNORECASE,
)
_BEFORE_FIGURE = re.compile(r"(?:\d[.,:/'’–-]|(?:^|\W)[-−+]|[$€£¥₹%])$")
_AFTER_FIGURE = re.compile(r"[.,:/'’–-]\d|[%‰°$€£¥₹]")
_MONEY = re.compile(r"[$€£¥₹]\d")  # US$5 is an amount
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI")  # whose words only their own rules divide
_PARTICLE = re.compile(  # Japanese and Korean, at the end of a word
    r"(?:は|が|を|に|の|と|で|も|へ|や|から|まで|より|은|는|이|가|을|를|의|에서|에게|에|로|으로|"
    r"와|과|도|만|부터|까지)"
)
_WITH_PARTICLES = ("CJK", "KATAKANA", "HANGUL")
_JOINS = frozenset("&\u200c\u200d")  # signs within a word
_AROUND = OPENERS + reading.CLOSERS + reading.STOPS


@dataclass(frozen=True)
class Match:
    """A part of a text, from ``start`` to ``end``, and how it is spoken."""

    start: int
    end: int
    spoken: str


@dataclass(frozen=True)
class _Entry:
    written: str
    spoken: str
    is_exact: bool  # for this form alone


@dataclass(frozen=True)
class Text:
    """The written words as one text."""

    text: str
    bounds: tuple[tuple[int, int], ...]  # where each word begins and ends
    joints: frozenset[int]  # where a word begins without a space in front of it
    # The words within which there is a space: figures and abbreviations such as 5 km.
    gaps: frozenset[int]


def join_text(words: Sequence[str]) -> Text:
    """Return ``words`` as one text."""
    parts: list[str] = []
    bounds: list[tuple[int, int]] = []
    joints: set[int] = set()
    gaps: set[int] = set()
    at = 0
    for word in words:
        bare = unicodedata.normalize("NFC", word.removeprefix(GLUE)).replace(SPACE, " ")
        if parts and word.startswith(GLUE):
            joints.add(at)
        elif parts:
            parts.append(" ")
            at += 1
        parts.append(bare)
        bounds.append((at, at + len(bare)))
        gaps.update(at + place for place, character in enumerate(bare) if character == " ")
        at += len(bare)
    return Text("".join(parts), tuple(bounds), frozenset(joints), frozenset(gaps))


def find_matches(text: Text, entries: Iterable[Pronunciation], language: str) -> Iterator[Match]:
    """Yield where ``entries`` stand, from the first on; of those that begin at one place, the
    longest, and an exact form first.

    A word ends at a space, a hyphen, an apostrophe or another sign, and between a Latin letter and
    one of another script: ``SQL-based``, ``sql's``, ``SQL을``. It does not end within a figure.
    """
    by_first = _index_by_first_letter(tuple(entries), language)
    lower, at = _lower_case(text.text), 0
    while by_first and at < len(lower):
        entry = (
            next(_find_at(text, lower, at, by_first[lower[at]], language), None)
            if lower[at] in by_first
            else None
        )
        if entry is not None:
            yield Match(at, at + len(entry.written), entry.spoken)
        at += len(entry.written) if entry is not None else 1


def _find_at(
    text: Text, lower: str, at: int, entries: Sequence[_Entry], language: str
) -> Iterator[_Entry]:
    """Yield the entries that stand at a place, the best first."""
    for entry in entries:
        end = at + len(entry.written)
        if (text.text if entry.is_exact else lower).startswith(entry.written, at) and (
            _is_alone(text, at, end)
            if len(entry.written) == 1
            else _begins_word(text, at, language)
            and _ends_word(text, end)
            and _has_parts(text, at, end, entry)
        ):
            yield entry


@lru_cache(maxsize=64)
def _index_by_first_letter(
    entries: tuple[Pronunciation, ...], language: str
) -> dict[str, list[_Entry]]:
    """Return the entries by their first letter in small, the longest first,
    and an exact form before any other.
    """
    listed: dict[str, list[_Entry]] = {}
    for entry in entries:
        written = _normalise(entry.written)
        spoken = " ".join(reading.remove_signs(entry.spoken, language, "").split())
        if written and spoken:
            listed.setdefault(_lower_case(written)[0], []).append(
                _Entry(written, spoken, written != written.lower())
            )
    return {
        first: sorted(of_letter, key=lambda entry: (-len(entry.written), not entry.is_exact))
        for first, of_letter in listed.items()
    }


def _normalise(written: str) -> str:
    """Return ``written`` as texts have it: on one line, composed,
    and without characters that have no form.
    """
    visible = (
        one
        for one in unicodedata.normalize("NFC", written)
        if one in _JOINS or unicodedata.category(one) != "Cf"
    )
    return " ".join("".join(visible).split())


def _lower_case(text: str) -> str:
    """Return ``text`` in small letters, of the same length."""
    lower = text.lower()
    return (
        lower
        if len(lower) == len(text)
        else "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
    )


def _has_parts(text: Text, start: int, end: int, entry: _Entry) -> bool:
    """Return whether each word between ``start`` and ``end`` gets one of its own;
    words without a space share the letters.
    """
    return len(entry.spoken.split()) >= len(text.text[start:end].split())


def _is_alone(text: Text, start: int, end: int) -> bool:
    """Return whether a single letter is a word, with punctuation at most around it."""
    before, after = text.text[:start].rpartition(" ")[2], text.text[end:].partition(" ")[0]
    in_figure = start - len(before) - 1 in text.gaps or end + len(after) in text.gaps
    return not in_figure and not before.strip(_AROUND) and not after.strip(_AROUND)


def _begins_word(text: Text, at: int, language: str) -> bool:
    """Return whether a word begins at ``at``."""
    before, right = text.text[max(0, at - 10) : at], text.text[at]
    if right.isdecimal() and (at - 1 in text.gaps or _BEFORE_FIGURE.search(before)):
        return False
    if before[-1:] in ("'", "’") and before[-2:-1].isalnum():
        elides = read_words(language, Sentences).elides
        return elides and _ELISION.search(before) is not None
    return _divides_words(right, before[-1:], at in text.joints)


def _ends_word(text: Text, at: int) -> bool:
    """Return whether a word ends at ``at``."""
    left, after = text.text[at - 1], text.text[at : at + 3]
    if (left.isdecimal() and (at in text.gaps or _AFTER_FIGURE.match(after))) or _MONEY.match(
        after
    ):
        return False
    if after[:1] in ("'", "’") and after[1:2].isalpha():
        return _CLITIC.match(after) is not None
    if _find_script(left) in _WITH_PARTICLES and (particle := _PARTICLE.match(text.text, at)):
        end = particle.end()
        return end in text.joints or not _is_in_word(text.text[end : end + 1])
    return _divides_words(left, after[:1], at in text.joints)


def _divides_words(inner: str, outer: str, is_joint: bool) -> bool:
    """Return whether a word ends between its character ``inner`` and the next one, ``outer``."""
    if not _is_in_word(outer):
        return True
    if not _is_in_word(inner):  # of C++ or (SQL)
        return not outer.isalpha() or _find_script(outer) != "LATIN"
    if outer in _JOINS:
        return False
    scripts = _find_script(inner), _find_script(outer)
    if scripts.count("LATIN") == 1 and "" not in scripts:
        return True
    return is_joint and any(script in _UNSPACED for script in scripts)


def _is_in_word(character: str) -> bool:
    return bool(character) and (
        character.isalnum() or character in _JOINS or unicodedata.category(character)[0] == "M"
    )


@lru_cache(maxsize=4096)
def _find_script(character: str) -> str:
    """Return the script of a letter by its name in Unicode, of a digit that of Latin letters;
    empty for a common mark.
    """
    if character.isascii() and character.isalnum():
        return "LATIN"
    script = unicodedata.name(character, "").partition(" ")[0].partition("-")[0]
    return "" if script == "COMBINING" else script
