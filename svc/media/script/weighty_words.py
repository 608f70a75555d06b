"""Finding the words of a text that say something: those that are rare, long,
capitalised or numeric.
"""

import math
import re
import unicodedata
from functools import cache

from zxcvbn.frequency_lists import FREQUENCY_LISTS

from svc.base.text.countries import strip_country
from svc.base.text.languages import find_language
from svc.media.text import tokens

_LEAST = 0.35  # the weight from which a word says something
_CAPITAL = 0.2
_STOPS = (
    f".,;:!?…।؟۔،؛–—- \u00a0、。，；：！？{tokens.GLUE}([{{«“„\"'‘¿¡「『（【《)]}}»”’」』）】》"
)
# By script: the words that say something, which are written in other signs than particles and
# endings.
_CONTENT = {
    "Jpan": re.compile("[\u3400-\u9fff々]{2,}|[\u30a1-\u30fa\u30fc]{3,}|[A-Za-z0-9]{2,}"),
    "Hans": re.compile("[\u3400-\u9fff]{2,}|[A-Za-z0-9]{2,}"),
    "Hant": re.compile("[\u3400-\u9fff]{2,}|[A-Za-z0-9]{2,}"),
    "Thai": re.compile("[\u0e00-\u0e7f]{4,}|[A-Za-z0-9]{2,}"),
}
_LIST_LENGTH = 30_000  # words of the English list


def find_weighty_words(text: str, language: str) -> list[str]:
    """Return the words of ``text`` that say something, without the punctuation around them."""
    listed = find_language(language)
    if listed is not None and listed.is_unspaced:
        return _CONTENT[listed.script].findall(text)
    said = [token.written.strip(_STOPS) for token in tokens.tokenize_text(text, language)]
    return [
        word
        for at, word in enumerate(said)
        if _compute_weight(word, at, language.partition("-")[0]) >= _LEAST
    ]


def _compute_weight(word: str, at: int, language: str) -> float:
    """Return how much a word says, about 0 to 1.2."""
    if any(character.isdecimal() for character in word):
        return 1.0
    if not word or (len(word) == 1 and word.isascii()):
        return 0.0  # "a", "I", "y", "o": the lists have none of them
    return _compute_rarity(word.casefold(), language) + (
        _CAPITAL if at and word[:1].isupper() else 0.0
    )


def _compute_rarity(word: str, language: str) -> float:
    """Return 0 for the commonest words and 1 for rare ones: by a list of frequencies in English,
    elsewhere by length.
    """
    if strip_country(language) != "en":
        letters = sum(unicodedata.category(character)[0] == "L" for character in word)
        return min(1.0, max(0.0, (letters - 2) / 6))
    rank = _load_ranks().get(word.removesuffix("'s").removesuffix("’s"), _LIST_LENGTH)
    return min(1.0, max(0.0, (math.log(rank) - math.log(60)) / (math.log(6000) - math.log(60))))


@cache
def _load_ranks() -> dict[str, int]:
    """Return the rank of English words by their frequency, from 1: the lists of Wikipedia and of
    films come with zxcvbn, which has each word in one of them."""
    lists = ("us_tv_and_film", "english_wikipedia")
    return {word: rank for name in lists for rank, word in enumerate(FREQUENCY_LISTS[name], 1)}
