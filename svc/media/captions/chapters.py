"""The chapters of a film: one for each heading, from the scene in which it first appears."""

from dataclasses import dataclass

from svc.media.model import Descriptions, Script, Timeline
from svc.media.text import tokens

_LONGEST = 100  # characters of a chapter's title
_FEWEST = 2  # chapters that are worth a list


@dataclass(frozen=True)
class Chapter:
    """A part of the film, until the next chapter begins. ``start``: seconds."""

    start: float
    title: str


def list_chapters(
    script: Script, timeline: Timeline, descriptions: Descriptions | None = None
) -> tuple[Chapter, ...]:
    """Return the chapters of the programme, or of the described video if ``descriptions`` are
    given; none if there is only one.

    The closing card belongs to the chapter before it.
    """
    pauses = {cue.scene: cue.duration for cue in descriptions.cues} if descriptions else {}
    chapters: list[Chapter] = []
    later, seen = 0.0, set[str]()  # a list's own heading parts the scenes of its section
    for index, (scene, timing) in enumerate(zip(script.scenes, timeline.scenes, strict=True)):
        title = tokens.shorten(
            tokens.clean(scene.heading or (script.title if index == 0 else "")), _LONGEST
        )
        if title and title not in seen and not (scene.layout == "close" and chapters):
            chapters.append(Chapter(timing.start + later if chapters else 0.0, title))
            seen.add(title)
        later += pauses.get(index, 0.0)
    return tuple(chapters) if len(chapters) >= _FEWEST else ()
