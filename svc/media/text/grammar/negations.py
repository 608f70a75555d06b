"""The words that reverse a statement, by language.

A phrase that drops one would say the opposite, or say as a fact what is only claimed, denied or
supposed.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from svc.media.languages import Grammar, read_words

_BEFORE_USED = frozenset(
    (
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "get",
        "gets",
        "got",
        "getting",
        "become",
        "becomes",
        "became",
    )
)


def is_negation(word: str, language: str) -> bool:
    """Return whether a word turns its statement round; in languages that negate by the verb's form,
    whether it may.
    """
    return denies(word, read_words(language, Grammar))


def denies(word: str, known: Grammar) -> bool:
    """Return what :func:`is_negation` does, by the grammar of a language."""
    small = word.lower()
    return small in known.negations or (
        known.negation_form is not None and known.negation_form.search(small) is not None
    )


def reverses_sentence(word: str, language: str) -> bool:
    """Return whether a sentence with this word may say something else than any part of it:
    "if", "claims", "only".
    """
    known = read_words(language, Grammar)
    return word != "May" and word.lower() in known.turns | known.limits


def is_of_the_past(words: Sequence[str], language: str) -> bool:
    """Return whether a sentence says that something is no longer so, in English also by "used to",
    but not by "is used to".
    """
    folded = [word.lower() for word in words]
    known = read_words(language, Grammar)
    if any(
        word in known.former and not _says_before(word, after, known)
        for word, after in pairwise([*folded, ""])
    ):
        return True
    is_english = language.partition("-")[0] == "en"
    return is_english and any(
        pair == ("used", "to") and not {*folded[:at][-2:]} & _BEFORE_USED
        for at, pair in enumerate(pairwise(folded))
    )


def _says_before(word: str, after: str, known: Grammar) -> bool:
    """Return whether ``word`` does not say "formerly" but "before", as ``after``, the next one,
    shows: "avant 18 h".
    """
    if word not in known.former_or_before:
        return False
    return after[:1].isdigit() or re.split("['’]", after)[0] in known.former_not_before


def find_indispensable(words: Sequence[str], language: str) -> set[int]:
    """Return the places of those of a sentence's ``words`` without which it would
    say something else.
    """
    if is_of_the_past(words, language):
        return set(range(len(words)))
    return {
        at
        for at, word in enumerate(words)
        if is_negation(word, language) or reverses_sentence(word, language)
    }
