"""Numbers that are codes, and no amounts: what a text or a call goes to, PINs, postcodes,
references. What stands beside them is in the files of the languages.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from svc.media.languages import Addresses, Everywhere, Numbers, Times, merge_words, read_words
from svc.media.text import sequences
from svc.media.text.figures import nouns
from svc.media.text.grammar import small_words
from svc.media.text.numerals import (
    CLOSERS,
    OPENERS,
    SPACE,
    STOPS,
    base_language,
    spell_cardinal,
)

_LEAST, _MOST = 3, 9  # digits
_BEFORE, _AFTER = 7, 5  # words between which one says that a number is a code
# Words before one that is a code; whatever seems to be counted by it, if only such as "is" are
# between: "The PIN is 4821 today", but "The code has 2000 lines".
_NEAR = 3
_AROUND = f"{OPENERS}{CLOSERS}{STOPS}"
_MOST_WITHOUT_PAUSE = 6  # digits: longer numbers are told in groups, as telephone numbers are
_EMERGENCY = 3  # digits of emergency numbers, which some languages say as a whole
_YEAR, _YEARS = 4, range(1500, 2100)  # digits; numbers of four that are years rather than codes
_ACCOUNT, _GROUP = re.compile(r"[A-Z]{2}\d\d"), re.compile(r"[A-Z]{4}|[A-Z\d]{4}")
_MOST_GROUPS = 9  # of four characters in an IBAN
# By the number of its characters: the countries (ISO 3166-1) whose IBANs have so many.
_COUNTRIES = {
    15: "NO", 16: "BE", 18: "DK FI FO GL NL FK", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN",
    21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO EG GT HU LB NI PL SV", 29: "BR PS QA UA", 30: "JO KW MU", 31: "MT SC",
    33: "RU",
}  # fmt: skip
_LENGTHS = {country: size for size, listed in _COUNTRIES.items() for country in listed.split()}
_REMAINDER, _MODULUS = 1, 97  # of an IBAN as a number (ISO 13616)
_POSTCODE, _OF_PLACE = re.compile(r"\d{5}"), frozenset(("in", "nach", "aus", "bei"))
_MOST_OTHERS = 3  # numbers with "or" between them before one
_TIME = re.compile(r"(?:[01]\d|2[0-4])[0-5]\d")  # 0730, 1700
_FRENCH_PAIR = 2  # digits of which French says two as a number: le 39 19


def is_code(words: Sequence[str], at: int, counted: str = "") -> bool:
    """Return whether the number at a place of a sentence is a code: ``Text 60042``, ``PIN 4821``.

    ``counted``: the word after it that it may count.
    """
    digits = words[at].strip(_AROUND)
    if not digits.isdecimal() or not _LEAST <= len(digits) <= _MOST:
        return False
    if _is_named(words, at, counted):
        return True
    said, known = _fold(words), merge_words(Everywhere)
    beside = {*said[max(0, at - _BEFORE) : at], *said[at + 1 : at + 1 + _AFTER]}
    is_counted = _is_counted(counted) and counted.casefold() not in known.code_names | known.codes
    return not is_counted and not known.codes.isdisjoint(beside)


def spell_code(words: Sequence[str], at: int, language: str) -> str | None:
    """Return the digits of a code as they are said, each by itself: ``PIN 4821``, ``Ring 1177``;
    None: the number is none.

    In some languages, an emergency number is said as a whole, as "sto dwanaście" in Polish.
    """
    digits, base = words[at].strip(_AROUND).replace(SPACE, ""), base_language(language)
    groups = list(digits.replace("-", ""))
    if not _is_postcode(words, at, base) and not (
        digits.isdecimal() and _is_said_as_code(words, at, base)
    ):
        return None
    if base == "fr" and len(digits) == _YEAR and "0" not in digits[::_FRENCH_PAIR]:
        groups = [digits[:_FRENCH_PAIR], digits[_FRENCH_PAIR:]]
    return " ".join(spell_cardinal(int(group), language) for group in groups)


def _is_postcode(words: Sequence[str], at: int, base: str) -> bool:
    """Return whether a postcode stands before the name of a place: one of two groups, ``00-950
    Warszawa``, or of five digits after a comma or a preposition, ``in 10115 Berlin``.

    A noun in German, which has a capital as well, is counted unless a place is named so.
    """
    town = (*words[at + 1 : at + 2], "")[0]
    ends = words[at][-1:] in STOPS  # 10-200. Potem
    if ends or not (town[:1].isupper() and town[1:2].islower()):
        return False
    known = read_words(base, Addresses)
    digits, form = words[at].strip(_AROUND), known.postcode
    if town.lower().strip(_AROUND) in known.no_towns:
        return False
    if form is not None and form.fullmatch(digits):
        return True
    before = words[at - 1] if at else ""
    leads = small_words.list_prepositions() | small_words.list_leaning_words()
    is_led = before.endswith(",") or before.lower() in (_OF_PLACE if base == "de" else leads)
    return is_led and _POSTCODE.fullmatch(digits) is not None


def _is_said_as_code(words: Sequence[str], at: int, base: str) -> bool:
    """Return whether the digits at a place are said one by one, as a code or its second group."""
    digits = words[at].strip(_AROUND).replace(SPACE, "")
    after = words[at + 1] if at + 1 < len(words) and words[at][-1:] not in STOPS else ""
    is_small = _is_small(after.casefold(), base)
    counted = "" if is_small or not sequences.may_be_counted(after, base) else after.strip(_AROUND)
    if is_in_account(words, at):
        return True
    if len(digits) > _MOST_WITHOUT_PAUSE:
        return False
    groups = sum(1 for _ in takewhile(str.isdecimal, reversed(words[max(0, at - 2) : at])))
    if groups == 1 and not _is_counted(counted):  # 116 117
        return _is_said_as_code(words, at - 1, base)
    if len(digits) < _LEAST:
        return False
    says_each = len(digits) > _EMERGENCY or read_words(base, Addresses).calling
    if says_each and not _is_counted(counted) and _is_called(words, at, base):
        return True
    may_be_year = len(digits) == _YEAR and int(digits) in _YEARS
    return not may_be_year and _is_named(words, at, counted)


def is_in_account(words: Sequence[str], at: int) -> bool:
    """Return whether a number is a group of an IBAN: ``DE89 3704 0044 0532 0130 00``."""
    for place in range(at - 1, max(-1, at - _MOST_GROUPS), -1):
        group = words[place].lstrip(OPENERS)
        if _ACCOUNT.fullmatch(group):
            return _is_account(words, place)
        if not _GROUP.fullmatch(group):
            return False
    return False


def _is_account(words: Sequence[str], start: int) -> bool:
    """Return whether an IBAN begins at a place: its country's has as many characters as the groups
    from there, and its checksum is right, or it is called one, as an example is. ``Room AB12 2026``
    has neither."""
    if start and words[start - 1].strip(_AROUND).upper() == "IBAN":
        return True
    text, length = "", _LENGTHS.get(words[start].lstrip(OPENERS)[:2], 0)
    for word in words[start : start + _MOST_GROUPS]:
        text += word.strip(_AROUND)
        if len(text) >= length:
            break
    if not length or len(text) != length or not text.isalnum() or not text.isascii():
        return False
    number = "".join(str(int(character, 36)) for character in text[4:] + text[:4])
    return int(number) % _MODULUS == _REMAINDER


def _is_called(words: Sequence[str], at: int, base: str) -> bool:
    """Return whether what goes to the number at a place, a text or a call, stands before it in the
    same clause, and directly before it no noun or verb, and no preposition of a time before what
    may be one: ``call by 1700``."""
    for _ in range(_MOST_OTHERS):  # 118 or 112
        other, joiner = (["", "", *_fold(words[max(0, at - 2) : at])])[-2:]
        if not other.isdecimal() or joiner not in small_words.list_joining_words():
            break
        at -= 2
    start = max(0, at - _BEFORE)
    between = _fold(words[start:at])
    verbs = read_words(base, Everywhere).codes
    ends = [place for place in range(start, at) if words[place][-1:] in STOPS]
    between = between[max(ends) + 1 - start :] if ends else between
    if verbs.isdisjoint(between) or not (between[-1] in verbs or _joins_call(words[at - 1], base)):
        return False
    may_be_time = _TIME.fullmatch(words[at].strip(_AROUND)) is not None
    return not may_be_time or between[-1] not in read_words(base, Times).at


def _joins_call(word: str, base: str) -> bool:
    """Return whether ``word`` may stand between a verb of calling and the number: "to", "number",
    or what is sent in capitals."""
    bare = word.strip(_AROUND).casefold()
    named = {read_words(base, Numbers).number, *read_words(base, Addresses).calling}
    return _joins_name(word) or _is_small(bare, base) or bare in named


def _is_small(word: str, base: str) -> bool:
    """Return whether ``word`` is an article, a preposition or the like, which nobody counts."""
    return nouns.is_small_word(word, base) or word in small_words.list_prepositions()


def _is_named(words: Sequence[str], at: int, counted: str) -> bool:
    """Return whether a word for a code stands before the number at a place."""
    known = merge_words(Everywhere)
    between = list(words[max(0, at - _NEAR) : at])
    while between and _fold(between[:1])[0] not in known.code_names:
        del between[0]
    return bool(between) and (not _is_counted(counted) or all(map(_joins_name, between[1:])))


def _is_counted(word: str) -> bool:
    """Return whether a number may count ``word``; capitals are a part of a code: ``1012 AB``."""
    return word.isalpha() and not word.isupper()


def _fold(words: Sequence[str]) -> list[str]:
    return [word.strip(_AROUND).casefold() for word in words]


def _joins_name(word: str) -> bool:
    """Return whether ``word`` may stand between the name of a code and the code: "is", "to", or
    what is sent in capitals, "HELP"."""
    bare = word.strip(_AROUND)
    joining = small_words.list_leaning_words() | small_words.list_prepositions()
    return bare.isupper() or bare.casefold() in joining | merge_words(Everywhere).after_unknowns
