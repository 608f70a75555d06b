"""One of something with its article, and numbers of stars: ``1 Tasse``, ``1 cebolla``, ``4.8★``."""

import re

from svc.media.languages import Articles, Everywhere, Numbers, merge_words, read_words
from svc.media.text.numerals import (
    DIGITS,
    SPACE,
    agree,
    base_language,
    names_number,
    spell_number,
)

_STARS = re.compile(f"({DIGITS})★+")
_BEFORE_ONE = frozenset(("a", "an", "each", "every", "another", "this", "that", "one", "per"))
_BEFORE_ANY = frozenset(
    ("the", "our", "its", "his", "her", "their", "my", "your", "these", "those")
)
_VERBS = frozenset((  # after these, the quantity was meant: the 5 km we ran, the $5 spent
    "we", "you", "they", "I", "he", "she", "it", "are", "were", "has", "have", "had", "spent",
    "paid", "lost", "won", "left", "goes", "go", "went", "needs", "need", "makes", "make", "cost",
    "costs", "must", "should", "would", "could", "may", "do", "does", "did", "there", "here", "not",
    "so", "too", "all", "our", "its", "his", "her", "their", "you", "your", "my",
))  # fmt: skip
_AFTER_A_QUANTITY = frozenset((  # words before which it is no adjective
    "of", "in", "at", "to", "from", "or", "and", "is", "was", "for", "on", "by", "with", "per", "a",
    "an", "the", "as", "if", "but", "when", "while", "than", "that", "which", "who", "will", "can",
    "may", "over", "under",
))  # fmt: skip
_NEUTER = re.compile(
    r"(?:gramm|kilo|pfund|byte|bit|grad|watt|volt|jahr|jahrhundert|dutzend|glas|brot|brötchen|blech|"
    r"bund|stück|paket|päckchen|hähnchen|blatt|semester|quartal|prozent|leben|haus|ei|chen)$",
    re.IGNORECASE,
)
_BEFORE_UNO = re.compile(r"s[^aeiouh]|z|gn|ps|[xy]", re.IGNORECASE)


def read_one(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return 1 before a noun as the article that its ending suggests; None: no noun follows,
    or 1 is a name there.
    """
    base, noun = base_language(language), after.rstrip(".,;:!?)")
    everywhere = merge_words(Everywhere)
    number, _, joined = text.partition(SPACE)
    if joined and joins_noun(number, joined, language):  # un'ora
        article = find_article(joined, base)
        one = f"{article[:-1]}'" if article else f"{spell_number(number, language)} "
        return agree(f"{one}{joined}", "", language)
    if text != "1" or not noun.isalpha() or noun.lower() in everywhere.not_counted:
        return None
    is_name = names_number(before.lower().strip("("), language)
    said = None if is_name else find_article(noun, base)
    return said and decline_one(said, before, language)


def joins_noun(number: str, noun: str, language: str) -> bool:
    """Return whether a ``number`` is one piece with the ``noun`` after it: Italian ``un'ora``."""
    form = read_words(base_language(language), Numbers).one_joins
    return form is not None and form.fullmatch(f"{number} {noun}") is not None


def decline_one(words: str, before: str, language: str) -> str:
    """Return a quantity of one in words, in the dative after a word that takes it: German ``mit
    einem Kilogramm``, ``nach einer Stunde``."""
    articles = read_words(base_language(language), Articles)
    one, _, unit = words.strip().partition(" ")
    if before.lower() not in articles.before_dative or one not in articles.indefinite:
        return words
    return f"{articles.dative[articles.indefinite.index(one)]} {unit}".rstrip()


def find_article(noun: str, base: str) -> str | None:
    """Return the article for one ``noun`` that its ending suggests; None: it is not known."""
    known = read_words(base, Articles)
    if not known.indefinite:
        return None
    masculine, feminine = known.indefinite
    if known.feminine is not None and known.feminine.fullmatch(noun):
        return feminine
    if base == "it" and _BEFORE_UNO.match(noun):
        return "uno"
    is_masculine = known.masculine is not None and known.masculine.fullmatch(noun)
    return masculine if is_masculine else None


def is_adjective(before: str, after: str, language: str) -> bool:
    """Return whether a quantity stands before a noun like an adjective,
    and so in the singular in English: ``a 40 cm gap``.
    """
    first, noun = before.lower().lstrip("(“\"'"), after.rstrip(".,;:!?)…")
    if base_language(language) != "en" or not noun[:1].isalpha() or noun in _AFTER_A_QUANTITY:
        return False
    return first in _BEFORE_ONE or (
        first in _BEFORE_ANY and not noun.endswith("ed") and noun not in _VERBS
    )


def name_half(noun: str) -> str:
    """Return German for half of one ``noun``, in the nominative."""
    return (
        "eine halbe"
        if find_article(noun, "de") == "eine"
        else "ein halbes"
        if _NEUTER.search(noun)
        else "ein halber"
    )


def read_stars(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a number of stars in words; None: ``text`` is none."""
    match, stars = _STARS.fullmatch(text), read_words(language, Numbers).stars
    return f"{spell_number(match[1], language, alone=False)} {stars}" if match and stars else None
