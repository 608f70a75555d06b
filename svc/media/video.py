"""Rendering the programme: one mp4 and one poster for each shape that the brief asks for."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from svc.media import captions, encoding, files, mp4, sound
from svc.media.composition import size_of
from svc.media.encoding import Format, Shot
from svc.media.looks import Look
from svc.media.pictures import Studio, Tile
from svc.media.programme import Brief, Rendition, Script, Timeline, load, save
from svc.media.storyboard import Fade, Moment, Motion, State, storyboard
from svc.media.yuv import Picture

_AT_ONCE = 2  # shapes that are rendered at the same time
_POSTER_QUALITY = 88


def render(brief: Brief, folder: Path, progress) -> None:
    """Make ``{rendition}.mp4`` and ``poster-{rendition}.jpg`` from ``script.json``, ``timeline.json`` and ``narration.wav``."""
    script, timeline = load(Script, folder / "script.json"), load(Timeline, folder / "timeline.json")
    narration = mp4.read_wav(folder / "narration.wav")
    share = _Shares(progress, len(brief.renditions))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        rendered = [
            pool.submit(_render_one, brief, script, timeline, rendition, folder, narration, share.of(number))
            for number, rendition in enumerate(brief.renditions)
        ]
        for each in rendered:
            each.result()


def frames_of(timeline: Timeline, rendition: Rendition) -> int:
    """How many frames the programme has in ``rendition``."""
    return max(1, round(timeline.duration * rendition.frame_rate))


def format_of(brief: Brief, script: Script, rendition: Rendition) -> Format:
    """What the mp4 of ``rendition`` is like."""
    return Format(*size_of(rendition), rendition.frame_rate, sound.SAMPLE_RATE, script.title, brief.language)


def _render_one(brief, script, timeline, rendition, folder: Path, narration: np.ndarray, progress) -> None:
    studio = Studio(brief, script, rendition)
    cues = captions.cues(script, timeline, *studio.plan.caption_lines)
    moments = storyboard(script, timeline, cues, rendition.frame_rate, motion_of(brief, studio.look))
    _write_poster(folder / f"poster-{rendition.name}.jpg", studio)
    shots = _Camera(studio, cues).shots(moments, progress)
    made_as = format_of(brief, script, rendition)
    with mp4.writing(folder / f"{rendition.name}.mp4", made_as) as film:
        film.mux(encoding.packets(film.video, shots, frames_of(timeline, rendition), made_as), narration)
    save(studio.lettering(), folder / f"lettering-{rendition.name}.json")
    progress(1.0)


def motion_of(brief: Brief, look: Look) -> Motion:
    """What moves in the pictures of ``brief``."""
    return Motion(look.transition_seconds, words=brief.caption_style != "plain")


def _write_poster(path: Path, studio: Studio) -> None:
    with files.whole(path) as partial:
        Image.fromarray(studio.picture(0)).save(partial, "JPEG", quality=_POSTER_QUALITY, optimize=True)


class _Camera:
    """Turns moments into shots, drawing and converting no more of a picture than has changed."""

    def __init__(self, studio: Studio, cues):
        self._studio = studio
        self._ground: tuple[tuple[int, int], Picture] | None = None  # (scene, stage), and its picture without tiles
        self._mouths = lru_cache(maxsize=None)(lambda mouth: _converted(studio.presenter(mouth)))
        self._caption = lru_cache(maxsize=1)(lambda cue, word: _converted(studio.caption(cues[cue], word)))
        self._fading: tuple[tuple[State, State], Picture, Picture] | None = None

    def shots(self, moments: list[Moment], progress) -> Iterator[Shot]:
        for number, moment in enumerate(moments):
            shown = self._fade(moment.shown) if isinstance(moment.shown, Fade) else self._look(moment.shown)
            yield Shot(moment.frame, shown, moment.opens)
            progress(number / len(moments))

    def _look(self, look: State) -> Picture:
        picture = self._scene(look.scene, look.stage).copy()
        tiles = [self._mouths(look.mouth)]
        if look.cue is not None:
            tiles.append(self._caption(look.cue, look.word))
        for converted, tile in tiles:
            picture.paste(converted, tile.left, tile.top)
        return picture

    def _fade(self, fade: Fade) -> Picture:
        ends = (fade.before, fade.after)
        if self._fading is None or self._fading[0] != ends:
            self._fading = (ends, self._look(fade.before), self._look(fade.after))
        _, before, after = self._fading
        if self._studio.look.transition == "wipe":
            return before.wiped(after, fade.share, self._studio.right_to_left)
        return before.blended(after, fade.share)

    def _scene(self, scene: int, stage: int) -> Picture:
        if self._ground is None or self._ground[0] != (scene, stage):
            self._ground = ((scene, stage), Picture.of(self._studio.picture(scene, stage)))
        return self._ground[1]


def _converted(tile: Tile) -> tuple[Picture, Tile]:
    return Picture.of(tile.pixels), tile


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
