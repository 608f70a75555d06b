"""Reading Markdown as plain blocks (headings, list items, prose, quotations, tables, images), nothing left of the markup."""

import re
from dataclasses import dataclass

from svc.base import front_matter
from svc.base.markdown import reader
from svc.media.words import STRESS, UNSTRESS

LONGEST = 100_000  # characters that are read; a brief has 4,096, a file on the command line may have more
_CONTROLS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff{STRESS}{UNSTRESS}]")
_STRESSES = {"strong_open": STRESS, "em_open": STRESS, "strong_close": UNSTRESS, "em_close": UNSTRESS}
_PARSER = reader()


@dataclass(frozen=True)
class Block:
    kind: str  # "heading", "point", "prose", "quote", "figure", "table" or "image"
    text: str  # of an image: its description
    note: str = ""  # of prose that begins with a figure in bold: the figure; of an image: its address
    rows: tuple[tuple[str, ...], ...] = ()  # of a table: its cells, the headings first


def blocks(source: str) -> list[Block]:
    """The blocks of ``source`` in order; front matter, HTML and code blocks are left out. Lines of a quotation stay apart."""
    text = without_front_matter(_CONTROLS.sub("", source[:LONGEST]))
    found: list[Block] = []
    opened: list[str] = []
    rows: list[list[str]] = []
    for token in _PARSER.parse(text):
        if token.nesting == 1:
            opened.append(token.type)
            rows += [[]] if token.type == "tr_open" else []
        elif token.nesting == -1:
            opened.pop()
            if token.type == "table_close":
                found.append(Block("table", "", rows=tuple(map(tuple, rows))))
                rows = []
        elif token.type == "inline" and rows:
            rows[-1].append(_plain(token).strip())
        elif token.type == "inline":
            found += _inline(token, opened)
    return [block for block in _joined(found) if block.text.strip() or block.rows]


def without_front_matter(source: str) -> str:
    """``source`` from where the writer's text begins."""
    return front_matter.split(source)[1]


def _inline(token, opened: list[str]) -> list[Block]:
    """What a heading, a list item or a paragraph says; an image that stands alone in a paragraph is a block of its own."""
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
    """What a paragraph says in bold at its very beginning."""
    children = [child for child in inline.children or () if child.type != "text" or child.content]
    if [child.type for child in children[:3]] != ["strong_open", "text", "strong_close"]:
        return ""
    return children[1].content.strip()


def _joined(found: list[Block]) -> list[Block]:
    """Paragraphs of one quotation are one."""
    joined: list[Block] = []
    for block in found:
        if joined and block.kind == joined[-1].kind == "quote":
            joined[-1] = Block("quote", f"{joined[-1].text}\n{block.text}")
        else:
            joined.append(block)
    return joined


def _plain(inline, line_break: str = " ") -> str:
    """The text of an inline token: a link gives its words, an image its description, HTML nothing, and what is emphasised
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
