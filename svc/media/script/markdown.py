"""Reading Markdown as plain blocks (headings, list items, prose, quotations, tables, images), without the markup."""

import re
from dataclasses import dataclass

from svc.base.text import front_matter
from svc.base.text.markdown import reader
from svc.media.text.tokens import STRESS, UNSTRESS

LONGEST = 100_000  # characters to read; a brief has 4,096, a file on the command line may have more
_CONTROLS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff{STRESS}{UNSTRESS}]")
_STRESSES = {"strong_open": STRESS, "em_open": STRESS, "strong_close": UNSTRESS, "em_close": UNSTRESS}
_PARSER = reader()


@dataclass(frozen=True)
class Block:
    """One block of a Markdown text."""

    kind: str  # "heading", "point", "prose", "quote", "figure", "table" or "image"
    text: str  # for an image, its description
    note: str = ""  # the figure of a paragraph that begins with one in bold; the address of an image
    rows: tuple[tuple[str, ...], ...] = ()  # the cells of a table, headings first


def blocks(source: str) -> list[Block]:
    """Return the blocks of ``source`` in order, without front matter, HTML and code blocks. Lines of a quotation stay
    separate."""
    text = without_front_matter(_CONTROLS.sub("", source[:LONGEST]))
    result: list[Block] = []
    opened: list[str] = []
    rows: list[list[str]] = []
    for token in _PARSER.parse(text):
        if token.nesting == 1:
            opened.append(token.type)
            rows += [[]] if token.type == "tr_open" else []
        elif token.nesting == -1:
            opened.pop()
            if token.type == "table_close":
                result.append(Block("table", "", rows=tuple(map(tuple, rows))))
                rows = []
        elif token.type == "inline" and rows:
            rows[-1].append(_plain(token).strip())
        elif token.type == "inline":
            result += _inline(token, opened)
    return [block for block in _join_quotes(result) if block.text.strip() or block.rows]


def without_front_matter(source: str) -> str:
    """Return ``source`` without its front matter."""
    return front_matter.split(source)[1]


def _inline(token, opened: list[str]) -> list[Block]:
    """Return the text of a heading, a list item or a paragraph; an image alone in a paragraph is a block of its own."""
    if "heading_open" in opened:
        return [Block("heading", _plain(token))]
    if "list_item_open" in opened:
        return [Block("point", _plain(token))]
    if "blockquote_open" in opened:
        return [Block("quote", _plain(token, "\n"))]
    children = [child for child in token.children or () if child.type == "image" or child.content.strip()]
    if children and all(child.type == "image" for child in children):
        return [Block("image", _plain(child), str(child.attrGet("src") or "")) for child in children]
    figure = _figure(token)
    return [Block("figure" if figure else "prose", _plain(token), figure)]


def _figure(inline) -> str:
    """Return the bold text at the very beginning of a paragraph; empty if there is none."""
    children = [child for child in inline.children or () if child.type != "text" or child.content]
    if [child.type for child in children[:3]] != ["strong_open", "text", "strong_close"]:
        return ""
    return children[1].content.strip()


def _join_quotes(separate: list[Block]) -> list[Block]:
    """Join the paragraphs of one quotation into one block."""
    joined: list[Block] = []
    for block in separate:
        if joined and block.kind == joined[-1].kind == "quote":
            joined[-1] = Block("quote", f"{joined[-1].text}\n{block.text}")
        else:
            joined.append(block)
    return joined


def _plain(inline, line_break: str = " ") -> str:
    """Return the text of an inline token: the text of a link, the description of an image, nothing for HTML; emphasised text
    stands between STRESS and UNSTRESS."""
    parts = []
    for child in inline.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(line_break)
        elif child.type in _STRESSES:
            parts.append(_STRESSES[child.type])
        elif child.type == "image":
            parts.append(_plain(child))
    return "".join(parts)
