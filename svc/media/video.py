"""Rendering the programme: one mp4 and one poster for each shape that the brief asks for."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from svc.media import captions, encoding, files, mp4, sound
from svc.media.avatar import Face
from svc.media.composition import frame_size
from svc.media.encoding import Shot, VideoFormat
from svc.media.kit import Kit
from svc.media.pictures import SceneRenderer, Tile
from svc.media.programme import DrawnText, Rendition, Script, Timeline, VideoBrief, load, save
from svc.media.storyboard import Fade, FrameChange, Motion, State, storyboard
from svc.media.takes import EncodedSegment, Segment, SegmentKeys, split_segments
from svc.media.yuv import Picture

_AT_ONCE = 2  # shapes that are rendered at the same time
_POSTER_QUALITY = 88


def render(brief: VideoBrief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Make ``{rendition}.mp4``, ``poster-{rendition}.jpg`` and ``lettering-{rendition}.json`` from ``script.json``,
    ``timeline.json`` and ``narration.wav``. Takes that were made before come from the kit's cache."""
    script, timeline = load(Script, folder / "script.json"), load(Timeline, folder / "timeline.json")
    narration = mp4.read_wav(folder / "narration.wav")
    share = _Shares(progress, len(brief.renditions))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        rendered = [
            pool.submit(_render_one, brief, script, timeline, rendition, folder, narration, share.of(number), kit)
            for number, rendition in enumerate(brief.renditions)
        ]
        for each in rendered:
            each.result()


def frame_count(timeline: Timeline, rendition: Rendition) -> int:
    """How many frames the programme has in ``rendition``."""
    return max(1, round(timeline.duration * rendition.frame_rate))


def output_format(brief: VideoBrief, script: Script, rendition: Rendition) -> VideoFormat:
    """What the mp4 of ``rendition`` is like."""
    return VideoFormat(*frame_size(rendition), rendition.frame_rate, sound.SAMPLE_RATE, script.title, brief.language)


def _render_one(brief, script, timeline, rendition, folder: Path, narration: np.ndarray, progress, kit: Kit) -> None:
    studio = SceneRenderer(brief, script, rendition, folder)
    cues = captions.cues(script, timeline, *studio.plan.caption_lines)
    made_as, frames = output_format(brief, script, rendition), frame_count(timeline, rendition)
    moments = storyboard(script, timeline, cues, rendition.frame_rate, motion_settings(brief, studio), narration)
    recipes = SegmentKeys(brief, script, rendition, studio.look, cues, made_as, folder)
    _write_poster(folder / f"poster-{rendition.name}.jpg", studio)
    crew = _Crew(_Camera(studio, cues), recipes, made_as, kit)
    with mp4.open_for_writing(folder / f"{rendition.name}.mp4", made_as) as film:
        encoded = crew.encoded(list(split_segments(moments, frames)), frames, progress)
        film.mux(encoding.packets(film.video, encoded, frames, made_as), sound.attenuate(narration, rendition.loudness))
    save(studio.lettering(crew.texts), folder / f"lettering-{rendition.name}.json")
    progress(1.0)


def motion_settings(brief: VideoBrief, studio: SceneRenderer) -> Motion:
    """What moves in the pictures of ``brief``: an uploaded portrait does not."""
    face = brief.avatar.moving and not studio.shows_upload
    return Motion(studio.look.transition_seconds, words=brief.caption_style != "plain", face=face)


def _write_poster(path: Path, studio: SceneRenderer) -> None:
    with files.atomic_write(path) as partial:
        Image.fromarray(studio.picture(0)).save(partial, "JPEG", quality=_POSTER_QUALITY, optimize=True)


class _Crew:
    """Makes takes, or finds them made."""

    def __init__(self, camera: "_Camera", recipes: SegmentKeys, made_as: VideoFormat, kit: Kit):
        self._camera, self._recipes, self._format, self._cache = camera, recipes, made_as, kit.cache
        self.texts: dict[DrawnText, None] = {}  # what is written on all takes so far: a set that keeps its order

    def encoded(self, wanted: list[Segment], frames: int, progress) -> Iterator[tuple[int, bytes]]:
        """Frame and packet of all that changes in the programme, in order."""
        for take in wanted:
            made = self._made(take, lambda frame: progress(frame / frames))
            self.texts.update(dict.fromkeys(made.texts))
            yield from ((take.first + frame, packet) for frame, packet in made.packets)
            progress(take.end / frames)

    def _made(self, take: Segment, progress) -> EncodedSegment:
        name = self._recipes.key_of(take)
        found = self._cache.find(name)
        if found is not None:
            return EncodedSegment.from_bytes(found)
        made = self._make(take, progress)
        self._cache.keep(name, made.to_bytes())
        return made

    def _make(self, take: Segment, progress) -> EncodedSegment:
        packets = tuple(
            (frame - take.first, packet)
            for frame, packet in encoding.encode(self._camera.shots(take.moments, progress), take.end, self._format)
        )
        return EncodedSegment(packets, self._camera.texts())


class _Camera:
    """Turns moments into shots, drawing and converting no more of a picture than has changed."""

    def __init__(self, studio: SceneRenderer, cues):
        self._studio, self._cues = studio, cues
        self._ground: tuple[tuple[int, int], _Drawn] | None = None  # (scene, stage), and its picture without tiles
        self._caption: tuple[tuple[int, int | None], _Drawn] | None = None  # (cue, word), and its tile
        self._faces: dict[Face, _Drawn] = {}
        self._fading: tuple[tuple[State, State], Picture, Picture] | None = None
        self._texts: dict[DrawnText, None] = {}  # a set that keeps its order

    def shots(self, moments: tuple[FrameChange, ...], progress) -> Iterator[Shot]:
        """Those of one take: the first opens it."""
        for moment in moments:
            shown = self._fade(moment.shown) if isinstance(moment.shown, Fade) else self._look(moment.shown)
            yield Shot(moment.frame, shown, moment is moments[0])
            progress(moment.frame)

    def texts(self) -> tuple[DrawnText, ...]:
        """What has been shown in writing since this was last asked."""
        texts, self._texts = tuple(self._texts), {}
        return texts

    def _look(self, state: State) -> Picture:
        picture = self._scene(state.scene, state.stage).copy()
        if state.face not in self._faces:
            self._faces[state.face] = self._drawn(self._studio.presenter(state.face))
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
            self._fading = (ends, self._look(fade.before), self._look(fade.after))
        _, before, after = self._fading
        if self._studio.look.transition == "wipe":
            return before.wipe(after, fade.share, self._studio.right_to_left)
        return before.blend(after, fade.share)

    def _scene(self, scene: int, stage: int) -> Picture:
        if self._ground is None or self._ground[0] != (scene, stage):
            self._ground = ((scene, stage), self._drawn(Tile(0, 0, self._studio.picture(scene, stage))))
        self._texts.update(self._ground[1].texts)
        return self._ground[1].picture

    def _tile(self, cue: int, word: int | None) -> "_Drawn":
        if self._caption is None or self._caption[0] != (cue, word):
            self._caption = ((cue, word), self._drawn(self._studio.caption(self._cues[cue], word)))
        return self._caption[1]

    def _drawn(self, tile: Tile) -> "_Drawn":
        """``tile``, just drawn, as the encoder takes it."""
        return _Drawn(Picture.from_rgb(tile.pixels), tile.left, tile.top, dict.fromkeys(self._studio.drain_texts()))


@dataclass(frozen=True)
class _Drawn:
    """A converted tile and what is written on it."""

    picture: Picture
    left: int
    top: int
    texts: dict[DrawnText, None]


class _Shares:
    """One progress out of several that rise in threads of their own."""

    def __init__(self, progress, count: int):
        self._progress, self._lock = progress, threading.Lock()
        self._fractions = [0.0] * max(1, count)

    def of(self, index: int) -> Callable[[float], None]:
        def rise(fraction: float) -> None:
            with self._lock:
                self._fractions[index] = fraction
                self._progress(sum(self._fractions) / len(self._fractions))

        return rise
