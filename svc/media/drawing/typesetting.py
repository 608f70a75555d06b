"""Setting text into boxes on a picture: breaking lines, shrinking to fit,
and placing words in either direction.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

from PIL import Image, ImageDraw

from svc.media import fonts
from svc.media.artwork import emoji
from svc.media.colour import Colour
from svc.media.text import addresses, bonds, direction, line_breaks
from svc.media.text.bonds import Bond
from svc.media.text.direction import reads_left
from svc.media.text.line_breaks import GLUE
from svc.media.text.names import NO_NAMES, Names, are_of_a_name
from svc.media.text.quotation_marks import set_typographically

ELLIPSIS = "…"
# The factor from one tried size to the next: so that a text fits, and so that no line is torn.
_SHRINK, _SHRINK_LITTLE = 0.93, 0.97
_WHOLE, _AT_MARKS, _AT_SYLLABLES, _ANYWHERE = range(4)  # how words wider than a line are broken
# The share of the widest line below which a line looks torn off: in general, and for wide signs.
_NARROW, _NARROW_WIDE = 0.65, 0.4
# How much a line is torn that ends within any bond, how much more within a firm one or after a
# figure, and within a name; and how much type costs that is smaller by its size.
_TORN_LOOSELY, _TORN_FIRMLY, _TORN_NAME, _SMALLER = 0.25, 0.75, 0.06, 1.0
_LEADING_ALONE = 0.5  # times as much a word is torn off that leads to a name or the like
# How much more lines are torn for each line of a single word beyond the first, where there are so
# many lines or more, and so large a share of them are such.
_STACKED, _FEWEST_STACKED, _MOST_STACKED = 0.12, 3, 0.75
# How much more a line is torn that ends after the first word of a long name, and what one torn
# otherwise costs.
_TORN_EARLY, _TORN_ONCE = 0.25, 0.35
_TORN_SIGN = 1.0  # more, by a line that begins with the sign of a firm
# How far type shrinks, in shares of its size, to avoid a torn line: one that looks torn off, one
# that ends within a loose bond, one within a name or a firmer bond, and one that begins with a
# firm's sign.
_LEAST_EVEN, _LEAST_LOOSE, _LEAST_OF_NAME, _LEAST_WITH_SIGN = 0.72, 0.8, 0.7, 0.6
# How far type shrinks to avoid a line with nothing but a tiny word, such as "en", by its share of
# the widest line; and to avoid lines of single words that tear a name.
_LEAST_OF_TINY, _TINY, _LEAST_OF_STACK = 0.64, 0.3, 0.6
# How far type shrinks, in shares of its size, before words are broken at marks, and before they are
# hyphenated.
_UNBROKEN, _UNHYPHENATED = 0.85, 0.7
_UNBROKEN_MAIL = 0.5  # the latter for an address of mail, which ends a line with its "@" alone
# How far the middle of the capitals is above the baseline, in shares of the size (Inter: half its
# cap height).
_CAP_CENTRE = 0.36
_REGULAR, _WIDE = 400, "\u2e80"  # the weight that every family has; the first wide sign
# How many masks, words and texts are cached: a scene sets the same texts for each of its frames.
_CACHED_MASKS, _CACHED_WORDS, _CACHED_TEXTS = 512, 8192, 4096
_MARGIN = 3  # pixels around a drawn word
_NO_BREAK = "\u00a0"  # within a figure: a line ends there only if the figure is wider than it
_SPACED = re.compile(rf"(?:\S|{_NO_BREAK})+")
_JOINED = re.compile(rf"[^{_NO_BREAK}]+|{_NO_BREAK}+")


@dataclass(frozen=True)
class Typeface:
    """A family with its size (pixels), weight (100 to 900),
    and line height as a multiple of the size.
    """

    size: int
    weight: int
    leading: float = 1.2
    family: str = fonts.FAMILIES[0]  # where it has the glyphs
    # The BCP 47 code by which words are hyphenated, texts without spaces divided, and regional
    # forms of signs chosen.
    language: str = ""
    names: Names = NO_NAMES  # whose words stay on a line

    @property
    def line_height(self) -> int:
        return round(self.size * self.leading)


@dataclass(frozen=True)
class TextBlock:
    """Text broken into lines: each a tuple of words, in reading order."""

    face: Typeface
    lines: tuple[tuple[str, ...], ...]

    @property
    def height(self) -> int:
        return self.face.line_height * len(self.lines)

    @property
    def width(self) -> float:
        return max((measure_line(line, self.face) for line in self.lines), default=0.0)


@dataclass(frozen=True)
class PlacedRun:
    """A part of a word with its left edge.

    ``word``: the index of the word on its line; ``at``: its place in reading order.
    """

    text: str
    x: float
    leftwards: bool = False
    word: int = 0
    at: int = 0


def split_pieces(text: str, language: str = "") -> list[str]:
    """Return the words of ``text``; for scripts without spaces, the pieces between possible line
    breaks: words, in a ``language`` that is written so."""
    return [
        piece
        for word in _SPACED.findall(text)
        if word.strip()
        for piece in line_breaks.split_unspaced(word, language)
    ]


@lru_cache(maxsize=_CACHED_WORDS)
def measure_word(word: str, face: Typeface) -> float:
    """Return the advance width of ``word`` in pixels."""
    return sum(font.getlength(run) for font, run in _fonts(word.removeprefix(GLUE), face))


def measure_line(words, face: Typeface) -> float:
    """Return the width of ``words`` in pixels, including the spaces between them."""
    return sum(measure_word(word, face) for word in words) + sum(
        _gap(word, face) for word in words[1:]
    )


@lru_cache(maxsize=_CACHED_TEXTS)
def fit_text(
    text: str,
    width: int,
    height: int,
    face: Typeface,
    smallest: int,
    balanced: bool = False,
    hyphenated: bool = False,
) -> TextBlock:
    """Return ``text`` in the largest size, from ``face`` down to ``smallest`` pixels, that fits
    into ``width`` × ``height``.

    A word that is too wide makes the type smaller at first, then is broken at its marks or
    hyphenated. If no size fits, addresses are shortened to their hosts, and then the text is cut,
    with an ellipsis. In a text from right to left, where the parts of an address would change
    places, none is broken. ``balanced``: lines of even length, for headings. ``hyphenated``: such a
    word is broken in the largest size already. Straight quotation marks become those of the
    language.
    """
    text = set_typographically(text, face.language)
    words, size = split_pieces(text, face.language), face.size
    with_hosts = " ".join(map(addresses.shorten_to_host, text.split(" ")))
    stays = with_hosts != text and any(map(reads_left, text.split(" ")))
    has_mail = any("@" in word[1:-1] for word in words)
    while True:
        tried = replace(face, size=size)
        is_last = hyphenated or size <= smallest
        breaking = _WHOLE if stays else _breaking(size / face.size, is_last)
        if has_mail and not is_last and size / face.size >= _UNBROKEN_MAIL:
            breaking = min(breaking, _AT_MARKS)
        block = _fit_words(words, width, height, tried, breaking, balanced)
        if block:
            return block
        if size <= smallest and with_hosts != text:
            return fit_text(with_hosts, width, height, face, smallest, balanced, hyphenated)
        if size <= smallest:
            return TextBlock(
                tried, _cut_lines(words, width, max(1, height // tried.line_height), tried)
            )
        size = max(smallest, int(size * _SHRINK))


def fit_display(
    text: str, width: int, height: int, face: Typeface, smallest: int, hyphenated: bool = False
) -> TextBlock:
    """Return ``text`` as :func:`fit_text` does, on even lines. Where what belongs together is torn,
    it is on one line more if that mends it; where not, and where a short word is alone, in somewhat
    smaller type, as far as that is worth the lines that are less torn in it.
    """
    text = set_typographically(text, face.language)
    block = fit_text(text, width, height, face, smallest, True, hyphenated)
    best, torn = block, _judge_lines(block)
    if torn and (more := _add_line(block, width, height)):
        best, torn = more, _judge_lines(more)
    words, size = split_pieces(text, face.language), block.face.size
    share = _LEAST_EVEN if _is_torn_by_more(block, width) else _LEAST_LOOSE
    is_firm = _count_torn_names(block) or _tears_bond(block, Bond.YEAR)
    share = min(share, _LEAST_OF_NAME) if is_firm else share
    usual = _LEAST_WITH_SIGN if _tears_bond(block, Bond.SIGN) else share
    share = min(usual, _LEAST_OF_STACK) if is_firm and _count_stacked(block) else usual
    least, lowest = (
        max(smallest, math.ceil(block.face.size * each)) for each in (share, _LEAST_OF_TINY)
    )
    while torn and size > (limit := min(least, lowest) if _has_tiny_line(best) else least):
        size = max(limit, int(size * _SHRINK_LITTLE))
        costs = _SMALLER * (1 - size / block.face.size)
        if costs > torn:
            break
        smaller = replace(block.face, size=size)
        breaking = _AT_SYLLABLES if hyphenated else _WHOLE
        tried = _fit_words(words, width, block.height, smaller, breaking, balanced=True)
        if tried is None or len(tried.lines) > len(block.lines):
            continue
        if len(tried.lines) == 1 and size < block.face.size * usual:
            break
        for each in filter(None, (tried, _add_line(tried, width, height))):
            if _judge_lines(each) + costs < torn:
                best, torn = each, _judge_lines(each) + costs
    return best


def _add_line(block: TextBlock, width: int, height: int) -> TextBlock | None:
    """Return the words of ``block``, which are torn from what they belong to, on one line more;
    None if they are not, if there is no room for it, or if the lines would not be less torn, and by
    no more than a long name at its best place.
    """
    words, count = [word for line in block.lines for word in line], len(block.lines) + 1
    is_parted = _count_torn(block, Bond.LOOSE) > 0
    if not is_parted or count > len(words) or count * block.face.line_height > height:
        return None
    more = replace(block, lines=_balance_lines(words, count, width, block.face))
    return more if _tear(more) < min(_tear(block), _TORN_ONCE) else None


def _is_torn_by_more(block: TextBlock, width: int) -> bool:
    """Return whether the lines of ``block`` would be torn also if they kept no loose bonds."""
    words = [word for line in block.lines for word in line]
    count = len(_wrap(words, width, block.face, Bond.TIGHT))
    lines = _balance_lines(words, count, width, block.face, Bond.TIGHT)
    return _tear(replace(block, lines=lines), Bond.TIGHT) > 0


def _judge_lines(block: TextBlock) -> float:
    """Return how much the lines of ``block`` are torn, and how much they are a stack of words:
    "About / Norhaven / Ferries"."""
    return _tear(block) + _STACKED * _count_stacked(block)


def _count_stacked(block: TextBlock) -> int:
    """Return how many lines are single words, beyond the first such one, if most are."""
    alone, count = (
        sum(len(line) == 1 and line[0][-1] < _WIDE for line in block.lines),
        len(block.lines),
    )
    is_stack = count >= _FEWEST_STACKED and alone >= _MOST_STACKED * count
    return alone - 1 if is_stack else 0


def _has_tiny_line(block: TextBlock) -> bool:
    """Return whether a line is a single word that is tiny beside the widest: "in 6 minuten / en /
    12 seconden"."""
    widest = block.width
    return len(block.lines) > 1 and any(
        len(line) == 1 and line[0][-1] < _WIDE and measure_line(line, block.face) < _TINY * widest
        for line in block.lines
    )


def is_torn(block: TextBlock) -> bool:
    """Return whether a short word is alone on its line, or a line ends after a figure
    or an article.
    """
    return _tear(block) > 0


def _tear(block: TextBlock, least: Bond = Bond.LOOSE) -> float:
    """Return how much the lines of ``block`` are torn, as in :func:`is_torn`: the shorter a word
    that is alone, the more. ``least``: of the bonds that count."""
    if len(block.lines) < 2:
        return 0.0
    words = tuple(word for line in block.lines for word in line)
    bound = bonds.find_bonds(words, block.face.language, block.face.names)
    alone = 0.0
    for at, line in enumerate(block.lines):
        share = measure_line(line, block.face) / block.width
        if len(line) == 1 and share < (_NARROW_WIDE if line[0][-1] >= _WIDE else _NARROW):
            leads = at == 0 and bound[0] == Bond.NONE and bound[1] != Bond.NONE
            alone += (1 - share) * (_LEADING_ALONE if leads else 1)
    torn, firmly = _count_torn(block, least), _count_torn(block, Bond.TIGHT)
    lines = _TORN_LOOSELY * torn + _TORN_FIRMLY * firmly + _TORN_NAME * _count_torn_names(block)
    lines += _TORN_EARLY * _count_torn_early(block)
    return alone + lines + _TORN_SIGN * _tears_bond(block, Bond.SIGN)


def _count_torn(block: TextBlock, least: Bond) -> int:
    return line_breaks.count_torn_lines(block.lines, block.face.language, least, block.face.names)


def _tears_bond(block: TextBlock, least: Bond) -> bool:
    """Return whether a line of ``block`` ends within a bond of ``least`` or a firmer one; of the
    firmest, whether one begins with the sign of a firm's name."""
    words = tuple(word for line in block.lines for word in line)
    bound = bonds.find_bonds(words, block.face.language)
    ends = accumulate(len(line) for line in block.lines[:-1])
    return any(bound[end - 1] >= least for end in ends)


def _count_torn_names(block: TextBlock) -> int:
    """Return how many lines of ``block`` end within a name that its brief shows."""
    words, names = [word for line in block.lines for word in line], block.face.names
    ends = accumulate(len(line) for line in block.lines[:-1])
    return sum(are_of_a_name(words[end - 1], words[end], names) for end in ends)


def _count_torn_early(block: TextBlock) -> int:
    """Return how many of these lines end after the first of at least three words of a name."""
    words = [word for line in block.lines for word in line]
    ends = accumulate(len(line) for line in block.lines[:-1])
    return sum(line_breaks.is_early_in_name(words, end, block.face.names) for end in ends)


def wrap_marked(parts, width: int, face: Typeface) -> list[list[tuple[int, str]]]:
    """Return lines of ``(part, word)`` for several texts (each a tuple of words) set as one, each
    word with its text's index."""
    broken = [
        (part, piece)
        for part, words in enumerate(parts)
        if words
        for word in set_typographically(" ".join(words), face.language).split(" ")
        for unit in line_breaks.split_unspaced(word, face.language)
        for piece in _break_word(unit, width, face)
    ]
    lines, marked = (
        _wrap([piece for _, piece in broken], width, face),
        iter(part for part, _ in broken),
    )
    return [[(next(marked), word) for word in line] for line in lines]


def balance_marked(
    lines: list[list[tuple[int, str]]], width: int, face: Typeface
) -> list[list[tuple[int, str]]]:
    """Return the words of ``lines``, from :func:`wrap_marked`, on as many lines of even length."""
    marked = iter(words := [word for line in lines for word in line])
    return [
        [next(marked) for _ in row]
        for row in _balance_lines([word for _, word in words], len(lines), width, face)
    ]


def place_runs(
    words,
    face: Typeface,
    left: float,
    right: float,
    align: str,
    right_to_left: bool,
    ordered_left: bool | None = None,
) -> list[PlacedRun]:
    """Return the runs of ``words`` on one line between ``left`` and ``right``, from its left to its
    right.

    ``align``: "start" (left, or right in a right-to-left language), "centre" or "end".
    ``ordered_left``: whether the words go from right to left, if that is not so by the language.
    """
    runs = direction.order_runs(words, right_to_left if ordered_left is None else ordered_left)
    # a word that becomes several runs may be wider than whole: "(A" has no kerning in Hebrew
    widths = [measure_word(run.text, face) for run in runs]
    slack = right - left - sum(widths)
    share = 0.5 if align == "centre" else float(right_to_left != (align == "end"))
    x, placed = left + slack * share, []
    for run, width in zip(runs, widths, strict=True):
        if not run.is_space:
            placed.append(PlacedRun(run.text, x, run.leftwards, run.word, run.at))
        x += width
    return placed


def draw_run(
    draw: ImageDraw.ImageDraw, run: PlacedRun, middle: float, face: Typeface, fill: Colour
) -> None:
    """Draw ``run``, its capitals centred on ``middle``; leave space for :func:`list_sprites`."""
    position = (run.x, middle + _CAP_CENTRE * face.size)
    for font, text, before in _place_parts(run.text, face, run.leftwards):
        if not isinstance(font, emoji.Sprite):
            _draw_glyphs(
                draw, text, (position[0] + before, position[1]), font, face, fill, run.leftwards
            )


def _draw_glyphs(
    draw: ImageDraw.ImageDraw,
    run: str,
    position: tuple[float, float],
    font: Any,
    face: Typeface,
    fill: Colour,
    leftwards: bool,
) -> None:
    """Draw ``run`` from its left edge and its baseline at ``position``."""
    (part_x, x), (part_y, y) = (math.modf(at) for at in position)
    try:
        mask, left, top = _mask(font, run, part_x, part_y, leftwards)
    except OSError:
        # "raster overflow": FreeType cannot draw the most complex glyphs, such as ﷽, in a heavy
        # weight
        font = fonts.load(face.size, _REGULAR, run, face.family, face.language)
        mask, left, top = _mask(font, run, part_x, part_y, leftwards)
    draw.bitmap((int(x) + left, int(y) + top), mask, fill)


@lru_cache(maxsize=_CACHED_MASKS)
def _mask(
    font: Any, run: str, part_x: float, part_y: float, leftwards: bool
) -> tuple[Image.Image, int, int]:
    """Return the glyphs of ``run``, drawn ``part_x`` and ``part_y`` of a pixel off its origin, with
    the place of the mask's top left corner; a caption draws the same words for each word that is
    spoken."""
    direction = "rtl" if leftwards else "ltr"
    left, top, right, bottom = font.getbbox(run, anchor="ls", direction=direction)
    left, top = math.floor(left) - _MARGIN, math.floor(top) - _MARGIN
    mask = Image.new("L", (math.ceil(right) + _MARGIN - left, math.ceil(bottom) + _MARGIN - top))
    place = (part_x - left, part_y - top)
    ImageDraw.Draw(mask).text(place, run, fill=255, font=font, anchor="ls", direction=direction)
    return mask, left, top


def list_sprites(run: PlacedRun, face: Typeface) -> Iterator[tuple[emoji.Sprite, float]]:
    """Yield the emoji of ``run`` as pictures with their left edges."""
    for font, _, before in _place_parts(run.text, face, run.leftwards):
        if isinstance(font, emoji.Sprite):
            yield font, run.x + before


@lru_cache(maxsize=_CACHED_WORDS)
def _place_parts(word: str, face: Typeface, leftwards: bool) -> tuple[tuple[Any, str, float], ...]:
    """Return the parts of ``word`` from left to right: font or picture, text,
    and how far from its left edge it begins.
    """
    runs = _fonts(word.removeprefix(GLUE), face)
    ordered = tuple(reversed(runs)) if leftwards else runs
    widths = [font.getlength(run) for font, run in ordered[:-1]]
    return tuple(
        (font, run, before)
        for (font, run), before in zip(ordered, accumulate([0.0, *widths]), strict=True)
    )


@lru_cache(maxsize=_CACHED_WORDS)
def _fonts(word: str, face: Typeface):
    """Return ``(font, run)`` for each part of ``word``: one, unless no font has all its glyphs;
    a picture for an emoji.
    """
    runs_in_fonts: list[tuple[Any, str]] = []
    for part, name in emoji.split_emoji(word):
        if name:
            runs_in_fonts.append((emoji.Sprite(name, face.size), part))
            continue
        for piece in _split_off_signs(part, face.family):
            drawable = fonts.list_glyphs(fonts.choose_family(piece, face.family))
            complete = all(ord(character) in drawable for character in piece)
            runs = (
                [piece]
                if complete
                else [run for _, run in fonts.split_by_family(piece, face.family)]
            )
            runs_in_fonts += [
                (fonts.load(face.size, face.weight, run, face.family, face.language), run)
                for run in runs
            ]
    return tuple(runs_in_fonts)


def _split_off_signs(text: str, family: str) -> list[str]:
    """Return ``text`` in pieces, so that a sign that ``family`` lacks does not change the font of
    the words that a no-break space joins to it: "☎ Call us".
    """
    pieces = _JOINED.findall(text)
    is_mixed = any(
        not any(map(str.isalnum, piece)) and not fonts.has_all(piece, family) for piece in pieces
    )
    return pieces if is_mixed else [text]


def _gap(word: str, face: Typeface) -> float:
    """Return the space before ``word``, which is not the first of its line."""
    return 0.0 if word.startswith(GLUE) else measure_word(" ", face)


def _measure_widest(lines, face: Typeface) -> float:
    return max((measure_line(line, face) for line in lines), default=0.0)


def _wrap(
    words, width: float, face: Typeface, least: Bond = Bond.LOOSE
) -> tuple[tuple[str, ...], ...]:
    """Fill each line as far as possible; a word wider than a line gets one of its own. Words that
    belong together by ``least`` and firmer bonds go to the next line together, where it can hold
    them; where not, the least firm bond is torn.
    """
    lines: list[list[str]] = []
    every_bond = bonds.find_bonds(tuple(words), face.language, face.names)
    bound = [bond if bond >= least else Bond.NONE for bond in every_bond]
    for at, word in enumerate(words):
        if lines and measure_line((*lines[-1], word), face) <= width:
            lines[-1].append(word)
            continue
        carried = (
            _count_carried(words[: at + 1], bound, len(lines[-1]), width, face) if lines else 0
        )
        together = list(words[at - carried : at + 1])
        if carried:
            del lines[-1][-carried:]
        lines.append(together)
    return tuple(tuple(line) for line in lines)


def _count_carried(words, bound, on_line: int, width: float, face: Typeface) -> int:
    """Return how many of the ``on_line`` words before the last one, which is too wide for their
    line, go with it to the next, so that the least firm bond is torn. ``bound``: how firmly each of
    those before it belongs to the next one.

    At least one word stays, as no line is left empty.
    """
    last, best = len(words) - 1, 0
    for carried in range(1, on_line):
        is_whole = bound[last - best - 1] == Bond.NONE
        if is_whole or measure_line(words[last - carried :], face) > width:
            break
        if bound[last - carried - 1] < bound[last - best - 1]:
            best = carried
    return best


def _balance_lines(
    words, count: int, width: float, face: Typeface, least: Bond = Bond.LOOSE
) -> tuple[tuple[str, ...], ...]:
    """Return ``words`` on ``count`` lines of even length, which tear no bonds of ``least`` and
    firmer ones if they need not."""
    widths, gaps = (
        [measure_word(word, face) for word in words],
        [_gap(word, face) for word in words],
    )
    return line_breaks.balance_lines(
        words, widths, gaps, width, count, face.language, least, face.names
    )


def _cut_lines(words, width: int, most_lines: int, face: Typeface):
    """Return the first ``most_lines`` lines, with overlong words broken,
    and an ellipsis if anything is left out.
    """
    broken = [part for word in words for part in _break_word(word, width, face)]
    lines = _wrap(broken, width, face)
    if len(lines) <= most_lines:
        return lines
    last = list(lines[most_lines - 1])
    while len(last) > 1 and measure_line([*last[:-1], last[-1] + ELLIPSIS], face) > width:
        last.pop()
    last[-1] = _shorten_word(last[-1], width, face)
    return (*lines[: most_lines - 1], tuple(last))


def _breaking(share: float, last: bool) -> int:
    """Return how words may be broken in type of ``share`` of its intended size."""
    return (
        _AT_SYLLABLES
        if last or share < _UNHYPHENATED
        else _AT_MARKS
        if share < _UNBROKEN
        else _WHOLE
    )


def _fit_words(
    words, width: int, height: int, face: Typeface, breaking: int, balanced: bool
) -> TextBlock | None:
    """Return ``words`` in lines, broken as little as possible and at most as ``breaking`` allows;
    None if they do not fit.
    """
    for manner in range(breaking + 1):
        broken = [part for word in words for part in _break_word(word, width, face, manner)]
        # a loose bond makes no type smaller
        for least in (Bond.LOOSE, Bond.YEAR):
            lines = _wrap(broken, width, face, least)
            if len(lines) * face.line_height <= height and _measure_widest(lines, face) <= width:
                return TextBlock(
                    face, _balance_lines(broken, len(lines), width, face) if balanced else lines
                )
    return None


def _break_word(word: str, width: int, face: Typeface, manner: int = _ANYWHERE) -> list[str]:
    """Return ``word`` in parts of at most ``width`` pixels where ``manner`` allows that:
    as few and as long as possible.
    """
    if manner == _WHOLE or measure_word(word, face) <= width:
        return [word]
    if _NO_BREAK in word.strip(_NO_BREAK):
        return [
            part
            for piece in word.split(_NO_BREAK)
            if piece
            for part in _break_word(piece, width, face, manner)
        ]
    if manner == _AT_SYLLABLES:  # at the joints of a compound, if its parts are no wider
        parts = list(line_breaks.split_at_joints(word, face.language))
        lines = _join_units(parts, word, width, face)
        if len(parts) > 1 and all(measure_word(line, face) <= width for line in lines):
            return lines
    units = list(line_breaks.split_at_breaks(word, face.language, manner != _AT_MARKS))
    if manner == _ANYWHERE:
        units = [
            part
            for unit in units
            for part in ([unit] if measure_word(unit + line_breaks.HYPHEN, face) <= width else unit)
        ]
    lines = _join_units(units, word, width, face)
    if manner == _AT_SYLLABLES:  # of even length, as the parts of a compound are
        while (even := int(max(measure_word(line, face) for line in lines)) - 1) > 0:
            tried = _join_units(units, word, even, face)
            if len(tried) > len(lines) or any(measure_word(line, face) > even for line in tried):
                break
            lines = tried
    return lines


def _join_units(units: list[str], word: str, width: int, face: Typeface) -> list[str]:
    """Return the parts of ``word`` on as few lines of ``width`` pixels as its units allow."""
    lines = [units[0]]
    for unit in units[1:]:
        whole = line_breaks.end_line(lines[-1] + unit, word)
        if measure_word(whole, face) <= width or lines[-1] == GLUE:
            lines[-1] += unit
        else:
            lines.append(GLUE + unit)
    return [*(line_breaks.end_line(line, word) for line in lines[:-1]), lines[-1]]


def _shorten_word(word: str, width: int, face: Typeface) -> str:
    start = word.rstrip(".,;:،؛")
    while start and measure_word(start + ELLIPSIS, face) > width:
        start = start[:-1]
    return start + ELLIPSIS
