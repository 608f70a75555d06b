"""Limits of age, or of years, with a sign: ``- de 12 ans``, ``-18 anni``, ``+65 años``."""

import re
from collections.abc import Sequence

from svc.media.languages import Numbers, read_words
from svc.media.text.numerals import CLOSERS, OPENERS, PAUSES, spell_cardinal

# With a number, a plus stands before two digits: bac +5 ans is another thing.
_SIGN = re.compile(r"([-–−+])(?:((?<=\+)\d\d|(?<!\+)\d\d?)|([^\W\d_]{2})?)")
_OF_LIGHT = ("luz", "luce", "lumière", "lumières", "llum")  # which make years a distance
_AGE = re.compile(r"\d\d?")


def read_limit(words: Sequence[str], index: int, language: str) -> str | None:
    """Return how a sign before an age, with the word between both, apart from it or not, or with
    the age, is spoken where it means younger or older; None: it is something else, such as a
    temperature, or a dash: ``Developer - 12 ans d'expérience``."""
    known = read_words(language, Numbers)
    sign = _SIGN.fullmatch(words[index].lstrip(OPENERS)) if known.years else None
    if sign is None:
        return None
    said = known.older if sign[1] == "+" else known.younger
    digits, rest = sign[2] or "", list(words[index + 1 : index + 4])
    of = said.rpartition(" ")[2]
    if index and words[index - 1].lower() == of:  # moins de -12 ans, une durée de -12 ans
        if not digits or " ".join(words[max(index - 2, 0) : index]).lower() != said:
            return None
        said = ""
    if not digits:
        if of not in (sign[3], *rest[:1]):
            return None
        if not sign[3]:
            said, rest = said.removesuffix(f" {of}"), rest[1:]
        if not rest or not _AGE.fullmatch(rest.pop(0)):
            return None
    years, of_light = (*rest, "", "")[:2]
    is_age = years.rstrip(f"{PAUSES}{CLOSERS}.") in known.years
    if not is_age or of_light.rstrip(f"{PAUSES}{CLOSERS}.") in _OF_LIGHT:
        return None
    bracket = "(" * words[index].startswith("(")
    return f"{bracket}{said} {spell_cardinal(int(digits), language) if digits else ''}".strip()
