"""What moves within scenes: a clip, which plays without its sound, and a picture,
from which the camera slowly draws back.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from svc.media.clips.clip import FRAME_RATE, Clip
from svc.media.drawing import images
from svc.media.drawing.frame_layout import Box
from svc.media.errors import MediaError
from svc.media.model import Scene, Script

PART_NAME = "moving picture"
CAMERA_POSITIONS = 1000  # of the camera, from the nearest to the whole picture
_EVERY = 2  # frames from one step to the next one that is shown: fewer cannot be told apart


@dataclass(frozen=True)
class Moves:
    """What moves, by the scene's index: ``clips``: how many pictures each has; ``pictures``: from
    which the camera draws back."""

    clips: dict[int, int] = field(default_factory=dict)
    pictures: frozenset[int] = frozenset()

    def find_picture(self, scene: int, frame: int, frames: int, frame_rate: int) -> int:
        """Return the number of the picture that a clip shows ``frame`` frames after its scene began
        (after its last, the first again), or the camera's step of CAMERA_POSITIONS. ``frames``: how
        many the scene has."""
        if scene in self.pictures:
            return CAMERA_POSITIONS * (frame // _EVERY * _EVERY) // max(1, frames)
        count = self.clips.get(scene, 0)
        return frame * FRAME_RATE // frame_rate % count if count else 0


@dataclass(frozen=True)
class MovingVisual:
    """The clip or picture of scene ``scene``, which moves in ``box`` (pixels, even edges).
    ``file``: its name in the production's folder."""

    scene: int
    file: str
    box: Box


@dataclass(frozen=True)
class MovingCast:
    """The ``box`` (pixels) in which the pictures of the composed scene ``scene`` move."""

    scene: int
    box: Box


@dataclass(frozen=True)
class MovingVisuals:
    """What moves within the scenes of one rendition."""

    visuals: tuple[MovingVisual, ...] = ()
    casts: tuple[MovingCast, ...] = ()


def name_record_file(rendition: str) -> str:
    """Return the name of the file with the :class:`MovingVisuals` of a rendition."""
    return f"moving-{rendition}.json"


def find_moves(script: Script, folder: Path) -> Moves:
    """Return what moves in the scenes of ``script``.

    What cannot be read is left out, and so are transparent pictures.
    """
    files = {
        number: folder / scene.sight.file
        for number, scene in enumerate(script.scenes)
        if _shows_file(scene)
    }
    pictures = (
        number for number, file in files.items() if file.suffix != images.CLIP and _is_opaque(file)
    )
    return Moves(dict(_count_pictures(files)), frozenset(pictures))


def lengthen_scenes(script: Script, folder: Path) -> Script:
    """Return ``script`` with scenes that are at least as long as their clips."""
    seconds = {
        scene: pictures / FRAME_RATE for scene, pictures in find_moves(script, folder).clips.items()
    }
    scenes = (
        replace(scene, shortest=max(scene.shortest, seconds.get(number, 0.0)))
        for number, scene in enumerate(script.scenes)
    )
    return replace(script, scenes=tuple(scenes))


def _shows_file(scene: Scene) -> bool:
    return scene.sight.kind == "image" and scene.sight.file != ""


def _count_pictures(files: dict[int, Path]) -> Iterator[tuple[int, int]]:
    for number, file in files.items():
        if file.suffix == images.CLIP:
            try:
                yield number, Clip(PART_NAME, file, "").count_pictures()
            except MediaError:
                continue


def _is_opaque(file: Path) -> bool:
    picture = images.open_image(file)
    return picture is not None and picture.getchannel("A").getextrema()[0] == 255
