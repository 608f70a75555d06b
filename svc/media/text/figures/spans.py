"""From one day of the week or month to another in words: ``Mon–Fri``, ``Jan.–März``."""

import re
from functools import cache
from typing import Literal

from babel.dates import get_day_names, get_month_names

from svc.media.languages import Dates, Numbers, words_of
from svc.media.text.numerals import SPACE, base_language, locale

_SPAN = re.compile(rf"([^\W\d_]+)\.?{SPACE}?[-–—]{SPACE}?([^\W\d_]+)\.?")
_LONGEST = 30  # characters
_WIDTHS: tuple[Literal["abbreviated", "wide"], ...] = ("abbreviated", "wide")


def read_span(text: str, language: str) -> str | None:
    """Return two names with the word between them; None: they are no two days or months. Where
    the second would be inflected, they are two names with a pause."""
    numbers = words_of(language, Numbers)
    if numbers.to and text.count(f"{SPACE}{numbers.to}{SPACE}") == 1:  # seg. a sex.
        text = text.replace(f"{SPACE}{numbers.to}{SPACE}", "–")
    match = _SPAN.fullmatch(text) if len(text) <= _LONGEST else None
    to = f" {numbers.to}" if numbers.uninflected_after_to else ","
    if match is None:
        return None
    for names in _names(base_language(language)):
        if match[1] in names and match[2] in names:
            return f"{names[match[1]]}{to} {names[match[2]]}"
    return None


@cache
def _names(base: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the full names of the days and of the months by each name,
    as it is written and with a capital, without dots.
    """
    found = []
    for names_of in (get_day_names, get_month_names):
        full = names_of("wide", "format", locale(base))
        written = {
            names_of(width, "format", locale(base))[key].rstrip("."): full[key]
            for width in _WIDTHS
            for key in full
        }
        if names_of is get_day_names:
            written |= {
                name: full[key] for name, key in words_of(base, Dates).days_in_spans.items()
            }
        found.append(
            {**{name[:1].upper() + name[1:]: whole for name, whole in written.items()}, **written}
        )
    return found[0], found[1]
