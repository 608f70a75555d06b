"""Transitions from one scene to the next: through the ground, so that two texts never overlap,
or as a wipe.
"""

from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np
from PIL import Image

from svc.media.drawing.frame_layout import Box
from svc.media.drawing.yuv import SCALES, Picture, mix
from svc.media.motion import easing

_LEFT = 0.42  # of the time: the old content has left
_RISE = 28  # in 1/1080 of the short side: how far content moves in a fade
_PUSH = 0.09  # of the width: how far it moves in a push
_WIDEST_CUT = 0.4  # of the width: how wide what the edge of the frame cuts may be
_ZOOM = 0.07  # how much larger or smaller it is in a zoom


def choose_kind(usual: str, scene: int, scenes: int) -> str:
    """Return the kind of the transition to ``scene`` of ``scenes``, in a look whose ``usual`` kind
    is "fade", "push", "zoom" or "wipe". In and out of the title and the close, a look that does not
    wipe zooms."""
    at_an_end = scene == 1 or scene == scenes - 1
    return "zoom" if at_an_end and usual != "wipe" else usual


@dataclass(frozen=True)
class End:
    """A picture at which a transition begins or ends, and the ground that it shows."""

    picture: Picture
    ground: Picture


class Transition:
    """The way from one scene's last picture to the next one's first. Where their grounds differ,
    one becomes the other."""

    def __init__(
        self, before: End, after: End, kind: str, moving: Box, right_to_left: bool = False
    ):
        """``moving``: the box in which content moves; elsewhere it fades. Its edges are even."""
        self._before, self._after = before, after
        self._kind, self._box, self._right_to_left = kind, moving, right_to_left
        # What the edge of the frame cuts, such as a ball, has no other part to show when it moves.
        # So what the side cuts from which a push moves away stays where it is.
        self._cut = {
            id(end): _find_cut(end, moving, is_at_right) if kind == "push" else None
            for end, is_at_right in ((before, not right_to_left), (after, right_to_left))
        }
        self._content = {
            id(end): _find_difference(end, moving, self._cut[id(end)]) for end in (before, after)
        }

    def draw_at(self, share: float) -> Picture:
        """Return the picture at ``share`` (0.0 to 1.0) of the time; at 1.0 the picture after it."""
        before, after = self._before, self._after
        if share >= 1:
            return after.picture
        eased = easing.ease_in_out(share)
        if self._kind == "wipe":
            return before.picture.wipe(after.picture, eased, self._right_to_left)
        picture = (
            before.ground.copy()
            if before.ground is after.ground
            else before.ground.blend(after.ground, eased)
        )
        self._blend_around(picture, eased)
        if share < _LEFT:
            way = easing.ease_in(share / _LEFT)
            self._draw(picture, before, 1 - way, -way)
        else:
            way = easing.ease_out(easing.compute_share_of_part(share, _LEFT, 1))
            self._draw(picture, after, way, 1 - way)
        return picture

    def _blend_around(self, picture: Picture, share: float) -> None:
        """Blend the two pictures outside of the box."""
        left, top, right, bottom = self._box
        width, height = picture.width, picture.height
        edges = (
            (0, 0, width, top),
            (0, bottom, width, height),
            (0, top, left, bottom),
            (right, top, width, bottom),
        )
        for first, above, last, below in edges:
            if first < last and above < below:
                for plane, scale in enumerate(SCALES):
                    part = (
                        slice(above // scale, below // scale),
                        slice(first // scale, last // scale),
                    )
                    before, after = (
                        self._before.picture.planes()[plane][part],
                        self._after.picture.planes()[plane][part],
                    )
                    picture.planes()[plane][part] = mix(before, after, share)

    def _draw(self, picture: Picture, scene: End, opacity: float, way: float) -> None:
        """Draw the content of ``scene`` with ``opacity`` onto ``picture``, a ground.

        ``way``: 0.0 in its place, -1.0 gone, 1.0 not yet there.
        """
        extent, cut = self._content[id(scene)], self._cut[id(scene)]
        if cut:
            self._draw_part(picture, scene, opacity, cut)
        if extent is None:
            return
        unit = min(picture.width, picture.height) / 1080
        across, down, size = 0, 0, 1.0
        if self._kind == "push":
            across = _round_to_even(_PUSH * picture.width * way) * (
                -1 if self._right_to_left else 1
            )
        elif self._kind == "zoom":
            size = 1 - _ZOOM * way
        else:
            down = _round_to_even(_RISE * unit * way)
        for plane, scale in enumerate(SCALES):
            left, top, right, bottom = (
                edge // scale for edge in _widen(extent, (across, down), size, self._box)
            )
            move = (across // scale, down // scale)
            middle = ((extent[0] + extent[2]) / 2 / scale, (extent[1] + extent[3]) / 2 / scale)
            # Nothing is known of what comes from beyond the side of the frame.
            left, right = max(left, move[0]), min(right, picture.width // scale + move[0])
            if size < 1:
                left, right = _clip_shrunk(left, right, picture.width // scale, middle[0], size)
                top, bottom = _clip_shrunk(top, bottom, picture.height // scale, middle[1], size)
            if left >= right or top >= bottom:
                continue
            part = slice(top, bottom), slice(left, right)
            whole, bare = (each.planes()[plane] for each in (scene.picture, scene.ground))
            if cut:
                within, whole = _find_slices(cut, scale), whole.copy()
                whole[within] = bare[within]
            moved = _move_plane(whole, (left, top, right, bottom), move, size, middle)
            behind = _move_plane(bare, (left, top, right, bottom), move, size, middle)
            # What differs from the ground moves, and the ground stays.
            _lay(picture.planes()[plane][part], moved, behind, opacity)

    @staticmethod
    def _draw_part(picture: Picture, scene: End, opacity: float, box: Box) -> None:
        """Draw the content of ``scene`` within ``box`` where it is."""
        for plane, scale in enumerate(SCALES):
            part = _find_slices(box, scale)
            content, bare = (each.planes()[plane][part] for each in (scene.picture, scene.ground))
            _lay(picture.planes()[plane][part], content, bare, opacity)


def _lay(still: np.ndarray, content: np.ndarray, bare: np.ndarray, opacity: float) -> None:
    """Lay what differs from a ``bare`` ground onto ``still``, another one, in place."""
    placed = np.subtract(content, bare, dtype=np.int16)
    placed += still
    np.clip(placed, 0, 255, out=placed)
    still[...] = mix(still, placed, opacity)


def _find_slices(box: Box, scale: int) -> tuple[slice, slice]:
    left, top, right, bottom = (edge // scale for edge in box)
    return slice(top, bottom), slice(left, right)


def _round_to_even(length: float) -> int:
    return round(length / 2) * 2


def _find_differing(end: End) -> np.ndarray:
    return np.asarray(end.picture.planes()[0] != end.ground.planes()[0])


def _find_cut(end: End, box: Box, is_at_right: bool) -> Box | None:
    """Return the box, with even edges, of what a side of the frame cuts: what differs from the
    ground without a gap up to there; None: nothing, or what is as wide as the content of a scene.
    """
    differs = _find_differing(end)
    differs[: box[1]] = False
    width = differs.shape[1]
    depth, top, bottom = _measure_cut(differs[:, ::-1] if is_at_right else differs)
    if not 0 < depth <= _WIDEST_CUT * width:
        return None
    depth += depth % 2
    left, right = (width - depth, width) if is_at_right else (0, depth)
    return left, top // 2 * 2, right, (bottom + 1) // 2 * 2


def _measure_cut(differs: np.ndarray) -> tuple[int, int, int]:
    """Return how wide what the left side of the frame cuts is, and its head and foot."""
    rows = np.flatnonzero(differs[:, 0])
    if not len(rows):
        return 0, 0, 0
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    for depth, column in enumerate(differs.T):
        while top and column[top - 1]:  # a ball is higher farther in
            top -= 1
        while bottom < len(column) and column[bottom]:
            bottom += 1
        if not column[top:bottom].any():
            return depth, top, bottom
    return differs.shape[1], top, bottom


def _find_difference(end: End, box: Box, without: Box | None) -> Box | None:
    """Return the box within ``box`` in which a picture differs from its ground, with even edges,
    but for what is ``without``; None: nowhere.
    """
    left, top, right, bottom = box
    differs = _find_differing(end)
    if without:
        differs[_find_slices(without, 1)] = False
    differs = differs[top:bottom, left:right]
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return None
    edges = left + columns[0], top + rows[0], left + columns[-1] + 2, top + rows[-1] + 2
    first, second, third, fourth = (int(edge) // 2 * 2 for edge in edges)
    return first, second, min(third, right), min(fourth, bottom)


def _widen(extent: Box, move: tuple[int, int], size: float, box: Box) -> Box:
    """Return the part of ``box`` that content at ``extent`` takes up once it has moved and
    changed its size.
    """
    left, top, right, bottom = extent
    grown = max(0.0, size - 1) / 2
    wide, high = (
        _round_to_even((right - left) * grown + 1),
        _round_to_even((bottom - top) * grown + 1),
    )
    return (
        max(box[0], min(left, left + move[0]) - wide),
        max(box[1], min(top, top + move[1]) - high),
        min(box[2], max(right, right + move[0]) + wide),
        min(box[3], max(bottom, bottom + move[1]) + high),
    )


def _move_plane(
    plane: np.ndarray, area: Box, move: tuple[int, int], size: float, middle: tuple[float, float]
) -> np.ndarray:
    """Return ``area`` of ``plane`` after its content has moved,
    or changed its size about ``middle``.
    """
    left, top, right, bottom = area
    if size == 1.0:
        rows = np.clip(np.arange(top - move[1], bottom - move[1]), 0, plane.shape[0] - 1)
        columns = np.clip(np.arange(left - move[0], right - move[0]), 0, plane.shape[1] - 1)
        return (
            plane[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            if _is_contiguous(rows, columns)
            else plane[rows][:, columns]
        )
    image, extent = Image.fromarray(plane), (right - left, bottom - top)
    source: Any = tuple(
        min(max(0.0, centre + (edge - centre) / size), most)  # a hair beyond, by rounding
        for edge, centre, most in zip(area, middle * 2, image.size * 2, strict=True)
    )
    return np.asarray(image.resize(extent, Image.Resampling.BILINEAR, source))


def _clip_shrunk(first: int, last: int, length: int, middle: float, size: float) -> tuple[int, int]:
    """Return what of ``first`` to ``last`` a side of the frame of ``length`` reaches once it has
    shrunk about ``middle``."""
    return (
        max(first, ceil(middle * (1 - size))),
        min(last, floor(middle + (length - middle) * size)),
    )


def _is_contiguous(rows: np.ndarray, columns: np.ndarray) -> bool:
    return rows[-1] - rows[0] == len(rows) - 1 and columns[-1] - columns[0] == len(columns) - 1
