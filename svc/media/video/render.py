"""Rendering the programme: one mp4 and one poster for each rendition of the brief."""

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from svc.base import atomic_file
from svc.media import audio, deliverables
from svc.media.audio import Samples
from svc.media.captions import captions, chapters
from svc.media.clips import clip_choice, in_scenes
from svc.media.clips.in_scenes import MovingCast, MovingVisual, MovingVisuals
from svc.media.drawing.canvas import SAID
from svc.media.drawing.frame_layout import find_frame_size
from svc.media.model import DrawnText, Rendition, Script, Timeline, VideoBrief, load, save
from svc.media.music import effects as sound_effects
from svc.media.music import mixing
from svc.media.music.effects import Effect
from svc.media.pictures.shown import script_as_shown
from svc.media.resources import Resources
from svc.media.video import (
    clip_packets,
    encoding,
    entrance_sounds,
    key_pictures,
    lower_third,
    mp4,
    thumbnail,
)
from svc.media.video.ahead import prefetch
from svc.media.video.encoding import VideoFormat
from svc.media.video.scene import SceneRenderer
from svc.media.video.segments import EncodedSegment, SegmentKeys, VideoSegment, split_segments
from svc.media.video.shots import ShotRenderer
from svc.media.video.storyboard import FrameChange, Motion, plan_changes

_PARALLEL = 2  # renditions rendered at the same time
_POSTER_QUALITY = 88


def render(brief: VideoBrief, folder: Path, progress, resources: Resources = Resources()) -> None:
    """Write ``{rendition}.mp4``, ``poster-{rendition}.jpg``, its thumbnail,
    ``lettering-{rendition}.json`` and the key pictures from ``script.json``, ``timeline.json`` and
    ``narration.wav``. Segments that were rendered before come from the cache."""
    script, timeline = (
        load(Script, folder / "script.json"),
        load(Timeline, folder / "timeline.json"),
    )
    narration = audio.open_stored(folder / "narration.wav")
    bed, first = (
        mixing.store_choice(brief, folder),
        _Plan(brief, script, timeline, brief.renditions[0], folder),
    )
    effects = sound_effects.store_effects(
        first.effects() if bed and resources.effects and mixing.wants_effects(brief) else (), folder
    )
    sound = mixing.mix_music(
        bed, narration, folder / mixing.PROGRAMME, *count_clip_samples(timeline), effects=effects
    )
    # reads the index of the language's pictures once, which each thread would read anew
    script_as_shown(brief, script)
    shared = _SharedProgress(progress, len(brief.renditions))
    with ThreadPoolExecutor(_PARALLEL) as pool:
        futures = [
            pool.submit(
                _render_rendition,
                brief,
                script,
                timeline,
                rendition,
                folder,
                (narration, sound),
                shared.part(number),
                resources,
                None if number else first,
            )
            for number, rendition in enumerate(brief.renditions)
        ]
        for future in futures:
            future.result()


def count_clip_samples(timeline: Timeline) -> tuple[int, int]:
    """Return the lengths of intro and outro in samples."""
    return round(timeline.intro * audio.SAMPLE_RATE), round(timeline.outro * audio.SAMPLE_RATE)


def count_frames(timeline: Timeline, rendition: Rendition) -> int:
    """Return the number of frames of the programme in ``rendition``."""
    return max(1, round(timeline.duration * rendition.frame_rate))


def choose_format(brief: VideoBrief, script: Script, rendition: Rendition) -> VideoFormat:
    """Return the format of the mp4 of ``rendition``."""
    return VideoFormat(
        *find_frame_size(rendition),
        rendition.frame_rate,
        audio.SAMPLE_RATE,
        script.title,
        brief.language,
    )


class _Plan:
    """What one rendition shows, and when."""

    def __init__(
        self,
        brief: VideoBrief,
        script: Script,
        timeline: Timeline,
        rendition: Rendition,
        folder: Path,
    ):
        self.renderer = SceneRenderer(brief, script, rendition, folder)
        self.cues = captions.split_burned_cues(
            brief,
            script,
            timeline,
            self.renderer.plan.caption_lines,
            self.renderer.list_words_in_type(),
            self.renderer.list_cuts(),
        )
        self.motion = choose_motion(brief, self.renderer)
        self._timeline, self._frame_rate, self._moves = (
            timeline,
            rendition.frame_rate,
            in_scenes.find_moves(script, folder),
        )

    def changes(self, motion: Motion, narration: Samples | None = None) -> Iterator[FrameChange]:
        """Return the storyboard. ``motion``: :attr:`motion`, or a part of it."""
        renderer = self.renderer
        return plan_changes(
            renderer.script,
            self._timeline,
            self.cues,
            self._frame_rate,
            motion,
            narration,
            self._moves,
            renderer.list_casts(),
        )

    def effects(self) -> tuple[Effect, ...]:
        """Return the sound effects of all that enters in the storyboard,
        which is read without what never enters.
        """
        changes = self.changes(replace(self.motion, words=False, face=False, drift=False))
        return entrance_sounds.list_effects(
            changes, self.renderer.script, self._frame_rate, self.renderer.list_casts()
        )


def _render_rendition(
    brief,
    script,
    timeline,
    rendition,
    folder: Path,
    sounds: tuple[Samples, Samples],
    progress,
    resources: Resources,
    plan: _Plan | None = None,
) -> None:
    """Write the film of one rendition, its poster and thumbnail, and what the gates read of it.

    ``sounds``: the narration, and the narration with its music. ``plan``: None, if it is not made
    yet.
    """
    narration, sound = sounds
    plan = plan or _Plan(brief, script, timeline, rendition, folder)
    renderer = plan.renderer
    video_format = choose_format(brief, script, rendition)
    changes = plan.changes(plan.motion, narration)
    keys = SegmentKeys(brief, renderer, rendition, plan.cues, video_format, folder)
    poster = renderer.draw_poster()
    _write_poster(folder / f"poster-{rendition.name}.jpg", poster)
    thumbnail.write_thumbnail(folder / deliverables.name_thumbnail_file(rendition), poster)
    spare_core = (os.cpu_count() or 1) > min(_PARALLEL, len(brief.renditions))
    segments = _SegmentEncoder(
        ShotRenderer(renderer, plan.cues), keys, video_format, resources, spare_core
    )
    _write_film(script, timeline, rendition, folder, sound, changes, segments, progress)
    save(renderer.record_lettering(segments.texts), folder / f"lettering-{rendition.name}.json")
    named = (
        lower_third.find_shown_window(timeline, rendition.frame_rate)
        if plan.motion.lower_third
        else None
    )
    key_pictures.write(
        folder / key_pictures.name_file(rendition.name), _draw_key_pictures(renderer, named)
    )
    save(_find_moving(renderer), folder / in_scenes.name_record_file(rendition.name))
    progress(1.0)


def _write_film(
    script: Script,
    timeline: Timeline,
    rendition: Rendition,
    folder: Path,
    sound: Samples,
    changes: Iterator[FrameChange],
    segments: "_SegmentEncoder",
    progress,
) -> None:
    """Write the mp4: the intro, the encoded scenes, the outro, and the sound beside them."""
    video_format, resources = segments.video_format, segments.resources
    parts, path = chapters.list_chapters(script, timeline), folder / f"{rendition.name}.mp4"
    frames = count_frames(timeline, rendition)
    with mp4.open_for_writing(path, video_format, chapters=parts, end=timeline.duration) as writer:
        opens, closes = (
            round(seconds * rendition.frame_rate) for seconds in (timeline.intro, timeline.closes)
        )
        intro, outro = clip_choice.read_choice(folder)
        encoded = itertools.chain(
            clip_packets.copy_packets(intro, 0, opens, video_format, resources) if intro else (),
            segments.encode(split_segments(changes, closes), frames, progress),
            clip_packets.copy_packets(outro, closes, frames - closes, video_format, resources)
            if outro
            else (),
        )
        packets = encoding.make_packets(writer.video, encoded, frames, video_format)
        writer.mux(packets, sound, rendition.loudness)


def _find_moving(renderer: SceneRenderer) -> MovingVisuals:
    """Return where something moves within the scenes, after all of them have been drawn."""
    visuals = tuple(
        MovingVisual(scene, part.file, part.box) for scene, part in sorted(renderer.moving.items())
    )
    casts = renderer.list_casts()
    reaches = [MovingCast(scene, casts.find_reach(scene)) for scene in sorted(casts.by_scene)]
    for scene in range(len(renderer.script.scenes)):
        if host := renderer.find_standing_host(scene):
            reaches.append(MovingCast(scene, host.square))
    return MovingVisuals(visuals, tuple(reaches))


def choose_motion(brief: VideoBrief, renderer: SceneRenderer) -> Motion:
    """Return what moves in the pictures of ``brief``; an uploaded portrait does not."""
    face = brief.avatar.moving and renderer.shows_figure and not renderer.shows_upload
    named = brief.brand.lower_third and renderer.shows_figure
    return Motion(
        renderer.look.transition_seconds,
        words=brief.caption_style != "plain",
        face=face,
        lower_third=named,
        is_composed=renderer.is_composed,
        hosted=renderer.list_hosted_scenes(),
    )


def _draw_key_pictures(
    renderer: SceneRenderer, named: lower_third.Window | None
) -> Iterator[np.ndarray]:
    """Yield each scene's picture as it is when its last word is spoken, for the gates, and one with
    the lower third, if there is one."""
    for number in range(len(renderer.script.scenes)):
        yield _draw_last_picture(renderer, number)
    if named:
        picture, panel = (
            _draw_last_picture(renderer, named.scene).copy(),
            renderer.draw_lower_third(),
        )
        height, width = panel.pixels.shape[:2]
        picture[panel.top : panel.top + height, panel.left : panel.left + width] = panel.pixels
        yield picture


def _draw_last_picture(renderer: SceneRenderer, number: int) -> np.ndarray:
    """Return a scene's picture at its end; the last word that has entered in large type
    still stands out.
    """
    stage = len(renderer.list_stages(number)) - 1
    picture, entering = renderer.picture(number, stage), renderer.list_entering_words(number, stage)
    if not entering or not renderer.marks_words:
        return picture
    picture, marked = picture.copy(), renderer.picture(number, stage, entered=SAID)
    last = max(each.word for each in entering)
    for left, top, right, bottom in (each.box for each in entering if each.word == last):
        part = slice(max(0, top), bottom), slice(max(0, left), right)
        picture[part] = marked[part]
    return picture


def _write_poster(path: Path, poster: np.ndarray) -> None:
    with atomic_file.replace(path) as partial:
        Image.fromarray(poster).save(partial, "JPEG", quality=_POSTER_QUALITY, optimize=True)


class _SegmentEncoder:
    """Encodes segments, or takes them from the cache."""

    def __init__(
        self,
        shots: ShotRenderer,
        keys: SegmentKeys,
        video_format: VideoFormat,
        resources: Resources,
        spare_core: bool = False,
    ):
        """``spare_core``: there is a core for drawing while this one encodes."""
        self._shots, self._keys = shots, keys
        self.video_format, self.resources = video_format, resources
        self._spare_core = spare_core
        self.texts: dict[DrawnText, None] = {}  # the texts on all segments so far: an ordered set

    def encode(
        self, segments: Iterable[VideoSegment], frames: int, progress
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the frame number and the packet of every change in the programme, in order."""
        for segment in segments:
            encoded = self._find_or_encode(segment, lambda frame: progress(frame / frames))
            self.texts.update(dict.fromkeys(encoded.texts))
            yield from ((segment.first + frame, packet) for frame, packet in encoded.packets)
            progress(segment.end / frames)

    def _find_or_encode(self, segment: VideoSegment, progress) -> EncodedSegment:
        key = self._keys.compute_key(segment)
        cached = self.resources.cache.find(key)
        if cached is not None:
            return EncodedSegment.from_bytes(cached)
        encoded = self._encode_one(segment, progress)
        self.resources.cache.keep(key, encoded.to_bytes())
        return encoded

    def _encode_one(self, segment: VideoSegment, progress) -> EncodedSegment:
        shots = self._shots.render_shots(segment.changes, progress)
        if self._spare_core:
            shots = prefetch(shots)
        packets = tuple(
            (frame - segment.first, packet)
            for frame, packet in encoding.encode(shots, segment.end, self.video_format)
        )
        return EncodedSegment(packets, self._shots.drain_texts())


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
