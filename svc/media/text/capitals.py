"""Words in capital letters that the English voice would spell: ``READ THIS``, ``BREAKING CHANGES``,
``JSON``.

Voices of other languages read words in capitals as words.
"""

import re
from collections.abc import Sequence

from svc.media.languages import Abbreviations, read_words
from svc.media.text.numerals import base_language

_CAPITALS = re.compile(r"\W*([A-Z]{2,})(?:['’](?:s|[A-Z]{1,2}))?\W*")
_WORD = re.compile(r"(?=.*[AEIOUY])(?!.*[^AEIOUY]{4})[A-Z]{4,}")  # which may be read as a word
_LONGEST_ACRONYM = 7  # letters; what is longer is a word, also alone


def read_capitals(words: Sequence[str], index: int, language: str) -> str | None:
    """Return a piece of text in capitals with a word in it that the voice reads; None: it is read
    as it is written.

    Beside others in capitals, a word of four letters is one; alone, it may be an acronym, as UNESCO
    is.
    """
    match = _CAPITALS.fullmatch(words[index]) if base_language(language) == "en" else None
    if match is None:
        return None
    name = match[1]
    known = read_words(language, Abbreviations).as_words
    said = known.get(name) or (name.lower() if _is_word(words, index, name) else None)
    return words[index].replace(name, said, 1) if said else None


def _is_word(words: Sequence[str], index: int, name: str) -> bool:
    if _WORD.fullmatch(name) is None:
        return False
    if len(name) > _LONGEST_ACRONYM:
        return True
    return any(
        0 <= place < len(words) and _CAPITALS.fullmatch(words[place])
        for place in (index - 1, index + 1)
    )
