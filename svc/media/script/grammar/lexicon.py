"""The words of each language's grammar on which the sense of a sentence hangs, from ``words.json``.

No library knows for so many languages which words negate, suppose or contrast, and which begin a
clause.
"""

import json
import re
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("words.json")
_PATTERNS = ("attends", "negation_form", "refers", "verb")


@dataclass(frozen=True)
class Lexicon:
    """The words of one language, in small letters; none of those that it has no data for."""

    negations: frozenset[str]
    # those negations that say nothing of what goes before them: "without"
    negates_after: frozenset[str]
    negation_form: re.Pattern[str] | None  # found in a word that negates by its form
    turns: frozenset[str]  # words of a condition, a contrast, hearsay or a limit
    former: frozenset[str]  # words of what is no longer so: "formerly"
    former_or_before: frozenset[str]  # those of them that may as well say "before": "antes"
    former_not_before: frozenset[str]  # words after one of these that make it say so: "antes de"
    # words that go on after a complete clause and a comma: "and", "which", "because"
    goes_on: frozenset[str]
    # those of them that may limit what they follow, where every relative clause has a comma
    relatives: frozenset[str]
    definite: frozenset[str]  # words before a noun that say which one is meant: "the"
    # words before a noun that leave open which one is meant, as relatives have a comma: "der"
    articles: frozenset[str]
    # words that begin a clause, after a comma, which the one before it lacks: "wer"
    completes: frozenset[str]
    reasons: frozenset[str]  # words that begin a reason, also without a comma
    # words that begin what is no complete clause in front of a comma: "after", "if"
    opens: frozenset[str]
    joins: frozenset[str]  # words between the last two things of a list
    pronouns: frozenset[str]  # words that stand for what was named before
    # found in a clause that goes on from the sentence before: "also", "rejected it"
    refers: re.Pattern[str] | None
    titles: frozenset[str]  # words before the name of a person, besides abbreviations
    # found in a sentence that says who was there, or was not: "Apologies"
    attends: re.Pattern[str] | None
    says: frozenset[str]  # words that say who says it, beside what is said
    greetings: frozenset[str]  # words that begin an address to the reader, up to its comma
    verb: re.Pattern[str] | None  # found in a clause that certainly has a verb; case counts


@cache
def lexicon_of(language: str) -> Lexicon:
    """Return the words of ``language`` (BCP 47)."""
    entry = _entries().get(language.partition("-")[0], {})
    names = (field.name for field in fields(Lexicon))
    values: dict[str, Any] = {name: frozenset(entry.get(name, "").split()) for name in names}
    return Lexicon(
        **values | {name: re.compile(entry[name]) if name in entry else None for name in _PATTERNS}
    )


@cache
def opening_words() -> frozenset[str]:
    """Return the words of all languages with which a clause or a phrase begins that goes
    on from another.
    """
    return _of_all("goes_on", "reasons", "opens", "joins") - _of_all(
        "definite", "articles", "pronouns"
    )


@cache
def leaning_words() -> frozenset[str]:
    """Return the words of all languages that belong to what follows or precedes them:
    those before a noun, and pronouns.
    """
    return _of_all("relatives", "definite", "articles", "pronouns")


def _of_all(*names: str) -> frozenset[str]:
    return frozenset(
        word
        for language in _entries()
        for name in names
        for word in getattr(lexicon_of(language), name)
    )


@cache
def _entries() -> dict[str, dict[str, str]]:
    entries: dict[str, dict[str, str]] = json.loads(_FILE.read_text("utf-8"))
    return entries
