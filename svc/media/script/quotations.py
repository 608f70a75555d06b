"""Quotations: their words, their source, and the marks around them."""

import re

from svc.media.languages import Everywhere, merge_words
from svc.media.text.tokens import STRESS, UNSTRESS

DASHES = ("—", "–", "--", "―", "-")  # before the source of a quotation
# The source of a quotation, after a closing mark and any dash, or after a sentence and a long dash:
# a name, not another sentence.
_SOURCE = re.compile(
    rf"(?P<words>.*(?:[\"“”’»«」]|[.!?…。！？](?!\s*-(?!-)))[{STRESS}{UNSTRESS}]*)\s*(?:[—–―]|--|"
    rf"(?<=\s)-(?=\s))\s*(?P<source>(?!.{{0,"
    rf"60}}[a-z]{{3}}\.\s){STRESS}?[^\W\d_a-z][^\"“”»«」!?…。！？]{{0,60}}(?:[^\"“”»«」.,;"
    r":!?…。！？]|\b(?:[JS]r|Inc|Ltd|Co)\.))"
)
# The same without a dash, in a quotation of which all is in marks: "Be still." Psalm 46:10
_SOURCE_ALONE = re.compile(
    rf"(?P<words>[\"“„«「『].*[\"“”»」』][{STRESS}{UNSTRESS}]*)\s+"
    r"\(?(?P<source>[^\W\d_a-z][^\"“”»«」!?…。！？()]{1,60}[^\"“”»«」.,;:!?…。！？()])\)?"
)
# Likewise with a dash, where all of the words are in marks and the source begins with a small
# letter: "It works." – chị Hạnh, kế toán
_SOURCE_SMALL = re.compile(
    rf"(?P<words>[\"“„«「『].*[\"”»」』][{STRESS}{UNSTRESS}]*)\s*(?:[—–―]|--|(?<=\s)-(?=\s))\s*"
    r"(?P<source>[^\W\d_]+ [^\W\d_a-zß-ÿ][^\"“”»«」!?…。！？]{1,50}[^\"“”»«」,;:!?….])"
)
_SOURCE_IN_BRACKETS = re.compile(r"[(（]([^\W\d_a-z][^()（）!?…]{1,60}[^()（）!?….])[)）]")
_MARKS = '"“”„«»「」『』'
_OPENING = tuple('"“„«「『')
_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"


def split_source(text: str) -> tuple[str, str]:
    """Return the words of a quotation, and its source; empty if there is none.

    The source stands on the last line after a dash, or after a dash behind the closing mark or the
    last full stop; behind the mark that closes all of it, also alone.
    """
    *lines, last = [line.strip() for line in text.split("\n") if line.strip()] or [""]
    if (
        lines
        and last.startswith(DASHES)
        and not lines[0].startswith(DASHES)
        and not re.match(r"[-–−]\d", last)
    ):
        return " ".join(lines), last.lstrip("".join(DASHES)).strip()
    named = _SOURCE_IN_BRACKETS.fullmatch(last) if lines else None
    if named and " " in named[1] and _is_name(named[1]):  # no (Laughter), no (We were tired)
        return " ".join(lines), named[1]
    whole = " ".join([*lines, last])
    small = _SOURCE_SMALL.fullmatch(whole)
    if small and _is_quoted(small["words"]):
        return small["words"], small["source"]
    match = _SOURCE.fullmatch(whole)
    if match is None and (alone := _SOURCE_ALONE.fullmatch(whole)):
        is_whole = _is_quoted(alone["words"]) and _is_name(alone["source"])
        return (alone["words"], alone["source"]) if is_whole else (whole, "")
    is_source = match and (_is_name(match["source"]) or _is_quoted(match["words"]))
    return (match["words"], match["source"]) if match and is_source else (whole, "")


def is_quotation(text: str) -> bool:
    """Return whether a paragraph is nothing but words in quotation marks and their source, as in
    '"It works." — Ada, Graz'."""
    bare = text.lstrip(STRESS + _SPACES)
    return bare[:1] in _OPENING and bool(split_source(bare)[1])


def _is_name(text: str) -> bool:
    """Return whether all words of ``text`` before a comma have a capital letter,
    or join such words: ``Marie de France``.
    """
    words = text.strip(STRESS + UNSTRESS).partition(",")[0].split()
    joining = merge_words(Everywhere).within_sources
    return all(
        not word[:1].islower() or word in joining or word[1:2] in ("'", "’") for word in words
    )


def _is_quoted(text: str) -> bool:
    """Return whether all of ``text`` stands in quotation marks, so that whatever follows without a
    full stop says who spoke, if only "A borrower in Wexmoor".
    """
    bare = text.strip(STRESS + UNSTRESS + _SPACES)
    return bare[:1] in _OPENING and not any(mark in bare[1:-1] for mark in _MARKS)


def strip_quotes(quoted: str) -> str:
    """Return ``quoted`` without the quotation marks around it, which the picture has already."""
    bare = quoted.strip(_MARKS + _SPACES)
    return quoted if any(mark in bare for mark in _MARKS) else bare
