"""Running text on a panel: the sentence that is spoken stands out from those before and after it."""

from dataclasses import dataclass
from itertools import pairwise

from svc.media import typesetting
from svc.media.canvas import SPOKEN, WAITING, Canvas, panel
from svc.media.colour import WHITE
from svc.media.composition import Box
from svc.media.programme import Scene
from svc.media.typesetting import ELLIPSIS, Face

_PANEL = 0.05  # of white in the panel; the rest shows the ground
_SIZES = (1.25, 1.1, 0.95, 0.8)  # of the body size: the largest in which all fits
_MARKS = " .:!?؟…"

Line = list[tuple[int, str]]  # (sentence, word)


@dataclass(frozen=True)
class _Page:
    """Sentences ``first`` to ``end`` (exclusive), broken into lines."""

    first: int
    end: int
    lines: list[Line]


def sentence_starts(scene: Scene) -> tuple[int, ...]:
    """The word at which each sentence of ``scene`` begins."""
    if not scene.words:
        return ()
    return (0, *(end + 1 for end in sorted(scene.sentence_ends) if end < len(scene.words) - 1))


def draw(canvas: Canvas, scene: Scene, stage: int, box: Box) -> None:
    """Draw the text of ``scene`` into ``box``; ``stage``: the sentence that is spoken, or -1."""
    plan = canvas.plan
    left, top, right, bottom = box
    pad = plan.px(44)
    room, tall = right - left - 2 * pad, bottom - top - 2 * pad
    face, pages = _pages(canvas, scene, room, tall)
    page = next((page for page in pages if page.first <= stage < page.end), pages[0])
    height = min(bottom - top, max(len(page.lines) * face.line_height + 2 * pad, plan.px(160)))
    if not scene.heading:
        top += (bottom - top - height) // 2
    panel(canvas.image, (left, top, right, top + height), plan.px(28), WHITE, _PANEL)
    _edge(canvas, (left, top, right, top + height))
    text_top = top + (height - len(page.lines) * face.line_height) / 2
    _draw_lines(canvas, page.lines, face, (left + pad, text_top, right - pad), stage)


def _draw_lines(canvas: Canvas, lines: list[Line], face: Face, where: tuple[float, float, float], stage: int) -> None:
    left, top, right = where
    for number, line in enumerate(lines):
        words = tuple(word for _, word in line)
        places = typesetting.place(words, face, left, right, "start", canvas.right_to_left)
        middle = top + (number + 0.5) * face.line_height
        for (sentence, word), x in zip(line, places, strict=True):
            ink = WHITE if sentence == stage else SPOKEN if sentence < stage else WAITING
            typesetting.draw_word(canvas.pen, word, x, middle, face, ink)


def _edge(canvas: Canvas, box: Box) -> None:
    """The accent bar along the side of a panel where reading begins."""
    plan = canvas.plan
    thick, inset = plan.px(8), plan.px(28)
    left = box[2] - thick if canvas.right_to_left else box[0]
    panel(canvas.image, (left, box[1] + inset, left + thick, box[3] - inset), thick // 2, canvas.solid, 1.0)


def _sentences(scene: Scene) -> list[tuple[str, ...]]:
    """The words of each sentence; none of one that only says the heading, which is on the picture already."""
    starts = [*sentence_starts(scene), len(scene.words)]
    found = [scene.words[first:last] for first, last in pairwise(starts)] or [()]
    if len(found) > 1 and " ".join(found[0]).strip(_MARKS).casefold() == scene.heading.strip(_MARKS).casefold():
        found[0] = ()
    return found


def _pages(canvas: Canvas, scene: Scene, width: int, height: int) -> tuple[Face, list[_Page]]:
    """The face, and what stands together: all sentences if they fit in a readable size, else as many as do."""
    plan, sentences = canvas.plan, _sentences(scene)
    for size in _SIZES:
        face = Face(max(plan.sizes.least, round(plan.sizes.body * size)), 480, 1.36)
        lines = typesetting.wrap_marked(sentences, width, face)
        if len(lines) * face.line_height <= height:
            return face, [_Page(0, len(sentences), lines)]
    most = max(1, height // face.line_height)
    pages, first = [], 0
    while first < len(sentences):
        pages.append(_page(sentences, first, width, most, face))
        first = pages[-1].end
    return face, pages


def _page(sentences: list[tuple[str, ...]], first: int, width: int, most: int, face: Face) -> _Page:
    """As many sentences from ``first`` on as ``most`` lines hold; the end of one that alone is longer is left out."""
    end, lines = first + 1, _wrapped(sentences, first, first + 1, width, face)
    while end < len(sentences):
        more = _wrapped(sentences, first, end + 1, width, face)
        if len(more) > most:
            break
        end, lines = end + 1, more
    if len(lines) > most:
        sentence, word = lines[most - 1][-1]
        lines = [*lines[: most - 1], [*lines[most - 1][:-1], (sentence, word[:-1] + ELLIPSIS)]]
    return _Page(first, end, lines)


def _wrapped(sentences: list[tuple[str, ...]], first: int, end: int, width: int, face: Face) -> list[Line]:
    lines = typesetting.wrap_marked(sentences[first:end], width, face)
    return [[(first + part, word) for part, word in line] for line in lines]
