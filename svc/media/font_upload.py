"""Checking an uploaded font and writing it again: an untrusted file, of which only outlines,
metrics and shaping survive.

It runs in the confined process of uploads: parsing may take any time and memory, and may fail in
any way.
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from PIL import ImageFont

from svc.base import atomic_file
from svc.media.errors import InvalidUpload

MOST_GLYPHS = 30_000
_LEAST_LETTERS = 20  # below, it is a font of symbols
_SIGNATURES = (b"\0\1\0\0", b"true", b"OTTO")
_WOFF2 = b"wOF2"  # fontTools reads it only where the brotli package is installed
_PICTURES = [
    "SVG ",
    "CBDT",
    "CBLC",
    "sbix",
    "COLR",
    "CPAL",
    "EBDT",
    "EBLC",
    "EBSC",
    "DSIG",
    "JSTF",
    "PCLT",
    "LTSH",
]
# OpenType, OS/2 table, fsType: of several usage bits the least restrictive holds.
_RESTRICTED, _MAY_VIEW_OR_EDIT, _BITMAPS_ONLY = 0x0002, 0x000C, 0x0200
_TRIED = 200  # letters that are drawn
_SIZE = 100  # pixels, of the letters tried
_HIGHEST, _DEEPEST, _WIDEST, _NARROWEST = 1.5, 0.8, 2.5, 0.05  # of a letter, as shares of the size
_MOST_ODD = 0.05  # share of the tried letters that may be outside of these


class InvalidFont(InvalidUpload):
    """The file is not usable as a font; the message says why, and what to do."""


def convert_font(source: Path, target: Path) -> None:
    """Write the font ``source`` as plain TrueType or OpenType, without hints, pictures and tables
    of unknown kind.

    InvalidFont: it is not readable, its maker forbids embedding, or its letters would not fit into
    a line.
    """
    _check_signature(source)
    try:
        with TTFont(source, recalcTimestamp=False) as opened:
            _check_permission(opened)
            _check_glyphs(opened)
            _strip(opened)
            with atomic_file.replace(target) as partial:
                opened.save(partial)
                _check_letters(partial, sorted(opened.getBestCmap()))
    except InvalidFont:
        raise
    except ImportError:
        raise InvalidFont(
            "WOFF2 cannot be read on this server. Upload the font as a TTF or OTF file."
        ) from None
    except Exception as error:  # a hostile font makes the parser raise whatever there is
        raise InvalidFont("The font is damaged. Choose another TTF or OTF file of it.") from error


def _check_signature(source: Path) -> None:
    with source.open("rb") as file:
        start = file.read(4)
    if start == b"ttcf":
        raise InvalidFont(
            "This is a collection of fonts. Upload one of its fonts as a TTF or OTF file."
        )
    if start not in (*_SIGNATURES, _WOFF2):
        raise InvalidFont("This is not a font. Choose a TTF or OTF file.")


def _check_permission(opened: TTFont) -> None:
    """Raise InvalidFont where the bits that the font's maker set forbid its use in videos."""
    permission = opened["OS/2"].fsType if "OS/2" in opened else 0
    if permission & _BITMAPS_ONLY or (
        permission & _RESTRICTED and not permission & _MAY_VIEW_OR_EDIT
    ):
        raise InvalidFont(
            f"The font's embedding permission (fsType {permission:#06x}) forbids its use in "
            "videos. Choose another font, or ask its maker for a version with permission."
        )


def _check_glyphs(opened: TTFont) -> None:
    count = opened["maxp"].numGlyphs
    letters = sum(chr(code).isalpha() for code in opened.getBestCmap() or ())
    if count > MOST_GLYPHS:
        raise InvalidFont(
            f"The font has {count:,} glyphs; the limit is {MOST_GLYPHS:,}. Make a subset of "
            "it first."
        )
    if letters < _LEAST_LETTERS:
        raise InvalidFont(f"The font has {letters} letters; at least {_LEAST_LETTERS} are needed.")


def _strip(opened: TTFont) -> None:
    """Keep all glyphs that a text can show, and only the tables that drawing them needs:
    hints are programs.
    """
    options = subset.Options(
        hinting=False,
        layout_features=["*"],
        notdef_outline=True,
        name_IDs=[1, 2, 4, 6],
        passthrough_tables=False,
    )
    options.drop_tables = [*options.drop_tables, *_PICTURES]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=opened.getBestCmap())
    subsetter.subset(opened)
    opened.flavor = None


def _check_letters(path: Path, codes: list[int]) -> None:
    """Raise InvalidFont unless nearly all letters have ink and fit into a line,
    so that no text covers another.
    """
    letters = [chr(code) for code in codes if chr(code).isalnum()]
    tried = letters[:: len(letters) // _TRIED + 1]
    drawn = ImageFont.truetype(str(path), _SIZE, layout_engine=ImageFont.Layout.BASIC)
    odd = [letter for letter in tried if not _fits_line(drawn, letter)]
    if len(odd) > _MOST_ODD * len(tried):
        raise InvalidFont(
            "Letters of the font are empty or far larger than a line. Choose another font."
        )


def _fits_line(drawn: ImageFont.FreeTypeFont, letter: str) -> bool:
    left, top, right, bottom = (edge / _SIZE for edge in drawn.getbbox(letter, anchor="ls"))
    advance = drawn.getlength(letter) / _SIZE
    inked = left < right and top < bottom
    return (
        inked
        and _NARROWEST < advance < _WIDEST
        and right - left < _WIDEST
        and top > -_HIGHEST
        and bottom < _DEEPEST
    )
