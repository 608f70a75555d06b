"""Lines of code on a panel, highlighted by their language; always from left to right. What is not
ASCII takes as many whole columns as hold it.

Lines that are too long continue on the next one after a mark, and code too long for one picture is
on several pages.
"""

import re
from bisect import bisect_right
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, groupby
from math import ceil
from operator import itemgetter

from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token
from pygments.util import ClassNotFound

from svc.media.colour import Colour, make_legible, mix
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas, TextLine
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import PlacedRun, Typeface
from svc.media.model import Scene
from svc.media.slides import headings
from svc.media.text.direction import reads_left

FAMILY = "JetBrains Mono"
_TAB = "    "
_CONTINUED = "↪"  # before the rest of a line that is too long
# The sizes of type in shares of the body size: the largest, the least before lines are broken, and
# the factor to the next.
_LARGEST, _LEAST, _STEP = 1.1, 0.62, 0.95
# The height of a line in shares of the size, and a tight one where a scene is too short to turn to
# another page.
_LEADING, _TIGHT = 1.42, 1.25
# The costs of a break after a space, between tokens and within one; after a sign, likewise; between
# tokens; and within a word.
_AFTER_SPACE, _AFTER_SIGN, _BETWEEN_TOKENS, _WITHIN_WORD = (0.0, 0.5), (1.0, 1.5), 2.0, 9.0
_BEFORE_COMMENT = -1.0
_GAPS = re.compile(r"(?<=\S) +(?=\S)")
_JOINTS = re.compile(r"(?<=\w)[-_](?=\w)|[/,;([{=&|?](?=[\w'\"])")
_QUOTES, _CLOSERS = "'\"`", ")]},;:.('\"/= "
_COMMENT = re.compile(r"\s*(?:#|//|--|/\*|<!--)")
_EMPTY = 3  # the share of a line that is filled at least before it is broken: one of so many
_LONGEST = 20_000  # characters that are highlighted
_OVER = 0.1  # of a column, that a sign of another font may be wider
_DARK, _LIGHT = (27, 30, 42), (255, 255, 255)  # panels
_COLOURS = (  # of tokens on a dark and on a light panel; made legible on it
    (Comment, (139, 148, 158), (101, 109, 118)),
    (Keyword, (255, 143, 134), (188, 32, 46)),
    (String, (158, 206, 255), (10, 72, 134)),
    (Number, (255, 196, 107), (149, 80, 0)),
    (Name.Function, (210, 168, 255), (111, 66, 193)),
    (Name.Class, (210, 168, 255), (111, 66, 193)),
    (Name.Decorator, (210, 168, 255), (111, 66, 193)),
    (Name.Tag, (126, 231, 135), (17, 99, 41)),
    (Name.Builtin, (121, 192, 255), (5, 80, 174)),
    (Operator.Word, (255, 143, 134), (188, 32, 46)),
)

Run = tuple[str, Colour]  # text without line breaks, and its ink
Line = tuple[Run, ...]


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw the code in ``scene.sight.text`` on a panel; ``stage`` divides a long one:
    its share of the scene's stages.
    """
    plan = canvas.plan
    left, _, right, bottom = plan.content
    top, pad = headings.draw_heading(canvas, scene, 0.26), plan.px(40)
    panel = Surface(
        _DARK if max(canvas.palette.ground) < 128 else _LIGHT,
        1.0,
        canvas.palette.ink,
        canvas.palette.panel.edge,
    )
    bar = plan.px(54)
    lines = _highlight_lines(scene.sight.text, scene.sight.note, panel.colour)
    turns = max(1, len(scene.points) or len(scene.sentence_ends))
    face, pages = _fit_code(
        canvas, lines, (right - left - 2 * pad, bottom - top - bar - pad), turns
    )
    # evenly over the scene's points, or its sentences
    page = pages[max(0, min(stage, turns - 1)) * len(pages) // turns]
    height = min(bottom - top, bar + pad + len(page) * face.line_height + plan.px(10))
    top += max(0, (bottom - top - height) // 3)
    canvas.draw_panel(
        (left, top, right, top + height),
        canvas.look.corner and plan.px(max(8, canvas.look.corner)),
        panel,
    )
    _draw_title_bar(canvas, scene.sight.note, (left + pad, top, right - pad, top + bar), panel)
    _draw_lines(canvas, page, face, left + pad, top + bar)


def _highlight_lines(text: str, language: str, panel: Colour) -> list[Line]:
    """Return the lines of ``text`` in runs of one colour each, all legible on ``panel``."""
    dark = panel == _DARK
    plain = (230, 237, 243) if dark else (31, 35, 40)
    lines: list[list[Run]] = [[]]
    for token, value in lex(text.expandtabs(len(_TAB))[:_LONGEST], _find_lexer(language)):
        colour = make_legible(_choose_colour(token, dark, plain), panel, 4.6)
        first, *more = value.split("\n")
        lines[-1].append((first, colour))
        lines += [[(part, colour)] for part in more]
    while lines and not "".join(part for part, _ in lines[-1]).strip():
        lines.pop()
    return [tuple(run for run in line if run[0]) for line in lines] or [()]


def _choose_colour(token, dark: bool, plain: Colour) -> Colour:
    for kind, on_dark, on_light in _COLOURS:
        if token in kind:
            return on_dark if dark else on_light
    return mix(plain, (128, 128, 128), 0.2) if token in Token.Punctuation else plain


@lru_cache(maxsize=64)
def _find_lexer(language: str) -> Lexer:
    """Return the lexer of ``language``; plain text for an unknown one."""
    try:
        return get_lexer_by_name(language.strip().lower() or "text", stripnl=False)
    except ClassNotFound:
        return get_lexer_by_name("text", stripnl=False)


def _fit_code(
    canvas: Canvas, lines: list[Line], room: tuple[int, int], turns: int
) -> tuple[Typeface, list[list[Line]]]:
    """Return the largest legible type in which no line is broken; else the largest in which broken
    lines fit; else pages: at most ``turns``, in smaller type if need be. ``room``: width and height
    in pixels."""
    width, height = room
    sizes = canvas.plan.sizes
    steps = [sizes.body * _LARGEST]
    while steps[-1] > sizes.least:
        steps.append(max(sizes.least, steps[-1] * _STEP))
    texts = ["".join(part for part, _ in line) for line in lines]
    for size in (size for size in steps if size >= sizes.body * _LEAST):
        face = _make_face(canvas, round(size))
        longest = max(_count_columns(text, face) for text in texts)
        if longest <= _columns(face, width) and len(lines) * face.line_height <= height:
            return face, [lines]
    for size in steps:
        face, pages = _divide_into_pages(lines, _make_face(canvas, round(size)), room)
        if len(pages) == 1:
            break
    size = face.size
    while len(pages) > turns and size:
        face, pages = _divide_into_pages(lines, _make_face(canvas, size, _TIGHT), room)
        size -= 1
    return face, pages


def _divide_into_pages(
    lines: list[Line], face: Typeface, room: tuple[int, int]
) -> tuple[Typeface, list[list[Line]]]:
    """Return ``face`` and even pages of ``lines``, which are broken where they are too long."""
    drawn = [part for line in lines for part in _wrap_line(line, face, _columns(face, room[0]))]
    share = ceil(len(drawn) / ceil(len(drawn) / max(1, room[1] // face.line_height)))
    return face, [drawn[at : at + share] for at in range(0, len(drawn), share)]


def _wrap_line(line: Line, face: Typeface, columns: int) -> list[Line]:
    """Return ``line`` in parts of at most ``columns`` columns, each but the first after a mark:
    it is broken after a space, else beside a sign, and within a word only if that is too long for a
    part. A comment at its end that fits a part stays whole."""
    signs = [(sign, ink) for text, ink in line for sign in text]
    costs = _break_costs(line)
    # The column after each sign.
    ends = list(accumulate(_count_columns(sign, face) for sign, _ in signs))
    parts: list[Line] = []
    start = 0
    while start < len(signs):
        begun = ends[start - 1] if start else 0
        room = columns - (len(_CONTINUED) + 1 if parts else 0)
        stop = max(start + 1, bisect_right(ends, begun + room))
        if stop < len(signs):
            # A part does not end so early that most of it stays empty.
            least = bisect_right(ends, begun + room // _EMPTY) + 1
            stop = min(reversed(range(min(least, stop), stop + 1)), key=costs.__getitem__)
        runs = groupby(signs[start:stop], key=itemgetter(1))
        part = [("".join(sign for sign, _ in run), ink) for ink, run in runs]
        parts.append(tuple([(f"{_CONTINUED} ", line[0][1]), *part] if parts else part))
        start = stop
    return parts or [()]


def _break_costs(line: Line) -> list[float]:
    """Return what it costs to break ``line`` before each of its characters."""
    text = "".join(part for part, _ in line)
    bounds = [0, *accumulate(len(part) for part, _ in line)]
    costs = [_WITHIN_WORD] * (len(text) + 1)
    for at in bounds[1:-1]:
        before, after = text[at - 1], text[at]
        if before not in _QUOTES and after not in _CLOSERS and not (before + after).isalnum():
            costs[at] = _BETWEEN_TOKENS
    for sign in _JOINTS.finditer(text):
        costs[sign.end()] = _AFTER_SIGN[sign.end() not in bounds]
    for space in _GAPS.finditer(text):
        costs[space.end()] = _AFTER_SPACE[space.end() not in bounds]
    if len(line) > 1 and _COMMENT.match(line[-1][0]):
        costs[bounds[-2]] = _BEFORE_COMMENT
    return costs


def _columns(face: Typeface, width: int) -> int:
    """Return how many columns fit into ``width`` pixels."""
    return max(8, int(width / typesetting.measure_word("0", face)))


def _count_columns(text: str, face: Typeface) -> int:
    """Return how many columns ``text`` takes: each word whole ones, as many as hold it."""
    if text.isascii():
        return len(text)
    advance = typesetting.measure_word("0", face)
    return sum(
        len(word)
        if word.isascii()
        else ceil(typesetting.measure_word(word, face) / advance - _OVER)
        for word in text.split(" ")
    ) + text.count(" ")


def _make_face(canvas: Canvas, size: int, leading: float = _LEADING) -> Typeface:
    return replace(canvas.make_text_face(size, 500, leading), family=FAMILY)


def _draw_title_bar(canvas: Canvas, language: str, box: Box, panel: Surface) -> None:
    """Draw three dots, as on a window, and the name of the language."""
    plan, middle = canvas.plan, box[1] + (box[3] - box[1]) * 5 // 9
    radius, dot = plan.px(7), Surface(mix(panel.colour, (128, 128, 128), 0.6), 1.0, panel.ink)
    for number in range(3):
        x = box[0] + number * plan.px(26)
        canvas.draw_panel((x, middle - radius, x + 2 * radius, middle + radius), radius, dot)
    if not language:
        return
    face = canvas.make_text_face(plan.sizes.small, 600)
    block = typesetting.fit_text(
        language, (box[2] - box[0]) // 2, face.line_height, face, plan.sizes.least
    )
    ink = make_legible(mix(panel.colour, (128, 128, 128), 0.8), panel.colour, 4.6)
    words = block.lines[0] if block.lines else ()
    canvas.draw_line(
        typesetting.place_runs(words, block.face, box[0], box[2], "end", False),
        middle,
        block.face,
        ink,
        "name",
    )


def _draw_lines(canvas: Canvas, lines: list[Line], face: Typeface, left: int, top: int) -> None:
    """Draw each run where its column is, so that indents and alignment stay as written."""
    advance = typesetting.measure_word("0", face)
    drawn = []
    for number, line in enumerate(lines):
        column, middle = 0, top + (number + 0.5) * face.line_height
        for text, ink in line:
            runs = [
                PlacedRun(word, left + (column + at) * advance, reads_left(word), number, number)
                for number, (at, word) in enumerate(_split_words(text, face))
            ]
            drawn.append(TextLine(runs, middle, face, ink, "code"))
            column += _count_columns(text, face)
    canvas.draw_lines(drawn)


def _split_words(text: str, face: Typeface) -> list[tuple[int, str]]:
    """Return each word of ``text`` with its column."""
    placed, at = [], 0
    for word in text.split(" "):
        if word:
            placed.append((at, word))
        at += _count_columns(word, face) + 1
    return placed
