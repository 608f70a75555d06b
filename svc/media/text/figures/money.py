"""Amounts of money and scaled numbers in words: ``-$5 million``, ``3,50 €``, ``3bn``."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from babel.numbers import get_currency_name, get_currency_precision

from svc.base.text import countries
from svc.media.languages import (
    Everywhere,
    Forms,
    Lines,
    Money,
    Numbers,
    Times,
    merge_words,
    read_words,
    read_words_by_language,
)
from svc.media.text import cases, units
from svc.media.text.figures import counted, labels, nouns, quantities
from svc.media.text.numerals import (
    DIGITS,
    PAUSES,
    SIGN,
    SPACE,
    base_language,
    elide_of,
    find_locale,
    names_number,
    parse_number,
    sign_in_words,
    spell_cardinal,
    spell_number,
)

_ALL_SIGNS = {
    *units.CURRENCIES,
    *(sign for each in read_words_by_language(Money).values() for sign in each.signs),
}
CURRENCY = "|".join(sorted(map(re.escape, _ALL_SIGNS), key=len, reverse=True))
# Those that are letters, and mean money in some countries only; one letter is a unit or a name as
# well, and stands before the number: Q 150, L150.
_LOCAL = sorted(countries.LOCAL_SIGNS.keys() - _ALL_SIGNS, key=len, reverse=True)
_LETTER = "[{}]\\.?".format("".join(sign for sign in _LOCAL if len(sign) == 1))
_LOCAL_WORDS = [re.escape(sign) for sign in _LOCAL if len(sign.rstrip(".")) > 1]
# Q1 is a quarter, Q1,5, Q1m and Q1 million are none.
_FIRST = "|".join(
    [
        CURRENCY,
        *_LOCAL_WORDS,
        rf"{_LETTER}(?={SPACE}|\d\d|\d[.,{SPACE}]\d|\d{SPACE}?[^\W\d])",
        *sorted(countries.OWN_CODES),
    ]
)
# The last sign of an amount: a code that says which dollar or peso is meant, or a sign with its
# number in front.
_LAST = "|".join([CURRENCY, *_LOCAL_WORDS, *sorted(units.CODES_BEHIND)])
_CODE = re.compile(r"[A-Z]{3}")
_LETTERS = r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0963])*"  # with the vowels of Hindi, which are marks
_AMOUNT = re.compile(
    rf"(?P<sign>{SIGN})(?:(?P<first>{_FIRST}){SPACE}?(?P<inner>{SIGN}))?(?P<digits>{DIGITS})"
    rf"(?:[{SPACE}-]?(?P<scale>(?:mil{SPACE})?{_LETTERS}?)\.?)??(?:{SPACE}?(?P<last>{_LAST}))?"
)
_ONE = rf"{SIGN}(?:{_FIRST}|{_LETTER}){SPACE}?{DIGITS}"
_SIGN_BEFORE = re.compile(rf"{SIGN}({_FIRST}|{_LETTER}){SPACE}?(?=\d)")
_SCALABLE = re.compile(rf"{_ONE}(?:(?:{SPACE}[^\W\d]+)?[-–—](?:(?:{CURRENCY}){SPACE}?)?{DIGITS})?")
_TO_ANOTHER = re.compile(rf"([^\W\d]+)[-–—](?:(?:{CURRENCY}){SPACE}?)?{DIGITS}")  # million–$10
_COMPOUND = re.compile(r"([^-]+|[-−–+][^-]+)(-[^\W\d_].*|\+)")  # $5-a-day, $3bn+
_SCALABLE_ALONE = re.compile(rf"{SIGN}{DIGITS}(?:[-–—]{DIGITS})?")
_CENTS = re.compile(rf"([1-9]\d?){SPACE}?([^\W\d_]+)")
_WHOLE = re.compile(rf"(\d+|\d{{1,3}}(?:[.,'’{SPACE}]\d{{3}})+)[.,]00")
_SHORTEST_STEM = 4  # letters of the name of a currency before its ending
_NO_CENTS = re.compile(r"(?<=\d)[,.:][-–—]{1,2}(?!\d)")
_DASHED = re.compile(rf"{DIGITS}[,.:][-–—]{{1,2}}")
_COUNTS = (1, 2, 5, 11, Decimal("1.5"))  # which take all forms of the plural
_WORD = rf"[^\W\d_][^\s\d/{PAUSES}.…!?()\"”’»]*"
_MOST_WORDS = 3  # of the name of a currency
# 12.50 pounds, 12–39.90 pounds, 12.50 Swiss francs
_NAMED = re.compile(
    rf"([^\w\s]*)({DIGITS})(?:([-–—])({DIGITS}))?{SPACE}({_WORD}(?:{SPACE}{_WORD}){{0,2}})"
)
_RATE = re.compile(r"/[^\W\d]")  # 12 euros/m2
_FEWEST_OF_HEAD = 3  # currencies whose names share the word for what they are, "peso"
_STEM = 4  # letters of such a word, before its endings
_DASHED_BY = {"sv": ",:"}  # by language: the signs before a dash for no cents
_SEVERAL = Decimal(10)  # takes the form of the plural that follows millions
_HUNDRED = Decimal(100)  # takes it where ten takes another
THOUSAND = f"{SPACE}mil"  # of Spanish and Portuguese, before a scale as well
_DAYS_OF_WEEK = "LM"  # signs of money and days in Spanish, lunes and martes
_ROADS = ("road", "motorway", "freeway", "interchange")  # after the letter and number of one
_SHORTEST_AFTER_COP = 3  # digits of an amount
_SHORTEST_NOUN = 4  # letters
_SHORTEST_SCALE = 3  # letters of one that needs no currency: "mln", where "mn" may be a unit
_FORMS = ("one", "few", "many", "other")  # of the plural
_FORMS_WITH_DUAL = ("one", "two", "few", "many", "other")
_DECIMALS_OF_CENTS = 2
_CENTS_BEHIND = re.compile(r"\d[.,]\d\d$")
_FORMS_WITHOUT_DECIMALS = 2  # тысяча, тысячи, тысяч have the third


@dataclass(frozen=True)
class Amount:
    """A number as written, with its sign, its currency and its scale,
    each of which may be empty.
    """

    sign: str
    digits: str
    currency: str
    scale: str  # in words


def parse(text: str, language: str, after: str = "") -> Amount | None:
    """Return the amount, or the number with or without a scale, that ``text`` is; None if it is
    neither. ``after``: what is counted, if anything."""
    match = _AMOUNT.fullmatch(strip_cents(text))
    if match is None or (match["sign"] and match["inner"]):
        return None
    first, last = match["first"] or "", match["last"] or ""
    if first and last and not _is_closed(last, language) and not is_specified(first, last):
        return None
    currency = last if is_specified(first, last) else first or last
    if not currency and is_dashed(text, language, after):
        currency = read_words(language, Money).dashed
    if currency and not is_currency(currency, language) and currency not in units.CODES_BEHIND:
        return None
    scale = _scale(match["scale"] or "", match["digits"], currency, language, after)
    if match["scale"] and not scale:
        return None
    return Amount(match["sign"] or match["inner"] or "", match["digits"], currency, scale)


def _is_closed(sign: str, language: str) -> bool:
    """Return whether ``sign`` only closes an amount, whose currency may stand in front, too:
    ``Sh. 500/=``."""
    return sign.startswith("/") and is_currency(sign, language)


def is_specified(first: str, last: str) -> bool:
    """Return whether the code ``last`` says which currency the sign ``first`` means: ``$1,500
    MXN``, or ``€20 EUR``."""
    if not first or not _CODE.fullmatch(last):
        return False
    return first == "$" or units.CURRENCIES.get(first) == last


def takes_code(first: str, second: str) -> bool:
    """Return whether ``second`` is the code of the currency of the amount ``first``, whose sign is
    before it or means several: ``$1,500`` and ``MXN``, ``5.000`` and ``COP``."""
    code = second.partition("/")[0]
    if code in units.CODES_BEHIND and is_number(first):
        return True
    match = _SCALABLE.fullmatch(re.sub(rf"(?<=\d){SPACE}[^\W\d]+$", "", first))
    sign = match and re.match(f"{SIGN}({CURRENCY})", first)
    is_code = code in units.CODES_BEHIND or code in units.CURRENCIES
    return bool(sign) and is_code and is_specified(sign[1] if sign else "", code)


def joins_sign(first: str, second: str, language: str) -> bool:
    """Return whether ``second`` ends the sign of a currency at the end of ``first``: ``20 $`` and
    ``CA``, which is one in French."""
    signs, code = read_words(language, Money).signs, second.partition("/")[0]
    return any(
        SPACE in sign and f"{first}{SPACE}{code}".endswith(sign) and code == sign[2:]
        for sign in signs
    )


def strip_sign(text: str, language: str) -> str:
    """Return an amount without the sign of its currency in front: ``1`` of ``€1``."""
    match = _SIGN_BEFORE.match(text)
    return text[match.end() :] if match and is_currency(match[1], language) else text


def strip_cents(text: str) -> str:
    """Return ``text`` without the dash that stands for no cents: ``890,- €``."""
    return _NO_CENTS.sub("", text)


def drop_zero_cents(text: str, after: str, language: str) -> str:
    """Return a number, or two around a dash, without cents of zero, ``60`` of ``60,00``, if the
    word ``after`` it names a currency; what has other cents, or counts something else, as it is."""
    parts = re.split("([-–—])", text)
    numbers = [_WHOLE.fullmatch(part) for part in parts[::2]]
    if not all(numbers) or not _names_currency(after, base_language(language)):
        return text
    whole = [match[1] for match in numbers if match]
    parts[::2] = [
        digits
        if (number := parse_number(digits, language))
        and number == int(number)
        and number >= int(re.sub(r"\D", "", digits))
        else re.sub(r"\D", "", digits)
        for digits in whole
    ]
    return "".join(parts)


def _names_currency(word: str, base: str) -> bool:
    """Return whether ``word`` is the name of a currency, with any ending: ``euro``, ``рублями``."""
    name = word.strip(f"{PAUSES}.…)”\"'»").lower()
    return any(
        name == stem or (len(stem) >= _SHORTEST_STEM and name.startswith(stem))
        for stem in _list_stems_of_currencies(base).get(name[:3], ())
    )


@cache
def _list_stems_of_currencies(base: str) -> dict[str, tuple[str, ...]]:
    """Return the words in CLDR's names of currencies, without their last letters, which endings
    change; by their first letters."""
    locale = find_locale(base)
    names = {
        get_currency_name(str(code), count=count, locale=locale)
        for code in locale.currencies
        for count in _COUNTS
    }
    stems: dict[str, set[str]] = {"us": {"us"}} if base == "en" else {}
    for word in {word for name in names for word in name.lower().split()}:
        if len(word) >= _SHORTEST_STEM - 1 and not nouns.is_small_word(word, base):
            stem = word[: max(_SHORTEST_STEM, len(word) - 2)]
            stems.setdefault(stem[:3], set()).add(stem)
    return {first: tuple(each) for first, each in stems.items()}


@dataclass(frozen=True)
class Named:
    """A currency as a word names it."""

    sign: str
    # CLDR's names with the word for its country or so, and those without, where the word stands
    # alone: "pesos mexicanos", "pesos".
    unsaid: tuple[tuple[str, str], ...] = ()
    case: str = ""  # of a name that only another case than the nominative has: "рублями"


def find_sign_named(word: str, language: str) -> Named | None:
    """Return the currency, one with cents, that ``word`` is the name of in one of its forms:
    ``euros``, ``złotych``, ``Schweizer Franken``; None: it names none. The reverse of
    :func:`name_currency`."""
    # the ending of an indefinite noun in Arabic
    return _list_names(language).get(word.lower().removesuffix("\u064b\u0627"))


def count_name(first: str, following: Sequence[str], language: str) -> int:
    """Return how many of the ``following`` pieces are the name of the currency of the number with
    cents ``first``, if they are several: ``Schweizer Franken``, Romanian ``de lei``; 0: none."""
    if not first[-1:].isdecimal() or _CENTS_BEHIND.search(first) is None:
        return 0
    of = read_words(language, Money).after_scale
    for count in range(min(len(following), _MOST_WORDS), 1, -1):
        pieces = following[:count]
        last = re.match(_WORD, pieces[-1])
        if last is None or not all(re.fullmatch(_WORD, piece) for piece in pieces[:-1]):
            continue
        name = " ".join((*pieces[:-1], last[0])).removeprefix(f"{of} ")
        if find_sign_named(name, language) and _have_cents(first, None, language):
            return count
    return 0


@cache
def _list_names(language: str) -> dict[str, Named]:
    """Return the currencies with cents by each form of their names, in small letters. A word that
    names several, "pesos", is that of the country, or that of the best known."""
    if quantities.puts_units_first(language):
        return {}
    money, country = read_words(language, Money), countries.find_country(language)
    listed = (*(country.signs if country else ()), *money.currencies, *units.CURRENCIES)
    named: dict[str, Named] = {}
    heads = _list_heads(base_language(language))
    for sign in dict.fromkeys((*listed, *money.signs, *sorted(units.CODES_BEHIND))):
        code = _find_code(sign, language)
        if not _CODE.fullmatch(code) or get_currency_precision(code) != _DECIMALS_OF_CENTS:
            continue
        counted = dict.fromkeys(name_currency(sign, Decimal(each), language) for each in _COUNTS)
        inflected = (form for by_code in money.in_cases.values() for form in by_code.get(code, ()))
        said = {
            name: name if " " not in name else _find_head(name, heads)
            for name in dict.fromkeys((*counted, *inflected))
        }
        unsaid = tuple((name, head) for name, head in said.items() if head not in ("", name))
        unsaid = tuple(sorted(unsaid, key=lambda pair: len(pair[0]), reverse=True))
        for head in filter(None, map(said.__getitem__, counted)):
            named.setdefault(head.lower(), Named(sign, unsaid))
        for name in (each for each in counted if " " in each):
            named.setdefault(name.lower(), Named(sign))
        for case, by_code in money.in_cases.items():
            for head in filter(None, map(said.__getitem__, by_code.get(code, ()))):
                named.setdefault(head.lower(), Named(sign, unsaid, case))
        for word in (word for word, named_so in money.names.items() if named_so == sign):
            named[word] = Named(sign, tuple((name, word) for name in said))
    return named


def _find_head(name: str, heads: frozenset[str]) -> str:
    """Return the word of a currency's name that several share, ``dólares`` of ``dólares
    canadienses``; empty: there is none."""
    shared = [word for word in name.split() if _find_stem(word) in heads]
    return shared[0] if len(shared) == 1 else ""


@cache
def _list_heads(base: str) -> frozenset[str]:
    """Return the first letters of the words in CLDR's names of currencies that say what they are,
    "dollar" and "peso", as several countries have one."""
    locale = find_locale(base)
    having: dict[str, set[str]] = {}
    for code in map(str, locale.currencies):
        for word in get_currency_name(code, locale=locale).lower().split():
            if word.isalpha() and len(word) >= _STEM:
                having.setdefault(_find_stem(word), set()).add(code[:2])
    return frozenset(stem for stem, places in having.items() if len(places) >= _FEWEST_OF_HEAD)


def _find_stem(word: str) -> str:
    """Return the first letters of a word without the marks that its forms change: ``koru`` of
    *korún*."""
    plain = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))[:_STEM]


def name_sign(text: str, language: str) -> tuple[str, Named | None]:
    """Return an amount with cents, or for each of something, whose currency is a word with its sign
    in place of that, ``39,90 €`` for ``39,90 Euro``, ``12 €/m2`` for ``12 Euro/m2``, and the
    currency; another text as it is."""
    if SPACE not in text or (match := _NAMED.match(text)) is None:
        return text, None
    opening, first, dash, second, name = match.groups()
    if not _have_cents(first, second, language) and not _RATE.match(text, match.end()):
        return text, None
    numbers, words = f"{first}{dash or ''}{second or ''}", name.split(SPACE)
    of = read_words(language, Money).after_scale
    for count in range(len(words), 0, -1):
        found = find_sign_named(" ".join(words[:count]).removeprefix(f"{of} "), language)
        if found is not None:
            rest = text[match.start(5) + len(SPACE.join(words[:count])) :]
            return f"{opening}{numbers}{SPACE}{found.sign}{rest}", found
    return text, None


def takes_name(first: str, second: str, language: str) -> bool:
    """Return whether ``second`` names the currency of the number with cents ``first``, or of the
    range, or a rate: ``39,90`` and ``Euro``, ``12`` and ``Euro/m2``."""
    is_number = first[-1:].isdecimal() and "/" not in first  # and has no name yet
    return is_number and name_sign(f"{first}{SPACE}{second}", language)[1] is not None


def _have_cents(first: str, second: str | None, language: str) -> bool:
    """Return whether the last of two numbers has two decimals, and one has other ones than 00."""
    last = second or first
    if _CENTS_BEHIND.search(last) is None:
        return False
    values = [parse_number(each, language) for each in (first, last)]
    as_cents = values[1] is not None and values[1] * 100 == int(re.sub(r"\D", "", last))
    return as_cents and any(value is not None and value != int(value) for value in values)


def add_currency_behind(text: str, before: str, following: Sequence[str], language: str) -> str:
    """Return the first number of a range in words with the currency that is written behind the
    last one, which has cents, too: ``12,50`` of ``12,50 bis 39,90 Euro``, or of ``between 12.50 and
    39.90 dollars`` by the word ``before``."""
    is_before_word = len(following) > 1 and _CENTS_BEHIND.search(text) is not None
    joining = {read_words(language, Numbers).to, *read_words(language, Times).pairs.values()}
    joining.update(read_words(language, Numbers).between.get(before.lower(), "").split())
    if not is_before_word or following[0] not in joining or not _SCALABLE_ALONE.fullmatch(text):
        return text
    last = following[1].rstrip(f"{PAUSES}.…)")
    amount = parse(name_sign(last, language)[0], language)
    number, _, currency = last.partition(SPACE)
    if not amount or not amount.currency or amount.scale or not _CENTS_BEHIND.search(number):
        return text
    return text[:-3] if text.endswith("00") else f"{text}{SPACE}{currency.partition('/')[0]}"


def find_word_before(currency: Named | None, before: str, language: str) -> str:
    """Return the word before an amount, or one that governs the case that the name of its currency
    has: ``12,50 рублями``."""
    if currency is None or not currency.case:
        return before
    return (read_words(language, Numbers).governs.get(currency.case, "").split() or [before])[0]


def say_without_country(said: str, currency: Named | None) -> str:
    """Return ``said`` with the name of the currency without its country, as it is written."""
    for name, head in currency.unsaid if currency else ():
        if name in said:
            return said.replace(name, head)
    return said


def goes_on_with_cents(text: str, after: str, language: str) -> bool:
    """Return whether the word ``after`` an amount with a dot behind its currency has its cents:
    ``1500 руб. 50 коп.``"""
    cents = _CENTS.fullmatch(after.rstrip(f"{PAUSES}.…)"))
    is_cents = cents is not None and cents[2] in read_words(language, Money).cent_signs
    amount = parse(text, language) or parse(text.removesuffix("."), language)
    return is_cents and amount is not None and amount.currency != ""


def is_dashed(text: str, language: str, after: str = "") -> bool:
    """Return whether a number without a sign is an amount by its dash for no cents, ``45:-``, and
    no ordinal or item: ``10.- bis 12. Klasse``."""
    if not read_words(language, Money).dashed or not _DASHED.fullmatch(text):
        return False
    sign = text.rstrip("-–—")[-1]
    return sign in _DASHED_BY.get(base_language(language), ",") or (
        sign == "." and _is_swiss(language) and not nouns.is_small_word(after, language)
    )


def _is_swiss(language: str) -> bool:
    country = countries.find_country(language)
    return country is not None and country.signs.get("Fr.") == "CHF"


def _scale(written: str, digits: str, currency: str, language: str, after: str) -> str:
    """Return a scale in words, in the form that the number requires; empty: it is none."""
    base = base_language(language)
    number = parse_digits(digits, language)
    is_short = written in _list_abbreviations(language)
    known = _read_scales_of_cldr(language).get(written)
    if (currency or is_short) and number is not None and known:
        said = known.get(find_locale(language).plural_form(number), known["other"])
        joins = currency or _is_noun(after, base)
        return f"{said} {read_words(base, Money).after_scale if joins else ''}".strip()
    forms = read_words(base, Money).short_scales.get(written)
    counts = counts_things(written, after, language)
    is_alone = is_short or written in read_words(base, Money).scales_alone
    if forms and number is not None and (currency or counts or is_alone):
        named = dict(zip(_FORMS if len(forms) > 2 else _FORMS[::3], forms, strict=True))
        said = named.get(_find_plural_form(number, language), named["other"])
        joins = currency or (counts and not _is_of(after, base)) or _is_noun(after, base)
        return said if joins else re.sub(" d[ei]$", "", said)
    if counts and not currency and base == "pt" and written == "mi":
        return "milhões"
    return read_words(base, Money).scales.get(written.lower(), "")


def _find_plural_form(number: Decimal, language: str) -> str:
    """Return which form of a scale ``number`` requires: that of a dual is Slovenian, and as after
    decimals."""
    plural = str(find_locale(language).plural_form(number))
    has_decimals = number != number.to_integral_value()
    after_decimals = has_decimals and read_words(language, Numbers).after_decimals
    return "many" if plural == "two" or after_decimals else plural


def counts_things(written: str, after: str, language: str) -> bool:
    """Return whether a scale that may be a unit or a name counts what follows: ``2.5m views``,
    ``4K stars``, ``2,5 M de vues``.

    A ``10k run`` and a wall that is ``3m tall`` are not counted.
    """
    base, noun = base_language(language), after.rstrip('.,;:!?)…"”’»')
    if not written or not noun or written[-1] == ".":
        return False
    known = read_words(base, Money)
    if _is_of(after, base):
        return written in known.short_scales
    if written == "m" and known.counted_by_millions:
        return noun in known.counted_by_millions
    if written not in ("k", "K", "M", "B") or not noun.isalpha() or len(noun) < _SHORTEST_NOUN:
        return False
    return known.plural_noun is not None and known.plural_noun.search(noun) is not None


def _is_noun(word: str, base: str) -> bool:
    """Return whether ``word`` after a scale may be what it counts, and is no short word such as a
    preposition: ``5 mln persone``, but ``5 mln nel 2024``."""
    noun = word.rstrip(f"{PAUSES}.…)")
    others = merge_words(Everywhere).not_counted | read_words(base, Lines).rarely_end_with
    return noun.isalpha() and len(noun) >= _SHORTEST_NOUN - 1 and noun.lower() not in others


def _is_of(word: str, base: str) -> bool:
    return (
        word.startswith(("d’", "d'"))
        if word[:1] == "d" and word[1:2] in "’'"
        else word in read_words(base, Money).of
    )


def read_amount(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return an amount of money in words, or a number with a scale that means
    nothing else: ``3bn``.
    """
    if (cents := _read_cents(text, language)) is not None:
        return cents
    amount = parse(text, language, after)
    if amount is None or not (
        amount.currency or (amount.scale and _counts_alone(text, after, language))
    ):
        return None
    if is_name(amount.currency, amount.digits, before, language, after):
        return None
    if _is_named(amount, after, language):  # $500 pesos
        whole = replace(amount, digits=str(parse_digits(amount.digits, language)).partition(".")[0])
        return f"{sign_in_words(amount.sign, language)} {spell_count(whole, language)}"
    case = cases.find_form(
        _drop_cents(amount, language), before, "", language, is_counted=True
    ).case
    words = spell_amount(
        amount,
        language,
        is_adjective=counted.is_adjective(before, after, language),
        case=case,
    )
    words = words and counted.decline_one(words, before, language)
    return words and f"{sign_in_words(amount.sign, language)} {words}"


def is_name(sign: str, number: str, before: str, language: str, after: str = "") -> bool:
    """Return whether what may be a sign names something with its ``number``, by the words beside
    it: ``plan R 12``, ``R61 road``, the conference ``COP 28``, ``BOB 28 Esponja``, and a Monday in
    Spanish, ``el L 12 de junio``."""
    bare = sign.rstrip(".")
    if bare == "COP":
        return len(number) < _SHORTEST_AFTER_COP
    word = before.lower().strip("(")
    is_short = number.isdecimal() and len(number) < _SHORTEST_AFTER_COP
    if bare in countries.OWN_CODES:
        return is_short and after[:1].isupper()
    if len(bare) != 1 or not bare.isalpha():
        return False
    is_day = bare in _DAYS_OF_WEEK and word == "el" and after == "de" and is_short
    if is_day or names_number(after.strip(f"{PAUSES}.").lower(), language) or after in _ROADS:
        return number.isdecimal()
    return labels.names_letter(word) or names_number(word, language)


def _is_named(amount: Amount, after: str, language: str) -> bool:
    """Return whether the word ``after`` an amount without cents is its currency's name."""
    number = parse_digits(amount.digits, language)
    if not amount.currency or amount.scale or number is None or number != int(number):
        return False
    names = {name_currency(amount.currency, each, language) for each in (number, Decimal(1))}
    return after.rstrip(f"{PAUSES}.…)") in names


def _drop_cents(amount: Amount, language: str) -> str:
    """Return the digits of an amount without its cents, which are not inflected."""
    number = parse_digits(amount.digits, language)
    has_cents = number is not None and number != int(number) and not amount.scale
    return str(int(number or 0)) if has_cents else amount.digits


def _read_cents(text: str, language: str) -> str | None:
    """Return an amount below one that has the sign of its cents: ``99p``; None: it is none."""
    match, money = _CENTS.fullmatch(text), read_words(language, Money)
    currency = money.cent_signs.get(match[2], "") if match else ""
    forms = money.cents.get(currency)
    if not match or not forms:
        return None
    if len(forms) > _FORMS_WITHOUT_DECIMALS:
        return _count_cents(int(match[1]), currency, forms, language)
    return f"{spell_number(match[1], language, alone=False)} {forms[match[1] != '1']}"


def _count_cents(number: int, currency: str, forms: Forms, language: str) -> str:
    """Return so many cents in words: ``fifty cents``, ``dwa grosze``."""
    if len(forms) <= _FORMS_WITHOUT_DECIMALS:
        said = spell_count(Amount("", str(number), currency, ""), language)
        return f"{said} {forms[number > 1]}"
    gender = "feminine" if forms[0].endswith("а") else "masculine"
    said = cases.count_in_words(str(number), cases.Form("", gender), language) or spell_cardinal(
        number, language
    )
    names = _FORMS_WITH_DUAL if len(forms) == len(_FORMS_WITH_DUAL) else _FORMS
    named = dict(zip(names, forms, strict=False))
    if "two" in named and find_locale(language).plural_form(number) == "two":
        return named["two"]  # the dual says how many
    return f"{said} {named.get(_find_plural_form(Decimal(number), language), forms[-1])}"


def read_compound(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return an amount of money with the words that a hyphen adds,
    or with a plus: ``$5-a-day``, ``$3bn+``.
    """
    match = _COMPOUND.fullmatch(text)
    amount = parse(match[1], language) if match else None
    if (
        match is None
        or amount is None
        or not amount.currency
        or (words := read_amount(match[1], language)) is None
    ):
        return None
    other = parse(match[2].removeprefix("-"), language)
    if other is not None and other.currency:  # R$5-R$10
        return None
    rest = read_words(language, Numbers).plus if match[2] == "+" else match[2].replace("-", " ")
    return f"{words} {rest}"


def read_with_ending(text: str, ending: str, language: str) -> str | None:
    """Return an amount whose sign has an ending in words, ``100 TL'ye``, ``100 €:n``; None: no
    words are known for it."""
    amount = parse(text, language)
    if amount is None or not amount.currency or amount.sign:
        return None
    if said := read_words(language, Money).with_endings.get(amount.currency, {}).get(ending):
        return f"{spell_count(amount, language)} {said}"
    case = "" if amount.scale else read_words(language, Numbers).endings.get(ending)
    number = case and cases.count_in_words(amount.digits, cases.Form(case), language)
    name = name_currency(amount.currency, Decimal(1), language)
    return f"{number} {name}{ending}" if number else None


def spell_amount(
    amount: Amount, language: str, *, is_adjective: bool = False, case: str = ""
) -> str | None:
    """Return an amount without its sign in words; None if its number has no value.
    ``is_adjective``: as in English "a five dollar fee". ``case``: as in "до 500 ₽"; empty for the
    nominative, which also stands where no other form is known."""
    number = parse_digits(amount.digits, language)
    if number is None:
        return None
    units, _, cents = f"{number:f}".partition(".")
    if amount.scale or not amount.currency or len(cents) > 2:
        name = (
            name_currency(
                amount.currency,
                Decimal(1) if is_adjective else _find_scaled(language),
                language,
            )
            if amount.currency
            else ""
        )
        return elide_of(_join_name(spell_count(amount, language, case=case), name), language)
    hundredths = int(cents.ljust(2, "0"))
    if units == "0" and hundredths and (cent := _find_cents(amount.currency, language)):
        return _count_cents(hundredths, amount.currency, cent, language)
    tail = _spell_cents(hundredths, amount.currency, language) if hundredths else ""
    if case and (said := _inflect_amount(units, amount.currency, case, language)):
        return f"{said} {tail}"
    gender = _find_gender(amount.currency, language)
    whole = cases.count_in_words(units, cases.Form("", gender), language) or spell_count(
        Amount("", units, amount.currency, ""), language
    )
    name = name_currency(amount.currency, Decimal(1 if is_adjective else units), language)
    return f"{elide_of(_join_name(_add_of(whole, language), name), language)} {tail}"


def _find_scaled(language: str) -> Decimal:
    """Return the number whose form of the plural follows a million: in Arabic, which counts to ten
    in the plural, that of a hundred."""
    return _HUNDRED if "two" in find_locale(language).plural_form.tags else _SEVERAL


def _spell_cents(number: int, currency: str, language: str) -> str:
    """Return the cents after a currency in words, with the word between them."""
    money, forms = read_words(language, Money), _find_cents(currency, language)
    said = spell_cardinal(number, language)
    if money.names_cents and forms:
        said = _count_cents(number, currency, forms, language)
    return f"{money.joins_cents} {said}".strip()


def _find_cents(currency: str, language: str) -> Forms:
    """Return the names of one and of several of a currency's cents; none if they have no name."""
    cents = read_words(language, Money).cents
    return cents.get(_find_code(currency, language)) or cents.get(currency, ())


def _join_name(count: str, name: str) -> str:
    """Return a count with the name of a scale or a currency, which may have the place of the count
    in it: Swahili ``shilingi {0} za Kenya``."""
    return name.format(count) if "{0}" in name else f"{count} {name}"


def _add_of(count: str, language: str) -> str:
    """Return a count in words with "of" where it ends with a scale that needs one before what it
    counts: ``tres millones de``."""
    rest, _, last = count.rpartition(" ")
    return f"{rest} {read_words(language, Money).scales.get(last, last)}".strip()


def _inflect_amount(digits: str, currency: str, case: str, language: str) -> str | None:
    """Return a whole number with its currency in a case; None: no such form is known."""
    is_one = cases.is_one(Decimal(digits), language)
    forms = read_words(language, Money).in_cases.get(case, {}).get(_find_code(currency, language))
    if forms and int(digits) % 1000:
        name = cases.name_of_several(forms, Decimal(digits), language)
    elif forms or (case == "genitive" and not is_one):  # as after five; a thousand takes it, too
        name = name_currency(currency, _SEVERAL, language)
    elif case == "accusative" and read_words(language, Numbers).num2words_has_cases:
        name = name_currency(currency, Decimal(digits), language)
    else:
        return None
    form = cases.Form(case, _find_gender(currency, language))
    words = cases.count_in_words(digits, form, language)
    return words and f"{words} {name}"


def _find_gender(currency: str, language: str) -> str:
    return read_words(language, Money).genders.get(_find_code(currency, language), "masculine")


def _find_code(sign: str, language: str) -> str:
    """Return ISO 4217's code of a currency by its sign."""
    return read_words(language, Money).signs.get(sign) or units.CURRENCIES.get(sign, sign)


def spell_count(amount: Amount, language: str, *, case: str = "") -> str:
    """Return the number of an amount with its scale in words, without sign and currency."""
    number = parse_digits(amount.digits, language)
    numbers = read_words(language, Numbers)
    one = (numbers.one_with_scale if amount.scale else "") or numbers.one_with_unit
    is_one = number == 1 and (amount.scale or amount.currency)
    plain = (
        f"{number:f}"
        if number is not None and parse_number(amount.digits, language) is None
        else amount.digits
    )
    words = one if is_one and one else spell_number(plain, language, alone=False)
    if amount.scale and case in read_words(language, Money).scales_in_cases:
        gender, _ = _inflect_scale(amount.scale, number, language)
        count = cases.count_in_words(plain, cases.Form(case, gender), language)
        scale = _find_scale_in_case(amount.scale, number, case, language)
        if count and scale:
            return f"{count} {scale}"
    if case == "genitive":
        gender, scale = _inflect_scale(amount.scale, number, language)
        if genitive := cases.count_in_words(plain, cases.Form(case, gender), language):
            return f"{genitive} {scale}".strip()
    return _join_name(words, amount.scale).strip()


def _inflect_scale(scale: str, number: Decimal | None, language: str) -> tuple[str, str]:
    """Return the gender of a scale and its genitive after ``number``: ``миллионов``, ``тысячи`` of
    one, for which the form after decimals stands where there are four."""
    plural = str(find_locale(language).plural_form(_SEVERAL))
    listed = [
        dict(zip(_FORMS if len(forms) > 2 else _FORMS[::3], forms, strict=True))
        for forms in read_words(base_language(language), Money).short_scales.values()
    ]
    for forms in (*listed, *_read_scales_of_cldr(language).values()):
        if scale in forms.values() and len(set(forms.values())) > 1:
            is_one = number is not None and cases.is_one(number, language)
            is_one = is_one and len(set(forms.values())) > _FORMS_WITHOUT_DECIMALS
            gender = "feminine" if forms["one"].endswith(("а", "a")) else "masculine"
            several = forms.get(plural, forms["other"])
            if number is not None and number != number.to_integral_value():  # 12,3 miliona
                several = forms.get(_find_plural_form(number, language), several)
            return gender, forms["other"] if is_one else several
    return "masculine", scale


def _find_scale_in_case(scale: str, number: Decimal | None, case: str, language: str) -> str:
    """Return a scale in another case than the genitive, ``tysiącami``; empty: it is not listed."""
    listed = read_words(base_language(language), Money).short_scales
    written = (key for key, forms in listed.items() if scale in forms)
    cldr = (key for key, forms in _read_scales_of_cldr(language).items() if scale in forms.values())
    known = read_words(language, Money).scales_in_cases[case]
    forms = next((known[key] for key in (*written, *cldr) if key in known), ())
    is_one = number is not None and cases.is_one(number, language)
    return forms[not is_one] if forms else ""


@cache
def _read_scales_of_cldr(language: str) -> dict[str, dict[str, str]]:
    """Return the scales from a million that the language's file does not have, as they are written,
    ``Mio`` or ``Millionen``: by the form of the plural, how they are said. One that is written in
    full stays as it is, and one of one letter may be a unit."""
    formats = find_locale(language).compact_decimal_formats

    def named(width: str, plural: str, size: int) -> str:
        # CLDR has no scales in words for some languages, such as Maltese
        pattern = formats.get(width, {}).get(plural, {}).get(str(size))
        return pattern.pattern.strip(f"0{SPACE} ").replace("'.'", "") if pattern else ""

    listed = read_words(base_language(language), Money).short_scales
    scales: dict[str, dict[str, str]] = {}
    for size in (10**6, 10**9, 10**12):
        full = {plural: named("long", plural, size) for plural in (*_FORMS, "two")}
        full = {plural: name for plural, name in full.items() if name}
        for written in {named("short", "other", size), *full.values()}:
            is_one_word = written.isalpha() and len(written) > 1
            if is_one_word and "other" in full and written not in listed:
                is_short = written not in full.values()
                scales[written] = full if is_short else dict.fromkeys(full, written)
    return scales


@cache
def _list_abbreviations(language: str) -> frozenset[str]:
    """Return the scales that are abbreviations and nothing else after a number: ``тыс``, ``mlrd``,
    which no currency needs to follow."""
    listed = read_words(base_language(language), Money).short_scales
    said = {written: set(forms) for written, forms in listed.items()} | {
        written: set(forms.values()) for written, forms in _read_scales_of_cldr(language).items()
    }
    return frozenset(
        written
        for written, forms in said.items()
        if len(written) >= _SHORTEST_SCALE and written not in forms
    )


def _list_short_scales(language: str) -> set[str]:
    """Return the scales that may stand before the sign of a currency, as they are written."""
    return {*read_words(language, Money).short_scales, *_read_scales_of_cldr(language)}


def parse_digits(digits: str, language: str) -> Decimal | None:
    """Return the value of the digits of an amount, which is no version number:
    ``1.234.567`` has groups in English, too, and no price has three decimals where a language's
    countries write thousands both ways.
    """
    number = parse_number(digits, language)
    by_country = read_words(language, Numbers).decimal_by_sign
    if by_country and re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits):  # $1,500 in Argentina
        return Decimal(re.sub("[.,]", "", digits))
    if number is None and re.fullmatch(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})+", digits):
        return Decimal(re.sub("[.,]", "", digits))
    return number


def name_currency(sign: str, number: Decimal, language: str) -> str:
    """Return the name of a currency in the form that ``number`` requires."""
    forms = read_words(language, Money).currencies.get(sign, ())
    if len(forms) > _FORMS_WITHOUT_DECIMALS:
        named = dict(zip(_FORMS_WITH_DUAL, forms, strict=True))
        return named.get(str(find_locale(language).plural_form(number)), forms[-1])
    if forms:
        return forms[0] if number == 1 else forms[1]
    name = get_currency_name(_find_code(sign, language), count=number, locale=find_locale(language))
    money = read_words(language, Money)
    for unsaid in (money.home, money.country if sign in money.own_signs else None):
        name = unsaid.sub("", name) if unsaid else name
    if quantities.puts_units_first(language):  # faranga {0} za Rwanda
        first, _, of = name.partition(" ")
        return f"{first} {{0}} {of}".rstrip()
    return name


def is_currency(sign: str, language: str) -> bool:
    """Return whether ``sign`` is that of a currency in ``language``."""
    return sign in units.CURRENCIES or sign in read_words(language, Money).signs


def takes_scale(first: str, second: str, language: str) -> bool:
    """Return whether ``second`` is the scale of the amount ``first``: ``-$5`` and ``million``,
    ``3`` and ``bn``.
    """
    if another := _TO_ANOTHER.fullmatch(second):
        return takes_scale(first, another[1], language)
    second = second.partition("/")[0].rstrip(".")  # juta/bulan
    if first.endswith(THOUSAND):  # $5 mil millones
        first, second = first.removesuffix(THOUSAND), f"{THOUSAND.strip()}{SPACE}{second}"
    known = read_words(language, Money)
    may_be_scaled = is_number(first) or _SCALABLE.fullmatch(first) is not None  # € 3,4 mld.
    if second in _list_abbreviations(language) and may_be_scaled:
        return True
    if second.lower() not in known.scales:
        return False
    alone = second in known.scales_alone
    return bool(_SCALABLE.fullmatch(first) or (alone and _SCALABLE_ALONE.fullmatch(first)))


def is_number(text: str) -> bool:
    """Return whether ``text`` is a number, or a range of two, that a scale may follow."""
    return _SCALABLE_ALONE.fullmatch(text) is not None


def is_short_scale(text: str, language: str) -> bool:
    """Return whether ``text`` is a scale that stands before the sign of a currency,
    with its full stop: ``Mrd.``.
    """
    return text.removesuffix(".") in _list_short_scales(language)


def ends_with_any_scale(text: str, language: str) -> bool:
    """Return whether ``text`` is a scale, or a number with one, and no currency: ``12.4 bn``,
    ``million``."""
    number, _, scale = text.rpartition(SPACE)
    scales = {*read_words(language, Money).scales, *_list_short_scales(language)}
    is_known = len(scale) >= _SHORTEST_SCALE or is_number(number)
    return is_known and scale.removesuffix(".") in scales


def ends_with_scale(text: str, language: str) -> bool:
    """Return whether ``text`` is a number with an abbreviated scale and no currency behind it:
    ``3 Mio``, ``€ 3 Mio``, ``Rs 3.4 Cr``."""
    number, _, scale = text.rpartition(SPACE)
    has_sign = _SCALABLE.fullmatch(number) is not None
    is_short = len(scale) <= _SHORTEST_SCALE and scale.lower() in read_words(language, Money).scales
    if has_sign and is_short:
        return True
    return (has_sign or is_number(number)) and scale in _list_abbreviations(language)


def takes_scaled_currency(first: str, second: str, language: str) -> bool:
    """Return whether ``second`` is the scale and the currency of the number ``first``:
    ``3`` and ``M€``.
    """
    scales = "|".join(sorted(map(re.escape, _list_short_scales(language)), key=len, reverse=True))
    return bool(
        scales
        and re.fullmatch(rf"(?:{scales})\.?{SPACE}?(?:{CURRENCY})", second)
        and _SCALABLE_ALONE.fullmatch(first)
    )


def _counts_alone(text: str, after: str, language: str) -> bool:
    """Return whether a scale needs no currency: it means nothing else,
    or what follows is counted.
    """
    match = _AMOUNT.fullmatch(text)
    scale = (match["scale"] or "") if match else ""
    is_scale_alone = text.endswith(read_words(language, Money).scales_alone)
    return (
        is_scale_alone
        or scale in _list_abbreviations(language)
        or counts_things(scale, after, language)
    )
