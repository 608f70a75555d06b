"""Typesetting a formula with typst: a mask of its ink, as large as fits a box."""

import io
from functools import lru_cache

import typst
from PIL import Image

from svc.base.text import latex
from svc.base.text.latex import Node

_POINTS = 40  # the type size that is measured
_INCH = 72  # points
_LARGEST = 4096  # pixels on a side
_CACHED = 16  # formulas; a scene draws its own for each of its pictures
_WITHOUT_GLYPH = "\N{GOTHIC LETTER HWAIR}"  # in no font of typst
_HEAD = (
    f"#set page(width: auto, height: auto, margin: 2pt, fill: none)\n#set text(size: {_POINTS}pt)\n"
)


def draw_formula(
    source: str, width: int, height: int, size: float, least: float
) -> Image.Image | None:
    """Return the formula ``source`` as a mask (mode "L"): in type of ``size`` pixels, or as much
    smaller as ``width`` and ``height`` need. None if that is smaller than ``least``, if the source
    is not understood, or if a letter has no glyph."""
    row = latex.parse_formula(source)
    if row is None or not all(_has_glyph(letter) for letter in source if not letter.isascii()):
        return None
    markup = _markup(row)
    across, down = _draw_markup(markup, float(_INCH)).size  # in points
    dots = min(_LARGEST / max(across, down), width / across, height / down, size / _POINTS) * _INCH
    return _draw_markup(markup, dots) if dots * _POINTS / _INCH >= least else None


@lru_cache(maxsize=_CACHED)
def _draw_markup(markup: str, dots: float) -> Image.Image:
    """Return the ink of ``markup`` at ``dots`` per inch.

    It holds nothing but what :func:`_markup` writes.
    """
    return _ink(f"$ {markup} $", dots)


def _ink(text: str, dots: float) -> Image.Image:
    png = typst.compile(f"{_HEAD}{text}".encode(), format="png", ppi=dots, ignore_system_fonts=True)
    return Image.open(io.BytesIO(bytes(png)), formats=("PNG",)).convert("RGBA").getchannel("A")


@lru_cache(maxsize=1024)
def _has_glyph(letter: str) -> bool:
    """Return whether typst's own fonts have a letter of an understood formula;
    they draw others as one and the same box.
    """
    return _ink(f"$ {letter} $", _INCH).tobytes() != _ink(f"$ {_WITHOUT_GLYPH} $", _INCH).tobytes()


def _markup(node: Node) -> str:
    """Return typst's own notation of a formula; every sign of the source is quoted or escaped."""
    if node.kind == "row":
        return " ".join(map(_markup, node.parts))
    if node.kind == "fraction":
        return f"frac({_markup(node.parts[0])}, {_markup(node.parts[1])})"
    if node.kind == "root":
        return f"sqrt({_markup(node.parts[0])})"
    if node.kind == "script":
        base, below, above = node.parts
        scripts = "".join(
            f"{sign}({_markup(row)})" for sign, row in (("_", below), ("^", above)) if row.parts
        )
        return f"{_markup(base)}{scripts}"
    if node.kind == "function":
        return (
            f'op("{node.text}", limits: #true)'
            if node.text in ("lim", "max", "min")
            else f'op("{node.text}")'
        )
    # a comma would end an argument of frac() or sqrt()
    if node.kind == "text" or "," in node.text[1:]:
        return f'"{node.text}"'
    return f"\\{node.text}" if node.kind == "sign" and node.text.isascii() else node.text
