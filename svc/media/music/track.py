"""An account's own track as a bed: it lasts as long as the programme,
by repetition where it is shorter.
"""

import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from svc.base import atomic_file
from svc.base.processes import heartbeat
from svc.media import audio
from svc.media.audio import Samples
from svc.media.errors import MediaError

LEVEL = -20.0  # LUFS of a stored track
_CROSSFADE = 3.0  # seconds in which the end of the track gives way to its beginning
_FADE_OUT = 4.0  # seconds at the end of the programme
_BLOCK = 10 * audio.SAMPLE_RATE


@dataclass(frozen=True)
class Track:
    """``file``: as :mod:`svc.media.music.track_upload` wrote it.

    ``licence``: what it is used under.
    """

    file: Path
    licence: str
    level: float = LEVEL


def track_blocks(track: Track, seconds: float) -> Iterator[np.ndarray]:
    """Yield the bed (float32, full scale 1, at audio.SAMPLE_RATE) in parts; together ``seconds`` of
    samples.

    Raises MediaError if the track cannot be read.
    """
    samples, total = _load_samples(track.file), round(seconds * audio.SAMPLE_RATE)
    fade_out = max(1, min(round(_FADE_OUT * audio.SAMPLE_RATE), total // 4))
    for first in range(0, total, _BLOCK):
        count = min(_BLOCK, total - first)
        part = (
            samples[first : first + count] / np.float32(32768)
            if total <= len(samples)
            else _repeat_bed(samples, first, count)
        )
        yield part * _compute_rise((total - first - np.arange(count)) / fade_out)


def _repeat_bed(samples: Samples, first: int, count: int) -> np.ndarray:
    """Return ``count`` samples from the place ``first`` of a bed in which each repetition fades
    into the next one.
    """
    fade = min(round(_CROSSFADE * audio.SAMPLE_RATE), len(samples) // 3)
    period, sound = len(samples) - fade, np.zeros(count, np.float32)
    for number in range(max(0, (first - len(samples)) // period), (first + count) // period + 1):
        start = number * period
        begins, ends = max(first, start), min(first + count, start + len(samples))
        if begins < ends:
            places = np.arange(begins - start, ends - start)
            gain = _compute_rise((len(samples) - places) / fade) * (
                _compute_rise(places / fade) if number else 1
            )
            sound[begins - first : ends - first] += (
                samples[places[0] : places[-1] + 1] / np.float32(32768) * gain
            )
    return sound


def _compute_rise(shares: np.ndarray) -> np.ndarray:
    """Return a gain for each share of a fade; those of a fade and of its reverse have
    a constant power.
    """
    return np.sin(np.pi / 2 * np.clip(shares, 0, 1)).astype(np.float32)


def _load_samples(file: Path) -> Samples:
    """Return the samples of a track (int16), which are read from a file beside it as far as
    they are used.
    """
    path = file.with_suffix(".wav")
    if not path.exists():
        try:
            with atomic_file.replace(path) as partial, wave.open(str(partial), "wb") as target:
                target.setparams((1, 2, audio.SAMPLE_RATE, 0, "NONE", ""))
                for part in _decode_parts(file):
                    target.writeframesraw(part.tobytes())
        except (OSError, ValueError, IndexError) as error:  # the base classes of av's errors
            raise MediaError(
                "The account's own music track cannot be read. Upload it again."
            ) from error
    return audio.open_stored(path)


def _decode_parts(file: Path) -> Iterator[np.ndarray]:
    resampler = av.AudioResampler("s16", "mono", audio.SAMPLE_RATE)
    with av.open(str(file)) as container:
        for frame in container.decode(audio=0):
            heartbeat.send_heartbeat()
            yield from (each.to_ndarray().reshape(-1) for each in resampler.resample(frame))
        yield from (each.to_ndarray().reshape(-1) for each in resampler.resample(None))
