"""Points that each begin with the name of a country: what a map of several countries is made of."""

import re
from collections.abc import Sequence
from functools import cache

from babel import Locale, UnknownLocaleError

from svc.base.text.countries import strip_country
from svc.media.maps import outlines, shape

_FEWEST = 2
# What stands behind a name that a point begins with.
_AFTER = re.compile(r"\s*(?:[:：,，、;(（–—]|\s-\s|$)")
_ARTICLE = re.compile(r"(?:the|die|les|la|le|los|las|o|os|as|il|de)\s+|l'")
_PERSONS = frozenset(("td", "jo"))  # Chad, Jordan
# Besides the names of the Unicode CLDR: what many write.
_ALSO = {
    "usa": "us",
    "us": "us",
    "uk": "gb",
    "great britain": "gb",
    "turkey": "tr",
    "czech republic": "cz",
    "ivory coast": "ci",
    "uae": "ae",
}


@cache
def find_countries(texts: tuple[str, ...], language: str) -> tuple[str, ...]:
    """Return the code of the country that each of ``texts`` begins with; empty unless all do, and
    each with another one.

    ``language``: BCP 47. Nothing is returned for a country without an outline, and where a border
    is disputed.
    """
    codes = tuple(_find_country(text, language) for text in texts)
    drawable = all(
        outlines.find_polygons(code) and code not in shape.DISPUTED for code in codes if code
    )
    if len(codes) < _FEWEST or not all(codes) or not drawable or len(set(codes)) < len(codes):
        return ()
    return codes if len(set(codes) - _PERSONS) >= _FEWEST else ()


def _find_country(text: str, language: str) -> str:
    plain = _normalise_name(text)
    for start in _list_starts(plain):
        end = next((end for end in _list_ends(start) if start[:end] in _index_by_name(language)), 0)
        if end:
            return _index_by_name(language)[start[:end]]
    return ""


def _list_starts(plain: str) -> Sequence[str]:
    article = _ARTICLE.match(plain)
    return (plain, plain[article.end() :]) if article else (plain,)


def _list_ends(text: str) -> list[int]:
    """Return where a name may end, the longest first: names may have commas
    and hyphens themselves.
    """
    return sorted({match.start() for match in _AFTER.finditer(text)}, reverse=True)


def _normalise_name(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").replace(" & ", " and ").split())


@cache
def _index_by_name(language: str) -> dict[str, str]:
    """Return the codes of the countries by their names in ``language``,
    and by those that many write in every language.
    """
    try:
        territories = Locale.parse(strip_country(language), sep="-").territories.items()
    except (UnknownLocaleError, ValueError):
        return _ALSO
    return _ALSO | {
        _normalise_name(name.partition(" (")[0]): code.lower()
        for code, name in territories
        if code.isalpha()
    }
