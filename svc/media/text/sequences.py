"""Reading what has digits but is no quantity: telephone numbers, decades, fractions,
scores, status codes.
"""

import re
from itertools import takewhile

from num2words import num2words

from svc.media.languages import (
    Addresses,
    Articles,
    Everywhere,
    Lines,
    Numbers,
    merge_words,
    read_words,
)
from svc.media.text import cases
from svc.media.text.figures import counted
from svc.media.text.grammar import small_words
from svc.media.text.numerals import (
    PAUSES,
    SPACE,
    STOPS,
    base_language,
    spell_cardinal,
    spell_ordinal,
)

_FRENCH_GROUP = 2  # digits that are said as a number
_FRENCH_PHONE = 10  # digits, which are said in such groups
_LONGEST_GROUP = 4  # digits that are said without a pause
_WHOLE_GROUP = 5  # which is written so where it is said so: 91234-5678
_SHORTEST_PHONE, _SHORTEST_NAMED = 7, 6  # digits; the latter after a word for a telephone
_SHORTEST_WITH_ZERO = 4  # digits of a telephone number that begins as no other number does
_PHONE_SIZES = frozenset(((2, 3, 2, 2), (3, 2, 2, 2), (3, 3, 2, 2), (3, 3, 4)))  # of groups
_LONG_GROUPS = (2, 4, 4)  # which are years in a row as well: 55 4821 7730
_A_YEAR = re.compile(r"(?:1[89]|20)\d\d")
# An area and a number after a slash with spaces: 03671 / 555 0.
_AREA_AND_GROUP = re.compile(r"0\d{1,3}-\d{2,3}")
_SHORT_GROUP = re.compile(r"\d\d[.,;:!?)]*")
_AREA, _MOST_GROUPS = re.compile(r"\(?0\d{1,5}\)?"), 4
_MOST_IN_PHONE, _MOST_WITH_AREA = 12, 11  # digits without a country's code, and with an area's
_TRUNKS = ("0", "1", "8")  # which stand before an area in brackets
_LEAST_WITH_AREA, _GROUP_OF_THOUSANDS = 8, 3
_DATE_SIZES = (2, 2, 4)  # of a date's groups: 07 08 2026
_PAIRS = (2, 2, 2, 2, 2)  # which are a telephone number in French alone
# The telephone numbers of mobiles in India, the free ones in France, those of firms in Australia
# and in Turkey, and those with their first zero apart.
_KNOWN_PHONE = re.compile(
    rf"[6-9]\d{{4}}{SPACE}\d{{5}}|0{SPACE}80\d(?:{SPACE}\d{{2,3}}){{2,3}}|"
    rf"1[38]00{SPACE}\d{{3}}{SPACE}\d{{3}}|444{SPACE}\d{SPACE}\d{{3}}|"
    rf"0{SPACE}[2-9]\d{{2}}{SPACE}\d{{3}}{SPACE}(?:\d{{2}}{SPACE}\d{{2}}|\d{SPACE}\d{{3}}|\d{{4}})"
)
# An area in brackets, perhaps with a country or a zero before it, and the groups after it; the
# digit of mobiles in Brazil is one by itself.
_BRACKETED_AREA = re.compile(
    rf"(?:(?:\+?\d{{1,3}}{SPACE}?)?\()?(?:0\d{{1,4}}|\d{{2,3}})\)(?:\d{{2,5}}(?:-\d{{2,5}})?)?"
)
_AREA_BEFORE_HYPHEN = re.compile(rf"[1-9]\d{SPACE}\d{{4,5}}-\d{{4}}")  # 11 4555-0142
_AFTER_AREA = re.compile(r"9|\d{2,8}(?:[-.]\d{2,5})*")
_GROUPS = re.compile(rf"\+?\(?\d{{1,14}}\)?(?:[{SPACE}/.–-]{{1,3}}\(?\d{{1,10}}\)?)*")
# Digits after a word for a call: in one, or as mobiles have them in Spain, Portugal and Poland.
_CALLED = re.compile(rf"\d{{9,11}}|\d{{3}}(?:{SPACE}\d{{3}}){{2}}")
_PLUS_PHONE = re.compile(rf"\+\d[\d(){SPACE}./-]*")
# Telephone numbers: (555) 123-4567, 555-123-4567, 555.123.4567, (030) 123 456, 0800 123 456,
# 555-0199.
_PHONE = re.compile(
    rf"(?:\d[{SPACE}.-])?\(?\d{{3}}\)?[{SPACE}.-]?\d{{3}}[{SPACE}.-]\d{{4}}|"
    rf"\(?0\d+\)[\d{SPACE}/-]+|0\d{{1,4}}[{SPACE}/–-]{{1,3}}\d[\d{SPACE}/-]+|"
    rf"\d{{3}}-\d{{2}}(?!00)\d{{2}}|\(?\d\d(?:\){SPACE}?|{SPACE})\d{{4,5}}-\d{{4}}"
)
_NUMBERED = re.compile(r"\d+(?:-\d+){2,}(?:-[\dX])?")  # an ISBN, an account number
_FRACTION = re.compile(rf"(?:(\d{{1,4}})[{SPACE}-])?(\d{{1,3}})[/⁄](\d{{1,3}})")
_COMPOUND = re.compile(r"(\d{1,3}/\d{1,3})-([^\W\d_].*)")
_SIGNS = {
    "½": "1/2",
    "⅓": "1/3",
    "⅔": "2/3",
    "¼": "1/4",
    "¾": "3/4",
    "⅛": "1/8",
    "⅜": "3/8",
    "⅝": "5/8",
    "⅞": "7/8",
}
_HALF_AND_HALF = 50  # which is shared 50/50
_MOST_DAYS = 31  # of a month: 12/40 is no date
_SYSTOLIC, _DIASTOLIC = range(80, 230), range(45, 130)  # mmHg
_FISCAL = re.compile(r"FY['’]?((?:20)?\d\d)")
_CODE_WORDS = frozenset(("error", "errors", "http", "status", "code"))
_CODE = re.compile(r"[1-5]\d\d|9(?:11|99|88)")
_EMERGENCY = frozenset((
    "911", "999", "988", "112", "110", "111", "000", "113", "114", "115", "118", "119", "190",
    "192", "193", "091", "061", "062", "997", "998", "108", "101", "102", "104", "155", "158",
))  # fmt: skip
_AFTER_A_CALL = frozenset(
    (
        "was",
        "is",
        "if",
        "immediately",
        "now",
        "operator",
        "operators",
        "dispatcher",
        "dispatchers",
        "call",
    )
)


def read_phone(text: str, language: str, before: str, after: str) -> str | None:
    """Return a telephone number, or other groups of digits joined by hyphens, digit by digit,
    with a pause after a group.
    """
    groups = re.findall(r"\d+", text)
    plus = _PLUS_PHONE.fullmatch(text)
    digits = sum(map(len, groups))
    known = _has_phone_groups(text, language) or (
        (plus or _PHONE.fullmatch(text)) and digits >= _SHORTEST_PHONE
    )
    named = (
        (is_phone_word(before) or _is_english_call(before))
        and _GROUPS.fullmatch(text)
        and digits >= (_SHORTEST_WITH_ZERO if text[:1] == "0" else _SHORTEST_NAMED)
    )
    is_called = (
        _CALLED.fullmatch(text)
        and before.lower().rstrip(":") in read_words(language, Addresses).calling
    )
    if not (known or named or is_called or _is_numbered(text)):
        return None
    if base_language(language) == "fr" and len(groups) == 1 and len(groups[0]) == _FRENCH_PHONE:
        groups = re.findall(r"\d\d", groups[0])
    said = ", ".join(_group(part, language) for group in groups for part in _split_group(group))
    return f"{read_words(language, Numbers).plus or '+'} {said}" if plus else said


def _group(digits: str, language: str) -> str:
    """Return the digits of a group one by one, or in French,
    two of them as a number: ``zéro un, vingt-trois``.
    """
    if base_language(language) == "fr" and len(digits) == _FRENCH_GROUP and digits[0] != "0":
        return spell_cardinal(int(digits), language)
    return " ".join(spell_cardinal(int(digit), language) for digit in digits)


def _split_group(group: str) -> list[str]:
    """Return a long group of digits in parts of three or four, as people say them."""
    if len(group) <= _LONGEST_GROUP or len(group) == _WHOLE_GROUP:
        return [group]
    if len(group) == 2 * _LONGEST_GROUP:
        return [group[:_LONGEST_GROUP], group[_LONGEST_GROUP:]]
    parts = re.findall(r"\d{3}(?!\d$)|\d+$", group)
    return [part for part in parts if part]


def count_phone_groups(pieces: list[str], language: str) -> int:
    """Return how many of ``pieces`` are the groups of a telephone number: ``91 555 01 99``,
    ``(01 42 68 53 00)``; 0: they are none.
    """
    if pieces[1:2] == ["/"] and _AREA.fullmatch(pieces[0]):
        groups = 0
        for piece in pieces[2 : 2 + _MOST_GROUPS]:
            is_last = re.fullmatch(r"\d+(?:-\d+)?[,.;:!?)]+", piece) is not None
            groups += bool(re.fullmatch(r"\d+(?:-\d+)?", piece)) or is_last
            if is_last or not piece[-1:].isdecimal():
                break
        digits = sum(map(str.isdecimal, "".join([pieces[0], *pieces[2 : 2 + groups]])))
        return 2 + groups if groups and digits >= _SHORTEST_PHONE else 0
    if pieces[0] in _TRUNKS and pieces[1:2] and _BRACKETED_AREA.fullmatch(pieces[1]):  # 0 (312) 555
        count = _count_after_area([SPACE.join(pieces[:2]), *pieces[2:]])
        return count and count + 1
    if pieces[0].count("(") and _BRACKETED_AREA.fullmatch(pieces[0]):  # (03) 9555 0142
        return _count_after_area(pieces)
    if _AREA_BEFORE_HYPHEN.fullmatch(SPACE.join(pieces[:2]).rstrip(f"{STOPS})")):
        return 0 if all(map(_A_YEAR.match, pieces[1].split("-"))) else 2
    pieces = [pieces[0].removeprefix("("), *pieces[1:]]
    if _AREA_AND_GROUP.fullmatch(pieces[0]):  # 08-123 45 67
        short = list(takewhile(_SHORT_GROUP.fullmatch, pieces[1:_MOST_GROUPS]))
        digits = sum(map(str.isdecimal, "".join([pieces[0], *short])))
        return 1 + len(short) if short and digits >= _SHORTEST_PHONE else 0
    if not pieces[0].isdecimal():
        return 0
    count = next((at for at, piece in enumerate(pieces) if not piece.isdecimal()), len(pieces))
    if count < len(pieces):
        count += re.fullmatch(r"\d{2,8}[,.;:!?)]+", pieces[count]) is not None
    joined = SPACE.join(pieces[:count]).rstrip(",.;:!?)")
    return count if _has_phone_groups(joined, language) else 0


def _count_after_area(pieces: list[str]) -> int:
    """Return how many of ``pieces``, of which the first is an area in brackets, are a telephone
    number: ``(35) 9 9871-0042``; 0: they are none."""
    groups: list[str] = []
    for piece in pieces[1 : 1 + _MOST_GROUPS]:
        bare = piece.rstrip(f"{STOPS})")
        if not _AFTER_AREA.fullmatch(bare):
            break
        groups.append(bare)
        if bare != piece:
            break
    joined = SPACE.join([pieces[0], *groups])
    return 1 + len(groups) if groups and _is_phone_with_area(joined) else 0


def _is_phone_with_area(text: str) -> bool:
    """Return whether ``text`` is an area in brackets and groups of digits that are no number, as
    the thousands of ``(35) 200 000`` are."""
    head, _, rest = text.partition(SPACE)
    area, *groups = (rest if head in _TRUNKS else text).split(SPACE)
    if not groups or not (
        _BRACKETED_AREA.fullmatch(area) and all(map(_AFTER_AREA.fullmatch, groups))
    ):
        return False
    is_number = not area.startswith(("0", "+", "(0")) and (
        all(len(group) == _GROUP_OF_THOUSANDS for group in groups)
        or all(map(_A_YEAR.fullmatch, groups))
    )
    digits = sum(map(str.isdecimal, text))
    return _LEAST_WITH_AREA <= digits <= _MOST_IN_PHONE and not is_number


def _has_phone_groups(text: str, language: str) -> bool:
    """Return whether ``text`` is groups of digits between spaces that neither a number nor a row
    of numbers has.
    """
    groups = text.split(SPACE)
    sizes = tuple(map(len, groups))
    if _is_phone_with_area(text):
        return True
    if sizes == _LONG_GROUPS and not all(map(_A_YEAR.fullmatch, groups[1:])):
        return all(map(str.isdecimal, groups))
    if _KNOWN_PHONE.fullmatch(text):
        return True
    if not all(re.fullmatch(r"\d{2,8}", group) for group in groups):
        return False
    if sizes == _PAIRS:
        return base_language(language) == "fr" and groups[0].startswith("0")
    if re.fullmatch(r"0[1-9]", groups[0]) and len(groups) > 1:  # of an area
        return 8 <= sum(sizes) <= _MOST_WITH_AREA and sizes != _DATE_SIZES
    if max(sizes) > _LONGEST_GROUP or not 8 <= sum(sizes) <= _MOST_IN_PHONE:
        return False
    has_zero = any(re.fullmatch(r"0\d{1,2}", group) for group in groups[1:])
    return sizes in _PHONE_SIZES or (len(groups) > 2 and has_zero and sizes[1:].count(2) > 1)


def _is_numbered(text: str) -> bool:
    """Return whether ``text`` is digits in groups, and not a date such as
    2026-05-03 or 3-5-2026.
    """
    return bool(_NUMBERED.fullmatch(text)) and not re.fullmatch(
        r"\d{4}-\d\d?-\d\d?|\d\d?-\d\d?-\d{2,4}", text
    )


def is_phone_word(text: str) -> bool:
    """Return whether a telephone number follows ``text``, ``Tel.:``, or a long code that is told as
    one is: ``EAN``."""
    word = text.lower().rstrip(f".:{SPACE}").lstrip("(").replace(SPACE, "")
    known, has_mark = merge_words(Everywhere), text[-1:] in (".", ":")
    return word in known.telephone | known.long_codes or (
        has_mark and word in known.telephone_with_mark
    )


def _is_english_call(word: str) -> bool:
    return word.lower() in read_words("en", Addresses).calling


def is_country_code(text: str) -> bool:
    """Return whether ``text`` begins a telephone number of another country: ``+34``."""
    return re.fullmatch(r"\(?\+\d{1,3}\)?", text) is not None


def continues_phone(first: str, second: str, before: str = "") -> bool:
    """Return whether two pieces around a space are parts of a telephone number: ``(555) 123-4567``,
    ``0800 123 456``.

    ``before``: the word in front of them.
    """
    is_named = is_phone_word(before) and re.fullmatch(
        rf"\+?\(?\d{{1,5}}\)?(?:[{SPACE}/.-]\(?\d{{1,10}}\)?)*", first
    )
    if is_named and re.fullmatch(r"\(?\d{2,10}\)?(?:[/.-]\d{1,10})*", second):
        return True
    if is_named and re.fullmatch(r"0\d{1,2}", first) and re.fullmatch(r"\d", second):
        return True
    if (
        _is_english_call(before)
        and re.fullmatch(r"\d{3}", first)
        and re.fullmatch(r"\d{4}", second)
    ):
        return True
    if re.fullmatch(r"\d{2,3}\)?", first.lstrip("(")) and first != first.lstrip("("):
        return bool(re.fullmatch(r"\d{3,5}[.-]\d{4}", second))
    if re.fullmatch(r"0\d[/-]\d{3,5}", first) and re.fullmatch(r"\d{4}", second):
        return True
    if not re.fullmatch(r"\(?\d[\d/.-]*\)?", second):
        return False
    return bool(
        _PLUS_PHONE.fullmatch(first)
        or re.fullmatch(rf"\(?0\d{{2,4}}\)?(?:[/-]\d+)?(?:{SPACE}\d+)*", first)
    )


def read_decade(text: str, language: str, before: str, after: str) -> str | None:
    """Return a decade in words: ``1990s``, ``'90s``, ``1990er``, ``1990-talet``."""
    base = base_language(language)
    pattern = read_words(language, Numbers).decade
    match = pattern.fullmatch(text) if pattern else None
    if match is None:
        return None
    number = int(match[1])
    words = _read_year(number, base)
    if base == "en":
        words = "two thousand" if number == 2000 else words
        return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"
    return words + match[2] + (match[3] or "" if base == "de" else "")


def _read_year(number: int, base: str) -> str:
    hundreds = read_words(base, Numbers).hundreds
    if hundreds and number < 2000 and number >= 1100:
        rest = spell_cardinal(number % 100, base) if number % 100 else ""
        return f"{spell_cardinal(number // 100, base)}{hundreds}{rest}"
    if number < 100 or base in ("sv", "nb", "fi"):
        return spell_cardinal(number, base)
    return num2words(number, lang=base, to="year")


def read_fraction(text: str, language: str, before: str, after: str) -> str | None:
    """Return a fraction (``1/2``, ``1 1/2``, ``½``), a score (``4/5``),
    or another pair of numbers (``24/7``) in words.
    """
    match = _FRACTION.fullmatch(_write_fractions_with_slash(text))
    # 1-1/2 is one and a half, 1-3/2 is a range
    if match is None or ("-" in text and int(match[2]) >= int(match[3])):
        return None
    base, whole, above, below = base_language(language), match[1], int(match[2]), int(match[3])
    named = read_words(language, Numbers).fractions
    if (above, below) == (1, 2):
        half = (
            _read_half(whole, language, before, after) if whole else name_half_of(after, language)
        )
        if half:
            return half
    if part := named.get(f"{above}/{below}", ""):
        if base == "en" and whole:
            part = re.sub("^one", "a", part)
        joiner = named.get("and", "")
        return f"{spell_cardinal(int(whole), language)} {joiner} {part}" if whole else part
    over = _speak_fraction(above, below, base)
    return f"{spell_cardinal(int(whole), language)} {over}" if whole else over


def _read_half(whole: str, language: str, before: str, noun: str) -> str | None:
    """Return a number and a half in words before the ``noun`` that they count: ``полторы`` before
    ``минуты``; None: the language puts the words of both together."""
    known = read_words(base_language(language), Numbers)
    if not known.halves:
        return None
    noun = noun.rstrip(f"{PAUSES}.…)»”").lower()
    is_feminine = _is_feminine(noun, language)
    form = cases.Form("", "feminine") if is_feminine else cases.PLAIN
    case = cases.find_form("2", before, "", language, is_counted=True).case
    count = cases.count_in_words(whole, form, language) or spell_cardinal(int(whole), language)
    own, others = ((f"{key} feminine" if is_feminine else "", key) for key in (whole, "other"))
    keys = (f"{whole} {case}", *own, *others)
    return next(known.halves[key] for key in keys if key in known.halves).format(count)


def name_half_of(noun: str, language: str) -> str | None:
    """Return what is said for half of one ``noun`` before it, in its gender: ``media`` hora,
    ``ett halvt`` år; None: no noun follows, or the language has one word for it."""
    base, noun = base_language(language), noun.rstrip(f"{PAUSES}.…)»”")
    if base == "de":
        return counted.name_half(noun) if noun[:1].isupper() and noun.isalpha() else None
    forms = read_words(language, Numbers).half_of
    short = merge_words(Everywhere).not_counted | read_words(base, Lines).rarely_end_with
    if not forms or not noun[:1].islower() or not noun.isalpha() or noun in short:
        return None
    return forms[_is_feminine(noun, language)]


def _is_feminine(noun: str, language: str) -> bool:
    """Return whether a half of ``noun`` has the second of the two genders that it may have."""
    base = base_language(language)
    form, articles = read_words(base, Numbers).half_feminine, read_words(base, Articles)
    if form is not None:
        return form.search(noun) is not None
    article = counted.find_article(noun, base) if base != "de" else None
    return article is not None and article == articles.indefinite[1]


def read_compound(text: str, language: str, before: str, after: str) -> str | None:
    """Return a fraction or another pair of numbers with the word that a
    hyphen adds: ``24/7-Support``.
    """
    match = _COMPOUND.fullmatch(text)
    words = read_fraction(match[1], language, before, "") if match else None
    return f"{words} {match[2]}" if match and words else None


def _write_fractions_with_slash(text: str) -> str:
    """Return ``text`` with ½ as 1/2, and 1½ as 1 1/2."""
    if _SIGNS.keys().isdisjoint(text):
        return text
    for sign, pair in _SIGNS.items():
        text = re.sub(rf"(\d)[{SPACE}-]?{sign}", rf"\1{SPACE}{pair}", text).replace(sign, pair)
    return text


def _speak_fraction(above: int, below: int, base: str) -> str:
    if base == "en" and above < below and below in (6, 8, 16, 32, 64):
        return (
            f"{spell_cardinal(above, 'en')} {spell_ordinal(below, 'en')}{'s' if above > 1 else ''}"
        )
    if above == below == _HALF_AND_HALF:
        return f"{spell_cardinal(above, base)} {spell_cardinal(below, base)}"
    counts = 0 <= above <= below and (below in (5, 10, 20, 100) or below > _MOST_DAYS)
    if base == "en" and counts:
        return f"{spell_cardinal(above, 'en')} out of {spell_cardinal(below, 'en')}"
    if base == "de" and 0 < above < below <= 19 and below > 4:
        stem = {7: "sieb", 8: "ach"}.get(below, spell_cardinal(below, "de"))
        return f"{'ein' if above == 1 else spell_cardinal(above, 'de')} {stem.capitalize()}tel"
    numbers = read_words(base, Numbers)
    joiner = numbers.out_of if counts else numbers.over if _is_pressure(above, below) else ""
    return f"{spell_cardinal(above, base)} {joiner} {spell_cardinal(below, base)}"


def _is_called(before: str, after: str, base: str) -> bool:
    """Return whether an emergency number is one beside these words:
    ``call 911``, ``911 was called``, ``die 112``.
    """
    if base == "en" and (before.rstrip(":") in ("", "emergency")) and after in _AFTER_A_CALL:
        return True
    said, is_counted = before.rstrip(f":{SPACE}"), may_be_counted(after, base)
    if said in read_words(base, Addresses).emergency:
        return not is_counted
    if said not in read_words(base, Addresses).calling:
        return False
    return not (is_counted and (base == "de" or said in ("to", "al", "il")))


def may_be_counted(word: str, base: str) -> bool:
    """Return whether ``word`` may be the noun of a number before it: ``Police: 101 arrests``, not
    ``Police: 101 for all``."""
    if base == "de":
        return word[:1].isupper()
    small = small_words.list_opening_words() | small_words.list_leaning_words()
    small |= small_words.list_words_of_periods() | read_words(base, Lines).rarely_end_with
    return word[:1].isalpha() and word.lower() not in small


def _is_pressure(above: int, below: int) -> bool:
    """Return whether two numbers may be the pressures of the blood: 120/80."""
    return below < above and above in _SYSTOLIC and below in _DIASTOLIC


def read_fiscal_year(text: str, language: str, before: str, after: str) -> str | None:
    """Return a fiscal year in English words: ``FY26``; None: ``text`` is none."""
    match = _FISCAL.fullmatch(text) if base_language(language) == "en" else None
    if match is None:
        return None
    return f"fiscal year {_read_year(int(match[1]) % 2000 + 2000, 'en')}"


def read_code(text: str, language: str, before: str, after: str) -> str | None:
    """Return a status code as it is said in English: ``404`` as "four oh four"; only next to
    "error", "status", "HTTP".

    After "call" and "dial", also in other languages in which it is usual, an emergency number is
    read digit by digit.
    """
    base = base_language(language)
    if text in _EMERGENCY and _is_called(before.lower(), after, base):
        return " ".join(spell_cardinal(int(digit), language) for digit in text)
    if base != "en" or not _CODE.fullmatch(text):
        return None
    words = {word.strip(",.;:!?()\"'“”").lower() for word in (before, after)}
    if not words & _CODE_WORDS or text in ("911", "999", "988"):
        return None
    first, rest = spell_cardinal(int(text[0]), "en"), int(text[1:])
    return (
        f"{first} hundred"
        if rest == 0
        else f"{first} {'oh ' if rest < 10 else ''}{spell_cardinal(rest, 'en')}"
    )
