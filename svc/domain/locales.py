"""Languages and countries, with identifiers that are the same on every installation."""

from functools import cache
from typing import Any

from babel import Locale

from svc.base import ids
from svc.base.text import countries
from svc.base.text.languages import FURTHER, LANGUAGES, list_offered_codes
from svc.domain import paging
from svc.domain.paging import Page

# Fields of a brief that take codes, and those that take identifiers in their place.
BY_CODE = {
    "language": "languageId",
    "country": "countryId",
    "languages": "languageIds",
    "captionLanguages": "captionLanguageIds",
}

# Territories of CLDR that are not countries of ISO 3166-1: groupings, pseudo-regions, exceptional
# reservations.
_NOT_COUNTRIES = frozenset(
    ("AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "XK", "ZZ")
)


@cache
def list_languages() -> dict[str, dict[str, Any]]:
    """Return the languages that a production may be in, also those not offered here: id to entry,
    sorted by name.
    """
    english = Locale("en")
    entries: dict[str, dict[str, Any]] = {}
    for code in (*LANGUAGES, *FURTHER):
        name = Locale.parse(code, sep="-").get_display_name(english)
        entries[ids.derive_id("language", code)] = {
            "languageId": ids.derive_id("language", code),
            "code": code,
            "name": name,
        }
    return dict(sorted(entries.items(), key=lambda entry: entry[1]["name"]))


def list_offered_languages() -> dict[str, dict[str, Any]]:
    """Return the languages that the narration speaks on this installation,
    as :func:`list_languages` does.
    """
    return _select_languages(list_offered_codes())


@cache
def _select_languages(codes: frozenset[str]) -> dict[str, dict[str, Any]]:
    return {
        language_id: entry
        for language_id, entry in list_languages().items()
        if entry["code"] in codes
    }


@cache
def find_own_name(code: str) -> str:
    """Return the name of a language in that language.

    ``code``: BCP 47, one of the supported languages.
    """
    return str(Locale.parse(code, sep="-").get_display_name() or code)


@cache
def list_countries() -> dict[str, dict[str, Any]]:
    """Return the countries of ISO 3166-1 according to CLDR: id to entry, sorted by name."""
    names = {
        code: name
        for code, name in Locale("en").territories.items()
        if len(code) == 2 and code.isalpha() and code not in _NOT_COUNTRIES
    }
    return {
        ids.derive_id("country", code): {
            "countryId": ids.derive_id("country", code),
            "code": code,
            "name": name,
        }
        for code, name in sorted(names.items(), key=lambda entry: entry[1])
    }


def find_language(code: str) -> str:
    """Return the identifier of a language that is offered here, by its BCP 47 code in any case.

    ValueError: there is none.
    """
    try:
        return _identifiers(list_offered_codes())[code.lower()]
    except KeyError:
        raise ValueError(
            f"There is no language {code[:40]!r}; GET /v1/languages lists the codes, such as de."
        ) from None


@cache
def _identifiers(codes: frozenset[str]) -> dict[str, str]:
    return {
        entry["code"].lower(): language_id
        for language_id, entry in _select_languages(codes).items()
    }


def find_country(code: str) -> str:
    """Return the identifier of a country by its ISO 3166-1 code in any case.

    ValueError: there is none.
    """
    country_id = ids.derive_id("country", code.upper())
    if country_id not in list_countries():
        raise ValueError(
            f"There is no country {code[:40]!r}; GET /v1/countries lists the codes, such as DE."
        )
    return country_id


def find_reading(language_id: str, country_id: str) -> str | None:
    """Return the language in which a brief is read, with its country; None: there is none.

    Numbers and money are read by both (:mod:`svc.base.text.countries`).
    """
    code = list_languages().get(language_id, {}).get("code")
    country = list_countries().get(country_id)
    return countries.in_country(code, country["code"]) if code and country else code


def list_page(entries: dict[str, dict[str, Any]], page: Page | None) -> dict[str, Any]:
    """Return languages or countries as a list of the API: ``data``, ``hasMore``, ``nextCursor``.

    ``page``: the page of them; None: all entries.
    """
    listed = list(entries.values())
    if page is None:
        return {"data": listed, "hasMore": False, "nextCursor": None}
    start = 0 if page.is_first else page.after[0]
    shown, has_more = listed[start : start + page.limit], start + page.limit < len(listed)
    cursor = paging.encode(start + page.limit, "after", page.of) if has_more else None
    return {"data": shown, "hasMore": has_more, "nextCursor": cursor}
