"""The names of months."""

from functools import cache
from typing import Literal

from babel.dates import get_month_names

from svc.media.languages import Dates, add_other_script, read_words
from svc.media.text import abbreviations
from svc.media.text.numerals import CLOSERS, PAUSES, base_language, find_locale


def is_nominative(month: str, language: str) -> bool:
    """Return whether a month is in the nominative, which differs from that of a date: Croatian
    ``svibanj``, beside ``svibnja``."""
    base, name = base_language(language), month.rstrip(PAUSES).lower()
    wide = tuple(get_month_names("wide", "format", find_locale(base)).values())
    own = read_words(base, Dates).months.get("date")
    # If the two are one in CLDR, babel may have those of another language for the latter.
    alone = wide if own else get_month_names("wide", "stand-alone", find_locale(base)).values()
    in_dates = add_other_script(dict.fromkeys(own or wide, ""), base)
    return name in add_other_script(dict.fromkeys(alone, ""), base) and name not in in_dates


def is_month(text: str, language: str) -> bool:
    """Return whether ``text`` is the name of a month, or short for it."""
    name, base = text.rstrip(f",;:!?{CLOSERS}").lower(), base_language(language)
    is_short = name.endswith(".") or (base == "en" and text[:1].isupper())
    return name.rstrip(".") in list_months(base) or (
        is_short and name.rstrip(".") in abbreviations.list_months(base)
    )


def precedes_day(text: str, language: str) -> bool:
    """Return whether a month is named just before a day: ``May 3``,
    and not ``May, 3`` in a row of a table.
    """
    return is_month(text, language) and not text.endswith(tuple(f",،、;؛；:{CLOSERS}"))


@cache
def list_months(language: str) -> frozenset[str]:
    """Return the names of the months in small letters, as they stand in dates and alone."""
    contexts: tuple[Literal["format", "stand-alone"], ...] = ("format", "stand-alone")
    names = (
        name
        for context in contexts
        for name in get_month_names("wide", context, find_locale(language)).values()
    )
    listed = [*map(str.lower, names), *read_words(language, Dates).months.get("date", ())]
    return frozenset(add_other_script(dict.fromkeys(listed, ""), language))
