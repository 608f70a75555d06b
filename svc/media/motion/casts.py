"""How the pictures of a composed scene move: they spring up in turn, and go where the next framing
has them.

They shift with the camera, bob a little, and hop where nothing else would change for long.

All of them are at rest where the scene ends, so that a transition can begin from a still picture.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from svc.media.drawing.frame_layout import Box
from svc.media.drawing.sprites import Sprite
from svc.media.motion import easing

SECONDS, LAG = 0.4, 0.12  # of one entrance; from one to the next
LONGEST = 3.8  # seconds from one change to the next, at most
_TRAVEL, _LEAVE = 0.6, 0.2  # seconds in which a picture goes to its next place, or leaves
_RISE = 0.4  # seconds in which it leaves the captions' place, before the next stage
# The camera's way there and back, and the height of bobbing, in 1/1080 of the short side.
_PAN, _BOB = 80.0, 6.0
# The seconds of the camera's way there and back, so that nothing moves more than 22 a second, and
# of one bob.
_TURN, _NOD = 12.0, 4.8
# The seconds between two places, and how many such steps one of the camera and of bobbing takes,
# which are slow.
_STEP, _IDLE = 1 / 15, 2
_HOP, _HOP_HIGH = 0.5, 0.05  # seconds of a hop; its height, of a picture's size
_OVERSHOOT = 1.70158  # of ease-out-back: ten per cent (R. Penner, "Easing Functions")


@dataclass(frozen=True)
class SpritePosition:
    """Where one sprite is, in pixels from its first place at rest, and its size; 0: it is not
    there. ``lower``: of its foot, ``down``: of its picture alone."""

    across: int
    down: int
    size: int
    lower: int = 0


@dataclass(frozen=True)
class Cast:
    """The pictures of one scene, each at its first place at rest, the lowest first. ``stages``:
    where each of them rests at each stage of the scene; None: it is not there. ``is_still``: they
    hop, and do not move otherwise."""

    sprites: tuple[Sprite, ...]
    stages: tuple[tuple[Sprite | None, ...], ...]
    is_still: bool = False

    @classmethod
    def from_stages(cls, stages: Sequence[Sequence[Sprite]], is_still: bool = False) -> "Cast":
        """Return the cast whose pictures are at ``stages``;
        the same picture is known by its name and colour.
        """
        first: dict[tuple, Sprite] = {}
        for stage in stages:
            for sprite in stage:
                first.setdefault((sprite.name, sprite.colour), sprite)
        rests = ({(sprite.name, sprite.colour): sprite for sprite in stage} for stage in stages)
        return cls(
            tuple(first.values()), tuple(tuple(map(stage.get, first)) for stage in rests), is_still
        )


@dataclass(frozen=True)
class Casts:
    """The casts of the composed scenes, by the index of the scene.

    ``unit``: the pixels in 1/1080 of the picture's short side.
    """

    by_scene: dict[int, Cast] = field(default_factory=dict)
    unit: float = 1.0

    def find_movement(
        self,
        scene: int,
        stages: Sequence[int],
        starts: Sequence[int],
        changes: Iterable[int],
        frames: int,
        frame_rate: int,
    ) -> "Movement | None":
        """Return the movement of a scene's pictures, as of :class:`Movement`;
        None if it has none.
        """
        cast = self.by_scene.get(scene)
        return (
            Movement(cast, stages, starts, changes, frames, frame_rate, self.unit) if cast else None
        )

    def find_reach(self, scene: int) -> Box:
        """Return the box, with even edges, that a scene's pictures do not leave after they have
        come to their last places.
        """
        most = round((_PAN + 2 * _BOB) * self.unit)
        boxes = []
        for sprite in filter(None, self.by_scene[scene].stages[-1]):
            if sprite.host:
                boxes.append(sprite.square)
                continue
            half, shadow = round(sprite.size * 0.62), round(sprite.size * 0.24)
            top = sprite.foot - round(sprite.size * (1.1 + _HOP_HIGH)) - most
            boxes.append(
                (sprite.x - half - most, top, sprite.x + half + most, sprite.foot + shadow)
            )
        left, top = (max(0, min((box[edge] for box in boxes), default=0)) for edge in (0, 1))
        right, bottom = (max((box[edge] for box in boxes), default=0) for edge in (2, 3))
        return left // 2 * 2, top // 2 * 2, (right + 1) // 2 * 2, (bottom + 1) // 2 * 2


def ease_with_spring(share: float) -> float:
    """Return ease-out-back: from 0.0 to 1.0, and over it on the way."""
    if share <= 0:
        return 0.0
    left = min(1.0, share) - 1
    return 1 + (_OVERSHOOT + 1) * left**3 + _OVERSHOOT * left**2


class Movement:
    """The movement of one scene's sprites."""

    def __init__(
        self,
        cast: Cast,
        stages: Sequence[int],
        starts: Sequence[int],
        changes: Iterable[int],
        frames: int,
        frame_rate: int,
        unit: float,
    ):
        """``stages``: the frames at which those of the cast begin, the first at 0. ``starts``:
        those at which sentences begin; later sprites enter with later sentences. ``changes``: those
        at which something else changes. ``frames``: from the scene's beginning until all rest;
        ``unit``: pixels per 1/1080 of the short side."""
        self._cast, self._frames, self._rate, self._unit = cast, frames, frame_rate, unit
        self._every = max(1, round(frame_rate * _STEP))
        self._stages = list(stages[: len(cast.stages)]) or [0]
        ends = [*self._stages[1:], frames]
        self._enter = [
            _entrances(
                stage,
                [start for start in starts if first < start < end],
                first,
                frame_rate,
                self._every,
            )
            for stage, first, end in zip(cast.stages, self._stages, ends, strict=False)
        ]
        entered = (frame for stage in self._enter for frame in stage if frame is not None)
        known = sorted(
            {0, *self._stages, *(round(frame) for frame in entered if frame < frames), *changes}
        )
        self._hops = self._list_hops(known, starts)
        # the frames at which something begins to change, by design
        self.changes = tuple(sorted({*known, *self._hops}))

    def find_positions(self, frame: int) -> tuple[SpritePosition, ...]:
        """Return the places of all sprites, in the order of the cast,
        ``frame`` frames after the scene began.
        """
        frame = min(frame // self._every * self._every, self._frames)
        stage = max(0, bisect_right(self._stages, frame) - 1)
        return tuple(self._place(number, frame, stage) for number in range(len(self._cast.sprites)))

    def _place(self, number: int, frame: int, stage: int) -> SpritePosition:
        now = self._find_resting_place(number, frame, stage)
        before = self._cast.stages[stage - 1][number] if stage else None
        before = (before and before.then) or before
        passed = (frame - self._stages[stage]) / self._rate
        if now is None:
            shrinks = 1 - passed / _LEAVE
            if before is None or shrinks <= 0 or frame >= self._frames:
                return SpritePosition(0, 0, 0)
            return self._move_sprite(
                number, before, before, 0.0, frame, before.size * easing.ease_out(shrinks)
            )
        if before is not None or frame >= self._frames:
            way = (
                easing.ease_in_out(min(1.0, passed / _TRAVEL))
                if before is not None and frame < self._frames
                else 1.0
            )
            start = before or now
            return self._move_sprite(
                number, start, now, way, frame, start.size + (now.size - start.size) * way
            )
        enters = self._enter[stage][number]
        entered = ease_with_spring((frame - (enters or 0)) / (SECONDS * self._rate))
        return self._move_sprite(number, now, now, 1.0, frame, now.size * entered)

    def _find_resting_place(self, number: int, frame: int, stage: int) -> Sprite | None:
        """Return where a sprite rests at a stage: where it stands without captions, and at the
        stage's end where it is clear of the next ones.
        """
        now = self._cast.stages[stage][number]
        if now is None or now.then is None or stage + 1 >= len(self._stages):
            return now
        left = (self._stages[stage + 1] - frame) / self._rate
        way, then = easing.ease_in_out(min(1.0, max(0.0, 1 - left / _RISE))), now.then
        x, foot, size = (
            round(start + (end - start) * way)
            for start, end in ((now.x, then.x), (now.foot, then.foot), (now.size, then.size))
        )
        return replace(now, x=x, foot=foot, size=size)

    def _move_sprite(
        self, number: int, start: Sprite, end: Sprite, way: float, frame: int, size: float
    ) -> SpritePosition:
        """Return the place on the ``way`` from ``start`` to ``end``, with the camera,
        bobbing and hopping.
        """
        first = self._cast.sprites[number]
        across = start.x + (end.x - start.x) * way - first.x
        lower = start.foot + (end.foot - start.foot) * way - first.foot
        depth, down = start.depth + (end.depth - start.depth) * way, 0.0
        if not round(size):
            return SpritePosition(0, 0, 0)
        if not (self._cast.is_still or first.host):
            slow = (
                frame
                if frame >= self._frames
                else frame // (_IDLE * self._every) * _IDLE * self._every
            )
            share, seconds = slow / max(1, self._frames), self._frames / self._rate
            pan = (1 - math.cos(2 * math.pi * share * max(1, int(seconds / _TURN)))) / 2
            limit = min(1.0, seconds / _TURN)  # a short scene goes less far, not faster
            across += _PAN * limit * pan * depth * self._unit
            nods = 2 * math.pi * share * max(1, round(seconds / _NOD))
            bob = (
                math.sin(nods) * (1 if first.turn % 2 else -1)
                if end.floats
                else (math.cos(nods) - 1) / 2
            )
            down = _BOB * bob * self._unit
        down -= self._hop(number, frame) * size
        return SpritePosition(round(across), round(down), round(size), round(lower))

    def _hop(self, number: int, frame: int) -> float:
        """Return how high a sprite is, as a share of its size:
        the next one of those that are there hops each time.
        """
        hop = bisect_right(self._hops, frame) - 1
        passed = (frame - self._hops[hop]) / self._rate / _HOP if hop >= 0 else 1.0
        stage = max(0, bisect_right(self._stages, frame) - 1)
        present = [
            which
            for which, sprite in enumerate(self._cast.stages[stage])
            if sprite is not None and not sprite.host
        ]
        if passed >= 1 or not present or present[hop % len(present)] != number:
            return 0.0
        return _HOP_HIGH * math.sin(math.pi * passed)

    def _list_hops(self, known: list[int], starts: Sequence[int]) -> list[int]:
        """Return the frames at which a sprite hops: with each sentence after the first, and so that
        no more than LONGEST seconds pass from one change to the next."""
        settled = round((SECONDS + LAG) * self._rate)
        last = self._frames - round(_HOP * self._rate)
        hops = [
            start
            for start in starts
            if settled < start <= last and all(abs(start - other) > settled for other in known)
        ]
        most = LONGEST * self._rate
        for first, end in pairwise(sorted({*known, *hops, self._frames})):
            count = math.ceil((end - first) / most) - 1
            hops += [
                round(first + (end - first) * (part + 1) / (count + 1)) for part in range(count)
            ]
        return sorted(hops)


def _entrances(
    stage: tuple[Sprite | None, ...], starts: list[int], first: int, frame_rate: int, every: int
) -> list[float | None]:
    """Return for each sprite the frame at which it enters: the first two where the stage begins,
    the others with the sentences that begin in it, in turn."""
    begins, count = [first, *starts], sum(sprite is not None for sprite in stage)
    frames: list[float | None] = []
    for sprite in stage:
        if sprite is None:
            frames.append(None)
            continue
        turn = min(sprite.turn, count - 1)
        sentence = (turn * len(begins)) // count if turn > 1 else 0
        others = turn if sentence == 0 else turn - math.ceil(sentence * count / len(begins))
        frames.append((begins[sentence] + others * LAG * frame_rate) // every * every)
    return frames
