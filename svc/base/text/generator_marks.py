"""Leaves out marks in Markdown that are written for the generator of a site: comments of MDX, tags
of Liquid and Jinja, short codes of Hugo, and the attributes of headings and blocks.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_MARK = re.compile(
    r"\{/\*.{0,2000}?\*/\}"  # {/* a comment */}
    r"|\{%.{0,300}?%\}"  # {% include note.html %}
    r"|\{\{[<%].{0,300}?[>%]\}\}"  # {{< figure src="a.png" >}}
    r"|\{:[^{}\n]{1,200}\}",  # {:target="_blank"}, after a link or a block
    re.DOTALL,
)
# {#install} and {.wide}, at the end of a heading or a block
_ATTRIBUTES = re.compile(r"\{[#.][\w:.-]{1,100}(?:[ \t]+[^{}\n]{1,200})?\}\s*\Z")


def generator_marks_plugin(parser: MarkdownIt) -> None:
    """Let ``parser`` leave out the marks for generators of sites."""
    parser.inline.ruler.before("escape", "generator_mark", _skip_mark)


def _skip_mark(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{":
        return False
    mark = _MARK.match(state.src, state.pos) or _ATTRIBUTES.match(state.src, state.pos)
    if not mark or mark.end() > state.posMax:
        return False
    state.pos = mark.end()
    return True
