"""Numbers of sections of laws before their sign, as ordinals: Swedish ``2 och 3 §§``, Finnish
``5 §:n``."""

import re
from collections.abc import Sequence

from svc.media.languages import Grammar, Numbers, read_words
from svc.media.text.numerals import PAUSES, STOPS, extract_stops, spell_ordinal

_NUMBERS = re.compile(r"(\d{1,4})(?:[-–](\d{1,4}))?,?")
_SIGN = re.compile(r"(§§?)(?::([^\W\d_]{1,4}))?")
_LETTER = re.compile(r"[a-zåäö]")  # of 5 a §
_MOST = 12  # words from a number to its sign


def read_section(words: Sequence[str], index: int, language: str) -> tuple[str, bool] | None:
    """Return how the number of a section before its sign, or that sign, is spoken, and whether it
    ends a sentence; None: it is neither, or the language has the sign in front."""
    after = read_words(language, Numbers).section_after
    if not after:
        return None
    if sign := _SIGN.fullmatch(words[index].rstrip(STOPS)):
        return _read_sign(words, index, sign, language)
    match, last = _NUMBERS.fullmatch(words[index]), _find_sign(words, index, language)
    has_sign = index > 0 and words[index - 1] in ("§", "§§")  # § 7, §§ 3–5
    if match is None or last is None or has_sign:
        return None
    case = read_words(language, Numbers).endings.get(last[2]) if last[2] else ""
    if case is None or (not case and _LETTER.fullmatch(words[index + 1])):  # fem a paragrafen
        return None
    to = read_words(language, Numbers).to
    form = {"case": case} if case else {}
    if match[2] and not to:
        return None
    ends = [spell_ordinal(int(part), language, **form) for part in match.groups() if part]
    return f" {to} ".join(ends) + "," * words[index].endswith(","), False


def _read_sign(
    words: Sequence[str], index: int, sign: re.Match[str], language: str
) -> tuple[str, bool] | None:
    """Return the sign after a number with the ending that a colon adds to it."""
    known = read_words(language, Numbers)
    number = index - 1
    if number > 0 and _LETTER.fullmatch(words[number]):
        number -= 1
    if number < 0 or not _NUMBERS.fullmatch(words[number]) or words[number].endswith(","):
        return None
    said = known.sections_after if sign[1] == "§§" and known.sections_after else known.section_after
    ending = sign[2] or ""
    if ending not in known.endings and ending:
        return None
    said += ending[1:] if len(ending) > 1 and said.endswith(ending[0]) else ending
    stops = extract_stops(words[index][sign.end() :])
    return said + stops, "." in stops


def _find_sign(words: Sequence[str], index: int, language: str) -> re.Match[str] | None:
    """Return the sign after the number at ``index``, or after others that are joined to it:
    ``2, 3 och 5 §§``; None: there is none."""
    joins = read_words(language, Numbers).joins | read_words(language, Grammar).joins
    is_number, is_listed = True, words[index].endswith(",")
    for word in words[index + 1 : index + _MOST]:
        if sign := _SIGN.fullmatch(word.rstrip(STOPS)):
            return sign if is_number and not is_listed else None
        if is_number and _LETTER.fullmatch(word.rstrip(PAUSES)):
            continue
        joined = is_number and word in joins
        if not joined and not _NUMBERS.fullmatch(word):
            return None
        is_number, is_listed = not joined, word.endswith(",")
    return None
