"""The languages that the narration can speak.

Each of LANGUAGES passes a check, which the tests repeat: one word event for each word, in order;
sound for every word; a glyph for every letter. In Arabic, Persian and Urdu some vowels are guessed.

FURTHER failed it: in Chinese and Korean figures are read as several words, Japanese signs are
spelled out, so are Thai clusters, and Hebrew is written without vowels. They are offered only where
another voice speaks them (a speech endpoint, or Kokoro's of Japanese and Chinese) and a font has
their letters. Not listed are Afrikaans (word events shift)
and Georgian (no glyphs in the bundled fonts).
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

_RIGHT_TO_LEFT = ("Arab", "Hebr")
_WIDE = ("Jpan", "Hans", "Hant", "Kore")
_UNSPACED = ("Jpan", "Hans", "Hant", "Thai")


@dataclass(frozen=True)
class Language:
    code: str  # BCP 47
    # espeak-ng's voice file: it finds file names, but no codes such as "fr-fr"; empty: it reads the
    # language badly
    voice: str
    script: str = "Latn"  # ISO 15924
    letters: str = ""  # of a further language: a few that a font for it has

    @property
    def direction(self) -> str:
        """``"rtl"`` or ``"ltr"``."""
        return "rtl" if self.script in _RIGHT_TO_LEFT else "ltr"

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


_ALL = (
    Language("en", "gmw/en-US"),
    Language("en-GB", "gmw/en-GB-x-rp"),
    Language("de", "gmw/de"),
    Language("fr", "roa/fr"),
    Language("es", "roa/es"),
    Language("es-419", "roa/es-419"),
    Language("it", "roa/it"),
    Language("pt", "roa/pt"),
    Language("pt-BR", "roa/pt-BR"),
    Language("ca", "roa/ca"),
    Language("ro", "roa/ro"),
    Language("nl", "gmw/nl"),
    Language("sv", "gmq/sv"),
    Language("nb", "gmq/nb"),
    Language("da", "gmq/da"),
    Language("fi", "urj/fi"),
    Language("et", "urj/et"),
    Language("hu", "urj/hu"),
    Language("lv", "bat/lv"),
    Language("lt", "bat/lt"),
    Language("pl", "zlw/pl"),
    Language("cs", "zlw/cs"),
    Language("sk", "zlw/sk"),
    Language("sl", "zls/sl"),
    Language("hr", "zls/hr"),
    Language("sr", "zls/sr", "Cyrl"),
    Language("mk", "zls/mk", "Cyrl"),
    Language("bg", "zls/bg", "Cyrl"),
    Language("ru", "zle/ru", "Cyrl"),
    Language("uk", "zle/uk", "Cyrl"),
    Language("el", "grk/el", "Grek"),
    Language("tr", "trk/tr"),
    Language("id", "poz/id"),
    Language("ms", "poz/ms"),
    Language("vi", "aav/vi"),
    Language("sw", "bnt/sw"),
    Language("ar", "sem/ar", "Arab"),
    Language("fa", "ira/fa", "Arab"),
    Language("ur", "inc/ur", "Arab"),
    Language("hi", "inc/hi", "Deva"),
)

_FURTHER = (
    Language("ja", "", "Jpan", "あア日語、。"),
    Language("zh", "sit/cmn", "Hans", "这说国语，。"),
    Language("zh-TW", "sit/cmn", "Hant", "這說國語，。"),
    Language("ko", "ko", "Kore", "한국어"),
    Language("th", "", "Thai", "ไทย"),
    Language("he", "sem/he", "Hebr", "עברית"),
)

LANGUAGES = {language.code: language for language in _ALL}
FURTHER = {language.code: language for language in _FURTHER}
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
    offered_codes.cache_clear()


def offered_languages() -> list[str]:
    """Return the codes of the languages that can be spoken here."""
    return [*LANGUAGES, *(code for code in FURTHER if code in _offered)]


@functools.cache  # each trigger asks
def offered_codes() -> frozenset[str]:
    """Return the same as a set."""
    return frozenset(offered_languages())


def find_language(code: str) -> Language | None:
    """Return the language of ``code``, or of its part before the region ("en-US" is spoken as
    "en"); None if unknown.

    It may be one that is not offered here: what was made while it was is still shown.
    """
    return _BY_LOWER_CODE.get(code.lower()) or _BY_LOWER_CODE.get(code.lower().partition("-")[0])


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


_BY_LOWER_CODE = {code.lower(): language for code, language in (LANGUAGES | FURTHER).items()}
