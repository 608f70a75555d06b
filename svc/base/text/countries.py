"""What a text's country says of how it is read aloud, besides its language: its currency, what
signs of money mean there, and how its numbers and its days are written.

A language in a country is one text, a BCP 47 code with Unicode's region override (UTS 35, key
``rg``): ``es-419-u-rg-mxzzzz``. Whatever reads text aloud takes it in the place of a language.
"""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_OVERRIDE = "-u-rg-"
_WHOLE_COUNTRY = "zzzz"
# By a sign that several currencies have: their codes. It is that of the country's own where its
# language is the country's, too: in a foreign language the sign is that of the best known.
SHARED_SIGNS = {
    "$": (
        "ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP DOP FJD GYD HKD JMD KYD LRD MXN NAD NZD SBD "
        "SGD SRD TTD TWD USD UYU XCD"
    ),
    "C$": "NIO",
    "£": "EGP FKP GBP GIP LBP SDG SHP SSP SYP",
}
# Likewise for signs that mean the country's own in every language: no text for China means yen.
# Most are letters, and mean money only where one of these is the currency.
LOCAL_SIGNS = {
    "¥": "CNY JPY",
    "kr": "DKK ISK NOK SEK",
    "kr.": "DKK ISK NOK SEK",
    "Rs": "INR LKR MUR NPR PKR SCR",
    "Rs.": "INR LKR MUR NPR PKR SCR",
    "₨": "INR LKR MUR NPR PKR SCR",
    "Bs": "BOB VES",
    "Bs.": "BOB VES",
    "Gs": "PYG",
    "Gs.": "PYG",
    "Fr": "CHF",
    "Fr.": "CHF",
    "SFr.": "CHF",
    "fr": "CHF",
    "fr.": "CHF",
    "BsD": "VES",
    "Bs.D": "VES",
    "BsS": "VES",
    "Bs.S": "VES",
    "¢": "CRC",
    "/-": "INR LKR NPR PKR",
    "Q": "GTQ",
    "Q.": "GTQ",
    "L": "HNL",
    "L.": "HNL",
    "Lps": "HNL",
    "Lps.": "HNL",
    "R": "ZAR",
    "P": "BWP",
    "K": "PGK ZMW",
}
# Codes of currencies that are other names elsewhere, such as COP 28: they are read before a number
# in their own country, and after one everywhere.
_CODES = "ARS BOB BGN CLP COP CRC CUP DOP EGP GTQ HNL IDR LKR NIO PEN PKR PYG RON RSD UYU VND"
OWN_CODES = frozenset(_CODES.split())
# Signs of one currency each, which in its country is called without the country.
_OWN_SIGNS = {
    "RD$": "DOP",
    "S/": "PEN",
    "S/.": "PEN",
    "B/.": "PAB",
    "₡": "CRC",
    "₲": "PYG",
    "₱": "PHP",
    "₹": "INR",
    "₦": "NGN",
    "GH₵": "GHS",
    "KSh": "KES",
    "TSh": "TZS",
    "USh": "UGX",
    "RM": "MYR",
}


class Country(NamedTuple):
    """A country as texts of one language are written for it."""

    code: str  # ISO 3166-1 alpha-2
    # Whether the language is one of the country's: CLDR has it with the country, or says that it
    # is official there.
    is_home: bool
    decimal_sign: str  # "." or ","; empty unless it is at home
    group_sign: str
    is_month_first: bool  # 12/31
    signs: Mapping[str, str]  # by sign: the code of the country's currency that it means
    own_signs: frozenset[str]  # those whose currency is called without its country


def in_country(language: str, country: str) -> str:
    """Return ``language`` (BCP 47) as texts for ``country`` (ISO 3166-1 alpha-2) are read; the
    language alone if the country changes nothing of it."""
    base = language.partition("-")[0].lower()
    if base not in _read_table()["numbers"]:  # its text is given to the voice as it is written
        return language
    found = _find(base, country.upper())
    if not (found.is_home or found.signs):
        return language
    return f"{language}{_OVERRIDE}{country.lower()}{_WHOLE_COUNTRY}"


def strip_country(language: str) -> str:
    """Return a language without the country of :func:`in_country`."""
    return language.partition(_OVERRIDE)[0]


def find_country(language: str) -> Country | None:
    """Return the country of a language of :func:`in_country`; None: it has none."""
    _, _, region = language.partition(_OVERRIDE)
    base = language.partition("-")[0].lower()
    return _find(base, region.removesuffix(_WHOLE_COUNTRY).upper()) if region else None


@functools.cache
def _find(base: str, code: str) -> Country:
    listed = _read_table()
    currencies = listed["currencies"].get(code, "").split()
    numbers = listed["numbers"].get(base, {}).get(code, "")
    sources = (SHARED_SIGNS, LOCAL_SIGNS, _OWN_SIGNS) if numbers else (LOCAL_SIGNS,)
    signs = {
        sign: own
        for source in sources
        for sign, codes in source.items()
        if (own := next((each for each in currencies if each in codes.split()), ""))
    }
    own_signs = frozenset(signs if numbers else ())
    signs |= {own: own for own in currencies if own in OWN_CODES}
    is_month_first = code in listed["months_first"].get(base, "").split()
    return Country(code, bool(numbers), numbers[:1], numbers[1:], is_month_first, signs, own_signs)


@functools.cache
def _read_table() -> dict[str, dict[str, Any]]:
    """Return what ``.ci/countries.py`` wrote of CLDR."""
    table: dict[str, dict[str, Any]] = json.loads(
        Path(__file__).with_suffix(".json").read_text("utf-8")
    )
    return table
