"""reStructuredText that was pasted as Markdown: its directives, targets and literal blocks."""

import re
import textwrap

_DIRECTIVE = re.compile(
    r"\.\. (?:\|(?P<substitution>[^|\n]{1,80})\| )?"
    r"(?P<name>[A-Za-z][\w-]{0,40})::(?P<rest>.*)"
)
_TARGET = re.compile(r"\.\. _(?P<name>`[^`\n]{1,80}`|[^:`\n]{1,80}):[ \t]+(?P<address>\S+)[ \t]*")
_COMMENT = re.compile(r"\.\. \w.*")
_OPTION = re.compile(r"[ \t]+:[\w-]{1,40}:(?: .*)?")
_CODE = ("code", "code-block", "sourcecode", "console", "doctest", "parsed-literal")
_WITHOUT_TEXT = (
    "image", "figure", "contents", "toctree", "include", "raw", "highlight", "role", "meta",
    "sectnum",
)  # fmt: skip
_ALERTS = ("note", "tip", "hint", "important", "warning", "caution", "attention", "danger")
_FENCE = "```"
_FENCED = re.compile(rf"^ {{0,3}}{_FENCE}[^`\n]*$", re.MULTILINE)
_LINK = re.compile(r"`([^`<]{1,200}?)\s{0,8}<([^<>`\s]{1,500})>`__?")
_ROLE = re.compile(r":[A-Za-z][\w:+.-]{0,40}:(`[^`\n]{1,200}`)")
_QUOTED = re.compile(r"(?<!`)`([^`\n]{1,80})`__?(?!\w)")
_WORD = re.compile(r"(?<![\w`])([A-Za-z][\w.+-]{0,60}?)_(?![\w`])")
_NAMES = re.compile(r"(?:\|[^|\s](?:[^|\n]{0,78}[^|\s])?\|_{0,2}[ \t]*)+")  # of pictures alone
_SUBSTITUTION = re.compile(r"\|([^|\s][^|\n]{0,78})\|(?:__?)?")


def as_markdown(text: str) -> str:
    """Return ``text`` as Markdown if it has directives or targets of reStructuredText and no fences; else as it is.

    Code becomes fenced code, links become links, and pictures, comments and the marks of other
    directives go.
    """
    if "\n.. " not in f"\n{text}" or _FENCED.search(text):
        return text
    lines = text.split("\n")
    targets = {found["name"].strip("`").casefold(): found["address"] for found in map(_TARGET.fullmatch, lines) if found}
    directives = [found for found in map(_DIRECTIVE.fullmatch, lines) if found]
    if not targets and not directives:
        return text
    named = {found["substitution"] for found in directives} - {None}
    result: list[str] = []
    at, lines = 0, _LINK.sub(r"[\1](\2)", text).split("\n")
    while at < len(lines):
        line = lines[at]
        at += 1
        found = _DIRECTIVE.fullmatch(line)
        if not found and (_TARGET.fullmatch(line) or _COMMENT.fullmatch(line)):
            continue
        while found and at < len(lines) and _OPTION.fullmatch(lines[at]):
            at += 1
        is_code = found["name"] in _CODE if found else line.endswith("::")
        end = _end_of_block(lines, at) if is_code else at
        if not found:
            result.append(_inline(line[:-1] if end > at else line, targets, named))
        if end > at:
            language = found["rest"].strip() if found else ""
            code = textwrap.dedent("\n".join(lines[at:end])).strip("\n")
            fence = "~" * 9 if _FENCE in code else _FENCE
            result += ["", f"{fence}{language}", code, fence, ""]
        elif found:
            result.append(_inline(_text_of(found), targets, named))
        at = end
    return "\n".join(result)


def _text_of(directive: re.Match[str]) -> str:
    """Return what a directive says on its own line."""
    name, text = directive["name"].lower(), directive["rest"].strip()
    if directive["substitution"] or name in _WITHOUT_TEXT:
        return ""
    return f"**{name.capitalize()}:** {text}" if text and name in _ALERTS else text


def _end_of_block(lines: list[str], start: int) -> int:
    """Return where an indented block that begins after an empty line ends; ``start`` if there is none."""
    if start >= len(lines) or lines[start].strip():
        return start
    end = start
    for number in range(start, len(lines)):
        if lines[number].strip():
            if not lines[number][0].isspace():
                break
            end = number + 1
    return end


def _inline(line: str, targets: dict[str, str], named: set[str | None]) -> str:
    """Return a line with links of Markdown, and without the names of pictures that stand elsewhere."""

    def linked(found: re.Match[str]) -> str:
        address = targets.get(found[1].casefold())
        return f"[{found[1]}]({address})" if address else found[0]

    if _NAMES.fullmatch(line):
        return ""
    if line.startswith("| ") and line.count("|") == 1:  # a line that stays a line
        line = line.removeprefix("| ")
    line = _SUBSTITUTION.sub(lambda found: "" if found[1] in named else found[0], line)
    line = _ROLE.sub(r"\1", line)
    return _WORD.sub(linked, _QUOTED.sub(linked, line))
