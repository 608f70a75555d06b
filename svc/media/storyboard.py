"""What is to be seen at each frame: the timeline, cut into the frames at which the picture changes."""

from bisect import bisect_right
from dataclasses import dataclass

from svc.media import avatar, layouts
from svc.media.captions import Cue
from svc.media.programme import Script, Timeline

_SHORTEST_FADE = 3  # frames: less is a cut


@dataclass(frozen=True)
class Motion:
    """What moves. ``fade``: seconds of the crossfade that ends where a scene begins."""

    fade: float = 1 / 3
    words: bool = True  # the spoken word stands out in the captions
    mouth: bool = True  # the presenter's mouth follows the words; False: it stays shut


@dataclass(frozen=True)
class State:
    """One state of the picture. ``cue``: index into the cues; ``word``: index into the scene's words."""

    scene: int
    stage: int = layouts.NOTHING_YET
    cue: int | None = None
    word: int | None = None
    mouth: int = avatar.SHUT


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
    script: Script, timeline: Timeline, cues: tuple[Cue, ...], frame_rate: int, motion: Motion = Motion()
) -> list[Moment]:
    """The moments of the whole programme, in order, the first at frame 0; each scene starts with a clean frame."""
    moments: list[Moment] = []
    for scene, timing in enumerate(timeline.scenes):
        first, last = frame_at(timing.start, frame_rate), frame_at(timing.end, frame_rate)
        if scene == len(timeline.scenes) - 1:
            last = max(first + 1, frame_at(timeline.duration, frame_rate))
        reader = _SceneReader(scene, script, timeline, cues, frame_rate, motion)
        moments.append(Moment(0 if scene == 0 else first, State(scene), opens=True))
        fade_from = _fade_start(reader, last, round(motion.fade * frame_rate)) if scene + 1 < len(timeline.scenes) else last
        moments += _changes(reader, range(first + 1, fade_from), moments[-1].shown)
        moments += _fades(reader.look(last), State(scene + 1), range(fade_from, last))
    return moments


class _SceneReader:
    """Looks up the state of one scene at a frame."""

    def __init__(
        self, scene: int, script: Script, timeline: Timeline, cues: tuple[Cue, ...], frame_rate: int, motion: Motion
    ):
        words = timeline.scenes[scene].words
        self.scene, self.motion = scene, motion
        self.starts = [frame_at(word.start, frame_rate) for word in words]
        self.ends = [frame_at(word.end, frame_rate) for word in words]
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
        return State(self.scene, stage, cue, spoken, self._mouth(frame, word))

    def last_busy_frame(self) -> int:
        """The frame after which neither a caption nor a word is left."""
        return max([end for _, _, end in self.cues] + self.ends, default=0)

    def _mouth(self, frame: int, word: int) -> int:
        if not self.motion.mouth or word < 0 or frame >= self.ends[word]:
            return avatar.SHUT
        return (avatar.PARTED, avatar.OPEN)[word % 2]


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
