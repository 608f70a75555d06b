"""Checking a model's script against the brief: figures, quotations, directions, addresses and the
language are the brief's.

Each check returns a sentence about what is wrong, for the model to repair, or an empty one. They
err towards letting a sentence pass: what they refuse is wrong in all likelihood.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from svc.media.languages import Facts, Numbers, read_words, read_words_by_language
from svc.media.text.numerals import spell_cardinal

_FIGURE = re.compile(r"\d+")
_GROUPS = re.compile(r"(?<=\d)[.,'’\u00a0\u202f ](?=\d{3}(?!\d))")  # 1,000 is 1.000
_ADDRESS = re.compile(r"[\w.-]+@[\w.-]+\w|https?://[^\s)>\]]+")
_QUOTED = re.compile(r"[“„«\"]([^“”„«»\"]{8,300})[”“»\"]")
_SENTENCE = re.compile(r"[^.!?…।؟\n]+(?:[.!?…](?=\d)[^.!?…।؟\n]*)*")
_SMALL = 12  # "two steps" counts what the script itself says
_SPELLED = (*range(21), *range(30, 101, 10), 1000, 10**6, 10**9)
_SHORTEST_QUOTE = 3  # words
_SHORTEST_STEM = 4  # letters
_BEFORE = 3  # words before a verb of direction among which its subject is looked for
_FEWEST_WORDS, _OWN_SHARE, _OTHER_SHARE = 12, 0.04, 0.15


def find_wrong_figures(said: str, brief: str, language: str) -> str:
    """Return which figures of ``said``, in digits or in words, the brief has not."""
    known = _find_figures(brief)
    invented = sorted(_find_figures(said) - known)
    spelled = (
        {_strip_to_words(form) for figure in known for form in _spell_figure(int(figure), language)}
        if known
        else set()
    )
    spelled |= {" ".join(run) for run in _find_spelled_numbers(brief, language)}
    runs = (" ".join(run) for run in _find_spelled_numbers(said, language))
    invented += sorted(
        {run for run in runs if run not in spelled and run not in _list_small_numbers(language)}
    )
    return _report(invented)


def find_changed_figures(said: str, original: str) -> str:
    """Return which figures of ``original``, a sentence, its translation ``said`` lacks or adds;
    small ones may be in words.
    """
    meant, stated = _find_figures(original), _find_figures(said)
    lost = sorted(figure for figure in meant - stated if int(figure) > _SMALL)
    return _report(sorted(stated - meant) if meant else []) or (
        f"It leaves out {', '.join(lost[:8])}." if lost else ""
    )


def find_wrong_addresses(said: str, brief: str) -> str:
    """Return which addresses of ``said`` the brief has not."""
    return _report(sorted(set(_ADDRESS.findall(said)) - set(_ADDRESS.findall(brief))))


def find_wrong_quotations(said: str, quotations: Iterable[str], brief: str) -> str:
    """Return a quotation that is not in the brief word by word: of ``quotations``,
    or in quotation marks in ``said``.
    """
    known = _keep_letters(brief)
    marked = (text for text in _QUOTED.findall(said) if len(text.split()) >= _SHORTEST_QUOTE)
    for text in (*quotations, *marked):
        if _keep_letters(text) not in known:
            return f"It quotes what the brief does not say: {text[:80]!r}."
    return ""


def find_reversed_sentence(said: str, brief: str, language: str) -> str:
    """Return a sentence of ``said`` in which something falls that rises in the brief,
    or the other way round.
    """
    if not read_words(language, Facts).rising:
        return ""
    known: dict[str, set[bool]] = {}
    for _, subject, rises in _split_movements(brief, language):
        known.setdefault(subject, set()).add(rises)
    for sentence, subject, rises in _split_movements(said, language):
        if known.get(subject) == {not rises}:
            return (
                f"It says the opposite of the brief about {subject!r}: {sentence.strip()[:80]!r}."
            )
    return ""


def find_wrong_language(said: str, language: str) -> str:
    """Return a sentence for a model that wrote ``said`` in another language than ``language``;
    "": it did not, as far as the commonest words tell.
    """
    base = language.partition("-")[0]
    spoken = _strip_to_words(said).split()
    if not read_words(base, Facts).common or len(spoken) < _FEWEST_WORDS:
        return ""
    shares = {
        name: sum(word in facts.common for word in spoken) / len(spoken)
        for name, facts in read_words_by_language(Facts).items()
    }
    best = max(shares, key=lambda name: shares[name])
    if shares[base] < _OWN_SHARE and shares[best] > _OTHER_SHARE:
        return f"It is written in another language ({best}); write in {base}."
    return ""


def _report(invented: list[str]) -> str:
    return f"It says what the brief does not: {', '.join(invented[:8])}." if invented else ""


def _find_figures(text: str) -> set[str]:
    plain = "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
    )
    return {figure.lstrip("0")[:18] or "0" for figure in _FIGURE.findall(_GROUPS.sub("", plain))}


def _spell_figure(figure: int, language: str) -> Iterator[str]:
    """Yield a figure in words: as a number, and as a year in two halves ("nineteen fifty")."""
    yield spell_cardinal(figure, language)
    if 1100 <= figure <= 2099 and figure % 100:
        yield f"{spell_cardinal(figure // 100, language)} {spell_cardinal(figure % 100, language)}"


def _find_spelled_numbers(text: str, language: str) -> Iterator[list[str]]:
    """Yield the runs of words that are numbers."""
    pattern, run = _number_words(language), []
    for word in [*_strip_to_words(text).split(), ""]:
        if word and pattern is not None and pattern.fullmatch(word):
            run.append(word)
        elif run:
            yield run
            run = []


@cache
def _number_words(language: str) -> re.Pattern[str] | None:
    """Return a pattern of the words of numbers, several of which may be written together,
    as in German.
    """
    words = {
        word
        for number in _SPELLED
        for word in _strip_to_words(spell_cardinal(number, language)).split()
    }
    words |= read_words(language, Numbers).pieces
    pieces = sorted(
        (word for word in words if len(word) > 1 and not word.isdecimal()), key=len, reverse=True
    )
    joined = "|".join(map(re.escape, pieces))
    return re.compile(f"(?:{joined})(?:(?:und)?(?:{joined}))*") if pieces else None


@cache
def _list_small_numbers(language: str) -> frozenset[str]:
    """Return the words of the numbers up to _SMALL, alone or one beside another."""
    return frozenset(
        _strip_to_words(spell_cardinal(number, language)) for number in range(_SMALL + 1)
    )


def _strip_to_words(text: str) -> str:
    return " ".join(re.findall(r"[^\W\d_]+", text.casefold().replace("-", " ")))


def _keep_letters(text: str) -> str:
    """Return the letters and digits of ``text``, by which quotations are compared."""
    return "".join(
        character
        for character in unicodedata.normalize("NFKC", text).casefold()
        if character.isalnum()
    )


def _split_movements(text: str, language: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each sentence in one direction, once for each of its figures and for the subject
    before its verb.
    """
    facts = read_words(language, Facts)
    for sentence in _SENTENCE.findall(text):
        words = _strip_to_words(sentence).split()
        up, down = (
            [at for at, word in enumerate(words) if _begins_with_stem(word, stems)]
            for stems in (facts.rising, facts.falling)
        )
        if bool(up) == bool(down):
            continue
        subjects = {
            word
            for word in words[max(0, (up or down)[0] - _BEFORE) : (up or down)[0]]
            if len(word) >= _SHORTEST_STEM
        }
        for subject in _find_figures(sentence) | subjects:
            yield sentence, subject, bool(up)


def _begins_with_stem(word: str, stems: Iterable[str]) -> bool:
    """Return whether a word is one of ``stems``, or begins with one that is long enough to tell."""
    return any(
        word == stem or (len(stem) >= _SHORTEST_STEM and word.startswith(stem)) for stem in stems
    )
