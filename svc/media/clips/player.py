"""The pictures of a clip, or of a camera that slowly draws back from a picture,
in one size and in a part of a film.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from av.video.reformatter import VideoReformatter
from PIL import Image

from svc.media.clips.clip import Clip
from svc.media.clips.fitting import scale_frame
from svc.media.clips.in_scenes import CAMERA_POSITIONS, PART_NAME
from svc.media.drawing import images
from svc.media.drawing.yuv import SCALES, Picture
from svc.media.errors import MediaError

_NEAR = 1.06  # how much larger than its frame a picture is at first
_WHOLE = 255  # of a mask: nothing shines through


class ClipPlayer:
    """Decodes a clip. It is fast where the numbers rise."""

    def __init__(self, file: Path, width: int, height: int):
        """``width`` and ``height``: of the pictures, in pixels, even."""
        self._clip = Clip(PART_NAME, file, "")
        self._size = (width, height)
        self._maker = VideoReformatter()
        self._decoded: Iterator[Picture] = iter(())
        self._number = -1  # of the picture that was decoded last
        self._last: Picture | None = None

    def picture(self, number: int) -> Picture:
        """Return picture ``number``, or the last one if there are fewer; do not change it.

        Raises MediaError.
        """
        if self._last is None or number < self._number:
            self._decoded, self._number, self._last = self._read_pictures(), -1, None
        while self._number < number and (following := next(self._decoded, None)) is not None:
            self._number, self._last = self._number + 1, following
        if self._last is None:
            raise MediaError("A clip has no pictures.")
        return self._last

    def _read_pictures(self) -> Iterator[Picture]:
        for frame in self._clip.decode():
            yield scale_frame(self._maker, frame, *self._size)


class Camera:
    """Draws back from a picture until all of it is seen: from where most is to be seen in it."""

    def __init__(self, file: Path, width: int, height: int):
        """``width`` and ``height``: of the pictures, in pixels, even.

        Raises MediaError if the file is not readable.
        """
        picture = images.open_image(file)
        if picture is None:
            raise MediaError("A picture cannot be read.")
        self._size, self._across = (width, height), images.find_interest(picture)
        size = tuple(round(side * _NEAR / 2) * 2 for side in self._size)
        near = picture.convert("RGB").resize((size[0], size[1]), Image.Resampling.LANCZOS)
        self._near = Picture.from_rgb(np.asarray(near))

    def picture(self, number: int) -> Picture:
        """Return the picture at step ``number`` of CAMERA_POSITIONS."""
        wide, high = self._near.width, self._near.height
        near = 1 + (_NEAR - 1) * (1 - number / CAMERA_POSITIONS)
        width, height = wide / near, high / near
        left, top = (wide - width) * self._across, (high - height) * images.FACE_HEIGHT
        parts = [
            np.asarray(
                Image.fromarray(plane).resize(
                    (self._size[0] // scale, self._size[1] // scale),
                    Image.Resampling.BICUBIC,
                    box=(left / scale, top / scale, (left + width) / scale, (top + height) / scale),
                )
            ).reshape(-1)
            for plane, scale in zip(self._near.planes(), SCALES, strict=True)
        ]
        return Picture(*self._size, np.concatenate(parts))


def open_player(file: Path, width: int, height: int) -> ClipPlayer | Camera:
    """Return what has the pictures of a clip or of a picture, in pixels (even).

    Raises MediaError if it cannot be read.
    """
    return (ClipPlayer if file.suffix == images.CLIP else Camera)(file, width, height)


class Screen:
    """Shows what moves in a part of a film's pictures."""

    def __init__(self, file: Path, left: int, top: int, mask: Image.Image):
        """``left`` and ``top``: where it is shown, in pixels, even. ``mask``: the share of it that
        is seen (mode L), of its size. Raises MediaError, as all methods do, if the file cannot be
        read."""
        self._player, self._place = open_player(file, *mask.size), (left, top)
        self._masks = [np.asarray(mask), np.asarray(mask.reduce(2)), np.asarray(mask.reduce(2))]

    def show(self, number: int, picture: Picture) -> None:
        """Draw picture ``number`` of the player on ``picture``."""
        planes = zip(
            picture.planes(),
            self._player.picture(number).planes(),
            self._masks,
            SCALES,
            strict=True,
        )
        for plane, shown, mask, scale in planes:
            left, top = (edge // scale for edge in self._place)
            part = plane[top : top + mask.shape[0], left : left + mask.shape[1]]
            edges = (mask > 0) & (mask < _WHOLE)
            share = mask[edges] / _WHOLE
            mixed = part[edges] * (1 - share) + shown[edges] * share
            np.copyto(part, shown, where=mask == _WHOLE)
            part[edges] = np.rint(mixed)
