"""Cutting the programme into takes: runs of frames that start with a keyframe, and can be made and kept on their own.

A take is a scene, or the change from one scene to the next. What it looks like depends on what is listed in its recipe, and on
nothing else; the recipe counts frames from the take's own first, so that a scene that only moved in time is still the same.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import av
import fontpkg
import numpy
import PIL

from svc.media import fonts
from svc.media.cache import key
from svc.media.captions import Cue
from svc.media.encoding import VideoFormat
from svc.media.looks import Look
from svc.media.programme import DrawnText, Rendition, Script, VideoBrief
from svc.media.storyboard import Fade, FrameChange, State

_ANYTHING_ELSE = ("look", "theme", "accent", "second_colour", "caption_style", "account_name", "language")  # of the brief


@dataclass(frozen=True)
class Segment:
    """Frames ``first`` to ``end`` (exclusive) of the programme. The first of ``moments`` is at ``first``."""

    first: int
    end: int
    moments: tuple[FrameChange, ...]


@dataclass(frozen=True)
class EncodedSegment:
    """What a take became: its packets (Annex B) by frame, counted from its first, and what is written on its pictures."""

    packets: tuple[tuple[int, bytes], ...]
    texts: tuple[DrawnText, ...]

    def to_bytes(self) -> bytes:
        sizes = [(frame, len(packet)) for frame, packet in self.packets]
        head = {"packets": sizes, "texts": [vars(each) for each in self.texts]}
        return json.dumps(head).encode() + b"\n" + b"".join(packet for _, packet in self.packets)

    @classmethod
    def from_bytes(cls, content: bytes) -> "EncodedSegment":
        head, _, rest = content.partition(b"\n")
        known, packets, at = json.loads(head), [], 0
        for frame, size in known["packets"]:
            packets.append((frame, rest[at : at + size]))
            at += size
        return cls(tuple(packets), tuple(DrawnText(**{**each, "box": tuple(each["box"])}) for each in known["texts"]))


def split_segments(moments: list[FrameChange], frames: int) -> Iterator[Segment]:
    """``moments`` cut where a scene opens and where a change of scene begins; together they are ``frames`` long."""
    run: list[FrameChange] = []
    for moment in moments:
        changes = isinstance(moment.shown, Fade) and not (run and isinstance(run[-1].shown, Fade))
        if run and (moment.opens or changes):
            yield Segment(run[0].frame, moment.frame, tuple(run))
            run = []
        run.append(moment)
    if run:
        yield Segment(run[0].frame, frames, tuple(run))


class SegmentKeys:
    """Names, for the cache, the takes of one programme in one format."""

    def __init__(
        self, brief: VideoBrief, script: Script, rendition: Rendition, look: Look, cues: tuple[Cue, ...], made_as: VideoFormat,
        folder: Path,
    ):  # fmt: skip
        self._script, self._cues, self._folder = script, cues, folder
        chosen = {name: getattr(brief, name) for name in _ANYTHING_ELSE}
        shape = [made_as.width, made_as.height, made_as.frame_rate, rendition.safe]
        files = [self._content(name) for name in (brief.logo, brief.avatar.portrait)]
        families = (look.display, look.text)  # which depend on the whole script
        self._common = [_engine(), chosen, dataclasses.asdict(brief.avatar), shape, len(script.scenes), files, families]

    def key_of(self, take: Segment) -> str:
        """Of what ``take`` is made of."""
        shown = [(moment.frame - take.first, moment.opens, self._shown(moment.shown)) for moment in take.moments]
        scenes = sorted({state.scene for moment in take.moments for state in _states(moment.shown)})
        seen = [(number, self._scene(number)) for number in scenes]
        return key("take", self._common, take.end - take.first, seen, shown)

    def _scene(self, number: int) -> list:
        scene = self._script.scenes[number]
        return [dataclasses.asdict(dataclasses.replace(scene, spoken=(), description="")), self._content(scene.sight.file)]

    def _shown(self, shown: State | Fade) -> list:
        share = [shown.share] if isinstance(shown, Fade) else []
        return [*share, *(self._state(state) for state in _states(shown))]

    def _state(self, state: State) -> list:
        lines = None if state.cue is None else self._cues[state.cue].lines
        return [state.scene, state.stage, lines, state.word, *dataclasses.astuple(state.face)]

    def _content(self, file: str) -> str:
        path = self._folder / file
        return hashlib.sha256(path.read_bytes()).hexdigest() if file and path.is_file() else ""


def _states(shown: State | Fade) -> tuple[State, ...]:
    return (shown.before, shown.after) if isinstance(shown, Fade) else (shown,)


@cache
def _engine() -> str:
    """This program's media engine and what it draws and encodes with: another release of any makes other pictures."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    versions = [av.__version__, av.library_versions, PIL.__version__, numpy.__version__]
    typefaces = [(family, fonts.path(family).stat().st_size) for family in fonts.families()]
    digest.update(repr((versions, fontpkg.__version__, typefaces)).encode())
    return digest.hexdigest()
