"""Splits the texts of a brief into segments to be translated, each with the lines of one sentence,
and joins them again.

Nothing of a text is lost: what stands between two segments (empty lines, code, the rules of tables)
stays as it is.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from svc.base.text import front_matter

MOST = 1500  # a brief has at most 4,096 characters of notes, and a segment at least three of them
# The most characters of a translated segment, and of a segment's name.
LONGEST_TARGET, LONGEST_NAME = 8192, 100
# The fields of a brief in the order in which they are translated.
FIELDS = ("topic", "subjectOverride", "metadataMD")

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_STANDS_ALONE = re.compile(
    r"[ ]{0,3}(?:#{1,6}(?:[ \t]|$)|[|>]|:[ \t])|[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)|[ ]{0,3}\[\^"
)
_MARK = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+|:[ \t]+|"
    r"\[\^[^\]\n]*\]:[ \t]*)*"
)


class Piece(NamedTuple):
    """A part of a text of a brief.

    ``field``: which text. ``name``: of its segment, such as ``metadataMD-3``; None: it is not
    translated.
    """

    field: str
    name: str | None
    text: str


def split(texts: Mapping[str, str | None]) -> list[Piece]:
    """Return the pieces of a brief's texts, by field."""
    return [piece for field in FIELDS for piece in _split_field(field, texts.get(field) or "")]


def join(texts: Mapping[str, str | None], targets: Mapping[str, str]) -> dict[str, str | None]:
    """Return the texts of a brief with their segments replaced by ``targets``;
    each segment needs one.
    """
    joined: dict[str, str | None] = {}
    for field in FIELDS:
        source = texts.get(field)
        pieces = _split_field(field, source or "")
        joined[field] = (
            "".join(targets[piece.name] if piece.name else piece.text for piece in pieces)
            if source
            else source
        )
    return joined


def _split_field(field: str, text: str) -> Iterator[Piece]:
    number = 0
    for is_translated, piece in (
        _split_markdown(text) if field == "metadataMD" else _split_line(text)
    ):
        number += is_translated
        yield Piece(field, f"{field}-{number}" if is_translated else None, piece)


def _split_line(text: str) -> Iterator[tuple[bool, str]]:
    if text:
        yield any(map(str.isalnum, text)), text


def _split_markdown(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the pieces of Markdown: paragraphs, headings, list items, rows of tables;
    the rest is not translated.
    """
    rest = front_matter.split_front_matter(text)[1]
    if head := text[: len(text) - len(rest)]:
        yield False, head
    for block in _list_blocks(rest):
        yield from _split_marks(block)


def _list_blocks(text: str) -> Iterator[str]:
    """Yield the lines of ``text``, those of a paragraph together, and those of a fence together."""
    fence, waiting = "", ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            waiting += line
            if mark and mark[1].startswith(fence):
                yield waiting
                fence, waiting = "", ""
        elif mark:
            yield waiting
            fence, waiting = mark[1], line
        elif line.isspace() or _STANDS_ALONE.match(line):
            yield waiting
            yield line if line.isspace() else ""
            waiting = "" if line.isspace() else line
        else:
            waiting += line
    yield waiting


def _split_marks(block: str) -> Iterator[tuple[bool, str]]:
    """Yield the mark of a block (``- ``, ``## ``) as it is, then what is translated,
    then its end of line.
    """
    if not block:
        return
    if _FENCE.match(block) or not any(map(str.isalpha, block)):
        yield False, block
        return
    mark = _MARK.match(block)
    start = mark.end() if mark else 0
    inner = block[start:]
    text = inner.rstrip()
    for is_translated, piece in (
        (False, block[:start]),
        (any(map(str.isalpha, text)), text),
        (False, inner[len(text) :]),
    ):
        if piece:
            yield is_translated, piece
