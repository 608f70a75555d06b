"""Roman numerals in words, after words that are numbered by
them: ``World War II``, ``Kapitel IV``.
"""

import re
from collections.abc import Sequence

from svc.media.languages import Numbers, Roman, read_words
from svc.media.text import ordinals
from svc.media.text.figures import centuries, regnal
from svc.media.text.numerals import OPENERS, PAUSES, extract_stops, spell_cardinal

_WORD = re.compile(
    rf"(?P<first>{centuries.NUMERAL})(?:[-–](?P<last>{centuries.NUMERAL}))?"
    rf"(?P<rest>(?:['’]s|[-‑][a-z]\w*)?)(?P<closes>[\"'”’»)\]]*[{PAUSES}.…]*[\"'”’»)\]]*)"
)
LETTERS = frozenset("IVXLХІ")  # with which a numeral begins, the last two Cyrillic
_WITH_ENDING = re.compile(
    rf"(?P<numeral>{centuries.NUMERAL})(?P<ending>-[^\W\d_]+|\.?[ºª]|[èé]|\.?[a-z]+)"
    rf"(?P<closes>[\"'”’»)\]]*[{PAUSES}.…]*)"
)
_SPAN_WITH_ENDINGS = re.compile(r"([^–—]+)[–—]([^–—]+)")
_PARTED_NUMBER = re.compile(r"\d+-\d")
# The short words before a numeral, which have a full stop of their own.
_SHORT = frozenset(["chap", "ch", "pt", "vol", "art", "sec", "kap", "bd", "cap"])
_MEAN_MORE = frozenset(("IV", "VI", "XX", "XL"))  # a drip, an editor, sizes
_SHORTEST_NAME = 3  # letters; shorter ones are words
# What may follow the numeral I, but not the pronoun.
_AFTER_ONE = frozenset((
    "of", "and", "or", "to", "in", "is", "has", "by", "from", "for", "with", "on", "at", "between",
    "–", "-", "ended", "began",
))  # fmt: skip
_NOT_A_VERB = frozenset(["was", "always", "sometimes", "perhaps"])


def read_roman(pieces: Sequence[str], index: int, language: str) -> str | None:
    """Return how the Roman numeral at ``index`` is spoken, with the punctuation around it; None: it
    is none.

    ``pieces``: the text between spaces.
    """
    piece = pieces[index]
    if piece[0] in OPENERS:
        pieces = [*pieces[:index], piece.lstrip(OPENERS), *pieces[index + 1 :]]
    said = _read(pieces, index, language)
    return said and "(" * piece.startswith("(") + said


def _read(pieces: Sequence[str], index: int, language: str) -> str | None:
    """Return the same of a numeral that no bracket or quotation mark opens."""
    if (said := centuries.read_century(pieces, index, language)) is not None:
        return said
    if (said := _read_with_ending(pieces[index], language)) is not None:
        return said
    match = _WORD.fullmatch(pieces[index])
    if match is None or not match["first"]:
        return None
    if (
        not match["last"]
        and (
            said := regnal.read_regnal(
                pieces, index, match, centuries.parse_numeral(match["first"]), language
            )
        )
        is not None
    ):
        return said
    if not (
        _belongs_to_word_before(pieces, index, match, language)
        or _follows_name(pieces, index, match, language)
    ):
        return None
    numerals = [
        spell_cardinal(centuries.parse_numeral(match[name]), language)
        for name in ("first", "last")
        if match[name]
    ]
    joiners = read_words(language, Roman).joiners
    joiner = f" {joiners[2]} " if joiners else ", "
    return f"{joiner.join(numerals)}{match['rest']}{extract_stops(match['closes'])}"


def _read_with_ending(piece: str, language: str) -> str | None:
    """Return an ordinal of whose ending some is written: ``XIX-го``, ``XXIª``; None: it is none."""
    if span := _SPAN_WITH_ENDINGS.fullmatch(piece):
        ends = [_read_with_ending(end, language) for end in span.groups()]
        to = read_words(language, Numbers).to
        return None if None in ends else f"{ends[0]} {to} {ends[1]}"
    match = _WITH_ENDING.fullmatch(piece.translate(centuries.CYRILLIC))
    if match is None or not match["numeral"]:
        return None
    if len(match["numeral"]) == 1 and "a" <= match["ending"][0] <= "z":  # Va, a word
        return None
    number = centuries.parse_numeral(match["numeral"])
    said = ordinals.read_ordinal(f"{number}{match['ending']}", language, "", "")
    return said and f"{said}{extract_stops(match['closes'])}"


def _belongs_to_word_before(
    pieces: Sequence[str], index: int, match: re.Match[str], language: str
) -> bool:
    """Return whether the numeral belongs to the word before it,
    or to a numeral that does: ``Parts II and V``.
    """
    known, before = read_words(language, Roman), pieces[index - 1] if index else ""
    if not known.parts:
        return False
    alone = len(match["first"]) == 1 and not match["last"]
    following = pieces[index + 1] if index + 1 < len(pieces) else ""
    if alone and _PARTED_NUMBER.match(following):
        return False  # a letter of a code: article L. 123-4
    if before in known.joiners and index > 1 and match["first"] != "I":
        return read_roman(pieces, index - 2, language) is not None
    word = before.lower().lstrip(OPENERS).removesuffix(".")
    if before.endswith(".") and word not in _SHORT:  # a sentence ends there
        return False
    if word not in known.parts and (alone or word not in known.kinds):
        return False
    is_pronoun = known.has_pronoun_i and pieces[index] == "I" and not _is_one(pieces, index)
    return not is_pronoun


def _follows_name(pieces: Sequence[str], index: int, match: re.Match[str], language: str) -> bool:
    """Return whether the numeral numbers a name that no list has: ``Apollo XI``, ``Rocky III``.

    IV may be a drip, XX a size.
    """
    before = pieces[index - 1].lstrip(OPENERS) if index else ""
    is_name = (
        before[:1].isupper()
        and before[1:].islower()
        and before.isalpha()
        and len(before) > _SHORTEST_NAME
    )
    if not read_words(language, Roman).after_names or not is_name or match["last"]:
        return False
    return len(match["first"]) > 1 and match["first"] not in _MEAN_MORE


def _is_one(pieces: Sequence[str], index: int) -> bool:
    """Return whether I is a number: ``World War I``, ``Part I of``, and not ``the part I like``."""
    before = pieces[index - 1]
    if index > 1 and (pieces[index - 2], before) == ("World", "War"):
        return True
    after = pieces[index + 1] if index + 1 < len(pieces) else ""
    if not before[:1].isupper():
        return False
    word = after.rstrip(f".…{PAUSES}")
    verb = word.endswith("s") and not word.endswith("ss") and word not in _NOT_A_VERB
    return not after[:1].islower() or verb or word in _AFTER_ONE
