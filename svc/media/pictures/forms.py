"""The words of a text as the search compares them: exact, without case, and as stems."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import regex
import Stemmer

UNSPACED = frozenset(("ja", "zh", "th"))  # languages without spaces between words
_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "fa": "persian", "fi": "finnish",
    "fr": "french", "hi": "hindi", "hr": "serbian", "hu": "hungarian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "ms": "indonesian", "nl": "dutch", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sk": "czech",
    "sr": "serbian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*")
_SHORTEST_STEM = 3  # letters; a shorter stem, or that of a word as short, says too little
_CACHED = 16384
_REMEMBERED = 256  # texts: each is asked for once a picture that it may name
# A stemmer keeps the word that it works on, and renditions are drawn by several threads.
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Form:
    """A word of a text: without case, its stem (empty where there is none),
    and whether it was written with a capital.
    """

    word: str
    stem: str
    capital: bool


@lru_cache(maxsize=_REMEMBERED)
def find_word_forms(text: str, code: str) -> tuple[Form, ...]:
    """Return the words of ``text`` in the language ``code`` (ISO 639-1)."""
    return tuple(
        Form(word.casefold(), stem(word.casefold(), code), word[:1] != word[:1].lower())
        for word in _split_words(text)
    )


def split_words(text: str) -> list[str]:
    """Return the words of ``text`` without case."""
    return [word.casefold() for word in _split_words(text)]


def _split_words(text: str) -> Iterator[str]:
    for whole in _WORD.findall(text):
        yield from [whole] if "-" not in whole else whole.split("-")


@lru_cache(maxsize=_CACHED)
def stem(word: str, code: str) -> str:
    """Return the stem of ``word``, which has no capitals; for a language without a stemmer,
    the word without its ending.
    """
    stemmer = _load_stemmer(code)
    with _one_at_a_time:
        shorter = stemmer(word) if stemmer else word[: max(4, len(word) - 2)]
    return shorter if len(shorter) >= _SHORTEST_STEM and len(word) > _SHORTEST_STEM else ""


def is_in_text(keyword: str, text: str) -> bool:
    """Return whether ``keyword`` stands in ``text`` of a language without spaces, and not as a part
    of a longer word.

    One sign, or signs of one kind (Chinese, Katakana), must not go on before or after it.
    """
    at = text.find(keyword)
    while at >= 0:
        end = at + len(keyword)
        before, after = text[at - 1 : at], text[end : end + 1]
        alone = len(keyword) == 1 or _find_kind(keyword[0]) == "katakana"
        if not alone or (
            _find_kind(before) != _find_kind(keyword[0])
            and _find_kind(after) != _find_kind(keyword[-1])
        ):
            return True
        at = text.find(keyword, at + 1)
    return False


def _find_kind(sign: str) -> str:
    if "\u30a0" <= sign <= "\u30ff":
        return "katakana"
    return "han" if "\u3400" <= sign <= "\u9fff" else "other" + sign


@cache
def _load_stemmer(code: str) -> Callable[[str], str] | None:
    name = _STEMMERS.get(code)
    return Stemmer.Stemmer(name).stemWord if name else None
