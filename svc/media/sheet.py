"""Laying out a document of headings, facts, paragraphs and tables on A4, in any of our scripts."""

import datetime
import tempfile
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, TableCellFillMode
from fpdf.fonts import FontFace

from svc.media import fonts

_MARGIN = 18  # mm
_WIDTH = 210 - 2 * _MARGIN
_INK, _PALE, _GOOD, _BAD = (28, 32, 40), (110, 118, 130), (20, 120, 70), (180, 40, 40)
_STRIPE, _LINE = (245, 247, 250), (205, 210, 218)
_WEIGHTS = {"": 400, "B": 650}
_PLAIN_TEXT = "".join(map(chr, range(0x20, 0x7F))) + "–—…“”‘’•×±≤≥"


class Sheet:
    """``text``: everything that will be put on it, so that the fonts can be cut to size first; ``accent``: ``#rrggbb``.

    Used in a ``with``; written before it ends."""

    def __init__(self, title: str, language: str, moment: datetime.datetime, accent: str, text: str):
        self._accent = tuple(int(accent[at : at + 2], 16) for at in (1, 3, 5))
        self._pdf = _Pages()
        self._pdf.set_margins(_MARGIN, _MARGIN)
        self._pdf.set_auto_page_break(True, _MARGIN)
        self._pdf.set_title(title)
        self._pdf.set_lang(language)
        self._pdf.set_creation_date(moment)
        self._pdf.set_creator("Partner Production API")
        self._folder = tempfile.TemporaryDirectory()  # the font files, which are read until the end
        self._take_fonts(text + title + _PLAIN_TEXT)
        self._pdf.add_page()
        self._pdf.set_fill_color(self._accent)
        self._pdf.rect(0, 0, 210, 4, style="F")
        self._pdf.set_fill_color(255)
        self._pdf.set_draw_color(_LINE)
        self._pdf.set_line_width(0.1)

    def __enter__(self) -> "Sheet":
        return self

    def __exit__(self, *error) -> None:
        self._folder.cleanup()

    def title(self, over: str, title: str) -> None:
        """The document's kind in small letters, and its title in large ones."""
        self._write(over, 9, "B", self._accent)
        self._write(title, 20, "B", _INK)
        self._pdf.ln(2)

    def heading(self, text: str) -> None:
        self._pdf.ln(4)
        self._pdf.start_section(text)
        self._write(text, 12, "B", _INK)
        self._pdf.ln(1)

    def paragraph(self, text: str) -> None:
        self._write(text, 9.5, "", _INK)

    def facts(self, facts: list[tuple[str, str]]) -> None:
        """Names on the left, what they stand for on the right."""
        self._set(9.5, "", _INK)
        with self._pdf.table(
            col_widths=(38, _WIDTH - 38),
            borders_layout=TableBordersLayout.NONE,
            first_row_as_headings=False,
            text_align=("LEFT", "LEFT"),
            line_height=5,
            padding=(0.4, 0, 0.4, 0),
        ) as table:
            for name, value in facts:
                row = table.row()
                row.cell(name, style=FontFace(color=_PALE))
                row.cell(value)

    def table(self, headings: tuple[str, ...], rows: list[tuple[str, ...]], widths: tuple[float, ...], size: float = 8) -> None:
        """``widths``: shares of the page's. The words "pass" and "fail" are coloured; headings are repeated on each page."""
        self._set(size, "", _INK)
        with self._pdf.table(
            col_widths=widths,
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            cell_fill_color=_STRIPE,
            cell_fill_mode=TableCellFillMode.ROWS,
            headings_style=FontFace(emphasis="BOLD", color=_INK),
            text_align="LEFT",
            line_height=size * 0.55,
            padding=(0.8, 1.2, 0.8, 1.2),
        ) as table:
            for cells in (headings, *rows):
                row = table.row()
                for cell in cells:
                    row.cell(cell, style=_VERDICTS.get(cell))

    def write(self, path: Path) -> None:
        path.write_bytes(self._pdf.output())

    def _take_fonts(self, text: str) -> None:
        """The first font of the house, and those that the text needs besides."""
        families = list(dict.fromkeys([fonts.FAMILIES[0], *(family for family, _ in fonts.runs(text))]))
        for family in families:
            for style, weight in _WEIGHTS.items():
                file = Path(self._folder.name, f"{family}{style}.ttf")
                file.write_bytes(fonts.static(family, weight, text))
                self._pdf.add_font(family, style, file)
        self._pdf.set_font(families[0], "", 10)
        self._pdf.set_fallback_fonts(families[1:], exact_match=False)
        self._pdf.set_text_shaping(True)

    def _set(self, size: float, style: str, colour: tuple[int, int, int]) -> None:
        self._pdf.set_font(fonts.FAMILIES[0], style, size)
        self._pdf.set_text_color(*colour)

    def _write(self, text: str, size: float, style: str, colour: tuple[int, int, int]) -> None:
        self._set(size, style, colour)
        self._pdf.multi_cell(0, size * 0.5, text, align="LEFT", new_x="LMARGIN", new_y="NEXT")


_VERDICTS = {"pass": FontFace(emphasis="BOLD", color=_GOOD), "fail": FontFace(emphasis="BOLD", color=_BAD)}


class _Pages(FPDF):
    def footer(self) -> None:
        self.set_y(-12)
        self.set_font(fonts.FAMILIES[0], "", 7.5)
        self.set_text_color(*_PALE)
        self.cell(0, 4, f"{self.page_no()} / {{nb}}", align="RIGHT")
