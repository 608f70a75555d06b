"""Small words by which a part of a sentence depends on what stands beside it, in all languages."""

import json
from functools import cache, lru_cache
from pathlib import Path

from svc.media.languages import (
    Grammar,
    Money,
    Numbers,
    Times,
    Units,
    merge_words,
    read_words_by_language,
)
from svc.media.text.numerals import spell_cardinal

_CALENDAR = Path(__file__).with_name("calendar_words.json")
_SMALL = range(1, 13)  # numbers that are written in words
_LONGEST_SHORT = 2  # letters of a scale that may be a unit or a name as well: "m", "bn"


@cache
def list_opening_words() -> frozenset[str]:
    """Return the words with which a clause or a phrase begins that goes on from another."""
    known = merge_words(Grammar)
    begins = known.goes_on | known.reasons | known.opens | known.joins | known.prepositions
    return (begins - (known.definite | known.articles | known.pronouns)) | known.completes


@cache
def list_joining_words() -> frozenset[str]:
    """Return the words between the last two things of a list: "and"."""
    return merge_words(Grammar).joins


@cache
def list_prepositions() -> frozenset[str]:
    """Return the opening words that stand before a noun, and begin no clause: "from"."""
    known = merge_words(Grammar)
    clauses = known.goes_on | known.reasons | known.joins | known.completes | known.relating
    return ((known.prepositions | known.fronts) & list_opening_words()) - clauses


@cache
def list_postpositions() -> frozenset[str]:
    """Return the words that belong to a noun in front of them."""
    return merge_words(Grammar).postpositions


@cache
def list_leaning_words() -> frozenset[str]:
    """Return the words that belong to what follows or precedes them: those before a noun, and
    pronouns.
    """
    known = merge_words(Grammar)
    return known.relatives | known.definite | known.articles | known.pronouns


@cache
def list_binding_words() -> frozenset[str]:
    """Return further words that belong to the next one, with which no phrase begins: those of
    quantity, and numbers in words."""
    return merge_words(Grammar).quantities | list_number_words()


@cache
def list_auxiliary_verbs() -> frozenset[str]:
    """Return verbs that belong to what follows, and with which what is said of a subject begins:
    "will"; not those that are other words elsewhere, such as the French "a"."""
    known = (word for word in merge_words(Grammar).auxiliaries if len(word) > _LONGEST_SHORT)
    return frozenset(known) - list_leaning_words()


@cache
def list_completing_words() -> frozenset[str]:
    """Return the words with which a clause begins that completes another: "that"."""
    return merge_words(Grammar).completes


@cache
def list_relating_words() -> frozenset[str]:
    """Return the words with which a clause begins that says more of a thing: "which"."""
    return merge_words(Grammar).relating


@cache
def list_words_of_belonging() -> frozenset[str]:
    """Return the words between a thing and what it is of, before which no phrase ends: "of"."""
    return merge_words(Grammar).belongs


@cache
def list_number_words() -> frozenset[str]:
    """Return the numbers up to twelve in words, where a library or a file has them."""
    known = (
        spell_cardinal(number, code)
        for code in read_words_by_language(Grammar)
        for number in _SMALL
    )
    return frozenset(word for word in known if not word.isdecimal())


@lru_cache(maxsize=4096)
def is_verb(word: str) -> bool:
    """Return whether ``word`` is certainly a verb in some language: "named"."""
    known = (grammar.verb for grammar in read_words_by_language(Grammar).values())
    return any(verb is not None and verb.fullmatch(word) for verb in known)


@cache
def list_words_of_rates() -> frozenset[str]:
    """Return the words between an amount and what it is for: "per"."""
    known = (units.per.casefold() for units in read_words_by_language(Units).values())
    return frozenset(filter(None, known))


@cache
def list_words_of_periods() -> frozenset[str]:
    """Return the names of times for which something is paid or done, as after "a": "week"."""
    return _read_calendar_words("periods")


@cache
def list_words_before_numbers() -> frozenset[str]:
    """Return the prepositions, and some articles, that files have for the numbers after them."""
    known = read_words_by_language(Numbers).values()
    governing = " ".join(value for numbers in known for value in numbers.governs.values())
    return merge_words(Numbers).before | frozenset(governing.split())


@cache
def list_scale_words() -> frozenset[str]:
    """Return the words, in small letters, that scale the number before them: "million"."""
    scales = (scale for money in read_words_by_language(Money).values() for scale in money.scales)
    return frozenset(scale.casefold() for scale in scales if len(scale) > _LONGEST_SHORT)


@cache
def list_month_words() -> frozenset[str]:
    """Return the names of the months, in small letters, as they stand beside a day."""
    return _read_calendar_words("months")


@cache
def list_weekday_words() -> frozenset[str]:
    """Return the days of the week, in small letters, as they stand before a date."""
    return _read_calendar_words("weekdays")


@cache
def list_span_words() -> frozenset[str]:
    """Return the words between the two ends of a range of numbers: "to"."""
    known = frozenset(numbers.to.casefold() for numbers in read_words_by_language(Numbers).values())
    of_times = read_words_by_language(Times).values()
    return (known | {word for times in of_times for word in times.pairs.values()}) - {""}


def _read_calendar_words(kind: str) -> frozenset[str]:
    """Return the words of one kind in all languages. babel has them as well, and would load the
    whole locale of each language for them."""
    listed = json.loads(_CALENDAR.read_text("utf-8"))
    return frozenset(word for code, words in listed.items() if code for word in words[kind])
