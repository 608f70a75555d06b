"""Flowcharts: the nodes on ranks, with lines between them; what has not been spoken of is muted.

The layout is Sugiyama's: edges that lead back are turned round, nodes stand on the rank of their
longest path, an edge over several ranks passes through places kept for it, and each rank is ordered
by the middle of its neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import atan2, cos, pi, sin

from PIL import Image, ImageDraw

from svc.base.text import mermaid
from svc.base.text.mermaid import Flowchart
from svc.media.colour import Colour, make_legible
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Scene
from svc.media.slides import headings, lists
from svc.media.text.tokens import clean, make_drawable

_LARGEST, _STEP = 1.7, 0.93  # of the body size: the largest type; from one tried size to the next
# The spaces in shares of the type size: within a node, between two nodes, between two ranks, and
# around labels.
_PAD, _BETWEEN, _RANKS, _BESIDE = 0.75, 0.9, 1.3, 0.9
_PLACE = 24  # in 1/1080 of the short side: the room of an edge that passes a rank
# The thickness of a line and its head in 1/1080 of the short side, and a line's contrast (WCAG 2.2,
# 1.4.11).
_LINE, _HEAD, _VISIBLE = 5, 22, 3.0
# The smallest type in 1/1080 of the short side: in a wide picture and in a tall one.
_LEAST, _LEAST_STACKED = 22, 28
_WIDEST = 11  # times the type size: a line of a node's text
_SWEEPS = 6  # over the ranks, to order them
_OVERSAMPLING = 3  # lines are drawn this many times larger, then reduced, for smooth edges
_PREFERRED = 0.8  # of the other way's type: what the writer's own direction may cost

Point = tuple[float, float]


@dataclass(frozen=True)
class _Layered:
    """The ranks of a chart: numbers of nodes, or beyond these of places that edges pass. ``paths``:
    of each edge, in its own direction."""

    ranks: tuple[tuple[int, ...], ...]
    paths: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Drawn:
    size: int
    blocks: list[TextBlock]
    boxes: dict[int, Box]  # of nodes and of places


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw heading and chart; ``stage``: the node being spoken of, or -1.

    A chart too large to be read is a list.
    """
    left, _, right, bottom = canvas.plan.content
    box = left, headings.draw_heading(canvas, scene, 0.3), right, bottom
    chart = mermaid.parse_flowchart(scene.sight.text)
    drawn = _find_largest(canvas, chart, box) if chart else None
    if chart is None or drawn is None:
        lists.draw_rows(canvas, scene, stage, box)
        return
    across = _is_across(drawn, _layer_chart(chart))
    for edge, path in zip(chart.edges, _layer_chart(chart).paths, strict=True):
        is_said = max(edge.start, edge.end) <= stage
        _draw_edge(
            canvas,
            [drawn.boxes[number] for number in path],
            across,
            is_said,
            drawn,
            clean(edge.label),
        )
    for number, block in enumerate(drawn.blocks):
        _draw_node(canvas, block, drawn.boxes[number], number - stage)


def _find_largest(canvas: Canvas, chart: Flowchart, box: Box) -> _Drawn | None:
    """Return the chart in the direction that its writer wants, unless the other allows much larger
    type; None if neither is legible."""
    ways = [
        _fit_chart(canvas, chart, box, across) for across in (chart.is_across, not chart.is_across)
    ]
    own, other = ways
    if own and (
        not other
        or own.size >= max(other.size * _PREFERRED, min(other.size, canvas.plan.sizes.label))
    ):
        return own
    return other


def _fit_chart(canvas: Canvas, chart: Flowchart, box: Box, across: bool) -> _Drawn | None:
    plan = canvas.plan
    size = plan.sizes.body * _LARGEST
    least = max(plan.sizes.least, plan.px(_LEAST_STACKED if plan.stacked else _LEAST))
    while size >= least:
        drawn = _place_chart(canvas, chart, box, across, round(size))
        if drawn:
            return drawn
        size *= _STEP
    return None


def _place_chart(
    canvas: Canvas, chart: Flowchart, box: Box, across: bool, size: int
) -> _Drawn | None:
    """Return the chart in type of ``size`` pixels; None if it does not fit ``box``."""
    plan, layered = canvas.plan, _layer_chart(chart)
    face = canvas.make_text_face(size, 600, 1.18)
    texts = [make_drawable(clean(text)) for text in chart.nodes]
    blocks = [
        typesetting.fit_text(text, size * _WIDEST, 1 << 20, face, size, balanced=True)
        for text in texts
    ]
    pad, place = round(size * _PAD), plan.px(_PLACE)
    extents = {
        number: (round(block.width) + 2 * pad, block.height + 2 * pad * 2 // 3)
        for number, block in enumerate(blocks)
    }
    apart = _find_least_gap(canvas, chart, across, size)
    between, along, beside = round(size * _BETWEEN), int(not across), int(across)
    room = (box[2] - box[0], box[3] - box[1])
    depths = [max(extents.get(number, (0, 0))[along] for number in rank) for rank in layered.ranks]
    widths = [
        sum(extents.get(number, (place, place))[beside] for number in rank)
        + between * (len(rank) - 1)
        for rank in layered.ranks
    ]
    if sum(depths) + apart * (len(depths) - 1) > room[along] or max(widths) > room[beside]:
        return None
    loose = (
        min(
            apart,
            (room[along] - sum(depths) - apart * (len(depths) - 1)) // max(1, len(depths) - 1),
        )
        if len(depths) > 1
        else 0
    )
    apart += max(0, loose)
    at = (box[along] + box[along + 2] - sum(depths) - apart * (len(depths) - 1)) // 2
    boxes: dict[int, Box] = {}
    for rank, depth, width in zip(layered.ranks, depths, widths, strict=True):
        side = (box[beside] + box[beside + 2] - width) // 2
        for number in rank:
            extent = extents.get(number, (place, place))
            mine = depth if number >= len(blocks) else extent[along]
            start = at + (depth - mine) // 2
            spans = {along: (start, start + mine), beside: (side, side + extent[beside])}
            boxes[number] = (spans[0][0], spans[1][0], spans[0][1], spans[1][1])
            side += extent[beside] + between
        at += depth + apart
    if canvas.right_to_left:
        boxes = {
            number: (box[0] + box[2] - each[2], each[1], box[0] + box[2] - each[0], each[3])
            for number, each in boxes.items()
        }
    return _Drawn(size, blocks, boxes)


def _find_least_gap(canvas: Canvas, chart: Flowchart, across: bool, size: int) -> int:
    """Return how far apart ranks are at least, in pixels: the labels of arrows stand between."""
    labels = [clean(edge.label) for edge in chart.edges if edge.label]
    labelled = max(
        (round(_shorten_label(canvas, label, size).width) for label in labels), default=0
    )
    around = (labelled if across else size) + round(size * _BESIDE) if labelled else 0
    return max(round(size * _RANKS), around)


def _is_across(drawn: _Drawn, layered: _Layered) -> bool:
    """Return whether the ranks stand beside one another."""
    first, second = (drawn.boxes[rank[0]] for rank in (*layered.ranks, *layered.ranks)[:2])
    return (
        first[3] > second[1]
        and second[3] > first[1]
        and (first[2] <= second[0] or second[2] <= first[0])
    )


@lru_cache(maxsize=16)
def _layer_chart(chart: Flowchart) -> _Layered:
    count = len(chart.nodes)
    forward = _remove_cycles(count, [(edge.start, edge.end) for edge in chart.edges])
    level = _compute_levels(count, forward)
    ranks: list[list[int]] = [[] for _ in range(max(level) + 1)]
    for number in range(count):
        ranks[level[number]].append(number)
    paths, further = [], count
    for edge, (start, end) in zip(chart.edges, forward, strict=True):
        passed = list(range(further, further + max(0, level[end] - level[start] - 1)))
        further += len(passed)
        for rank, number in enumerate(passed, level[start] + 1):
            ranks[rank].append(number)
        path = (start, *passed, end)
        paths.append(path if edge.start == start else path[::-1])
    return _Layered(tuple(map(tuple, _order_ranks(ranks, paths))), tuple(paths))


def _remove_cycles(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the edges with those turned round that lead back to a node from which one comes."""
    state, back = [0] * count, set()
    for root in range(count):
        stack = [(root, False)]
        while stack:
            node, is_done = stack.pop()
            if is_done:
                state[node] = 2
            elif not state[node]:
                state[node] = 1
                stack.append((node, True))
                for start, end in edges:
                    if start == node and state[end] == 1:
                        back.add((start, end))
                    elif start == node and not state[end]:
                        stack.append((end, False))
    return [(end, start) if (start, end) in back else (start, end) for start, end in edges]


def _compute_levels(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each node the length of the longest path that leads there."""
    level = [0] * count
    for _ in range(count):
        for start, end in edges:
            if start != end:
                level[end] = max(level[end], level[start] + 1)
    return level


def _order_ranks(ranks: list[list[int]], paths: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the ranks, each ordered by the middle of what its nodes are connected with in the rank
    before, then after.
    """
    beside: dict[int, set[int]] = {}
    for path in paths:
        for one, other in pairwise(path):
            beside.setdefault(one, set()).add(other)
            beside.setdefault(other, set()).add(one)
    for sweep in range(_SWEEPS):
        order = range(1, len(ranks)) if sweep % 2 == 0 else range(len(ranks) - 2, -1, -1)
        for at in order:
            fixed = ranks[at - 1 if sweep % 2 == 0 else at + 1]
            place = {
                number: position / max(1, len(fixed) - 1) for position, number in enumerate(fixed)
            }
            middle = {}
            for position, number in enumerate(ranks[at]):
                near = [place[other] for other in beside.get(number, ()) if other in place]
                middle[number] = (
                    sum(near) / len(near) if near else position / max(1, len(ranks[at]) - 1)
                )
            ranks[at].sort(key=middle.__getitem__)
    return ranks


def _draw_node(canvas: Canvas, block: TextBlock, box: Box, ahead: int) -> None:
    palette, plan = canvas.palette, canvas.plan
    surface = palette.now if ahead == 0 else palette.past if ahead < 0 else palette.ahead
    if ahead == 0:
        surface = Surface(palette.solid, 1.0, palette.on_solid, surface.edge)
    elif not surface.opacity:
        surface = Surface(palette.ink, 0.1 if ahead < 0 else 0.05, surface.ink)
    canvas.draw_panel(
        box, min(plan.px(max(8, canvas.look.corner)), (box[3] - box[1]) // 2), surface
    )
    top = (box[1] + box[3] - block.height) // 2
    canvas.draw_block(block, (box[0], top, box[2], box[3]), surface.ink, "centre", "point")


def _draw_edge(
    canvas: Canvas, path: list[Box], across: bool, is_said: bool, drawn: _Drawn, label: str
) -> None:
    """Draw the line through the boxes of ``path``, with a head at its end and its label
    near its beginning.
    """
    palette, plan = canvas.palette, canvas.plan
    colour = make_legible(palette.solid, palette.ground, _VISIBLE) if is_said else palette.faint
    points = _route_line(path, across)
    _draw_line(canvas, points, colour, plan.px(_LINE), plan.px(_HEAD))
    if not label:
        return
    block = _shorten_label(canvas, label, drawn.size)
    middle = ((points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2)
    left, top = round(middle[0] - block.width / 2), round(middle[1] - block.height / 2)
    inset = plan.px(6)
    box = (left - inset, top, round(left + block.width) + inset, top + block.height)
    canvas.draw_panel(box, inset, Surface(palette.ground, 1.0, palette.spoken))
    canvas.draw_block(
        block,
        (box[0], top, box[2], box[3]),
        palette.spoken if is_said else palette.waiting,
        "centre",
        "label",
    )


def _shorten_label(canvas: Canvas, label: str, size: int) -> TextBlock:
    face = canvas.make_text_face(max(canvas.plan.sizes.least, round(size * 0.78)), 600, 1.2)
    return typesetting.fit_text(
        make_drawable(label),
        size * _WIDEST,
        2 * face.line_height,
        face,
        canvas.plan.sizes.least,
        balanced=True,
    )


def _route_line(path: list[Box], across: bool) -> list[Point]:
    """Return the corners of a line from the edge of the first box to the edge of the last,
    through the others.
    """
    along = int(not across)
    is_forward = path[-1][along] >= path[0][along]
    points: list[Point] = []
    for at, box in enumerate(path):
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        before, after = (box[along], box[along + 2]) if is_forward else (box[along + 2], box[along])
        ends = ([before] if at else []) + ([after] if at < len(path) - 1 else [])
        points += [(end, middle[1]) if across else (middle[0], end) for end in ends]
    return points


def _draw_line(canvas: Canvas, points: list[Point], colour: Colour, thick: int, head: int) -> None:
    margin = 2 * head
    left, top = (round(min(point[axis] for point in points)) - margin for axis in (0, 1))
    right, bottom = (round(max(point[axis] for point in points)) + margin for axis in (0, 1))
    scale = _OVERSAMPLING
    mask = Image.new("L", ((right - left) * scale, (bottom - top) * scale))
    pen = ImageDraw.Draw(mask)
    scaled = [((x - left) * scale, (y - top) * scale) for x, y in points]
    (x, y), (beforehand_x, beforehand_y) = scaled[-1], scaled[-2]
    angle = atan2(y - beforehand_y, x - beforehand_x)
    foot = (x - cos(angle) * head * scale * 0.8, y - sin(angle) * head * scale * 0.8)
    pen.line([*scaled[:-1], foot], fill=255, width=thick * scale, joint="curve")
    wings = [
        (x - cos(angle + turn) * head * scale, y - sin(angle + turn) * head * scale)
        for turn in (pi / 7, -pi / 7)
    ]
    pen.polygon([(x, y), *wings], fill=255)
    canvas.image.paste(colour, (left, top), mask.reduce(scale))
