"""Parses Mermaid's flowcharts and pie charts; its other diagrams are shown as code."""

import html
import re
from dataclasses import dataclass

_HEAD = re.compile(
    r"(?:graph|flowchart(?:-elk)?)(?:[ \t]+(?P<direction>TB|TD|BT|RL|LR))?[ \t]*;?", re.IGNORECASE
)
_PIE = re.compile(r"pie(?:[ \t]+showData)?(?:[ \t]+title[ \t]+(?P<title>.+))?", re.IGNORECASE)
_TITLE = re.compile(r"title[ \t]+(?P<title>.+)", re.IGNORECASE)
_SLICE = re.compile(r'"(?P<name>[^"]+)"[ \t]*:[ \t]*(?P<value>\d+(?:\.\d+)?)')
_IGNORED = re.compile(
    r"(?:%%|classDef\b|class\b|style\b|linkStyle\b|click\b|direction\b|subgraph\b|end$|accTitle\b|"
    r"accDescr\b)"
)
_SETTINGS = re.compile(r"\A\s*---\n.*?\n---[ \t]*\n", re.DOTALL)
_ID = re.compile(r"\s*(?P<id>\w+(?:[.-]\w+)*)")
_SHAPES = (  # the opening and the closing of a node's text, the longest first
    ("(((", ")))"),
    ("((", "))"),
    ("([", "])"),
    ("[[", "]]"),
    ("[(", ")]"),
    ("{{", "}}"),
    ("[/", "/]"),
    ("[/", "\\]"),
    ("[\\", "\\]"),
    ("[\\", "/]"),
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    (">", "]"),
)
_SHAPED, _LABEL = re.compile(r"@\{(?P<values>[^}]*)\}"), re.compile(r'label:\s*"([^"]*)"')
_CLASS = re.compile(r":::\w+")
_LINK = re.compile(
    r"\s*(?:[<xo]?(?:-{2,}|={2,}|-\.+-)[>xo]?\s*\|(?P<barred>[^|]*)\||[<xo]?(?:--|==|"
    r"-\.)\s*(?P<within>[^\s\-=.>|][^|]*?)\s*(?:-{2,}|={2,}|\.+-)[>xo]?|[<xo]?(?:-{3,}|={3,}|"
    r"-{2,}[>xo]|={2,}[>xo]|-\.+-[>xo]?|~{3,}))(?=[\s\w]|$)"
)
_MARKUP = re.compile(r"<[^>]{1,40}>|`|\bfa[bsrl]?:fa-[\w-]+|\*\*")
_MOST_NODES, _MOST_EDGES, _LONGEST, _LONGEST_LABEL = 14, 28, 6000, 80
_MOST_SLICES = 8


@dataclass(frozen=True)
class Edge:
    """``start`` and ``end``: the numbers of its nodes."""

    start: int
    end: int
    label: str = ""


@dataclass(frozen=True)
class Flowchart:
    """``nodes``: their texts, in the order in which they are first named."""

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    is_across: bool  # drawn from side to side, not from top to bottom

    def list_steps(self) -> tuple[tuple[str, str], ...]:
        """Return for each node the label of the first edge that leads there, and its text."""
        labels = {edge.end: edge.label for edge in reversed(self.edges) if edge.start < edge.end}
        return tuple((labels.get(number, ""), text) for number, text in enumerate(self.nodes))


def is_mermaid(info: str) -> bool:
    """Return whether a fence with ``info`` holds a diagram of Mermaid."""
    return info.strip().strip("{.}").split(" ", 1)[0].lower() == "mermaid"


def parse_flowchart(source: str) -> Flowchart | None:
    """Return the flowchart that ``source`` draws; None if it is not one, or too large for a
    picture.
    """
    head, *lines = _list_statements(source)
    start = _HEAD.fullmatch(head)
    if not start:
        return None
    reader = _Reader()
    if not all(_IGNORED.match(line) or reader.read(line) for line in lines):
        return None
    nodes, edges = tuple(reader.texts.values()), tuple(dict.fromkeys(reader.edges))
    is_small = 2 <= len(nodes) <= _MOST_NODES and 1 <= len(edges) <= _MOST_EDGES
    is_legible = all(text and len(text) <= _LONGEST_LABEL for text in nodes) and all(
        len(e.label) <= _LONGEST_LABEL for e in edges
    )
    direction = (start["direction"] or "TD").upper()
    return Flowchart(nodes, edges, direction in ("LR", "RL")) if is_small and is_legible else None


def parse_pie(source: str) -> tuple[tuple[str, str], ...]:
    """Return the title and the slices (name and value) of a pie, in this order; empty if ``source``
    is not a pie.
    """
    head, *lines = _list_statements(source)
    start = _PIE.fullmatch(head)
    if not start:
        return ()
    title_line = _TITLE.fullmatch(lines[0]) if lines else None
    slices = [
        _SLICE.fullmatch(line)
        for line in lines[1 if title_line else 0 :]
        if not _IGNORED.match(line)
    ]
    if not 2 <= len(slices) <= _MOST_SLICES or not all(slices):
        return ()
    title = start["title"] or (title_line["title"] if title_line else "")
    return (
        (title.strip(), ""),
        *((each["name"].strip(), each["value"]) for each in slices if each),
    )


def list_texts(info: str, source: str) -> list[str] | None:
    """Return the texts that are shown of the diagram in a fence; None if it is shown as code."""
    if not is_mermaid(info):
        return None
    if slices := parse_pie(source):
        return [" ".join(part for part in row if part) for row in slices]
    chart = parse_flowchart(source)
    return [": ".join(filter(None, step)) for step in chart.list_steps()] if chart else None


def _list_statements(source: str) -> list[str]:
    """Return the statements of a diagram, at least one, which is empty if the diagram
    is too long.
    """
    lines = _SETTINGS.sub("", source).split("\n") if len(source) <= _LONGEST else []
    parts = [part.strip() for line in lines for part in _split_line(line)]
    return [part for part in parts if part and not part.startswith("%%")] or [""]


def _split_line(line: str) -> list[str]:
    """Return the statements of a line; a semicolon within quotes or brackets parts none."""
    parts, depth, in_quotes = [""], 0, False
    for sign in line:
        in_quotes ^= sign == '"'
        depth += 0 if in_quotes else (sign in "([{") - (sign in ")]}")
        if sign == ";" and not in_quotes and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


class _Reader:
    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.edges: list[Edge] = []

    def read(self, line: str) -> bool:
        """Read one statement: nodes, and the edges between them;
        return whether it is understood.
        """
        before, at = self._read_nodes(line, 0)
        if not before:
            return False
        while line[at:].strip():
            link = _LINK.match(line, at)
            after, at = self._read_nodes(line, link.end()) if link else ([], at)
            if not link or not after:
                return False
            label = _strip_markup(link["barred"] or link["within"] or "")
            numbers = {name: number for number, name in enumerate(self.texts)}
            self.edges += [
                Edge(numbers[source], numbers[target], label)
                for source in before
                for target in after
            ]
            before = after
        return True

    def _read_nodes(self, line: str, at: int) -> tuple[list[str], int]:
        """Read nodes with ``&`` between them; return their ids, and where they end."""
        names: list[str] = []
        while node := _ID.match(line, at):
            text, at = _read_text(line, node.end())
            names.append(node["id"])
            if text or node["id"] not in self.texts:
                self.texts[node["id"]] = text or node["id"]
            if not line[at:].lstrip().startswith("&"):
                break
            at = line.index("&", at) + 1
        return names, at


def _read_text(line: str, at: int) -> tuple[str, int]:
    """Return the text in the brackets of a node at ``at``, and where they end."""
    text = ""
    if attributes := _SHAPED.match(line, at):
        label = _LABEL.search(attributes["values"])
        text, at = _strip_markup(label[1]) if label else "", attributes.end()
    for opening, closing in _SHAPES:
        if not line.startswith(opening, at):
            continue
        start = at + len(opening)
        quoted_label = re.compile(r'\s*"([^"]*)"\s*' + re.escape(closing)).match(line, start)
        end = quoted_label.end() if quoted_label else line.find(closing, start) + len(closing)
        if quoted_label or end >= start + len(closing):
            text, at = (
                _strip_markup(
                    quoted_label[1] if quoted_label else line[start : end - len(closing)]
                ),
                end,
            )
            break
    styled = _CLASS.match(line, at)
    return text, styled.end() if styled else at


def _strip_markup(text: str) -> str:
    named = re.sub(r"#(\w+);", r"&\1;", text.strip().strip('"'))
    return " ".join(html.unescape(_MARKUP.sub(" ", named)).split())
