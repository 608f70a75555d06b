"""Returns how a text is spoken, for layers that may not import the media engine: the program sets
the function that knows it (svc.media.text.read_aloud).
"""

import re
from collections.abc import Callable
from functools import lru_cache

Entries = tuple[tuple[str, str], ...]  # of an account's lexicon: written, spoken
Reader = Callable[[str, str, Entries], str]

_providers: list[Reader] = []
# What is spoken otherwise than it is written: figures, signs with a name, abbreviations before a
# name or of single letters.
_OTHERWISE = re.compile(r"[\d½⅓⅔¼¾%&€$£¥₹+=@§°№#<>~≈±×÷^|]|\b[A-Z][a-z]{0,3}\.|\b\w\.\s?\w\.")


def set_reader(reader: Reader) -> None:
    """Set the function that reads a line aloud: it gets the line, its language (BCP 47) and the
    entries of a lexicon.
    """
    _providers[:] = [reader]
    _read.cache_clear()


def may_differ(text: str, entries: Entries) -> bool:
    """Return whether the spoken form of a text may differ from the written one."""
    return _OTHERWISE.search(text) is not None or _has_word_of(
        text, [written.casefold() for written, _ in entries]
    )


def _has_word_of(text: str, spellings: list[str]) -> bool:
    folded = text.casefold() if spellings else ""
    return any(word in folded for word in spellings)


def to_spoken_form(text: str, language: str | None, entries: Entries = ()) -> str | None:
    """Return ``text`` as it is spoken; None: as it is written.

    Only lines that are read otherwise are read at all.
    """
    if language is None or not _providers:
        return None
    spellings = [word.casefold() for word, _ in entries]
    lines, was_changed = text.split("\n"), False
    for at, line in enumerate(lines):
        if _OTHERWISE.search(line) or _has_word_of(line, spellings):
            lines[at], was_changed = _read(line, language, entries), True
    return "\n".join(lines) if was_changed else None


@lru_cache(maxsize=2048)  # the briefs of a batch have most of their lines in common
def _read(line: str, language: str, entries: Entries) -> str:
    return _providers[0](line, language, entries)
