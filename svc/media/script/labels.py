"""Headings without the mark of one: a line in bold above a text, a few words above a list, and
numbers of sections.

People write ``**What to bring**``, ``1. Scope``, or no marks at all. Run together with the text
around them, such words would be part of its first sentence, and the list would be shown without
what it is of.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from markdown_it.token import Token

from svc.base.text import alerts
from svc.media.script import law_titles, phrases
from svc.media.script.blocks import Block
from svc.media.text import tokens as words
from svc.media.text.amounts import is_amount

LABEL = "label"  # the kind of a block that is a line in bold by itself
END = "end"  # of a block: what follows is not of the heading above it
LEVEL = 6  # of the heading that such a line is: below those with a mark
LONGEST = 60  # characters
_LONGEST_OF_TEXT = 40  # of one above a text, which may have a dateline in bold as well
_LONGEST_QUESTION = 90  # of one that asks what the text after it answers, as in a FAQ
_BREAKS = ("softbreak", "hardbreak")
_COLONS = ":："
# A sentence with a colon leads to a list as it is, and "Spectators: 640" to none.
_COLON = re.compile(r"[:：](?:\s|$)")
_STOPS = tuple(".!?…;,。！？；，、।؟،؛۔")
_ASKED = ("?", "？", "؟")
_NUMBER = re.compile(r"(\d{1,2})[.)]")
_ORDINAL = re.compile(r"^\d{1,2}\. ")  # of a question: 1. kérdés: Melyik?
_COUNTED = re.compile(r"[^\W\d_]*[a-zß-ÿ][^\W\d_]+[ \u00a0]\d{1,2}")  # Part 1, Week 12
_FEWEST_NUMBERED = 2  # sections, to tell them from a list of a single point
# Labels, of which two others show how far the last one goes; and the characters of a text after
# that: less is its close.
_FEWEST_LABELS, _LEAST_AFTER = 3, 40
# What ends the last label, where the text below each of the others is one block.
_AFTER_LAST = ("prose", "lines", "contact")
# What such a line is the heading of, and what else it introduces.
_TEXTS = ("prose", "lines", "figure", "quote", "formula", "alert", "dialogue", "image")
_LISTS = ("point", "table", "contact", "pictures", "code", "flow")


def find_end(inline: Token) -> int:
    """Return the number of the child of ``inline`` at which its first line ends, if that is all in
    bold; of all of its children if it has one line. 0: it is not."""
    children = inline.children or []
    end = next((at for at, child in enumerate(children) if child.type in _BREAKS), len(children))
    filled = [child for child in children[:end] if child.type != "text" or child.content.strip()]
    levels = [child.type for child in filled]
    is_bold = levels[:1] == ["strong_open"] and levels[-1:] == ["strong_close"]
    return end if is_bold and levels.count("strong_open") == 1 else 0


def may_be_label(text: str, language: str) -> bool:
    """Return whether a line in bold may be a heading: a few words that are no sentence but a
    question, no figure and no title of an alert."""
    bare = words.clean(text).rstrip(_COLONS).strip()
    titles = {phrases.find_alert_title(kind, language).casefold() for kind in alerts.KINDS}
    return (
        (_is_short(bare) or _is_question(bare))
        and not bare.startswith("⚠")
        and bare.casefold() not in titles
        and (_COUNTED.fullmatch(bare) is not None or not is_amount(bare))
    )


def place_labels(blocks: Sequence[Block], language: str) -> Iterator[Block]:
    """Yield ``blocks`` with each label as the heading of the text after it, or as what introduces a
    list; a label above neither is prose. So is a short line or a question above a list, which
    introduces it. The title of a part of a law is the heading of what follows. Below a heading in
    bold, one above a list is a heading as well: what comes after the list is not of the first.
    Where each label has but one paragraph or list, what comes after that of the last has none.
    """
    is_below_label = False  # whether the last heading is a line in bold
    listed = _end_last_label(_read_numbered(blocks))
    for block, following in pairwise([*listed, Block("", "")]):
        is_above = following.kind in (*_TEXTS, *_LISTS, LABEL, "heading")
        if (
            block.kind in (*_TEXTS[:1], "figure", LABEL)
            and is_above
            and not block.within_item
            and (
                law_titles.is_law_title(block.text, language)
                or law_titles.is_item_title(block.text, language)
            )
        ):
            yield Block("heading", words.clean(block.text).rstrip(_COLONS), level=LEVEL)
        elif block.kind == LABEL and (
            _is_heading_of(block.text, following)
            or (is_below_label and _is_heading_of_list(block.text, following))
        ):
            is_below_label = True
            heading = words.clean(block.text).rstrip(_COLONS).rstrip()
            yield replace(block, kind="heading", text=heading, level=LEVEL)
        elif block.kind == LABEL or (block.kind == "prose" and not block.within_item):
            is_above = following.kind in _LISTS and not following.level
            bare = words.clean(block.text)
            introduces = is_above and (_is_short(bare.rstrip(_COLONS)) or _is_question(bare))
            is_said = block.kind != LABEL and _COLON.search(bare)
            yield replace(block, kind="prose", introduces=introduces and not is_said)
        else:
            is_below_label = is_below_label and block.kind != "heading"
            yield block


def _end_last_label(blocks: list[Block]) -> list[Block]:
    """Return ``blocks`` with an end after the first paragraph or list of the last label, if each
    label before it has no more than one, and the text after it is not just a word or two."""
    begins = 1 + max((at for at, block in enumerate(blocks) if block.kind == "heading"), default=-1)
    at_labels = [at for at in range(begins, len(blocks)) if blocks[at].kind == LABEL]
    if len(at_labels) < _FEWEST_LABELS:
        return blocks
    *units, last = (
        _find_units(blocks, first + 1, end) for first, end in pairwise([*at_labels, len(blocks)])
    )
    if any(len(each) != 1 for each in units) or len(last) < 2:
        return blocks
    end = last[1]
    lead, rest = words.clean(blocks[end - 1].text), blocks[end:]
    # A list right after its text may be of the label, too.
    is_tail = rest[0].kind in _AFTER_LAST and not any(block.within_item for block in rest[:1])
    length = sum(words.measure_display_length(words.clean(block.text)) for block in rest)
    is_long = length >= _LEAST_AFTER or any(block.kind != "prose" for block in rest)
    if not is_tail or lead.endswith(tuple(_COLONS)) or not is_long:
        return blocks
    return [*blocks[:end], Block(END, ""), *rest]


def _find_units(blocks: Sequence[Block], first: int, end: int) -> list[int]:
    """Return where each paragraph, list or visual begins among ``blocks`` from ``first`` on."""
    return [
        at
        for at in range(first, end)
        if not (blocks[at].within_item or blocks[at].level)
        and not (at > first and blocks[at].kind == blocks[at - 1].kind == "point")
    ]


def _read_numbered(blocks: Sequence[Block]) -> list[Block]:
    """Return ``blocks`` with the numbers of sections as headings: Markdown takes ``1. Scope`` for a
    list, but each stands alone above a text, and the next one counts on."""
    alone = [
        at
        for at, (before, block, following) in enumerate(
            zip([Block("", ""), *blocks], blocks, [*blocks[1:], Block("", "")], strict=False)
        )
        if _find_number(block)
        and not (_find_number(before) or _find_number(following))
        and following.kind in (*_TEXTS, *_LISTS, LABEL)
        and not (following.within_item or following.level)
        and _may_be_section(block.text)
    ]
    numbers = [_find_number(blocks[at]) for at in alone]
    if len(alone) < _FEWEST_NUMBERED or numbers != list(range(1, len(alone) + 1)):
        return list(blocks)
    return [
        Block("heading", f"{block.label} {words.clean(block.text)}".rstrip(_COLONS), level=LEVEL)
        if at in alone
        else block
        for at, block in enumerate(blocks)
    ]


def _find_number(block: Block) -> int:
    """Return the number of a point of a list that is in no other; 0: it has none."""
    match = _NUMBER.fullmatch(block.label) if block.kind == "point" and not block.level else None
    return int(match[1]) if match else 0


def _may_be_section(text: str) -> bool:
    bare = words.clean(text).rstrip(_COLONS).strip()
    return _is_short(bare) or _is_question(bare)


def _is_heading_of(text: str, following: Block) -> bool:
    bare = words.clean(text)
    if following.within_item or following.level:
        return False
    if _is_question(bare):
        return following.kind in (*_TEXTS, *_LISTS)
    return following.kind in _TEXTS and words.measure_display_length(bare) <= _LONGEST_OF_TEXT


def _is_heading_of_list(text: str, following: Block) -> bool:
    is_list = following.kind in _LISTS and not (following.level or following.within_item)
    bare = words.clean(text).rstrip(_COLONS).strip()
    return is_list and words.measure_display_length(bare) <= _LONGEST_OF_TEXT and _is_short(bare)


def asks(label: str) -> bool:
    """Return whether a line in bold is a question, which even a text without a capital answers."""
    return _is_question(words.clean(label))


def _is_question(text: str) -> bool:
    """Return whether ``text`` asks, and nothing else: the answer is the text after it."""
    is_line = words.measure_display_length(text) <= _LONGEST_QUESTION and text.endswith(_ASKED)
    asked = _ORDINAL.sub("", text[:-1], count=1)
    return is_line and not any(stop in asked for stop in (*_ASKED, ". ", "! "))


def _is_short(text: str) -> bool:
    is_line = 0 < words.measure_display_length(text) <= LONGEST and not text.endswith(_STOPS)
    return is_line and any(map(str.isalpha, text))
