"""Choosing the key phrase of a prose scene: the few words of its own text that say most.

What the brief emphasises comes first. Otherwise words are weighed: rare, long, capitalised or numeric ones, and those of the
topic, count more than the common ones. No phrase is part of the title, which has just been shown. A phrase is cut at no number,
and it keeps every "not" of its sentence. Of a sentence that supposes, contrasts or reports ("if", "but", "claims") it is the
whole, or what the brief emphasises, or there is none. In a further language it is what is emphasised, or a whole sentence.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise

from zxcvbn.frequency_lists import FREQUENCY_LISTS

from svc.base.text.languages import find
from svc.media.model import VideoBrief
from svc.media.script.grammar import english
from svc.media.script.grammar.negations import is_negation, is_of_the_past, is_relative, turns_all
from svc.media.text import addresses
from svc.media.text import tokens as words
from svc.media.text.tokens import Token

FEWEST, MOST = 2, 9  # words of a phrase
_LONGEST = 64  # characters
_CLAUSE_ENDS = (",", ";", ":", "،", "؛", "、", "–", "—")
_OPENERS, _CLOSERS = "([{«“„\"'‘¿¡「『（【《", ")]}»”\"'’」』）】》"
_STOPS = f".,;:!?…।؟۔،؛–—- \u00a0、。，；：！？{words.GLUE}"
_COMMON = 0.35  # the weight below which a word opens and closes no phrase
_COST = 0.28  # of each word: a phrase of few weighty words is better than a long one
_EMPHASIS, _WHOLE, _TOPIC, _NUMBER, _CAPITAL, _SEEN, _LATER = 9.0, 0.5, 0.2, 0.45, 0.2, 0.3, 0.05
_CONJUNCTIONS = frozenset(("and", "or", "but", "und", "oder", "aber", "et", "ou", "mais", "y", "o", "pero", "e", "ma"))
_JOINED = 1.2  # of a phrase that begins within one half of a pair and ends in the other
_SYLLABLES = {"vi": 14}  # words of a phrase in a language that writes each syllable as one
_JUST_TIME = 5.0  # off "two days", which says nothing alone
_TIMES = frozenset((
    "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year",
    "years", "times",
))  # fmt: skip
_CODES = 2.0  # off a phrase for each figure or code after another one: a reference says nothing
_CONTENT = {  # by script: the words that say something, which are written in other signs than particles and endings
    "Jpan": re.compile("[\u3400-\u9fff々]{2,}|[\u30a1-\u30fa\u30fc]{3,}|[A-Za-z0-9]{2,}"),
    "Hans": re.compile("[\u3400-\u9fff]{2,}|[A-Za-z0-9]{2,}"), "Hant": re.compile("[\u3400-\u9fff]{2,}|[A-Za-z0-9]{2,}"),
    "Thai": re.compile("[\u0e00-\u0e7f]{4,}|[A-Za-z0-9]{2,}"),
}  # fmt: skip
_DOT, _DOTTED = "\ue002", re.compile(r"[^\W\d]\.[^\W\d]+\.$")  # p.m. keeps its dot; a sign for private use stands for it
_LIST_LENGTH = 30_000  # words of the English list


def choose(parts: Sequence[Sequence[Token]], heading: str, brief: VideoBrief) -> str:
    """Return the key phrase of a scene's ``parts``; empty if there is none that could stand for them."""
    found = find(brief.language)
    if found is not None and found.is_further:
        phrases = (_emphasised_or_whole(sentence, brief.language) for sentence in _sentences(parts))
        return min(filter(None, phrases), key=lambda phrase: not phrase[1], default=("", False))[0]
    topic, shown = _words_of(f"{brief.title} {brief.topic}"), _words_of(heading)
    title = brief.title.casefold()
    best, highest = "", -1.0
    sentences = list(_sentences(parts))
    for number, sentence in enumerate(sentences):
        weights = [_weight(token, at, brief.language, topic) for at, token in enumerate(sentence)]
        if len(sentence) < FEWEST < len(sentences) + 1:
            continue  # one word stands for a scene only if it is all that is said
        for first, last in _candidates(sentence, weights, brief.language):
            seen = sum(bare(token).casefold() in shown for token in sentence[first : last + 1])
            value = _value(sentence, weights, first, last) - _SEEN * seen - _LATER * number
            phrase = _phrase(sentence[first : last + 1])
            is_new = sentence[first].stressed or phrase.casefold() not in title
            if value > highest and phrase and is_new and len(phrase) <= _LONGEST:
                best, highest = phrase, value
    return best


def weighty(text: str, language: str) -> list[str]:
    """Return the words of ``text`` that say something, without the punctuation around them."""
    found = find(language)
    if found is not None and found.is_unspaced:
        return _CONTENT[found.script].findall(text)
    said = enumerate(words.tokens(text, language))
    return [bare(token) for at, token in said if _weight(token, at, language, frozenset()) >= _COMMON]


def sentence_of(phrase: str, parts: Sequence[Sequence[Token]]) -> list[Token]:
    """Return the sentence of ``parts`` that a key phrase is from; empty if none contains it."""
    written = ((sentence, words.joined(token.written for token in sentence)) for sentence in _sentences(parts))
    return next((sentence for sentence, text in written if phrase in text or phrase in _with_hosts(text)), [])


def _sentences(parts: Sequence[Sequence[Token]]) -> Iterator[list[Token]]:
    sentence: list[Token] = []
    for token in (token for part in parts for token in part):
        sentence.append(token)
        if token.ends:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _emphasised_or_whole(sentence: list[Token], language: str) -> tuple[str, bool] | None:
    """Return the emphasised words of ``sentence``, or else all of it, and whether they are emphasised; None: it is too long.

    A sentence that is negated elsewhere stays whole.
    """
    runs = [list(run) for stressed, run in groupby(sentence, key=lambda token: token.stressed) if stressed]
    chosen = runs[0] if runs else sentence
    if any(is_negation(bare(token), language) for token in sentence if not any(token is other for other in chosen)):
        chosen = sentence
    phrase = _phrase(chosen)
    return (phrase, chosen is not sentence) if phrase and words.display_length(phrase) <= _LONGEST else None


def _candidates(sentence: list[Token], weights: list[float], language: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each phrase that may stand for the sentence."""
    negations = [at for at, token in enumerate(sentence) if is_negation(bare(token), language)]
    said = [bare(token) for token in sentence]
    turned = any(turns_all(word, language) for word in said) or is_of_the_past(said, language)
    cuts = {at for at, token in enumerate(sentence[:-1]) if token.written.endswith(_CLAUSE_ENDS)}
    may_close = [_may_close(sentence, weights, at) for at in range(len(sentence))]
    if len(sentence) < FEWEST:
        yield 0, len(sentence) - 1
    for first, last in _emphasised(sentence):  # the writer's own choice, with its commas and abbreviations
        if all(first <= at <= last for at in negations):
            yield first, last
    for first in range(len(sentence)):
        may_open = _may_open(sentence, weights, first, language)
        for last in range(first + 1, min(first + _SYLLABLES.get(language, MOST), len(sentence))):
            if any(first <= at < last for at in cuts):
                break
            if first == 0 and last == len(sentence) - 1 and bare(sentence[0]) not in english.NEVER_FIRST:
                yield first, last
                continue
            if turned and not all(token.stressed for token in sentence[first : last + 1]):
                continue
            if not (may_open and may_close[last]) or (negations and not (first <= negations[0] and negations[-1] <= last)):
                continue
            if not (_splits_emphasis(sentence, first, last) or _is_torn(sentence, first, last, language)):
                yield first, last


def _emphasised(sentence: list[Token]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each run of emphasised ones that may be a phrase."""
    for stressed, run in groupby(range(len(sentence)), key=lambda at: sentence[at].stressed):
        first, *rest = run
        if stressed and rest and len(rest) < MOST:
            yield first, rest[-1]


def _is_torn(sentence: list[Token], first: int, last: int, language: str) -> bool:
    """Return whether a phrase lacks what it is about or what it begins: it is of a relative clause, or ends in one's first word
    or in a "not"; in English also by :func:`svc.media.script.grammar.english.is_torn`."""
    start = next((at for at in range(first, 0, -1) if sentence[at - 1].written.endswith(_CLAUSE_ENDS)), 0)
    if (start and is_relative(bare(sentence[start]), language)) or is_relative(bare(sentence[last]), language):
        return True
    goes_on = last + 1 < len(sentence) and not sentence[last].written.endswith(_CLAUSE_ENDS)
    if goes_on and is_negation(bare(sentence[last]), language):
        return True
    if language.partition("-")[0] != "en":
        return False
    if start and _is_report(sentence[start:]):
        return True
    words = [bare(token).casefold() for token in sentence[start : last + 1]]
    ends_with_name = bare(sentence[last])[:1].isupper() or _is_number(sentence[last])
    return english.is_torn(words[: first - start], words[first - start :], goes_on, ends_with_name)


def _is_report(tokens: list[Token]) -> bool:
    """Return whether the clause at the beginning of ``tokens`` only says who says it: "…, the railways said on Friday"."""
    end = next((at for at, token in enumerate(tokens) if token.written.endswith(_CLAUSE_ENDS)), len(tokens))
    return not english.REPORTS.isdisjoint(bare(token).casefold() for token in tokens[: end + 1])


def _splits_emphasis(sentence: list[Token], first: int, last: int) -> bool:
    """Return whether a phrase would end within emphasised words, unless these are too many for one."""
    before = first > 0 and sentence[first].stressed and sentence[first - 1].stressed
    after = last + 1 < len(sentence) and sentence[last].stressed and sentence[last + 1].stressed
    return (before or after) and sum(token.stressed for token in sentence) <= MOST


def _may_open(sentence: list[Token], weights: list[float], at: int, language: str) -> bool:
    """Return whether a phrase may begin with this word: it is weighty or an English determiner, and what goes before is no part
    of the same phrase, as an adjective or the number of a unit would be."""
    if sentence[at].stressed or is_negation(bare(sentence[at]), language):
        return True
    if (
        at
        and not sentence[at - 1].written.endswith(_CLAUSE_ENDS)
        and (_is_number(sentence[at - 1]) or weights[at - 1] >= _COMMON or _is_determiner(sentence[at - 1], language))
    ):
        return False
    return weights[at] >= _COMMON or _is_determiner(sentence[at], language)


def _may_close(sentence: list[Token], weights: list[float], at: int) -> bool:
    """Return whether a phrase may end with this word: it is no common one, and does not belong to the next, as an adjective or
    the number of a unit does."""
    if sentence[at].stressed or (at + 1 == len(sentence) and any(token.stressed for token in sentence)):
        return True
    closed = at + 1 == len(sentence) or sentence[at].written.endswith(_CLAUSE_ENDS)
    return weights[at] >= _COMMON and (closed or (weights[at + 1] < _COMMON and not _is_number(sentence[at])))


def _value(sentence: list[Token], weights: list[float], first: int, last: int) -> float:
    chosen = range(first, last + 1)
    value = sum(weights[at] - _COST for at in chosen)
    stressed = [at for at in chosen if sentence[at].stressed]
    if stressed:
        value += _EMPHASIS
        if len(stressed) == len(chosen) and max(weights[at] for at in chosen) >= _COMMON:
            value += _EMPHASIS  # the writer's own choice
    starts = first == 0 or sentence[first - 1].written.endswith(_CLAUSE_ENDS)
    ends = last == len(sentence) - 1 or sentence[last].written.endswith(_CLAUSE_ENDS)
    joined = not starts and any(sentence[at].written.casefold() in _CONJUNCTIONS for at in chosen)
    return (
        value
        - _CODES * _codes(sentence[first : last + 1])
        + _WHOLE * (starts + ends + 2 * (len(chosen) == len(sentence)))
        - _JOINED * joined
        - _JUST_TIME * (len(chosen) == FEWEST and bare(sentence[last]).casefold() in _TIMES)
    )


def _codes(tokens: list[Token]) -> int:
    """Return how many figures and words in capitals follow another one, as in "2019 EWHC 123 (Ch)"."""
    words = [bare(token) for token in tokens]
    are_codes = [any(map(str.isdecimal, word)) or (len(word) > 1 and word.isupper()) for word in words]
    return sum(one and other for one, other in pairwise(are_codes))


def _weight(token: Token, at: int, language: str, topic: frozenset[str]) -> float:
    """Return how much a word says, about 0 to 1.5."""
    word = bare(token)
    if not word:
        return 0.0
    if any(character.isdecimal() for character in word):
        return 1.0 + _NUMBER
    if len(word) == 1 and word.isalpha() and word.isascii():
        return 0.0  # "a", "I", "y", "o": the lists have none of them
    weight = _rarity(word.casefold(), language.partition("-")[0])
    weight += _CAPITAL if at and word[:1].isupper() else 0.0
    weight += _TOPIC if word.casefold() in topic and weight >= _COMMON else 0.0
    return weight


def _rarity(word: str, language: str) -> float:
    """Return 0 for the commonest words and 1 for rare ones: by a list of frequencies in English, elsewhere by length."""
    if language != "en":
        letters = sum(unicodedata.category(character)[0] == "L" for character in word)
        return min(1.0, max(0.0, (letters - 2) / 6))
    rank = _ranks().get(word.removesuffix("'s").removesuffix("’s"), _LIST_LENGTH)
    return min(1.0, max(0.0, (math.log(rank) - math.log(60)) / (math.log(6000) - math.log(60))))


@cache
def _ranks() -> dict[str, int]:
    """Return the rank of English words by their frequency, from 1: the lists of Wikipedia and of films come with zxcvbn, which
    has each word in one of them."""
    lists = ("us_tv_and_film", "english_wikipedia")
    return {word: rank for name in lists for rank, word in enumerate(FREQUENCY_LISTS[name], 1)}


def _is_determiner(token: Token, language: str) -> bool:
    return language.partition("-")[0] == "en" and token.written.casefold() in english.DETERMINERS


def _is_number(token: Token) -> bool:
    return any(character.isdecimal() for character in token.written) and not any(map(str.isalpha, token.written))


def bare(token: Token) -> str:
    """Return the word of ``token`` without the punctuation around it."""
    return token.written.strip(_STOPS + _OPENERS + _CLOSERS)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(word.strip(_STOPS + _OPENERS + _CLOSERS).casefold() for word in text.split())


def _with_hosts(text: str) -> str:
    """Return ``text`` with the hosts of web addresses in their place, which fit a picture."""
    return " ".join(map(addresses.by_host, text.split(" ")))


def _phrase(tokens: list[Token]) -> str:
    """Return the words without the punctuation around them; empty if a bracket or a quotation mark has lost its partner."""
    text = words.joined(token.written for token in tokens)
    text = text if len(text) <= _LONGEST else _with_hosts(text)
    last = tokens[-1].written.rstrip(",;:")
    if last.endswith(".") and (not tokens[-1].ends or _DOTTED.search(last)):
        text = f"{text.rstrip(',;:')[:-1]}{_DOT}"  # of an abbreviation
    text = text.rstrip(".,;:…।۔،؛–—- \u00a0、。，；：").lstrip("–—- \u00a0")
    for opener, closer in ("「」", "『』", "（）", "()", "[]", "{}", "«»", "“”"):
        if text.count(opener) != text.count(closer):
            text = text.strip(opener + closer)
        if text.count(opener) != text.count(closer):
            return ""
    text = text.replace(_DOT, ".")
    if text.count('"') % 2:
        text = text.strip('"')
    return "" if text.count('"') % 2 else text
