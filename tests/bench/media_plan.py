"""For tests/bench/media.py: our programme as pictures with times, which moviepy makes a film from.

Either parts, from which it composes each frame (the presenter is still, and nothing enters or
drifts), or finished pictures.
"""

import json
from pathlib import Path

import av
import numpy as np
from PIL import Image

from svc.media import model as programme
from svc.media.captions import captions
from svc.media.video.render import count_frames
from svc.media.video.scene import SceneRenderer
from svc.media.video.storyboard import Fade, FrameChange, Motion, State, plan_changes


def write(folder: Path) -> Path:
    """Draw every picture of the programme in ``folder``; the plan says when each is shown."""
    brief = programme.load(programme.VideoBrief, folder / "brief.json")
    script = programme.load(programme.Script, folder / "script.json")
    timeline = programme.load(programme.Timeline, folder / "timeline.json")
    rendition = brief.renditions[0]
    studio = SceneRenderer(brief, script, rendition, folder)
    cues = captions.split_cues(script, timeline, *studio.plan.caption_lines)
    drawing = _Drawing(studio, cues, folder / "drawn", rendition.frame_rate)
    for moment in plan_changes(script, timeline, cues, rendition.frame_rate, Motion(face=False)):
        drawing.show(moment)
    seconds = count_frames(timeline, rendition) / rendition.frame_rate
    plan = {
        "clips": drawing.clips(seconds),
        "size": (rendition.width, rendition.height),
        "duration": seconds,
        "rate": rendition.frame_rate,
        "sound": str(folder / "narration.wav"),
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    return folder / "plan.json"


def bake(folder: Path, film: str) -> Path:
    """Write every finished picture of ``film`` that differs from the one before,
    and a plan of how long each is shown.
    """
    files, firsts, last, number = [], [], None, 0
    (folder / "baked").mkdir(exist_ok=True)
    with av.open(str(folder / film)) as container:
        rate = container.streams.video[0].average_rate
        for number, frame in enumerate(container.decode(video=0)):
            pixels = frame.to_ndarray()
            if last is None or not np.array_equal(pixels, last):
                files.append(str(folder / "baked" / f"{number}.png"))
                frame.to_image().save(files[-1], compress_level=1)
                firsts.append(number)
            last = pixels
    ends = [*firsts[1:], number + 1]
    plan = {
        "files": files,
        "durations": [float((end - first) / rate) for first, end in zip(firsts, ends, strict=True)],
        "duration": float((number + 1) / rate),
        "rate": float(rate),
        "sound": str(folder / "narration.wav"),
    }
    (folder / "baked.json").write_text(json.dumps(plan))
    return folder / "baked.json"


class _Drawing:
    """Turns moments into clips: one for each state of a scene,
    one for each state of its captions.
    """

    def __init__(self, studio: SceneRenderer, cues, folder: Path, rate: int):
        self._studio, self._cues, self._folder, self._rate = studio, cues, folder, rate
        self._scenes: list[dict] = []
        self._captions: list[dict] = []
        self._fading: int | None = None  # the frame at which the change to the next scene began
        folder.mkdir(exist_ok=True)

    def show(self, moment: FrameChange) -> None:
        if isinstance(moment.shown, Fade):
            self._fading = self._fading or moment.frame
            return
        self._scene(moment.shown, moment.frame)
        self._caption(moment.shown, moment.frame)
        self._fading = None

    def clips(self, seconds: float) -> list[dict]:
        """Captions on top of the scenes; whatever is still shown ends with the programme."""
        found = self._scenes + self._captions
        return [{**clip, "end": clip["end"] or seconds} for clip in found]

    def _scene(self, state: State, frame: int) -> None:
        name, now = f"scene-{state.scene}-{state.stage}", frame / self._rate
        if self._scenes and self._scenes[-1]["name"] == name:
            return
        if self._scenes:
            self._scenes[-1]["end"] = now
        began = frame if self._fading is None else self._fading
        pixels = self._studio.picture(state.scene, state.stage)
        self._scenes.append(
            self._clip(
                name,
                pixels,
                0,
                0,
                began,
                0.0 if began == frame else (frame - began + 1) / self._rate,
            )
        )

    def _caption(self, state: State, frame: int) -> None:
        name = f"caption-{state.cue}-{state.word}"
        if self._captions and self._captions[-1]["name"] == name:
            return
        if self._captions and self._captions[-1]["end"] is None:
            self._captions[-1]["end"] = frame / self._rate
        if state.cue is not None:
            tile = self._studio.draw_caption(self._cues[state.cue], state.word)
            self._captions.append(self._clip(name, tile.pixels, tile.left, tile.top, frame))

    def _clip(self, name: str, pixels, left: int, top: int, frame: int, fade: float = 0.0) -> dict:
        file = self._folder / f"{name}.png"
        Image.fromarray(pixels).save(file, compress_level=1)
        start = frame / self._rate
        return {
            "name": name,
            "file": str(file),
            "left": left,
            "top": top,
            "start": start,
            "end": None,
            "fade": fade,
        }
