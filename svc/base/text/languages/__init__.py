"""The languages that the narration can speak: a file for each, beside this module.

The first lines of a file are read here; its sections, which have the words of the language, by
``svc.media.languages``, where they are needed.

Each of LANGUAGES passes a check, which the tests repeat: one word event for each word, in order;
sound for every word; a glyph for every letter. In Arabic, Persian and Urdu some vowels are guessed.

FURTHER failed it: in Chinese and Korean figures are read as several words, Japanese signs are
spelled out, so are Thai clusters, and Hebrew is written without vowels. They are offered only where
another voice speaks them (a speech endpoint, or Kokoro's of Japanese and Chinese) and a font has
their letters. Not listed are Afrikaans (word events shift)
and Georgian (no glyphs in the bundled fonts).
"""

import functools
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path

from svc.base.text import countries

_SCRIPT_NAMES = {
    "Latn": "LATIN",
    "Cyrl": "CYRILLIC",
    "Grek": "GREEK",
    "Arab": "ARABIC",
    "Deva": "DEVANAGARI",
}
_RIGHT_TO_LEFT = ("Arab", "Hebr")
_WIDE = ("Jpan", "Hans", "Hant", "Kore")
_UNSPACED = ("Jpan", "Hans", "Hant", "Thai")


@dataclass(frozen=True)
class Language:
    code: str  # BCP 47
    # espeak-ng's voice file: it finds file names, but no codes such as "fr-fr". Empty: it reads the
    # language badly.
    voice: str
    script: str = "Latn"  # ISO 15924
    letters: str = ""  # of a further language: a few that a font for it has
    iso_639_2: str = "und"  # three letters (639-2/T), as mp4 has it
    sample: str = ""  # what a trained voice says for listening

    @property
    def direction(self) -> str:
        """``"rtl"`` or ``"ltr"``."""
        return "rtl" if self.script in _RIGHT_TO_LEFT else "ltr"

    @property
    def script_name(self) -> str | None:
        """The first word of the names that Unicode gives the letters of its script; None: they have
        several."""
        return _SCRIPT_NAMES.get(self.script)

    @property
    def is_wide(self) -> bool:
        """Whether its signs are as wide as two Latin letters,
        and say as much as several of them.
        """
        return self.script in _WIDE

    @property
    def is_unspaced(self) -> bool:
        """Whether it is written without spaces between words."""
        return self.script in _UNSPACED

    @property
    def is_further(self) -> bool:
        """Whether it is one of FURTHER: its text is given to the voice as it is written."""
        return bool(self.letters)


def read_languages(folder: Path) -> dict[str, Language]:
    """Return the languages of a folder by their codes, as the first lines of their files have them.

    ValueError: a file is wrong; the sentence says where, and what would be right.
    """
    files = sorted(folder.glob("*.toml"), key=lambda path: path.stem)
    return {path.stem: _read_language(path) for path in files}


def check_keys(place: str, names: Iterable[str], known: Iterable[str], kind: str) -> None:
    """Require that every name is a known one. ``kind``: the noun for a name in the error.

    ValueError: one is not; the sentence names the nearest that is.
    """
    known_names = list(known)
    for name in names:
        if name not in known_names:
            similar = get_close_matches(name, known_names, 1)
            advice = (
                f"did you mean {similar[0]}?" if similar else f"there are {', '.join(known_names)}"
            )
            raise ValueError(f"{place}: no {kind} {name}; {advice}")


def _read_language(path: Path) -> Language:
    with path.open(encoding="utf-8") as file:
        text = "".join(takewhile(lambda line: not line.startswith("["), file))
    try:
        own_values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.name}: {error}") from error
    check_keys(path.name, own_values, [each.name for each in fields(Language)][1:], "key")
    if "voice" not in own_values:
        raise ValueError(
            f"{path.name}: no key voice; where espeak-ng has no good voice, it is empty"
        )
    for name, value in own_values.items():
        if not isinstance(value, str):
            raise ValueError(f"{path.name} {name}: text, not {value!r}")
    return Language(path.stem, **own_values)


FOLDER = Path(__file__).parent
_ALL = read_languages(FOLDER)
LANGUAGES = {code: language for code, language in _ALL.items() if not language.is_further}
FURTHER = {code: language for code, language in _ALL.items() if language.is_further}
_offered = frozenset[str]()  # of FURTHER


def parse_codes(text: str) -> tuple[str, ...]:
    """Return the codes of further languages that are listed with commas between.

    ValueError: says what it should be.
    """
    codes = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not codes or not all(code in FURTHER for code in codes):
        raise ValueError(
            f"codes with commas between, of these: {', '.join(FURTHER)}; the others need no setting"
        )
    return codes


def offer_languages(codes: Iterable[str]) -> None:
    """Offer these languages of FURTHER in this process, and no others of them."""
    global _offered
    _offered = frozenset(FURTHER.keys() & codes)
    list_offered_codes.cache_clear()


def list_offered_languages() -> list[str]:
    """Return the codes of the languages that can be spoken here."""
    return [*LANGUAGES, *(code for code in FURTHER if code in _offered)]


@functools.cache  # each trigger asks
def list_offered_codes() -> frozenset[str]:
    """Return the codes of the languages that the API offers."""
    return frozenset(list_offered_languages())


def find_language(code: str) -> Language | None:
    """Return the language of ``code``, or of its part before the region ("en-US" is spoken as
    "en"); None if unknown.

    It may be one that is not offered here: what was made while it was is still shown.
    """
    plain = countries.strip_country(code.lower())
    return _BY_LOWER_CODE.get(plain) or _BY_LOWER_CODE.get(plain.partition("-")[0])


def is_right_to_left(code: str) -> bool:
    """Return whether the language of ``code`` is written from right to left;
    an unknown one is not.
    """
    language = find_language(code)
    return language is not None and language.direction == "rtl"


def is_unspaced(code: str) -> bool:
    """Return whether the language of ``code`` is written without spaces between words;
    an unknown one is not.
    """
    language = find_language(code)
    return language is not None and language.is_unspaced


_BY_LOWER_CODE = {code.lower(): language for code, language in _ALL.items()}
