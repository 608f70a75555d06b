"""The drift of a sky's lights in finished pictures: only brightness changes,
and only where the sky is seen.
"""

import numpy as np

from svc.media.colour import Colour
from svc.media.drawing import sky
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Palette
from svc.media.drawing.yuv import Picture
from svc.media.motion.drift import Ground


class Lights:
    """Moves the lights of one scenery's sky; used like svc.media.motion.drift.Drift."""

    def __init__(self, ground: Ground, palette: Palette, right_to_left: bool, scenery: int = 0):
        width, height = ground.picture.width, ground.picture.height
        lights = tuple(_luma(light) for light in palette.sky[:3])
        self._brightness = sky.Brightness(
            width, height, _luma(palette.ground), lights, right_to_left, scenery
        )
        self._sky = sky.draw_sky_mask(width, height, right_to_left, scenery)
        # a ``bare``, and where it shows the sky
        self._seen: tuple[np.ndarray | None, np.ndarray] = (None, self._sky)

    def apply(self, picture: Picture, bare: np.ndarray, step: int, box: Box | None = None) -> None:
        """Move the lights in ``picture``, or in a ``box`` of it, where they still are as at step 0.

        ``bare``: where the ground is seen in that part, of :meth:`Ground.find_bare_ground`.
        """
        if step == 0:
            return
        left, top, right, bottom = box or (0, 0, picture.width, picture.height)
        part = slice(top, bottom), slice(left, right)
        if self._seen[0] is not bare:
            self._seen = (bare, self._sky[part] * bare.view(np.uint8))
        luma = picture.planes()[0][part]
        luma += self._brightness.compute_differences(step)[part] * self._seen[1]


def _luma(colour: Colour) -> float:
    """Return the luma of ``colour``: BT.709, limited range."""
    red, green, blue = colour
    return 16 + (0.2126 * red + 0.7152 * green + 0.0722 * blue) * 219 / 255
