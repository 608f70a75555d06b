"""Words that enter a finished picture one by one as they are said: each fades in and rises,
the last one in another colour.
"""

from collections.abc import Sequence

import numpy as np

from svc.media.drawing.canvas import EnteringWord
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.yuv import SCALES, Picture, mix
from svc.media.motion import easing
from svc.media.motion.drift import Ground

NOT_YET = -1  # the word that was said last, before the first
_RISE = 14  # in 1/1080 of the short side: how far a word rises


class EnteringWords:
    """The words that enter in one stage of a scene."""

    def __init__(
        self, without: Picture, whole: Picture, marked: Picture, words: Sequence[EnteringWord]
    ):
        """``without`` the words, with the ``whole`` text, and with all of it ``marked`` as the
        word being said.
        """
        self._without, self._whole, self._marked = without, whole, marked
        self._boxes = [(each.word, _round_to_even(each.box, whole)) for each in words]
        self._settled: tuple[int, Picture] = (NOT_YET, without)
        self._bare: tuple[int, np.ndarray] | None = None
        self._rise = round(_RISE * min(whole.width, whole.height) / 1080 / 2) * 2

    def draw_at(self, said: int, share: float) -> Picture:
        """Return the picture in which ``said`` is the last word that has been said, and has entered
        by ``share`` (0.0 to 1.0).

        It is shared: do not change it.
        """
        if said == NOT_YET:
            return self._without
        before, settled = self._settled
        if not before <= said - 1:
            before, settled = NOT_YET, self._without
        if before < said - 1:
            settled = settled.copy()
            for word, box in self._boxes:
                if before < word < said:
                    _copy_box(settled, self._whole, box)
            self._settled = (said - 1, settled)
        picture = settled.copy()
        self.draw_words(picture, said, share, said)
        return picture

    def draw_words(self, picture: Picture, said: int, share: float, first: int = 0) -> None:
        """Draw the words from ``first`` to ``said`` onto ``picture``."""
        for word, box in self._boxes:
            if first <= word < said:
                _copy_box(picture, self._whole, box)
            elif word == said and share >= 1:
                _copy_box(picture, self._marked, box)
            elif word == said:
                self._move_in(picture, box, share)

    def find_bare_ground(self, ground: Ground, said: int) -> np.ndarray:
        """Return where the ground is seen, as :meth:`Ground.find_bare_ground`, when ``said`` has
        been said.
        """
        if self._bare is None or self._bare[0] != said:
            seen = ground.find_bare_ground(self._without)
            covered = ground.find_bare_ground(self._whole)
            for word, (left, top, right, bottom) in self._boxes:
                if word <= said:
                    seen[top:bottom, left:right] &= covered[top:bottom, left:right]
            self._bare = (said, seen)
        return self._bare[1]

    def _move_in(self, picture: Picture, box: Box, share: float) -> None:
        way = easing.ease_out(share)
        step = round(self._rise * (1 - way) / 2) * 2
        for mine, empty, new, scale in zip(
            picture.planes(), self._without.planes(), self._marked.planes(), SCALES, strict=True
        ):
            part = tuple(slice(box[edge] // scale, box[edge + 2] // scale) for edge in (1, 0))
            moved, down = new[part].copy(), step // scale
            if 0 < down < len(moved):
                moved[down:] = new[part][:-down]
                moved[:down] = empty[part][:down]
            mine[part] = mix(empty[part], moved, way)


def _copy_box(picture: Picture, other: Picture, box: Box) -> None:
    for mine, theirs, scale in zip(picture.planes(), other.planes(), SCALES, strict=True):
        part = tuple(slice(box[edge] // scale, box[edge + 2] // scale) for edge in (1, 0))
        mine[part] = theirs[part]


def _round_to_even(box: Box, picture: Picture) -> Box:
    """Return ``box`` with even edges, within the picture."""
    left, top, right, bottom = box
    return (
        max(0, left) // 2 * 2,
        max(0, top) // 2 * 2,
        min(picture.width, right + 1) // 2 * 2,
        min(picture.height, bottom + 1) // 2 * 2,
    )
