"""Dates, times of day and ordinals in words."""

import re
from datetime import date
from functools import cache
from typing import Literal

from babel.dates import format_date, get_month_names
from babel.numbers import get_decimal_symbol

from svc.media.text import abbreviations, vocabulary
from svc.media.text.figures import labels
from svc.media.text.numerals import SPACE, base_language, cardinal, locale, number_in_words, ordinal

_DAY_SLASH_MONTH = re.compile(r"(\d\d?)/(\d\d?)")
_BEFORE_A_DATE = {  # words before it
    "fr": ("du", "au", "le"),
    "es": ("el", "del", "al"),
    "it": ("il", "dal", "al"),
    "pt": ("dia",),
    "sv": ("den", "senast"),
    "da": ("den", "senest"),
    "nb": ("den", "senest"),
}
_VERSIONED = frozenset(("version", "release", "build", "ubuntu"))
_DAY_FORMS = {"es": "d 'de' MMMM", "pt": "d 'de' MMMM", "en": "MMMM d"}
_PADDED = re.compile(r"(?:0?[1-9]|[12]\d|3[01])/0[1-9]")
_PARTS = frozenset(("1/2", "1/3", "2/3", "1/4", "3/4"))
_ISO_DATE = re.compile(r"(\d{4})([-/])(\d\d)\2(\d\d)")
_DAY_AND_MONTH = re.compile(r"(\d\d?)\.(\d\d?)\.")  # 24.11. in German
_DATE = re.compile(rf"(\d\d?)([./-]|\.{SPACE})(\d\d?)\2(\d{{4}})\.?|(\d\d)\.(\d\d)\.(\d\d)")
_OF_THE_YEAR = re.compile(r"\W[гр]\.$")  # ends CLDR's long form in Russian and Ukrainian
_HOUR_WORDS = {
    language: f"{SPACE}?(?:{'|'.join(map(re.escape, forms))})"
    for language, forms in vocabulary.HOUR_WORDS.items()
}
_TIME = r"([01]?\d|2[0-3])"
_DOTTED_TIME = re.compile(rf"{_TIME}\.([0-5][05])")
_MEASURED = re.compile(
    r"euro|dollar|cent|met|mèt|mét|prozent|percent|procent|kilo|gram|lit|kr|zł|kč|[€$%]|"
    r"[kcm]?[mgl]\b|million|mio"
)
_ORDINAL = {
    "en": re.compile(r"(\d+)(?:st|nd|rd|th)"),
    "fr": re.compile(r"(\d+)(?:er|re|e|ème|nd|nde)"),
    "es": re.compile(r"(1(?=°)|\d+(?!°))\.?(?:[ºª°]|er)"),
    "it": re.compile(r"(1(?=°)|\d+(?!°))[ºª°]"),
    "pt": re.compile(r"(1(?=°)|\d+(?!°))\.?[ºª°]"),
    "nl": re.compile(r"(\d+)(?:e|ste|de)"),
    "sv": re.compile(r"(\d+):[ae]"),
    "ru": re.compile(r"(\d+)-(й|я|е|го|му|м|х|ю)"),
}
_RUSSIAN_ENDINGS = {  # case and gender
    "й": ("n", "m"),
    "я": ("n", "f"),
    "е": ("n", "n"),
    "го": ("g", "m"),
    "му": ("d", "m"),
    "м": ("p", "m"),
    "ю": ("a", "f"),
}
# after 1°, which is no degree
_COUNTED = frozenset(("de", "lugar", "puesto", "piano", "posto", "andar", "semestre", "premio"))
_YEAR_CASES = {"год": "n", "года": "g", "г.": "g", "году": "p"}
_ARTICLES = (
    "der die das dem den des im am vom zum zur beim ans ins ab seit bis jeder jede jedes jedem "
    "jeden dieser diese dieses ihr ihre ihrem ihren ihrer ihres sein seine seinem seinen seiner "
    "seines unser unsere unserem unseren unserer"
)
_GERMAN_ARTICLES = frozenset(_ARTICLES.split())
_GERMAN_COUNTED = re.compile(
    r"(?:Jahrhundert|Jahrtausend|Jahrestag|Weltkrieg|Auflage|Ausgabe|Kapitel|Etage|Stock|"
    r"Obergeschoss|Klasse|Quartal|Halbjahr|OG|UG|Semester|Geburtstag|Platz|Rang|Runde|Spieltag|"
    r"Woche|Tag|Minute|Mal|Teil|Schritt|Band|Lebensjahr|Generation|Bundesliga|Liga|Mannschaft)"
)
_DOTTED = re.compile(r"\d{1,3}\.")
_LONGEST_ORDINAL = 3  # digits
_LEAP_YEAR = 2000  # of a date without a year, so that 29 February is one
_BY_DOT = frozenset(("de", "da", "nb", "fi", "hu", "et", "cs", "sk", "sl", "hr", "sr", "lv"))
_YEARS_BY_DOT = frozenset(("hu", "sl", "hr", "sr", "lv", "et"))
_ALSO_BY_DOT = frozenset(("pl", "tr", "mk", "bg", "lt"))  # before a small letter; not read here
# and German; the voices of the others read the dot
_BY_DOT_IN_WORDS = frozenset(("da", "nb", "sl"))


def is_dotted_ordinal(text: str, language: str, before: str, after: str) -> bool:
    """Return whether the dot after a number marks an ordinal, as in ``3.

    Mai``, and so does not end a sentence.
    """
    if base_language(language) == "de" and _DAY_AND_MONTH.fullmatch(text):
        return read_date(text, language, "", "") is not None and not labels.is_sentence_start(
            after, language
        )
    if base_language(language) not in _BY_DOT or not (
        _DOTTED.fullmatch(text) or _is_hungarian_year(text, language, after)
    ):
        return False
    if after[:1].islower() or is_month(after, language):
        return True
    return (
        base_language(language) == "de" and after[:1].isupper() and _counts_in_german(before, after)
    )


def is_counted_by_dot(number: str, language: str) -> bool:
    """Return whether a number with a dot before a small letter is an ordinal, and ends no sentence:
    ``3. edycja``, ``2024. godine``."""
    base, digits = base_language(language), number.removesuffix(".")
    if len(digits) > _LONGEST_ORDINAL:
        return base in _YEARS_BY_DOT
    return base in _BY_DOT or base in _ALSO_BY_DOT


def _is_hungarian_year(text: str, language: str, after: str) -> bool:
    return (
        base_language(language) == "hu"
        and re.fullmatch(r"\d{4}\.", text) is not None
        and is_month(after, language)
    )


def _counts_in_german(before: str, after: str) -> bool:
    """Return whether a German noun is counted by the number with a dot before it: ``im 19.

    Jahrhundert``.
    """
    return before.lower() in _GERMAN_ARTICLES or bool(_GERMAN_COUNTED.match(after))


def is_spaced(first: str, following: list[str], language: str) -> bool:
    """Return whether three pieces are a date with spaces: ``13. 2. 2027``."""
    text = SPACE.join((first, *following)).rstrip(",;:!?)")
    return (
        base_language(language) in _BY_DOT
        and bool(_DATE.fullmatch(text))
        and read_date(text, language, "", "") is not None
    )


def is_time_word(text: str, language: str) -> bool:
    """Return whether ``text`` may follow a time of day and is spoken with it."""
    return text in vocabulary.HOUR_WORDS.get(base_language(language), ())


def follows_minutes(text: str, language: str) -> bool:
    """Return whether ``text`` may follow hours and minutes: ``18:00 h`` in Spanish."""
    return text in vocabulary.AFTER_MINUTES.get(base_language(language), ())


def read_date(text: str, language: str, before: str, after: str) -> str | None:
    """Return a date in words. The day comes first, except with slashes in US English."""
    form = "long"
    if match := _ISO_DATE.fullmatch(text):
        year, month, day = (int(match[group]) for group in (1, 3, 4))
    elif match := _DATE.fullmatch(text):
        day, month, year = (
            int(match[1] or match[5]),
            int(match[3] or match[6]),
            int(match[4] or f"20{match[7]}"),
        )
        if match[7] and (base_language(language) not in _BY_DOT or before.lower() in _VERSIONED):
            return None
        if language == "en" and match[2] == "/":
            day, month = month, day
    elif base_language(language) == "de" and (match := _DAY_AND_MONTH.fullmatch(text)):
        day, month, year, form = int(match[1]), int(match[2]), _LEAP_YEAR, "d. MMMM"
    elif (match := _DAY_SLASH_MONTH.fullmatch(text)) and _is_day(text, language, before):
        day, month, year = int(match[1]), int(match[2]), _LEAP_YEAR
        if base_language(language) == "en":
            day, month = month, day
        form = _DAY_FORMS.get(base_language(language), "d MMMM")
    else:
        return None
    try:
        long_form = format_date(date(year, month, day), form, locale(language))
    except ValueError:
        return None
    pieces = [piece.rstrip(",") for piece in _OF_THE_YEAR.sub("", long_form).split()]
    return " ".join(_date_piece(pieces, index, language, before) for index in range(len(pieces)))


def _is_day(text: str, language: str, before: str) -> bool:
    """Return whether two numbers around a slash are a day and a month: ``04/01``,
    or ``4/1`` after a word for it.
    """
    days = abbreviations.days(base_language(language))
    if text not in _PARTS and before.lower().strip(".,") in {*days, *map(str.lower, days.values())}:
        return True
    words = _BEFORE_A_DATE.get(base_language(language), ())
    return before.lower() in words or (bool(words) and _PADDED.fullmatch(text) is not None)


def _date_piece(pieces: list[str], index: int, language: str, before: str) -> str:
    piece = pieces[index]
    if piece.isdecimal() and int(piece) > 31:
        return number_in_words(piece, language)
    around = (
        pieces[index - 1] if index else before,
        pieces[index + 1] if index + 1 < len(pieces) else "",
    )
    number = piece if piece.isdecimal() else ""
    return read_day(piece, language, *around) or (
        cardinal(int(number), language) if number else piece
    )


def read_year(text: str, language: str, before: str, after: str) -> str | None:
    """Return a year as an ordinal before the Russian word for year."""
    case = _YEAR_CASES.get(after.rstrip(",;:!?")) if base_language(language) == "ru" else None
    return (
        ordinal(int(text), "ru", case=case, gender="m")
        if case and text.isdecimal() and len(text) == 4
        else None
    )


def read_time(text: str, language: str, before: str, after: str) -> str | None:
    """Return a time of day in words: ``14:30``, ``14:30 Uhr``, ``14h30``, ``2:30 pm``."""
    name = base_language(language)
    words = _HOUR_WORDS.get(name, "(?!)")
    late = "|".join(vocabulary.AFTER_MINUTES.get(name, ("(?!)",)))
    text = re.sub(rf"^(\d\d?)\.(?=[0-5]\d{SPACE}?(?:{late})$)", r"\1:", text)  # 18.30 h
    match = re.fullmatch(
        (
            rf"{_TIME}:([0-5]\d)({words}|{SPACE}?(?:{late}))?|{_TIME}(?:\.([0-5]\d))?({words})|"
            rf"{_TIME}h([0-5]\d)"
        ),
        text,
    )
    if match is None and before.lower() in vocabulary.BEFORE_A_TIME.get(name, ()):
        return read_dotted_time(text, language, after)
    if not match or (match[7] and name not in ("fr", "pt", "ca")):
        return None
    hour, minutes = (
        int(match[1] or match[4] or match[7]),
        int(match[2] or match[5] or match[8] or 0),
    )
    if name == "en":
        return _english_time(hour, minutes, (match[3] or match[6] or "").strip(SPACE) or after)
    one = vocabulary.ONE_OCLOCK.get(name) if hour == 1 else None
    with_minutes, full_hour = vocabulary.TIME.get(name, ("{0} {1}", "{0}"))
    phrase = with_minutes if minutes else full_hour
    return phrase.format(one or cardinal(hour, language), cardinal(minutes, language)).replace(
        "une heures", "une heure"
    )


def read_dotted_time(text: str, language: str, after: str, quarters: bool = False) -> str | None:
    """Return a time of day with a dot in words, ``14.30``, where decimals have a comma; None: it
    may be something else.

    ``quarters``: whether only those of an hour are taken for it.
    """
    match = _DOTTED_TIME.fullmatch(text)
    if (
        match is None
        or get_decimal_symbol(locale(language)) != ","
        or _MEASURED.match(after.lower())
    ):
        return None
    if quarters and match[2] not in ("00", "15", "30", "45"):
        return None
    return read_time(f"{match[1]}:{match[2]}", language, "", "")


def _english_time(hour: int, minutes: int, half: str) -> str:
    letters = half.lower().replace(".", "")
    suffix = " " + " ".join(letters) if letters in ("am", "pm") else ""
    if minutes:
        return (
            f"{cardinal(hour, 'en')} "
            f"{'oh ' if minutes < 10 else ''}{cardinal(minutes, 'en')}{suffix}"
        )
    if suffix:
        return cardinal(hour, "en") + suffix
    if hour in range(1, 13):
        return f"{cardinal(hour, 'en')} o'clock"
    return f"{cardinal(hour, 'en')} hundred" if hour else "midnight"


def read_ordinal(text: str, language: str, before: str, after: str) -> str | None:
    """Return an ordinal in words: ``21st``, ``1er``, ``3º``."""
    name = base_language(language)
    match = _ORDINAL[name].fullmatch(text) if name in _ORDINAL else None
    if (
        not match
        or len(match[1]) > 6
        or (text.endswith("°") and not (is_month(after, language) or after in _COUNTED))
    ):
        return None
    if name == "fr" and match[1] == "1":
        return "premier" if text.endswith("er") else "première"
    if name == "ru":
        return _russian_ordinal(int(match[1]), match[2])
    words = ordinal(int(match[1]), language)
    if name == "es" and text.endswith("er"):
        return words.removesuffix("o")
    return re.sub("o$", "a", words) if text.endswith("ª") else words


def _russian_ordinal(number: int, ending: str) -> str:
    """Return ``5-й``, ``5-я``, ``1990-е`` or ``90-х``; decades are in the plural."""
    if ending == "х" or (ending == "е" and number % 10 == 0 and number >= 10):
        return ordinal(number, "ru", case="p" if ending == "х" else "n", plural=True)
    case, gender = _RUSSIAN_ENDINGS[ending]
    return ordinal(number, "ru", case=case, gender=gender)


def read_day(text: str, language: str, before: str, after: str) -> str | None:
    """Return the day of a month as spoken in a date, and in some languages any ordinal
    with a dot.
    """
    name = base_language(language)
    if is_dotted_ordinal(text, language, before, after):
        if name == "de":
            words = ordinal(int(text[:-1]), "de")
            return words if before.lower() in ("der", "die", "das") else words + "n"
        return ordinal(int(text[:-1]), name) if name in _BY_DOT_IN_WORDS else text
    beside_month = is_month(after, language) or _month_before(before, language)
    if not text.isdecimal() or not 1 <= int(text) <= 31 or not beside_month:
        return None
    return _day_of(int(text), name, is_month(after, language))


def _day_of(day: int, name: str, month_follows: bool) -> str | None:
    match name:
        case "en":
            return f"the {ordinal(day, 'en')} of" if month_follows else ordinal(day, "en")
        case "fr" | "it" if day == 1:
            return "premier" if name == "fr" else "primo"
        case "ru":
            return ordinal(day, "ru", case="n", gender="n")
        case "pl":  # the genitive
            return " ".join(
                re.sub("y$", "ego", re.sub("i$", "iego", word))
                for word in ordinal(day, "pl").split()
            )
    return None


def is_month(text: str, language: str) -> bool:
    """Return whether ``text`` is the name of a month, or short for it."""
    name, base = text.rstrip(",;:!?").lower(), base_language(language)
    is_short = name.endswith(".") or (base == "en" and text[:1].isupper())
    return name.rstrip(".") in _months(base) or (
        is_short and name.rstrip(".") in abbreviations.months(base)
    )


def _month_before(text: str, language: str) -> bool:
    """Return whether a month is named just before a day: ``May 3``,
    and not ``May, 3`` in a row of a table.
    """
    return is_month(text, language) and not text.endswith(tuple(",،、;؛；:"))


@cache
def _months(language: str) -> frozenset[str]:
    contexts: tuple[Literal["format", "stand-alone"], ...] = ("format", "stand-alone")
    names = (
        name
        for context in contexts
        for name in get_month_names("wide", context, locale(language)).values()
    )
    return frozenset(name.lower() for name in names)
