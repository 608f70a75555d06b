"""Pasting sprites onto finished pictures in the encoder's format,
with their soft edges and shadows.
"""

from collections import OrderedDict

import numpy as np
from PIL import Image

from svc.media.drawing import sprites
from svc.media.drawing.sprites import Sprite
from svc.media.drawing.yuv import SCALES, Picture
from svc.media.figure import host
from svc.media.figure.avatar import Face
from svc.media.figure.host import Gesture
from svc.media.motion.casts import SpritePosition

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
        first, above, last, below = image.getbbox() or (0, 0, 1, 1)  # what is to be seen of it
        first, above = first - (first + odd[0]) % 2, above - (above + odd[1]) % 2
        image = image.crop((first, above, last, below))
        # Its place within the picture.
        self.left, self.top, odd = first + odd[0], above + odd[1], (0, 0)
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
        self._hosts: OrderedDict[tuple, _Layer] = OrderedDict()

    def paste(
        self, picture: Picture, cast: tuple[Sprite, ...], places: tuple[SpritePosition, ...]
    ) -> None:
        """Draw those of ``cast`` that are there at ``places`` onto ``picture``; of a host who
        stands still only what never moves.
        """
        for sprite, place in zip(cast, places, strict=False):
            if sprite.host:
                if place.size == sprite.size:
                    disc = host.make_disc(sprite.host.accent, sprite.size)
                    self._paste_part(picture, sprite, place, disc)
            elif place.size:
                for layer, left, top in self._draw_sprite(sprite, place):
                    _paste(picture, layer, left, top)

    def paste_host(
        self,
        picture: Picture,
        cast: tuple[Sprite, ...],
        places: tuple[SpritePosition, ...],
        face: Face,
        gesture: Gesture,
    ) -> None:
        """Draw the host of ``cast``, if there is one at ``places``, over all others and over the
        disc behind them; at rest where their size changes.
        """
        for sprite, place in zip(cast, places, strict=False):
            if not (place.size and sprite.host):
                continue
            if place.size != sprite.size:
                for layer, left, top in self._draw_sprite(sprite, place):
                    _paste(picture, layer, left, top)
                continue
            shown = sprite.host
            for part in host.list_layers(
                shown.avatar, shown.accent, sprite.size, face, gesture, shown.mirrored
            ):
                self._paste_part(picture, sprite, place, part)

    def _paste_part(
        self, picture: Picture, sprite: Sprite, place: SpritePosition, part: host.Layer
    ) -> None:
        """Draw a part of the host ``sprite``, in its full size, at ``place``."""
        name, image, across, down = part
        left = sprite.x + place.across - sprite.size // 2 + across
        top = sprite.foot + place.lower - sprite.size + down
        odd = left % 2, top % 2
        layer = _keep_layer(self._hosts, (name, odd), image, odd)
        _paste(picture, layer, left - odd[0], top - odd[1])

    def _draw_sprite(self, sprite: Sprite, place: SpritePosition) -> list[tuple[_Layer, int, int]]:
        drawn = []
        for number, (image, left, top) in enumerate(
            sprites.list_layers(sprite, place.across, place.down, place.size, place.lower)
        ):
            odd = left % 2, top % 2
            looks = sprite.name, sprite.colour, sprite.grounds, sprite.floats, sprite.host
            key = (*looks, place.size, number, odd)
            layer = _keep_layer(self._layers, key, image, odd)
            drawn.append((layer, left - odd[0], top - odd[1]))
        return drawn


def _keep_layer(
    layers: OrderedDict[tuple, _Layer], key: tuple, image: Image.Image, odd: tuple[int, int]
) -> _Layer:
    """Return the converted ``image``, from ``layers`` if it is there."""
    layer = layers.pop(key, None) or _Layer(image, odd)
    layers[key] = layer
    if len(layers) > _MOST:
        layers.popitem(last=False)  # the one that was used longest ago
    return layer


def _paste(picture: Picture, layer: _Layer, left: int, top: int) -> None:
    """Draw ``layer`` of a picture that is at ``left`` and ``top``, both even, as far as it lies
    within the picture.
    """
    left, top = left + layer.left, top + layer.top
    first, above = max(0, left), max(0, top)
    last = min(picture.width, left + layer.width) // 2 * 2
    below = min(picture.height, top + layer.height) // 2 * 2
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
            mixed = np.multiply(under - np.uint8(_BLACK), share, dtype=np.uint16)
            mixed += 255
        else:
            mixed = (under.astype(np.int16) - _GREY) * share.astype(np.int16)
            mixed += 128
        mixed >>= 8
        under[:] = mixed.astype(np.uint8) + own[within]
