"""Small words by which a part of a sentence leans on what stands beside it, of all languages."""

from functools import cache

from svc.media.languages import Grammar, words_of_all


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
