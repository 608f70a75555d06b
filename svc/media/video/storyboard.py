"""The storyboard: the timeline as a series of the frames at which the picture changes,
and what they show.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from svc.media.audio import Samples
from svc.media.captions.captions import Cue
from svc.media.clips.in_scenes import Moves
from svc.media.drawing import ambience, sky
from svc.media.figure import mouth as mouths
from svc.media.figure.avatar import STILL, Face, make_still_face
from svc.media.figure.host import AT_REST, Gesture
from svc.media.model import Scene, Script, Timeline
from svc.media.motion import gestures
from svc.media.motion.casts import Casts, Movement, SpritePosition
from svc.media.motion.entering import NOT_YET
from svc.media.motion.presence import Presence
from svc.media.slides import framings, hosting, slide
from svc.media.video import lower_third

_DRIFT_STEP = 0.2  # seconds between two steps of the drift
# The seconds in which the ground drifts around once; a shorter scene than the second stands still.
_TURN, _SHORTEST_TURN = 12.0, 3.5
# The seconds from a framing to its first word, in which a word enters, and in which a figure
# counts.
_LEAD, _FRESH, _COUNTING = 0.2, 0.14, 0.9
_EVERY = 2  # frames from one step of an entrance to the next in composed scenes
_SHORTEST_FADE = 3  # frames; a shorter one becomes a cut


@dataclass(frozen=True)
class Motion:
    """Which parts of the picture move.

    ``fade``: seconds of the crossfade that ends where a scene begins.
    """

    fade: float = 1 / 3
    words: bool = True  # the spoken word stands out in the captions
    face: bool = True  # the presenter speaks, breathes, nods and blinks
    entrance: float = 0.4  # seconds in which a stage enters
    drift: bool = True  # the ground and what floats on it are never still for long
    lower_third: bool = False  # the presenter's name and role appear
    # Whether scenes are framed anew while they are spoken, and words enter in large type.
    is_composed: bool = False
    hosted: frozenset[int] = frozenset()  # the scenes that the presenter hosts


@dataclass(frozen=True)
class State:
    """One state of the picture. ``cue``: index into the cues; ``word``: index into the scene's
    words; ``entrance``: how much of the time has passed in which the stage enters (0.0 to 1.0);
    ``drift``: a step of svc.media.drawing.ambience; ``lower_third``: how much of it is to be seen
    (0.0 to 1.0); ``moved``: how far its clip or picture has (Moves.find_picture); ``places``:
    where the pictures of a composed scene are, of those that have entered; ``said``: the last word
    that has entered in large type, and ``fresh`` how far it has (0.0 to 1.0); ``gesture``: of a
    host."""

    scene: int
    stage: int = slide.NOTHING_YET
    cue: int | None = None
    word: int | None = None
    face: Face = STILL
    entrance: float = 1.0
    drift: int = 0
    lower_third: float = 0.0
    moved: int = 0
    places: tuple[SpritePosition, ...] = ()
    said: int = NOT_YET
    fresh: float = 1.0
    gesture: Gesture = AT_REST


@dataclass(frozen=True)
class Fade:
    """A transition after ``share`` (0.0 to 1.0) of the time from ``before`` to ``after``."""

    before: State
    after: State
    share: float


@dataclass(frozen=True)
class FrameChange:
    """From ``frame`` until the next change, ``shown`` is shown. ``opens``: it is the first frame of
    a scene, without captions."""

    frame: int
    shown: State | Fade
    opens: bool = False


def find_frame(seconds: float, frame_rate: int) -> int:
    """Return the frame nearest to a time."""
    return round(seconds * frame_rate)


def plan_changes(
    script: Script,
    timeline: Timeline,
    cues: tuple[Cue, ...],
    frame_rate: int,
    motion: Motion = Motion(),
    narration: Samples | None = None,
    moves: Moves = Moves(),
    casts: Casts = Casts(),
) -> Iterator[FrameChange]:
    """Yield the changes of all scenes, in order, the first after the intro. Each scene starts with
    a frame without captions.

    ``narration``: its sound, for the mouth of a voice that reports no phonemes. ``moves``: what
    moves within the scenes. ``casts``: the pictures of composed scenes.
    """
    named = lower_third.find_shown_window(timeline, frame_rate) if motion.lower_third else None
    calm = gestures.find_calm_scenes(script)
    for scene, timing in enumerate(timeline.scenes):
        first, last = find_frame(timing.start, frame_rate), find_frame(timing.end, frame_rate)
        if scene == len(timeline.scenes) - 1:
            last = max(first + 1, find_frame(timeline.closes, frame_rate))
        shapes = (
            mouths.find_mouth_shapes(timing, frame_rate, narration, timeline.sample_rate)
            if motion.face
            else []
        )
        reader = _SceneReader(
            scene, script, timeline, cues, frame_rate, motion, shapes, calm[scene]
        )
        reader.moves = moves
        rests = round(motion.fade * frame_rate) if scene + 1 < len(timeline.scenes) else 0
        reader.movement = reader.cast_by(casts, max(1, len(reader.frames) - rests))
        reader.named = named if named and named.scene == scene else None
        opening = State(scene, face=reader.presence.still)
        yield FrameChange(
            find_frame(timeline.intro, frame_rate) if scene == 0 else first, opening, opens=True
        )
        fade_from = (
            _fade_start(reader, last, round(motion.fade * frame_rate))
            if scene + 1 < len(timeline.scenes)
            else last
        )
        yield from _changes(reader, range(first + 1, fade_from), opening)
        fades_out = replace(reader.state_at(last), moved=reader.moved_at(fade_from))
        if fade_from < last:
            following = State(scene + 1, face=make_still_face(calm[scene + 1]))
            yield from _make_fades(fades_out, following, range(fade_from, last))


class _SceneReader:
    """Looks up the state of one scene at a frame."""

    def __init__(
        self,
        scene: int,
        script: Script,
        timeline: Timeline,
        cues,
        frame_rate: int,
        motion: Motion,
        shapes,
        is_calm: bool = False,
    ):
        timing, words = timeline.scenes[scene], timeline.scenes[scene].words
        self.scene, self.motion, self.frame_rate = scene, motion, frame_rate
        self.named: lower_third.Window | None = None  # when the lower third is shown
        self.moves = Moves()
        self.movement: Movement | None = None  # of the pictures of a composed scene
        frames = range(find_frame(timing.start, frame_rate), find_frame(timing.end, frame_rate))
        self.starts = [find_frame(word.start, frame_rate) for word in words]
        self.ends = [find_frame(word.end, frame_rate) for word in words]
        full_stops = [
            self.ends[end]
            for end in {*script.scenes[scene].sentence_ends, len(words) - 1}
            if 0 <= end < len(words)
        ]
        firsts = [0, *sorted(end + 1 for end in script.scenes[scene].sentence_ends)]
        self.sentence_starts = [
            self.starts[first] - frames.start for first in firsts if first < len(words)
        ]
        self.presence = Presence(
            scene, frames, frame_rate, shapes, max(self.ends, default=0), full_stops, is_calm
        )
        self.frames, self.step = frames, max(1, round(frame_rate * _DRIFT_STEP))
        self.turns = (
            max(1, round(len(frames) / frame_rate / _TURN))
            if len(frames) >= _SHORTEST_TURN * frame_rate
            else 0
        )
        content = script.scenes[scene]
        self.stages = slide.list_stages(content, motion.is_composed)
        self.entering = framings.find_words_in_type(content) if motion.is_composed else frozenset()
        self.begins = self._find_stage_frames(content)
        self.entrances = self._list_entrances(content, round(motion.entrance * frame_rate))
        self.gestures = self._plan_gestures(script, is_calm) if scene in motion.hosted else []
        self.cues = [
            (index, find_frame(cue.start, frame_rate), find_frame(cue.end, frame_rate))
            for index, cue in enumerate(cues)
            if cue.scene == scene
        ]

    def state_at(self, frame: int) -> State:
        """Return the state of the picture at ``frame``."""
        word = bisect_right(self.starts, frame) - 1
        cue = next((index for index, start, end in self.cues if start <= frame < end), None)
        stage = bisect_right(self.begins, frame) - 1
        spoken = word if cue is not None and self.motion.words else None
        face = self.presence.find_face(frame) if self.motion.face else self.presence.still
        named = self.named.compute_share(frame, self.frame_rate) if self.named else 0.0
        entrance = self._measure_entrance(stage, frame)
        drift = self._measure_drift(frame)
        moved = self.moved_at(frame)
        places = self.movement.find_positions(frame - self.frames.start) if self.movement else ()
        said, fresh = self._find_last_word(stage, word, frame)
        gesture = gestures.find_gesture(self.gestures, frame - self.frames.start, self.frame_rate)
        parts = (stage, cue, spoken, face, entrance, drift, named, moved, places, said, fresh)
        return State(self.scene, *parts, gesture)

    def cast_by(self, casts: Casts, frames: int) -> Movement | None:
        """Return how the pictures of a composed scene move, which all rest after ``frames``;
        None if it has none.
        """
        changes = [self.starts[word] for word in sorted(self.entering)]
        changes += [first for first, length in self.entrances if length]
        within = [frame - self.frames.start for frame in changes if frame < self.frames.stop]
        begins = [frame - self.frames.start for frame in self.begins]
        return casts.find_movement(
            self.scene, [0, *begins[1:]], self.sentence_starts, within, frames, self.frame_rate
        )

    def _plan_gestures(self, script: Script, is_calm: bool) -> gestures.Plan:
        """Return the host's gestures, which end before the second framing."""
        if not self.motion.face:
            return []
        content = script.scenes[self.scene]
        following = script.scenes[self.scene + 1 : self.scene + 2]
        last = hosting.count_framings(content)
        end = self.begins[last] if 0 < last < len(self.begins) else self.frames.stop
        seconds = (end - self.frames.start) / self.frame_rate
        return gestures.plan_gestures(
            content, following[0] if following else None, seconds, self.frame_rate, is_calm
        )

    def moved_at(self, frame: int) -> int:
        """Return how far the scene's clip or picture has moved."""
        return self.moves.find_picture(
            self.scene, frame - self.frames.start, len(self.frames), self.frame_rate
        )

    def last_busy_frame(self) -> int:
        """Return the frame after which there is neither a caption nor a word."""
        return max([end for _, _, end in self.cues] + self.ends, default=0)

    def _find_stage_frames(self, scene: Scene) -> list[int]:
        """Return the frame at which each stage begins: with its first word, and a framing a little
        earlier, so that what was there has left when its first word enters."""
        firsts = [
            self.starts[word] if word < len(self.starts) else self.frames.stop
            for word in self.stages
        ]
        lead = (
            round(_LEAD * self.frame_rate)
            if self.motion.is_composed and framings.list_framings(scene)
            else 0
        )
        return [max(self.frames.start, first - lead) for first in firsts]

    def _list_entrances(self, scene: Scene, usual: int) -> list[tuple[int, int]]:
        """Return for each stage its first frame and how many frames it takes to enter:
        until the next one at the latest.
        """
        following = [*self.begins[1:], self.frames.stop]
        counting = round(_COUNTING * self.frame_rate)
        counts = [
            self.motion.is_composed and slide.is_figure(scene, stage)
            for stage in range(len(self.begins))
        ]
        lengths = [counting if each else usual for each in counts]
        ends = zip(self.begins, following, lengths, strict=False)
        return [(first, max(0, min(length, end - first))) for first, end, length in ends]

    def _measure_entrance(self, stage: int, frame: int) -> float:
        if stage < 0:
            return 1.0
        first, length = self.entrances[stage]
        passed = frame - first + 1
        if self.motion.is_composed and passed < length:
            passed = (passed - 1) // _EVERY * _EVERY + 1
        return min(1.0, passed / length) if length else 1.0

    def _find_last_word(self, stage: int, word: int, frame: int) -> tuple[int, float]:
        """Return the last word that has entered in large type, and how far it has."""
        begun = [each for each in self.entering if each <= word]
        last = max(begun, default=NOT_YET)
        if last == NOT_YET or (self.stages and stage >= 0 and last < self.stages[stage]):
            return NOT_YET, 1.0
        length = max(_EVERY, round(_FRESH * self.frame_rate))
        passed = (frame - self.starts[last]) // _EVERY * _EVERY + _EVERY
        return last, min(1.0, passed / length)

    def _measure_drift(self, frame: int) -> int:
        """Return how far the ground has drifted: whole turns in a scene,
        so that it begins and ends where it stands still.
        """
        if not (self.motion.drift and self.turns):
            return 0
        passed = (frame - self.frames.start) // self.step * self.step
        drift = (
            round(
                passed / max(1, len(self.frames) - self.step) * self.turns * ambience.DISC_POSITIONS
            )
            % ambience.DISC_POSITIONS
        )
        return drift // sky.LIGHT_STRIDE * sky.LIGHT_STRIDE if self.motion.is_composed else drift


def _changes(reader: _SceneReader, frames: range, shown: State) -> Iterator[FrameChange]:
    for frame in frames:
        state = reader.state_at(frame)
        if state != shown:
            yield FrameChange(frame, state)
            shown = state


def _fade_start(reader: _SceneReader, last: int, frames: int) -> int:
    """Return the first frame of the crossfade that ends at ``last``; it begins after the last word
    and caption, or is left out."""
    start = max(last - frames, reader.last_busy_frame())
    return start if last - start >= _SHORTEST_FADE else last


def _make_fades(before: State, after: State, frames: range) -> list[FrameChange]:
    steps = len(frames) + 1
    return [
        FrameChange(frame, Fade(before, after, (number + 1) / steps))
        for number, frame in enumerate(frames)
    ]
