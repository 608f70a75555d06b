"""Leaves out tables of contents in Markdown, and other links to parts of the same text, which lead
nowhere in a film.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from svc.base.text import html_text

_FEWEST = {"list": 2, "paragraph": 3}  # links of a table of contents
_NEAR = 3  # blocks between a heading and its list, or after it, that may be comments
_TOP = re.compile(r"#(?:readme|(?:readme-)?top|toc|(?:table-of-)?contents)?", re.IGNORECASE)
_MARK = re.compile(
    r"(?:TOC\s*)?(?:\[TOC\]|\[\[_?TOC_?\]\]|@\[TOC\]|\{:\s*TOC\b[^}\n]*\})", re.IGNORECASE
)
_LISTS = ("bullet_list_open", "ordered_list_open")
_CONTENT = ("paragraph_open", "fence", "code_block", "table_open", "html_block", "dt_open")


def contents_plugin(parser: MarkdownIt) -> None:
    """Let ``parser`` leave out tables of contents, with the heading above that has nothing else,
    their marks (``[TOC]``) and links back to the top."""
    parser.core.ruler.after("inline", "contents", _remove_contents)


def _remove_contents(state: StateCore) -> None:
    tokens, kept_tokens = state.tokens, list[Token]()
    at = 0
    while at < len(tokens):
        end = _end_of_block(tokens, at)
        if end > at and _is_table_of_contents(tokens[at:end]):
            head = _start_of_head(kept_tokens, tokens[end : end + _NEAR])
            del kept_tokens[head:]
        else:
            end = max(end, at + 1)
            kept_tokens += tokens[at:end]
        at = end
    if any(token.type in _CONTENT for token in kept_tokens):  # there is something besides headings
        state.tokens = kept_tokens


def _end_of_block(tokens: list[Token], start: int) -> int:
    """Return where a list or paragraph ends that begins at ``start``,
    if it is in nothing else; else ``start``.
    """
    if tokens[start].level or tokens[start].type not in (*_LISTS, "paragraph_open"):
        return start
    closing = tokens[start].type.replace("_open", "_close")
    return next(
        (
            at + 1
            for at in range(start, len(tokens))
            if tokens[at].type == closing and not tokens[at].level
        ),
        start,
    )


def _is_table_of_contents(tokens: list[Token]) -> bool:
    lines = [token for token in tokens if token.type not in _LISTS and not token.nesting]
    if len(lines) == 1 and _MARK.fullmatch(lines[0].content.strip()):
        return True
    links = [link for line in lines for link in (_list_inner_links(line) or [""])]
    if len(lines) == len(links) == 1 and links[0] and _TOP.fullmatch(links[0]):
        return True
    kind = "list" if tokens[0].type in _LISTS else "paragraph"
    return len(links) >= _FEWEST[kind] and all(links)


def _list_inner_links(line: Token) -> list[str]:
    """Return the addresses of links into the text, if a line has nothing else but
    signs between them.
    """
    links: list[str] = []
    is_linked = False
    for child in line.children or []:
        if child.type in ("link_open", "link_close"):
            is_linked = child.nesting == 1
            links += [str(child.attrs.get("href", ""))] if is_linked else []
        elif child.type == "image" or (not is_linked and any(map(str.isalnum, child.content))):
            return []
    return links if all(link.startswith("#") for link in links) else []


def _start_of_head(before: list[Token], after: list[Token]) -> int:
    """Return where the heading of a list begins if it has nothing else, else the end of ``before``.

    Comments between them are nothing.
    """
    end = len(before)
    while end > len(before) - _NEAR and end and _is_comment(before[end - 1]):
        end -= 1
    following = next((token for token in after if not _is_comment(token)), None)
    if not end or before[end - 1].type != "heading_close":
        return len(before)
    is_next = following and (
        following.type != "heading_open" or following.tag > before[end - 1].tag
    )
    return len(before) if is_next else end - 3


def _is_comment(token: Token) -> bool:
    return token.type == "html_block" and not html_text.list_paragraphs(token.content)
