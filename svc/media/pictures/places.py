"""Finding the picture of a text that may mean a country: its shape with its flag, unless the text speaks of the flag itself."""

from functools import cache
from pathlib import Path

from svc.media.pictures import collection, search
from svc.media.pictures.forms import UNSPACED, forms

_FILE = Path(__file__).parent / "flag_words.txt"
_FLAG, _COUNTRY = "flag:", "country:"
_SAME = {"nb": "no", "nn": "no"}


def find(text: str, language: str) -> str:
    """Return the name of the picture that fits ``text`` in ``language`` (BCP 47) best; empty if none fits well enough.

    Where that is a country's flag, its shape is returned, if it has one and the text is not about flags or teams.
    """
    name = search.find(text, language)
    shape = _COUNTRY + name.removeprefix(_FLAG)
    return shape if name.startswith(_FLAG) and collection.has(shape) and not _is_about_flags(text, language) else name


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
