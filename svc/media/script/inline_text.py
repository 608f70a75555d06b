"""Reading a line of Markdown as plain text: without markup, struck text and pictures,
with raised and lowered figures.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from markdown_it.token import Token

from svc.base.text import html_text, inline_marks
from svc.base.text.markdown import UNDEFINED_NOTE
from svc.media.maths import reading
from svc.media.text.tokens import STRESS, UNSTRESS, mark_as_read

_STRESSES = {
    "strong_open": STRESS,
    "em_open": STRESS,
    "strong_close": UNSTRESS,
    "em_close": UNSTRESS,
}
_STRESSES |= {"mark_open": STRESS, "mark_close": UNSTRESS}
_SHIFTS = {"sup_open": "^", "sup_close": "^", "sub_open": "~", "sub_close": "~"}
_OPENS = ("sup_open", "sub_open")
_SIGNS = {
    "^": str.maketrans("0123456789+-−=n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼ⁿ"),
    "~": str.maketrans("0123456789+-−=", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌"),
}
# A raised exponent or ending. Anything else between two ^ is arithmetic: a^2+b^2.
_SHIFTED = re.compile(r"[+\-−]?\w{1,12}[+\-−]?")
_WORD = re.compile(r"[^\W\d_n]")  # a letter beside n: 2^nd^ is no power of 2
_TASK = "task-list-item-checkbox"
_LEFT_OUT = ("image", "footnote_ref")
_CLOSING = re.compile(r"[.,;:!?…](?!\w)")  # a sign that closes a sentence or a part of it


@dataclass
class InlineText:
    """The text of one heading, paragraph, item or cell, and what it refers to."""

    text: str = ""
    images: list[tuple[str, str]] = field(default_factory=list)  # description and address
    notes: list[int] = field(default_factory=list)  # footnotes that are first cited here
    task: bool | None = None  # of a list of tasks: whether it is done
    formulas: list[str] = field(default_factory=list)  # sources of LaTeX


def read_inline(
    children: Iterable[Token], language: str, line_break: str = " ", hard_break: str = " "
) -> InlineText:
    """Return the text of an inline token's ``children``; emphasised text stands between STRESS and
    UNSTRESS, and formulas are read aloud in ``language``. ``hard_break``: of a line that the writer
    ended, not an editor."""
    result, shifted = InlineText(), None
    parts: list[str] = []
    hidden: list[str] = []
    is_left_out = False  # what stands before: struck, a picture or a footnote
    for child in children:
        if child.type == "html_inline":
            is_left_out = is_left_out or bool(hidden)
            _follow_tag(child.content, hidden, parts, result, hard_break)
            kind = _shift_of(child.content)
            shifted = _shift_script(parts, shifted, kind) if kind and not hidden else shifted
        elif child.type in ("s_open", "s_close"):
            hidden[:] = [*hidden, "~~"] if child.nesting > 0 else hidden[:-1]
            is_left_out = True
        elif hidden:
            continue
        elif child.type in _SHIFTS:
            shifted = _shift_script(parts, shifted, child.type)
        else:
            text = _read_token(
                child, language, {"softbreak": line_break, "hardbreak": hard_break}, result
            )
            if is_left_out and _CLOSING.match(text):
                _strip_end(parts)
            parts.append(text)
            is_left_out = child.type in _LEFT_OUT or (is_left_out and not text)
    result.text = "".join(parts)
    return result


def _strip_end(parts: list[str]) -> None:
    """Remove the spaces at the end, so that a sign closes what stands before the part left out."""
    for at in range(len(parts) - 1, -1, -1):
        parts[at] = parts[at].rstrip()
        if parts[at]:
            return


def _read_token(child: Token, language: str, breaks: Mapping[str, str], result: InlineText) -> str:
    """Return the text of one token; pictures and footnotes are noted in ``result``."""
    if child.type == "text":
        return UNDEFINED_NOTE.sub("", child.content)
    if child.type == "code_inline":
        return child.content
    if child.type in inline_marks.FORMULAS:
        result.formulas.append(child.content)
        return mark_as_read(reading.read_formula(child.content, language))
    if child.type in breaks:
        return breaks[child.type]
    if child.type == "image":
        result.images.append(
            (read_inline(child.children or (), language).text, str(child.attrGet("src") or ""))
        )
    elif child.type == "footnote_ref" and not child.meta.get("subId"):
        result.notes.append(child.meta["id"])
    return _STRESSES.get(child.type, "")


def _follow_tag(
    html: str, hidden: list[str], parts: list[str], result: InlineText, line_break: str
) -> None:
    """Keep account of the HTML tags whose text is not shown."""
    name, _ = html_text.parse_tag(html)
    if name == "input" and _TASK in html:
        result.task = 'checked="checked"' in html
    elif name == "br":
        parts.append(line_break)
    html_text.follow(html, hidden)


def _shift_of(html: str) -> str:
    """Return the type that Markdown's own token for a <sup> or <sub> tag would have;
    empty for any other tag.
    """
    name, closes = html_text.parse_tag(html)
    return f"{name}_{'close' if closes else 'open'}" if name in ("sup", "sub") else ""


def _shift_script(parts: list[str], start: int | None, kind: str) -> int | None:
    """Note where raised or lowered text begins, or set it in Unicode's own characters
    when it ends.
    """
    sign = _SHIFTS[kind]
    if kind in _OPENS:
        return len(parts)
    if start is not None:
        text = "".join(parts[start:])
        signs = {
            code: raised
            for code, raised in _SIGNS[sign].items()
            if code != ord("n") or not _WORD.search(text)
        }
        parts[start:] = [
            text.translate(signs) if _SHIFTED.fullmatch(text) else f"{sign}{text}{sign}"
        ]
    return None
