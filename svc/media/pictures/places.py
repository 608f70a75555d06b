"""Finding the picture of a text that may mean a country: its shape with its flag, unless the text speaks of the flag itself."""

from functools import cache
from pathlib import Path

from svc.media.pictures import collection, search
from svc.media.pictures.forms import UNSPACED, forms

_FILE = Path(__file__).parent / "flag_words.txt"
_FLAG, _COUNTRY = "flag:", "country:"
# Before a country that only says whose a thing is: "coffee from Brazil" is about coffee.
_OF = frozenset(("of", "from", "do", "da", "de", "del", "della", "di", "du", "d’", "von", "aus", "van", "uit", "z", "ze", "из"))
_MARKS = ".,;:!?()"
_SHORT = 8  # words: of a text with one piece of news
_SAME = {"nb": "no", "nn": "no"}


def find(text: str, language: str) -> str:
    """Return the name of the picture that fits ``text`` in ``language`` (BCP 47) best; empty if none fits well enough.

    A country that the text ends with is its news and goes first: "Tea came to Kenya". Where a country's flag fits best, its
    shape is returned, if it has one and the text is not about flags or teams.
    """
    name = _last_country(text, language) or search.find(text, language)
    shape = _COUNTRY + name.removeprefix(_FLAG)
    return shape if name.startswith(_FLAG) and collection.has(shape) and not _is_about_flags(text, language) else name


def _last_country(text: str, language: str) -> str:
    """Return the flag of the country that a short text ends with; empty if there is none. Elsewhere verbs may end sentences."""
    words = text.split()
    while words and words[-1].strip(_MARKS).isdecimal():
        words = words[:-2]  # "in 1903"
    if language.lower().partition("-")[0] in UNSPACED or not 1 < len(words) <= _SHORT:
        return ""
    name, before = search.country_at_end(" ".join(words), language)
    return name if before and before[-1] not in _OF else ""


def _is_about_flags(text: str, language: str) -> bool:
    code = language.lower().partition("-")[0]
    listed = _flag_words().get(_SAME.get(code, code), ())
    if code in UNSPACED:
        return any(word in text for word in listed)
    words = forms(text, code)
    written = {form.word for form in words}
    stems = {form.stem for form in words} - {""}
    return any(form.word in written or form.stem in stems for word in listed for form in forms(word, code))


@cache
def _flag_words() -> dict[str, tuple[str, ...]]:
    rows = (row.split() for row in _FILE.read_text("utf-8").splitlines() if not row.startswith("#"))
    return {language: tuple(words) for language, *words in rows}
