"""Text of scripts without spaces, for voices that read its phonemes: figures, dates, units and
amounts in words, each sign with the word that it belongs to.

Imported only in the voices' process, where the packages of requirements-voices.txt are.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from wetext import Normalizer

from svc.media.voice import GLUE

Part = tuple[int, str]  # the place in a text at which a part begins, and its phonemes

# The grammars read "6，1.5" as one figure: what a wide mark parts is read apart.
_CLAUSES = re.compile("([、，。；！？]+)")
_OPENERS = "(“"
_LATIN_PARTS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True)
class Signs:
    """``text``, and for each of its characters the index of the word that it belongs to."""

    text: str
    words: list[int]

    def substitute(self, pattern: re.Pattern[str], text: str) -> "Signs":
        """Return the text with ``text`` in place of each match."""
        said = pattern.sub(text, self.text)
        return Signs(said, _list_owners(self.text, said, self.words))

    def split_by_word(self, parts: Iterable[Part], count: int) -> list[str]:
        """Return the phonemes of each of ``count`` words from those of the text's parts."""
        pieces = [""] * count
        for place, phonemes in parts:
            pieces[self.words[min(place, len(self.words) - 1)]] += phonemes
        return pieces


def to_signs(words: list[str]) -> Signs:
    """Return the text of words, each sign in its plain form (NFKC): only those without GLUE have a
    space before them.
    """
    text, owners = "", list[int]()
    for index, word in enumerate(words):
        glued = word.startswith(GLUE) or not index
        said = ("" if glued else " ") + "".join(map(_narrow, word.removeprefix(GLUE)))
        text += said
        owners += [index] * len(said)
    return Signs(text, owners)


def _narrow(sign: str) -> str:
    """Return a wide letter or figure as a narrow one; marks stay, as clauses end at wide ones."""
    return unicodedata.normalize("NFKC", sign) if sign.isalnum() or sign in "％＋－／" else sign


class InWords:
    """The grammars of WeTextProcessing, which write figures in words. ``language``: ja or zh."""

    def __init__(self, language: str):
        self._write: Callable[[str], str] = Normalizer(lang=language, operator="tn").normalize

    def write(self, signs: Signs) -> Signs:
        """Return the text with its figures in words."""
        text, owners, at = "", list[int](), 0
        for clause in _CLAUSES.split(signs.text):
            here = signs.words[at : at + len(clause)]
            said = self._write(clause) if any(map(str.isdigit, clause)) else clause
            text += said
            owners += _list_owners(clause, said, here)
            at += len(clause)
        return Signs(text, owners)


def _list_owners(written: str, said: str, owners: list[int]) -> list[int]:
    """Return the words of the characters of ``said``: what stands for a figure is shared among the
    words that the figure belongs to.
    """
    if written == said:
        return owners
    result: list[int] = []
    matcher = SequenceMatcher(None, written, said, autojunk=False)
    for _, start, end, said_start, said_end in matcher.get_opcodes():
        here = owners[start:end] or owners[max(0, start - 1) : start + 1][-1:]
        count = said_end - said_start
        result += [here[step * len(here) // count] for step in range(count)]
    return result


def add_mark(parts: list[Part], place: int, mark: str) -> None:
    """Add the marks that stand at ``place`` in the text to its parts, with a space before or after
    them.
    """
    if not mark:
        return
    if mark[0] in _OPENERS:
        parts.append((place, mark))
        return
    if parts:
        parts[-1] = (parts[-1][0], parts[-1][1].rstrip())
    parts.append((place, f"{mark} "))


def split_latin_word(text: str) -> list[str]:
    """Return the words and abbreviations of a Latin word: ``OpenAI`` has two."""
    return _LATIN_PARTS.findall(text)


def parse_table(text: str) -> dict[str, str]:
    """Return a table from its pairs, each with a colon between and with spaces around it."""
    return dict(pair.split(":") for pair in text.split())
