"""What lines of pasted text begin and end with, for the modules beside this one."""

import re
import unicodedata

FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
SIGN = re.compile(r" {0,3}(?=(?:[✅☑✔✓❌✗✘➡→⇒⭐★☆👉👍🔹🔸🔵🔴🟢🟡⚡📌💡🎯]\ufe0f?)[ \t\u00a0]+\S)")
DASH = re.compile(r" {0,3}–[ \t\u00a0]+(?=\S)")
# Those of an alphabet, by the first of which they count: a) Open, A. Nile, А) Нил, Α) Νείλος.
_ALPHABETS = (
    *("abcdefghij", "ABCDEFGHIJ", "абвгдежзик", "АБВГДЕЖЗИК", "αβγδεζηθ", "ΑΒΓΔΕΖΗΘ"),
    *("أبجدهوزحطي", "אבגדהוזחטי", "कखगघ", "กขคง", "가나다라마바사아", "アイウエオカキク"),
)
LETTER = re.compile(rf" {{0,3}}(?=(?P<place>[a-zA-Z{''.join(_ALPHABETS[2:])}])[.)][ \t]+\S)")
# 1/ Open, 1- Open, 1.- Abrir, 1º Abrir, and without a space before a word with a capital: 1-Open.
NUMBER = re.compile(
    r" {0,3}(?P<place>\d{1,2})(?:(?:[/°]|\.?º| ?\.?[-–])[ \t\u00a0]+(?=[^\W\d])|"
    r"\.?-(?=[^\W\d_a-zß-ÿ][^\W\d_]{2,}(?!-)\b))"
)
_WIDE_NUMBER = re.compile(
    r" {0,3}(?:(?P<place>[①-⑳])|[（(]?(?P<digits>\d{1,2})(?:[）、]|．(?!\d)))[ \u3000]*(?=\S)"
)
_KEYCAP = re.compile(r" {0,3}(?P<place>\d)\ufe0f?\u20e3[ \t\u00a0]*(?=\S)")  # 1️⃣ Open an account
BULLETS, NUMBERS = (DASH, SIGN, LETTER), (NUMBER, _WIDE_NUMBER, _KEYCAP)
# What begins a line that is no line of a paragraph: a mark of Markdown, unlike +44 1632 960123.
MARK = re.compile(
    r" {0,3}(?:[->#|<=~`\[:]|\+(?!\d{1,3}[ (/.\d-])|\$(?!\d)|\*(?=[ \t]|$)|"
    r"\d{1,9}[.)](?:[ \t]|$))|[ \t]|$"
)
UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")
ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}|(?:https?://|www\.)\S{1,255}")
LABEL = re.compile(r"\**[^\W\d_][\w \u3000./&-]{0,24}[ \u00a0]?[:：]")  # Location: Room 4
# A wide colon has its space in itself: 日時：10月12日, 場　所： 中央公園.
_NAME = r"(?P<label>[^\W\d_][\w \u3000/&'’-]{1,24})[ \u00a0]?"
_WIDE, _SPACE = r"(?P<wide>：)", r"[ \u00a0]+"
_VALUE = r"(?P<value>[^\s|].*)"
_FIELD = re.compile(rf"{_NAME}(?::{_SPACE}|{_WIDE}[ \u00a0\u3000]*){_VALUE}")
_BOLD_FIELD = re.compile(
    rf"\*\*{_NAME}(?:(?:\*\*[ \u00a0]?:|[:：]\*\*){_SPACE}|\*\*{_WIDE}[ \u00a0\u3000]*){_VALUE}"
)
COLON_AND_TAB, FEWEST_ROWS = re.compile(r"(?<=[:：])[ \u00a0]?\t+(?=\S)"), 2
# The amount or the time that begins a line: 500 g, ½ tsp, 18:15.
COUNTED = re.compile(
    r" {0,3}(?:[~≈]|ca\. )?[\d¼-¾⅐-⅞][\d.,:/¼-¾⅐-⅞–-]*(?:[a-zA-Z]{1,3}\b)?\s+[^\W\d_]"
)
_MONEY = re.compile(r"\$(?=[ \u00a0]?\d)")
# The price that ends a line: £5.50, 2,40 €/kg, R$ 12, 30 zł.
_CURRENCY = r"(?:[A-Z]{0,3}[$£€¥₹₽₺₴]|zł|Kč|kr|Ft|lei|Rs\.?|[A-Z]{3})"
PRICED = re.compile(
    rf"\s(?:{_CURRENCY}[ \u00a0]?\d[\d.,]*|\d[\d.,]*[ \u00a0]?{_CURRENCY})(?: ?/ ?\w{{1,12}})?\s*$"
)
LONGEST_FIELD, LONGEST_LABEL = 160, 3  # characters; words
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_EVEN = ("`", "$", "*", "**", "_")
SENTENCE_ENDS = tuple(".!?:;…。！？：")
WRAPPED = 60  # characters; a line that is as long may have been wrapped
# The characters at which prose is seldom wrapped, and how many times as long as its last line a
# stanza's lines may be.
NARROW, EVENLY = 45, 1.4
# The most characters of a question above its answer, and the fewest of them.
LONGEST_QUESTION, FEWEST_QUESTIONS, ASKED = 90, 2, ("?", "？", "؟")
FEW = 4  # words of a line of an address or of a signature
# The most words of a title above a paragraph, and the characters that it is narrower than that by.
LONGEST_TITLE, SLACK = 6, 12
# The fewest lines of a verse, and the marks at which its lines go on.
FEWEST_LINES, GOING_ON = 3, (",", ";", "—", "–", "…", "،", "、", "-")
_INITIALS = re.compile(r"[^\W\d_]\. ?[^\W\d_]\.[ *]*$")  # that end no sentence: e. V., S.A.
QUOTED, DASHES = re.compile(r" {0,3}> ?"), ("—", "–", "―", "--")


def find_code(lines: list[str]) -> set[int]:
    """Return the numbers of the lines of fenced code, with those of the fences."""
    found: set[int] = set()
    closing: re.Pattern[str] | None = None
    for at, line in enumerate(lines):
        opening = None if closing else FENCE.match(line)
        if closing or opening:
            found.add(at)
        if opening:
            closing = close_fence(opening)
        elif closing and closing.fullmatch(line):
            closing = None
    return found


def close_fence(opening: re.Match[str]) -> re.Pattern[str]:
    """Return what ends the code that a fence begins."""
    return re.compile(rf" {{0,3}}{opening[1][0]}{{{len(opening[1])},}}[ \t]*")


def find_following(lines: list[str]) -> list[str]:
    """Return for each line the next one with text; empty if there is none."""
    following, result = "", [""] * len(lines)
    for at in reversed(range(len(lines))):
        result[at] = following
        following = lines[at] if lines[at].strip() else following
    return result


def make_plain_items(lines: list[str]) -> list[str]:
    """Return each line as a point of a list."""
    return [f"- {line.strip()}" for line in lines]


def match_field(line: str) -> re.Match[str] | None:
    """Return the label and the value of a line that is a field; None if it is none."""
    match = (
        (_FIELD.fullmatch(line) or _BOLD_FIELD.fullmatch(line))
        if len(line) <= LONGEST_FIELD
        else None
    )
    is_label = (
        match is not None
        and not match["label"][0].islower()
        and len(match["label"].split()) <= LONGEST_LABEL
        and not _is_time(match)
    )
    return match if is_label else None


def _is_time(match: re.Match[str]) -> bool:
    """Return whether a wide colon is that of a time or a ratio, and ends no label: 早上9：30."""
    is_wide = match["wide"] is not None
    return is_wide and match["label"][-1].isdecimal() and match["value"][0].isdecimal()


def is_in_order(matches: list[re.Match[str] | None], before: int = 0) -> bool:
    """Return whether points count from the number of those ``before`` them, if they count."""
    places = [
        match.groupdict().get("digits") or match["place"]
        for match in matches
        if match and "place" in match.re.groupindex
    ]
    numbers = [
        _find_place_of_letter(place)
        if place.isalpha()
        else int(place)
        if place.isdecimal()
        else int(unicodedata.numeric(place))
        for place in places
    ]
    return numbers == list(range(before + 1, before + len(numbers) + 1))


def _find_place_of_letter(letter: str) -> int:
    """Return the place of ``letter`` in its alphabet, from 1; 0: in no other way than by its code,
    as that of the Latin alphabet's second half."""
    alphabet = next((each for each in _ALPHABETS if letter in each), "")
    first = "a" if letter.islower() else "A"
    return alphabet.index(letter) + 1 if alphabet else ord(letter) - ord(first) + 1


def may_stand_alone(line: str) -> bool:
    """Return whether a line is a sentence, a label with its value, a link or a cell,
    not the line of an address.
    """
    is_marked = LABEL.match(line) or ADDRESS.search(line) or "|" in line or "\t" in line
    is_ended = line.rstrip(" *").endswith(SENTENCE_ENDS) and not _INITIALS.search(line)
    return bool(is_marked) or is_ended


def find_first_word(line: str) -> str:
    """Return the first word of a line with text."""
    return line.split(maxsplit=1)[0]


def is_whole_beside_money(text: str) -> bool:
    """Return whether no mark in pairs is open at the end of ``text``, but for signs of dollars."""
    return is_whole(_MONEY.sub("", text))


def is_whole(text: str) -> bool:
    """Return whether no mark that Markdown has in pairs is open at the end of ``text``."""
    return all(text.count(first) == text.count(last) for first, last in _PAIRS) and not any(
        text.count(mark) % 2 for mark in _EVEN
    )
