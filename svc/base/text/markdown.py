"""The reader of partners' Markdown: CommonMark with tables, bounded in what a short text can make it do."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.token import Token
from markdown_it.utils import EnvType

MOST_CELLS = 4000  # of one table; short rows are filled up with empty cells, so that 4,096 characters could ask for 65,000
_NEST = 20  # quotations and lists within one another, and as deep emphasis and links; what is deeper is read as text


class _Reader(MarkdownIt):
    """markdown-it-py looks at the character after the last one, and raises IndexError, where an open HTML block ends with
    the text inside a quotation; a line end more gives it one to look at, and means nothing in Markdown."""

    def parse(self, src: str, env: EnvType | None = None) -> list[Token]:
        return super().parse(f"{src}\n", env)


def reader(html: bool = True) -> MarkdownIt:
    """A parser. ``html``: recognise HTML, which is left out of texts; else it is text like any other."""
    parser = _Reader("commonmark", {"html": html, "maxNesting": _NEST}).enable("table")
    parser.block.ruler.at("table", _bounded_table, {"alt": ["paragraph", "reference"]})
    return parser


def _bounded_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The table rule, where no more than MOST_CELLS come of it; a larger one is read as ordinary lines."""
    if not table(state, start, end, True):  # most lines: no head of a table
        return False
    columns = max(_line(state, start).count("|"), _line(state, start + 1).count("|")) + 1
    most = MOST_CELLS // columns
    if end - start > most and not any(state.isEmpty(line) for line in range(start, start + most + 1) if line < end):
        return False
    return table(state, start, end, silent)


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
