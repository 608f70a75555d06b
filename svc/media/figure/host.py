"""Drawing the presenter as a host: half of the body behind a desk, with arms that make gestures.

The host is drawn in layers, so that in each picture only those are drawn anew that have changed.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image

from svc.media.colour import BLACK, WHITE, Colour, mix, parse_colour
from svc.media.figure import arms, body
from svc.media.figure import avatar as bust
from svc.media.figure.avatar import STILL, Face
from svc.media.figure.pen import OVERSAMPLING, SPAN, Pen
from svc.media.model import Presenter

STEPS = 4  # from one gesture to the next, in drawings
BOX = (-54.0, 4.0, 254.0, 312.0)  # what is drawn, in the figure's units: a square
_SIDE = BOX[2] - BOX[0]
_DISC = (100.0, 150.0, 124.0)  # behind the host: x, y and radius
_BODY = (10, 140, 190, 306)
_ARMS = (-50, 150, 250, 285)
_DESK = (-26.0, 264.0, 226.0, 308.0)
_LIP = 9.0  # height of the desk's top

Layer = tuple[tuple, Image.Image, int, int]  # what tells it from others, RGBA, left and top edges


@dataclass(frozen=True)
class Gesture:
    """What the arms do: ``step`` of STEPS on the way from ``before`` to ``after``, which are
    gestures of svc.media.figure.arms."""

    before: int = arms.REST
    after: int = arms.REST
    step: int = STEPS

    @property
    def key(self) -> tuple[int, int, int]:
        """Return the same for what looks the same."""
        step = STEPS if self.before == self.after else self.step
        if step in (0, STEPS):
            shown = self.after if step else self.before
            return shown, shown, STEPS
        if self.before > self.after:
            return self.after, self.before, STEPS - step
        return self.before, self.after, step


AT_REST = Gesture()


@dataclass(frozen=True)
class Host:
    """A host, as one film has them. ``mirrored``: the content is at the right."""

    avatar: Presenter
    accent: Colour
    mirrored: bool = False
    face: Face = STILL  # while nothing is said

    def draw_at_rest(self, drawn: int, size: int) -> Image.Image:
        """Return the host at rest as RGBA, drawn in a square of ``drawn`` pixels and scaled to
        ``size``; it is shared.
        """
        still = _draw_still(self, drawn)
        return still if drawn == size else still.resize((size, size), Image.Resampling.BILINEAR)


def list_layers(
    avatar: Presenter,
    accent: Colour,
    size: int,
    face: Face = STILL,
    gesture: Gesture = AT_REST,
    mirrored: bool = False,
) -> list[Layer]:
    """Return what is drawn of a host in a square of ``size`` pixels over :func:`make_disc`, the
    lowest first.

    ``mirrored``: the content is at the right.
    """
    scale, pose = size / _SIDE, face.pose
    across = round(SPAN * scale)  # of the bust
    left, top = round(-BOX[0] * scale), round(-BOX[1] * scale)
    back, front = bust.draw_heads(avatar, accent, across, pose.sway)
    down, up = pose.measure_drop(across), -pose.measure_lift(across)
    name = (avatar, accent, size)
    layers: list[Layer] = [
        (("back", *name, pose.sway), back, left, top + down),
        (("body", *name), *_place_part(_body(avatar, size), _BODY, scale, up)),
        (("desk", *name), *_place_part(_draw_desk(accent, size), _DESK, scale)),
        (
            ("arms", *name, gesture.key, mirrored),
            *_place_part(_arms(avatar, size, gesture.key, mirrored), _ARMS, scale),
        ),
        (("front", *name, pose.sway), front, left, top + down),
    ]
    for area, state, (picture, x, y) in bust.draw_moving_parts(avatar, accent, across, face):
        layers.append((("face", *name, area, state, pose.sway), picture, left + x, top + y))
    return layers


def make_disc(accent: Colour, size: int) -> Layer:
    """Return the disc behind a host."""
    return ("disc", accent, size), _draw_disc(accent, size), 0, 0


def draw_host(
    avatar: Presenter,
    accent: Colour,
    size: int,
    face: Face = STILL,
    gesture: Gesture = AT_REST,
    mirrored: bool = False,
) -> Image.Image:
    """Return a host as RGBA, a square of ``size`` pixels."""
    drawn = make_disc(accent, size)[1].copy()
    for _, layer, left, top in list_layers(avatar, accent, size, face, gesture, mirrored):
        whole = Image.new("RGBA", drawn.size)
        whole.paste(layer, (left, top))
        drawn.alpha_composite(whole)
    return drawn


@lru_cache(maxsize=4)
def _draw_still(host: Host, size: int) -> Image.Image:
    return draw_host(host.avatar, host.accent, size, host.face, AT_REST, host.mirrored)


def _place_part(
    picture: Image.Image, part, scale: float, up: int = 0
) -> tuple[Image.Image, int, int]:
    return picture, round((part[0] - BOX[0]) * scale), round((part[1] - BOX[1]) * scale) + up


def _pen(part, size: int) -> Pen:
    """Return a pen for a part of the host, given in the figure's units."""
    scale = size / _SIDE
    origin = (round(part[0] * scale), round(part[1] * scale))
    width, height = (round((part[far] - part[near]) * scale) for near, far in ((0, 2), (1, 3)))
    canvas = Image.new("RGBA", (width * OVERSAMPLING, height * OVERSAMPLING))
    return Pen(size * SPAN / _SIDE * OVERSAMPLING, canvas, origin)


@lru_cache(maxsize=2)
def _body(avatar: Presenter, size: int) -> Image.Image:
    pen = _pen(_BODY, size)
    skin, clothes = parse_colour(avatar.skin), parse_colour(avatar.clothes)
    body.draw_half_body(pen, skin, clothes, bust.outfit_of(avatar))
    return pen.image.reduce(OVERSAMPLING)


@lru_cache(maxsize=64)
def _arms(
    avatar: Presenter, size: int, gesture: tuple[int, int, int], mirrored: bool
) -> Image.Image:
    pen = _pen(_ARMS, size)
    before, after, step = gesture
    share = (1 - math.cos(math.pi * step / STEPS)) / 2
    skin, clothes = parse_colour(avatar.skin), parse_colour(avatar.clothes)
    placed = arms.blend_arms(before, after, share)
    arms.draw_arms(pen, skin, clothes, bust.outfit_of(avatar), placed)
    drawn = pen.image.reduce(OVERSAMPLING)
    return drawn.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if mirrored else drawn


@lru_cache(maxsize=2)
def _draw_desk(accent: Colour, size: int) -> Image.Image:
    """Draw the desk: a slab with a lit top, in the brand's colour."""
    pen = _pen(_DESK, size)
    left, top, right, bottom = _DESK
    radius = 12 * pen.scale
    for (above, below), fill in (
        ((top, bottom), mix(accent, BLACK, 0.3)),
        ((top, top + _LIP), mix(accent, WHITE, 0.34)),
    ):
        edges = [*pen.to_pixels(left, above), *pen.to_pixels(right, below)]
        pen.draw.rounded_rectangle(edges, min(radius, _LIP * pen.scale / 2), fill=fill)
    return pen.image.reduce(OVERSAMPLING)


@lru_cache(maxsize=2)
def _draw_disc(accent: Colour, size: int) -> Image.Image:
    """Draw a disc of soft light behind the host, down to the desk, in the brand's colour."""
    scale, (x, y, radius) = size / _SIDE, _DISC
    rows, columns = ((np.arange(size, dtype=np.float32) + 0.5) / scale for _ in range(2))
    across, down = np.meshgrid(columns + BOX[0] - x, rows + BOX[1] - y)
    distance = np.hypot(across, down)
    near, far = (
        np.array(mix(accent, end, share), np.float32)
        for end, share in ((WHITE, 0.16), (BLACK, 0.5))
    )
    way = np.clip(np.hypot(across, down + 60) / (radius * 1.5), 0, 1)[..., None]
    colours = near + (far - near) * way
    alpha = np.clip((radius - distance) * scale + 0.5, 0, 1)
    alpha[round((_DESK[1] + _LIP / 2 - BOX[1]) * scale) :] = 0
    return Image.fromarray(np.dstack([colours, alpha * 255]).round().astype(np.uint8))
