"""Measuring a finished mp4 by decoding all of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from svc.base.processes import heartbeat
from svc.media.audio import Samples
from svc.media.checks.frame_stats import FrameObserver, Interval, PictureStats, SoundStats
from svc.media.checks.repeats import (
    Group,
    PictureDecoder,
    Trace,
    find_copied_groups,
    find_first_shown,
)
from svc.media.drawing.frame_layout import Box

_FLOOR = -70.0  # LUFS: the meter's value for silence
_STRICT = {"err_detect": "explode"}  # fail on damaged data instead of concealing it


@dataclass(frozen=True)
class ProbeResult:
    """The measurements.

    ``error``: why decoding stopped early, or empty; the other fields count what was decoded before.
    """

    error: str = ""
    video_codec: str = ""
    audio_codec: str = ""
    sample_rate: int = 0  # Hz
    width: int = 0  # pixels
    height: int = 0
    pixel_format: str = ""
    languages: tuple[str, ...] = ()  # of picture and sound, as three letters
    frame_rate: Fraction = Fraction(0)
    frames: int = 0  # decoded
    frames_promised: int = 0  # according to the file's index
    picture_start: float = 0.0  # seconds, of the first frame
    keyframes: tuple[int, ...] = ()  # frame numbers
    changes: tuple[int, ...] = ()  # numbers of the frames at which the picture visibly changes
    caption_changes: tuple[int, ...] = ()  # of frames at which the captions' place changes
    black: tuple[Interval, ...] = ()
    sound_seconds: float = 0.0  # decoded
    sound_start: float = 0.0  # seconds, of the first sample
    silent: tuple[Interval, ...] = ()
    # The sound at ANALYSIS_RATE, which is enough to locate a voice.
    sound: Samples = field(default_factory=lambda: np.zeros(0, np.int16))
    loudness: float = _FLOOR  # LUFS, integrated (ITU-R BS.1770)
    true_peak: float = -math.inf  # dBTP
    trace: Trace | None = field(default=None, compare=False, repr=False)  # of the decoded pictures
    # The pictures that are those of another film, and were not decoded again.
    copied: tuple[Group, ...] = ()

    @property
    def picture_seconds(self) -> float:
        """The duration of the decoded picture."""
        return float(self.frames / self.frame_rate) if self.frame_rate else 0.0


def probe_film(
    path: Path,
    captions: Box | None = None,
    look: FrameObserver | None = None,
    sound: Path | None = None,
) -> ProbeResult:
    """Decode picture and sound. Errors in the file are reported in ``ProbeResult.error``, not
    raised.

    ``captions``: where the captions are, in pixels. ``look``: called with each picture and the
    number of the next one. ``sound``: a file for the sound; None: it is kept in memory.
    """
    fields: dict = {}
    try:
        with av.open(str(path), options=_STRICT) as container:
            _read_container(
                container, fields, _Decoded(container.streams.video[0], captions, look), sound
            )
    except (OSError, ValueError, IndexError) as error:  # the base classes of av's errors
        fields["error"] = _strip_path(error)
    return ProbeResult(**fields)


def probe_copy(
    path: Path, original: Callable[[], ProbeResult], sound: Path | None = None
) -> ProbeResult | None:
    """Decode the sound of a film that was made from the packets of another one, and take the
    measurements of its pictures from there.

    ``original``: called after the sound was decoded. ``sound``: as in :func:`probe_film`. None: it
    is not exactly such a copy, or anything is wrong with either.
    """
    fields: dict = {}
    try:
        with av.open(str(path), options=_STRICT) as container:
            _read_container(container, fields, _Copied(container.streams.video[0], original), sound)
    except (OSError, ValueError, IndexError):
        return None
    return ProbeResult(**fields)


def _read_container(
    container, fields: dict, pictures: "_Decoded | _Copied", sound_path: Path | None
) -> None:
    picture, sound = container.streams.video[0], container.streams.audio[0]
    fields |= {"video_codec": picture.codec_context.name, "audio_codec": sound.codec_context.name}
    fields |= {
        "sample_rate": sound.rate,
        "languages": tuple(stream.metadata.get("language", "") for stream in (picture, sound)),
    }
    fields |= {"width": picture.width, "height": picture.height, "pixel_format": picture.pix_fmt}
    fields |= {"frame_rate": picture.average_rate, "frames_promised": picture.frames}
    for stream in (picture, sound):
        stream.codec_context.options = _STRICT
    # files are measured side by side; threads within one cost half as much again
    picture.codec_context.thread_count = 1
    sound_stats, meter = SoundStats(sound.rate, sound_path), _Meter(sound.codec_context)
    try:
        for packet in container.demux(picture, sound):
            heartbeat.send_heartbeat()
            if packet.stream is picture:
                pictures.add(packet)
            else:
                for frame in packet.decode():
                    sound_stats.add(frame)
                    meter.push(frame)
    finally:
        fields |= pictures.summarise() | sound_stats.summarise()
    fields["loudness"], fields["true_peak"] = meter.result()


class _Decoded:
    """Measures the pictures of a film as they are decoded."""

    def __init__(self, stream: av.VideoStream, captions: Box | None, look: FrameObserver | None):
        self._decoder = PictureDecoder(stream)
        self._stats = PictureStats(stream.average_rate or Fraction(0), captions, look)

    def add(self, packet: av.Packet) -> None:
        for shown in self._decoder.decode(packet):
            self._stats.add(shown.number, shown.frame)

    def summarise(self) -> dict:
        """Return the fields of a ProbeResult that describe the picture."""
        fields = self._stats.summarise(self._decoder.shown)
        return fields | {"picture_start": self._decoder.start, "trace": self._decoder.trace}


class _Copied:
    """Takes the measurements of a film's pictures from the film that they were copied from."""

    def __init__(self, stream: av.VideoStream, original: Callable[[], ProbeResult]):
        self._original, self._decoder = original, PictureDecoder(stream)

    def add(self, packet: av.Packet) -> None:
        self._decoder.skim(packet)

    def summarise(self) -> dict:
        """Return the fields of a ProbeResult that describe the picture.

        Raises ValueError if it is no copy.
        """
        original, trace = self._original(), self._decoder.trace
        if original.trace is None or original.error or original.black:
            raise ValueError("the original is not whole")
        groups = find_copied_groups(trace, original.trace)
        return {
            "frames": self._decoder.shown,
            "picture_start": self._decoder.start,
            "keyframes": tuple(sorted(trace.keyframes)),
            "changes": find_first_shown(original.changes, groups),
            "caption_changes": find_first_shown(original.caption_changes, groups),
            "copied": groups,
        }


class _Meter:
    """libavfilter's ebur128 loudness meter, fed one frame at a time."""

    def __init__(self, sound):
        self._graph = av.filter.Graph()
        source = self._graph.add_abuffer(
            sample_rate=sound.sample_rate,
            format=sound.format,
            layout=sound.layout,
            time_base=Fraction(1, sound.sample_rate),
        )
        self._graph.link_nodes(
            source,
            self._graph.add("ebur128", "metadata=1:peak=true"),
            self._graph.add("abuffersink"),
        ).configure()
        self._last: dict[str, str] = {}

    def push(self, frame: av.AudioFrame) -> None:
        self._graph.push(frame)
        self._collect()

    def result(self) -> tuple[float, float]:
        """Return the loudness in LUFS and the true peak in dBTP of everything that was pushed."""
        self._graph.push(None)
        self._collect()
        peak = float(self._last.get("lavfi.r128.true_peak", 0.0))
        return float(self._last.get("lavfi.r128.I", _FLOOR)), 20 * math.log10(
            peak
        ) if peak > 0 else -math.inf

    def _collect(self) -> None:
        """Update the running values; the last, truncated frame lacks some."""
        while True:
            try:
                self._last.update(self._graph.pull().metadata)
            except (av.error.BlockingIOError, av.error.EOFError):
                return


def _strip_path(error: Exception) -> str:
    """Return the error's message without the path that av includes."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
