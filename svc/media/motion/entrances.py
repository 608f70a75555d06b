"""Entrances: what a stage adds to a picture slides and fades in; what it only recolours fades.

Where a stage replaces the text of the one before, the ground lies between them, so that no two
texts are seen over each other.
"""

from dataclasses import dataclass

import numpy as np

from svc.media.drawing.frame_layout import Box
from svc.media.drawing.yuv import SCALES, Picture, mix
from svc.media.motion import easing

_CELL = 16  # pixels: pictures are compared cell by cell
# The range of luma from which a cell shows something: on plain ground, and where the ground has
# grain.
PLAIN, GRAINY = 16, 44
_ALIKE = 0.6  # the least correlation of two cells that show the same in other colours
_TRAVEL = 24  # in 1/1080 of the short side: how far a part slides
_LAG = 0.14  # of the whole time: how much later the next part begins
_LAGS = 0.45  # of the whole time: for all parts together
LEAVING = 0.4  # of the whole time: what is replaced has vanished
_MOST = 8  # parts that move on their own; the others move with the last one


@dataclass(frozen=True)
class _Cells:
    """One boolean for each cell of the picture, from its top left corner."""

    changed: np.ndarray
    new: np.ndarray  # shows something where there was nothing
    replaced: np.ndarray  # shows something else
    recoloured: np.ndarray  # shows the same in other colours


class Entrance:
    """The way from the picture of one stage to that of the next."""

    def __init__(
        self, before: Picture, after: Picture, edge: int = PLAIN, ground: Picture | None = None
    ):
        """``edge``: PLAIN; GRAINY, where large type leaves bare ground,
        and the faint edges of cards do not count. ``ground``: what lies between the two where they
        differ; None: what is replaced takes turns with its place alone.
        """
        self._leaves = before if ground else None
        # What both pictures have in common, on the ground.
        self.cleared = before = _clear_changes(before, after, ground) if ground else before
        self._before, self._after = before, after
        cells = _compare_cells(before, after, edge)
        self.changes = bool(cells.changed.any())
        if self.changes:
            self._area = _scale_to_pixels(_find_extent(cells.changed), after)
            self._parts = [_scale_to_pixels(box, after) for box in _find_bands(cells)]
            self._emptied = _empty_cells(after, cells.replaced) if cells.replaced.any() else None
            self._replaced = {
                scale: _spread_cells(cells.replaced, after, scale) for scale in set(SCALES)
            }
            self._travel = round(_TRAVEL * min(after.width, after.height) / 1080 / 2) * 2

    def draw_at(self, share: float) -> Picture:
        """Return the picture at ``share`` (0.0 to 1.0) of the time; at 1.0 the picture after it."""
        if share >= 1:
            return self._after
        if self._leaves:
            if share < LEAVING:
                return self.draw_leaving(share / LEAVING)
            share = easing.compute_share_of_part(share, LEAVING, 1)
        if not self.changes:
            return self._after
        picture = self._before.copy()
        self._fade_area(picture, share)
        lag = min(_LAG, _LAGS / max(1, len(self._parts) - 1))
        for number, box in enumerate(self._parts):
            start = number * lag
            self._draw_rising(
                picture,
                box,
                easing.ease_out(
                    easing.compute_share_of_part(
                        share, start, start + 1 - lag * (len(self._parts) - 1)
                    )
                ),
            )
        return picture

    def draw_leaving(self, share: float) -> Picture:
        """Return the picture before, of which what is replaced has vanished by ``share``."""
        return (self._leaves or self._before).blend(self.cleared, easing.ease_out(share))

    def _fade_area(self, picture: Picture, share: float) -> None:
        """Fade the whole area; what is replaced vanishes before anything takes its place."""
        leaves = share < LEAVING
        way = (
            easing.ease_in(share / LEAVING)
            if leaves
            else easing.ease_out(easing.compute_share_of_part(share, LEAVING, 1))
        )
        for plane, scale in enumerate(SCALES):
            part = _make_slices(self._area, scale)
            mine, old, new = (
                each.planes()[plane][part] for each in (picture, self._before, self._after)
            )
            mine[:] = mix(old, new, easing.ease_out(share))
            if self._emptied:
                empty, replaced = self._emptied.planes()[plane][part], self._replaced[scale][part]
                turned = mix(old, empty, way) if leaves else mix(empty, new, way)
                mine[replaced] = turned[replaced]

    def _draw_rising(self, picture: Picture, box: Box, share: float) -> None:
        """Draw a part on its way up to its place."""
        way = round(self._travel * (1 - share) / 2) * 2
        for mine, old, new, scale in zip(
            *_list_planes(picture, self._before, self._after), SCALES, strict=True
        ):
            part, step = _make_slices(box, scale), way // scale
            moved = new[part].copy()
            if 0 < step < len(moved):
                moved[step:] = new[part][:-step]
            mine[part] = mix(old[part], moved, share)


def _clear_changes(before: Picture, after: Picture, ground: Picture) -> Picture:
    """Return ``before`` with the ground in each cell in which ``after`` differs from it."""
    cleared, changed = before.copy(), _compare_cells(before, after, PLAIN).changed
    for mine, bare, scale in zip(*_list_planes(cleared, ground), SCALES, strict=True):
        part = _spread_cells(changed, before, scale)
        mine[part] = bare[part]
    return cleared


def _list_planes(*pictures: Picture):
    return [picture.planes() for picture in pictures]


def _make_slices(box: Box, scale: int) -> tuple[slice, slice]:
    left, top, right, bottom = (edge // scale for edge in box)
    return slice(top, bottom), slice(left, right)


def _compare_cells(before: Picture, after: Picture, edge: int) -> _Cells:
    """Compare two pictures cell by cell."""
    old, new = (_split_into_cells(picture.planes()[0], _CELL) for picture in (before, after))
    changed = (old != new).any(axis=(1, 3))
    for plane in (1, 2):
        first, second = (
            _split_into_cells(picture.planes()[plane], _CELL // 2) for picture in (before, after)
        )
        changed |= (first != second).any(axis=(1, 3))
    empty = np.zeros_like(changed)
    cells = _Cells(changed, empty.copy(), empty.copy(), empty.copy())
    rows, columns = np.nonzero(changed)
    if len(rows):
        first, second = (
            blocks[rows, :, columns].reshape(len(rows), -1).astype(np.float32)
            for blocks in (old, new)
        )
        shown = [np.ptp(blocks, axis=1) > edge for blocks in (first, second)]
        cells.new[rows, columns] = shown[1] & ~shown[0]
        are_alike = _correlate_rows(first, second) >= _ALIKE
        cells.replaced[rows, columns] = shown[0] & shown[1] & ~are_alike
        cells.recoloured[rows, columns] = shown[0] & shown[1] & are_alike
    return cells


def _split_into_cells(plane: np.ndarray, size: int) -> np.ndarray:
    """Return ``plane`` as cells, an array of shape ``(rows, size, columns, size)``;
    the last are filled up.
    """
    height, width = plane.shape
    down, across = -height % size, -width % size
    whole = np.pad(plane, ((0, down), (0, across)), mode="edge") if down or across else plane
    return whole.reshape(whole.shape[0] // size, size, whole.shape[1] // size, size)


def _correlate_rows(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return for each pair of rows how alike their patterns are: 1.0 the same,
    in whatever colours.
    """
    first, second = (rows - rows.mean(axis=1, keepdims=True) for rows in (first, second))
    power = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    return np.abs((first * second).sum(axis=1)) / np.maximum(power, 1e-6)


def _empty_cells(picture: Picture, cells: np.ndarray) -> Picture:
    """Return ``picture`` with the chosen cells in their most usual value:
    without what stands on them.
    """
    emptied, (rows, columns) = picture.copy(), np.nonzero(cells)
    for plane, scale in zip(emptied.planes(), SCALES, strict=True):
        blocks = _split_into_cells(plane, _CELL // scale).copy()
        usual = np.median(blocks[rows, :, columns].reshape(len(rows), -1), axis=1).astype(np.uint8)
        blocks[rows, :, columns] = usual[:, None, None]
        height, width = plane.shape
        plane[:] = blocks.reshape(blocks.shape[0] * blocks.shape[1], -1)[:height, :width]
    return emptied


def _spread_cells(cells: np.ndarray, picture: Picture, scale: int) -> np.ndarray:
    """Return ``cells`` as one boolean for each sample of a plane."""
    size = _CELL // scale
    return cells.repeat(size, axis=0).repeat(size, axis=1)[
        : picture.height // scale, : picture.width // scale
    ]


def _find_extent(cells: np.ndarray) -> Box:
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _find_bands(cells: _Cells) -> list[Box]:
    """Return the boxes (in cells) of what is new, with a margin, from top to bottom: one for each
    run of rows. Where a box has text that only takes another colour, it is left out: sliding would
    show that text twice."""
    rows = np.flatnonzero(cells.new.any(axis=1))
    if not len(rows):
        return []
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 2) + 1)
    if len(runs) > _MOST:
        runs = [*runs[: _MOST - 1], np.concatenate(runs[_MOST - 1 :])]
    boxes = []
    for run in runs:
        columns = np.flatnonzero(cells.new[run[0] : run[-1] + 1].any(axis=0))
        box = (
            max(0, int(columns[0]) - 1),
            max(0, int(run[0]) - 1),
            int(columns[-1]) + 2,
            int(run[-1]) + 2,
        )
        if not cells.recoloured[box[1] : box[3], box[0] : box[2]].any():
            boxes.append(box)
    return boxes


def _scale_to_pixels(box: Box, picture: Picture) -> Box:
    """Return a box of cells in pixels, within the picture."""
    left, top, right, bottom = (edge * _CELL for edge in box)
    return left, top, min(right, picture.width), min(bottom, picture.height)
