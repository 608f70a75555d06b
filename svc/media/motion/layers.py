"""Pasting sprites onto finished pictures in the encoder's format,
with their soft edges and shadows.
"""

from collections import OrderedDict

import numpy as np
from PIL import Image

from svc.media.drawing import sprites
from svc.media.drawing.sprites import Sprite
from svc.media.motion.casts import SpritePosition
from svc.media.video.yuv import SCALES, Picture

_MOST = 96  # converted layers to keep
_BLACK, _GREY = 16, 128  # of luma and chroma


class _Layer:
    """A picture in the encoder's format, multiplied by its opacity,
    and how much of what is beneath shows, of 255.
    """

    def __init__(self, image: Image.Image, odd: tuple[int, int]):
        """``odd``: 1 where it is drawn at an odd place: it is moved by a pixel within
        an even box.
        """
        width, height = (
            -(-(side + shift) // 2) * 2 for side, shift in zip(image.size, odd, strict=True)
        )
        whole = Image.new("RGBA", (width, height))
        whole.paste(image, odd)
        black = Image.new("RGB", (width, height))
        black.paste(whole, mask=whole)
        over_black, alpha = np.asarray(black), np.asarray(whole.getchannel("A"))
        half = alpha.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3), dtype=np.float32)
        self.planes = Picture.from_rgb(over_black).planes()
        clear = 255 - alpha, (255.5 - half).astype(np.uint8)
        self.clear = (clear[0], clear[1], clear[1])
        self.width, self.height = width, height


class SpriteLayers:
    """Draws the casts of one programme in one frame size."""

    def __init__(self):
        self._layers: OrderedDict[tuple, _Layer] = OrderedDict()

    def paste(
        self, picture: Picture, cast: tuple[Sprite, ...], places: tuple[SpritePosition, ...]
    ) -> None:
        """Draw those of ``cast`` that are there at ``places`` onto ``picture``."""
        for sprite, place in zip(cast, places, strict=False):
            if place.size:
                for layer, left, top in self._drawn(sprite, place):
                    _paste(picture, layer, left, top)

    def _drawn(self, sprite: Sprite, place: SpritePosition) -> list[tuple[_Layer, int, int]]:
        drawn = []
        for number, (image, left, top) in enumerate(
            sprites.layers_of(sprite, place.across, place.down, place.size, place.lower)
        ):
            odd = left % 2, top % 2
            key = (sprite.name, sprite.colour, sprite.floats, place.size, number, odd)
            layer = self._layers.pop(key, None) or _Layer(image, odd)
            self._layers[key] = layer
            if len(self._layers) > _MOST:
                self._layers.popitem(last=False)  # the one that was used longest ago
            drawn.append((layer, left - odd[0], top - odd[1]))
        return drawn


def _paste(picture: Picture, layer: _Layer, left: int, top: int) -> None:
    """Draw ``layer`` at ``left`` and ``top``, both even, as far as it lies within the picture."""
    first, above = max(0, left), max(0, top)
    last, below = (
        min(picture.width, left + layer.width) // 2 * 2,
        min(picture.height, top + layer.height) // 2 * 2,
    )
    if first >= last or above >= below:
        return
    for number, (mine, own, clear, scale) in enumerate(
        zip(picture.planes(), layer.planes, layer.clear, SCALES, strict=True)
    ):
        part = slice(above // scale, below // scale), slice(first // scale, last // scale)
        within = (
            slice((above - top) // scale, (below - top) // scale),
            slice((first - left) // scale, (last - left) // scale),
        )
        under, share = mine[part], clear[within]
        if number == 0:
            kept = np.multiply(under - np.uint8(_BLACK), share, dtype=np.uint16)
            kept += 255
        else:
            kept = (under.astype(np.int16) - _GREY) * share.astype(np.int16)
            kept += 128
        kept >>= 8
        under[:] = kept.astype(np.uint8) + own[within]
