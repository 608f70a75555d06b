"""Times of day in words."""

import re
from collections.abc import Sequence

from babel.numbers import get_decimal_symbol

from svc.media.languages import Numbers, Times, read_words
from svc.media.text import cases
from svc.media.text.figures import centuries
from svc.media.text.numerals import (
    PAUSES,
    SPACE,
    STOPS,
    agree,
    base_language,
    find_locale,
    spell_cardinal,
)

_TIME = r"([01]?\d|2[0-3]|24(?![:.h](?!00)))"  # 24 is the end of a day, and has no minutes
_DOTTED_TIME = re.compile(rf"{_TIME}\.([0-5][05])")
_UNDIVIDED_TIME = re.compile(
    rf"(?P<hour>[01]\d|2[0-3])(?P<minutes>[0-5]\d)(?P<word>{SPACE}?[^\W\d_]+\.?|)"
)
_ENGLISH_HOURS = frozenset(("h", "hrs", "hours"))
_MEASURED = re.compile(
    r"euro|dollar|cent|met|mèt|mét|prozent|percent|procent|kilo|gram|lit|kr|zł|kč|[€$%]|"
    r"[kcm]?[mgl]\b|million|mio|lei|ευρώ|μέτρ|мет|кило|кг|грам|лит|руб|грн|гривн|лв|лева|тон|проц|відс|"
    r"раз|млн|мил|мільй|тыс|тис|хил|евро|євро|дол|верс|пункт|бал"
)
_HOURS, _HOURS_OF_DAY = 12, 24
_ONE_HOUR = "hora"  # in Spanish, Portuguese and Catalan, whose hours have a gender
# The words for "of" before a part of the day, in languages whose hours have a gender.
_OF_A_PART = frozenset(("de", "da", "do", "del", "dels"))
# Found in no English text, as English has words of its own for this.
_HOUR_OF_HALF = re.compile(rf"(\d\d?)(?:[:.]([0-5]\d))?{SPACE}?(?i:([ap])(?:m|\.{SPACE}?m\.?))")
_WORDS_OF_AN_HOUR = 4  # 9 de la mañana


def is_time_word(text: str, language: str) -> bool:
    """Return whether ``text`` may follow a time of day and is spoken with it."""
    return text in read_words(language, Times).hour_words


def follows_minutes(text: str, language: str) -> bool:
    """Return whether ``text`` may follow hours and minutes: ``18:00 h`` in Spanish."""
    return text in read_words(language, Times).after_minutes


def is_measure(text: str) -> bool:
    """Return whether ``text`` begins with what is measured or paid, ``kg``, ``Euro``: the figure
    before it is no time of day."""
    return _MEASURED.match(text.lower()) is not None


def may_be_dotted_time(text: str) -> bool:
    """Return whether ``text`` may be hours and minutes with a dot: ``10.05``."""
    return _DOTTED_TIME.fullmatch(text) is not None


def may_be_undivided_time(text: str) -> bool:
    """Return whether ``text`` may be hours and minutes without a sign between: ``0730``."""
    return _UNDIVIDED_TIME.fullmatch(text) is not None and text.isdecimal()


def read_undivided_time(text: str, language: str, before: str, after: str) -> str | None:
    """Return a time of day without a sign between hour and minutes, ``0730``, ``0730 Uhr``, after a
    word for a time or before one; None: it may be something else."""
    match = _UNDIVIDED_TIME.fullmatch(text)
    if match is None:
        return None
    times = read_words(language, Times)
    words = {*times.hour_words, *times.after_minutes, *_ENGLISH_HOURS}
    named = (match["word"].strip(SPACE) or after.rstrip(STOPS)) in words
    is_padded = match["hour"].startswith("0")
    of_time = times.at | times.before | times.until | times.pairs.keys()
    if not named and not (is_padded and before.lower() in of_time):
        return None
    return spell_undivided_time(text, language, before, after)


def spell_undivided_time(text: str, language: str, before: str, after: str) -> str | None:
    """Return ``0730`` or ``0730 Uhr`` as a time of day; None: it is none."""
    match = _UNDIVIDED_TIME.fullmatch(text)
    if match is None:
        return None
    is_padded = match["hour"].startswith("0")
    hour, minutes = int(match["hour"]), int(match["minutes"])
    if base_language(language) != "en":
        return read_time(f"{hour}:{match['minutes']}{match['word']}", language, before, after)
    said = spell_cardinal(hour, "en") if hour else ""
    rest = (
        f"{'oh ' if minutes < 10 else ''}{spell_cardinal(minutes, 'en')}" if minutes else "hundred"
    )
    hours = " hours" if match["word"] else ""
    return f"{'zero ' if is_padded else ''}{said or 'zero'} {rest}{hours}"


def read_time(text: str, language: str, before: str, after: str) -> str | None:
    """Return a time of day in words: ``14:30``, ``14:30 Uhr``, ``14h30``, ``2:30 pm``."""
    name = base_language(language)
    times = read_words(language, Times)
    words, late = (
        "|".join(map(re.escape, forms)) or "(?!)"
        for forms in (times.hour_words, times.after_minutes)
    )
    words = f"{SPACE}?(?:{words})"
    if half := _HOUR_OF_HALF.fullmatch(text) if name != "en" else None:
        return _time_of_half(half, language)
    # الساعة 4, and 4 عصرًا where hours are no cardinals
    is_hour = before.lower() in times.before_hours or (
        bool(times.hours) and after.rstrip(STOPS) in times.day_parts
    )
    if text.isdecimal() and is_hour:
        text += ":00"
    text = re.sub(rf"^(\d\d?)\.(?=[0-5]\d{SPACE}?(?:{late})$)", r"\1:", text)  # 18.30 h
    match = re.fullmatch(
        (
            rf"{_TIME}:([0-5]\d)({words}|{SPACE}?(?:{late}))?|{_TIME}(?:\.([0-5]\d))?({words})|"
            rf"{_TIME}h([0-5]\d)"
        ),
        text,
    )
    if match is None:
        word = before.lower()
        is_named = _is_led_by(word, times) or after.rstrip(STOPS).lower() in times.nouns
        if is_named or times.pairs.get(word) == after.lower() != "":
            return read_dotted_time(text, language, after, before=before)
        if re.split("[-–—]", after)[0].rstrip(STOPS).lower() in times.day_parts:
            return read_dotted_time(text, language, after)
        if word in times.until or after.rstrip(PAUSES).lower() in times.after:
            return read_dotted_time(text, language, after, quarters=True, before=before)
    if not match or (match[7] and not times.hours_with_h):
        return None
    hour, minutes = (
        int(match[1] or match[4] or match[7]),
        int(match[2] or match[5] or match[8] or 0),
    )
    if name == "en":
        return _read_english_time(hour, minutes, (match[3] or match[6] or "").strip(SPACE) or after)
    if times.hour_ending:
        return _time_by_ordinal(hour, minutes, before, language)
    one = (
        times.hours[hour % len(times.hours)]
        if times.hours
        else times.one_oclock
        if hour == 1
        else ""
    )
    is_named = after.replace(SPACE, "").rstrip(STOPS).lower() in times.day_parts
    # 9:00 a. m., but 8 Uhr morgens
    full_hour = "{0}" if is_named and not match[6] else times.full_hour
    phrase = times.quarters.get(str(minutes), times.with_minutes) if minutes else full_hour
    said = [
        cases.count_in_words(digits, cases.find_form(digits, before, "", language), language)
        or spell_cardinal(number, language)
        for number in (hour, minutes)
        for digits in [str(number)]
    ]
    said[0] = agree(said[0], times.hour_noun, language)
    return phrase.format(one or said[0], said[1]).replace("une heures", "une heure")


def _time_of_half(match: re.Match[str], language: str) -> str | None:
    """Return an hour with the letters of its half of the day, ``9am``, ``6:30 p. m.``"""
    hour, minutes, half = int(match[1]), int(match[2] or 0), match[3].lower()
    if not 1 <= hour <= _HOURS:
        return None
    times = read_words(language, Times)
    said = times.one_oclock if hour == 1 and times.one_oclock else spell_cardinal(hour, language)
    said = agree(said, times.hour_noun, language)
    if minutes:
        said = times.with_minutes.format(said, spell_cardinal(minutes, language))
    return f"{said} {half} m"


def is_hours_of_halves(text: str, language: str) -> bool:
    """Return whether ``text`` is from one hour to another, each with the letters of its half of the
    day: ``9 a. m.–6 p. m.``"""
    if base_language(language) == "en":
        return False
    return all(map(_HOUR_OF_HALF.fullmatch, re.split(f"{SPACE}?[-–—]{SPACE}?", text)))


def _is_led_by(word: str, times: Times) -> bool:
    """Return whether a time stands after ``word``, or after the part of the day where the word for
    an hour may be left out: ``सुबह 9.15 से``."""
    return word in times.before or bool(times.before_second and word in times.day_parts)


def find_word_for_dash(words: Sequence[str], index: int, language: str) -> str:
    """Return the word for the dash at ``index`` between two hours, or days, that both have the word
    for their part of the day beside them: ``9 pagi – 6 petang``; empty: it is something else."""
    parts, to = read_words(language, Times).day_parts, read_words(language, Numbers).to
    if not parts or words[index] not in ("–", "—", "-"):
        return ""
    first = words[max(0, index - _WORDS_OF_AN_HOUR) : index]
    last = words[index + 1 : index + 1 + _WORDS_OF_AN_HOUR]
    is_pair = all(
        any(part[:1].isdecimal() for part in side)
        and any(
            piece.lower().rstrip(STOPS) in parts
            for part in side
            for piece in (
                *part.split(SPACE),
                part.replace(SPACE, ""),
                part.partition(SPACE)[2].replace(SPACE, ""),
            )
        )
        for side in (first, last)
    )
    # 10 a.m. – 6 p.m., but a sentence may end before a dash
    is_ended = first[-1:] != [] and first[-1][-1] in STOPS and "." not in first[-1][:-1]
    return to if is_pair and not is_ended else ""


def find_noun_of_hour(words: Sequence[str], index: int, language: str) -> str:
    """Return a noun of the gender of an hour, ``de 1 a 3 de la tarde``; empty: it is none, or has
    none."""
    if not _is_hour_of_day(words, index, language):
        return ""
    is_one = words[index].endswith("1") and not words[index][:-1].isdecimal()
    return _ONE_HOUR if is_one else read_words(language, Times).hour_noun


def _is_hour_of_day(words: Sequence[str], index: int, language: str) -> bool:
    """Return whether a whole number, or one after an elided article, is an hour, by the part of the
    day after it or after the second of two, or by the other of two."""
    times, numbers = read_words(language, Times), read_words(language, Numbers)
    *article, number = re.split("['’]", words[index])
    if not (times.hour_noun and number.isdecimal() and int(number) <= _HOURS):
        return False
    earlier = [*map(str.lower, ("", "", "", *words[:index]))][-3:]
    following = [*words[index + 1 :][: _WORDS_OF_AN_HOUR + 2], "", "", ""]
    is_from_hour = earlier[0] in numbers.counts_after or not following[0]
    if article and earlier[-1] == numbers.to and is_from_hour:  # de les 9 a l'1, a l'1
        return True
    is_first = following[1].rstrip(STOPS).isdecimal()
    if is_first and times.pairs.get(earlier[-1]) == following[0]:  # da 1 às 3
        return not is_measure(following[2])
    if is_first and following[0] in numbers.joins | {numbers.to}:
        following = following[2:]
    if following[0].replace(SPACE, "").rstrip(STOPS).lower() in times.day_parts:  # 1 p. m.
        return True
    return following[0] in _OF_A_PART and any(
        word.rstrip(f"{STOPS})").lower() in times.day_parts for word in following[1:3]
    )


def read_dotted_time(
    text: str, language: str, after: str, quarters: bool = False, before: str = ""
) -> str | None:
    """Return a time of day with a dot in words, ``14.30``, where decimals have a comma; None: it
    may be something else.

    ``quarters``: whether only those of an hour are taken for it.
    """
    match = _DOTTED_TIME.fullmatch(text)
    if match is None or is_measure(after):
        return None
    times, part = read_words(language, Times), re.split("[-–—]", after)[0].rstrip(STOPS).lower()
    # pukul 8.15, 9.00 pagi
    is_named = _is_led_by(before.lower(), times) or part in times.day_parts | times.nouns
    if not is_named and get_decimal_symbol(find_locale(language)) != ",":
        return None
    if quarters and match[2] not in ("00", "15", "30", "45"):
        return None
    return read_time(f"{match[1]}:{match[2]}", language, before, "")


def _time_by_ordinal(hour: int, minutes: int, before: str, language: str) -> str:
    """Return a time of day whose hour is a feminine ordinal, in the case that the word before
    takes: ``o czternastej trzydzieści``."""
    times, name = read_words(language, Times), base_language(language)
    inflect, midnight = (
        (centuries.polish, "zerow")
        if name == "pl"
        else (centuries.spell_ukrainian_ordinal, "нульов")
    )
    ending = next(
        (ending for ending, words in times.inflecting.items() if before.lower() in words), ""
    )
    if hour == 0:
        said = midnight + ending if ending else spell_cardinal(0, language)
    else:
        said = inflect(hour, ending or times.hour_ending)
    if minutes == 0:
        return said
    zero = f"{spell_cardinal(0, language)} " if minutes < 10 else ""
    return f"{said} {zero}{spell_cardinal(minutes, language)}"


def _read_english_time(hour: int, minutes: int, half: str) -> str:
    letters = half.lower().replace(".", "")
    suffix = " " + " ".join(letters) if letters in ("am", "pm") else ""
    if minutes:
        return (
            f"{spell_cardinal(hour, 'en')} "
            f"{'oh ' if minutes < 10 else ''}{spell_cardinal(minutes, 'en')}{suffix}"
        )
    if suffix:
        return spell_cardinal(hour, "en") + suffix
    if hour in range(1, 13):
        return f"{spell_cardinal(hour, 'en')} o'clock"
    return f"{spell_cardinal(hour, 'en')} hundred" if hour % _HOURS_OF_DAY else "midnight"
