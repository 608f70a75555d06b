"""The timeline of a video: when each scene appears, is described, runs and ends.

Descriptions delay what follows them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from svc.media.checks.repeats import Group
from svc.media.model import Descriptions, Rendition, Scene, Timeline
from svc.media.text.pronunciation.pieces import is_unspoken

_FRAME = 0.034  # seconds: scenes end with a frame


@dataclass(frozen=True)
class SceneSpan:
    """A scene in a video, in seconds: it appears at ``start``, stands still during its description,
    and runs from ``runs`` on.

    ``later``: the delay relative to the programme without descriptions. ``quiet``: from here to its
    end it is only looked at. ``unspoken``: those of ``words`` that are read in silence.
    """

    start: float
    runs: float
    end: float
    words: tuple[tuple[float, float], ...]
    later: float
    quiet: float = math.inf
    unspoken: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Film:
    """An mp4 and its expected properties."""

    name: str
    rendition: Rendition
    scenes: tuple[SceneSpan, ...]
    language: str = "und"  # of both streams, as three letters
    # When the captions in the picture change, and whether a cue begins then.
    caption_changes: tuple[tuple[float, bool], ...] = ()
    intro: float = 0.0  # seconds before the first scene
    outro: float = 0.0  # seconds after the last scene

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.scenes[-1].end + self.outro

    def count_seconds_in_clips(self, start: float, end: float) -> float:
        """Return how many of the seconds from ``start`` to ``end`` show the intro or the outro."""
        return max(0.0, min(end, self.intro) - start) + max(
            0.0, end - max(start, self.scenes[-1].end)
        )

    def shows_in_time(self, groups: tuple[Group, ...]) -> bool:
        """Return whether pictures that were copied from the programme are shown with their scenes,
        to one frame.
        """
        rate = self.rendition.frame_rate
        places = {group.source: group for group in groups}
        pairs = [
            (scene, places.get(round((scene.runs - scene.later) * rate))) for scene in self.scenes
        ]
        return all(
            group is not None
            and abs(group.first - scene.start * rate) <= 1
            and abs(group.runs - scene.runs * rate) <= 1
            for scene, group in pairs
        )


def find_scene_spans(
    timeline: Timeline, descriptions: Descriptions | None, scenes: Sequence[Scene] = ()
) -> tuple[SceneSpan, ...]:
    """Return the spans of the programme's scenes, or of the described video's if ``descriptions``
    are given.

    ``scenes``: as they are in the script. One that lasts no longer than it is shown at least is
    quiet after its last word; words of it that are not spoken are read in silence.
    """
    pauses = {cue.scene: cue.duration for cue in descriptions.cues} if descriptions else {}
    spans, later = [], 0.0
    for index, scene in enumerate(timeline.scenes):
        start = scene.start + later
        later += pauses.get(index, 0.0)
        words = tuple((word.start + later, word.end + later) for word in scene.words)
        quiet = math.inf
        unspoken: tuple[tuple[float, float], ...] = ()
        if scenes and words:
            if scene.end - scene.start <= scenes[index].shortest + _FRAME:
                quiet = words[-1][1]
            unspoken = tuple(
                word
                for word, spoken in zip(words, scenes[index].spoken, strict=True)
                if is_unspoken(spoken)
            )
        spans.append(
            SceneSpan(start, scene.start + later, scene.end + later, words, later, quiet, unspoken)
        )
    return tuple(spans)


def format_position(seconds: float, scenes: tuple[SceneSpan, ...]) -> str:
    """Return a position in a video for people: ``00:12.40, scene 3``."""
    return f"{format_clock(seconds)}, scene {find_scene(seconds, scenes)}"


def find_scene(seconds: float, scenes: tuple[SceneSpan, ...]) -> int:
    """Return the number of the scene at a position, from 1;
    of the nearest one before the first or after the last.
    """
    return next(
        (number for number, scene in enumerate(scenes, 1) if seconds < scene.end), len(scenes)
    )


def format_clock(seconds: float) -> str:
    """Return ``seconds`` as ``MM:SS.ss``."""
    minutes, rest = divmod(max(0.0, seconds), 60)
    return f"{int(minutes):02}:{rest:05.2f}"
