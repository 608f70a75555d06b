"""Straight quotation marks and apostrophes of a keyboard as they are set in large type: “so”, „so“,
« so », and don’t.

The marks of each language are CLDR's (quotation_marks.json), with French spaces. Captions and
transcripts keep what the writer wrote; so does what may be code or a measure: 12", f'(x), x="1".
"""

import json
import re
from functools import cache, lru_cache
from pathlib import Path

from svc.base.text.countries import strip_country
from svc.base.text.languages import is_unspaced
from svc.media.text.numerals import base_language

_FILE = Path(__file__).with_name("quotation_marks.json")
_SPACE = "\u00a0"
_STRAIGHT = re.compile("[\"']")
_CODE = re.compile(r"""=\s?["']|\w[(\[]["']""")  # x = "1", f('x')
# Where a mark opens, and where it closes.
_BEFORE, _AFTER = r"(?<![^\s(\[{«“„‘‚–—-])", r"(?![^\s)\]}»”“’‘.,:;!?…–—-])"
_DOUBLE = re.compile(rf'{_BEFORE}"(?=[^\s"])([^"]*[^\s"])"{_AFTER}')
_SINGLE = re.compile(rf"{_BEFORE}'(?=[^\s'])([^']*[^\s'])'{_AFTER}")
# A pair of which one mark is straight.
# But for the inches within a pair of set ones: “The 7" single”
_INCHES = r'(?!(?<=\d")[^"“”„«»]{0,400}[”»])'
_STRAIGHT_END = re.compile(rf'([“„«][^"“”„«»]{{0,400}}[^\s"“”„«»])"{_AFTER}{_INCHES}')
_STRAIGHT_START = re.compile(rf'{_BEFORE}"([^\s"“”„«»][^"“”„«»]{{0,400}}”)')
_ENDS = {"“": "”", "«": "»"}
_WIDE = re.compile(r'"([^"]*[\u3041-\u9fff][^"]*)"')  # in a script without spaces
# Such a mark whose other one is in another part of the text: one before a sign closes.
_LONE_WIDE = re.compile(r'(?<!\d)"(?P<opens>(?=[^\W_]))?')
# A mark of a pair whose other mark is in another part of the text.
_OPENS, _CLOSES = (
    re.compile(rf'{_BEFORE}"(?=[^\W\d_])'),
    re.compile(rf'(?<=[^\W\d_.,!?…])"{_AFTER}'),
)
# The letters of scripts that write an apostrophe: Latin, Greek and Cyrillic ones.
_LETTER = "[A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff]"
_APOSTROPHE = re.compile(
    rf"(?<={_LETTER})'(?={_LETTER})|{_BEFORE}'(?={_LETTER}|\d0s)|(?<={_LETTER}{{2}})'{_AFTER}"
)


@lru_cache(maxsize=4096)
def set_typographically(text: str, language: str) -> str:
    """Return ``text`` with the quotation marks of ``language`` (BCP 47) and with apostrophes for
    straight ones, as far as these are surely marks of either."""
    marks = _load_marks(language)
    if marks is None or _STRAIGHT.search(text) is None or _CODE.search(text):
        return text
    start, end, inner_start, inner_end = marks
    text = _pair_with_set_mark(text, end.strip(_SPACE))
    pair = _WIDE if is_unspaced(language) else _DOUBLE
    text = pair.sub(rf"{start}\1{end}", text)
    if is_unspaced(language) and text.count('"') == 1:
        text = _LONE_WIDE.sub(lambda mark: start if mark["opens"] is not None else end, text)
    text = _CLOSES.sub(end, _OPENS.sub(start, text))
    within = re.sub(rf"(?<={_LETTER})'(?={_LETTER})", "’", text)
    return _APOSTROPHE.sub("’", _SINGLE.sub(rf"{inner_start}\1{inner_end}", within))


def _pair_with_set_mark(text: str, end: str) -> str:
    """Return ``text`` with the straight mark of a pair of which a keyboard or a program set the
    other one as that: „so", “so", "so”. „ is closed by the mark of the language or, elsewhere, by
    “."""
    text = _STRAIGHT_END.sub(
        lambda pair: f"{pair[1]}{_ENDS.get(pair[1][0]) or (end if end in '“”' else '“')}", text
    )
    return _STRAIGHT_START.sub(r"“\1", text) if _STRAIGHT_START.search(text) else text


@cache
def _load_marks(language: str) -> tuple[str, ...] | None:
    """Return the marks that open and close a quotation, and one within it; None: not known."""
    listed = json.loads(_FILE.read_text("utf-8"))
    base = base_language(language)
    marks = listed.get(strip_country(language), listed.get(base, "")).split()
    if base == "fr":
        marks = [f"{mark}{_SPACE}" if mark == "«" else f"{_SPACE}{mark}" for mark in marks]
    return tuple(marks) or None
