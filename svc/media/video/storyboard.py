"""The storyboard: the timeline as a list of the frames at which the picture changes, and what they show."""

from bisect import bisect_right
from dataclasses import dataclass

import numpy

from svc.media.captions.captions import Cue
from svc.media.drawing import mouth as mouths
from svc.media.drawing.avatar import STILL, Face
from svc.media.model import Script, Timeline
from svc.media.slides import slide

_BLINK = 0.1  # seconds
_SHORTEST_FADE = 3  # frames; a shorter one becomes a cut


@dataclass(frozen=True)
class Motion:
    """Which parts of the picture move. ``fade``: seconds of the crossfade that ends where a scene begins."""

    fade: float = 1 / 3
    words: bool = True  # the spoken word stands out in the captions
    face: bool = True  # the presenter speaks and blinks


@dataclass(frozen=True)
class State:
    """One state of the picture. ``cue``: index into the cues; ``word``: index into the scene's words."""

    scene: int
    stage: int = slide.NOTHING_YET
    cue: int | None = None
    word: int | None = None
    face: Face = STILL


@dataclass(frozen=True)
class Fade:
    """A transition at ``share`` (0.0 to 1.0) of the way from ``before`` to ``after``."""

    before: State
    after: State
    share: float


@dataclass(frozen=True)
class FrameChange:
    """From ``frame`` until the next change, ``shown`` is shown. ``opens``: it is the first frame of a scene, without
    captions."""

    frame: int
    shown: State | Fade
    opens: bool = False


def frame_at(seconds: float, frame_rate: int) -> int:
    """Return the frame nearest to a time."""
    return round(seconds * frame_rate)


def storyboard(
    script: Script,
    timeline: Timeline,
    cues: tuple[Cue, ...],
    frame_rate: int,
    motion: Motion = Motion(),
    narration: numpy.ndarray | None = None,
) -> list[FrameChange]:
    """Return the changes of the whole programme, in order, the first at frame 0. Each scene starts with a frame without
    captions.

    ``narration``: its sound, for the mouth of a voice that reports no phonemes.
    """
    changes: list[FrameChange] = []
    for scene, timing in enumerate(timeline.scenes):
        first, last = frame_at(timing.start, frame_rate), frame_at(timing.end, frame_rate)
        if scene == len(timeline.scenes) - 1:
            last = max(first + 1, frame_at(timeline.duration, frame_rate))
        shapes = mouths.shapes(timing, frame_rate, narration, timeline.sample_rate) if motion.face else []
        reader = _SceneReader(scene, script, timeline, cues, frame_rate, motion, shapes)
        opening = State(scene)
        changes.append(FrameChange(0 if scene == 0 else first, opening, opens=True))
        fade_from = _fade_start(reader, last, round(motion.fade * frame_rate)) if scene + 1 < len(timeline.scenes) else last
        changes += _changes(reader, range(first + 1, fade_from), opening)
        changes += _fades(reader.state_at(last), State(scene + 1), range(fade_from, last))
    return changes


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
        self.stages = slide.stages(script.scenes[scene])
        self.cues = [
            (index, frame_at(cue.start, frame_rate), frame_at(cue.end, frame_rate))
            for index, cue in enumerate(cues)
            if cue.scene == scene
        ]

    def state_at(self, frame: int) -> State:
        """Return the state of the picture at ``frame``."""
        word = bisect_right(self.starts, frame) - 1
        cue = next((index for index, start, end in self.cues if start <= frame < end), None)
        stage = bisect_right(self.stages, word) - 1
        spoken = word if cue is not None and self.motion.words else None
        return State(self.scene, stage, cue, spoken, self._face(frame))

    def last_busy_frame(self) -> int:
        """Return the frame after which there is neither a caption nor a word."""
        return max([end for _, _, end in self.cues] + self.ends, default=0)

    def _face(self, frame: int) -> Face:
        if not self.motion.face:
            return STILL
        at = bisect_right(self.mouth_frames, frame) - 1
        mouth = self.mouths[at] if at >= 0 and frame < self.last_word else mouths.SHUT
        return Face(mouth, frame in self.blinks)


def _blinks(scene: int, first: int, end: int, frame_rate: int) -> frozenset[int]:
    """Return the frames in which the eyes are shut: about every three seconds, irregularly, but the same in every run."""
    frames: set[int] = set()
    length, at, count = max(2, round(_BLINK * frame_rate)), first, 0
    while True:
        pause = 2.0 + 0.37 * ((scene * 5 + count * 3) % 7)
        at += round(pause * frame_rate / length) * length  # together with a new mouth shape, so that no extra frame is needed
        count += 1
        if at + 2 * length >= end:
            return frozenset(frames)
        frames.update(range(at, at + length))


def _changes(reader: _SceneReader, frames: range, shown: State) -> list[FrameChange]:
    changes = []
    for frame in frames:
        state = reader.state_at(frame)
        if state != shown:
            changes.append(FrameChange(frame, state))
            shown = state
    return changes


def _fade_start(reader: _SceneReader, last: int, frames: int) -> int:
    """Return the first frame of the crossfade that ends at ``last``; it begins after the last word and caption, or is left
    out."""
    start = max(last - frames, reader.last_busy_frame())
    return start if last - start >= _SHORTEST_FADE else last


def _fades(before: State, after: State, frames: range) -> list[FrameChange]:
    steps = len(frames) + 1
    return [FrameChange(frame, Fade(before, after, _eased((number + 1) / steps))) for number, frame in enumerate(frames)]


def _eased(share: float) -> float:
    """Return ``share`` with a slow start and a slow end."""
    return share * share * (3 - 2 * share)
