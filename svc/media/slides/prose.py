"""Running text on a panel: the sentence being spoken stands out from those before and after it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise
from math import ceil

from svc.media.colour import Colour
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas, TextLine
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import ELLIPSIS, Typeface
from svc.media.model import Scene
from svc.media.text import addresses, line_breaks, long_words, tokens

_SIZES = (1.25, 1.1, 0.95, 0.8)  # relative to the body size; the largest that fits is used
# The sizes of a text of few lines, which would leave the picture bare, and how many lines are few.
_FEW_SIZES, _FEW_LINES = (2.0, 1.8, 1.6, 1.4), 6
_SPREAD = 1.7  # how much higher than its text a panel becomes to fill the picture
_LARGE_SIZES = (1.7, 1.5, 1.25, 1.1, 0.95, 0.8)  # for a sentence that stands alone
_SHORT_LINE = 0.4  # of the widest line: one that is shorter looks torn off
_MARKS = " .:!?؟…"
_PAUSES = ",;:،、，；"  # which no cut is after
_STEP = 0.95  # from one tried size to the next, of what is long
_STOPS = (".", "…", "।", "。")  # which a sentence ends with, and few headings

Line = list[tuple[int, str]]  # (sentence, word)


@dataclass(frozen=True)
class _Page:
    """The sentences ``first`` to ``end`` (exclusive), broken into lines."""

    first: int
    end: int
    lines: list[Line]


def find_sentence_starts(scene: Scene) -> tuple[int, ...]:
    """Return the index of the word at which each sentence of ``scene`` begins."""
    if not scene.words:
        return ()
    return (0, *(end + 1 for end in sorted(scene.sentence_ends) if end < len(scene.words) - 1))


def list_sentences(scene: Scene) -> list[tuple[str, ...]]:
    """Return the words of each sentence of ``scene``."""
    starts = (*find_sentence_starts(scene), len(scene.words))
    return [scene.words[first:last] for first, last in pairwise(starts)]


def draw(canvas: Canvas, scene: Scene, stage: int, box: Box) -> None:
    """Draw the text of ``scene`` into ``box``; ``stage``: the sentence being spoken, or -1."""
    plan = canvas.plan
    left, top, right, bottom = box
    pad = plan.px(44) if canvas.palette.panel.opacity else 0
    indent = 0 if canvas.look.one_sentence else max(pad, plan.px(40))
    room, tall = right - left - indent - pad, bottom - top - 2 * pad
    face, pages = _fit_pages(canvas, scene, room, tall)
    page = next((page for page in pages if page.first <= stage < page.end), pages[0])
    text_height = len(page.lines) * face.line_height
    height = min(
        bottom - top,
        max(round(text_height * (_SPREAD if pad and scene.heading else 1)) + 2 * pad, plan.px(160)),
    )
    if not scene.heading or (len(pages) == 1 and _is_alone(pages[0].lines)):
        top += (bottom - top - height) // 2
    canvas.draw_panel(
        (left, top, right, top + height), plan.px(canvas.look.corner + 6), canvas.palette.panel
    )
    if indent:
        _draw_edge(canvas, (left, top, right, top + height))
    text_top = top + (height - text_height) / 2
    left, right = (
        (left + pad, right - indent) if canvas.right_to_left else (left + indent, right - pad)
    )
    _draw_lines(canvas, page.lines, face, (left, text_top, right), stage)


def _draw_lines(
    canvas: Canvas, lines: list[Line], face: Typeface, area: tuple[float, float, float], stage: int
) -> None:
    left, top, right = area
    drawn = []
    for number, line in enumerate(lines):
        runs = typesetting.place_runs(
            [word for _, word in line], face, left, right, "start", canvas.right_to_left
        )
        middle = top + (number + 0.5) * face.line_height
        placed = [
            (_choose_ink(canvas, line[run.word][0], stage), run)
            for run in sorted(runs, key=lambda run: run.at)
        ]
        for ink, group in groupby(placed, key=lambda item: item[0]):
            drawn.append(TextLine([run for _, run in group], middle, face, ink))
    canvas.draw_lines(drawn)


def _choose_ink(canvas: Canvas, sentence: int, stage: int) -> Colour:
    palette = canvas.palette
    return (
        palette.ink
        if sentence == stage
        else palette.spoken
        if sentence < stage
        else palette.waiting
    )


def _draw_edge(canvas: Canvas, box: Box) -> None:
    """Draw the accent bar along the side of a panel where reading begins."""
    plan = canvas.plan
    thick, inset = plan.px(8), plan.px(28) if canvas.palette.panel.opacity else plan.px(10)
    left, right = canvas.find_start_edge(box, thick)
    surface = Surface(canvas.palette.solid, 1.0, canvas.palette.on_solid)
    canvas.draw_panel(
        (left, box[1] + inset, right, box[3] - inset),
        thick // 2 if canvas.look.corner > 8 else 0,
        surface,
    )


def _list_sentences(scene: Scene) -> list[tuple[str, ...]]:
    """Return the words of each sentence; a first sentence that only repeats the heading is empty,
    and so are headings above that one, which are said before it.
    """
    starts = [*find_sentence_starts(scene), len(scene.words)]
    words = long_words.shorten_for_full_text(scene.words)
    sentences = [
        tuple(map(tokens.make_drawable, _join_addresses(words[first:last])))
        for first, last in pairwise(starts)
    ] or [()]
    heading = scene.heading.strip(_MARKS).casefold()
    for number, words_said in enumerate(sentences[:-1]):
        if tokens.join_words(words_said).strip(_MARKS).casefold() == heading:
            sentences[: number + 1] = [()] * (number + 1)
            break
        if words_said[-1].endswith(_STOPS):
            break
    return sentences


def _join_addresses(words: Sequence[str]) -> list[str]:
    """Return ``words`` with the parts of each address as one, which breaks only where no line holds
    it, and without its scheme."""
    joined: list[str] = []
    for word in words:
        if joined and tokens.is_glued(word) and line_breaks.has_address(joined[-1]):
            joined[-1] = tokens.join_words((joined[-1], word))
        else:
            joined.append(word)
    return list(map(addresses.drop_scheme, joined))


def _fit_pages(
    canvas: Canvas, scene: Scene, width: int, height: int
) -> tuple[Typeface, list[_Page]]:
    """Return the typeface and the pages: one for all sentences if they fit at a legible size,
    otherwise as many as needed.
    """
    sentences = _list_sentences(scene)
    if canvas.look.one_sentence:
        return _set_one_by_one(canvas, sentences, width, height)
    if large := _set_large(canvas, sentences, width, height):
        return large
    for size in _LARGE_SIZES if len(sentences) == 1 else _SIZES:
        face = _make_face(canvas, size)
        lines = typesetting.wrap_marked(sentences, width, face)
        if len(lines) * face.line_height <= height and (
            size == _SIZES[-1] or _is_whole(sentences, width, face)
        ):
            even = (
                typesetting.balance_marked(lines, width, face) if _is_torn(lines, face) else lines
            )
            return face, [_Page(0, len(sentences), even)]
    most = max(1, height // face.line_height)
    # a sentence that no page holds is rather in smaller type than cut
    while (
        face.size > canvas.plan.sizes.small
        and max(
            len(_wrap_sentences(sentences, at, at + 1, width, face)) for at in range(len(sentences))
        )
        > most
    ):
        face = replace(face, size=max(canvas.plan.sizes.small, int(face.size * _STEP)))
        most = max(1, height // face.line_height)
    pages, first = [], 0
    while first < len(sentences):
        pages.append(_make_page(sentences, first, width, most, face))
        first = pages[-1].end
    return face, pages


def _set_large(
    canvas: Canvas, sentences: list[tuple[str, ...]], width: int, height: int
) -> tuple[Typeface, list[_Page]] | None:
    """Return few lines in the largest size in which no word is broken, or None:
    the text is longer.
    """
    for size in _FEW_SIZES:
        face = _make_face(canvas, size)
        lines = _wrap_sentences(sentences, 0, len(sentences), width, face)
        fits = len(lines) <= _FEW_LINES and len(lines) * face.line_height <= height
        if fits and _is_whole(sentences, width, face):
            return face, [_Page(0, len(sentences), typesetting.balance_marked(lines, width, face))]
    return None


def _set_one_by_one(
    canvas: Canvas, sentences: list[tuple[str, ...]], width: int, height: int
) -> tuple[Typeface, list[_Page]]:
    """Return one page per sentence, in the largest size in which the longest fits;
    an empty sentence shares the next page.
    """
    for size in _LARGE_SIZES:
        face = _make_face(canvas, size)
        most = max(1, height // face.line_height)
        wrapped = [
            partial(_wrap_sentences, sentences, number, number + 1, face=face)
            for number in range(len(sentences))
        ]
        if max(len(lines(width)) for lines in wrapped) <= most and _is_whole(
            sentences, width, face
        ):
            break
    pages = [
        _make_page(sentences, number, width, most, face, alone=True)
        for number in range(len(sentences))
    ]
    pages = [
        replace(page, lines=typesetting.balance_marked(page.lines, width, face)) for page in pages
    ]
    unshown = next((number for number, said in enumerate(sentences) if said), 0)
    if unshown:
        pages[: unshown + 1] = [_Page(0, unshown + 1, pages[unshown].lines)]
    return face, pages


def _is_alone(lines: list[Line]) -> bool:
    """Return whether ``lines`` are those of one sentence."""
    return len({sentence for line in lines for sentence, _ in line}) == 1


def _is_whole(sentences: list[tuple[str, ...]], width: int, face: Typeface) -> bool:
    """Return whether no word, such as an address, is wider than a line."""
    return _measure_widest(sentences, face) <= width


def _measure_widest(sentences: list[tuple[str, ...]], face: Typeface) -> int:
    """Return the width of the widest word."""
    pieces = (piece for words in sentences for piece in typesetting.split_pieces(" ".join(words)))
    return ceil(max((typesetting.measure_word(piece, face) for piece in pieces), default=0.0))


def _is_torn(lines: list[Line], face: Typeface) -> bool:
    """Return whether a line is much shorter than the others."""
    wide = [typesetting.measure_line([word for _, word in line], face) for line in lines]
    return min(wide) < _SHORT_LINE * max(wide)


def _make_face(canvas: Canvas, share: float) -> Typeface:
    sizes, look = canvas.plan.sizes, canvas.look
    leading = 1.24 if look.one_sentence else 1.36
    return canvas.make_text_face(
        max(sizes.least, round(sizes.body * share)), look.body_weight, leading
    )


def _make_page(
    sentences: list[tuple[str, ...]],
    first: int,
    width: int,
    most: int,
    face: Typeface,
    alone: bool = False,
) -> _Page:
    """Return a page of as many sentences from ``first`` as fit ``most`` lines, or of one ``alone``;
    a longer one is cut.
    """
    end, lines = first + 1, _wrap_sentences(sentences, first, first + 1, width, face)
    while end < len(sentences) and not alone:
        more = _wrap_sentences(sentences, first, end + 1, width, face)
        if len(more) > most:
            break
        end, lines = end + 1, more
    if len(lines) > most:
        sentence, word = lines[most - 1][-1]
        kept = lines[most - 1][:-1]
        while len(kept) > 1 and typesetting.measure_line(_end_with(word, kept), face) > width:
            (sentence, word), kept = kept[-1], kept[:-1]
        while word and typesetting.measure_line(_end_with(word, kept), face) > width:
            word = word[:-1]
        lines = [*lines[: most - 1], [*kept, (sentence, word.rstrip(_PAUSES) + ELLIPSIS)]]
    return _Page(first, end, lines)


def _end_with(word: str, kept: Line) -> list[str]:
    """Return the words of a line that is cut after ``word``."""
    return [*(text for _, text in kept), word + ELLIPSIS]


def _wrap_sentences(
    sentences: list[tuple[str, ...]], first: int, end: int, width: int, face: Typeface
) -> list[Line]:
    lines = typesetting.wrap_marked(sentences[first:end], width, face)
    return [[(first + part, word) for part, word in line] for line in lines]
