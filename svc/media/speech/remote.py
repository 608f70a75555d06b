"""A voice behind a speech endpoint: sends the text of each passage and decodes the audio
that it returns.
"""

import io
from collections.abc import Iterator
from typing import Protocol

import av
import numpy

from svc.base import voices
from svc.media.errors import NarrationError
from svc.media.model import Presenter
from svc.media.voice import SpokenPassage, Utterance

_NORMAL = 165  # words per minute at which a voice speaks at its own pace
_SLOWEST, _FASTEST = 0.5, 2.0
_RAW_RATE = 24_000  # Hz of the API's "pcm" format
_RAW = ("audio/pcm", "audio/l16", "application/octet-stream", "")
_MAX_SECONDS = 600  # of one passage


class SpeechModel(Protocol):
    """A speech model."""

    name: str
    voice: str  # for a presenter that names none

    def speak(self, text: str, voice: str, speed: float) -> tuple[bytes, str]:
        """Return audio in a container that FFmpeg supports, or raw 24 kHz samples,
        and its media type.
        """


class RemoteVoice:
    """A voice without word times.

    It applies the presenter's pace; pitch and stress are up to the model.
    """

    follows_pace = False  # each passage may be charged for

    def __init__(self, speech: SpeechModel):
        self._speech = speech

    def find_model(self, language: str, avatar: Presenter) -> str:
        return self._speech.name

    def identify_sound(self, language: str, avatar: Presenter) -> list:
        return [
            "endpoint",
            self._speech.name,
            _choose_speaker(avatar) or self._speech.voice,
            _compute_speed(avatar),
        ]

    def find_other_voices(self, language: str, avatar: Presenter) -> list[Presenter]:
        return []  # an endpoint does not tell which voices it has

    def utter(
        self, passages: list[SpokenPassage], language: str, avatar: Presenter
    ) -> Iterator[Utterance]:
        for passage in passages:
            content, kind = self._speech.speak(
                passage.text, _choose_speaker(avatar), _compute_speed(avatar)
            )
            samples, rate = decode(content, kind)
            yield Utterance(samples, rate, None)


def decode(content: bytes, kind: str) -> tuple[numpy.ndarray, int]:
    """Return mono int16 samples and their rate. ``kind``: the media type.

    Raises NarrationError if ``content`` is not readable audio or is too long.
    """
    if kind in _RAW and not content.startswith((b"RIFF", b"OggS", b"fLaC", b"ID3")):
        samples = numpy.frombuffer(content[: len(content) // 2 * 2], "<i2").astype(numpy.int16)
        return _join_within_limit([samples], _RAW_RATE), _RAW_RATE
    try:
        with av.open(io.BytesIO(content), mode="r") as container:
            stream = container.streams.audio[0]
            rate = stream.rate
            resampler = av.AudioResampler("s16", "mono", rate)
            frames, length = [], 0
            for frame in container.decode(stream):
                frames += [part.to_ndarray().reshape(-1) for part in resampler.resample(frame)]
                length += frame.samples
                if length > _MAX_SECONDS * rate:
                    break
            frames += [part.to_ndarray().reshape(-1) for part in resampler.resample(None)]
    except (av.error.FFmpegError, IndexError, ValueError):
        raise NarrationError("The speech endpoint's answer is not readable audio.") from None
    return _join_within_limit(frames, rate), rate


def _join_within_limit(frames: list[numpy.ndarray], rate: int) -> numpy.ndarray:
    samples = numpy.concatenate([numpy.zeros(0, numpy.int16), *frames])
    if len(samples) > _MAX_SECONDS * rate:
        raise NarrationError(
            f"The speech endpoint's answer is longer than {_MAX_SECONDS} s for one passage."
        )
    return samples


def _choose_speaker(avatar: Presenter) -> str:
    """Return the endpoint's voice that the presenter names; empty for the name of a trained voice,
    which no endpoint knows.
    """
    return "" if avatar.speaker in voices.VOICES else avatar.speaker


def _compute_speed(avatar: Presenter) -> float:
    return round(min(max(avatar.words_per_minute / _NORMAL, _SLOWEST), _FASTEST), 2)
