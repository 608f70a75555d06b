"""The drift of the ground's discs in finished pictures: only the samples that
change are replaced.
"""

from dataclasses import dataclass

import numpy as np

from svc.media.drawing import ambience
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.yuv import Picture

_TRANSLUCENT = 28  # of luma: a surface that differs less from the ground lets it shine through


@dataclass(frozen=True)
class Ground:
    """The ground of a programme's pictures in the encoder's format."""

    picture: Picture  # as it is drawn
    fixed: Box  # the presenter, who covers the ground

    def find_bare_ground(self, picture: Picture, left: int = 0, top: int = 0) -> np.ndarray:
        """Return where ``picture``, whose top left corner is at ``left`` and ``top``, shows the
        ground: booleans of shape ``(height, width)``."""
        luma = picture.planes()[0]
        ground = self.picture.planes()[0][top : top + picture.height, left : left + picture.width]
        bare = np.abs(luma.astype(np.int16) - ground) < _TRANSLUCENT
        edges = (
            edge - origin for edge, origin in zip(self.fixed, (left, top, left, top), strict=True)
        )
        first, second, third, fourth = (max(0, edge) for edge in edges)
        bare[second:fourth, first:third] = False
        return bare


class Drift:
    """Moves the discs of one ground."""

    def __init__(self, plain: Picture, under: Picture):
        """``plain``: the ground without discs; ``under``: as if there were a disc everywhere."""
        self._depth = under.planes()[0] - plain.planes()[0]  # modulo 256, as all sums here
        self._start = ambience.draw_disc_mask(plain.width, plain.height, 0)

    def apply(self, picture: Picture, bare: np.ndarray, step: int, box: Box | None = None) -> None:
        """Move the discs in ``picture``, or in a ``box`` of it, where they still are as at step 0.

        ``bare``: where the ground is seen in that part, of :meth:`Ground.find_bare_ground`.
        """
        if step == 0:
            return
        left, top, right, bottom = box or (0, 0, picture.width, picture.height)
        part = slice(top, bottom), slice(left, right)
        now = ambience.draw_disc_mask(picture.width, picture.height, step)[part]
        # 1, 0, or 255 for a disc that has left
        change = now.view(np.uint8) - self._start[part].view(np.uint8)
        change *= bare
        change *= self._depth[part]
        luma = picture.planes()[0][part]
        luma += change
