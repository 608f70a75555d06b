"""Converts reStructuredText that was pasted as Markdown.

Read line by line, not with docutils, whose figures are in DECISIONS.md §5: notes are often cut or
half Markdown, a request parses them several times, and what is read must stay Markdown.
"""

import csv
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from svc.base.text import plain_tables

_MARKED = re.compile(r"\.\.(?:[ \t]+(?P<rest>.*))?")
_DIRECTIVE = re.compile(
    r"\.\.[ \t]+(?:\|(?P<substitution>[^|\n]{1,80})\| )?"
    r"(?P<name>[A-Za-z][\w:.-]{0,40}?)[ ]?::(?:[ \t]+(?P<rest>.*))?"
)
_TARGET = re.compile(
    r"[ \t]*\.\. (?:_(?P<name>`[^`\n]{1,80}`|[^_:`\n][^:`\n]{0,79})|__):"
    r"(?:[ \t]+(?P<address>.*))?"
)
_ANONYMOUS = re.compile(r"[ \t]*__[ \t]+(?P<address>(?=[^\s_])(?:\S+|.*_))[ \t]*")
_MOST_PARTS, _MOST_STEPS = 5, 5  # lines of an address; names that stand for each other
_FOOTNOTE = re.compile(r"\.\.[ \t]+\[(?P<name>#?[\w.-]{0,40}|\*)\](?:[ \t]+(?P<rest>.*))?")
_OPTION = re.compile(r":(?P<name>[\w-]{1,40}):(?:[ \t]+(?P<value>.*))?")
_FIELD = re.compile(r":(?P<name>[^\W\d_][\w -]{0,40}):(?:[ \t]+(?P<value>.*))?")
_ARGUMENT = r"(?:[A-Za-z][\w-]{0,40}|<[^<>\n]{1,40}>)"
_SHORT = rf"[-+][A-Za-z0-9](?:[ ]?{_ARGUMENT})?"
_LONG = rf"(?:--|/)[A-Za-z0-9][\w-]{{0,40}}(?:[ =]{_ARGUMENT})?"
_NAMES_OF_OPTION = rf"(?:{_SHORT}|{_LONG})(?:, (?:{_SHORT}|{_LONG})){{0,4}}"
_OF_COMMAND = re.compile(  # an option of a program, and what it does
    rf"(?P<options>{_NAMES_OF_OPTION})(?:[ ]{{2,}}(?P<rest>\S.*))?[ \t]*"
)
_ITEM = re.compile(r"(?P<mark>[-*+•]|(?:\d{1,9}|#)[.)])(?P<space>[ \t]+)(?=\S)")
_RULER = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_VERSE, _GOING_ON = re.compile(r"\|(?: [^|\n]*)?$"), re.compile(r"[ \t]+\S")
_CODE = ("code", "code-block", "sourcecode", "console", "doctest", "parsed-literal", "prompt")
_WITHOUT_TEXT = (
    "image", "contents", "toctree", "include", "literalinclude", "raw", "highlight", "role", "meta",
    "sectnum", "index", "tabularcolumns", "plantuml", "graphviz", "digraph", "mermaid",
    "target-notes",
    "default-role", "currentmodule", "automodule", "autoclass", "autofunction", "automethod",
)  # fmt: skip
_WITHOUT_TITLE = (
    "figure",
    "only",
    "class",
    "rst-class",
    "container",
    "compound",
    "math",
    "module",
    "tabs",
)
_ALERTS = ("note", "tip", "hint", "important", "warning", "caution", "attention", "danger", "error")
_FENCE, _MOST_DEEP = "```", 6
_LEAST = 1000  # characters that may stand in the place of names in a short text
_FENCED = re.compile(rf"^ {{0,3}}{_FENCE}[^`\n]*$", re.MULTILINE)
_WHOLE = re.compile(  # literals and roles, with the sign that lets a word go on after them
    r"(?:``(?:[^`\n]|\n(?!\n)|`(?!`)){1,300}``"
    r"|:(?P<name>[A-Za-z][\w:+.-]{0,40}):`(?P<text>[^`]{1,200})`"
    r"|(?<![\w`:])`(?P<named>[^`]{1,200})`:(?P<role>[A-Za-z][\w+.-]{0,40}):(?![\w`]))"
    r"(?P<glue>\\(?=\w))?"
)
_LINK = re.compile(r"`([^`<]{1,200}?)\s{0,8}<([^<>`]{1,500})>`__?(?!\w)")
_INNER_TARGET = re.compile(r"(?<![\w`])_`([^`]{1,200})`(?!\w)")
_TITLED = re.compile(r"(?P<title>[^<]{1,200}?)\s{0,8}<[^<>]{1,200}>")
_NUMBERED = {"pep": "PEP ", "rfc": "RFC "}
_SIGNS_OF_ROLES = {
    "emphasis": "*",
    "strong": "**",
    "math": "$",
    "sub": "~",
    "subscript": "~",
    "sup": "^",
    "superscript": "^",
}
_REFERENCE = re.compile(
    r"(?:(?<!`)`(?P<phrase>[^`]{1,200})`|(?<![\w`/.:?=&#%@-])(?P<word>[A-Za-z][\w.+-]{0,60}?))"
    r"(?P<sign>__?)(?!\w)(?(word)(?![`/(<{\[=+*&%$#@^~|-]))"
)
_CITED = re.compile(r"\s?\[(#?[\w.-]{0,40}|\*)\]_(?!\w)")
_NAMES = re.compile(r"(?:\|[^|\s](?:[^|\n]{0,78}[^|\s])?\|_{0,2}[ \t]*)+")  # of pictures alone
_SUBSTITUTION = re.compile(r"\|([^|\s][^|\n]{0,78})\|(?:__?)?")
_ESCAPED_SPACE = re.compile(r"\\[ \n]")


def as_markdown(text: str) -> str:
    """Return ``text`` as Markdown if it is reStructuredText without fences; else as it is.

    It is if it has directives, targets or links of it. Titles become headings, code fenced code,
    and tables, links and footnotes those of Markdown; pictures, comments and the marks of other
    directives go.
    """
    if ("\n.. " not in f"\n{text}" and "`_" not in text) or _FENCED.search(text):
        return text
    lines = text.split("\n")
    directives = [directive for directive in map(_DIRECTIVE.fullmatch, lines) if directive]
    targets, anonymous = _find_targets(lines)
    if not targets and not directives and not _LINK.search(text):
        return text
    substitutions = {
        directive["substitution"]: directive["rest"] or "" if directive["name"] == "replace" else ""
        for directive in directives
        if directive["substitution"]
    }
    notes = {note["name"] for note in map(_FOOTNOTE.fullmatch, lines) if note}
    blocks = _Reader(targets, iter(anonymous), substitutions, notes, len(text)).blocks(lines)
    pairs = zip(blocks, [*blocks, ""][1:], strict=True)
    kept_blocks = [block for block, following in pairs if block.strip() or following.strip()]
    return "\n".join(kept_blocks).strip("\n")


@dataclass
class _Reader:
    """Reads blocks. ``targets``: addresses by name, ``anonymous``: those without one, in their
    order, ``substitutions``: texts by name, ``notes``: the names of footnotes, ``length``: of the
    whole text."""

    targets: dict[str, str]
    anonymous: Iterator[str]
    substitutions: dict[str, str]
    notes: set[str]
    length: int

    def __post_init__(self) -> None:
        # signs of titles, and whether there are two rulers
        self._levels: list[tuple[str, bool]] = []
        self._cited, self._defined = 0, 0  # footnotes without a name
        self._seen = set[str]()
        self._left = max(self.length, _LEAST)

    def blocks(self, lines: list[str], depth: int = 0) -> list[str]:
        """Return lines that begin at the left margin as Markdown."""
        if depth > _MOST_DEEP:
            return lines
        result: list[str] = []
        at = 0
        while at < len(lines):
            start = at
            for read_block in (
                self._read_blank,
                self._read_title,
                self._read_explicit_markup,
                self._read_doctest,
                self._read_fields,
                self._read_command_option,
                self._read_item,
                self._read_verse,
            ):
                at = read_block(lines, start, result, depth)
                if at > start:
                    break
            else:
                at = self._read_paragraph(lines, start, result, depth)
        return result

    def _convert_content(self, lines: list[str], depth: int) -> list[str]:
        """Return what another block holds, which begins with text."""
        content = self.blocks(lines, depth + 1)
        first_block = next((at for at, block in enumerate(content) if block.strip()), len(content))
        return content[first_block:]

    def _read_blank(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        if lines[at].strip():
            return at
        result.append("")
        return at + 1

    def _read_title(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        """Read a title with a ruler below, or above and below; or a ruler alone."""
        is_ruler = bool(_RULER.fullmatch(lines[at]))
        title, below = (*lines[at + is_ruler : at + is_ruler + 2], "", "")[:2]
        is_title = bool(title.strip()) and (is_ruler or not title[0].isspace())
        if is_title and _RULER.fullmatch(below) and not _RULER.fullmatch(title):
            is_long = len(below.rstrip()) >= min(4, len(title.rstrip()))
            if is_long and (not is_ruler or lines[at][0] == below[0]):
                sign = (below[0], is_ruler)
                if sign not in self._levels:
                    self._levels.append(sign)
                level = min(6, self._levels.index(sign) + 1)
                result += ["", f"{'#' * level} {self._convert_inline(title.strip())}", ""]
                return at + is_ruler + 2
        if is_ruler and len(lines[at].rstrip()) > 3 and not title.strip():
            result += ["", "---", ""]
            return at + 1
        return at

    def _read_explicit_markup(
        self, lines: list[str], at: int, result: list[str], depth: int
    ) -> int:
        """Read a directive, footnote, target or comment, and what is indented below."""
        line = lines[at]
        if not _MARKED.fullmatch(line):
            is_target = line.startswith("__") and _ANONYMOUS.fullmatch(line)
            return _end_of_address(lines, at) if is_target else at
        end = _end_of_block(lines, at + 1)
        if line.strip() == ".." and "".join(lines[at + 1 : at + 2]).strip() == "":
            return at + 1  # an empty comment, which ends what stands above it
        body = textwrap.dedent("\n".join(lines[at + 1 : end])).split("\n")
        if markup := _DIRECTIVE.fullmatch(line):
            self._read_directive(markup, body, result, depth)
        elif markup := _FOOTNOTE.fullmatch(line):
            self._read_footnote(markup, body, result, depth)
        return end

    def _read_directive(
        self, match: re.Match[str], body: list[str], result: list[str], depth: int
    ) -> None:
        name, title = match["name"].lower().rpartition(":")[2], (match["rest"] or "").strip()
        if match["substitution"] or name in _WITHOUT_TEXT:
            return
        options: dict[str, str] = {}
        while body and (option := _OPTION.fullmatch(body[0].strip())):
            options[option["name"]] = option["value"] or ""
            body = body[1:]
        if name in _CODE:
            result += _fence_code(
                body, title.split()[0] if title and name != "parsed-literal" else ""
            )
        elif name in ("list-table", "csv-table"):
            read_rows = self._read_rows_of_list if name == "list-table" else _read_rows_of_csv
            rows = [[self._convert_inline(cell) for cell in row] for row in read_rows(body)]
            head = _read_rows_of_csv([options["header"]]) if options.get("header") else []
            has_head = bool(head) or options.get("header-rows", "0") not in ("0", "")
            if any(any(row[1:]) for row in rows):  # no table of pictures alone
                result += [
                    "",
                    self._convert_inline(title),
                    *plain_tables.format_table([*head, *rows], has_head),
                ]
        elif name == "math":
            formula = " ".join(filter(None, (line.strip() for line in [title, *body])))
            result += ["", f"$${formula}$$", ""] if formula else []
        else:
            title = "" if name in _WITHOUT_TITLE else title
            if name in _ALERTS:
                body, title = [title, *body] if title else body, ""
            content = self._convert_content(body, depth)
            if name in _ALERTS and content:
                content[0] = f"**{name.capitalize()}:** {content[0]}"
            is_apart = bool(title and body and not body[0].strip())
            result += ["", self._convert_inline(title), *([""] if is_apart else []), *content, ""]

    def _read_rows_of_list(self, body: list[str]) -> list[list[str]]:
        """Return the cells of a list of lists."""
        rows: list[list[str]] = []
        for line in body:
            text = line.strip()
            if text.startswith("* "):
                rows.append([])
                text = text[2:].lstrip()
            if rows and (text == "-" or text.startswith("- ")):
                rows[-1].append(text[2:].strip().removeprefix("| "))
            elif (
                rows
                and rows[-1]
                and text
                and not _MARKED.fullmatch(text)
                and not _OPTION.fullmatch(text)
            ):
                rows[-1][-1] = f"{rows[-1][-1]} {text}".strip()
        return rows

    def _read_footnote(
        self, match: re.Match[str], body: list[str], result: list[str], depth: int
    ) -> None:
        name = match["name"]
        if name == "#":
            self._defined += 1
            name = f"#{self._defined}"
        content = self._convert_content([match["rest"] or "", *body], depth)
        if name in self._seen and content:
            content[0] = f"[^{name.lstrip('#')}]: {content[0]}"
            content[1:] = [textwrap.indent(block, "    ") for block in content[1:]]
        result += ["", *content, ""]

    def _read_doctest(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        end = at
        while lines[at].startswith(">>> ") and end < len(lines) and lines[end].strip():
            end += 1
        if end > at:
            result += _fence_code(lines[at:end], "pycon")
        return end

    def _read_fields(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        if not (field := _FIELD.fullmatch(lines[at])):
            return at
        end = _end_of_block(lines, at + 1)
        content = self._convert_description(field["value"], lines[at + 1 : end], depth)
        result += _make_item(f"**{field['name']}:**", content)
        return end

    def _read_command_option(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        """Read an option of a program, with what it does beside it or below."""
        end = _end_of_block(lines, at + 1)
        option = _OF_COMMAND.fullmatch(lines[at])
        is_below = end > at + 1 and bool(lines[at + 1].strip())
        if not option or not (option["rest"] or is_below):
            return at
        content = self._convert_description(option["rest"], lines[at + 1 : end], depth)
        result += _make_item(f"`{option['options']}`:", content)
        return end

    def _convert_description(self, first: str | None, below: list[str], depth: int) -> list[str]:
        """Return what stands beside a name and indented below it."""
        lines = textwrap.dedent("\n".join(below)).split("\n") if below else []
        return self._convert_content([first or "", *lines], depth)

    def _read_item(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        """Read an item of a list with all that it holds."""
        if not (item := _ITEM.match(lines[at])):
            return at
        end = _end_of_block(lines, at + 1)
        width = item.end()
        held = [line[min(width, len(line) - len(line.lstrip())) :] for line in lines[at + 1 : end]]
        content = self._convert_content([lines[at][width:], *held], depth)
        mark = item["mark"].replace("#", "1").replace("•", "-") + " "
        if content:
            result.append(mark + content[0])
            result += [textwrap.indent(block, " " * len(mark)) for block in content[1:]]
        return end

    def _read_verse(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        """Read lines that stay lines, which begin with a bar;
        an indented one goes on with the one above.
        """
        end, verse = at, list[str]()
        while end < len(lines) and (
            _VERSE.match(lines[end]) or (verse and _GOING_ON.match(lines[end]))
        ):
            text = lines[end].strip()
            if text.startswith("|"):
                verse.append(text[1:].strip())
            else:
                verse[-1] = f"{verse[-1]} {text}".strip()
            end += 1
        mark = "| " if len(verse) > 1 else ""
        result += [f"{mark}{self._convert_inline(line)}" if line else "" for line in verse]
        return end

    def _read_paragraph(self, lines: list[str], at: int, result: list[str], depth: int) -> int:
        """Read a paragraph, with a literal block or a definition below;
        an indented block is a quotation.
        """
        if lines[at][0].isspace():
            end = _end_of_block(lines, at)
            unindented = textwrap.dedent("\n".join(lines[at:end])).split("\n")
            result += self.blocks(unindented, depth + 1)
            return end
        end = at + 1
        while end < len(lines) and lines[end].strip() and not _MARKED.fullmatch(lines[end]):
            if lines[end][0].isspace() and end == at + 1:
                break
            end += 1
        text, following = "\n".join(lines[at:end]), "".join(lines[end : end + 1])
        if (
            end == at + 1
            and following[:1].isspace()
            and following.strip()
            and not text.endswith("::")
        ):
            content_end = _end_of_block(lines, end)
            content = self._convert_content(
                textwrap.dedent("\n".join(lines[end:content_end])).split("\n"), depth
            )
            content = [textwrap.indent(block, "    ") for block in content]
            result += [
                self._convert_inline(text),
                "",
                f":{content[0][1:]}" if content else "",
                *content[1:],
                "",
            ]
            return content_end
        content_end = end
        if text.rstrip().endswith("::"):
            content_end = _end_of_block(lines, end)
            if content_end > end:
                text = text.rstrip()[:-2]
                text = text.rstrip() if text.endswith((" ", "\n")) else f"{text}:" if text else ""
        result += self._convert_inline(text).split("\n")
        if content_end > end:
            result += _fence_code(lines[end:content_end], "")
        return content_end

    def _convert_inline(self, text: str) -> str:
        """Return text with the marks of Markdown. What stands in two backticks stays."""
        lines = [line for line in text.split("\n") if not self._is_pictures(line)] or [""]
        text, parts, at = "\n".join(lines), list[str](), 0
        for part in _WHOLE.finditer(text):
            literal = part[0].removesuffix(part["glue"] or "")
            if name := part["name"] or part["role"]:
                literal = _convert_role(name.lower(), part["text"] or part["named"])
            parts += [self._convert_marks(text[at : part.start()]), literal]
            at = part.end()
        return "".join([*parts, self._convert_marks(text[at:])])

    def _convert_marks(self, text: str) -> str:
        text = _INNER_TARGET.sub(r"\1", _ESCAPED_SPACE.sub("", text))
        text = _LINK.sub(lambda match: self._make_reference(match[1], match[2]), text)
        text = _SUBSTITUTION.sub(self._replace_substitution, text)
        text = _CITED.sub(self._replace_citation, text)
        return _REFERENCE.sub(self._replace_reference, text)

    def _make_reference(self, text: str, address: str) -> str:
        if _is_name(address):
            return self._make_link(text, self._find_address(address))
        return f"[{text}]({''.join(address.split())})"

    def _find_address(self, name: str) -> str:
        """Return the address of a name, which may stand for another name."""
        for _ in range(_MOST_STEPS):
            name = self.targets.get(_make_key(name), "")
            if not _is_name(name):
                return name
        return ""

    def _make_link(self, text: str, address: str) -> str:
        return f"[{text}]({address})" if address and self._may_add(address) else text

    def _replace_substitution(self, match: re.Match[str]) -> str:
        text = self.substitutions.get(match[1], match[0])
        return text if self._may_add(text) else match[1]

    def _may_add(self, text: str) -> bool:
        """Return whether a text of a name may stand in its place:
        all of them are as long as the notes.
        """
        self._left -= len(text)
        return self._left >= 0

    def _is_pictures(self, line: str) -> bool:
        """Return whether a line has nothing but names of pictures."""
        names = _SUBSTITUTION.findall(line) if _NAMES.fullmatch(line) else []
        return bool(names) and not any(map(self.substitutions.get, names))

    def _replace_reference(self, match: re.Match[str]) -> str:
        text = match["phrase"] or match["word"]
        address = next(self.anonymous, "") if match["sign"] == "__" else text
        is_name = match["sign"] == "_" or _is_name(address)
        return self._make_link(text, self._find_address(address) if is_name else address)

    def _replace_citation(self, match: re.Match[str]) -> str:
        name = match[1]
        if name == "#":
            self._cited += 1
            name = f"#{self._cited}"
        if match[1] not in self.notes:
            return "" if name[:1] in "#*" or name.isdecimal() else match[0][:-1]
        self._seen.add(name)
        return f"[^{name.lstrip('#')}]"


def _find_targets(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the addresses by the names that stand for them, and those without a name."""
    addresses: dict[str, str] = {}
    anonymous: list[str] = []
    names_without_address: list[str] = []  # names that stand for the address of the next one
    for at, line in enumerate(lines):
        target = _TARGET.fullmatch(line) or _ANONYMOUS.fullmatch(line)
        if not target:
            names_without_address = [] if line.strip() else names_without_address
            continue
        end = _end_of_address(lines, at)
        parts = " ".join([target["address"] or "", *lines[at + 1 : end]]).split()
        address = (" " if parts and _is_name(parts[-1]) else "").join(parts)
        if name := target.groupdict().get("name"):
            names_without_address.append(_make_key(name))
        elif address:
            anonymous.append(address)
        if address and names_without_address:
            addresses |= dict.fromkeys(names_without_address, address)
            names_without_address = []
    return addresses, anonymous


def _end_of_address(lines: list[str], at: int) -> int:
    """Return where the lines end that are indented below that of a target."""
    width, end = len(lines[at]) - len(lines[at].lstrip()), at + 1
    while end < min(len(lines), at + _MOST_PARTS) and lines[end][width : width + 1].isspace():
        if not lines[end].strip():
            break
        end += 1
    return end


def _is_name(address: str) -> bool:
    """Return whether an address is the name of another target: ``other_``."""
    return address.endswith("_") and "/" not in address


def _make_key(name: str) -> str:
    """Return the spelling by which a target is found."""
    return " ".join(name.removesuffix("_").strip("`").split()).casefold()


def _convert_role(name: str, text: str) -> str:
    """Return what a role shows: its title, the last part of a name after ``~``, or its text."""
    if title_match := _TITLED.fullmatch(text):
        return title_match["title"]
    if number := _NUMBERED.get(name):
        return f"{number}{text}"
    sign = _SIGNS_OF_ROLES.get(name, "`")
    return f"{sign}{text.rpartition('.')[2].lstrip('~') if text.startswith('~') else text}{sign}"


def _read_rows_of_csv(lines: list[str]) -> list[list[str]]:
    rows = csv.reader((line for line in lines if line.strip()), skipinitialspace=True)
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def _fence_code(lines: list[str], language: str) -> list[str]:
    code = textwrap.dedent("\n".join(lines)).strip("\n")
    fence = "~" * 9 if _FENCE in code else _FENCE
    return ["", f"{fence}{language}", code, fence, ""] if code else []


def _make_item(name: str, content: list[str]) -> list[str]:
    """Return an item of a list that begins with a name; a list or code in it begins a line."""
    is_text = (
        bool(content)
        and not content[0].startswith((_FENCE, "~" * 9))
        and not _ITEM.match(content[0])
    )
    first, rest = (content[:1], content[1:]) if is_text else ([], content)
    return [" ".join(["-", name, *first]), *(textwrap.indent(block, "  ") for block in rest)]


def _end_of_block(lines: list[str], start: int) -> int:
    """Return where the indented lines from ``start`` on end,
    without the empty ones at their end.
    """
    end = start
    for number in range(start, len(lines)):
        if lines[number].strip():
            if not lines[number][0].isspace():
                break
            end = number + 1
    return end
