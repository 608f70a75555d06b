"""Clips as operators upload them: a bar that wanders over a gradient, with a jingle."""

from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import av
import numpy as np

RATE = 48_000
# With B-frames, as those of slower presets.
FAST = {"libx264": {"preset": "veryfast"}, "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8"}}


def picture(number: int, count: int, width: int, height: int) -> np.ndarray:
    """A gradient with lines and a bright bar that wanders from left to right."""
    rgb = _gradient(width, height).copy()
    left = round((width - width // 8) * number / max(1, count - 1))
    rgb[height // 4 : 3 * height // 4, left : left + width // 8] = (250, 210, 60)
    return rgb


@lru_cache(maxsize=2)
def _gradient(width: int, height: int) -> np.ndarray:
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    rgb = np.stack([60 + 120 * across, 40 + 100 * down, 180 - 100 * across], axis=-1)
    rgb[(np.arange(height) // max(2, height // 12)) % 2 == 0] *= 0.7
    return rgb.astype(np.uint8)


def jingle(seconds: float, loud: float = 0.2) -> np.ndarray:
    """Four notes a second, with a bell's decay and a little noise."""
    at = np.arange(round(seconds * RATE)) / RATE
    notes = np.sin(2 * np.pi * 330 * 2 ** (np.floor(at * 4) % 8 / 12) * at) * np.exp(
        -4 * (at * 4 % 1)
    )
    noise = np.random.default_rng(1).normal(size=len(at)) * 0.05
    return np.clip((notes + noise) * loud * 32_767, -32_768, 32_767).astype(np.int16)


def write(
    path: Path,
    seconds: float = 2.0,
    size: tuple[int, int] = (480, 270),
    rate: int = 30,
    kind: str = "mp4",
    codecs: tuple[str, str] = ("libx264", "aac"),
    drawn=picture,
    sound: np.ndarray | None = None,
) -> Path:
    """Write a clip. ``drawn``: called with the number of a picture, their count, width and height.
    ``sound``: mono, int16 at RATE; None: the jingle; empty: the file has none."""
    count, sound = round(seconds * rate), jingle(seconds) if sound is None else sound
    with av.open(str(path), "w", format=kind) as file:
        file.metadata["title"] = "a private title"
        stream = file.add_stream(codecs[0], rate=rate)
        stream.width, stream.height = size
        stream.options = FAST.get(codecs[0], {})
        stream.pix_fmt = "yuv422p10le" if codecs[0].startswith("prores") else "yuv420p"
        track = file.add_stream(codecs[1], rate=RATE, layout="stereo") if len(sound) else None
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(drawn(number, count, *size), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, rate)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
        if track is not None:
            _write_sound(file, track, sound)
    return path


def _write_sound(file, track, sound: np.ndarray) -> None:
    resampler = av.AudioResampler(
        track.format, "stereo", RATE, frame_size=1024 if track.name == "aac" else 960
    )
    sent = av.AudioFrame.from_ndarray(
        sound[None].repeat(2, 0).T.reshape(1, -1), format="s16", layout="stereo"
    )
    sent.sample_rate, sent.pts = RATE, 0
    for part in [*resampler.resample(sent), *resampler.resample(None)]:
        file.mux(track.encode(part))
    file.mux(track.encode(None))
