"""Writing an mp4 that every platform accepts: picture and AAC sound both start at zero,
without an edit list.
"""

import heapq
import wave
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np

from svc.base import atomic_file
from svc.base.processes import heartbeat
from svc.base.text.languages import find_language
from svc.media import audio
from svc.media.captions.chapters import Chapter
from svc.media.video import encoding
from svc.media.video.encoding import VideoFormat

_MP4 = {"movflags": "faststart", "use_editlist": "0", "brand": "mp42"}
_AUDIO_BITS = 192_000  # per second
# The options of the encoder: noise shaping adds up to 1 dB to the true peak.
_AAC = {"aac_coder": "fast", "aac_tns": "0", "aac_pns": "0"}
_AAC_FRAME = 1024  # samples


class Mp4Writer:
    """An mp4 being written: one video stream and one of mono sound."""

    def __init__(
        self,
        container: av.container.OutputContainer,
        video_format: VideoFormat,
        template: av.VideoStream | None,
    ):
        rate = video_format.sample_rate
        self._container, self._sample_rate = container, rate
        container.metadata["title"] = video_format.title
        self.video = (
            container.add_stream_from_template(template)
            if template
            else encoding.add_stream(container, video_format)
        )
        self._audio = container.add_stream(
            "aac", rate=rate, layout="mono", bit_rate=_AUDIO_BITS, options=_AAC
        )
        for stream in (self.video, self._audio):
            stream.metadata["language"] = find_iso_639_2(video_format.language)

    def mux(
        self, pictures: Iterable[av.Packet], sound: audio.Samples, loudness: float = audio.TARGET
    ) -> None:
        """Write the packets and ``sound`` (mono, int16, at audio.TARGET) in order of time,
        the sound at ``loudness`` (LUFS).
        """
        streams = (pictures, self._yield_sound_packets(sound, loudness))
        for packet in heapq.merge(
            *streams, key=lambda packet: (packet.dts or 0) * packet.time_base
        ):
            heartbeat.send_heartbeat()
            self._container.mux(packet)

    def _yield_sound_packets(self, sound: audio.Samples, loudness: float) -> Iterator[av.Packet]:
        """Leave out what the encoder puts before zero to prime a decoder:
        it would need an edit list.
        """
        rate = self._sample_rate
        for start in range(0, len(sound), _AAC_FRAME):
            samples = audio.attenuate(sound[start : start + _AAC_FRAME], loudness)
            frame = av.AudioFrame.from_ndarray(samples[None], format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
            yield from (packet for packet in self._audio.encode(frame) if (packet.pts or 0) >= 0)
        yield from (packet for packet in self._audio.encode(None) if (packet.pts or 0) >= 0)


@contextmanager
def open_for_writing(
    path: Path,
    video_format: VideoFormat,
    template: av.VideoStream | None = None,
    chapters: Sequence[Chapter] = (),
    end: float = 0.0,
) -> Iterator[Mp4Writer]:
    """Yield a writer for an mp4 that appears as ``path`` when it is complete and on the disk.

    ``template``: a stream whose packets will be copied; without one, the writer's video stream has
    an encoder. ``end``: of the last chapter, in seconds.
    """
    with atomic_file.replace(path) as partial:
        with av.open(str(partial), "w", format="mp4", options=_MP4) as container:
            container.set_chapters(_list_chapters(chapters, end))
            yield Mp4Writer(container, video_format, template)
        atomic_file.sync(partial)


def read_wav(path: Path) -> np.ndarray:
    """Return the samples of a mono 16-bit WAV file as int16."""
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


def _list_chapters(chapters: Sequence[Chapter], end: float) -> list:
    """Return the chapters as libavformat takes them, each until the next."""
    edges = [*(round(chapter.start * 1000) for chapter in chapters), round(end * 1000)]
    return [
        {
            "id": number,
            "start": first,
            "end": last,
            "time_base": Fraction(1, 1000),
            "metadata": {"title": chapter.title},
        }
        for number, (chapter, (first, last)) in enumerate(
            zip(chapters, pairwise(edges), strict=True)
        )
    ]


def find_iso_639_2(language: str) -> str:
    """Return the three-letter code that mp4 requires; "und" for a language that is not listed."""
    listed = find_language(language)
    return listed.iso_639_2 if listed else "und"
