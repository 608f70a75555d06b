"""Sentences that lean on what was said before, and mean nothing to someone who reads them alone:
"These hours also apply to him".

A sentence that is torn from its neighbours may keep neither a pronoun whose noun stands there, nor
a word that points back, nor a verb whose subject was left out because it was named before.
"""

import re

from svc.media.languages import Grammar, read_words
from svc.media.text.grammar import small_words
from svc.media.text.grammar.clauses import strip_word

_CLAUSE_END = re.compile("(?<=,)|[;:]")  # the comma stays: "dafür," goes on with what it is for
_AROUND = "([{«“„\"'‘¿¡「『（【《—–- \u00a0"
_QUOTES = "«“„\"»‘'"
_WITHIN = re.compile("[ \u00a0'’]+")


def leans_on_before(text: str, language: str) -> bool:
    """Return whether a sentence goes on from one before it, or points to something that it does not
    name: "The sun has an influence, too", "Open during these hours", "Murió en 1957"."""
    known, is_quoted = read_words(language, Grammar), text[:1] in _QUOTES
    text = text.lstrip(_AROUND)
    start = _CLAUSE_END.split(text, maxsplit=1)[0]
    if known.refers is not None and known.refers.search(start) is not None:
        return True
    return (
        _points_back(text, language)
        or (known.leans is not None and known.leans.search(text) is not None)
        # who is quoted speaks of himself
        or (
            known.names_subject is not None
            and not is_quoted
            and known.names_subject.search(text) is None
        )
    )


def _points_back(text: str, language: str) -> bool:
    """Return whether ``text`` has a word such as "these" that neither leads to a clause nor tells a
    time as it is for the reader, too: "this year"."""
    known = read_words(language, Grammar)
    said = [strip_word(word).casefold() for word in _WITHIN.split(text)]
    return any(
        word in known.demonstratives
        and after not in known.not_demonstrative_before
        and after not in small_words.list_words_of_periods()
        for word, after in zip(said, [*said[1:], ""], strict=True)
    )
