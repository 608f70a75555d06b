"""Reading a formula aloud: its parts in order, each as written in captions and as spoken."""

import re
import unicodedata
from collections.abc import Iterator

from svc.base.text import latex
from svc.base.text.latex import BIG, Node
from svc.media.languages import Formulas, read_words
from svc.media.text import signs
from svc.media.text import tokens as words
from svc.media.text.tokens import Token

_RAISED = str.maketrans("0123456789+−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_OPENING, _CLOSING = "([", ")]"
_SILENT = frozenset("()[],.|")
_LONGEST = 12  # characters of a product that is one word
_FACTOR = re.compile(r"[\w⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼ⁿ₀-₎%!)√(]+")
_NAME = re.compile(r"[^\W\d_²³¹⁰-₎]{2,}")  # of a function, or text

Part = tuple[str, str]  # as written, and as spoken


def read_formula(source: str, language: str) -> list[Token]:
    """Return the words of the formula ``source`` in ``language`` (BCP 47);
    none if it is not understood.
    """
    row = latex.parse_formula(source)
    parts = (
        _run_together(_attach_silent_parts(_Reader(language).row(row))) if row is not None else []
    )
    said = [(words.clean(written) or words.clean(spoken), spoken) for written, spoken in parts]
    last = len(said) - 1
    return [
        Token(written, f"{spoken}." if at == last else spoken, at == last)
        for at, (written, spoken) in enumerate(said)
        if written
    ]


def caption_formula(source: str, language: str) -> str:
    """Return the words of the formula ``source`` as captions have them."""
    return " ".join(token.written for token in read_formula(source, language))


class _Reader:
    def __init__(self, language: str) -> None:
        self._language = language
        self._said = read_words(language, Formulas).said

    def row(self, row: Node) -> list[Part]:
        return [part for node in row.parts for part in self._node(node)]

    def _node(self, node: Node) -> Iterator[Part]:
        if node.kind == "fraction":
            above, below = (self._group(row) for row in node.parts)
            yield from [*above, ("÷", self._name("÷")), *below]
        elif node.kind == "root":
            yield from [("√", self._name("√")), *self._group(node.parts[0])]
        elif node.kind == "script":
            yield from self._script(*node.parts)
        elif node.kind == "row":
            yield from self.row(node)
        elif node.kind == "number":
            yield (node.text, self._number(node.text))
        elif node.kind == "letter":
            yield (node.text, self._letter(node.text))
        elif node.kind == "sign":
            yield (node.text, self._name(node.text))
        else:
            yield (node.text, self._said.get(node.text, node.text))

    def _script(self, base: Node, below: Node, above: Node) -> Iterator[Part]:
        parts = list(self._node(base)) or [("", "")]
        *before, (shown, said) = (
            [("(", ""), *parts, (")", "")] if base.kind in ("fraction", "root") else parts
        )
        yield from before
        if below.parts:
            index = self.row(below)
            range_of = base.text in BIG
            shown += _shift_text(_text(index), _LOWERED, "_")
            said = " ".join(
                [said, *([self._said.get("from", "")] if range_of else []), _speech(index)]
            )
        if above.parts:
            power = self.row(above)
            shown += _shift_text(_text(power), _RAISED, "^")
            said = " ".join([said, *self._power(base, _text(power), _speech(power))])
        if base.text in BIG and (below.parts or above.parts):
            said = f"{said} {self._said.get('of', '')}"
        yield shown, " ".join(said.split())

    def _power(self, base: Node, power: str, speech: str) -> list[str]:
        if base.text in BIG:
            return [self._said.get("until", ""), speech]
        short = self._said.get(power.translate(_RAISED), "") if power in ("2", "3") else ""
        return [short] if short else [self._said.get("^", ""), speech]

    def _group(self, row: Node) -> list[Part]:
        """Return the parts of a row, in written parentheses if it has several."""
        parts = self.row(row)
        return parts if len(row.parts) == 1 else [("(", ""), *parts, (")", "")]

    def _name(self, sign: str) -> str:
        return (
            ""
            if sign in _SILENT
            else self._said.get(sign) or signs.name_sign(sign, self._language) or sign
        )

    def _number(self, text: str) -> str:
        return (
            " ".join(token.spoken for token in words.tokenize_text(text, self._language))
            .rstrip(".。")
            .lower()
            or text
        )

    def _letter(self, text: str) -> str:
        name = unicodedata.name(text, "")
        if name.startswith("GREEK"):
            return name.split()[-1].lower()
        return text.upper()  # a small "a" would be read as an article


def _text(parts: list[Part]) -> str:
    return "".join(shown for shown, _ in parts)


def _speech(parts: list[Part]) -> str:
    return " ".join(said for _, said in parts if said)


def _shift_text(text: str, table: dict[int, int], sign: str) -> str:
    """Return ``text`` raised or lowered, or after ``sign`` where Unicode has no such characters."""
    shifted = text.translate(table)
    return (
        shifted
        if all(ord(letter) in table for letter in text)
        else f"{sign}({text})"
        if len(text) > 1
        else f"{sign}{text}"
    )


def _attach_silent_parts(parts: list[Part]) -> list[Part]:
    """Return the parts with those that are not spoken, such as parentheses,
    as a piece of their neighbours.
    """
    result: list[Part] = []
    waiting = ""
    for shown, said in parts:
        if said and shown[0] in _CLOSING and result:  # a power of what stands in parentheses
            result[-1] = (result[-1][0] + shown, f"{result[-1][1]} {said}")
        elif said:
            result.append((waiting + shown, said))
            waiting = ""
        elif shown[-1:] in _OPENING or not result:
            waiting += shown
        else:
            result[-1] = (result[-1][0] + shown, result[-1][1])
    if waiting and result:
        result[-1] = (result[-1][0] + waiting, result[-1][1])
    return result


def _run_together(parts: list[Part]) -> list[Part]:
    """Return the parts with the factors of a product as one word, as they are written: ``mc²``,
    ``2x``, ``f(x)``, ``√x``.
    """
    result: list[Part] = []
    for shown, said in parts:
        before = result[-1] if result else ("", "")
        is_product = all(
            _FACTOR.fullmatch(each) and not _NAME.search(each) for each in (before[0], shown)
        )
        if (
            is_product
            and len(before[0] + shown) <= _LONGEST
            and not (before[0][-1].isdecimal() and shown[0].isdecimal())
        ):
            result[-1] = (before[0] + shown, f"{before[1]} {said}")
        else:
            result.append((shown, said))
    return result
