"""Whether a brief's notes say or show anything: without that the video is made of
the topic alone.
"""

import unicodedata
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from markdown_it.token import Token

from svc.base.text import html_text
from svc.base.text.markdown import UNDEFINED_NOTE

_BREAKS = ("softbreak", "hardbreak")
_CODE = ("fence", "code_block")
_SAID_ANYWHERE = frozenset("&%€$£+=@§°")  # besides letters and digits
_SAID_ALONE = frozenset("⇨☑☒✅✓✔✖✗✘❌❎➔➜🗸🗹")  # besides the signs of mathematics, apart from markup
_MARKUP = "|~"
_AROUND = ".,;:!?…\"'”’»)]}*」』）】》\ufe0f"  # what may stand around a sign


class _Line(NamedTuple):
    """What is seen of a line. ``notes``: the footnotes that it cites."""

    text: str
    pictures: list[str]
    notes: list[int]


def is_empty(
    tokens: Sequence[Token], is_title: Callable[[str], bool], pictures: Container[str]
) -> bool:
    """Return whether nothing is left of parsed notes but headings that are the title.

    ``is_title``: tells whether a heading is; ``pictures``: the names of those that the account has.
    """
    end = next(
        (at for at, token in enumerate(tokens) if token.type == "footnote_block_open"), len(tokens)
    )
    notes = _footnotes(tokens[end:])
    for before, token in zip((None, *tokens), tokens[:end], strict=False):
        line = _line(token.children or ())
        heads = (
            before is not None
            and before.type == "heading_open"
            and is_title(" ".join(line.text.split()))
        )
        if _shows(token, line._replace(text="") if heads else line, pictures):
            return False
        if any(
            _shows(part, _line(part.children or ()), ())
            for note in line.notes
            for part in notes.get(note, ())
        ):
            return False
    return True


def picture_name(address: str) -> str:
    """Return the name of an account's picture that an address in a brief stands for."""
    return address.removeprefix("asset:").removeprefix("./")


def is_said(text: str) -> bool:
    """Return whether ``text`` has a letter, a digit or a sign that is spoken by name."""
    return any(_is_said(piece) for piece in text.split())


def _is_said(piece: str) -> bool:
    if any(sign.isalnum() or sign in _SAID_ANYWHERE for sign in piece):
        return True
    sign = piece.strip(_AROUND)
    return len(sign) == 1 and (
        sign in _SAID_ALONE or (unicodedata.category(sign) == "Sm" and sign not in _MARKUP)
    )


def _shows(token: Token, line: _Line, pictures: Container[str]) -> bool:
    if token.type in _CODE:
        return bool(token.content.strip())
    if token.type == "html_block":
        return any(map(is_said, html_text.paragraphs(token.content)))
    return is_said(line.text) or any(name in pictures for name in line.pictures)


def _line(children: Iterable[Token]) -> _Line:
    """Read a line without what is struck or hidden by HTML."""
    line, hidden = _Line("", [], []), list[str]()
    parts: list[str] = []
    for child in children:
        if child.type == "html_inline":
            html_text.follow(child.content, hidden)
        elif child.type in ("s_open", "s_close"):
            hidden[:] = [*hidden, "~~"] if child.nesting > 0 else hidden[:-1]
        elif not hidden and child.type == "image":
            line.pictures.append(picture_name(str(child.attrGet("src") or "")))
        elif not hidden and child.type == "footnote_ref":
            line.notes.append(child.meta["id"])
        elif not hidden and child.type == "text":
            parts.append(UNDEFINED_NOTE.sub("", child.content))
        elif not hidden:
            parts.append(" " if child.type in _BREAKS else child.content)
    return line._replace(text="".join(parts))


def _footnotes(tokens: Iterable[Token]) -> dict[int, list[Token]]:
    """Return the tokens of each footnote by its number."""
    notes: dict[int, list[Token]] = {}
    number = -1
    for token in tokens:
        number = token.meta["id"] if token.type == "footnote_open" else number
        notes.setdefault(number, []).append(token)
    return notes
