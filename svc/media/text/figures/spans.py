"""From one day of the week or month to another in words: ``Mon–Fri``, ``Jan.–März``."""

import re
from functools import cache
from typing import Literal

from babel.dates import get_day_names, get_month_names

from svc.media.text import vocabulary
from svc.media.text.numerals import SPACE, base_language, locale

_SPAN = re.compile(rf"([^\W\d_]+)\.?{SPACE}?[-–—]{SPACE}?([^\W\d_]+)\.?")
_LONGEST = 30  # characters
_MORE_DAYS = {  # besides CLDR's of the language without its region
    "pt": {"seg": 0, "ter": 1, "qua": 2, "qui": 3, "sex": 4, "sáb": 5, "dom": 6},
    "pl": {"pn": 0, "wt": 1, "śr": 2, "cz": 3, "pt": 4, "sb": 5, "nd": 6},
    "es": {"lu": 0, "ma": 1, "mi": 2, "ju": 3, "vi": 4, "sa": 5, "do": 6},
}
_UNINFLECTED = frozenset(
    ("en", "de", "fr", "es", "it", "pt", "ca", "nl", "sv", "nb", "da", "id", "ms", "vi")
)  # after the word for "to"
_WIDTHS: tuple[Literal["abbreviated", "wide"], ...] = ("abbreviated", "wide")


def read_span(text: str, language: str) -> str | None:
    """Return two names with the word between them; None: they are no two days or months. Where
    the second would be inflected, they are two names with a pause."""
    match = _SPAN.fullmatch(text) if len(text) <= _LONGEST else None
    to = (
        f" {vocabulary.TO[base_language(language)]}"
        if base_language(language) in _UNINFLECTED
        else ","
    )
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
            written |= {name: full[key] for name, key in _MORE_DAYS.get(base, {}).items()}
        found.append(
            {**{name[:1].upper() + name[1:]: whole for name, whole in written.items()}, **written}
        )
    return found[0], found[1]
