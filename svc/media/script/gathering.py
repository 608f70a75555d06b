"""Gathering blocks of Markdown that belong together: the turns of a dialogue,
and the lines of contacts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path

from svc.base.text import links
from svc.media.languages import Everywhere, Sentences, merge_words, read_words
from svc.media.script.blocks import Block
from svc.media.text import tokens as words
from svc.media.text.tokens import STRESS, UNSTRESS

_TURN = re.compile(
    (
        rf"{STRESS}?(?P<who>[^\W\d_][\w\u0900-\u097f .'’&-]{{0,23}}?)\s?(?:[:：]{UNSTRESS}?|"
        rf"{UNSTRESS}\s?[:：])\s*(?P<said>\S.*)"
    ),
    re.DOTALL,
)
# The kinds of blocks that are text. A paragraph that begins in bold may be a figure.
_TEXTS = ("prose", "lines", "figure")
_FORENAMES = Path(__file__).with_name("forenames.txt")  # .ci/forenames.py writes it
# The most words of a speaker's name, the fewest turns of a dialogue that asks nothing, and the
# fewest people in it.
_MOST_NAMES, _FEWEST_TURNS, _FEWEST_SPEAKERS = 3, 3, 2
_ASKED = ("?", "？", "؟")
_STOPS, _CLOSERS = (".", "!", "…", "。", "！", "।", "۔", *_ASKED), ")”»“\"'’"
_WORD = re.compile(r"[^\W\d_][\w\u0900-\u097f]*")
_TOP_LEVELS = "com|org|net|edu|gov|info|io|dev|app|example|[a-z]{2}"
# The ways to reach somebody, from the surest to the least sure.
_PATTERNS = {
    "mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "globe": re.compile(
        rf"(?:https?://|www\.)\S+|(?<![\w@.])(?:[a-z0-9-]+\.)+(?:{_TOP_LEVELS})\b(?:/\S*)?(?!\.?\w)"
    ),
    "phone": re.compile(r"(?<![\w.,:/-])(?:\+|00)?\(?\d(?:[ \xa0()./–-]{0,2}\d){6,14}(?![\w:])"),
    "clock": re.compile(
        r"\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?\s?m\.?|uhr|h|Uhr)?\s?(?:[-–—]|to|bis|à|a|til|tot|do)\s?"
        r"\d{1,2}(?:[:.]\d\d|\s?(?:[ap]\.?\s?m\b|uhr\b|h\b))",
        re.IGNORECASE,
    ),
}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
SIGNS = {  # what stands before a line of contacts, and its icon
    **dict.fromkeys("📞☎📱📲☏✆", "phone"),
    **dict.fromkeys("✉📧📨📩📬📮🖂", "mail"),
    **dict.fromkeys("🕒🕐🕘🕙⏰🕔⌚🕗⏱🕓", "clock"),
    **dict.fromkeys("🌐🌍🔗💻🌎🌏", "globe"),
    **dict.fromkeys("📍🏠🏢🗺🏛🚩", "map-pin"),
}
_LEADING = re.compile(r"^(?P<sign>[^\w\s+(]\ufe0f?)\s*")
_BESIDE = 40  # characters beside an address or a number, in a line of contacts
_LONGEST = 100  # characters of such a line
_APART = re.compile(r"\s[·|•–]\s|[,;]\s")
_BEFORE_SIGN = re.compile(rf"\s+(?=[{''.join(SIGNS)}]\ufe0f?\s)")


@dataclass(frozen=True)
class _Line:
    text: str
    icon: str
    address: str = ""


def gather_blocks(blocks: Sequence[Block], language: str) -> Iterator[Block]:
    """Yield ``blocks`` with each dialogue, and all contacts that follow one another,
    as one block.
    """
    for are_contacts, group in groupby(blocks, key=lambda block: bool(_read_contacts(block))):
        run = list(group)
        lines = [line for block in run for line in _read_contacts(block)]
        if are_contacts and len({line.icon for line in lines if line.icon}) > 1:
            address = next((line.address for line in lines if line.address), "")
            yield Block(
                "contact",
                "",
                address,
                tuple((line.text, line.icon and f"line:{line.icon}") for line in lines),
            )
        else:
            yield from _gather_dialogues(run, language)


def _list_lines(block: Block) -> list[str]:
    """Return the lines of a block that keeps them, and any other as one."""
    return block.text.split("\n") if block.kind == "lines" else [block.text]


def _read_contacts(block: Block) -> list[_Line]:
    """Return the lines of a block that says how to reach somebody; none if it is anything else."""
    if block.kind not in (*_TEXTS, "point") or block.level or block.label.strip(".)").isdecimal():
        return []
    by_line = [_split_contacts(words.clean(line)) for line in _list_lines(block)]
    named = [lines for lines in by_line if any(line.icon for line in lines)]
    return [line for lines in by_line for line in lines] if 2 * len(named) >= len(by_line) else []


def _split_contacts(text: str) -> list[_Line]:
    if len(text) > _LONGEST:
        return []
    signed = _BEFORE_SIGN.split(text)  # 📍 Quay Street 12 ☎ 01632 960 123
    lines = [
        _read_contact(part.strip()) for part in (signed if len(signed) > 1 else _APART.split(text))
    ]
    several = len({line.icon for line in lines if line.icon}) > 1 and all(
        len(line.text) <= _BESIDE for line in lines
    )
    return lines if several else [_read_contact(text)]


def _read_contact(text: str) -> _Line:
    """Return a line with its icon; without one if it names no way to reach somebody."""
    leading = _LEADING.match(text)
    sign = SIGNS.get(leading["sign"].strip("\ufe0f"), "") if leading else ""
    bare = text[leading.end() :] if leading and sign else text
    for icon, pattern in _PATTERNS.items():
        match = pattern.search(bare)
        if (
            match
            and not _is_sentence(bare, match)
            and not (icon == "phone" and _DATE.search(match[0]))
        ):
            return _Line(bare, sign or icon, links.add_scheme(match[0]) if icon == "globe" else "")
    return _Line(bare, sign)


def _is_sentence(text: str, match: re.Match[str]) -> bool:
    """Return whether more than a label and a few words stand around what was found."""
    before, after = text[: match.start()].rstrip(), text[match.end() :].strip(" .,;)")
    if len(before) + len(after) > _BESIDE:
        return True
    is_labelled = (
        not before
        or before[-1] in ":：·|–-("
        or len(before.split()) == 1
        or match.re is _PATTERNS["clock"]
    )
    return not is_labelled and (bool(after) or len(before.split()) > 2)


def _gather_dialogues(run: list[Block], language: str) -> Iterator[Block]:
    for are_turns, group in groupby(
        run, key=lambda block: all(map(_split_turn, _list_spoken_lines(block)))
    ):
        blocks = list(group)
        turns = [
            turn
            for block in blocks
            for line in _list_spoken_lines(block)
            if (turn := _split_turn(line))
        ]
        yield from (
            [Block("dialogue", "", rows=tuple(turns))]
            if are_turns and _is_dialogue(turns, language)
            else blocks
        )


def _list_spoken_lines(block: Block) -> list[str]:
    return _list_lines(block) if block.kind in _TEXTS and not block.within_item else [""]


def _split_turn(line: str) -> tuple[str, str] | None:
    """Return who speaks and what is said; None if ``line`` is no turn of a dialogue."""
    match = _TURN.fullmatch(line.strip())
    if not match or match["who"][0].islower() or len(match["who"].split()) > _MOST_NAMES:
        return None
    return match["who"].strip(), match["said"]


def _is_dialogue(turns: Sequence[tuple[str, str]], language: str) -> bool:
    """Return whether several speak in turn: half of them again, or all of them have names or roles
    of speakers and one asks or speaks of himself, in sentences, or the first asks. What stands
    before a colon is a label otherwise: "Price", "Known issues"."""
    times = Counter(who.casefold() for who, _ in turns)
    changes = sum(one[0].casefold() != other[0].casefold() for one, other in pairwise(turns))
    if len(times) < _FEWEST_SPEAKERS or 2 * changes < len(turns) - 1:
        return False
    again = sum(number > 1 for number in times.values())
    if len(turns) >= _FEWEST_TURNS and 2 * again >= len(times):
        return True
    return all(_is_speaker(who, language) for who, _ in turns) and (
        (len(turns) >= _FEWEST_TURNS and again > 0) or _is_spoken(turns, language)
    )


def _is_spoken(turns: Sequence[tuple[str, str]], language: str) -> bool:
    said = [words.clean(text).rstrip(_CLOSERS) for _, text in turns]
    own = read_words(language, Sentences).first_person
    return said[0].endswith(_ASKED) or (
        all(text.endswith(_STOPS) for text in said)
        and any(
            text.endswith(_ASKED) or not own.isdisjoint(_WORD.findall(text.casefold()))
            for text in said
        )
    )


@cache
def _load_forenames() -> frozenset[str]:
    lines = _FORENAMES.read_text(encoding="utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def _is_speaker(who: str, language: str) -> bool:
    """Return whether ``who`` is a person: a forename, maybe with a surname, a title and a name, or
    what one who speaks is called, maybe with a number: "Customer 2"."""
    everywhere, known = merge_words(Everywhere), read_words(language, Sentences)
    if len(who) == 1:  # Q and A, A and B
        return True
    first, *others = words.clean(who).split()
    if not all(other[:1].isupper() or other.isdecimal() for other in others):
        return False
    is_titled = bool(others) and first.rstrip(".") in everywhere.person_titles
    is_named = first in _load_forenames() or first.casefold() in known.speakers
    return is_titled or is_named
