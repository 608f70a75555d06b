"""Small words by which a part of a sentence leans on what stands beside it, of all languages."""

from functools import cache

from babel.dates import get_month_names

from svc.media.languages import Grammar, Money, Numbers, words_by_language, words_of_all

_LONGEST_SHORT = 2  # letters of a scale that may be a unit or a name as well: "m", "bn"


@cache
def opening_words() -> frozenset[str]:
    """Return the words with which a clause or a phrase begins that goes on from another."""
    known = words_of_all(Grammar)
    begins = known.goes_on | known.reasons | known.opens | known.joins
    return begins - (known.definite | known.articles | known.pronouns)


@cache
def leaning_words() -> frozenset[str]:
    """Return the words that belong to what follows or precedes them: those before a noun, and
    pronouns.
    """
    known = words_of_all(Grammar)
    return known.relatives | known.definite | known.articles | known.pronouns


@cache
def scale_words() -> frozenset[str]:
    """Return the words, in small letters, that scale the number before them: "million"."""
    scales = (scale for money in words_by_language(Money).values() for scale in money.scales)
    return frozenset(scale.casefold() for scale in scales if len(scale) > _LONGEST_SHORT)


@cache
def month_words() -> frozenset[str]:
    """Return the names of the months, in small letters, as they stand beside a day."""
    known = (get_month_names("wide", "format", code) for code in words_by_language(Grammar))
    return frozenset(name.casefold() for names in known for name in names.values())


@cache
def span_words() -> frozenset[str]:
    """Return the words between the two ends of a range of numbers: "to"."""
    known = (numbers.to.casefold() for numbers in words_by_language(Numbers).values())
    return frozenset(filter(None, known))
