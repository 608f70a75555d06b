"""Comparing a film's pictures, while it is decoded, with the drawn picture of each scene as its
last word ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import av
import numpy as np

from svc.media.checks import likeness
from svc.media.checks.film_timeline import SceneSpan
from svc.media.checks.likeness import Likeness
from svc.media.drawing import yuv
from svc.media.drawing.frame_layout import Box
from svc.media.video.key_pictures import KeyPicture, KeyPictures

# How many seconds after a scene's start its picture is no longer that of the scene before.
_BEGUN = 0.3
# When a picture is looked at, in seconds after the last word: an entrance may still run, or a
# transition has begun.
_LOOKS = (-0.034, 0.1, 0.25, 0.45)
_ALIKE = Likeness(0.98, 0.002)  # so good that no other moment of the scene needs a look
_SAME = Likeness(0.96, 0.003)  # of a picture that still is the one before


@dataclass(frozen=True)
class Panel:
    """The lower third: the number of a frame that shows it, and the boxes of its texts in pixels.
    Its key picture follows those of the scenes."""

    frame: int
    boxes: tuple[Box, ...]


class ScenePictures:
    """Compares one film. ``results``: the best likeness of each scene, by its index; ``stale``: the
    scenes that begin with the picture of the one before; ``panel``: the likeness of the lower
    third; ``error``: why a scene could not be compared."""

    def __init__(
        self,
        drawn: Path,
        scenes: tuple[SceneSpan, ...],
        frame_rate: float,
        ignored: tuple[Box, ...],
        panel: Panel | None = None,
        moving: Mapping[int, Box] = MappingProxyType({}),
    ):
        """``drawn``: the file of key pictures. ``ignored``: where captions and presenter are, in
        pixels. ``panel``: the lower third that is looked for. ``moving``: where clips and pictures
        move, by the scene's index; they are compared apart."""
        self.results: dict[int, Likeness] = {}
        self.stale: set[int] = set()
        self.panel: Likeness | None = None
        self.error = ""
        self.wants_panel = panel is not None
        self.panel_at = panel.frame / frame_rate if panel else None
        self._named = [panel] if panel else []
        self._count = len(scenes)
        self._ignored, self._moving, self._size = ignored, moving, (0, 0)
        self._wanted = sorted(
            (round(min(end_of_speech(scene) + late, scene.end - 0.034) * frame_rate), index)
            for index, scene in enumerate(scenes)
            for late in _LOOKS
        )
        self._begun = [
            (round((scene.start + _BEGUN) * frame_rate), index)
            for index, scene in enumerate(scenes)
            if index
        ]
        self._drawn: KeyPictures | None = None
        try:
            self._drawn = KeyPictures(drawn)
        except (OSError, ValueError) as error:
            self.error = getattr(error, "strerror", None) or str(error)

    def compare_frame(self, end: int, frame: av.VideoFrame) -> None:
        """Compare ``frame``, which is shown until the frame number ``end``,
        if it is one of those that matter.
        """
        if self._named and self._named[0].boxes and self._named[0].frame < end:
            mask = ~likeness.mask_blocks(frame.height, frame.width, self._named.pop().boxes)
            self.panel = self._measure_likeness(_make_key_picture(frame), self._count, mask)
        while self._begun and self._begun[0][0] < end:
            _, scene = self._begun.pop(0)
            before = self._compare_scene(frame, scene - 1)
            if (
                _reaches_limit(_SAME, before)
                and not self._resembles_previous(scene)
                and _is_better(before, self._compare_scene(frame, scene))
            ):
                self.stale.add(scene)
        while self._wanted and self._wanted[0][0] < end:
            _, scene = self._wanted.pop(0)
            best = self.results.get(scene)
            if not _reaches_limit(_ALIKE, best):
                compared = self._compare_scene(frame, scene)
                if compared and _is_better(compared, best):
                    self.results[scene] = compared

    def take(self, other: "ScenePictures") -> None:
        """Take what was found in a film with the same pictures."""
        self.results = other.results
        self.stale = other.stale
        self.error = other.error
        self.panel = other.panel

    def close(self) -> None:
        """Close the file of key pictures."""
        if self._drawn is not None:
            self._drawn.close()

    def _compare_scene(self, frame: av.VideoFrame, scene: int) -> Likeness | None:
        self._size = frame.height, frame.width
        return self._measure_likeness(_make_key_picture(frame), scene, self._mask_moving(scene))

    def _mask_moving(self, *scenes: int) -> np.ndarray:
        """Return what is left out where pictures of ``scenes`` are compared."""
        moving = (self._moving[scene] for scene in scenes if scene in self._moving)
        return likeness.mask_blocks(*self._size, (*self._ignored, *moving))

    def _resembles_previous(self, scene: int) -> bool:
        """Return whether the two scenes' drawn pictures hardly differ."""
        mask = self._mask_moving(scene, scene - 1)
        try:
            return self._drawn is not None and _reaches_limit(
                _SAME, self._measure_likeness(self._drawn.read(scene), scene - 1, mask)
            )
        except ValueError as error:
            self.error = str(error)
            return True

    def _measure_likeness(
        self, picture: KeyPicture, scene: int, mask: np.ndarray
    ) -> Likeness | None:
        if self._drawn is None:
            return None
        try:
            return likeness.compare_pictures(picture, self._drawn.read(scene), mask)
        except ValueError as error:
            self.error = str(error)
            return None


def _make_key_picture(frame: av.VideoFrame) -> KeyPicture:
    return KeyPicture.from_planes(*yuv.read_planes(frame))


def _reaches_limit(limit: Likeness, measured: Likeness | None) -> bool:
    return (
        measured is not None and measured.structure >= limit.structure and measured.odd <= limit.odd
    )


def _is_better(one: Likeness | None, other: Likeness | None) -> bool:
    return one is not None and (
        other is None or one.structure - one.odd > other.structure - other.odd
    )


def end_of_speech(scene: SceneSpan) -> float:
    """Return when a scene's last word ends, or when a silent scene is about to end."""
    return scene.words[-1][1] if scene.words else max(scene.runs, scene.end - 0.5)
