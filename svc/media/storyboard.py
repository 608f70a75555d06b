"""What is to be seen at each frame: the timeline, cut into the frames at which the picture changes."""

from bisect import bisect_right
from dataclasses import dataclass

import numpy

from svc.media import layouts, mouths
from svc.media.avatar import STILL, Face
from svc.media.captions import Cue
from svc.media.programme import Script, Timeline

_BLINK = 0.1  # seconds
_SHORTEST_FADE = 3  # frames: less is a cut


@dataclass(frozen=True)
class Motion:
    """What moves. ``fade``: seconds of the crossfade that ends where a scene begins."""

    fade: float = 1 / 3
    words: bool = True  # the spoken word stands out in the captions
    face: bool = True  # the presenter speaks and blinks; False: they look on


@dataclass(frozen=True)
class State:
    """One state of the picture. ``cue``: index into the cues; ``word``: index into the scene's words."""

    scene: int
    stage: int = layouts.NOTHING_YET
    cue: int | None = None
    word: int | None = None
    face: Face = STILL


@dataclass(frozen=True)
class Fade:
    """``share`` (0.0 to 1.0) of the way from ``before`` to ``after``."""

    before: State
    after: State
    share: float


@dataclass(frozen=True)
class Moment:
    """From frame ``frame`` on, until the next moment, ``shown`` is seen. ``opens``: it is a scene's clean first frame."""

    frame: int
    shown: State | Fade
    opens: bool = False


def frame_at(seconds: float, frame_rate: int) -> int:
    """The frame nearest to a time."""
    return round(seconds * frame_rate)


def storyboard(
    script: Script,
    timeline: Timeline,
    cues: tuple[Cue, ...],
    frame_rate: int,
    motion: Motion = Motion(),
    narration: numpy.ndarray | None = None,
) -> list[Moment]:
    """The moments of the whole programme, in order, the first at frame 0; each scene starts with a clean frame.

    ``narration``: its sound, for the mouth of a voice that tells no phonemes."""
    moments: list[Moment] = []
    for scene, timing in enumerate(timeline.scenes):
        first, last = frame_at(timing.start, frame_rate), frame_at(timing.end, frame_rate)
        if scene == len(timeline.scenes) - 1:
            last = max(first + 1, frame_at(timeline.duration, frame_rate))
        shapes = mouths.shapes(timing, frame_rate, narration, timeline.sample_rate) if motion.face else []
        reader = _SceneReader(scene, script, timeline, cues, frame_rate, motion, shapes)
        opening = State(scene)
        moments.append(Moment(0 if scene == 0 else first, opening, opens=True))
        fade_from = _fade_start(reader, last, round(motion.fade * frame_rate)) if scene + 1 < len(timeline.scenes) else last
        moments += _changes(reader, range(first + 1, fade_from), opening)
        moments += _fades(reader.look(last), State(scene + 1), range(fade_from, last))
    return moments


class _SceneReader:
    """Looks up the state of one scene at a frame."""

    def __init__(self, scene: int, script: Script, timeline: Timeline, cues, frame_rate: int, motion: Motion, shapes):
        timing, words = timeline.scenes[scene], timeline.scenes[scene].words
        self.scene, self.motion = scene, motion
        self.mouth_frames, self.mouths = [frame for frame, _ in shapes], [shape for _, shape in shapes]
        self.blinks = _blinks(scene, frame_at(timing.start, frame_rate), frame_at(timing.end, frame_rate), frame_rate)
        self.starts = [frame_at(word.start, frame_rate) for word in words]
        self.ends = [frame_at(word.end, frame_rate) for word in words]
        self.last_word = max(self.ends, default=0)
        self.stages = layouts.stages(script.scenes[scene])
        self.cues = [
            (index, frame_at(cue.start, frame_rate), frame_at(cue.end, frame_rate))
            for index, cue in enumerate(cues)
            if cue.scene == scene
        ]

    def look(self, frame: int) -> State:
        word = bisect_right(self.starts, frame) - 1
        cue = next((index for index, start, end in self.cues if start <= frame < end), None)
        stage = bisect_right(self.stages, word) - 1
        spoken = word if cue is not None and self.motion.words else None
        return State(self.scene, stage, cue, spoken, self._face(frame))

    def last_busy_frame(self) -> int:
        """The frame after which neither a caption nor a word is left."""
        return max([end for _, _, end in self.cues] + self.ends, default=0)

    def _face(self, frame: int) -> Face:
        if not self.motion.face:
            return STILL
        at = bisect_right(self.mouth_frames, frame) - 1
        mouth = self.mouths[at] if at >= 0 and frame < self.last_word else mouths.SHUT
        return Face(mouth, frame in self.blinks)


def _blinks(scene: int, first: int, end: int, frame_rate: int) -> frozenset[int]:
    """The frames in which the eyes are shut: about every three seconds, never quite regularly, and the same in every run."""
    found: set[int] = set()
    lasts, at, turn = max(2, round(_BLINK * frame_rate)), first, 0
    while True:
        pause = 2.0 + 0.37 * ((scene * 5 + turn * 3) % 7)
        at += round(pause * frame_rate / lasts) * lasts  # with a new shape of the mouth, which costs no frame of its own
        turn += 1
        if at + 2 * lasts >= end:
            return frozenset(found)
        found.update(range(at, at + lasts))


def _changes(reader: _SceneReader, frames: range, shown: State) -> list[Moment]:
    found = []
    for frame in frames:
        look = reader.look(frame)
        if look != shown:
            found.append(Moment(frame, look))
            shown = look
    return found


def _fade_start(reader: _SceneReader, last: int, frames: int) -> int:
    """The first frame of the crossfade that ends at ``last``: in silence and under no caption, or no fade at all."""
    start = max(last - frames, reader.last_busy_frame())
    return start if last - start >= _SHORTEST_FADE else last


def _fades(before: State, after: State, frames: range) -> list[Moment]:
    steps = len(frames) + 1
    return [Moment(frame, Fade(before, after, _eased((number + 1) / steps))) for number, frame in enumerate(frames)]


def _eased(share: float) -> float:
    """Slow, fast, slow."""
    return share * share * (3 - 2 * share)
