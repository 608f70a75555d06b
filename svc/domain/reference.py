"""Languages and countries with identifiers that are the same on every installation."""

from functools import cache

from babel import Locale

from svc.base import ids
from svc.base.languages import LANGUAGES

# CLDR lists these beside the countries of ISO 3166-1: groupings, pseudo-regions, exceptional reservations.
_NOT_COUNTRIES = frozenset(("AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "XK", "ZZ"))


@cache
def languages() -> dict[str, dict]:
    """Language id to its entry; only those that the narration can speak."""
    english = Locale("en")
    entries = {}
    for code in LANGUAGES:
        name = Locale.parse(code, sep="-").get_display_name(english)
        entries[ids.named("language", code)] = {"languageId": ids.named("language", code), "code": code, "name": name}
    return dict(sorted(entries.items(), key=lambda entry: entry[1]["name"]))


@cache
def countries() -> dict[str, dict]:
    """Country id to its entry, from CLDR's list of ISO 3166-1 codes."""
    names = {
        code: name
        for code, name in Locale("en").territories.items()
        if len(code) == 2 and code.isalpha() and code not in _NOT_COUNTRIES
    }
    return {
        ids.named("country", code): {"countryId": ids.named("country", code), "code": code, "name": name}
        for code, name in sorted(names.items(), key=lambda entry: entry[1])
    }
