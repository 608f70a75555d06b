"""Which figure of what is being said is worth the whole frame, and its unit."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import permutations

from svc.base.text import countries
from svc.media.languages import Addresses, Everywhere, Grammar, Lines, merge_words
from svc.media.model import Scene
from svc.media.text import abbreviations, codes, tokens
from svc.media.text.amounts import parse_amount
from svc.media.text.grammar import small_words
from svc.media.text.grammar.phrase_ends import AROUND, COMMAS, STOPS, is_rate, leads, opens_phrase
from svc.media.text.line_breaks import GLUE
from svc.media.text.units import CURRENCIES, UNITS

_LONGEST_FIGURE = 10  # characters
_LONGEST_UNIT = 8  # characters around a number that no scale ends
_BEFORE_A_CALL = 5  # words among which one is that says whom a number calls
_SPAN = 3  # words between the two figures of a span: "from 9h in the morning to 17h"
_LEAST_ALONE = 100  # from which on a figure says something without what it counts
_LEAST_BEFORE_NOUN = 1000  # the same where what it counts follows, and is not shown
_LONGEST_SCALED = 22  # characters of a figure with its scale: "4.25 thousand million"
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_SECTION = "§"  # a number after it, as after "Nr.", is the name of something, and counts nothing
# Several points, unless each parts thousands: a version, a date, or the address of a host.
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}")
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
# A name by the signs within it, also where a sentence begins: V8, iOS, Node.js.
_INNER = re.compile(r"(?=.*[^\W\d_])\w.*[A-Z\d.]\w*")
# A number and what counts it in a script without spaces: 发电4.5万度, 3200人でした.
_UNSPACED = re.compile(
    r"(?P<number>\d[\d.,]*[万萬亿億兆千百만억]*)(?P<counted>[^\W\d_\u3041-\u309f]*)"
)
# What is shown with a number however it is cut into words: a currency, a square metre. Korean
# counts with a space as well.
_CURRENCY = (
    r"(?:(?:美|[欧歐]|日|港|[韩韓]|澳|加|新?[台臺])?元|(?:人民|港|新?[台臺])[币幣]|英[镑鎊]|人民元|円|"
    r"米?ドル|ユーロ|ポンド|ウォン|원|달러|유로|엔(?!진)|위안|파운드)"
)
_UNSPACED_UNIT = re.compile(
    rf"\d[\d.,]*[万萬亿億兆千百만억]*[ \u00a0]?"
    rf"(?:{_CURRENCY}|平方(?:公里|メートル|キロ|米|公尺)|[명개건곳권](?!월))"
)
_IN_MONEY = re.compile(rf"{_CURRENCY}$")
_LONGEST_CUT = 3  # words that such a figure may be cut into
_ORDINAL, _LONGEST_COUNTER = "第", 2
# A year, a month or a day in such a script, and no length of time: 2026年, 10月.
_DATED = re.compile(
    r"(?:1[5-9]|20)\d\d[年년](?![間间前内以])|\d{1,2}(?:[月월](?![間间份])|[日号號](?![間间]))"
)
_GOES_ON = re.compile(r"[-–.:/]\d")  # as a telephone number or a range does
# Names with a number: A320, CE2, Covid-19, v2 and react@18.3, and those that begin with it: 5G, 4K.
_CODE = re.compile(
    r"(?P<before>[A-Z]+)\d+|[A-Z]\.\d+|[^\W\d_]+[-‑]\d+|[a-z]\d[\d.]*|[^\W\d_]+[@#:=_/].*|\d(?P<after>[A-Z]\w*)"
)
_BEGUN_CODE = re.compile(r"[A-Z]{1,4}[-‑]$")
_OPENING, _CLOSING = "([（［", ")]）］"
# The marks that stand before an amount as signs do, such as R340 in South Africa.
_PRICED = frozenset({*CURRENCIES, *CURRENCIES.values(), "R", "RM"})
_UNITS = "%‰°"
_RELEASE = re.compile(r"[1-9]\d{0,2}(?:\.\d{1,2})?")
_DASHES = ("–", "—")
_LEADING_ZERO = re.compile(r"0\d+")
# The digits of a postcode, with and without a comma before it.
_POSTCODE, _POSTCODE_OF_FIVE = re.compile(r"\d{4,5}"), re.compile(r"\d{5}")
_DIGITS_TO_CALL = 3
_MINUTES = re.compile(r"\d+\u00a0min|\d+min\b")
# To what it counts, or to an ending: 10er-Karte, 100-lecie, 1953'te, 640:n.
_JOINED = re.compile(r"\d[-‑'’:][^\W\d]|\der[-‑]")
_INITIAL = re.compile(r"\d[ \u00a0]?[^\W\d_]\.$")  # its unit is not clear alone: 14 J.
# A place in an order, which counts nothing: 4.º. A degree has another sign.
_RANK = re.compile(r"\d+\.?[ºª]")
# Letters with a dot after each, the last of which a figure keeps: 10 a.m., 5 p. m.
_DOTTED = re.compile(r"(?<![A-Za-z])[A-Za-z]\.[ \u00a0]?[A-Za-z]$")
_HASH = "#"  # before the number of a request, an issue or a place in a list
_LONGEST_STREET = 5  # words of a street's name
_HANGING = " \u00a0–—-·•|"
_KEYCAP = "\u20e3"  # a number in a box, with which a point begins
_SPACES = "[ \u00a0\u202f]"
_SEPARATORS = str.maketrans("", "", ".,'\u00a0\u202f")  # within a number
_GREATER = 10  # times, from which on a figure is shown without others of its kind
_FEWEST_PRICES = 3  # amounts of money, which are a list of prices however they differ
_MONEY, _SHARE, _COUNT = "money", "share", "count"


def find_figure(scene: Scene, part: range) -> str:
    """Return the figure in ``part`` that is worth to be shown, with its unit; empty: none.

    Of several, an amount of money or a share is shown rather than a number of things; of some of a
    kind only one that is many times as great as the others, as else each of them is needed: "the
    cheapest is £1,240, the one that we trust is £1,580". So is each of a list of prices. A share
    beside such amounts is shown only if it says how they compare: "€18,400 of the €26,000, which is
    71 %".
    """
    figures = [figure for word in part if (figure := _find_figure(scene, word, part))]
    shown = [figure for figure in figures if _find_kind(figure) != _COUNT] or figures
    for kind in dict.fromkeys(map(_find_kind, shown)):
        first, *others = sorted(
            (each for each in shown if _find_kind(each) == kind), key=_read_amount, reverse=True
        )
        is_list = kind == _MONEY and len(others) + 1 >= _FEWEST_PRICES
        if not is_list and all(
            _read_amount(first) >= _GREATER * _read_amount(each) for each in others
        ):
            amounts = [each for each in shown if _find_kind(each) == _MONEY]
            return first if kind == _MONEY or _compares(first, amounts) else ""
    return ""


def _compares(share: str, amounts: Sequence[str]) -> bool:
    """Return whether a share says how two of ``amounts`` compare, as part or as change; also if
    there are not several.
    """
    sizes, percent = (
        [_read_amount(each) for each in amounts if _read_amount(each)],
        _read_amount(share),
    )
    ratios = [100 * one / other for one, other in permutations(sizes, 2)]
    return not sizes[1:] or any(
        abs(each - percent) < 1 for ratio in ratios for each in (ratio, abs(ratio - 100))
    )


def _read_amount(figure: str) -> float:
    return parse_amount(figure, len(figure)) or 0.0


def is_money(figure: str) -> bool:
    """Return whether a figure is an amount of money."""
    has_sign = any(unicodedata.category(sign) == "Sc" for sign in figure)
    return has_sign or _IN_MONEY.search(figure) is not None


def _find_kind(figure: str) -> str:
    """Return what a figure is: an amount of money, a share, or a number of things."""
    if is_money(figure):
        return _MONEY
    return _SHARE if figure[-1] in _UNITS else _COUNT


def _find_figure(scene: Scene, word: int, part: range) -> str:
    """Return the figure ``word`` with its unit; empty if it is none that may be shown alone.

    A year is none, nor a day of a month, nor a version, nor a number that names something, as in
    "§ 543 Abs. 2" and "React 19", nor one of a span, as in "9h to 17h", nor what others are a share
    of, as in "of 640 loans", nor a small number that counts what is not shown with it, as in "11 in
    favour".
    """
    text = _read_number(scene.words[word].strip(AROUND).rstrip(_HANGING))
    is_long = _is_scaled(text) or _names_currency(text)
    if (
        len(text) > (_LONGEST_SCALED if is_long else _LONGEST_FIGURE)
        or _YEAR.fullmatch(text)
        or parse_amount(text, len(text) if is_long else _LONGEST_UNIT) is None
        or text in "0123456789"
        or _KEYCAP in text
        or text.startswith(_HASH)
        or _RANK.fullmatch(text)
        or _LEADING_ZERO.fullmatch(text)  # a time or a code: 0730
        or (_INITIAL.search(scene.words[word]) and word not in scene.sentence_ends)
        or _names_something(scene, word)
        or _is_day(scene, word)
        or _JOINED.search(text)
        or _is_code(text)
        or (_VERSION.fullmatch(text) and not _GROUPED.fullmatch(text))
        or _is_house(scene, word)
        or _is_aside(scene, word)
        or _is_basis(scene, word)
        or _is_before_noun(scene, word, part)
    ):
        return ""
    measured = _read_unspaced_unit(scene, word, part)
    text, unit = measured or text, "" if measured else _find_unit_after(scene, word, part)
    if (
        _goes_on(scene, word, unit)
        or (not unit and _is_emergency(scene, word))
        or _is_postcode(scene, word)
        or _is_reading_time(scene, word)
        or _is_of_a_span(scene, word, unit)
        or _is_an_end(scene, word, unit)
        or _ends_name(scene, word, unit)
        or _is_released(scene, word)
        or _is_code_of_something(scene, word, unit)
    ):
        return ""
    is_bare = not unit and text.translate(_SEPARATORS).isdecimal()
    if is_bare and word - 1 in part and scene.words[word - 1].isdecimal():
        return ""  # the last group of a number that names something: "SC 448 210"
    least = _LEAST_BEFORE_NOUN if _counts_next(scene, word, part) else _LEAST_ALONE
    if is_bare and (parse_amount(text) or 0) < least:
        return ""
    text = f"{_find_sign_before(scene, word, part)}{text}" if is_bare else text
    shown = f"{text}\u00a0{unit}" if unit else text
    is_dotted = _DOTTED.search(shown) and scene.words[word].rstrip(_CLOSING).endswith(".")
    return f"{shown}." if is_dotted else shown


def _find_sign_before(scene: Scene, word: int, part: range) -> str:
    """Return the sign of a currency before ``word`` where the country, and with it the currency,
    is not known, with a space: ``Rs.``; empty: there is none."""
    before = scene.words[word - 1] if word - 1 in part else ""
    is_sign = before in countries.LOCAL_SIGNS and before.rstrip(".")[1:].isalpha()
    return f"{before}\u00a0" if is_sign else ""


def _is_code(text: str) -> bool:
    """Return whether a word is a name with a number in it."""
    match = _CODE.fullmatch(text)
    is_amount = match and (match["before"] in _PRICED or match["after"] in UNITS)
    return bool(match) and not is_amount


def _read_number(text: str) -> str:
    """Return a word with a figure; of one in a script without spaces the number and its counter,
    and nothing of an ordinal."""
    if not tokens.count_wide_signs(text) or not (match := _UNSPACED.search(text)):
        return text
    is_dated = _DATED.match(text, match.start()) or _GOES_ON.match(text, match.end("number"))
    before = text[: match.start()]
    if is_dated or before.endswith(_ORDINAL) or _BEGUN_CODE.search(before):
        return ""
    counted = match["counted"]
    return match["number"] + (counted if len(counted) <= _LONGEST_COUNTER else "")


def _read_unspaced_unit(scene: Scene, word: int, part: range) -> str:
    """Return a figure with its currency, or its unit, in a script without spaces, whose words may
    be cut between them or within: ``3.12万`` and ``美元``; empty: it has none."""
    text = scene.words[word]
    for at in range(word + 1, min(word + _LONGEST_CUT, part.stop)):
        if at - 1 in scene.sentence_ends:
            break
        text += scene.words[at] if tokens.is_glued(scene.words[at]) else f" {scene.words[at]}"
    match = _UNSPACED_UNIT.search(tokens.join_words([text]))
    is_own = match and match.start() < len(scene.words[word].removeprefix(GLUE))
    return match[0].replace(" ", "\u00a0") if match and is_own else ""


def _goes_on(scene: Scene, word: int, unit: str) -> bool:
    """Return whether another figure follows ``word`` and its unit, which says the rest: "8 h 15",
    "1 kg 200"."""
    texts = scene.words[word : word + 3]
    at = 2 if unit and [each.strip(AROUND) for each in texts[1:2]] == [unit] else 1
    has_more = at < len(texts) and word + at - 1 not in scene.sentence_ends
    has_unit = at == 2 or not texts[0][-1].isdecimal()
    return has_more and has_unit and texts[at - 1][-1].isalnum() and texts[at][0].isdecimal()


def _is_basis(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is what others are a share of: "Of 640 loans, three", "of
    the 602 households, 71 %", "one fault in 53 loans"."""
    before = [each.strip(AROUND).casefold() for each in scene.words[:word]]
    of = small_words.list_words_of_belonging()
    at = next((at for at in range(word - 1, max(-1, word - 3), -1) if before[at] in of), None)
    if at is not None:
        begins = at == 0 or at - 1 in scene.sentence_ends
        return begins or scene.words[at - 1].endswith((*STOPS, *COMMAS))
    shares = small_words.list_number_words().intersection(before[-_SPAN:-1])
    return bool(shares) and leads(scene.words[word - 1])


def _is_before_noun(scene: Scene, word: int, part: range) -> bool:
    """Return whether the figure ``word`` with its unit only says of which kind what follows is:
    "the 2h induction", "a 5kg bag"."""
    has_unit = re.fullmatch(r"\d[\d.,]*[A-Za-z]{1,3}", scene.words[word]) is not None
    return has_unit and _counts_next(scene, word, part)


def _counts_next(scene: Scene, word: int, part: range) -> bool:
    """Return whether what the figure ``word`` counts, or is a kind of, follows it."""
    is_last = word + 1 not in part or word in scene.sentence_ends
    following = "" if is_last else scene.words[word + 1]
    is_noun = following[:1].isalpha() and scene.words[word][-1].isalnum()
    return is_noun and not (leads(following) or opens_phrase(following))


def _names_something(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is the name of something: after a section sign, a word for
    what has numbers ("page 240") or an abbreviation ("Nr. 5"), or before one ("543 Abs. 2")."""
    before = scene.words[word - 1] if word else ""
    after = scene.words[word + 1] if word + 1 < len(scene.words) else ""
    words = merge_words(Everywhere)
    numbered = (words.number_names | words.letter_names) - words.stages
    return (
        _SECTION in (*before, *scene.words[word])
        or before.strip(AROUND).lower() in numbered
        or after.strip(AROUND).lower().replace("’", "'") in words.named_by_number
        or (before.endswith(".") and word - 1 not in scene.sentence_ends)
        or (
            after.endswith(".")
            and word + 1 not in scene.sentence_ends
            and any(map(str.isalpha, after))
        )
    )


def _is_emergency(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is one to call, as one after "Police:" may be."""
    known, bare = merge_words(Addresses).emergency, scene.words[word].strip(AROUND)
    said = scene.words[max(0, word - 1) : word]
    if len(bare) == _DIGITS_TO_CALL and bare.isdecimal():
        first = max((end + 1 for end in scene.sentence_ends if end < word), default=0)
        said = scene.words[max(first, word - _BEFORE_A_CALL) : word]
    return not known.isdisjoint(each.strip(f"{AROUND}\u00a0").lower() for each in said)


def _is_postcode(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` stands before the name of its place: "in 10115 Berlin",
    "Seestrasse 4, 8008 Zürich"."""
    before = scene.words[word - 1] if word else ""
    after = scene.words[word + 1] if word + 1 < len(scene.words) else ""
    if word in scene.sentence_ends or not after[:1].isupper() or after.strip(AROUND).isupper():
        return False
    if before.endswith(",") or not before or word - 1 in scene.sentence_ends:
        digits = _POSTCODE if before.endswith(",") else _POSTCODE_OF_FIVE
        return digits.fullmatch(scene.words[word]) is not None
    leads_to_place = before.casefold() in small_words.list_prepositions()
    return leads_to_place and _POSTCODE_OF_FIVE.fullmatch(scene.words[word]) is not None


def _is_reading_time(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` says how many minutes a text takes to read: "4 min read",
    "Lesezeit: 4 Min.", which only stands beside what is said."""
    number, after = scene.words[word], word + 1
    if number.strip(AROUND).isdecimal():
        number, after = f"{number}\u00a0{' '.join(scene.words[after : after + 1])}", after + 1
    if not _MINUTES.match(number.casefold()):
        return False
    near = (*scene.words[max(0, word - _SPAN) : word], *scene.words[after : after + 2])
    known = merge_words(Everywhere).reading_time
    return not known.isdisjoint(each.strip(f"{AROUND}\u00a0").casefold() for each in near)


def _ends_name(scene: Scene, word: int, unit: str) -> bool:
    """Return whether the number ``word`` is the end of a name: "React 19", "a Boeing 747".

    A name has a capital that no sentence begins with, or one within. What follows such a number is
    what it counts if it is a measure or, as nouns in German are, written with a capital.
    """
    before = scene.words[word - 1].lstrip(AROUND) if word else ""
    begins = word < 2 or word - 2 in scene.sentence_ends
    is_name = bool(_INNER.fullmatch(before)) or (before[:1].isupper() and not begins)
    measures = (*_UNITS, *small_words.list_scale_words(), *UNITS)
    is_counted = unit[:1].isupper() or unit in measures or not any(map(str.isalpha, unit or "a"))
    return (
        is_name
        and before[-1:].isalnum()
        and scene.words[word].strip(AROUND).isdecimal()
        and not is_counted
    )


def _is_released(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is the version of what begins the sentence, of which the
    word after it says what it brings: "Electron 15 ships with", "Python 3.12 drops"."""
    begins = word == 1 or (word > 1 and word - 2 in scene.sentence_ends)
    name = scene.words[word - 1].strip(AROUND)
    after = [each.casefold() for each in scene.words[word + 1 : word + 3]]
    if not (begins and name[:1].isupper() and len(after) > 1):
        return False
    releases, small = merge_words(Grammar).releases, merge_words(Lines).rarely_end_with
    others = small | small_words.list_opening_words() | small_words.list_binding_words()
    return (
        _RELEASE.fullmatch(scene.words[word]) is not None
        and after[0] in releases
        and name.casefold() not in releases | others | small_words.list_leaning_words()
        and after[1] not in small_words.list_words_of_belonging()  # 15 drops of oil
    )


def _is_code_of_something(scene: Scene, word: int, unit: str) -> bool:
    """Return whether the number ``word`` is one of texts and calls, a PIN or the like."""
    first = max((end + 1 for end in scene.sentence_ends if end < word), default=0)
    last = min((end + 1 for end in scene.sentence_ends if end >= word), default=len(scene.words))
    return codes.is_code(scene.words[first:last], word - first, unit)


def _is_day(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is the day of a month: "31 January", "March 3"."""
    beside = (*scene.words[max(0, word - 1) : word], *scene.words[word + 1 : word + 2])
    months = small_words.list_month_words()
    return any(each.strip(AROUND).casefold() in months for each in beside)


def _is_house(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is that of a house: "Av. Paulista, 900"."""
    if not scene.words[word].strip(AROUND).isdecimal():
        return False
    small = merge_words(Everywhere).within_names
    for at in range(word - 1, max(-1, word - 1 - _LONGEST_STREET), -1):
        written = scene.words[at]
        if written.lower() in abbreviations.list_street_words():
            return at < word - 1
        if not (written[:1].isupper() or written in small):
            return False
    return False


def _is_aside(scene: Scene, word: int) -> bool:
    """Return whether the figure ``word`` stands in brackets, as what is said besides does, or goes
    on with a name whose signs are parted: KT-120."""
    first = max((end + 1 for end in scene.sentence_ends if end < word), default=0)
    before = tokens.join_words(scene.words[first : word + 1])
    text = scene.words[word].strip(AROUND)
    before = before[: before.rfind(text)] if text in before else before
    is_open = sum(map(before.count, _OPENING)) > sum(map(before.count, _CLOSING))
    return is_open or _BEGUN_CODE.search(before) is not None


def _find_unit_after(scene: Scene, word: int, part: range) -> str:
    """Return the unit after the figure ``word``: a sign such as "%", or the word that it counts, if
    a phrase ends there; empty if there is none."""
    written, text = scene.words[word], scene.words[word].strip(AROUND)
    if word + 1 not in part or written[-1:] != text[-1:]:
        return ""
    following = scene.words[word + 1]
    if following.startswith(tuple(_OPENING)):
        return ""
    unit = following.strip(AROUND)
    if unit and all(sign in _UNITS or unicodedata.category(sign) == "Sc" for sign in unit):
        return unit
    currencies = merge_words(Everywhere).currency_words
    if unit.casefold() in small_words.list_scale_words():
        last = scene.words[word + 2].strip(AROUND) if word + 2 in part else ""
        is_amount = following == unit and last.casefold() in currencies
        return f"{unit}\u00a0{last}" if is_amount else unit  # 3.4 करोड़ रुपये
    if unit.casefold() in currencies and not is_rate(scene.words, word):
        return unit
    if word + 2 in part and is_rate(scene.words, word):  # "£31 a week"
        return f"{unit}\u00a0{scene.words[word + 2].strip(AROUND)}"
    counts = (
        text.translate(_SEPARATORS).isdecimal()
        and len(unit) <= _LONGEST_FIGURE
        and all(unicodedata.category(letter)[0] in "LM" for letter in unit)
        and not leads(following)
        and not small_words.is_verb(unit)
        and (
            word + 2 not in part
            or following.endswith((*STOPS, *COMMAS, ")"))
            or opens_phrase(scene.words[word + 2])
            or leads(scene.words[word + 2])
        )
    )
    return unit if counts else ""


def _is_of_a_span(scene: Scene, word: int, unit: str) -> bool:
    """Return whether another figure with the same unit stands within three words."""
    texts = [written.strip(AROUND) for written in scene.words]
    own = texts[word].lstrip("0123456789.,: \u00a0\u202f")  # a unit without a space: "9h"
    near = {*range(max(0, word - _SPAN), min(word + _SPAN + 1, len(texts)))} - {word}
    return any(
        texts[at][:1].isdigit()
        and bool((own and texts[at].endswith(own)) or (unit and unit in texts[at + 1 : at + 2]))
        for at in near
    )


def _is_an_end(scene: Scene, word: int, unit: str) -> bool:
    """Return whether the figure ``word`` is one end of a range in words, whose other end may have
    its unit: "from 10 am to 5 pm", "8 a 20 h"."""
    texts = [written.strip(AROUND).casefold() for written in scene.words]
    after = word + (2 if unit and texts[word + 1 : word + 2] == [unit.casefold()] else 1)
    if texts[after - 1].endswith(_DASHES):  # which is shown with the word before it
        return _begins_figure(texts[after : after + 1])
    begins = _joins(texts, after) and _begins_figure(texts[after + 1 :][:1])
    ends = _joins(texts, word - 1) and _begins_figure(texts[max(0, word - _SPAN) : word - 1])
    return begins or ends


def _begins_figure(texts: Sequence[str]) -> bool:
    """Return whether one of ``texts`` is a figure, with or without a currency before it."""
    return any(text[:1].isdigit() or parse_amount(text) is not None for text in texts)


def _joins(texts: Sequence[str], word: int) -> bool:
    """Return whether ``word`` stands between the ends of a range: "to", or a dash."""
    is_within = 0 < word < len(texts) - 1
    return is_within and (texts[word] in small_words.list_span_words() or texts[word] in _DASHES)


def _names_currency(text: str) -> bool:
    """Return whether the name of a currency ends ``text``, as in "39,90 Euro"."""
    _, space, last = text.rpartition("\u00a0")
    return space != "" and last.casefold() in merge_words(Everywhere).currency_words


def _is_scaled(text: str) -> bool:
    """Return whether the word for a scale ends ``text``, as in "1.4 million"."""
    return re.split(_SPACES, text)[-1].casefold() in small_words.list_scale_words()
