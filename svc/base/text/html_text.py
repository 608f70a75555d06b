"""The text of HTML: what a browser would show of it, without tags, comments, scripts and styles."""

import re
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser

_HIDDEN = frozenset(
    (
        "script",
        "style",
        "template",
        "title",
        "head",
        "svg",
        "math",
        "iframe",
        "object",
        "noscript",
        "select",
    )
)
_STRUCK = frozenset(("s", "del", "strike"))
_IN_LINE = frozenset((
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u",
    "var", "wbr", *_STRUCK,
))  # fmt: skip
_LISTS = ("ul", "ol", "menu")
# "<" of a text for HTMLParser, whose time grows with the square of the tags without an end
_MOST_SIGNS = 200
# A tag, a declaration or a text.
_PIECE = re.compile(r"<(/?)([a-z][^\s/<>]*+)[^<>]*+>|<[!?][^<>]*+>|<|[^<]+", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, heading, cell or line. ``level``: of the list's item that it begins, from 0;
    ``label``: of an item that is numbered; ``within_item``: it goes on with the item before it."""

    text: str
    level: int | None = None
    label: str = ""
    within_item: bool = False


class _TextReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[Paragraph] = []
        self._parts: list[str] = []  # of the open paragraph
        self._hidden: list[str] = []  # open tags whose text is not shown
        self._numbers: list[int | None] = []  # of the open lists: the last item's, if they have any
        self._item: str | None = None  # the label of an item that has no text yet

    def end_paragraph(self) -> None:
        """End the open paragraph, if it has text."""
        text, self._parts = " ".join("".join(self._parts).split()), []
        if not text:
            return
        if self._item is None:
            self.paragraphs.append(Paragraph(text, within_item=bool(self._numbers)))
            return
        level = max(0, len(self._numbers) - 1)
        self.paragraphs.append(Paragraph(text, level, self._item))
        self._item = None

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Read ``<![…>`` as a comment, as browsers do; the library fails on most keywords
        after the bracket.
        """
        return self.parse_bogus_comment(i, report)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _HIDDEN or tag in _STRUCK:
            self._hidden.append(tag)
        elif tag not in _IN_LINE:
            self.end_paragraph()
            self._begin(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        if tag not in _IN_LINE:
            self.end_paragraph()

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            del self._hidden[self._hidden.index(tag) :]
        elif tag not in _IN_LINE:
            self.end_paragraph()
            self._end(tag)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            # a line of the source is none of the page
            self._parts.append(" ".join(data.splitlines()))

    def _begin(self, tag: str) -> None:
        if tag in _LISTS:
            self._numbers.append(0 if tag == "ol" else None)
        elif tag == "li":
            number = self._numbers[-1] if self._numbers else None
            if number is not None:
                self._numbers[-1] = number = number + 1
            self._item = f"{number}." if number else ""

    def _end(self, tag: str) -> None:
        if tag in _LISTS and self._numbers:
            self._numbers.pop()
        if tag == "li":
            self._item = None


def list_paragraphs(html: str) -> list[str]:
    """Return the shown text of ``html``, one string for each paragraph, heading, cell or line;
    struck text is left out.
    """
    return [paragraph.text for paragraph in read(html)]


def read(html: str) -> list[Paragraph]:
    """Return the paragraphs of ``html`` that are shown, and which of them are items of a list."""
    reader = _TextReader()
    if html.count("<") > _MOST_SIGNS:
        _read_pieces(reader, html)
    else:
        reader.feed(html)
        reader.close()
    reader.end_paragraph()
    return reader.paragraphs


def _read_pieces(reader: _TextReader, html: str) -> None:
    """Have ``reader`` read ``html`` in linear time.

    A tag contains no sign "<" or ">"; one without an end is text.
    """
    for piece in _PIECE.finditer(_remove_comments(html)):
        name = (piece[2] or "").lower()
        if name and piece[1]:
            reader.handle_endtag(name)
        elif name and piece[0].endswith("/>"):
            reader.handle_startendtag(name, ())
        elif name:
            reader.handle_starttag(name, ())
        elif len(piece[0]) == 1 or piece[0][0] != "<":
            reader.handle_data(unescape(piece[0]))


def _remove_comments(html: str) -> str:
    parts, at = [], 0
    while (start := html.find("<!--", at)) >= 0 and (end := html.find("-->", start + 4)) >= 0:
        parts.append(html[at:start])
        at = end + 3
    return "".join([*parts, html[at:]])


def parse_tag(html: str) -> tuple[str, bool]:
    """Return the name of a single tag in lower case, and whether it closes;
    an empty name for a comment and the like.
    """
    match = _TAG.match(html)
    return (match[2].lower(), bool(match[1])) if match else ("", False)


def hides(name: str) -> bool:
    """Return whether a browser shows no text, or struck text, between the tags of this name."""
    return name in _HIDDEN or name in _STRUCK


def follow(html: str, hidden_stack: list[str]) -> None:
    """Add a single tag to the open ones whose text is not shown, or remove those that it closes."""
    name, closes = parse_tag(html)
    if not hides(name):
        return
    if closes and name in hidden_stack:
        del hidden_stack[hidden_stack.index(name) :]
    elif not closes and not html.rstrip().endswith("/>"):
        hidden_stack.append(name)
