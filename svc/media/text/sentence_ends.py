"""Where sentences end, out of two opinions: the rules of this package and a library.

The rules know each abbreviation and figure as it is spoken; the library knows quotations, brackets
and scripts without capital letters. Each is right where the other is not. On the sentences of
``tests/media/meaning``, the library alone splits at "tél." and after "Dl.", and never after Swedish
"det." or German "dir.", which are titles in other languages; the rules alone split within
quotations and after the abbreviations that they do not list. So the rules propose, and the library
decides where they cannot know.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate

from pysbd import Segmenter
from yasbd import BoundaryDetector, get_supported_langs

from svc.media.text import abbreviations, dates, ordinals
from svc.media.text.figures import labels
from svc.media.text.line_breaks import GLUE
from svc.media.text.numerals import CLOSERS, OPENERS, SPACE, base_language, names_number

_BY_PYSBD = "hi"
# The most characters that the library gets at once: some of its patterns take the square of that.
_LONGEST_RUN = 1000
_LONGEST_QUOTED = 20  # words of a sentence after which it ends within a quotation, too
_FEWEST_WITH_DECADE = 4  # words of which one that ends with a decade has more
_LONGEST_ABBREVIATION = 5  # letters of one that no list of ours has
_QUOTES = f"{CLOSERS}“«‘"  # the last three close in German, Danish and others
_MARKS = "!?…؟！？‼"
_ITEM = re.compile(r"\(?(?:\d{1,2}|[A-Ha-h])[.)]")
_NUMBER = re.compile(r"\d+[.]")
_SHORT_ORDINAL = re.compile(r"\d{1,2}[.]")
_LETTER, _PARTED_NUMBER = re.compile(r"[A-Z]\."), re.compile(r"\d+-\d")
_VERSE = re.compile(r"\d{1,3}:\d")
_MAY_END = re.compile(r"[.!?…;।॥؟۔。．！？‼]")


@lru_cache(maxsize=256)
def propose_ends(
    words: tuple[str, ...], language: str
) -> tuple[tuple[bool, ...], tuple[bool, ...]] | None:
    """Return after which of ``words`` the library ends a sentence, and where it does if quotations
    and brackets are text as any other; None: it does not know the language. ``words``: pieces
    between spaces."""
    base = base_language(language)
    if base not in _list_supported():
        return None
    whole: list[bool] = []
    within: list[bool] = []
    for run in _split_into_runs(words) if words else ():
        parts = [
            run[0].removeprefix(GLUE),
            *(f" {word}" if word[0] != GLUE else word[1:] for word in run[1:]),
        ]
        text, after = "".join(parts).replace(SPACE, " "), list(accumulate(map(len, parts)))
        for result, keeps in ((whole, True), (within, False)):
            # longer is only a single word, such as an address
            asks = len(text) <= _LONGEST_RUN and _MAY_END.search(text)
            ends = _find_ends(text, base, keeps) if asks else frozenset((len(text),))
            result += [end in ends for end in after]
    return tuple(whole), tuple(within)


def is_item(words: Sequence[str], index: int, starts: bool, language: str) -> bool:
    """Return whether a piece is the number or the letter of a list's item,
    which parts nothing from its text: ``1. Open``.
    """
    if (
        index + 1 == len(words)
        or _ITEM.fullmatch(words[index]) is None
        or not words[index].endswith(".")
    ):
        return False
    follows = _find_following(words, index)
    number = words[index].lstrip("(")
    if words[index][:-1].isalpha() or not follows[:1].isalpha():
        return False
    if not follows[0].isupper() and dates.is_counted_by_dot(number, language):
        return False
    return starts or words[index - 1].endswith(":")


def is_sentence_end(
    words: Sequence[str],
    index: int,
    ours: bool,
    library: tuple[Sequence[bool], Sequence[bool]] | None,
    length: int,
    language: str,
) -> bool:
    """Return whether a sentence ends after a piece. ``ours``: what the rules say; ``library``: see
    :func:`propose_ends`; ``length``: words of the sentence so far."""
    piece, before = words[index].rstrip(_QUOTES), words[index - 1] if index else ""
    follows, mark = _find_following(words, index), piece[-1:]
    whole, within = (library[0][index], library[1][index]) if library else (ours, ours)
    if not follows:
        return ours or whole
    if length <= _FEWEST_WITH_DECADE and ordinals.read_decade(piece, language, before) is not None:
        return False  # W latach 90. Polska
    if _continues_sentence(words[index], words[index + 1], follows, language):
        return False
    if _numbers_what_follows(words, index, follows, language):
        return False
    if library and words[index + 1].startswith(GLUE):  # no space shows where a sentence begins
        return ours and (whole or (within and length >= _LONGEST_QUOTED))
    if not ours:  # the library hears a Greek question, but not an abbreviation
        return whole and mark != "." and not mark.isalnum() and mark not in ",:–—-"
    if within and not whole:
        return length >= _LONGEST_QUOTED
    if whole:
        return True
    if mark != ".":  # before a letter of a script without capitals, only the library knows
        return follows[0].isupper() or follows[0].islower() or not follows[0].isalpha()
    return not _is_abbreviation(piece, before, follows, language)


def pauses_within_quotation(
    index: int, ours: bool, library: tuple[Sequence[bool], Sequence[bool]] | None
) -> bool:
    """Return whether a sentence ends within a quotation, where the voice pauses, although that goes
    on: ``"We had nothing. Now we have."`` See :func:`is_sentence_end`."""
    return ours and library is not None and library[1][index] and not library[0][index]


def _continues_sentence(piece: str, after: str, follows: str, language: str) -> bool:
    """Return whether a small letter shows that a sentence goes on: ``Yahoo! bought``,
    ``well… perhaps``, ``3. edycja``, ``—¿Sí? —dijo``; not ``Is it free? yes`` and
    ``how nice! we came``. ``after``: the next piece; ``follows``: its letters."""
    if not follows[0].islower() or follows[1:2].isupper():  # eBay and iPhone begin a sentence, too
        return False
    inner = piece.lstrip(OPENERS).rstrip(_QUOTES)
    if _NUMBER.fullmatch(inner) is not None:
        return dates.is_counted_by_dot(inner, language)
    is_name = inner[:1].isupper() and inner.endswith("!")
    if after[:1].islower() and piece.endswith(("?", "!")) and not is_name:
        return False
    return inner.endswith(("...", *_MARKS))


def _numbers_what_follows(words: Sequence[str], index: int, follows: str, language: str) -> bool:
    """Return whether a piece with a dot is the number of the noun after it, where a comma shows
    that the phrase has just begun: ``Plan Nr. 12, 2. Änderung``; or stands for "number" before one
    that begins with letters: ``company no. SC 448``; or is the letter of one: ``article L. 123-4``.
    """
    piece, before = words[index], words[index - 1] if index else ""
    if _SHORT_ORDINAL.fullmatch(piece):
        counts = dates.is_counted_by_dot(piece, language)
        return counts and before.endswith(",") and not labels.is_sentence_start(follows, language)
    if _VERSE.match(words[index + 1]) and labels.is_book(piece, language):  # 1 Cor. 13:4
        return True
    if _LETTER.fullmatch(piece.lstrip(OPENERS)) and _PARTED_NUMBER.match(words[index + 1]):
        name = re.split("['’]", before.lower())[-1].removesuffix(".")
        return names_number(name, language) or names_number(name.removesuffix("s"), language)
    return abbreviations.find_lettered_number(words, index, language) != ""


def _is_abbreviation(piece: str, before: str, follows: str, language: str) -> bool:
    """Return whether a short word with a dot, for which the library ends no sentence, is an
    abbreviation that we do not list; before a capital letter only if it has one, too, for the
    library's lists hold common words of other languages. The word alone decides before a small
    letter, where the library never ends a sentence."""
    bare = piece.lstrip(OPENERS)
    name = bare.rstrip(".")
    if (
        not name.isalpha()
        or len(name) > _LONGEST_ABBREVIATION
        or abbreviations.is_listed(bare, language)
    ):
        return False
    if follows[0].islower():
        return abbreviations.is_shortened(name, language, before)
    if follows[0].isupper():
        return name[0].isupper() and not labels.is_sentence_start(follows, language)
    # pysbd never ends a sentence at a dot within a text.
    return base_language(language) != _BY_PYSBD


def _find_following(words: Sequence[str], index: int) -> str:
    """Return the next piece with a letter or a digit, without the marks before it;
    empty: there is none.
    """
    for word in words[index + 1 : index + 4]:
        if any(map(str.isalnum, word)):
            return word.lstrip(f"{GLUE}{OPENERS}{CLOSERS}-–—") or word
    return ""


def _split_into_runs(words: Sequence[str]) -> list[list[str]]:
    """Return ``words`` in runs of at most so many characters that the library's work grows with
    the text alone.
    """
    runs: list[list[str]] = [[]]
    size = 0
    for word in words:
        size += len(word) + 1
        if size > _LONGEST_RUN and runs[-1]:
            runs.append([])
            size = len(word) + 1
        runs[-1].append(word)
    return runs


def _find_ends(text: str, base: str, keeps: bool) -> frozenset[int]:
    """Return the places in ``text`` before which a sentence ends.

    ``keeps``: quotations and brackets whole.
    """
    if base == _BY_PYSBD:
        spans = [(span.start, span.end) for span in _load_hindi().segment(text)]
        return frozenset(len(text[:end].rstrip()) for _, end in spans)
    return frozenset(len(text[:end].rstrip()) for end in _load_detector(base, keeps).detect(text))


@cache
def _list_supported() -> frozenset[str]:
    return frozenset(get_supported_langs())


@cache
def _load_detector(base: str, keeps: bool) -> BoundaryDetector:
    return BoundaryDetector(base, preserve_quote_and_paren=keeps)


@cache
def _load_hindi() -> Segmenter:
    return Segmenter(language=_BY_PYSBD, clean=False, char_span=True)
