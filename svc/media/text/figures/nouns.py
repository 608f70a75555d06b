"""The noun whose case and gender a figure takes: the word after it, or one further on."""

import re
from collections.abc import Sequence
from functools import cache

from svc.media.languages import (
    Dates,
    Everywhere,
    Lines,
    Numbers,
    Roman,
    Times,
    merge_words,
    read_words,
)
from svc.media.text import months, ordinals, times_of_day
from svc.media.text.figures import centuries
from svc.media.text.numerals import PAUSES, SPACE, STOPS, base_language

_DOTTED = re.compile(r"\d{1,3}\.")
_RANGE = re.compile(r"\d[-–—]\d")
_DOTTED_AND_COMMA = re.compile(r"\d{1,3}\.,")
_MOST_JOINED = 8  # ordinals before one noun
_SECOND_OF_A_PAIR = 2  # the index of the second of two ordinals that begin a text


def find_word_after(
    words: Sequence[str], index: int, language: str, joined: int = _MOST_JOINED
) -> str:
    """Return the word after the figure at ``index``, or the measure of the second of a pair, which
    no times have, ``tra 9.30 e 11.20 kg``, the noun that a second ordinal shares with
    the first, or the one after an adjective that shows no gender: ``1-й городской больнице``.
    ``joined``: how many ordinals are followed to the noun that they share."""
    noun = times_of_day.find_noun_of_hour(words, index, language)
    if noun := noun or _find_shared_word(words, index, language):
        return noun
    before = words[index - 1].lower() if index else ""
    after, second, third = (*words[index + 1 : index + 4], "", "", "")[:3]
    joiners = read_words(base_language(language), Numbers)
    known = read_words(base_language(language), Dates)
    is_joined = after in joiners.joins | {joiners.to} - {""}
    if is_joined and _are_ordinals(words[index], second, language):
        is_bare = not before or before[-1] in STOPS  # 1-й и 3-й классы, where no word shows a case
        is_dotted = _DOTTED.fullmatch(words[index]) is not None
        if not joined or (is_bare and not is_dotted):
            return after
        return find_word_after(words, index + 2, language, joined - 1)
    if (
        is_joined
        and words[index].isdecimal()
        and ordinals.find_unmarked_ending(second, language, third)
    ):
        return third  # 1 ir 2 klasė
    if (before, after) == ("od", "do") and _are_ordinals(words[index], second, language):
        noun = find_word_after(words, index + 2, language, 0)
        return noun if noun in known.inflected or months.is_month(noun, language) else after
    is_second = index == _SECOND_OF_A_PAIR and before in joiners.joins and known.ordinal
    if is_second and _are_ordinals(words[0], words[index], language):
        return after if _DOTTED.fullmatch(words[0]) else ""
    is_listed = _DOTTED_AND_COMMA.fullmatch(words[index]) and re.match(r"\d{1,3}\.", after)
    if is_listed and joined:
        return find_word_after(words, index + 1, language, joined - 1)  # 1., 2. i 3. razred
    if known.adjective and known.adjective.search(after) and second[:1].islower():
        is_ordinal = known.ordinal is not None and known.ordinal.fullmatch(words[index])
        return second if is_ordinal else after  # в 1-й городской больнице
    if _DOTTED.fullmatch(words[index]):
        return _find_noun(after, second, language)
    if after and read_words(language, Times).pairs.get(before) == after.lower():
        measure = second.partition(SPACE)[2] or third
        return measure if times_of_day.is_measure(measure) else after
    return after


def _find_shared_word(words: Sequence[str], index: int, language: str) -> str:
    """Return the month or the word for an hour that the first of two figures shares with the
    second, ``4.30 से 6 बजे``, or the word that both ends of a range are between, ``8–17 óra között``;
    empty: there is none."""
    between = read_words(language, Numbers).joins_before
    before_second = read_words(language, Times).before_second
    after, second, third = (*words[index + 1 : index + 4], "", "", "")[:3]
    if _RANGE.search(words[index]) and second.rstrip(STOPS) in between:
        return second.rstrip(STOPS)
    hour_word = (second.partition(SPACE)[2] or third).rstrip(STOPS)
    is_first = after in before_second and times_of_day.may_be_dotted_time(words[index])
    if is_first and times_of_day.is_time_word(hour_word, language):
        return hour_word
    return _find_shared_month(words, index, language)


def _find_shared_month(words: Sequence[str], index: int, language: str) -> str:
    """Return the month that the first of two days shares with the second: ``с 1 по 15 августа``;
    empty: there is none."""
    pairs = read_words(language, Dates).pairs
    after, second, third = (*words[index + 1 : index + 4], "", "", "")[:3]
    if not (pairs and words[index].isdecimal() and second.isdecimal()):
        return ""
    before = words[index - 1].lower() if index else ""
    return (
        third if months.is_month(third, language) and pairs.fullmatch(f"{before} {after}") else ""
    )


def _are_ordinals(first: str, second: str, language: str) -> bool:
    """Return whether two words are ordinals of one kind: ``1.`` and ``2.``, ``1-й`` and ``2-й``."""
    ordinal = read_words(language, Dates).ordinal
    forms = [_DOTTED, *([ordinal] if ordinal else [])]
    return any(form.fullmatch(first) and form.fullmatch(second) for form in forms)


def _find_noun(after: str, second: str, language: str) -> str:
    """Return what shows the form of an ordinal with a dot: the word ``after`` it, the noun behind
    an adjective, ``2. ważny dzień``, or both, where only together they do: ``3. osnovna škola``."""
    if not (after[:1].islower() and after.isalpha() and second[:1].islower()):
        return after
    inflected = read_words(language, Dates).inflected
    if (
        after in inflected
        or months.is_month(after, language)
        or after in list_small_words(language)
    ):
        return after
    noun = second.rstrip(f"{PAUSES}.…)”»")
    if noun in inflected and centuries.inflect_like_adjective(2, language, after) is None:
        return second
    pair = f"{after} {noun}"
    return pair if centuries.inflect_like_adjective(2, language, pair) else after


def is_small_word(word: str, language: str) -> bool:
    """Return whether ``word`` may stand before a number and is no name: "and", "in", "with"."""
    numbers = read_words(base_language(language), Numbers)
    governing = {each for words in numbers.governs.values() for each in words.split()}
    return word in list_small_words(language) | numbers.before | governing


@cache
def list_small_words(language: str) -> frozenset[str]:
    """Return short words that are no adjectives: "and", "in"."""
    base = base_language(language)
    joins = read_words(base, Numbers).joins | frozenset(read_words(base, Roman).joiners)
    return merge_words(Everywhere).not_counted | read_words(base, Lines).rarely_end_with | joins
