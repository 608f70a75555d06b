"""Names that no list knows, by what the brief itself shows of them.

Where nouns are written small, capitals in the middle of a sentence are a name: "Take Norhaven
Ferries to the island", also with small words between two of them: "Jan de Wit". Where each noun has
one, two beside each other are: "Torwart Lukas Brand", "Anfang Mai". Where a sentence begins with
them, two words are one if they stand together with capitals more than once, and so is a word with
its number: "React 19". Once is enough after an article, before "and" and at the end of a clause:
"macOS, Windows 11 and Linux".
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from svc.media.languages import Everywhere, Grammar, Lines, merge_words, read_words
from svc.media.text.numerals import CLOSERS, OPENERS, STOPS, base_language

# The languages that write each noun with a capital.
_CAPITAL_NOUNS = frozenset(("de", "lb"))
_TITLE_CASE = 0.5  # of a sentence's words: where more have capitals, these say nothing
_MOST_SMALL = 2  # words between those with capitals: Maria van der Berg
_TIMES = 2  # that two words stand together with capitals
_BEFORE_A_SENTENCE = (":", "–", "—", "|", "/", "•", "…")
_APOSTROPHES = ("'", "’")
_NUMBER = re.compile(r"\d{1,4}(?:\.\d+)*")

# English articles, which texts of every language quote
ARTICLES = frozenset(("a", "an", "the"))
_NO_LEADS = frozenset[str]()

Names = frozenset[tuple[str, str]]  # of each name, the words that follow one another
NO_NAMES: Names = frozenset()


def find_names(sentences: Iterable[Sequence[str]], language: str) -> Names:
    """Return the pairs of words within names in ``sentences``, each the words of one."""
    has_small_nouns = base_language(language) not in _CAPITAL_NOUNS
    times: Counter[tuple[str, str]] = Counter()
    pairs: set[tuple[str, str]] = set()
    leads = read_words(language, Lines).rarely_end_with | ARTICLES if has_small_nouns else _NO_LEADS
    verbs = read_words(language, Grammar).auxiliaries
    for sentence in sentences:
        pairs.update(_list_surely_numbered(sentence, leads, verbs))
        spans = list(_list_spans(sentence))
        times.update({pair for span in spans for pair in _list_pairs(sentence, *span)})
        times.update(set(_list_numbered(sentence)))
        within = [span for span in spans if not _begins_part(sentence, span[0])]
        if not has_small_nouns:  # two nouns beside each other: SV Eichental, Torwart Lukas Brand
            within = [span for span in within if span[1] == span[0] + 1]
        elif _is_title(sentence):
            continue
        pairs.update(pair for span in within for pair in _list_pairs(sentence, *span))
    return frozenset(pairs | {pair for pair, number in times.items() if number >= _TIMES})


def are_of_a_name(word: str, following: str, names: Names) -> bool:
    """Return whether two words of a text follow one another in one of ``names``."""
    if not names or word[-1:] in CLOSERS + STOPS:
        return False
    return (word.lstrip(OPENERS), _strip_end(following)) in names


def _list_spans(sentence: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of words with capitals: each two that stand together, and each
    two with one or two small words of names between them, unless they are of a longer row, such as
    "Museo del Mare di Porto", which no line holds.
    """
    small, linked = _list_small_words(), []
    for at in range(len(sentence) - 1):
        end = at + 1
        while end < len(sentence) - 1 and sentence[end] in small:
            end += 1
        is_named = _is_capital(sentence[at].lstrip(OPENERS)) and _is_capital(
            _strip_end(sentence[end])
        )
        if is_named and end == at + 1:
            yield at, end
        elif is_named and end <= at + 1 + _MOST_SMALL:
            linked.append((at, end))
    starts, ends = ({span[side] for span in linked} for side in (0, 1))
    yield from (span for span in linked if span[0] not in ends and span[1] not in starts)


def _list_pairs(sentence: Sequence[str], first: int, last: int) -> Iterator[tuple[str, str]]:
    """Yield each two of the words ``first`` to ``last`` that follow one another."""
    name = sentence[first].lstrip(OPENERS), *sentence[first + 1 : last], _strip_end(sentence[last])
    return pairwise(name)


def _list_numbered(sentence: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each word with a capital and the number after it."""
    for word, following in pairwise(sentence):
        name, number = word.lstrip(OPENERS), _strip_end(following)
        if _is_capital(name) and _NUMBER.fullmatch(number):
            yield name, number


def _list_surely_numbered(
    sentence: Sequence[str], leads: frozenset[str], verbs: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield each word with a capital and the number after it that what is around them shows to be
    its own, and no count of what follows: "Kalenderwoche 9 haben wir". ``leads`` and ``verbs``:
    articles and auxiliary verbs, in small letters.
    """
    joins = merge_words(Grammar).joins
    for at, (word, following) in enumerate(pairwise(sentence)):
        name, number = word.lstrip(OPENERS), _strip_end(following)
        if not (_is_capital(name) and _NUMBER.fullmatch(number)):
            continue
        is_led = at > 0 and sentence[at - 1].lstrip(OPENERS).lower() in leads
        after = sentence[at + 2] if at + 2 < len(sentence) else ""
        if is_led or following != number or not after or after.lower() in joins | verbs:
            yield name, number


def _begins_part(sentence: Sequence[str], at: int) -> bool:
    """Return whether the word ``at`` begins a sentence or a part of it."""
    return (
        not at
        or sentence[at - 1].endswith(_BEFORE_A_SENTENCE)
        or sentence[at].startswith(tuple(OPENERS))
    )


def _is_title(sentence: Sequence[str]) -> bool:
    """Return whether most words of ``sentence`` have capitals."""
    firsts = [word.lstrip(OPENERS)[:1] for word in sentence]
    letters = [first for first in firsts if first.isalpha()]
    return sum(map(str.isupper, letters)) > _TITLE_CASE * len(letters)


@cache
def _list_small_words() -> frozenset[str]:
    return merge_words(Everywhere).within_names - merge_words(Grammar).joins


def _is_capital(word: str) -> bool:
    """Return whether ``word`` is letters alone, with a capital and no punctuation at its end."""
    letters = word.replace("-", "").replace("’", "").replace("'", "")
    return len(letters) > 1 and letters.isalpha() and word[0].isupper()


def _strip_end(word: str) -> str:
    """Return ``word`` without punctuation and an English genitive at its end."""
    bare = word.rstrip(CLOSERS + STOPS)
    return bare[:-2] if bare[-2:-1] in _APOSTROPHES and bare[-1:] == "s" else bare
