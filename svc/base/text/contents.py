"""Tables of contents in Markdown: lists of links to parts of the same text, which a film does not have."""

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_FEWEST = 2  # links of a table of contents
_LISTS = ("bullet_list_open", "ordered_list_open")
_CONTENT = ("paragraph_open", "fence", "code_block", "table_open", "html_block", "dt_open")


def contents_plugin(parser: MarkdownIt) -> None:
    """Let ``parser`` leave out tables of contents, with the heading above that has nothing else."""
    parser.core.ruler.after("inline", "contents", _without_contents)


def _without_contents(state: StateCore) -> None:
    tokens, kept = state.tokens, list[Token]()
    at = 0
    while at < len(tokens):
        end = _end_of_list(tokens, at)
        if end > at and _is_contents(tokens[at:end]):
            if _heads_nothing_else(kept, tokens[end : end + 1]):
                del kept[-3:]
        else:
            end = max(end, at + 1)
            kept += tokens[at:end]
        at = end
    if any(token.type in _CONTENT for token in kept):  # there is something besides headings
        state.tokens = kept


def _end_of_list(tokens: list[Token], start: int) -> int:
    """Return where the list ends that begins at ``start`` and is in nothing else; else ``start``."""
    if tokens[start].level or tokens[start].type not in _LISTS:
        return start
    closing = tokens[start].type.replace("_open", "_close")
    return next(
        (at + 1 for at in range(start, len(tokens)) if tokens[at].type == closing and not tokens[at].level),
        start,
    )


def _is_contents(tokens: list[Token]) -> bool:
    lines = [token for token in tokens if token.type not in _LISTS and not token.nesting]
    return len(lines) >= _FEWEST and all(map(_is_inner_link, lines))


def _is_inner_link(token: Token) -> bool:
    """Return whether a line is a link to a part of the text and nothing else."""
    children = token.children or []
    if token.type != "inline" or not children or children[-1].type != "link_close":
        return False
    opens = [child for child in children if child.type == "link_open"]
    is_first = children[0].type == "link_open"
    return is_first and len(opens) == 1 and str(opens[0].attrs.get("href", "")).startswith("#")


def _heads_nothing_else(before: list[Token], after: list[Token]) -> bool:
    """Return whether a heading is the last before a list, and what follows is a heading as high."""
    if not before or before[-1].type != "heading_close":
        return False
    return not after or (after[0].type == "heading_open" and after[0].tag <= before[-1].tag)
