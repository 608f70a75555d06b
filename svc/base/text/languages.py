"""The languages that the narration can speak.

Each of them passes a check, which the tests repeat: one word event for each word, in order; sound for every word; a glyph
for every letter. These failed it and are not listed: Afrikaans (word events shift), Thai (clusters are spelled out), Hebrew
(no vowels without points), Georgian (no glyphs in the bundled fonts). In Arabic, Persian and Urdu some vowels are guessed.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    code: str  # BCP 47
    voice: str  # espeak-ng's voice file: it finds file names, but no codes such as "fr-fr"
    script: str = "Latn"  # ISO 15924

    @property
    def direction(self) -> str:
        """``"rtl"`` or ``"ltr"``."""
        return "rtl" if self.script == "Arab" else "ltr"


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

LANGUAGES = {language.code: language for language in _ALL}


def find(code: str) -> Language | None:
    """Return the language of ``code``, or of its part before the region ("en-US" is spoken as "en"); None if unknown."""
    return _BY_LOWER_CODE.get(code.lower()) or _BY_LOWER_CODE.get(code.lower().partition("-")[0])


_BY_LOWER_CODE = {code.lower(): language for code, language in LANGUAGES.items()}
