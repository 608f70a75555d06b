"""Tables of contents in Markdown: lists of links to parts of the same text, which a film does not have."""

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from svc.base.text import html_text

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
            head = _start_of_head(kept, tokens[end:])
            del kept[head:]
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


def _start_of_head(before: list[Token], after: list[Token]) -> int:
    """Return where the heading of a list begins if it has nothing else, else the end of ``before``.

    Comments between them are nothing.
    """
    end = len(before)
    while end and _is_comment(before[end - 1]):
        end -= 1
    following = next((token for token in after if not _is_comment(token)), None)
    if not end or before[end - 1].type != "heading_close":
        return len(before)
    is_next = following and (following.type != "heading_open" or following.tag > before[end - 1].tag)
    return len(before) if is_next else end - 3


def _is_comment(token: Token) -> bool:
    return token.type == "html_block" and not html_text.paragraphs(token.content)
