"""Numbers that are one word with what they count: ``3-mal``, ``5-letni``, ``3krát``,
``10er-Karte``.
"""

import re

from svc.media.languages import Numbers, Roman, read_words
from svc.media.text import cases
from svc.media.text.figures import quantities
from svc.media.text.numerals import (
    DIGITS,
    PAUSES,
    base_language,
    parse_number,
    spell_cardinal,
    spell_number,
)

_HYPHENS = "‑-"
_JOINED = re.compile(
    rf"(?P<first>{DIGITS})(?:[-–](?P<last>{DIGITS}))?(?P<rest>[{_HYPHENS}]?[^\W\d_][\w{_HYPHENS}]*)"
)
_SUSPENDED = re.compile(rf"(\d{{1,4}})[{_HYPHENS}]")
_LONGEST = 7  # digits of a number that is one word with another
_LAST_IN_ONE_WORD = 20
_CASES = ("genitive", "dative", "accusative", "instrumental", "locative")
_NUMBER = "number"  # stands for the cardinal in a template


def read_joined(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a number, or two, in one word with what follows; None: ``text`` is none, or the
    language joins no such word. A number whose word comes later has a hyphen: ``2- bis 3-mal``."""
    words = read_words(base_language(language), Numbers)
    if not words.joined:
        return None
    match = _JOINED.fullmatch(text)
    if match is None:
        return _read_suspended(text, language, after)
    plain = text.replace("‑", "-")
    noun = after.rstrip(f"{PAUSES}.…)»”\"'")
    forms = (
        (re.compile(form).fullmatch(plain, match.start("rest")), said)
        for (form, _, counted), said in (
            (pattern.partition(" "), said) for pattern, said in words.joined.items()
        )
        if re.match(counted, noun)
    )
    rest, template = next(((form, said) for form, said in forms if form), (None, ""))
    if rest is None:
        return None
    word = rest.groupdict().get("word", rest[0].removeprefix("-"))
    if quantities.is_unit(word.partition("-")[0], language):
        return None
    kind = re.findall(r"{(\w+)}", template)[0]
    first, last = match["first"], match["last"] or match["first"]
    start, end = (_form(digits, kind, language) for digits in (first, last))
    if start is None or end is None:
        return None
    # the word of a German noun is small within another: das Dreifache
    said = template.format(
        **{kind: end}, word=_find_tail(word, is_apart=template.endswith(" {word}"))
    )
    if match["last"] is None:
        return said
    if words.to_case or not words.to:  # dwu-trzydniowy, két-háromszor
        return f"{start.removesuffix('-')}-{said}"
    if "{word}" not in template:  # двама до трима
        return f"{template.format(**{kind: start})} {words.to} {said}"
    return f"{start}- {words.to} {said}"


def _find_tail(word: str, *, is_apart: bool) -> str:
    return word.replace("-", " ") if is_apart else word[:1].lower() + word[1:]


def _read_suspended(text: str, language: str, after: str) -> str | None:
    """Return a number whose word stands after the next one: ``2-`` of ``2- bis 3-mal``."""
    match = _SUSPENDED.fullmatch(text)
    numbers = read_words(base_language(language), Numbers)
    joiners = {numbers.to, *numbers.joins, *read_words(base_language(language), Roman).joiners}
    if match is None or after not in joiners - {""}:
        return None
    kind = next(iter(numbers.in_compounds), _NUMBER)
    said = _form(match[1], kind, language)
    return said and f"{said}-"


def _form(digits: str, kind: str, language: str) -> str | None:
    """Return a number as the first part of a word; None: it has no words. ``kind``: the name of a
    list of ``[numbers.in_compounds]``; what that lacks is a cardinal."""
    number = parse_number(digits, language) if len(digits) <= _LONGEST else None
    if number is None:
        return None
    forms = read_words(base_language(language), Numbers).in_compounds.get(kind, {})
    if kind in _CASES:
        return cases.count_in_words(digits, cases.Form(kind), language)
    if number != number.to_integral_value() or digits[0] == "0":
        said = spell_number(digits, language, alone=False)
    else:
        said = _inflect(int(number), forms, language)
    return None if any(map(str.isdecimal, said)) else said


def _inflect(number: int, forms: dict[str, str], language: str) -> str:
    if str(number) in forms:
        return forms[str(number)]
    for size, least in ((1000, 1000), (100, 100), (10, 20)):  # стопятидесяти, двадцатипяти
        rest = number % size
        if rest and number > least and str(number - rest) in forms:
            return forms[str(number - rest)] + _inflect(rest, forms, language)
    *first, last = (
        quantities.spell_count("1", language) if number == 1 else spell_cardinal(number, language)
    ).split()
    ends = number % 100 if number % 100 <= _LAST_IN_ONE_WORD else number % 10 or number % 100
    return " ".join([*first, forms.get(str(ends), last) if first else last])
