"""Phonemes of a sentence's words in the alphabet of the model that speaks them.

Imported only in the voices' process.
"""

import re
import unicodedata
from contextlib import suppress
from typing import Protocol

from hibari.g2p import G2P

_TIED = {  # espeak-ng's phonemes that are one letter in Kokoro's alphabet
    "a^ɪ": "I",
    "a^ʊ": "W",
    "d^z": "ʣ",
    "d^ʒ": "ʤ",
    "e^ɪ": "A",
    "o^ʊ": "O",
    "ə^ʊ": "Q",
    "s^s": "S",
    "t^s": "ʦ",
    "t^ʃ": "ʧ",
    "ɔ^ɪ": "Y",
}
_TIES = re.compile("|".join(_TIED))
_AS_IPA = {
    "A": "eɪ",
    "I": "aɪ",
    "O": "oʊ",
    "Q": "əʊ",
    "W": "aʊ",
    "Y": "ɔɪ",
    "S": "s",
    "T": "ɾ",
    "ᵊ": "ə",
    "ᵻ": "ɪ",
    "ꭧ": "ʈʂ",
}
_ENDS = ".!?…"
PAUSES = ",;:—" + _ENDS


def to_kokoro_alphabet(piece: str) -> str:
    """Return espeak-ng's phonemes in the alphabet of Kokoro."""
    return _TIES.sub(lambda match: _TIED[match[0]], piece).replace("^", "").replace("-", "")


def to_piper_alphabet(piece: str) -> str:
    """Return espeak-ng's phonemes in the alphabet of Piper's voices,
    which is espeak-ng's without ties.
    """
    return piece.replace("^", "").replace("-", "").replace("—", ",").replace("…", ".")


def to_ipa(phoneme: str) -> str:
    """Return a phoneme of a model's alphabet in IPA; empty for a pause."""
    return "" if phoneme in PAUSES else _AS_IPA.get(phoneme, phoneme)


def is_mark(character: str) -> bool:
    """Return whether a character is no phoneme and no pause, but a mark of stress, length or tone,
    a quotation mark, a bracket or a space.
    """
    return character in "ˈˌː ʲʰᵝ̃→↗↓↘“”()"


def end_sentence(pieces: list[str]) -> list[str]:
    """Return the pieces of a sentence, with a full stop unless a sign ends it."""
    last = next((index for index in reversed(range(len(pieces))) if pieces[index].strip()), None)
    if last is None:
        return pieces
    text = pieces[last].rstrip(" ,;:—")
    closed = text if text.rstrip("”)")[-1:] in tuple(_ENDS) else f"{text}."
    return [*pieces[:last], closed, *pieces[last + 1 :]]


class Reader(Protocol):
    """Reads the words of a language for a model."""

    def read_phonemes(self, words: list[str]) -> list[str]:
        """Return each word's phonemes, with the signs and the space that follow."""


class English:
    """The reading of English words by hibari's dictionary and rules."""

    def __init__(self, british: bool):
        self._read = G2P(british=british)

    def read_phonemes(self, words: list[str]) -> list[str]:
        """Return each word's phonemes, with the signs and the space that follow.

        The package takes a sign such as ² or ⑴ for a digit, and raises an error where it is none:
        such signs are then read as plain figures, or else not at all, so that the other words are
        heard.
        """
        for written in (str, _normalise_figures):
            with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                return self._split_pieces([written(word) for word in words])
        return self._split_pieces([_remove_number_signs(word) for word in words])

    def _split_pieces(self, words: list[str]) -> list[str]:
        text = " ".join(words)
        tokens = self._read.phonemize_tokens(self._read.tokenize(text))
        if "".join(token.text + token.whitespace for token in tokens) != text:
            return [self._read(word, normalize_text=False) + " " for word in words]
        pieces, at, place, ends = [""] * len(words), 0, 0, _find_ends(words)
        for token in tokens:
            while at >= ends[place]:
                place += 1
            pieces[place] += (token.phonemes or "") + (" " if token.whitespace else "")
            at += len(token.text) + len(token.whitespace)
        return pieces


def _normalise_figures(word: str) -> str:
    """Return a word with plain figures in place of raised, lowered and enclosed ones: ⑴ as (1),
    ⁄ as /.
    """
    return "".join(
        unicodedata.normalize("NFKC", sign).replace("\N{FRACTION SLASH}", "/") for sign in word
    )


def _remove_number_signs(word: str) -> str:
    """Return a word without the numbers that are not written in decimal digits."""
    return "".join(sign for sign in word if unicodedata.category(sign) != "No")


def _find_ends(words: list[str]) -> list[int]:
    """Return the index after each word and the space that follows it."""
    ends, at = [], 0
    for word in words:
        at += len(word) + 1
        ends.append(at)
    return ends
