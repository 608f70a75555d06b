"""Alerts in Markdown: ``> [!WARNING]`` (GitHub, Obsidian), ``:::warning`` (Docusaurus) and
``!!! warning`` (MkDocs).

Each becomes ``alert_open`` (with its kind as ``info``), ``alert_title_open`` with a title of its
own, and its blocks.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.admon.index import admonition
from mdit_py_plugins.container import container_plugin

# The kinds of alerts that GitHub has.
NOTE, TIP, IMPORTANT, WARNING, CAUTION = KINDS = ("note", "tip", "important", "warning", "caution")
_NAMES = {
    NOTE: (
        "note info information todo abstract summary tldr example seealso question help faq details"
    ),
    TIP: "tip hint success check done",
    IMPORTANT: "important",
    WARNING: "warning attention",
    CAUTION: "caution danger error failure fail missing bug",
}
_KIND = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_QUOTATIONS = ("quote", "cite")  # names of Obsidian's alerts that are none
_CONTAINER = "alert"
_QUOTED = re.compile(r"\[!(?P<name>[\w-]{3,20})\][+-]?[ \t]*(?P<title>[^\n]*)\n?")
_NAMED = re.compile(  # ::: warning Title, :::warning[Title], ::: {.callout-warning title="Title"}
    r"\s*\{?\s*\.?(?:callout-)?(?P<name>[A-Za-z][\w-]*)\s*(?:\[(?P<label>[^\]]*)\]|"
    r"\{?\s*title=\"(?P<quoted>[^\"]*)\")?(?P<rest>.*)"
)
_OPENS = ("blockquote_open", f"container_{_CONTAINER}_open", "admonition_open")


def alerts_plugin(parser: MarkdownIt) -> None:
    """Let ``parser`` read alerts; what a container of any other name holds is read
    without its marks.
    """
    parser.use(
        container_plugin,
        _CONTAINER,
        validate=lambda parameters, _: bool(_NAMED.fullmatch(parameters)),
    )
    rule_options = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "admonition", _read_admonition, rule_options)  # type: ignore[arg-type]
    parser.core.ruler.after("block", "alerts", _name_alerts)


def _read_admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Apply the rule for ``!!!`` to the names of alerts; anything else after three marks
    is text: ``!!! SALE``.
    """
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    name = line.lstrip("!?+ ").split(" ", 1)[0]
    return name in _KIND and admonition(state, start, end, silent)


def _name_alerts(state: StateCore) -> None:
    """Make alerts of the tokens that begin them in one of the three notations."""
    tokens, result = state.tokens, list[Token]()
    # For each open block that may be an alert: the type of its end; None: it has none.
    closings: list[str | None] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type in _OPENS:
            kind, title, token_count = _read_kind_and_title(tokens, at)
            is_plain = not kind and token.type != _OPENS[0]
            end = "alert_close" if kind else token.type.replace("_open", "_close")
            closings.append(None if is_plain else end)
            if kind:
                token.type, token.info = "alert_open", kind
            result += ([] if is_plain else [token]) + (
                _make_title_tokens(token, title) if kind and title else []
            )
            at += token_count
        elif token.nesting == -1 and token.type.replace("_close", "_open") in _OPENS:
            closing = closings.pop()
            if closing:
                token.type = closing
                result.append(token)
        else:
            token.level -= closings.count(None)
            result.append(token)
        at += 1
    state.tokens = result


def _read_kind_and_title(tokens: list[Token], at: int) -> tuple[str, str, int]:
    """Return the kind of the alert that begins at ``at`` (empty: it is no alert), its own title,
    and the number of tokens of that title.
    """
    token = tokens[at]
    if token.type == "admonition_open":
        token_count = 3 if tokens[at + 1].type == "admonition_title_open" else 0
        tag = str(token.meta["tag"])
        return (
            _KIND.get(tag, ""),
            "" if token.content == tag.title() else token.content,
            token_count,
        )
    if token.type != "blockquote_open":
        admonition = _NAMED.fullmatch(token.info)
        title = (
            (admonition["label"] or admonition["quoted"] or admonition["rest"].strip(" }"))
            if admonition
            else ""
        )
        return _KIND.get(admonition["name"].lower(), "") if admonition else "", title, 0
    line = tokens[at + 2] if tokens[at + 1].type == "paragraph_open" else None
    marker = _QUOTED.match(line.content) if line else None
    if not marker or not line:
        return "", "", 0
    name, rest = marker["name"].lower(), line.content[marker.end() :]
    if name in _QUOTATIONS:
        line.content = rest or marker["title"]
        return "", "", 0
    line.content = rest
    return _KIND.get(name, NOTE), marker["title"].strip(), 0 if rest.strip() else 3


def _make_title_tokens(alert: Token, title: str) -> list[Token]:
    inline = Token(
        "inline",
        "",
        0,
        content=title,
        level=alert.level + 2,
        map=alert.map,
        children=[],
        block=True,
    )
    opening = Token("alert_title_open", "p", 1, level=alert.level + 1, map=alert.map, block=True)
    return [opening, inline, Token("alert_title_close", "p", -1, level=alert.level + 1, block=True)]
