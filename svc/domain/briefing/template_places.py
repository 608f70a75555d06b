"""What stands around each variable of notes in Markdown, and the form of a value there: where a
backslash would be seen and said, such as in code, a value stands without one.
"""

import functools
import html
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from svc.base.text import mermaid
from svc.base.text.inline_marks import FORMULAS
from svc.base.text.markdown import build_brief_reader

# Signs of what is more than text; notes that have none of them are not parsed.
_WORTH_PARSING = ("`", "~~~", "    ", "\t", "<", "](", "]:", "$", "\\(", "\\[", "::")
_BLOCKS, _CELLS = ("fence", "code_block"), ("th_open", "td_open")
_ADDRESSES = ("href", "src")
_TICK, _WAVE = "\u02cb", "\u223c"  # which look like a backtick and a tilde, and end nothing
_IN_SPAN, _IN_FENCE = str.maketrans("`", _TICK), str.maketrans("`~", _TICK + _WAVE)
# What begins or ends something in a diagram, by what looks like it.
_IN_DIAGRAM = str.maketrans('[]{}|<>";`', "［］｛｝｜＜＞”；" + _TICK)
_IN_ADDRESS = str.maketrans({" ": "%20", "(": "%28", ")": "%29"})
_IN_LINK = str.maketrans({" ": "%20", "<": "%3C", ">": "%3E"})
# What a variable is replaced by to find its place: more of them than a text can have. A number may
# stand anywhere, and one of so many digits begins no list.
_MARKS = tuple(f"4700811369{number:04}" for number in range(1000))


class Place(Enum):
    """Where in Markdown a variable stands."""

    TEXT = "text"
    CODE = "a block of code"
    SPAN = "code within a line"
    CELL = "code within a cell of a table"
    DIAGRAM = "a diagram of Mermaid"
    FORMULA = "a formula"
    ADDRESS = "the address of a link or of a picture"
    LINK = "an address that is shown, between < and >"
    BRACKETS = "alone between < and >"
    HTML = "HTML that is a block"
    MATTER = "front matter"


_PATTERNS = {  # what means nothing but itself there, or between < and > is an address
    Place.FORMULA: re.compile(r"[^\W_]*(?:[.,+/ -][^\W_]+)*"),
    Place.MATTER: re.compile(r"[^\W_](?:[\w.,/ -]*[\w.])?"),
    Place.BRACKETS: re.compile(r"https?://[^\s<>]+"),
}


def form_value(line: str, escaped: str, place: Place) -> str:
    """Return a value of one line as it stands in a place: the text that it is, and never markup.

    ``escaped``: the value as Markdown has it in a text.
    """
    if place is Place.CODE:
        # Such signs alone in a line may end the block.
        return line if set(line) - set(" `~") else line.translate(_IN_FENCE)
    if place in (Place.SPAN, Place.CELL):
        code = line.translate(_IN_SPAN) or " "  # without it, the backticks would be text
        return code.replace("|", "\\|") if place is Place.CELL else code
    if place is Place.DIAGRAM:
        return line.translate(_IN_DIAGRAM)
    if place is Place.ADDRESS:
        return escaped.translate(_IN_ADDRESS)
    if place is Place.LINK:
        return line.translate(_IN_LINK)
    if place is Place.HTML:
        return html.escape(line)
    pattern = _PATTERNS.get(place)
    return line if pattern and pattern.fullmatch(line) else escaped


@functools.lru_cache(maxsize=64)  # a template is filled many times
def find_places(texts: tuple[str, ...]) -> tuple[Place, ...]:
    """Return where the variables between ``texts`` stand: one fewer than there are texts."""
    number = len(texts) - 1
    whole = "".join(texts)
    if not number or not any(each in whole for each in _WORTH_PARSING):
        return (Place.TEXT,) * number
    mark = next(each for each in _MARKS if each not in whole)
    marked = texts[0] + "".join(f"{mark}{at:04}{text}" for at, text in enumerate(texts[1:]))
    places = [Place.TEXT] * number
    for text, place in _list_contents(_parser().parse(marked)):
        for at in re.findall(rf"{mark}(\d{{4}})", text):
            places[int(at)] = place
    for at, (before, after) in enumerate(pairwise(texts)):
        if places[at] is Place.TEXT and before.endswith("<") and after.startswith(">"):
            places[at] = Place.BRACKETS
    return tuple(places)


@functools.cache
def _parser() -> MarkdownIt:
    return build_brief_reader()


def _list_contents(tokens: list[Token]) -> Iterator[tuple[str, Place]]:
    """Return what is not plain text, with where it stands."""
    code = Place.SPAN  # where code of the present line stands
    for token in tokens:
        if token.type in _BLOCKS:
            is_diagram = token.type == "fence" and mermaid.is_mermaid(token.info)
            yield token.content, Place.DIAGRAM if is_diagram else Place.CODE
        elif token.type == "html_block":
            yield token.content, Place.HTML
        elif token.type in _CELLS:
            code = Place.CELL
        elif token.type == "tr_close":
            code = Place.SPAN
        yield from _list_inline(token.children or (), code)


def _list_inline(tokens: Iterable[Token], code: Place) -> Iterator[tuple[str, Place]]:
    for token in tokens:
        if token.type == "code_inline":
            yield token.content, code
        elif token.type in FORMULAS:
            yield token.content, Place.FORMULA
        is_shown = token.markup == "autolink"
        for name in _ADDRESSES:
            if token.attrs.get(name):
                yield str(token.attrs[name]), Place.LINK if is_shown else Place.ADDRESS
