"""Ordinals in words, by the ending that is written of them or by the noun after them."""

import re
from collections.abc import Mapping
from typing import TypeVar

from svc.media.languages import Dates, Numbers, read_words
from svc.media.text import abbreviations, months
from svc.media.text.figures import centuries
from svc.media.text.numerals import PAUSES, STOPS, base_language, spell_ordinal

_Form = TypeVar("_Form")
_RUSSIAN_NEUTER = re.compile(r"\w{2}[оеё]$")
_RUSSIAN_ENDINGS = {  # by their last letters: case and gender
    "ой": ("g", "f"),  # шестой sounds like it
    "ей": ("g", "f"),
    "й": ("n", "m"),
    "я": ("n", "f"),
    "е": ("n", "n"),
    "го": ("g", "m"),
    "му": ("d", "m"),
    "м": ("p", "m"),
    "ю": ("a", "f"),
}
_UKRAINIAN_ENDINGS = {  # of an ordinal, by the last letters of what is written of them
    "го": "ого", "му": "ому", "ми": "ими", "ій": "ій", "й": "ий", "а": "а", "я": "а", "е": "е",
    "є": "е", "х": "их", "ї": "ої", "м": "им", "у": "у", "ою": "ою", "ю": "у", "і": "і",
}  # fmt: skip
_POLISH_ENDINGS = {
    "ymi": "ymi", "imi": "ymi", "ym": "ym", "im": "ym", "ego": "ego", "go": "ego", "emu": "emu",
    "mu": "emu", "ej": "ej", "ych": "ych", "ich": "ych", "y": "y", "i": "y", "a": "a", "ą": "ą",
    "e": "e",
}  # fmt: skip
# Nouns after 3°, which is no degree.
_COUNTED = frozenset((
    "andar", "anno", "ano", "aula", "bimestre", "ciclo", "classe", "classificata", "classificato",
    "comma", "concorso", "curso", "edición", "edizione", "edição", "girone", "giorno", "grado",
    "grau", "gruppo", "incontro", "livello", "lotto", "lugar", "nivel", "nível", "piano", "piso",
    "posizione", "posto", "premio", "prémio", "prêmio", "puesto", "quadrimestre", "semestre",
    "sezione", "tempo", "trimestre", "turma", "turno", "étage",
))  # fmt: skip
# Articles of Italian, Spanish and Portuguese, also with a preposition, that no degrees follow.
_SINGULAR = frozenset(
    ("il", "del", "al", "dal", "nel", "sul", "lo", "la", "el", "o", "do", "no", "ao", "pelo")
)
_MOST_IN_MONTH = 5  # Fridays
_SUNDAY = "domenica"  # the only feminine day in Italian, whose ordinal has a degree sign in short
_DECADE = re.compile(r"((?:1[89]|20)?[1-9]0)\.")


def read_decade(text: str, language: str, before: str) -> str | None:
    """Return a decade with a dot after a word for years, in the form that this requires: Polish
    ``w latach 90.``; None: ``text`` is none."""
    match = _DECADE.fullmatch(text)
    endings = read_words(language, Dates).before_decades
    ending = next((end for end, words in endings.items() if before.lower() in words), None)
    return centuries.polish(int(match[1]), ending) if match and ending else None


def find_unmarked_ending(text: str, language: str, after: str) -> str:
    """Return the ending that a number before a noun in the singular stands for, as it counts none:
    ``5 класс``, ``2 klasie``; empty: it counts something."""
    known = read_words(language, Dates).unmarked
    noun = after.rstrip(f"{PAUSES}.…)»”")
    if not known or not (noun and text[:1].isdecimal()):
        return ""
    written = f"{text} {noun}"
    return next((end for end, form in known.items() if form and form.fullmatch(written)), "")


def read_ordinal(text: str, language: str, before: str, after: str) -> str | None:
    """Return an ordinal in words: ``21st``, ``1er``, ``3º``."""
    name = base_language(language)
    pattern = read_words(language, Dates).ordinal
    match = pattern.fullmatch(text) if pattern else None
    if (
        not (match and pattern)
        or len(match[1]) > 6
        or (text.endswith("°") and not _counts_with_degree(match[1], before, after, language))
    ):
        return None
    noun = after.rstrip(f"{PAUSES}.)")
    if name == "ru":
        ending = _find_meant_ending(text, before, noun, name) or match[2]
        return _write_russian_ordinal(int(match[1]), ending, noun)
    if name == "uk":
        ending = _find_meant_ending(text, before, noun, name) or match[2]
        return centuries.spell_ukrainian_ordinal(
            int(match[1]), _find_form_by_ending(_UKRAINIAN_ENDINGS, ending)
        )
    if name == "hu":  # harmadikán, elsején
        return "elsején" if match[1] == "1" else spell_ordinal(int(match[1]), "hu") + match[2]
    if name == "pl":  # 2-giej
        if not int(match[1]):
            return None
        return centuries.polish(int(match[1]), _find_form_by_ending(_POLISH_ENDINGS, match[2]))
    if name == "ro":
        return centuries.spell_romanian_ordinal(int(match[1]), match[2])
    said = centuries.compose_ordinal(int(match[1]), language)
    if name == "it" and abbreviations.list_days(name).get(noun.lower(), noun) == _SUNDAY:
        return said and f"{said[:-1]}a"
    if name == "fr" and text.endswith("°") and _opens_item(before, after):
        return said and re.sub("premier$", "première", said) + "ment"
    ending = match[2] if pattern.groups > 1 else ""
    ends = read_words(name, Dates).ordinal_forms.get(ending, {})
    if not said or read_words(name, Numbers).ordinals_in_each_word:
        return said and " ".join(_replace_end(word, ends) for word in said.split())
    *first, last = said.split()  # две хиляди двадесет и четвърта
    return " ".join([*first, _replace_end(last, ends)])


def _replace_end(word: str, ends: dict[str, str]) -> str:
    end = next((end for end in ends if word.endswith(end)), "")
    return word.removesuffix(end) + ends[end] if end else word


def _counts_with_degree(number: str, before: str, after: str, language: str) -> bool:
    """Return whether the sign of a degree is that of an ordinal: ``1° maggio``, ``3° piano``, or
    ``nel 2°`` after an article in the singular."""
    noun = after.rstrip(f"{PAUSES}.)")
    if before.lower() in _SINGULAR or _opens_item(before, after):
        return True
    if len(number) == 1 and abbreviations.is_day_or_month(after, language):
        return int(number) <= _MOST_IN_MONTH  # 3° ven. del mese
    return noun in _COUNTED or (
        number == "1" and (months.is_month(after, language) or noun == "de")
    )


def _opens_item(before: str, after: str) -> bool:
    """Return whether an ordinal stands at the beginning of one of several: ``1° Diffuser``."""
    is_begun = not before or before[-1] in STOPS
    is_scale = after.startswith(("Celsius", "Fahrenheit"))
    return is_begun and after[:1].isupper() and after[1:2].islower() and not is_scale


def _find_meant_ending(text: str, before: str, noun: str, name: str) -> str:
    """Return the ending that the words beside an ordinal show, where that which is written stands
    for several: ``о 7-й годині``; empty: they show none."""
    beside = f"{text} {before} {noun}".lower()
    meant = read_words(name, Dates).endings_meant
    return next((end for end, form in meant.items() if form and form.search(beside)), "")


def _find_form_by_ending(endings: Mapping[str, _Form], ending: str) -> _Form:
    return next(form for last, form in endings.items() if ending.endswith(last))


def _write_russian_ordinal(number: int, ending: str, noun: str) -> str:
    """Return ``5-й``, ``5-я``, ``1990-е`` or ``90-х``; decades are in the plural."""
    is_decade = number % 10 == 0 and not _RUSSIAN_NEUTER.search(noun)  # 10-е годы, 10-е место
    if ending[-1] == "х" or ending == "ые" or (ending == "е" and is_decade):
        return spell_ordinal(number, "ru", case="p" if ending[-1] == "х" else "n", plural=True)
    case, gender = _find_form_by_ending(_RUSSIAN_ENDINGS, ending)
    return spell_ordinal(number, "ru", case=case, gender=gender)
