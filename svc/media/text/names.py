"""Names that no list knows, by what the brief itself shows of them.

Where nouns are written small, capitals in the middle of a sentence are a name: "Take Norhaven
Ferries to the island". Elsewhere, and where a sentence begins with it, two words are one if they
stand together with capitals more than once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from svc.media.text.numerals import CLOSERS, OPENERS, STOPS, base_language

# languages that write each noun with a capital
_CAPITAL_NOUNS = frozenset(("de", "lb"))
_TITLE_CASE = 0.5  # of a sentence's words: where more have capitals, these say nothing
_TIMES = 2  # that two words stand together with capitals
_BEFORE_A_SENTENCE = (":", "–", "—", "|", "/", "•", "…")
_APOSTROPHES = ("'", "’")

Names = frozenset[tuple[str, str]]  # of each name, the words that follow one another
NO_NAMES: Names = frozenset()


def find_names(sentences: Iterable[Sequence[str]], language: str) -> Names:
    """Return the pairs of words within names in ``sentences``, each the words of one."""
    has_small_nouns = base_language(language) not in _CAPITAL_NOUNS
    pairs: Counter[tuple[str, str]] = Counter()
    found: set[tuple[str, str]] = set()
    for sentence in sentences:
        within = set(_list_pairs_within(sentence)) if has_small_nouns else set()
        found |= within
        pairs.update(set(_list_pairs(sentence)))
    return frozenset(found | {pair for pair, times in pairs.items() if times >= _TIMES})


def are_of_a_name(word: str, following: str, names: Names) -> bool:
    """Return whether two words of a text follow one another in one of ``names``."""
    if not names or word[-1:] in CLOSERS + STOPS:
        return False
    return (word.lstrip(OPENERS), _strip_end(following)) in names


def _list_pairs(sentence: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield two words each that stand together with capitals."""
    for word, following in pairwise(sentence):
        first, second = word.lstrip(OPENERS), _strip_end(following)
        if _is_capital(first) and _is_capital(second):
            yield first, second


def _list_pairs_within(sentence: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield those of :func:`_list_pairs` of which neither begins the sentence or a part of it; none
    if most of its words have capitals, as in titles."""
    letters = [word.lstrip(OPENERS) for word in sentence if word.lstrip(OPENERS)[:1].isalpha()]
    capitals = sum(word[0].isupper() for word in letters)
    if not letters or capitals > _TITLE_CASE * len(letters):
        return
    for at in range(1, len(sentence) - 1):
        begins = sentence[at - 1].endswith(_BEFORE_A_SENTENCE) or sentence[at][:1] in OPENERS
        if not begins:
            yield from _list_pairs(sentence[at : at + 2])


def _is_capital(word: str) -> bool:
    """Return whether ``word`` is letters alone, with a capital and no punctuation at its end."""
    letters = word.replace("-", "").replace("’", "").replace("'", "")
    return len(letters) > 1 and letters.isalpha() and word[0].isupper()


def _strip_end(word: str) -> str:
    """Return ``word`` without punctuation and an English genitive at its end."""
    bare = word.rstrip(CLOSERS + STOPS)
    return bare[:-2] if bare[-2:-1] in _APOSTROPHES and bare[-1:] == "s" else bare
