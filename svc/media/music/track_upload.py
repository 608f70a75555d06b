"""Checking an uploaded track and writing it again: an untrusted file, of which only the sound
survives.

It runs in the confined process of uploads: decoding may take any time and memory, and may fail in
any way.
"""

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np

from svc.base import atomic_file
from svc.media import audio
from svc.media.errors import InvalidUpload
from svc.media.music.track import LEVEL

SHORTEST, LONGEST = 10, 15 * 60  # seconds
MOST_CHANNELS, SLOWEST, FASTEST = 8, 8_000, 192_000  # Hz
_FORMATS = "mp3,aac,mov,wav,flac,ogg"
_CODECS = (
    "mp3",
    "mp3float",
    "aac",
    "flac",
    "vorbis",
    "opus",
    "libopus",
    "pcm_u8",
    "pcm_s16le",
    "pcm_s24le",
    "pcm_s32le",
    "pcm_f32le",
)
_ONLY = {
    "format_whitelist": _FORMATS,
    "codec_whitelist": ",".join(_CODECS),
    "protocol_whitelist": "file",
}
_KINDS = "an MP3, AAC (M4A), WAV, FLAC or OGG file"
_BIT_RATE = 128_000
_SILENCE = 10 ** (-55 / 20)  # full scale 1: what is quieter at the ends is cut off
_WINDOW = 3 * audio.SAMPLE_RATE
_SWELL = 2.0  # dB by which the loudest seconds may be above the level
_PEAK = 0.9  # full scale 1


class InvalidTrack(InvalidUpload):
    """The file is not usable as a track; the message says why, and what to do."""


def convert_track(source: Path, target: Path) -> None:
    """Write the track ``source`` as mono AAC, evened out at the level LEVEL, without silence at its
    ends, tags and pictures.

    InvalidTrack: it is not readable, silent, too short or too long.
    """
    sound = _trim_silence(_decode_track(source))
    if len(sound) < SHORTEST * audio.SAMPLE_RATE:
        raise InvalidTrack(
            f"{len(sound) / audio.SAMPLE_RATE:.1f} seconds of the track are heard. "
            f"Choose a track of {SHORTEST} seconds to {LONGEST // 60} minutes."
        )
    with atomic_file.replace(target) as partial:
        evened = audio.level_music(sound)
        _encode_track(evened, _compute_gain(evened), partial)


def _decode_track(source: Path) -> np.ndarray:
    """Return the samples of ``source``: mono, int16, at audio.SAMPLE_RATE."""
    parts, count = [], 0
    try:
        for part in _read_parts(source):
            parts.append(part)
            count += len(part)
            if count > LONGEST * audio.SAMPLE_RATE:
                raise InvalidTrack(
                    f"The track lasts longer than {LONGEST // 60} minutes. Shorten it first."
                )
    except InvalidTrack:
        raise
    except Exception as error:  # a hostile file makes the decoder raise whatever there is
        raise InvalidTrack(f"The track is damaged. Save it again as {_KINDS}.") from error
    return np.concatenate([*parts, np.zeros(0, np.int16)])


def _read_parts(source: Path) -> Iterator[np.ndarray]:
    try:
        container = av.open(str(source), options=_ONLY)
    except (OSError, ValueError):
        raise InvalidTrack(f"This is not a readable track. Choose {_KINDS}.") from None
    with container:
        if not container.streams.audio:
            raise InvalidTrack(f"The file has no sound. Choose {_KINDS}.")
        stream = container.streams.audio[0]
        _check_stream(stream.codec_context)
        resampler = av.AudioResampler("s16", "mono", audio.SAMPLE_RATE)
        for frame in container.decode(stream):
            yield from (each.to_ndarray().reshape(-1) for each in resampler.resample(frame))
        yield from (each.to_ndarray().reshape(-1) for each in resampler.resample(None))


def _check_stream(sound) -> None:
    if sound.name not in _CODECS:
        raise InvalidTrack(f"The sound is in a format that is not taken. Save it as {_KINDS}.")
    if not (
        SLOWEST <= sound.sample_rate <= FASTEST and 1 <= sound.layout.nb_channels <= MOST_CHANNELS
    ):
        raise InvalidTrack(
            f"The track has {sound.layout.nb_channels} channels at {sound.sample_rate:,} Hz; at "
            f"most {MOST_CHANNELS} channels at {SLOWEST:,} to {FASTEST:,} Hz are taken. Save it "
            "at 48,000 Hz in stereo."
        )


def _trim_silence(sound: np.ndarray) -> np.ndarray:
    least = int(_SILENCE * 32768)
    loud = (sound > least) | (sound < -least)
    return sound[loud.argmax() : len(loud) - loud[::-1].argmax()] if loud.any() else sound[:0]


def _compute_gain(sound: np.ndarray) -> float:
    """Return the gain that brings the loudness of ``sound`` to LEVEL, less where its deep notes
    have more power than one hears, as it must stay under the speech by power too, and where its
    peaks would clip."""
    ends = range(0, max(1, len(sound) - _WINDOW), _WINDOW // 3)
    power = max(float(np.mean((sound[at : at + _WINDOW] / 32768) ** 2)) for at in ends)
    level = max(audio.measure(sound).integrated, 10 * float(np.log10(power)) - _SWELL)
    peak = max(int(sound.max()), -int(sound.min())) / 32768
    return min(10 ** ((LEVEL - level) / 20), _PEAK / peak)


def _encode_track(sound: np.ndarray, gain: float, target: Path) -> None:
    with av.open(str(target), "w", format="ipod") as container:
        stream = container.add_stream(
            "aac", rate=audio.SAMPLE_RATE, layout="mono", options={"aac_coder": "fast"}
        )
        stream.bit_rate = _BIT_RATE
        for at in range(0, len(sound), audio.SAMPLE_RATE):
            part = np.rint(sound[None, at : at + audio.SAMPLE_RATE] * gain).astype(np.int16)
            frame = av.AudioFrame.from_ndarray(part, format="s16", layout="mono")
            frame.sample_rate, frame.pts = audio.SAMPLE_RATE, at
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
