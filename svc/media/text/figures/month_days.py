"""Days beside their month, and what is short for a day or a year after its number, in words."""

import re
from collections.abc import Sequence

from babel.dates import get_month_names

from svc.media.languages import Dates, Grammar, Numbers, read_words
from svc.media.text import dates, months, sequences
from svc.media.text.figures import centuries, joined, nouns
from svc.media.text.numerals import (
    CLOSERS,
    OPENERS,
    SPACE,
    STOPS,
    base_language,
    find_locale,
    names_number,
    spell_number,
    spell_ordinal,
)

_BEFORE_MONTH = re.compile(rf"([1-9]|[12]\d|3[01]){SPACE}?[-–]{SPACE}?([1-9]|[12]\d|3[01])")
_DAYS = re.compile(rf"(\d\d?){SPACE}?[-–—]{SPACE}?(\d\d?)(?:\.?-?(?:[áé]n|ig)|\.)?([{STOPS})»”]*)")
_COUNTED = re.compile(rf"(?:[1-9]|[12]\d|3[01])(?:{SPACE}?[-–]{SPACE}?(?:[1-9]|[12]\d|3[01]))?")
_YEARS = re.compile(rf"((?:1[1-9]|20)\d\d(?:[-–](?:1[1-9]|20)\d\d)?){SPACE}([^\W\d]\.)([{STOPS}]*)")
_DAY = re.compile(rf"[{re.escape(OPENERS)}]?(?:[1-9]|[12]\d|3[01])(?:[-–](?:[1-9]|[12]\d|3[01]))?")
_ROMAN_MONTH, _YEAR = re.compile(r"I{1,3}|I?V|VI{1,3}|I?X|XI{1,2}"), re.compile(r"(?:1\d|20)\d\d")
_MOST_DAYS = 31
_LISTED_DAY = re.compile(r"(?P<day>[1-9]|[12]\d|3[01])(?P<comma>,?)")
_MOST_LISTED = 6  # days before one month
_PLAIN = re.compile(r"([1-9]\d?)(?:[-–]([1-9]\d?))?(?P<comma>,?)")
_VERBS = ("May", "March")  # months that are verbs as well
_AFTER_MODAL = ("be", "have", "include", "contain", "need", "vary", "differ")
_WITH_FIRST = 2  # words between a month and the second of two days: May 3 and 4


def expand_roman_months(words: Sequence[str], language: str) -> list[str]:
    """Return ``words`` with Roman numerals behind days as the months that they stand for in the
    languages that write them so: ``marca`` of ``28 III``. A single V is volts, unless a year
    follows."""
    result = list(words)
    if not read_words(base_language(language), Dates).roman_months:
        return result
    names = get_month_names("wide", "format", find_locale(language))
    for index, word in enumerate(words[1:], 1):
        bare = word.rstrip(f"{STOPS})")
        follows = words[index + 1] if index + 1 < len(words) else ""
        is_volts = bare == "V" and not _YEAR.match(follows)
        if _ROMAN_MONTH.fullmatch(bare) and _DAY.fullmatch(words[index - 1]) and not is_volts:
            result[index] = names[centuries.parse_numeral(bare)] + word[len(bare) :]
    return result


def read_day_of_month(words: Sequence[str], index: int, language: str) -> str | None:
    """Return the figure at ``index``, or the short word after it, in words; None: it is no day
    or year of this kind. The full stop that ends a sentence is the caller's."""
    if (said := _read_unnamed_number(words, index, language)) is not None:
        return said
    if (said := _read_days_before_month(words, index, language)) is not None:
        return said
    if (said := _read_listed_day(words, index, language)) is not None:
        return said
    if base_language(language) in ("en", "hu"):
        return _read_days(words, index, language)
    known = read_words(language, Dates).short_words
    if not known:
        return None
    before, after = (
        words[index - 1].lower().lstrip(OPENERS) if index else "",
        (*words[index + 1 : index + 2], "")[0],
    )
    if years := _YEARS.fullmatch(words[index]):
        if years[2] not in known:
            return None
        case = "genitive" if months.is_month(after, language) else _find_case(before, language)
        return _join(years[1], known[years[2]][case], language) + years[3]
    is_after = index > 0 and _COUNTED.fullmatch(words[index - 1]) is not None
    place = index - 1 if is_after else index
    short = words[place + 1].rstrip(",;:!?)") if place + 1 < len(words) else ""
    month = words[place - 1] if place else ""
    if not _COUNTED.fullmatch(words[place]) or short not in known:
        return None
    if not months.is_month(month.lower().lstrip(OPENERS), language):
        return None
    forms = known[short][_find_case(words[place - 2].lower() if place > 1 else "", language)]
    said = _join(words[place], forms, language)
    number, _, noun = said.rpartition(" ")
    return noun + words[index][len(short) :] if is_after else number


def _read_days_before_month(words: Sequence[str], index: int, language: str) -> str | None:
    """Return two days before their month with what leads from one to the other, ``с третьего по
    пятое`` of ``3–5 мая``; None: there are none, or a word governs them already."""
    form = read_words(language, Dates).days_between
    match = _BEFORE_MONTH.fullmatch(words[index].lstrip(OPENERS)) if form else None
    if match is None or int(match[1]) >= int(match[2]):
        return None
    before = words[index - 1].lower() if index else ""
    first = form.partition("{0}")[0].split()
    # du 3–5 mai, of which the first word is there
    is_begun = first != [] and [*map(str.lower, words[max(0, index - len(first)) : index])] == first
    after = [*words[index + 1 : index + 3], "", ""]
    month = re.sub("^d[’']", "", after[1] if after[0] == "de" else after[0]).rstrip(CLOSERS)
    if not months.is_month(month, language):
        return None
    if not is_begun and nouns.is_small_word(before, language):
        return None
    opens = form.format("", "").split()
    said = [
        dates.spell_day(number, language, word, month)
        for number, word in zip(match.groups(), (opens[0], opens[-1]), strict=True)
    ]
    marks = words[index][: len(words[index]) - len(words[index].lstrip(OPENERS))]
    text = form.format(*said)
    if is_begun:
        text = text.removeprefix(f"{' '.join(first)} ")
    for pattern, instead in read_words(language, Dates).days_elided.items():
        text = re.sub(pattern, instead, text)
    return marks + text


def _read_listed_day(words: Sequence[str], index: int, language: str) -> str | None:
    """Return a day of several before their month as the last of them is said, ``третьего и`` of
    ``3 и 4 мая``, or, in English, behind it; None: it is none, or days are said as numbers."""
    # May 3 and 4. is one of them at the end of a sentence
    match = _LISTED_DAY.fullmatch(words[index].lstrip(OPENERS).removesuffix("."))
    if match is None:
        return None
    if base_language(language) == "en" and index > _WITH_FIRST:
        month, first, joiner = words[index - _WITH_FIRST - 1 : index]
        joins = _list_joiners(language)
        if joiner in joins and _LISTED_DAY.fullmatch(first) and is_month(month, language):
            # May 3 and 4
            return spell_ordinal(int(match["day"]), language) + match["comma"]
    start, last = _find_list(words, index, language)
    month = (*words[last + 1 : last + 2], "")[0]
    if start == last or words[last].endswith((",", ".")) or not is_month(month, language):
        return None
    if index == last and base_language(language) == "en":
        return None
    before = words[start - 1].lower() if start else ""
    said = dates.read_day(match["day"], language, before, month)
    return f"{said.removesuffix(' of')}{match['comma']}" if said else None


def _list_joiners(language: str) -> frozenset[str]:
    return read_words(language, Numbers).joins | read_words(language, Grammar).joins


def _find_list(words: Sequence[str], index: int, language: str) -> tuple[int, int]:
    """Return the places of the first and the last of the numbers around ``index`` that commas and
    "and" part, ``3, 4 и 5``; the same twice: it stands alone, or no "and" is before the last."""
    joins = _list_joiners(language)
    start = last = index
    for _ in range(_MOST_LISTED):
        step = 1 + (start > 1 and words[start - 1] in joins)
        is_next = start >= step and (step > 1 or words[start - 1].endswith(","))
        if not is_next or not _is_listed_day(words[start - step]):
            break
        start -= step
    for _ in range(_MOST_LISTED):
        step = 1 + ((*words[last + 1 : last + 2], "")[0].lower() in joins)
        is_next = last + step < len(words) and (step > 1 or words[last].endswith(","))
        if not is_next or not _is_listed_day(words[last + step]):
            break
        last += step
    is_joined = last > 1 and words[last - 1] in joins
    return (start, last) if is_joined and start < last else (index, index)


def _read_unnamed_number(words: Sequence[str], index: int, language: str) -> str | None:
    """Return a number in English beside a word that is a month elsewhere as a number: before the
    verb of ``Pages 3 and 4 May include``, or counting people after the month of ``In May 3 and 4
    people came``; None: it is none."""
    if base_language(language) != "en":
        return None
    match = _PLAIN.fullmatch(words[index].lstrip(OPENERS))
    if match is None:
        return None
    start, last = _find_list(words, index, language)
    before = [*map(str.lower, ("", "", *words[max(0, start - 2) : start]))][-2:]
    after = (*words[last + 1 : last + 3], "", "")
    if words[last].endswith(","):
        return None
    name = before[1].lstrip(OPENERS)
    if before[1] == "to" and start > _WITH_FIRST and words[start - 2].isdecimal():  # Pages 3 to 5
        name = words[start - _WITH_FIRST - 1].lower().lstrip(OPENERS)
    is_named = after[0] in _VERBS and (
        names_number(name, language)
        or names_number(name.removesuffix("s"), language)
        or after[1] in _AFTER_MODAL
    )
    is_counting = (
        before[0].lstrip(OPENERS) == "in"
        and is_month(words[start - 1], language)
        and after[0][:1].islower()
        and sequences.may_be_counted(after[0].rstrip(STOPS), "en")
    )
    if not is_named and not is_counting:
        return None
    said = [spell_number(part, language) for part in match.groups()[:2] if part]
    return f" {read_words(language, Numbers).to} ".join(said) + match["comma"]


def _is_listed_day(word: str) -> bool:
    return _LISTED_DAY.fullmatch(word) is not None


def is_month(word: str, language: str) -> bool:
    """Return whether ``word`` is a month; English ones have a capital."""
    is_written = base_language(language) != "en" or word[:1].isupper()
    return is_written and months.is_month(word.rstrip(f"{STOPS}{CLOSERS}"), language)


def _join(figure: str, forms: Sequence[str], language: str) -> str:
    """Return one number, or two, as ordinals with the ending of ``forms``, and the noun for one or
    for several."""
    ending, one, several = forms
    numbers = re.split(f"{SPACE}?[-–]{SPACE}?", figure)
    said = [joined.read_joined(f"{number}-{ending}", language) or number for number in numbers]
    return " ".join([*said, one if len(said) == 1 else several])


def _find_case(before: str, language: str) -> str:
    governs = read_words(language, Numbers).governs
    return "genitive" if before in governs.get("genitive", "").split() else "date"


def _read_days(words: Sequence[str], index: int, language: str) -> str | None:
    """Return from which day to which after a month: ``May third to fifth``, ``május harmadikától
    ötödikéig``, or with "and" before ``között``."""
    match = _DAYS.fullmatch(words[index])
    if (
        match is None
        or not index
        or not months.is_month(words[index - 1].lstrip(OPENERS), language)
    ):
        return None
    if not 1 <= int(match[1]) < int(match[2]) <= _MOST_DAYS:
        return None
    if base_language(language) == "en":
        if not words[index - 1].lstrip(OPENERS)[:1].isupper():  # we may 3–5
            return None
        first, last = (spell_ordinal(int(number), language) for number in match.groups()[:2])
        return f"{first} {read_words(language, Numbers).to} {last}{match[3]}"
    first, last = (dates.spell_hungarian_day(number) for number in match.groups()[:2])
    after = (*words[index + 1 : index + 2], "")[0]
    if after.startswith("között"):
        return f"{first} és {last}{match[3]}"
    stems = [day[:-1] + {"a": "á", "e": "é"}[day[-1]] for day in (first, last)]
    return f"{stems[0]}t{'ó' if first[-1] == 'a' else 'ő'}l {stems[1]}ig{match[3]}"
