"""Splitting the programme into segments: runs of frames that start with a keyframe and can be
cached on their own.

A segment is a scene, or the transition from one scene to the next. Its pictures depend only on what
its cache key lists; the key counts frames from the segment's own first frame, so that a scene that
only moved in time keeps its key.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import av
import fontpkg
import numpy
import PIL

from svc.base.file_hash import hash_file
from svc.media import fonts
from svc.media.cache import make_cache_key
from svc.media.captions.captions import Cue
from svc.media.model import DrawnText, Presenter, Rendition, VideoBrief
from svc.media.video.encoding import VideoFormat
from svc.media.video.scene import SceneRenderer
from svc.media.video.storyboard import Fade, FrameChange, State

_BRIEF_FIELDS = (
    "look",
    "theme",
    "accent",
    "second_colour",
    "caption_style",
    "account_name",
    "language",
)
# Fields of the presenter that no picture shows: how it speaks; and whether it moves, which the
# states show.
_OF_VOICE = ("voice", "pitch", "words_per_minute", "speaker", "moving")
# Fields of the presenter that only a drawn figure shows.
_OF_FIGURE = ("skin", "hair", "clothes", "hair_style", "age", "beard", "glasses", "outfit")
_SOURCES = (".py", ".zip")  # of the engine: its programs and its pictures


@dataclass(frozen=True)
class VideoSegment:
    """Frames ``first`` to ``end`` (exclusive) of the programme.

    The first of ``changes`` is at ``first``.
    """

    first: int
    end: int
    changes: tuple[FrameChange, ...]


@dataclass(frozen=True)
class EncodedSegment:
    """A rendered segment: its packets (Annex B) by frame, counted from its first,
    and the texts on its pictures.
    """

    packets: tuple[tuple[int, bytes], ...]
    texts: tuple[DrawnText, ...]

    def to_bytes(self) -> bytes:
        sizes = [(frame, len(packet)) for frame, packet in self.packets]
        head = {"packets": sizes, "texts": [vars(text) for text in self.texts]}
        return json.dumps(head).encode() + b"\n" + b"".join(packet for _, packet in self.packets)

    @classmethod
    def from_bytes(cls, content: bytes) -> "EncodedSegment":
        head, _, rest = content.partition(b"\n")
        fields, packets, at = json.loads(head), [], 0
        for frame, size in fields["packets"]:
            packets.append((frame, rest[at : at + size]))
            at += size
        return cls(
            tuple(packets),
            tuple(DrawnText(**{**text, "box": tuple(text["box"])}) for text in fields["texts"]),
        )


def split_segments(changes: Iterable[FrameChange], frames: int) -> Iterator[VideoSegment]:
    """Yield ``changes`` split where a scene opens and where a transition begins; together the
    segments have ``frames`` frames."""
    run: list[FrameChange] = []
    for change in changes:
        fade_begins = isinstance(change.shown, Fade) and not (
            run and isinstance(run[-1].shown, Fade)
        )
        if run and (change.opens or fade_begins):
            yield VideoSegment(run[0].frame, change.frame, tuple(run))
            run = []
        run.append(change)
    if run:
        yield VideoSegment(run[0].frame, frames, tuple(run))


class SegmentKeys:
    """Computes the cache keys of one programme's segments in one format."""

    def __init__(
        self,
        brief: VideoBrief,
        renderer: SceneRenderer,
        rendition: Rendition,
        cues: tuple[Cue, ...],
        video_format: VideoFormat,
        folder: Path,
    ):
        self._renderer, self._cues, self._folder = renderer, cues, folder
        choices = {name: getattr(brief, name) for name in _BRIEF_FIELDS} | {
            "logo_style": brief.brand.logo_style
        }
        shape = [video_format.width, video_format.height, video_format.frame_rate, rendition.safe]
        portrait = brief.avatar.portrait if renderer.shows_upload else ""
        files = [self._hash_file(name) for name in (brief.logo, portrait)]
        # which depend on the whole script
        families = (renderer.look.display, renderer.look.text)
        self._common = [
            hash_engine(),
            choices,
            _describe_presenter(brief.avatar, renderer.draws_face),
            shape,
            len(renderer.script.scenes),
            files,
            families,
        ]

    def compute_key(self, segment: VideoSegment) -> str:
        """Return the cache key of ``segment``, a hash of everything that its pictures depend on."""
        changes = [
            (change.frame - segment.first, change.opens, self._describe_shown(change.shown))
            for change in segment.changes
        ]
        numbers = sorted(
            {state.scene for change in segment.changes for state in _list_states(change.shown)}
        )
        scenes = [(number, self._key_of_scene(number)) for number in numbers]
        return make_cache_key("take", self._common, segment.end - segment.first, scenes, changes)

    def _key_of_scene(self, number: int) -> list:
        scene = self._renderer.script.scenes[number]
        pictures = [self._hash_file(file) for file in (scene.sight.file, *scene.sight.files)]
        # Whether it is sombre is seen in the presenter alone: in the states, and the surroundings.
        shown = dataclasses.asdict(
            dataclasses.replace(scene, spoken=(), description="", is_sombre=False)
        )
        return [shown, pictures, self._renderer.describe_surroundings(number)]

    def _describe_shown(self, shown: State | Fade) -> list:
        share = [shown.share] if isinstance(shown, Fade) else []
        return [*share, *(self._key_of_state(state) for state in _list_states(shown))]

    def _key_of_state(self, state: State) -> list:
        lines = None if state.cue is None else self._cues[state.cue].lines
        face = dataclasses.astuple(state.face) if self._renderer.draws_face else ()
        moved = [
            *face,
            state.entrance,
            state.drift,
            state.lower_third,
            state.moved,
            *dataclasses.astuple(state.gesture),
        ]
        moved += [state.said, state.fresh]
        moved += [place for each in state.places for place in dataclasses.astuple(each)]
        return [state.scene, state.stage, lines, state.word, *moved]

    def _hash_file(self, file: str) -> str:
        path = self._folder / file
        return hash_file(path).sha256 if file and path.is_file() else ""


def _describe_presenter(presenter: Presenter, is_drawn: bool) -> dict[str, Any]:
    """Return what pictures show of a presenter, as JSON values; not the file of its portrait."""
    left_out = (*_OF_VOICE, "portrait", *(() if is_drawn else _OF_FIGURE))
    fields = dataclasses.asdict(presenter)
    return {name: value for name, value in fields.items() if name not in left_out}


def _list_states(shown: State | Fade) -> tuple[State, ...]:
    return (shown.before, shown.after) if isinstance(shown, Fade) else (shown,)


@cache
def hash_engine() -> str:
    """Return a hash of this media engine and of the libraries and fonts that it draws
    and encodes with.
    """
    digest = hashlib.sha256()
    for source in sorted(
        path for path in Path(__file__).parents[1].rglob("*.*") if path.suffix in _SOURCES
    ):
        digest.update(source.read_bytes())
    versions = [av.__version__, av.library_versions, PIL.__version__, numpy.__version__]
    typefaces = [
        (family, fonts.find_path(family).stat().st_size) for family in fonts.list_families()
    ]
    digest.update(repr((versions, fontpkg.__version__, typefaces)).encode())
    return digest.hexdigest()
