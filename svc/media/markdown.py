"""Reading Markdown as plain blocks: headings, list items and prose, with nothing left of the markup."""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from svc.media.words import STRESS, UNSTRESS

LONGEST = 100_000  # characters that are read; a brief has 4,096, a file on the command line may have more
_YAML_LINE = r"(?:[ \t]+[^\r\n]*|#[^\r\n]*|- [^\r\n]*|[\w.-]+[ \t]*:[^\r\n]*)?\r?\n"
_FRONT_MATTER = re.compile(rf"\A\ufeff?---[ \t]*\r?\n(?:{_YAML_LINE})*?---[ \t]*(?:\r?\n|\Z)")
_CONTROLS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff{STRESS}{UNSTRESS}]")
_STRESSES = {"strong_open": STRESS, "em_open": STRESS, "strong_close": UNSTRESS, "em_close": UNSTRESS}
_PARSER = MarkdownIt("commonmark").enable("table")  # refuses to nest deeper than 20


@dataclass(frozen=True)
class Block:
    kind: str  # "heading", "point" or "prose"
    text: str


def blocks(source: str) -> list[Block]:
    """The blocks of ``source`` in order; front matter, HTML and code blocks are left out, a table's row is a point."""
    text = _FRONT_MATTER.sub("", _CONTROLS.sub("", source[:LONGEST]), count=1)
    found: list[Block] = []
    opened: list[str] = []
    cells: list[str] = []
    for token in _PARSER.parse(text):
        if token.nesting == 1:
            opened.append(token.type)
        elif token.nesting == -1:
            opened.pop()
            if token.type == "tr_close":
                found.append(Block("point", ", ".join(filter(None, cells))))
                cells = []
        elif token.type == "inline" and "td_open" in opened:
            cells.append(_plain(token).strip())
        elif token.type == "inline" and "th_open" not in opened:
            found.append(Block(_kind(opened), _plain(token)))
    return [block for block in found if block.text.strip()]


def _kind(opened: list[str]) -> str:
    if "heading_open" in opened:
        return "heading"
    return "point" if "list_item_open" in opened else "prose"


def _plain(inline) -> str:
    """The text of an inline token: a link gives its words, an image its description, HTML nothing, and what is emphasised
    stands between STRESS and UNSTRESS."""
    parts = []
    for child in inline.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type in _STRESSES:
            parts.append(_STRESSES[child.type])
        elif child.type == "image":
            parts.append(_plain(child))
    return "".join(parts)
