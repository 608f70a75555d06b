"""Rendering the programme: one mp4 and one poster for each rendition of the brief."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from svc.base import atomic_file
from svc.media.captions import captions
from svc.media.drawing.avatar import Face
from svc.media.drawing.frame_layout import frame_size
from svc.media.drawing.scene import SceneRenderer, Tile
from svc.media.kit import Kit
from svc.media.model import DrawnText, Rendition, Script, Timeline, VideoBrief, load, save
from svc.media.slides import slide
from svc.media.speech import audio
from svc.media.video import chapters, encoding, key_pictures, mp4
from svc.media.video.encoding import Shot, VideoFormat
from svc.media.video.segments import EncodedSegment, SegmentKeys, VideoSegment, split_segments
from svc.media.video.storyboard import Fade, FrameChange, Motion, State, storyboard
from svc.media.video.yuv import Picture

_PARALLEL = 2  # renditions rendered at the same time
_POSTER_QUALITY = 88


def render(brief: VideoBrief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Write ``{rendition}.mp4``, ``poster-{rendition}.jpg``, ``lettering-{rendition}.json`` and the key pictures from
    ``script.json``, ``timeline.json`` and ``narration.wav``. Segments that were rendered before come from the kit's cache."""
    script, timeline = load(Script, folder / "script.json"), load(Timeline, folder / "timeline.json")
    narration = mp4.read_wav(folder / "narration.wav")
    shared = _SharedProgress(progress, len(brief.renditions))
    with ThreadPoolExecutor(_PARALLEL) as pool:
        futures = [
            pool.submit(_render_one, brief, script, timeline, rendition, folder, narration, shared.part(number), kit)
            for number, rendition in enumerate(brief.renditions)
        ]
        for future in futures:
            future.result()


def frame_count(timeline: Timeline, rendition: Rendition) -> int:
    """Return the number of frames of the programme in ``rendition``."""
    return max(1, round(timeline.duration * rendition.frame_rate))


def output_format(brief: VideoBrief, script: Script, rendition: Rendition) -> VideoFormat:
    """Return the format of the mp4 of ``rendition``."""
    return VideoFormat(*frame_size(rendition), rendition.frame_rate, audio.SAMPLE_RATE, script.title, brief.language)


def _render_one(brief, script, timeline, rendition, folder: Path, narration: np.ndarray, progress, kit: Kit) -> None:
    renderer = SceneRenderer(brief, script, rendition, folder)
    cues = captions.cues(script, timeline, *renderer.plan.caption_lines)
    video_format, frames = output_format(brief, script, rendition), frame_count(timeline, rendition)
    changes = storyboard(script, timeline, cues, rendition.frame_rate, motion_settings(brief, renderer), narration)
    keys = SegmentKeys(brief, script, rendition, renderer.look, cues, video_format, folder)
    _write_poster(folder / f"poster-{rendition.name}.jpg", renderer)
    segments = _SegmentEncoder(_ShotRenderer(renderer, cues), keys, video_format, kit)
    parts, path = chapters.chapters(script, timeline), folder / f"{rendition.name}.mp4"
    with mp4.open_for_writing(path, video_format, chapters=parts, end=timeline.duration) as writer:
        encoded = segments.encode(list(split_segments(changes, frames)), frames, progress)
        packets = encoding.packets(writer.video, encoded, frames, video_format)
        writer.mux(packets, audio.attenuate(narration, rendition.loudness))
    save(renderer.lettering(segments.texts), folder / f"lettering-{rendition.name}.json")
    key_pictures.write(folder / key_pictures.file_name(rendition.name), _last_pictures(renderer))
    progress(1.0)


def motion_settings(brief: VideoBrief, renderer: SceneRenderer) -> Motion:
    """Return what moves in the pictures of ``brief``; an uploaded portrait does not."""
    face = brief.avatar.moving and not renderer.shows_upload
    return Motion(renderer.look.transition_seconds, words=brief.caption_style != "plain", face=face)


def _last_pictures(renderer: SceneRenderer) -> Iterator[np.ndarray]:
    """Yield each scene's picture as it is when its last word is spoken, for the gates."""
    for number, scene in enumerate(renderer.script.scenes):
        yield renderer.picture(number, len(slide.stages(scene)) - 1)


def _write_poster(path: Path, renderer: SceneRenderer) -> None:
    with atomic_file.replacing(path) as partial:
        Image.fromarray(renderer.picture(0)).save(partial, "JPEG", quality=_POSTER_QUALITY, optimize=True)


class _SegmentEncoder:
    """Encodes segments, or takes them from the cache."""

    def __init__(self, shots: "_ShotRenderer", keys: SegmentKeys, video_format: VideoFormat, kit: Kit):
        self._shots, self._keys, self._format, self._cache = shots, keys, video_format, kit.cache
        self.texts: dict[DrawnText, None] = {}  # the texts on all segments so far: an ordered set

    def encode(self, segments: list[VideoSegment], frames: int, progress) -> Iterator[tuple[int, bytes]]:
        """Yield the frame number and the packet of every change in the programme, in order."""
        for segment in segments:
            encoded = self._find_or_encode(segment, lambda frame: progress(frame / frames))
            self.texts.update(dict.fromkeys(encoded.texts))
            yield from ((segment.first + frame, packet) for frame, packet in encoded.packets)
            progress(segment.end / frames)

    def _find_or_encode(self, segment: VideoSegment, progress) -> EncodedSegment:
        key = self._keys.key_of(segment)
        cached = self._cache.find(key)
        if cached is not None:
            return EncodedSegment.from_bytes(cached)
        encoded = self._encode_one(segment, progress)
        self._cache.keep(key, encoded.to_bytes())
        return encoded

    def _encode_one(self, segment: VideoSegment, progress) -> EncodedSegment:
        packets = tuple(
            (frame - segment.first, packet)
            for frame, packet in encoding.encode(self._shots.shots(segment.changes, progress), segment.end, self._format)
        )
        return EncodedSegment(packets, self._shots.drain_texts())


class _ShotRenderer:
    """Turns frame changes into shots, and draws and converts only the parts of a picture that have changed."""

    def __init__(self, renderer: SceneRenderer, cues):
        self._renderer, self._cues = renderer, cues
        self._ground: tuple[tuple[int, int], _ConvertedTile] | None = None  # (scene, stage), and its picture without tiles
        self._caption: tuple[tuple[int, int | None], _ConvertedTile] | None = None  # (cue, word), and its tile
        self._faces: dict[Face, _ConvertedTile] = {}
        self._fading: tuple[tuple[State, State], Picture, Picture] | None = None
        self._texts: dict[DrawnText, None] = {}  # an ordered set

    def shots(self, changes: tuple[FrameChange, ...], progress) -> Iterator[Shot]:
        """Yield the shots of one segment, which the first one opens."""
        for change in changes:
            shown = self._fade(change.shown) if isinstance(change.shown, Fade) else self._picture(change.shown)
            yield Shot(change.frame, shown, change is changes[0])
            progress(change.frame)

    def drain_texts(self) -> tuple[DrawnText, ...]:
        """Return and clear the texts shown since the last call."""
        texts, self._texts = tuple(self._texts), {}
        return texts

    def _picture(self, state: State) -> Picture:
        picture = self._scene(state.scene, state.stage).copy()
        if state.face not in self._faces:
            self._faces[state.face] = self._convert(self._renderer.presenter(state.face))
        tiles = [self._faces[state.face]]
        if state.cue is not None:
            tiles.append(self._tile(state.cue, state.word))
        for tile in tiles:
            picture.paste(tile.picture, tile.left, tile.top)
            self._texts.update(tile.texts)
        return picture

    def _fade(self, fade: Fade) -> Picture:
        ends = (fade.before, fade.after)
        if self._fading is None or self._fading[0] != ends:
            self._fading = (ends, self._picture(fade.before), self._picture(fade.after))
        _, before, after = self._fading
        if self._renderer.look.transition == "wipe":
            return before.wipe(after, fade.share, self._renderer.right_to_left)
        return before.blend(after, fade.share)

    def _scene(self, scene: int, stage: int) -> Picture:
        if self._ground is None or self._ground[0] != (scene, stage):
            self._ground = ((scene, stage), self._convert(Tile(0, 0, self._renderer.picture(scene, stage))))
        self._texts.update(self._ground[1].texts)
        return self._ground[1].picture

    def _tile(self, cue: int, word: int | None) -> "_ConvertedTile":
        if self._caption is None or self._caption[0] != (cue, word):
            self._caption = ((cue, word), self._convert(self._renderer.caption(self._cues[cue], word)))
        return self._caption[1]

    def _convert(self, tile: Tile) -> "_ConvertedTile":
        """Convert a newly drawn tile to the encoder's format."""
        texts = dict.fromkeys(self._renderer.drain_texts())
        return _ConvertedTile(Picture.from_rgb(tile.pixels), tile.left, tile.top, texts)


@dataclass(frozen=True)
class _ConvertedTile:
    """A converted tile and the texts on it."""

    picture: Picture
    left: int
    top: int
    texts: dict[DrawnText, None]


class _SharedProgress:
    """Combines the progress of several threads into one."""

    def __init__(self, progress, count: int):
        self._progress, self._lock = progress, threading.Lock()
        self._fractions = [0.0] * max(1, count)

    def part(self, index: int) -> Callable[[float], None]:
        """Return the progress function of one part."""

        def report(fraction: float) -> None:
            with self._lock:
                self._fractions[index] = fraction
                self._progress(sum(self._fractions) / len(self._fractions))

        return report
