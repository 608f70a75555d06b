"""Parses a subset of LaTeX's mathematics into a tree; any other notation is not a formula."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

_LONGEST, _DEEPEST, _MOST = 300, 8, 120  # characters; groups within groups; parts
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:[.,]\d+)*|\s+|.", re.DOTALL)
_BLOCK = re.compile(r"\s*(?:\$\$([^$]+)\$\$|\\\[(.+?)\\\])\s*", re.DOTALL)
_GREEK = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega varepsilon varphi
""".split()  # noqa: SIM905
GREEK = dict(zip(_GREEK, "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩεφ", strict=True))
SIGNS = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "neq": "≠", "ne": "≠", "approx": "≈", "to": "→", "rightarrow": "→", "infty": "∞", "in": "∈",
    "cup": "∪", "cap": "∩", "partial": "∂", "sum": "∑", "prod": "∏", "int": "∫", "ldots": "…",
    "cdots": "…", "dots": "…", "%": "%",
}  # fmt: skip
BIG = frozenset("∑∏∫")
FUNCTIONS = frozenset(("sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min"))
_SPACES = frozenset((",", ";", ":", "!", " ", "quad", "qquad", "displaystyle"))
_PLAIN = frozenset("+=<>()[],.!|/'")
_DELIMITERS = {"left", "right"}


@dataclass(frozen=True)
class Node:
    """A part of a formula. ``kind``: "row", "letter", "number", "sign", "function", "text",
    "fraction", "root" or "script".

    ``parts``: of a fraction what is above and below, of a root what is in it, of a script its base,
    index and exponent (each a row, empty if there is none).
    """

    kind: str
    text: str = ""
    parts: tuple["Node", ...] = ()


NOTHING = Node("row")


class _NotUnderstoodError(Exception):
    """The source is not in the subset."""


def find_formula(paragraph: str) -> str:
    """Return the source of the formula that ``paragraph`` consists of (``$$…$$``, ``\\[…\\]``);
    empty if none is understood.
    """
    match = _BLOCK.fullmatch(paragraph) if len(paragraph) <= 2 * _LONGEST else None
    source = (match[1] or match[2]).strip() if match else ""
    return source if source and parse_formula(source) is not None else ""


def parse_formula(source: str) -> Node | None:
    """Return the tree of ``source``; None if it is too long or has something that is not
    in the subset.
    """
    if len(source) > _LONGEST or "$" in source:
        return None
    tokens = [token for token in _TOKEN.findall(source) if not token.isspace()]
    if len(tokens) > _MOST or not any(
        token[-1].isalnum() and token[1:] not in _DELIMITERS for token in tokens
    ):
        return None
    reader = _Reader(tokens)
    try:
        row = reader.row(0, "")
    except _NotUnderstoodError:
        return None
    return row if row.parts else None


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = iter(tokens)
        self._next = next(self._tokens, "")

    def _take(self) -> str:
        token, self._next = self._next, next(self._tokens, "")
        return token

    def row(self, depth: int, end: str) -> Node:
        """Read parts until the token ``end``, which is taken; empty: the end of the source."""
        if depth > _DEEPEST:
            raise _NotUnderstoodError
        parts: list[Node] = []
        while self._next != end:
            if not self._next:
                raise _NotUnderstoodError
            if self._next in ("^", "_"):
                parts.append(self._read_scripts(parts.pop() if parts else None, depth))
            else:
                parts += self._read_atom(depth)
        self._take()
        return Node("row", parts=tuple(parts))

    def _read_scripts(self, base: Node | None, depth: int) -> Node:
        scripts = {"_": NOTHING, "^": NOTHING}
        if base is None or base.kind == "script":
            raise _NotUnderstoodError
        while self._next in scripts:
            sign = self._take()
            if scripts[sign].parts:
                raise _NotUnderstoodError
            scripts[sign] = self._read_argument(depth)
        return Node("script", parts=(base, scripts["_"], scripts["^"]))

    def _read_argument(self, depth: int) -> Node:
        """Read a group, or one token."""
        if self._next == "{":
            self._take()
            row = self.row(depth + 1, "}")
        else:
            row = Node("row", parts=tuple(self._read_atom(depth + 1)))
        if not row.parts:
            raise _NotUnderstoodError
        return row

    def _read_digit(self) -> Node | None:
        """Read one digit of a number, as TeX does where an argument is no group:
        ``\\frac12`` is a half.
        """
        if not re.fullmatch(r"[0-9]+", self._next):
            return None
        digit, self._next = self._next[0], self._next[1:]
        if not self._next:
            self._take()
        return Node("row", parts=(Node("number", digit),))

    def _read_atom(self, depth: int) -> Iterator[Node]:
        if depth > _DEEPEST:
            raise _NotUnderstoodError
        piece = self._take()
        if piece.startswith("\\"):
            return self._read_command(piece[1:], depth)
        if piece == "{":
            return iter(self.row(depth + 1, "}").parts)
        if piece[:1].isdecimal() and piece.isascii():
            return iter((Node("number", piece),))
        if len(piece) == 1 and piece.isalpha():
            return iter((Node("letter", piece),))
        sign = {"-": "−", "*": "·"}.get(piece, piece)
        if piece in _PLAIN or sign in SIGNS.values() or sign == "−":
            return iter((Node("sign", sign),))
        raise _NotUnderstoodError

    def _read_command(self, name: str, depth: int) -> Iterator[Node]:
        if name in _SPACES or name in _DELIMITERS:
            return iter(())
        if name in GREEK:
            return iter((Node("letter", GREEK[name]),))
        if name in SIGNS:
            return iter((Node("sign", SIGNS[name]),))
        if name in FUNCTIONS:
            return iter((Node("function", name),))
        if name in ("frac", "dfrac", "tfrac"):
            parts = tuple(self._read_digit() or self._read_argument(depth) for _ in range(2))
            return iter((Node("fraction", parts=parts),))
        if name == "sqrt" and self._next != "[":
            return iter((Node("root", parts=(self._read_argument(depth),)),))
        if name in ("text", "mathrm"):
            return iter((Node("text", self._read_text()),))
        raise _NotUnderstoodError

    def _read_text(self) -> str:
        if self._take() != "{":
            raise _NotUnderstoodError
        text = "".join(takewhile(lambda piece: piece != "}", iter(self._take, "")))
        if not (text.isalpha() or text.isalnum()):
            raise _NotUnderstoodError
        return text
