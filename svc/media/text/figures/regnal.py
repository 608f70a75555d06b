"""The numbers of kings, queens and popes in words:
``Henry VIII``, ``Elisabeth II.``, ``Felipe VI``.
"""

import re
from collections.abc import Sequence
from functools import cache

from svc.media.languages import Dates, Roman, read_words
from svc.media.text.figures import centuries, labels
from svc.media.text.numerals import (
    OPENERS,
    base_language,
    extract_stops,
    spell_cardinal,
    spell_ordinal,
)

_GERMAN_DATIVE = frozenset(
    ("von", "unter", "mit", "bei", "zu", "seit", "nach", "vor", "neben", "gegenüber", "aus")
)
_WITHOUT_DOT = ("da", "nb", "fi", "hu", "tr")  # of a ruler's number, or before the name
_MOST = 30  # rulers of one name
_MOST_NAMES = 3  # of a person: Johannes Paul, Viktor Emanuel


def read_regnal(
    pieces: Sequence[str], index: int, match: re.Match[str], number: int, language: str
) -> str | None:
    """Return a numeral after the name of a ruler as an ordinal, with the punctuation after it;
    None: it is none.

    ``match``: groups ``rest`` and ``closes``. In English, I alone may be the pronoun; in German, a
    full stop is the numeral's.
    """
    base = base_language(language)
    name = pieces[index - 1].lstrip(OPENERS) if index else ""
    after = pieces[index + 1] if index + 1 < len(pieces) else ""
    closes = extract_stops(match["closes"])
    if number > _MOST or (
        len(match["first"]) == 1
        and not read_words(base, Dates).ordinals_by_dot
        and closes == "."
        and labels.may_be_surname(after, language)
    ):
        return None  # Karl V. Karlstrom
    if (name, match["first"]) == ("Malcolm", "X"):
        return None
    if base in _DECLINED:
        said = _DECLINED[base](name, number)
        return said and f"{said}{match['rest']}{closes}"
    known = read_words(base, Roman)
    is_queen = name in known.queens
    genitive = base == "de" and name.endswith("s") and name not in known.kings
    is_king = (name.removesuffix("s") if genitive else name) in known.kings
    if not (is_king or is_queen) or (
        base == "en" and pieces[index] == "I" and not _is_number(pieces, index)
    ):
        return None
    if read_words(base, Dates).ordinals_by_dot and base not in _WITHOUT_DOT:
        if not closes.startswith("."):
            return None
        ends = len(closes) == 1 and (not after or labels.is_sentence_start(after, language))
        closes = closes if ends else closes[1:]
    dative = _find_word_before_names(pieces, index).lower() in _GERMAN_DATIVE
    return f"{_build_ordinal(number, base, is_queen, genitive, dative)}{match['rest']}{closes}"


def _is_number(pieces: Sequence[str], index: int) -> bool:
    """Return whether I after a name is its number: ``James I of England``,
    and not ``the Mary I know``.
    """
    after = pieces[index + 1] if index + 1 < len(pieces) else ""
    return after in ("of", "was", "is", "and", "had", "ruled", "reigned", "died", "in", "to", "–")


def _find_word_before_names(pieces: Sequence[str], index: int) -> str:
    """Return the last word before the names of a ruler."""
    for place in range(index - 1, max(-1, index - 2 - _MOST_NAMES), -1):
        if pieces[place].islower():
            return pieces[place]
    return pieces[index - 2] if index > 1 else ""


def _build_ordinal(number: int, base: str, is_queen: bool, genitive: bool, dative: bool) -> str:
    match base:
        case "en":
            return f"the {spell_ordinal(number, 'en')}"
        case "de":
            article = (
                "des"
                if genitive
                else ("der" if is_queen else "dem")
                if dative
                else "die"
                if is_queen
                else "der"
            )
            ordinal = spell_ordinal(number, "de").capitalize()
            return f"{article} {ordinal}{'n' if genitive or dative else ''}"
        case "nl":
            return f"de {spell_ordinal(number, 'nl')}"
        case "ro":
            return "întâi" if number == 1 else spell_ordinal(number, "ro")
        case "sv" | "da" | "nb":
            return f"den {spell_ordinal(number, base)}"
    said = centuries.rank_in_words(number, base)
    if is_queen and (feminine := centuries.inflect_ordinal(number, base, "", "queen")):
        return feminine
    return re.sub("o$", "a", said) if is_queen else said


@cache
def _read_forms(base: str) -> dict[str, str]:
    """Return the form of the ordinal after each name of a ruler."""
    listed = read_words(base, Roman).inflected_rulers
    return {name: form for form, names in listed.items() for name in names.split()}


def _read_french(name: str, number: int) -> str | None:
    is_ruler = name in read_words("fr", Roman).kings
    return spell_cardinal(number, "fr") if is_ruler and number > 1 else None


def _read_russian(name: str, number: int) -> str | None:
    gender, case = _read_forms("ru").get(name, " ").split(" ")
    return spell_ordinal(number, "ru", case=case, gender=gender).capitalize() if case else None


def _read_polish(name: str, number: int) -> str | None:
    form = _read_forms("pl").get(name)
    return centuries.polish(number, form) if form else None


def _read_ukrainian(name: str, number: int) -> str | None:
    form = _read_forms("uk").get(name)
    return centuries.spell_ukrainian_ordinal(number, form).title() if form else None


_DECLINED = {"fr": _read_french, "ru": _read_russian, "pl": _read_polish, "uk": _read_ukrainian}
