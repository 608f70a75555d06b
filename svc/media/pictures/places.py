"""The picture of a country that a text is about: its shape with its flag,
unless the text speaks of the flag itself.
"""

from svc.media.artwork import collection
from svc.media.languages import Everywhere, Pictures, merge_words, read_words
from svc.media.pictures import countries
from svc.media.pictures.forms import UNSPACED, find_word_forms

_FLAG, _COUNTRY = "flag:", "country:"
_MARKS = ".,;:!?()"
_SHORT = 8  # words: of a text with one piece of news


def find_country_picture(text: str, language: str) -> str:
    """Return the picture of the country that ``text`` in ``language`` (BCP 47) names;
    empty if it names none.
    """
    return _choose_picture(countries.find_flag(text, language), text, language)


def find_country_at_end(text: str, language: str) -> str:
    """Return the picture of the country that a short text ends with, which is its news: "Tea came
    to Kenya". Empty if there is none. In languages without spaces verbs may end sentences."""
    words = text.split()
    while words and words[-1].strip(_MARKS).isdecimal():
        words = words[:-2]  # "in 1903"
    if language.lower().partition("-")[0] in UNSPACED or not 1 < len(words) <= _SHORT:
        return ""
    flag, before = countries.find_flag_at_end(" ".join(words), language)
    return (
        _choose_picture(flag, text, language)
        if before and before[-1] not in merge_words(Everywhere).of_a_country
        else ""
    )


def _choose_picture(flag: str, text: str, language: str) -> str:
    """Return the shape of the country with ``flag``, if it has one and the text is not about flags
    or teams; else the flag.
    """
    shape = _COUNTRY + flag.removeprefix(_FLAG)
    return (
        shape
        if flag and collection.has_picture(shape) and not _is_about_flags(text, language)
        else flag
    )


def _is_about_flags(text: str, language: str) -> bool:
    code = language.lower().partition("-")[0]
    listed = read_words(code, Pictures).flags
    if code in UNSPACED:
        return any(word in text for word in listed)
    words = find_word_forms(text, code)
    written = {form.word for form in words}
    stems = {form.stem for form in words} - {""}
    return any(
        form.word in written or form.stem in stems
        for word in listed
        for form in find_word_forms(word, code)
    )
