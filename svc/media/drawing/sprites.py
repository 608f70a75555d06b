"""Sprites: the pictures of a composed scene, which stand on the ground with a soft shadow,
or float, and move on their own.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from svc.media.artwork import rims, solid
from svc.media.colour import Colour
from svc.media.figure.host import Host

LARGEST = 600  # pixels: a picture of 256 that is drawn larger looks soft
HOST = "presenter"  # the name of the presenter as a host
BALL = "ball"  # the name of a ball in the brand's colour, which is no picture of the collection
_SHADOW: Colour = (0, 0, 30)
# A shadow's opacity (of 255), its width in shares of the picture's, and its height and blur in
# shares of its size.
_OPACITY, _WIDE, _HIGH, _BLUR = 96, 0.84, 0.13, 0.045
_SHINE, _DARK = 0.5, 0.45  # of a ball: how light its upper side is, and how dark its lower one

Layer = tuple[Image.Image, int, int]  # RGBA, and the left and top edges of where it is drawn


@dataclass(frozen=True)
class Sprite:
    """A picture with its place at rest: ``x`` of its middle and ``foot`` in pixels of the frame,
    and its ``size``.

    ``depth``: how far it moves with the camera, -1.0 to 1.0; ``floats``: it stands on nothing;
    ``turn``: its number in the order of entrances, from 0; ``then``: where it rests before the next
    stage begins, if it stands in the place of the captions; ``grounds``: the colours of what is
    behind it, against which it may need a rim.
    """

    name: str
    x: int
    foot: int
    size: int
    depth: float = 0.0
    floats: bool = False
    turn: int = 0
    colour: str = "#000000"  # of a country's shape or a ball
    host: Host | None = None  # of the presenter
    then: "Sprite | None" = None
    grounds: tuple[Colour, ...] = ()

    @property
    def square(self) -> tuple[int, int, int, int]:
        """The square that it fills at rest: left, top, right and bottom."""
        left, top = self.x - self.size // 2, self.foot - self.size
        return left, top, left + self.size, top + self.size


def list_layers(
    sprite: Sprite, across: int = 0, down: int = 0, size: int | None = None, lower: int = 0
) -> list[Layer]:
    """Return what is drawn of ``sprite``, lowest first, with its middle ``across``, its foot
    ``lower`` and its picture ``down`` pixels off."""
    size = sprite.size if size is None else size
    if size < 4:
        return []
    if sprite.host:
        still = sprite.host.draw_at_rest(sprite.size, size)
        return [(still, sprite.x + across - size // 2, sprite.foot + lower + down - size)]
    first, _, last, low = _extent(sprite.name, sprite.colour, sprite.grounds)
    image, foot = draw_sprite(sprite.name, size, sprite.colour, sprite.grounds), round(size * low)
    left, top = sprite.x + across - size // 2, sprite.foot + lower + down - foot
    drawn = [(image, left, top)]
    if not sprite.floats:
        shadow = _shadow(size, round((last - first) * 100))
        above = sprite.foot + lower - shadow.height // 2 - round(size * 0.02)
        drawn.insert(0, (shadow, sprite.x + across - shadow.width // 2, above))
    return drawn


def paste_sprites(image: Image.Image, of: list[Sprite]) -> None:
    """Draw sprites at rest onto ``image``, the first lowest."""
    for sprite in of:
        for layer, left, top in list_layers(sprite):
            image.paste(layer, (left, top), layer)


@lru_cache(maxsize=64)
def draw_sprite(name: str, size: int, colour: str, grounds: tuple[Colour, ...] = ()) -> Image.Image:
    """Return the picture of a sprite, RGBA, which is shared; on a rim if it is hardly seen on one
    of ``grounds``.
    """
    if name == BALL:
        return _draw_ball(size, colour)
    picture = solid.draw_solid_picture(name, size, colour)
    return rims.add_rim(picture, grounds) if _needs_rim(name, colour, grounds) else picture


@lru_cache(maxsize=256)
def _needs_rim(name: str, colour: str, grounds: tuple[Colour, ...]) -> bool:
    small = solid.draw_solid_picture(name, 96, colour)
    return bool(grounds) and rims.needs_rim(small, grounds)


@lru_cache(maxsize=256)
def _extent(
    name: str, colour: str, grounds: tuple[Colour, ...]
) -> tuple[float, float, float, float]:
    """Return the edges of what is to be seen of a picture, in shares of its size."""
    small = draw_sprite(name, 128, colour, grounds).getchannel("A")
    small = small.point(lambda alpha: 255 if alpha > 60 else 0)
    left, top, right, bottom = small.getbbox() or (0, 0, 128, 128)
    return left / 128, top / 128, right / 128, bottom / 128


@lru_cache(maxsize=64)
def _shadow(size: int, percent: int) -> Image.Image:
    """Return a blurred oval below a picture that is ``percent`` of ``size`` wide."""
    blur = max(1.0, size * _BLUR)
    wide, high, edge = (
        round(size * percent / 100 * _WIDE),
        max(2, round(size * _HIGH)),
        round(3 * blur),
    )
    mask = Image.new("L", (wide + 2 * edge, high + 2 * edge))
    ImageDraw.Draw(mask).ellipse((edge, edge, edge + wide, edge + high), fill=_OPACITY)
    shadow = Image.new("RGBA", mask.size, (*_SHADOW, 0))
    shadow.putalpha(mask.filter(ImageFilter.GaussianBlur(blur)))
    return shadow


def _draw_ball(size: int, colour: str) -> Image.Image:
    """Draw a matt ball that is lit from the upper left."""
    base = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.float32)
    y, x = ((np.arange(size, dtype=np.float32) + 0.5) / size * 2 - 1 for _ in range(2))
    across, down = np.meshgrid(x, y)
    radius = np.sqrt(across * across + down * down)
    high = np.sqrt(np.clip(1 - radius * radius, 0, 1))
    light = (-0.45 * across - 0.6 * down + 0.66 * high).clip(-1, 1)[..., None]
    pixels = base + (255 - base) * _SHINE * np.clip(light, 0, 1) ** 2.2
    pixels *= 1 - _DARK * np.clip(0.55 - light, 0, 1)
    alpha = np.clip((1 - radius) * size / 2 + 0.5, 0, 1) * 255
    return Image.fromarray(np.dstack([pixels, alpha]).clip(0, 255).astype(np.uint8))
