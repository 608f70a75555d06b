"""``python .ci/countries.py``: write svc/base/text/countries.json from babel.

How numbers and money are read depends on the country. babel would load the locale of each language
in each country, megabytes in every process, for two signs of it. The same babel gives the same
bytes.
"""

import json
import sys
from datetime import date
from pathlib import Path

from babel import Locale, localedata
from babel.core import get_global
from babel.languages import get_territory_language_info
from babel.numbers import get_decimal_symbol, get_group_symbol, get_territory_currencies

sys.path.insert(0, str(Path(__file__).parents[1]))
from svc.base.text import countries, languages

TARGET = Path(countries.__file__).with_suffix(".json")
SOURCE = (
    "Currencies of countries, and by the languages of a country its decimal sign, the sign "
    "between thousands, and where months come before days, from CLDR. Unicode License v3, https://www.unicode.org/license.txt"
)
_AT = date(2026, 1, 1)  # currencies change, and the bytes should not with the day
# Countries whose people write both orders: they stay with that of the language.
_EITHER = {"en": {"CA"}}
_LETTERS = 2  # of a country's code


def list_currencies() -> dict[str, str]:
    """Return the currencies in use by country, with spaces between."""
    by_country = {
        code: " ".join(get_territory_currencies(code, _AT, tender=True))
        for code in sorted(get_global("territory_currencies"))
        if len(code) == _LETTERS and code.isalpha()
    }
    return {code: listed for code, listed in by_country.items() if listed}


def list_numbers(language: str) -> dict[str, str]:
    """Return the signs of numbers in a language by country: of those that it is spoken in."""
    listed = {}
    for code in sorted(list_currencies()):
        official = get_territory_language_info(code).get(language, {}).get("official_status")
        locale = _find_locale(language, code)
        if locale or official:
            signs_of = locale or Locale(language)
            group = get_group_symbol(signs_of)
            listed[code] = get_decimal_symbol(signs_of) + (" " if group.isspace() else group)
    return listed


def list_month_first(language: str) -> str:
    """Return the countries in which a language writes the month before the day, 12/31, with spaces
    between."""
    patterns = {
        code: locale.date_formats["short"].pattern
        for code in sorted(list_currencies())
        if (locale := _find_locale(language, code))
    }
    first = {code for code, pattern in patterns.items() if pattern.startswith("M")}
    return " ".join(sorted(first | _EITHER.get(language, set())))


def _find_locale(language: str, country: str) -> Locale | None:
    parts = (each.split("_") for each in localedata.locale_identifiers())
    found = (each for each in parts if each[0] == language and each[-1] == country)
    shortest = min(found, key=len, default=None)
    return Locale.parse("_".join(shortest)) if shortest else None


def main() -> None:
    codes = sorted({code.partition("-")[0] for code in languages.LANGUAGES})
    table = {
        "": SOURCE,
        "currencies": list_currencies(),
        "numbers": {code: list_numbers(code) for code in codes},
        "months_first": {code: listed for code in codes if (listed := list_month_first(code))},
    }
    TARGET.write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main()
