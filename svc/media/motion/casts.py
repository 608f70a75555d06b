"""How the pictures of a composed scene move: they spring up one after the other, shift with the camera, and bob a little.

All of them are at rest where the scene ends, so that a transition can begin from a still picture.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, field

from svc.media.drawing.frame_layout import Box
from svc.media.drawing.sprites import Sprite

SECONDS, LAG = 0.4, 0.12  # of one entrance; from one to the next
_PAN, _BOB = 80.0, 6.0  # in 1/1080 of the short side: the camera's way there and back, and the height of bobbing
_TURN, _NOD = 12.0, 4.8  # seconds of the camera's way there and back, so that nothing moves more than 22 a second; of one bob
_STEP = 1 / 15  # seconds between two places
_SWELL, _SWOLLEN = 0.5, 0.06  # seconds in which a picture swells and shrinks again; of its size
_OVERSHOOT = 1.70158  # of ease-out-back: ten per cent (R. Penner, "Easing Functions")


@dataclass(frozen=True)
class Place:
    """Where one sprite is, in pixels from its place at rest, and its size; 0: it is not there yet."""

    across: int
    down: int
    size: int


@dataclass(frozen=True)
class Casts:
    """The pictures of the composed scenes by the scene's index, and the pixels per 1/1080 of the short side."""

    by_scene: dict[int, tuple[Sprite, ...]] = field(default_factory=dict)
    unit: float = 1.0

    def movement(self, scene: int, starts: tuple[int, ...], frames: int, frame_rate: int) -> "Movement | None":
        """Return the movement of a scene's pictures; None if it has none."""
        cast = self.by_scene.get(scene)
        return Movement(cast, starts, frames, frame_rate, self.unit) if cast else None

    def reach(self, scene: int) -> Box:
        """Return the box, with even edges, that a scene's pictures never leave."""
        most = round((_PAN + 2 * _BOB) * self.unit)
        boxes = []
        for sprite in self.by_scene[scene]:
            half, shadow = round(sprite.size * 0.62), round(sprite.size * 0.24)
            boxes.append(
                (
                    sprite.x - half - most,
                    sprite.foot - round(sprite.size * 1.1) - most,
                    sprite.x + half + most,
                    sprite.foot + shadow,
                )
            )
        left, top = (max(0, min(box[edge] for box in boxes)) for edge in (0, 1))
        right, bottom = (max(box[edge] for box in boxes) for edge in (2, 3))
        return left // 2 * 2, top // 2 * 2, (right + 1) // 2 * 2, (bottom + 1) // 2 * 2


def spring(share: float) -> float:
    """Return ease-out-back: from 0.0 to 1.0, and over it on the way."""
    if share <= 0:
        return 0.0
    left = min(1.0, share) - 1
    return 1 + (_OVERSHOOT + 1) * left**3 + _OVERSHOOT * left**2


class Movement:
    """The movement of one scene's sprites."""

    def __init__(self, cast: tuple[Sprite, ...], starts: tuple[int, ...], frames: int, frame_rate: int, unit: float):
        """``starts``: the frames at which sentences begin; later sprites enter with later sentences. ``frames``: from the
        scene's beginning until all rest; ``unit``: pixels per 1/1080 of the short side."""
        self._cast, self._frames, self._rate, self._unit = cast, frames, frame_rate, unit
        self._every = max(1, round(frame_rate * _STEP))
        self._starts = starts
        self._enter = {sprite.turn: _entrance(sprite.turn, len(cast), starts, frame_rate) for sprite in cast}

    def at(self, frame: int) -> tuple[Place, ...]:
        """Return the places of all sprites, in the order of the cast, ``frame`` frames after the scene began."""
        frame = min(frame // self._every * self._every, self._frames)
        return tuple(self._place(sprite, frame) for sprite in self._cast)

    def _place(self, sprite: Sprite, frame: int) -> Place:
        size = sprite.size
        if frame < self._frames:
            entered = spring((frame - self._enter[sprite.turn]) / (SECONDS * self._rate))
            size = round(size * entered * self._pulse(sprite.turn, frame))
        if not size:
            return Place(0, 0, 0)
        share, seconds = frame / max(1, self._frames), self._frames / self._rate
        pan = (1 - math.cos(2 * math.pi * share * max(1, int(seconds / _TURN)))) / 2
        limit = min(1.0, seconds / _TURN)  # a short scene goes less far, not faster
        nods = 2 * math.pi * share * max(1, round(seconds / _NOD))
        bob = math.sin(nods) * (1 if sprite.turn % 2 else -1) if sprite.floats else (math.cos(nods) - 1) / 2
        return Place(round(_PAN * limit * pan * sprite.depth * self._unit), round(_BOB * bob * self._unit), size)

    def _pulse(self, turn: int, frame: int) -> float:
        """Return how much larger a sprite is: with each sentence after the first, the next one swells for a moment."""
        number = bisect_right(self._starts, frame) - 1
        if number < 1 or number % len(self._cast) != turn or frame - self._enter[turn] < (SECONDS + _SWELL) * self._rate:
            return 1.0
        share = (frame - self._starts[number]) / (_SWELL * self._rate)
        return 1 + _SWOLLEN * math.sin(math.pi * min(1.0, share))


def _entrance(turn: int, count: int, starts: tuple[int, ...], frame_rate: int) -> float:
    """Return the frame at which a sprite enters: the first two at the beginning, the others with the sentences in turn."""
    sentence = (turn * len(starts)) // count if turn > 1 else 0
    others = turn if sentence == 0 else turn - math.ceil(sentence * count / len(starts))
    begins = starts[sentence] if sentence else 0
    return begins + others * LAG * frame_rate
