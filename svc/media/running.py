"""The clock of a film: where in it each scene begins, is described and ends; descriptions move what follows them."""

from dataclasses import dataclass

from svc.media.programme import Descriptions, Timeline


@dataclass(frozen=True)
class SceneSpan:
    """A scene in a film, in seconds: it appears at ``start``, stands still while it is described, and runs from ``runs`` on.

    ``later``: how much later than in the programme it runs."""

    start: float
    runs: float
    end: float
    words: tuple[tuple[float, float], ...]
    later: float


def scene_spans(timeline: Timeline, descriptions: Descriptions | None = None) -> tuple[SceneSpan, ...]:
    """The scenes of the programme, or of the described film where ``descriptions`` are given."""
    held = {cue.scene: cue.duration for cue in descriptions.cues} if descriptions else {}
    found, later = [], 0.0
    for index, scene in enumerate(timeline.scenes):
        start = scene.start + later
        later += held.get(index, 0.0)
        words = tuple((word.start + later, word.end + later) for word in scene.words)
        found.append(SceneSpan(start, scene.start + later, scene.end + later, words, later))
    return tuple(found)


def describe_position(seconds: float, scenes: tuple[SceneSpan, ...]) -> str:
    """A moment of a film as people find it: ``00:12.40, scene 3``."""
    number = next((number for number, scene in enumerate(scenes, 1) if seconds < scene.end), len(scenes))
    return f"{format_clock(seconds)}, scene {number}"


def format_clock(seconds: float) -> str:
    minutes, rest = divmod(max(0.0, seconds), 60)
    return f"{int(minutes):02}:{rest:05.2f}"
