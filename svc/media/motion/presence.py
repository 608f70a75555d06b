"""The presenter's presence in one scene: speaking, breathing, nodding at full stops, blinking, a
little movement of the head.

Every movement begins and ends with the scene, because a scene starts and ends with a face that is
still.
"""

import math
from bisect import bisect_right

from svc.media.figure import mouth as mouths
from svc.media.figure.avatar import Face, Pose, make_still_face
from svc.media.figure.expression import CALM, KIND, SMILING

_STEP = 1 / 15  # seconds between two faces: smooth, and half of the frames to encode
_BREATH, _SWAY = 4.0, 6.5  # seconds
_NOD = (1, 2, 3, 4, 3, 2, 1)  # its depth, step by step
_BREATHS, _SWAYS = 4, 3  # the largest step of a pose
_PAUSE = 3  # steps for which a mouth is shut before and after, in a pause
_LIDS = (1, 2, 1)  # a blink, step by step: half shut, shut, half shut


class Presence:
    """Looks up the face of one scene at a frame."""

    def __init__(
        self,
        scene: int,
        frames: range,
        frame_rate: int,
        shapes: mouths.Shapes,
        last_word: int,
        full_stops: list[int],
        is_calm: bool = False,
    ):
        """``shapes``: the mouth's, of svc.media.figure.mouth. ``last_word``: the frame in which it
        ends. ``full_stops``: the frames in which a sentence ends. ``is_calm``: the face does not
        smile."""
        self.still = make_still_face(is_calm)
        self._frames, self._step, self._rate = frames, max(1, round(frame_rate * _STEP)), frame_rate
        self._firsts, self._shapes = [frame for frame, _ in shapes], [shape for _, shape in shapes]
        self._last_word = last_word
        self._blinks = _blinks(scene, frames, frame_rate, self._step)
        self._nods = self._series(full_stops)

    def find_face(self, frame: int) -> Face:
        """Return the face at ``frame``."""
        frame = self._frames.start + (frame - self._frames.start) // self._step * self._step
        if frame >= self._frames.stop - 2 * self._step:
            return self.still
        mouth, before = self._lips(frame)
        return Face(
            mouth,
            self._blinks.get(frame, 0),
            before if before != mouth else -1,
            self._pose(frame),
            self._cheeks(frame),
        )

    def _cheeks(self, frame: int) -> int:
        """Return how high the cheeks are: a smile is a pause's, with the mouth shut for some
        time.
        """
        if self.still.cheeks == CALM:
            return CALM
        around = range(-_PAUSE, _PAUSE + 1)
        pauses = all(self._mouth(frame + step * self._step) == mouths.SHUT for step in around)
        return SMILING if pauses else KIND

    def _lips(self, frame: int) -> tuple[int, int]:
        """Return the mouth's shape and the one that it comes from. Lips that close have closed when
        their sound is heard: they are half way there a step before, however short the sound is."""
        before, mouth, after = (self._mouth(frame + number * self._step) for number in (-1, 0, 1))
        if mouth in mouths.CLOSING_SHAPES:
            return mouth, mouth
        return (
            (after, mouth)
            if after in mouths.CLOSING_SHAPES and before not in mouths.CLOSING_SHAPES
            else (mouth, before)
        )

    def _mouth(self, frame: int) -> int:
        at = bisect_right(self._firsts, frame) - 1
        return self._shapes[at] if at >= 0 and frame < self._last_word else mouths.SHUT

    def _pose(self, frame: int) -> Pose:
        seconds = len(self._frames) / self._rate
        share = (frame - self._frames.start) / len(self._frames)
        breath = (
            _BREATHS * (1 - math.cos(2 * math.pi * share * max(1, round(seconds / _BREATH)))) / 2
        )
        sway = _SWAYS * math.sin(2 * math.pi * share * max(1, round(seconds / _SWAY)))
        return Pose(round(breath), round(sway), self._nods.get(frame, 0))

    def _series(self, full_stops: list[int]) -> dict[int, int]:
        """Return the depth of the nods by frame; a nod begins shortly before its sentence ends."""
        depths = {}
        for end in full_stops:
            first = (
                self._frames.start
                + (end - self._frames.start) // self._step * self._step
                - 2 * self._step
            )
            depths.update({first + number * self._step: depth for number, depth in enumerate(_NOD)})
        return depths


def _blinks(scene: int, frames: range, frame_rate: int, step: int) -> dict[int, int]:
    """Return how far the eyes are shut by frame: about every three seconds, irregularly,
    but the same in every run.
    """
    lids: dict[int, int] = {}
    at, count = frames.start, 0
    while True:
        pause = 2.0 + 0.37 * ((scene * 5 + count * 3) % 7)
        at += round(pause * frame_rate / step) * step
        count += 1
        if at + (len(_LIDS) + 1) * step >= frames.stop:
            return lids
        lids.update({at + number * step: lid for number, lid in enumerate(_LIDS)})
