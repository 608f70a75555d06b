"""Roman numerals that are read as ordinals before or by themselves: ``XIXe siècle``,
``w XX wieku``, ``XX век``.

Voices of other languages read such numerals well.
"""

import re
from collections.abc import Sequence

from svc.media.languages import Numbers, Roman, words_of
from svc.media.text.numerals import OPENERS, PAUSES, base_language, cardinal, ordinal, stops

# to 99; a longer one would be a size, a name or a word
NUMERAL = r"(?:X[LC]|L?X{0,3})(?:I[XV]|V?I{0,3})"
_WORD = re.compile(
    rf"(?P<first>{NUMERAL})(?P<ending>(?:e|ème|er|re|ère|ᵉ|-lea|-a)?)(?:[-–—](?P<last>{NUMERAL})(?:e|ème|"
    rf"ᵉ)?)?(?P<closes>[\"'”’»)\]{PAUSES}.…]*)"
)
_SOFT = {"е": "є", "им": "ім", "ий": "ій", "а": "я", "ої": "ьої"}  # of the Ukrainian third
_ROMANIAN_FEMININE = {"doi": "doua", "trei": "treia"}
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def read_century(pieces: Sequence[str], index: int, language: str) -> str | None:
    """Return how the numeral at ``index`` is spoken, or the two of a range,
    with the punctuation after; None: it is none.
    """
    base = base_language(language)
    match = _WORD.fullmatch(pieces[index])
    if match is None or not match["first"]:
        return None
    before, after = (
        pieces[index - 1] if index else "",
        pieces[index + 1] if index + 1 < len(pieces) else "",
    )
    numbers = [value(match[name]) for name in ("first", "last") if match[name]]
    marks = stops(match["closes"])
    known = words_of(base, Roman)
    if known.ordinals_by_dot:  # as after digits
        counts = after[:1].islower() or after.rstrip(PAUSES) in known.kings
        return f"{ordinal(numbers[-1], base)}{marks[1:]}" if marks[:1] == "." and counts else None
    if before.lower().lstrip(OPENERS) in known.before_centuries and not match["ending"]:
        said = [by_rank(number, base) for number in numbers]
        return f" {words_of(language, Numbers).to} ".join(said) + marks
    read = _READERS.get(base, _in_digits)
    following = after.rstrip(f'{PAUSES}.…)»”"')
    words = [read(number, match["ending"], before, following, base) for number in numbers]
    return None if None in words else " ".join(map(str, words)) + marks


def by_rank(number: int, base: str) -> str:
    """Return what stands after a century or a ruler: an ordinal, or a cardinal where later ones
    are said so."""
    last = words_of(base, Roman).last_ordinal
    return cardinal(number, base) if last and number > last else ordinal(number, base)


def _french(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    if not ending or (number, ending) == (50, "e"):  # Le, the article
        return None
    if number == 1:
        return "première" if ending in ("re", "ère") else "premier"
    return ordinal(number, "fr")


def _russian(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    case, gender = words_of(base, Roman).centuries.get(after, " ").split(" ")
    return ordinal(number, "ru", case=case, gender=gender) if case and not ending else None


def _polish(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    known = words_of(base, Roman)
    form = known.centuries.get(after)
    form = "ym" if form == "ego" and before.lower() in known.locative else form
    return polish(number, form) if form and not ending else None


def polish(number: int, form: str) -> str:
    """Return a Polish ordinal with another ending: dwudziesty, dwudziestego; trzeci,
    trzeciego, trzecim, trzecia.
    """
    return " ".join(_inflected(word, form) for word in ordinal(number, "pl").split())


def _inflected(word: str, form: str) -> str:
    if form == "y":
        return word
    if form in ("a", "ej") and word.endswith("gi"):  # drugi, druga
        return f"{word[:-1]}{form}" if form == "a" else f"{word}{form}"
    return f"{word[:-1]}{form}" if word.endswith("y") else f"{word}{form.replace('y', '')}"


def _ukrainian(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    form = words_of(base, Roman).centuries.get(after)
    # at the beginning of a sentence it is the subject
    form = "е" if after == "століття" and not before else form
    return None if form is None or ending else ukrainian(number, form)


def ukrainian(number: int, form: str) -> str:
    """Return a Ukrainian ordinal with another ending: двадцяте, двадцятого, третього."""
    *first, last = ordinal(number, "uk").split()
    soft = last.endswith("ій")  # третій
    return " ".join(
        [*first, last[:-2] + (_SOFT.get(form, f"ь{form}") if soft else form)]
    )


def _romanian(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    if not ending.startswith("-"):
        return None
    return romanian(number, ending)


def romanian(number: int, ending: str) -> str:
    """Return a Romanian ordinal after its article, al or a: ``douăzecilea``, ``doua``."""
    said = "întâilea" if number == 1 else ordinal(number, "ro").removeprefix("al ")
    if ending == "-lea":
        return said
    stem = said.removesuffix("lea")
    if stem in _ROMANIAN_FEMININE:
        return _ROMANIAN_FEMININE[stem]
    return stem + "a" if stem[-1] == "e" else stem[:-1] + ("ea" if stem[-1] == "i" else "a")


def _as_ordinal(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    known = words_of(base, Roman).centuries
    return ordinal(number, base) if after in known and not ending else None


def _in_digits(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    """Return a numeral in digits for a language whose voice reads them in front of this word, and
    would say "Roman twenty" or "X X".
    """
    known = words_of(base, Roman).centuries_in_digits
    return str(number) if after in known and not ending else None


_READERS = {
    "fr": _french, "ru": _russian, "pl": _polish, "uk": _ukrainian, "ro": _romanian,
    **dict.fromkeys(("en", "it", "de"), _as_ordinal),
}  # fmt: skip


def value(numeral: str) -> int:
    """Return the number that a Roman numeral is."""
    values = [_VALUES[letter] for letter in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
