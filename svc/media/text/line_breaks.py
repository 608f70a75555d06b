"""Where lines and, in scripts without spaces, words end; and where a word that is wider than its
line is broken.

Words of Japanese, Chinese and Thai are found by BudouX's models. No line begins with a closing mark
or ends with an opening one (JIS X 4051, "kinsoku"). Addresses break after ``@`` and ``/`` and
before ``.``, ``?``, ``&`` and ``#`` alone (The Chicago Manual of Style, 14.18). Syllables are found
by the language's hyphenation patterns (the dictionaries of LibreOffice, in ``pyphen``).
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, groupby, islice, pairwise
from operator import itemgetter

import budoux
import pyphen
from budoux.parser import Parser

from svc.base.text.languages import Language, find_language
from svc.media.languages import Lines, read_words
from svc.media.text import bonds, columns
from svc.media.text.bonds import Bond
from svc.media.text.names import NO_NAMES, Names, are_of_a_name
from svc.media.text.numerals import OPENERS
from svc.media.voice import GLUE

HYPHEN = "-"
_ADDRESS = re.compile(r"@|/|www\.|[^\W\d_]\.[^\W\d_]{2,}", re.IGNORECASE)
# A word, whatever is beside it.
_WEB = re.compile(r"((?:[a-z][a-z0-9+.-]{0,30}://|www\.)[!-~]+)", re.IGNORECASE)
_AROUND_ADDRESS_MARKS = re.compile(r"[.?&#]?[^@./?&#]+[@/]*|[@./?&#]+")
_AFTER_HYPHENS = re.compile("[^-\u2010\u2013\u2014]*[-\u2010\u2013\u2014]+|[^-\u2010\u2013\u2014]+")
_LETTERS = re.compile(r"[^\W\d_]{6,}")
_LEAST = 3  # letters before and after a break
_LEAST_OF_PART = 5  # letters of a compound before and after a joint
_MARKS_AROUND = ".,;:!?…()[]{}«»“”„\"'‘’"
# The vowels by which languages without patterns, such as Finnish and Turkish, are divided: a
# consonant before a vowel begins a syllable.
_VOWELS = "aeiouyäöåüıаеёиоуыэюяіїє"
_SYLLABLE = re.compile(rf"(?<=[^\W\d_])(?=[^\W\d_{_VOWELS}][{_VOWELS}])", re.IGNORECASE)
_UNSPACED = (
    "\u0e01-\u0e2e\u0e40-\u0e44\u2e80-\u2fdf\u3041-\u30fa\u3105-\u312f\u3190-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff"
)
_BREAKS_BEFORE = re.compile(f"[{_UNSPACED}]")  # Thai letters, and Chinese and Japanese signs
# Small kana, the marks of length and repetition, closing marks, and Thai signs that follow their
# letter.
_NEVER_FIRST = re.compile(
    "[ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿーｰ々ゝゞヽヾ、。，．・：；？！）」』】》〉〕｝］”’…‥％‰℃°％"
    "\uff61\uff63\uff64\uff65\uff67-\uff6f,.:;?!)\\]}%\u0e2f-\u0e3a\u0e45-\u0e4e]"
)
# No line break after an opening mark, or after a Thai vowel that is written before its consonant.
_KEEPS = re.compile("[\u0e40-\u0e44(\\[{「『（【《〈〔｛［“‘¥￥$€£#]")
# The marks after which a word ends, and those that may follow them.
_STOPS, _CLOSERS = "[、。，；：？！]", "[」』）】》〉”’]"
# Letters and figures that are one word, whatever a model says.
_RUNS = re.compile(r"[0-9A-Za-z\u00a0\u00c0-\u024f]")
# A mark within such a run after which a model ends words: 12.3%, yifeng.ruan@gmail.com.
_WITHIN_RUN = re.compile(r"[0-9A-Za-z][.,:@/&_+'-]{1,3}$")
# The beginning of a rate such as 100km/h, which is one word with what follows.
_RATE = re.compile("[0-9][A-Za-z]{0,4}/?$")
_END = 8  # signs at the end of a word in which both are found, however long it is
_LONGEST = 9  # signs of a word in such a script; a longer one is several
_LONGEST_NAME = 12  # signs of one within a text in another script
# Where an auxiliary verb of Japanese begins.
_AUXILIARY = re.compile(
    "(?<=.)(?:いただ|いたし|くださ|ござい|しまし|します|しませ|できま|なりま|なさ)"
)
_CHINESE_SIGN = re.compile("[\u3400-\u9fff\uf900-\ufaff々]")
_SIGN = re.compile(f"[{_UNSPACED}ー々]")
_AFTER_STOPS = re.compile(f"(?:(?!{_STOPS}).)*{_STOPS}+{_CLOSERS}*|(?:(?!{_STOPS}).)+")
_LONGEST_THAI = 24
_LOADERS = {
    "Jpan": budoux.load_default_japanese_parser,
    "Hans": budoux.load_default_simplified_chinese_parser,
    "Hant": budoux.load_default_traditional_chinese_parser,
    "Thai": budoux.load_default_thai_parser,
}
_ENDING = re.compile("(?:です|でした|ます|ました|ません)[。、！？」）]*$")
_BREAKS_AFTER = "/\\-_.?&=+,;:~"  # in a word of letters and signs
_VISIBLE = tuple("@./-\u2010\u2013\u2014")


# The most letters of a short word, and the costs of a line's end after one, after a preposition,
# after an article or "of" of the language, and after a figure or an English article.
_SHORT, _AFTER_SHORT, _AFTER_PREPOSITION, _AFTER_ARTICLE, _AFTER_FIGURE = 3, 0.05, 0.25, 0.3, 0.5
# What it costs more after a preposition behind a time or another measure, and after an article
# behind both: "7 pm at | the Anchor", "à 19 h dans la | salle"; and the most letters of a unit.
_AFTER_TIME, _UNIT = 0.4, 6
# The cost of an end after the first word of a name of three or more: "Tarn | Valley Harriers".
_EARLY_IN_NAME = 0.6
# The costs of an end between words that belong together: more than any lines of uneven length.
_IN_BONDS = {Bond.LOOSE: 2.0, Bond.YEAR: 4.0, Bond.TIGHT: 7.0, Bond.SIGN: 9.0}
# The cost of a line between two others with one word that is narrower than this share of the mean.
_LONE_WORD, _NARROW = 0.25, 0.75
_AFTER_CLAUSE, _CLAUSE_ENDS = (
    -0.05,
    (",", ";", ":", "،", "؛", "、", "，", "；", "：", "。", "！", "？"),
)
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
# The cost of an end before a dash: less than within a name after it.
_BEFORE_DASH = 1.0
# The cost of an end before a bracket in a script without spaces: it explains what is before it.
_BEFORE_BRACKET = 0.15
_IN_QUOTATION = 0.6  # more, of an end within a name or a few words in quotation marks
_IN_BRACKETS = 0.3  # more, of an end within a short list in brackets
# Japanese particles and copulas: words of their own where emphasis ends before them.
_PARTICLES = frozenset((
    "は", "が", "を", "に", "へ", "と", "も", "で", "の", "や", "か", "ね", "よ", "から", "まで",
    "より", "など", "だけ", "には", "では", "とは", "だ", "です", "でした",
))  # fmt: skip


def balance_lines(
    words: Sequence[str],
    widths: Sequence[float],
    gaps: Sequence[float],
    room: float,
    count: int,
    language: str = "",
    least: Bond = Bond.LOOSE,
    names: Names = NO_NAMES,
) -> tuple[tuple[str, ...], ...]:
    """Return ``words`` on ``count`` lines of at most ``room``, as even as possible; a line ends
    rather after a clause, and not after a figure or a word of three letters, such as an article,
    which belongs to what follows; least of all within what ``bonds`` keep together by
    ``least`` or a firmer bond.

    ``widths`` and ``gaps``: of each word, and before it. There must be a way to set them on so many
    lines; a word that is wider than ``room`` has a line of its own.
    """
    if not words:
        return ()
    ends = [0.0, *accumulate(gap + width for gap, width in zip(gaps, widths, strict=True))]
    mean = max(1.0, ends[-1] / count)
    unreachable = float("inf")
    every_bond = bonds.find_bonds(tuple(words), language, names)
    bound = [bond if bond >= least else Bond.NONE for bond in every_bond]
    within = bonds.find_short_brackets(words)
    quoted = bonds.find_short_quotations(words)
    best, starts = [0.0] + [unreachable] * len(words), []
    for _ in range(count):
        costs, starts_of = [unreachable] * (len(words) + 1), [0] * (len(words) + 1)
        for last in range(1, len(words) + 1):
            after = _price_end(words, last, bound, language)
            after += _IN_BRACKETS * (last - 1 in within) + _IN_QUOTATION * (last - 1 in quoted)
            after += _EARLY_IN_NAME * is_early_in_name(words, last, names)
            for first in range(last - 1, -1, -1):
                wide = ends[last] - ends[first] - gaps[first]
                if wide > room and last - first > 1:
                    break
                is_lone = 0 < first == last - 1 < len(words) - 1 and wide < _NARROW * mean
                cost = best[first] + (wide / mean) ** 2 + _LONE_WORD * is_lone + after
                if cost < costs[last]:
                    costs[last], starts_of[last] = cost, first
        best = costs
        starts.append(starts_of)
    bounds = [len(words)]
    for starts_of in reversed(starts):
        bounds.insert(0, starts_of[bounds[0]])
    return tuple(tuple(words[first:last]) for first, last in pairwise(bounds))


def count_torn_lines(
    lines: Sequence[Sequence[str]],
    language: str = "",
    least: Bond = Bond.LOOSE,
    names: Names = NO_NAMES,
) -> int:
    """Return how many lines end after a figure, an English article, or another word that belongs to
    the first one of the next line, by ``least`` or a firmer bond; by a loose one also before a
    dash, and after an article or a preposition of ``language``.
    """
    words = tuple(word for line in lines for word in line)
    bound = bonds.find_bonds(words, language, names)
    ends = accumulate(len(line) for line in lines[:-1])
    return sum(
        (belongs_to_next(words[end - 1]) and not _ends_name(words, end, bound))
        or bound[end - 1] >= least
        or (
            least == Bond.LOOSE
            and (words[end] in bonds.SEPARATORS or _is_article(words[end - 1], language))
        )
        for end in ends
    )


def belongs_to_next(word: str) -> bool:
    """Return whether ``word`` is a figure or an English article, after which no line should end."""
    return _FIGURE.fullmatch(word) is not None or word.casefold() in bonds.ARTICLES


def _ends_name(words: Sequence[str], end: int, bound: Sequence[Bond]) -> bool:
    """Return whether the figure before the word ``end`` is part of what is before it, and counts
    nothing after it: a version, "Tidemark 4.2 | is out", or a year, "byggdes 1787 | av"."""
    if end < 2 or not words[end - 1][0].isdecimal():
        return False
    is_version = bool(bound[end - 2]) and words[end - 2].lstrip(OPENERS)[:1].isupper()
    return (is_version and "." in words[end - 1]) or bonds.is_year_alone(*words[end - 1 : end + 1])


def is_early_in_name(words: Sequence[str], end: int, names: Names) -> bool:
    """Return whether a line that ends before the word ``end`` would leave but the first word of a
    name before it: "Tarn | Valley Harriers"; a small word rather goes with what follows it."""
    if not names or not 0 < end < len(words) - 1 or words[end].islower():
        return False
    return (
        are_of_a_name(words[end - 1], words[end], names)
        and are_of_a_name(words[end], words[end + 1], names)
        and not (end > 1 and are_of_a_name(words[end - 2], words[end - 1], names))
    )


def leads_to_next(word: str, language: str) -> bool:
    """Return whether a line should rather end before ``word``: it belongs to the next one, as an
    article, "of" or, in Slavic languages, a preposition of one letter does."""
    return belongs_to_next(word) or _is_article(word, language)


def _is_article(word: str, language: str) -> bool:
    leads = read_words(language, Lines).rarely_end_with if language else ()
    return word.lstrip(OPENERS).casefold() in leads


def _price_after_time(words: Sequence[str], end: int, language: str) -> float:
    """Return what it costs more that a line ends before the word ``end``, if that tears a
    preposition from what follows it behind a time: "7 pm at | the Anchor"."""
    last = end - 1
    if last > 0 and not bonds.leads_on(words[last].lstrip(OPENERS).casefold(), language):
        last -= 1  # an article
    if last < 1 or not bonds.leads_on(words[last].lstrip(OPENERS).casefold(), language):
        return 0.0
    unit = words[last - 1]
    is_unit = last > 1 and unit.isalpha() and len(unit) <= _UNIT
    figure = words[last - 2] if is_unit else unit
    return _AFTER_TIME if any(map(str.isdecimal, figure)) else 0.0


def _goes_before_verb(word: str, following: str, language: str) -> bool:
    """Return whether a line should rather end before ``word``, as it is an unstressed pronoun or a
    "not" that stands before its verb: ``ci sono``."""
    known = read_words(language, Lines).before_verbs if language else ()
    return word.lower() in known and following[:1].isalpha()


def is_joined(before: str, after: str) -> bool:
    """Return whether a line that ended between two words would tear a name at its "&",
    or a Japanese particle off its word.
    """
    return "&" in (before, after) or (
        after.startswith(GLUE) and after.removeprefix(GLUE).rstrip("、。！？") in _PARTICLES
    )


def _price_end(words: Sequence[str], end: int, bound: Sequence[Bond], language: str) -> float:
    """Return the cost of a line that ends before the word ``end``. ``bound``: how firmly each word
    belongs to the next one."""
    if end == len(words):
        return 0.0
    word, following = words[end - 1], words[end]
    if bound[end - 1]:
        return _IN_BONDS[bound[end - 1]] + _AFTER_ARTICLE * leads_to_next(word, language)
    if following in bonds.SEPARATORS:
        return _BEFORE_DASH
    if belongs_to_next(word) and not _ends_name(words, end, bound):
        return _AFTER_FIGURE
    if _is_article(word, language):
        return _AFTER_ARTICLE + _price_after_time(words, end, language)
    if bonds.counts_in_words(word, following, language):
        return _AFTER_ARTICLE
    if word.endswith(_CLAUSE_ENDS) or word in bonds.SEPARATORS:
        return _AFTER_CLAUSE
    if following.startswith(GLUE):
        return _BEFORE_BRACKET if following.startswith(f"{GLUE}（") else 0.0
    if _goes_before_verb(word, following, language):
        return _AFTER_ARTICLE
    if language and bonds.leads_on(word.lstrip(OPENERS).casefold(), language):
        return _AFTER_PREPOSITION + _price_after_time(words, end, language)
    return _AFTER_SHORT if len(word) <= _SHORT and word.isalpha() else 0.0


@lru_cache(maxsize=8192)
def split_unspaced(word: str, language: str = "") -> tuple[str, ...]:
    """Return the pieces of ``word`` between possible line breaks: several only in scripts without
    spaces.

    These are words in a ``language`` (BCP 47) that is written so. In any other, a name or a title
    in such a script is one piece, and a longer text single signs.
    """
    listed = find_language(language) if language else None
    bare = word.removeprefix(GLUE)
    if listed and listed.is_unspaced:
        pieces = _split_words(bare, listed.script)
    else:
        pieces = [bare] if listed and len(bare) <= _LONGEST_NAME else _split_signs(bare)
    return (
        (word[: len(word) - len(bare)] + pieces[0], *(GLUE + piece for piece in pieces[1:]))
        if pieces
        else (word,)
    )


def split_stressed_words(
    letters: list[tuple[str, bool]], language: Language
) -> Iterator[tuple[str, bool]]:
    """Yield the words of a run of characters without a space, and whether each is stressed.
    ``letters``: whether each is.

    Where there are no spaces, words end where stress does, and all but the first begin with GLUE.
    """
    text = "".join(character for character, _ in letters)
    if text and not language.is_unspaced:
        yield text, any(stressed for _, stressed in letters)
    elif text:
        closed = accumulate(
            letters,
            lambda last, letter: (
                letter[0],
                last[1] if _NEVER_FIRST.match(letter[0]) else letter[1],
            ),
        )
        for word in split_unspaced(text, language.code):
            glue, length = word[: word.startswith(GLUE)], len(word.removeprefix(GLUE))
            for stressed, run in groupby(islice(closed, length), key=itemgetter(1)):
                yield glue + "".join(character for character, _ in run), stressed
                glue = GLUE


def has_address(word: str) -> bool:
    """Return whether ``word`` breaks as an address does: at its marks, and without a hyphen."""
    return _ADDRESS.search(word) is not None


def has_unspaced(text: str) -> bool:
    """Return whether ``text`` has a sign of a script without spaces."""
    return _SIGN.search(text) is not None


def space_out_signs(text: str) -> str:
    """Return ``text`` with a space on both sides of each sign of a script without spaces,
    so that such a text has words.
    """
    return _SIGN.sub(r" \g<0> ", text)


def _split_signs(word: str) -> list[str]:
    """Return the signs between which a line may end."""
    parts: list[str] = []
    for character in word:
        keeps = not _BREAKS_BEFORE.match(character) or _NEVER_FIRST.match(character)
        if parts and (keeps or _KEEPS.match(parts[-1][-1])):
            parts[-1] += character
        else:
            parts.append(character)
    return parts


def _split_words(text: str, script: str) -> list[str]:
    """Return the words of ``text``, none of which begins with a closing mark or is longer than a
    caption can break.
    """
    words: list[str] = []
    for at, run in enumerate(_WEB.split(text)):
        if at % 2:
            words.append(run)
            continue
        for part in (
            part
            for piece in (_load_model(script).parse(run) if run else ())
            for part in _AFTER_STOPS.findall(piece)
        ):
            is_torn = script == "Jpan" and bool(words) and _tears_compound(words[-1], part)
            if words and (is_torn or _is_joined(words[-1], part)):
                words[-1] += part
            else:
                words.append(part)
    return [part for word in words for part in _split_long_word(word, script)]


def _split_long_word(word: str, script: str) -> list[str]:
    """Return the parts of a word that a caption can break: in Japanese in front of an auxiliary
    verb, if both parts are short enough (ご参加|いただけます), or else even ones."""
    longest = _LONGEST_THAI if script == "Thai" else _LONGEST
    for match in _AUXILIARY.finditer(word) if script == "Jpan" and len(word) > longest else ():
        if max(match.start(), len(word) - match.start()) <= longest:
            return [word[: match.start()], word[match.start() :]]
    return _split_evenly(word, longest)


def _tears_compound(before: str, after: str) -> bool:
    """Return whether a model of Japanese tears a compound after its first sign: 秋|祭り."""
    return (
        _CHINESE_SIGN.fullmatch(before) is not None
        and _CHINESE_SIGN.match(after) is not None
        and len(after) < _LONGEST
    )


def _is_joined(before: str, after: str) -> bool:
    ends, begins, end = before[-1], after[0], before[-_END:]
    stays = (
        _NEVER_FIRST.match(begins) or unicodedata.category(begins)[0] == "M" or _KEEPS.match(ends)
    )
    rate = _RATE.search(end)
    if rate and (begins == "/") != rate[0].endswith("/"):
        return begins == "/" or _RUNS.match(begins) is not None
    is_within = _RUNS.match(ends) or _WITHIN_RUN.search(end)
    return bool(stays or (is_within and _RUNS.match(begins)))


def _split_evenly(word: str, longest: int) -> list[str]:
    """Return ``word`` in as few and as even parts of at most about ``longest`` characters as
    its signs allow.
    """
    count = -(-len(word) // longest)
    parts, room = [""], len(word) / count
    for sign in _split_signs(word) if count > 1 else [word]:
        if parts[-1] and len(parts[-1]) + len(sign) / 2 > room:
            parts.append("")
        parts[-1] += sign
    return parts


@cache
def _load_model(script: str) -> Parser:
    return _LOADERS[script]()


@lru_cache(maxsize=2048)
def split_at_breaks(word: str, language: str, syllables: bool) -> tuple[str, ...]:
    """Return the parts of ``word`` between which a line may end. ``syllables``: between these as
    well; in addresses, which have none, at every mark instead of after the ``@`` alone.

    ``language``: a BCP 47 code; without patterns for it, syllables begin with one consonant.
    """
    if _SIGN.search(word) and not _ADDRESS.search(word):
        return tuple(_join_ending(_split_signs(word.removeprefix(GLUE))))
    if "@" in word and not syllables:
        return tuple(re.findall(r"[^@]*@+|[^@]+", word))
    if _ADDRESS.search(word):
        return tuple(_AROUND_ADDRESS_MARKS.findall(word))
    hyphenated = _AFTER_HYPHENS.findall(word)
    return tuple(
        piece
        for part in hyphenated
        for piece in (_split_syllables(part, language) if syllables else (part,))
    )


def split_at_joints(word: str, language: str) -> tuple[str, ...]:
    """Return the parts of a long compound that its language knows; ``word`` itself if it knows
    none: ``Normenkontroll``, ``antrag``."""
    pattern = _find_joints(language) if language else None
    if pattern is None or _ADDRESS.search(word) or not word.strip(_MARKS_AROUND).isalpha():
        return (word,)
    bounds = [0]
    for match in pattern.finditer(word):
        if bounds[-1] + _LEAST_OF_PART <= match.start() <= len(word) - _LEAST_OF_PART:
            bounds.append(match.start())
    return tuple(word[first:end] for first, end in pairwise([*bounds, len(word)]))


@cache
def _find_joints(language: str) -> re.Pattern[str] | None:
    """Return what is found at the joints of compounds; None: a language has none that are known."""
    lines = read_words(language, Lines)
    known = [lines.joints.pattern] if lines.joints else []
    if lines.heads:
        known.append(f"(?<!ver)(?=(?:{'|'.join(sorted(lines.heads))}))")
    return re.compile("|".join(known), re.IGNORECASE) if known else None


def _join_ending(signs: list[str]) -> list[str]:
    """Return ``signs`` with those of the copula or of the polite ending at their end, and the mark
    after it, as one: です。"""
    ending = _ENDING.search("".join(signs))
    length = len(ending[0]) if ending else 0
    starts = [*accumulate(map(len, reversed(signs)))]
    if length in starts[1:-1]:
        count = starts.index(length) + 1
        return [*signs[:-count], "".join(signs[-count:])]
    return signs


def split_into_chunks(word: str, longest: int, language: str) -> list[str]:
    """Split ``word`` into pieces of at most ``longest`` columns, after a sign where one is near
    or else after a syllable, each but the first with GLUE."""
    pieces: list[str] = []
    totals = list(accumulate(map(_count_columns, word)))  # columns up to each character's end
    start, before, room = 0, 0, longest - 1
    while start < len(word):
        left = totals[-1] - before
        count = -(-left // room)
        even = before + -(-left // count)
        end, most = (bisect_right(totals, limit, start) for limit in (even, before + room))
        if count > 1:
            rest = word[start : start + 2 * longest]
            at, furthest = end - start, most - start
            after_sign = max(rest.rfind(sign, at // 2, furthest) for sign in _BREAKS_AFTER) + 1
            at = after_sign or _find_syllable_end(rest, at, furthest + 1, language)
            # a mark stays with its letter
            while at > 1 and (unicodedata.category(rest[at])[0] == "M" or _tears_signs(rest, at)):
                at -= 1
            end = start + at
        pieces.append((GLUE if pieces else "") + word[start:end])
        start, before = end, totals[end - 1]
    return pieces


def _count_columns(sign: str) -> int:
    """Return the columns of one character, a mark or a joiner as a letter."""
    return max(1, columns.count_columns(sign))


def _tears_signs(word: str, at: int) -> bool:
    """Return whether a line that ended before the character ``at`` would begin or end with a mark
    that belongs to a sign beside it.
    """
    before, after = word[at - 1], word[at]
    is_among_signs = _SIGN.match(before) or _SIGN.match(after)
    return bool(is_among_signs and (_NEVER_FIRST.match(after) or _KEEPS.match(before)))


def _find_syllable_end(word: str, at: int, longest: int, language: str) -> int:
    """Return the end of the syllable of ``word`` that is nearest to ``at``;
    ``at`` itself if none is near.
    """
    ends = accumulate(map(len, _split_syllables(word, language)))
    return min(
        (end for end in ends if at // 2 < end < longest), key=lambda end: abs(end - at), default=at
    )


def end_line(part: str, word: str) -> str:
    """Return ``part`` of ``word`` as it ends a line: with a hyphen, unless it has a mark there,
    joins letters (Arabic), or would change an address."""
    joins = unicodedata.bidirectional(part[-1:] or " ") != "L" or _SIGN.match(part[-1]) is not None
    return (
        part
        if part.endswith(_VISIBLE) or joins or not part[-1].isalpha() or _ADDRESS.search(word)
        else part + HYPHEN
    )


def _split_syllables(part: str, language: str) -> tuple[str, ...]:
    patterns = _load_patterns(language)
    letters = _LETTERS.search(part)
    if letters is None:
        return (part,)
    if patterns is None:
        starts = (match.start() for match in _SYLLABLE.finditer(letters[0]))
        positions = [at for at in starts if _LEAST <= at <= len(letters[0]) - _LEAST]
    else:
        positions = list(patterns.positions(letters[0]))
        if read_words(language, Lines).joints:
            positions = _drop_single_letters(positions)
    edges = [letters.start() + at for at in positions]
    bounds = [0, *edges, len(part)]
    return tuple(part[first:end] for first, end in pairwise(bounds))


def _drop_single_letters(positions: list[int]) -> list[int]:
    """Return the places between syllables without those beside a single letter, which patterns find
    where they mistake the joint of a compound: ``Grund-s-tücks``, ``Kos-te-n-ab``. In a language
    without known joints, a word may be parted on either side: ``vide-o-clip``, ``немо-ж-ливо``.
    """
    close = {at for at, after in pairwise(positions) if after - at == 1}
    return [at for at in positions if at not in close and at - 1 not in close]


@cache
def _load_patterns(language: str) -> pyphen.Pyphen | None:
    known = pyphen.language_fallback(language.replace("-", "_")) if language else None
    return pyphen.Pyphen(lang=known, left=_LEAST, right=_LEAST) if known else None
