"""Lists and quotations that are nested deeper than the parser follows:
their text is read at the deepest level.
"""

import re

from markdown_it.rules_block import StateBlock

# The levels to which the parser follows blocks, and also emphasis and links, which are plain text
# beyond it.
NEST = 20
# The level from which no list and no quotation is nested further: a quotation is one level, a list
# two.
_FLAT = 16
_TEXT = 18  # from which, within a footnote or a definition there, all is plain text
# The marks of quotations and list items at the beginning of a line.
_MARKS = re.compile(r"(?:>[ \t]*+|(?:[-+*]|(\d{1,9})([.)]))(?:[ \t]++|$))++", re.ASCII)
_BREAK = re.compile(r"([-*_])(?:[ \t]*+\1){2,}+[ \t]*+")
_INDENT = 2  # columns by which a later paragraph of an item is indented


def flatten(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read list items at a deep level as items of one list, and skip the marks of quotations there.
    Return whether the rule applies.

    A rule of the parser, before all others: they drop text at a deeper level than they follow.
    """
    if silent or state.level < _FLAT or state.is_code_block(start):
        return False
    marks = _read_marks(state, start)
    if marks and not _is_item(marks):
        _skip(state, start, marks)
    if not marks or not _is_item(marks):
        return state.level >= _TEXT and _read_text(state, start, end)
    kind, tag = ("ordered_list", "ol") if marks[1] else ("bullet_list", "ul")
    state.push(f"{kind}_open", tag, 1).map = [start, end]
    line = start
    while (
        line < end
        and state.sCount[line] >= state.blkIndent
        and (marks := _read_marks(state, line))
        and _is_item(marks)
    ):
        line = _skip_empty_lines(state, _read_item(state, line, end, marks), end)
    state.push(f"{kind}_close", tag, -1)
    state.line = line
    return True


def _read_text(state: StateBlock, start: int, end: int) -> bool:
    """Add the tokens of a paragraph with any content. Return True: the rule applies."""
    line = start + 1
    while line < end and _belongs_to_item(state, line):
        line += 1
    _add_paragraph(
        state, "\n".join(_read_line(state, number) for number in range(start, line)), line
    )
    state.line = line
    return True


def _read_marks(state: StateBlock, line: int) -> re.Match[str] | None:
    """Return the marks at the beginning of a line; None if there are none."""
    text = _read_line(state, line)
    return None if _BREAK.fullmatch(text) else _MARKS.match(text)


def _read_line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _is_item(marks: re.Match[str]) -> bool:
    """Return whether one of the marks is that of a list item."""
    return bool(marks[0].strip("> \t"))


def _skip(state: StateBlock, line: int, marks: re.Match[str]) -> None:
    """Let a line begin after the marks of its quotations."""
    state.bMarks[line] += state.tShift[line] + marks.end()
    state.tShift[line], state.sCount[line] = 0, state.blkIndent


def _read_item(state: StateBlock, start: int, end: int, marks: re.Match[str]) -> int:
    """Add the tokens of one item; return the line after it."""
    item = state.push("list_item_open", "li", 1)
    item.map, item.info, item.markup = [start, start + 1], marks[1] or "", marks[2] or ""
    lines, line = [_read_line(state, start)[marks.end() :]], start + 1
    while True:
        while line < end and _belongs_to_item(state, line):
            lines.append(_read_line(state, line))
            line += 1
        _add_paragraph(state, "\n".join(lines), line)
        following = _skip_empty_lines(state, line, end)
        indented = following < end and state.sCount[following] >= state.blkIndent + _INDENT
        if following == line or not indented or not _belongs_to_item(state, following):
            break
        lines, line = [], following
    state.push("list_item_close", "li", -1)
    return line


def _belongs_to_item(state: StateBlock, line: int) -> bool:
    """Return whether a line belongs to the item before it."""
    return (
        not state.isEmpty(line)
        and state.sCount[line] >= state.blkIndent
        and _read_marks(state, line) is None
    )


def _skip_empty_lines(state: StateBlock, line: int, end: int) -> int:
    """Return the next line that is not empty, or ``end``."""
    while line < end and state.isEmpty(line):
        line += 1
    return line


def _add_paragraph(state: StateBlock, text: str, end: int) -> None:
    state.push("paragraph_open", "p", 1).map = [end - 1, end]
    content = state.push("inline", "", 0)
    content.content, content.map, content.children = text.strip(), [end - 1, end], []
    state.push("paragraph_close", "p", -1)
