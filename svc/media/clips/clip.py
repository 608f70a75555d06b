"""A clip as it was written at its upload: its length, its pictures at a film's frame rate,
and its sound.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from svc.media import audio
from svc.media.errors import MediaError

FRAME_RATE = 30  # pictures a second of a stored clip
# The samples in which the sound comes and goes, so that it does not click.
_EDGE = audio.SAMPLE_RATE // 100
_SILENT = -60.0  # LUFS


@dataclass(frozen=True)
class Clip:
    """``place``: "intro", "outro" or, in a scene, "moving picture". ``file``: as
    :mod:`svc.media.clips.upload` wrote it. ``licence``: what it is used under.

    Raises MediaError, in all methods, if the file cannot be read.
    """

    place: str
    file: Path
    licence: str

    def count_pictures(self) -> int:
        """Return the number of pictures."""
        with _open_clip(self.file) as container:
            return container.streams.video[0].frames

    def find_size(self) -> tuple[int, int]:
        """Return width and height in pixels."""
        with _open_clip(self.file) as container:
            codec = container.streams.video[0].codec_context
            return codec.width, codec.height

    def read_pictures(self, frames: int, frame_rate: int) -> Iterator[av.VideoFrame]:
        """Yield the picture of each of ``frames`` frames of a film;
        the last one is repeated where the clip has fewer.
        """
        shown, number = None, 0
        for source, picture in enumerate(self.decode()):
            shown = picture
            while number < frames and number * FRAME_RATE // frame_rate <= source:
                yield picture
                number += 1
        if shown is None:
            raise MediaError(f"The {self.place} has no pictures.")
        for _ in range(number, frames):
            yield shown

    def decode(self) -> Iterator[av.VideoFrame]:
        """Yield the pictures, FRAME_RATE a second."""
        with _open_clip(self.file) as container:
            container.streams.video[0].codec_context.thread_count = 1  # films are made side by side
            yield from container.decode(video=0)

    def read_sound(self, count: int) -> np.ndarray:
        """Return ``count`` samples (mono, int16, at audio.SAMPLE_RATE) at audio.TARGET,
        with silence where it has none.
        """
        with _open_clip(self.file) as container:
            decoded = container.decode(audio=0) if container.streams.audio else ()
            parts = [frame.to_ndarray()[0] for frame in decoded]
        sound = np.concatenate([*parts, np.zeros(0, np.float32)])[:count]
        sound = np.pad(
            np.clip(np.rint(sound * 32768), -32768, 32767).astype(np.int16), (0, count - len(sound))
        )
        if audio.measure(sound).integrated <= _SILENT:
            return np.zeros(count, np.int16)
        return _soften_ends(audio.normalise(sound))


def _open_clip(file: Path) -> av.container.InputContainer:
    try:
        return av.open(str(file))
    except (OSError, ValueError) as error:
        raise MediaError(f"The clip {file.name} cannot be read.") from error


def _soften_ends(sound: np.ndarray) -> np.ndarray:
    """Return the sound with short ramps at its ends."""
    ramp = np.minimum(1.0, np.minimum(np.arange(len(sound)), np.arange(len(sound))[::-1]) / _EDGE)
    return np.rint(sound * ramp).astype(np.int16)
