"""A voice that lives behind an endpoint: sends each passage's text, and hears what comes back."""

import io
from collections.abc import Iterator
from typing import Protocol

import av
import numpy

from svc.media.errors import NarrationError
from svc.media.programme import Avatar
from svc.media.voice import Passage, Utterance

_NORMAL = 165  # words a minute: an avatar's pace at which a voice speaks as it likes
_SLOWEST, _FASTEST = 0.5, 2.0
_RAW_RATE = 24_000  # Hz: what the API's "pcm" is
_RAW = ("audio/pcm", "audio/l16", "application/octet-stream", "")
_MOST_SECONDS = 600  # of one passage


class Speech(Protocol):
    """A speech model."""

    name: str
    voice: str  # where the presenter asks for none

    def speak(self, text: str, voice: str, speed: float) -> tuple[bytes, str]:
        """Sound in a container that FFmpeg knows, or bare 24 kHz samples; and its media type."""


class RemoteVoice:
    """Reports no times of words. A presenter's pace is asked for; pitch and stress are the model's own."""

    def __init__(self, speech: Speech):
        self._speech = speech

    def model(self, language: str, avatar: Avatar) -> str:
        return self._speech.name

    def identity(self, language: str, avatar: Avatar) -> list:
        return ["endpoint", self._speech.name, avatar.speaker or self._speech.voice, _speed(avatar)]

    def utter(self, passages: list[Passage], language: str, avatar: Avatar) -> Iterator[Utterance]:
        for passage in passages:
            content, kind = self._speech.speak(passage.text, avatar.speaker, _speed(avatar))
            samples, rate = decoded(content, kind)
            yield Utterance(samples, rate, None)


def decoded(content: bytes, kind: str) -> tuple[numpy.ndarray, int]:
    """Mono int16 samples and their rate. ``kind``: the media type. NarrationError: it is no sound, or one without end."""
    if kind in _RAW and not content.startswith((b"RIFF", b"OggS", b"fLaC", b"ID3")):
        samples = numpy.frombuffer(content[: len(content) // 2 * 2], "<i2").astype(numpy.int16)
        return _bounded([samples], _RAW_RATE), _RAW_RATE
    try:
        with av.open(io.BytesIO(content), mode="r") as container:
            stream = container.streams.audio[0]
            rate = stream.rate
            resampler = av.AudioResampler("s16", "mono", rate)
            frames, length = [], 0
            for frame in container.decode(stream):
                frames += [each.to_ndarray().reshape(-1) for each in resampler.resample(frame)]
                length += frame.samples
                if length > _MOST_SECONDS * rate:
                    break
            frames += [each.to_ndarray().reshape(-1) for each in resampler.resample(None)]
    except (av.error.FFmpegError, IndexError, ValueError):
        raise NarrationError("The speech endpoint's answer is no sound that can be read.") from None
    return _bounded(frames, rate), rate


def _bounded(frames: list[numpy.ndarray], rate: int) -> numpy.ndarray:
    samples = numpy.concatenate([numpy.zeros(0, numpy.int16), *frames])
    if len(samples) > _MOST_SECONDS * rate:
        raise NarrationError(f"The speech endpoint's answer is longer than {_MOST_SECONDS} s for one passage.")
    return samples


def _speed(avatar: Avatar) -> float:
    return round(min(max(avatar.words_per_minute / _NORMAL, _SLOWEST), _FASTEST), 2)
