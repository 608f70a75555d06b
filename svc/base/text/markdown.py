"""The parsers of partners' Markdown: CommonMark with tables and more,
with limits against texts that are costly to parse.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def
from mdit_py_plugins.subscript import sub_plugin
from mdit_py_plugins.superscript import superscript_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from svc.base.text import plain_tables, restructured
from svc.base.text.alerts import alerts_plugin
from svc.base.text.contents import contents_plugin
from svc.base.text.deep_nesting import NEST, flatten
from svc.base.text.inline_marks import generator_marks_plugin, inline_marks_plugin
from svc.base.text.pasted import convert
from svc.base.text.plain_tables import MOST_CELLS

UNDEFINED_NOTE = re.compile(r"\[\^\d{1,3}\]")  # a footnote's mark without the footnote
_WITHIN = "within a footnote"  # key of the parser's environment


class _Reader(MarkdownIt):
    """Appends a line end to the text, which does not change its meaning.

    markdown-it-py reads beyond the end of the text and raises IndexError if an open HTML block in a
    quotation ends with it.
    """

    def parse(self, src: str, env: EnvType | None = None) -> list[Token]:
        return super().parse(f"{src}\n", env)

    def normalizeLinkText(self, link: str) -> str:
        """Leave an address between < and > as it is written;
        without %20 for its spaces it leads nowhere.
        """
        return link


def build_reader(html: bool = True) -> MarkdownIt:
    """Return a parser.

    ``html``: recognise HTML, which is then left out of texts; otherwise HTML is plain text.
    """
    parser = _Reader("commonmark", {"html": html, "maxNesting": NEST}).enable("table")
    parser.block.ruler.before("table", "deep_nesting", flatten)
    parser.block.ruler.at("table", _read_bounded_table, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.at("link", _read_link)
    parser.inline.ruler.at("image", _read_image)
    return parser


def build_brief_reader() -> MarkdownIt:
    """Return the parser of briefs: also footnotes, definition lists, tasks, alerts, struck, marked,
    raised and lowered text, formulas, wiki links and the short codes of emoji; without tables of
    contents and marks for the generator of a site."""
    parser = build_reader().enable("strikethrough")
    for plugin in (
        footnote_plugin,
        deflist_plugin,
        tasklists_plugin,
        sub_plugin,
        superscript_plugin,
        alerts_plugin,
        inline_marks_plugin,
        generator_marks_plugin,
        contents_plugin,
    ):
        parser.use(plugin)
    parser.block.ruler.at("footnote_def", _read_footnote, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.after("normalize", "pasted", _read_pasted)
    return parser


def _read_pasted(state: StateCore) -> None:
    """Convert plain text that was pasted to the Markdown that it looks like."""
    tables = plain_tables.as_markdown(state.src)
    state.src = convert.as_markdown(restructured.as_markdown(tables))


def _read_footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Apply the footnote rule outside footnotes. Within one a further one is plain text: the
    plugin, which moves footnotes to the end, would tear apart the list or quotation around it."""
    if silent:
        return footnote_def(state, start, end, True)
    if state.env.get(_WITHIN):
        return False
    state.env[_WITHIN] = True
    try:
        return footnote_def(state, start, end, False)
    finally:
        state.env[_WITHIN] = False


def _read_link(state: StateInline, silent: bool) -> bool:
    return _may_link(state) and link(state, silent)


def _read_image(state: StateInline, silent: bool) -> bool:
    return _may_link(state) and image(state, silent)


def _may_link(state: StateInline) -> bool:
    """Return whether a link or picture may begin here. The rules search for the end of every
    bracket, twenty levels deep; it must exist: as the beginning of an address, or of any label if
    the text defines addresses."""
    if state.src[state.pos] not in "[!":
        return False
    return (
        state.src.find("]" if state.env.get("references") else "](", state.pos, state.posMax) >= 0
    )


def _read_bounded_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Apply the table rule if the table has at most MOST_CELLS cells;
    a larger table is plain lines.
    """
    if not table(state, start, end, True):  # most lines are not the head of a table
        return False
    columns = max(_read_line(state, start).count("|"), _read_line(state, start + 1).count("|")) + 1
    most = MOST_CELLS // columns
    if end - start > most and not any(
        state.isEmpty(line) for line in range(start, start + most + 1) if line < end
    ):
        return False
    return table(state, start, end, silent)


def _read_line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
