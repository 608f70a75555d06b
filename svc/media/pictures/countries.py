"""The country that a text names, and the names with a country's name in them that mean none."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import babel
import regex

from svc.media.artwork import collection
from svc.media.pictures.forms import UNSPACED, find_word_forms, is_in_text, split_words

_ELSEWHERE = Path(__file__).parent / "elsewhere.txt"
_LONGEST_NAME = 4  # words
_LONGEST = 400  # characters that are read
_MOST_WORDS = 24  # of a text that one mention of a country may stand for
_SIGNS_PER_WORD = 3  # in languages without spaces
# "Cuba, New York" is a town, as is any name before one of the United States
_IN_A_STATE = regex.compile(
    r"\p{Lu}[\p{L}.’'-]*, (?:Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|"
    r"Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|"
    r"Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|"
    r"New (?:Hampshire|Jersey|Mexico|York)|(?:North|South) (?:Carolina|Dakota)|Ohio|Oklahoma|"
    r"Oregon|Pennsylvania|Rhode Island|Tennessee|Texas|Utah|Vermont|(?:West )?Virginia|Washington|"
    r"Wisconsin|Wyoming)\b"
)

Name = tuple[str, ...]


def find_flag(text: str, language: str) -> str:
    """Return the flag of the country that ``text`` in ``language`` (BCP 47) names most often or
    first; empty if none.

    A long text is about a country only if it names it more than once.
    """
    code, read = collection.find_code(language), _IN_A_STATE.sub("", text[:_LONGEST])
    named = _find_unspaced_flags(read, code) if code in UNSPACED else _find_spaced_flags(read, code)
    length = len(read) // _SIGNS_PER_WORD if code in UNSPACED else len(read.split())
    flag = max(named, key=named.count, default="")
    return flag if flag and (length <= _MOST_WORDS or named.count(flag) > 1) else ""


def find_flag_at_end(text: str, language: str) -> tuple[str, list[str]]:
    """Return the flag of the country that ``text`` ends with, empty if there is none,
    and the words before it.
    """
    code = collection.find_code(language)
    written = find_word_forms(_IN_A_STATE.sub("", text), code)
    said = [form.word for form in written]
    for first in range(max(0, len(said) - _LONGEST_NAME), len(said)):
        name = tuple(said[first:])
        if name in _load_names_elsewhere(code):
            break
        if name in _list_flags(code) and _is_name(name, written[first].capital):
            return _list_flags(code)[name], said[:first]
    return "", said


def _find_spaced_flags(text: str, code: str) -> list[str]:
    """Return the flags of the countries in a text with spaces, in order;
    the longest name at each word uses up its words.
    """
    flags = _list_flags(code)
    elsewhere = _load_names_elsewhere(code)
    written = find_word_forms(text, code)
    mentioned, at = [], 0
    while at < len(written):
        for length in range(min(_LONGEST_NAME, len(written) - at), 0, -1):
            name = tuple(form.word for form in written[at : at + length])
            is_country = name in flags and _is_name(name, written[at].capital)
            if is_country or name in elsewhere:
                mentioned += [flags[name]] if is_country and name not in elsewhere else []
                at += length - 1
                break
        at += 1
    return mentioned


def _find_unspaced_flags(text: str, code: str) -> list[str]:
    folded, flags, elsewhere = text.casefold(), _list_flags(code), _load_names_elsewhere(code)
    present = [name[0] for name in (*flags, *elsewhere) if is_in_text(name[0], folded)]
    longest = [
        name
        for name in dict.fromkeys(present)
        if not any(name != other and name in other for other in present)
    ]
    countries = [name for name in longest if (name,) in flags and (name,) not in elsewhere]
    return [
        flags[(name,)]
        for name in sorted(countries, key=folded.find)
        for _ in range(folded.count(name))
    ]


def _is_name(name: Name, has_capital: bool) -> bool:
    """Return whether a country's name is written as one: with a capital, where letters have any."""
    return has_capital or name[0].upper() == name[0].lower()


@cache
def _list_flags(code: str) -> dict[Name, str]:
    """Return the flag of each country by its name in a language."""
    try:
        names = babel.Locale.parse(code).territories
    except (ValueError, babel.UnknownLocaleError):
        return {}
    flags = {
        _split_name(country, code): f"flag:{region.lower()}"
        for region, country in names.items()
        if region.isalpha()
    }
    return {
        name: flag
        for name, flag in flags.items()
        if collection.has_picture(flag) and name not in _load_names_elsewhere(code)
    }


@cache
def _load_names_elsewhere(code: str) -> frozenset[Name]:
    return frozenset(_split_name(name, code) for name in list_names_elsewhere(code))


@cache
def list_names_elsewhere(code: str) -> Sequence[str]:
    """Return the names of a language that mean no country, although they are a country's name or
    have one in them.
    """
    rows = (row.partition(" ") for row in _ELSEWHERE.read_text("utf-8").splitlines())
    return tuple(
        name
        for language, _, listed in rows
        if language in ("*", code)
        for name in listed.split(", ")
    )


def _split_name(text: str, code: str) -> Name:
    return (text.casefold(),) if code in UNSPACED else tuple(split_words(text))
