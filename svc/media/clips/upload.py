"""Checking an uploaded clip and writing it again: an untrusted file, of which only pictures and
sound survive.

It runs in the confined process of uploads: decoding may take any time and memory, and may fail in
any way.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.stream import Disposition
from av.video.frame import PictureType
from av.video.reformatter import (
    ColorPrimaries,
    ColorRange,
    Colorspace,
    ColorTrc,
    Interpolation,
    VideoReformatter,
)

from svc.base import atomic_file
from svc.media import audio
from svc.media.clips import sound_layout
from svc.media.clips.clip import FRAME_RATE
from svc.media.drawing.yuv import read_planes
from svc.media.errors import InvalidUpload

SHORTEST, LONGEST = 1, 15  # seconds
SMALLEST, LARGEST = 240, 4096  # pixels of a side
MOST_PIXELS = 3840 * 2160
LONG_SIDE = 1920  # pixels of the written clip
_FASTEST = 120  # pictures a second
_MOST_CHANNELS = 8
_PICTURES = ("h264", "hevc", "vp8", "vp9", "libdav1d", "av1", "mpeg4", "prores")
_SOUNDS = (
    "aac",
    "mp3",
    "mp3float",
    "opus",
    "libopus",
    "vorbis",
    "flac",
    "alac",
    "pcm_u8",
    "pcm_s16le",
    "pcm_s16be",
    "pcm_s24le",
    "pcm_s24be",
    "pcm_s32le",
    "pcm_f32le",
)
_ONLY = {
    "format_whitelist": "mov,matroska,webm",
    "codec_whitelist": ",".join((*_PICTURES, *_SOUNDS)),
    "protocol_whitelist": "file",
}
_KINDS = "an MP4, MOV or WebM file"
_OTHER_SOUND = (
    "The sound is in a format that is not taken. Save the clip as MP4 with AAC in stereo."
)
_X264 = {"preset": "veryfast", "crf": "17", "x264-params": "threads=1:bframes=0:keyint=60"}
_AAC = {"aac_coder": "fast", "aac_tns": "0", "aac_pns": "0"}
_BIT_RATE = 192_000
_SILENT = -60.0  # LUFS: what is quieter is no sound
_HIGH_DYNAMIC_RANGE = (ColorTrc.SMPTE2084, ColorTrc.ARIB_STD_B67)
_QUARTERS = {0: 0, 90: 1, 180: 2, 270: 3}  # of a turn, counter-clockwise, as numpy turns


class InvalidClip(InvalidUpload):
    """The file is not usable as a clip; the message says why, and what to do."""


@dataclass(frozen=True)
class _Source:
    """The streams of an upload that passed the checks of its head.

    ``aspect``: width of a pixel to its height.
    """

    picture: av.VideoStream
    sound: av.AudioStream | None
    aspect: float
    start: float  # seconds, of the first picture


def convert_clip(source: Path, target: Path) -> None:
    """Write the clip ``source`` as H.264 (4:2:0, BT.709, 30 frames a second, at most LONG_SIDE)
    with mono AAC if it is heard, and nothing else.

    InvalidClip: it is not readable, too short, too long, or of another kind.
    """
    try:
        with atomic_file.replace(target) as partial:
            _write_clip(source, _read_sound(source), partial)
    except InvalidClip:
        raise
    except Exception as error:  # a hostile file makes the decoder raise whatever there is
        raise InvalidClip(
            "The clip is damaged, or in a format that is not taken. Save it again as MP4 "
            "with H.264."
        ) from error


@contextmanager
def _open_clip(path: Path) -> Iterator[tuple[av.container.InputContainer, _Source]]:
    try:
        container = av.open(str(path), options=_ONLY)
    except (OSError, ValueError):
        raise InvalidClip(f"This is not a readable clip. Choose {_KINDS}.") from None
    with container:
        if not sound_layout.is_ordinary(path):
            raise InvalidClip(_OTHER_SOUND)
        yield container, _check_streams(container)


def _check_streams(container: av.container.InputContainer) -> _Source:
    pictures = [
        stream
        for stream in container.streams.video
        if not stream.disposition & Disposition.attached_pic
    ]
    if not pictures:
        raise InvalidClip(f"The file has no moving picture. Choose {_KINDS}.")
    picture, sounds = pictures[0], container.streams.audio
    codec = picture.codec_context
    if codec.name not in _PICTURES:
        raise InvalidClip(
            f"The pictures are in a format that is not taken ({codec.name}). Save the clip as MP4 "
            "with H.264."
        )
    _check_size(codec.width, codec.height)
    if container.duration and container.duration / av.time_base > LONGEST + 1:
        raise _make_length_error()
    rate = picture.average_rate
    if rate and rate > _FASTEST:
        raise InvalidClip(
            f"The clip has {float(rate):.0f} pictures a second; at most {_FASTEST} are taken. "
            "Save it with 30."
        )
    sound = sounds[0] if sounds else None
    if sound is not None and (
        sound.codec_context.name not in _SOUNDS or sound.layout.nb_channels > _MOST_CHANNELS
    ):
        raise InvalidClip(_OTHER_SOUND)
    aspect = float(picture.sample_aspect_ratio or 1)
    start = float((picture.start_time or 0) * (picture.time_base or 0))
    return _Source(picture, sound, aspect if 0.25 <= aspect <= 4 else 1.0, start)


def _check_size(width: int, height: int) -> None:
    if (
        min(width, height) < SMALLEST
        or max(width, height) > LARGEST
        or width * height > MOST_PIXELS
    ):
        raise InvalidClip(
            f"The clip has {width} × {height} pixels; each side must have {SMALLEST} to "
            f"{LARGEST:,}, and the picture at most {MOST_PIXELS:,}. Save it with 1920 × 1080, or "
            "1080 × 1920."
        )


def _make_length_error() -> InvalidClip:
    return InvalidClip(f"The clip lasts longer than {LONGEST} seconds. Shorten it first.")


def _read_sound(path: Path) -> np.ndarray:
    """Return the sound (mono, int16, at audio.SAMPLE_RATE) from the first picture on;
    empty if nothing is heard.
    """
    resampler = av.AudioResampler("s16", "mono", audio.SAMPLE_RATE)
    parts = [np.zeros(0, np.int16)]
    count = 0
    skipped = 0
    with _open_clip(path) as (container, source):
        for frame in container.decode(source.sound) if source.sound is not None else ():
            if count == 0:
                late = round(((frame.time or 0.0) - source.start) * audio.SAMPLE_RATE)
                parts.append(np.zeros(min(max(0, late), LONGEST * audio.SAMPLE_RATE), np.int16))
                skipped = max(0, -late)
            parts += [
                each.to_ndarray().reshape(-1).astype(np.int16) for each in resampler.resample(frame)
            ]
            count += frame.samples
            if count > (LONGEST + 5) * max(frame.sample_rate, 1):
                raise _make_length_error()
    sound = np.concatenate(parts)[skipped:]
    return sound if len(sound) and audio.measure(sound).integrated > _SILENT else sound[:0]


def _write_clip(path: Path, sound: np.ndarray, target: Path) -> None:
    with (
        _open_clip(path) as (container, source),
        av.open(
            str(target), "w", format="mp4", options={"movflags": "faststart", "fflags": "bitexact"}
        ) as written,
    ):
        writer = _PictureWriter(written, source.aspect)
        track = _sound_stream(written) if len(sound) else None
        for frame in container.decode(source.picture):
            writer.add(frame)
        count = writer.finish()
        if count < SHORTEST * FRAME_RATE:
            raise InvalidClip(
                f"The clip lasts {count / FRAME_RATE:.1f} seconds. Choose one of {SHORTEST} to "
                f"{LONGEST} seconds."
            )
        if track is not None:
            length = count * audio.SAMPLE_RATE // FRAME_RATE
            _write_sound(written, track, np.pad(sound[:length], (0, max(0, length - len(sound)))))


class _PictureWriter:
    """Writes pictures at FRAME_RATE from those of a source at any rate:
    each time shows the last picture that had begun.
    """

    def __init__(self, container: av.container.OutputContainer, aspect: float):
        self._container, self._aspect, self._start = container, aspect, 0.0
        self._waiting: av.VideoFrame | None = None
        self._until = 0.0  # seconds after which the waiting picture ends, if none follows
        self._stream: av.VideoStream | None = None
        self._count, self._reformatter = 0, VideoReformatter()

    def add(self, frame: av.VideoFrame) -> None:
        if self._waiting is None:
            self._start = frame.time or 0.0
        at = (frame.time or 0.0) - self._start
        self._emit_until(at)
        length = (
            float(frame.duration * frame.time_base)
            if frame.duration and frame.time_base
            else 1 / FRAME_RATE
        )
        self._waiting, self._until = frame, at + min(max(length, 1 / FRAME_RATE), 1.0)

    def finish(self) -> int:
        """Write what is left, and return the number of pictures."""
        self._emit_until(self._until)
        if self._stream is not None:
            self._container.mux(self._stream.encode(None))
        return self._count

    def _emit_until(self, seconds: float) -> None:
        if self._waiting is None:
            return
        end = round(seconds * FRAME_RATE)
        if end > LONGEST * FRAME_RATE:
            raise _make_length_error()
        if self._count < end:
            upright = self._turn_upright(self._waiting)
            for _ in range(self._count, end):
                self._encode(upright)

    def _turn_upright(self, frame: av.VideoFrame) -> av.VideoFrame:
        """Return the picture in the written format: turned as its display matrix says,
        with square pixels.
        """
        if frame.color_trc in _HIGH_DYNAMIC_RANGE:
            raise InvalidClip(
                "The clip has a high dynamic range (HDR). Export it with a standard one (SDR, "
                "Rec. 709)."
            )
        _check_size(frame.width, frame.height)
        turns = _QUARTERS.get(round(frame.rotation) % 360, 0)
        width, height = _compute_written_size(frame, self._aspect)
        scaled = self._reformatter.reformat(
            frame,
            width,
            height,
            "yuv420p",
            dst_colorspace=Colorspace.ITU709,
            dst_color_range=ColorRange.MPEG,
            interpolation=Interpolation.BICUBIC,
        )
        if not turns:
            return scaled
        planes = (np.rot90(plane, turns).reshape(-1) for plane in read_planes(scaled))
        width, height = (height, width) if turns % 2 else (width, height)
        samples = np.concatenate(list(planes)).reshape(height * 3 // 2, width)
        return av.VideoFrame.from_ndarray(np.ascontiguousarray(samples), format="yuv420p")

    def _encode(self, frame: av.VideoFrame) -> None:
        if self._stream is None:
            self._stream = _open_picture_stream(self._container, frame.width, frame.height)
        frame.pts = self._count
        frame.time_base = Fraction(1, FRAME_RATE)
        frame.pict_type = PictureType.NONE
        self._container.mux(self._stream.encode(frame))
        self._count += 1


def _compute_written_size(frame: av.VideoFrame, aspect: float) -> tuple[int, int]:
    """Return the size of the written picture before it is turned: square pixels, even,
    at most LONG_SIDE, never larger.
    """
    width, height = frame.width * aspect, float(frame.height)
    scale = min(1.0, LONG_SIDE / max(width, height))
    return max(2, round(width * scale / 2) * 2), max(2, round(height * scale / 2) * 2)


def _open_picture_stream(
    container: av.container.OutputContainer, width: int, height: int
) -> av.VideoStream:
    stream = container.add_stream("libx264", rate=FRAME_RATE, options=_X264)
    codec = stream.codec_context
    codec.width, codec.height, codec.pix_fmt = width, height, "yuv420p"
    codec.color_primaries, codec.color_trc = ColorPrimaries.BT709, ColorTrc.BT709
    codec.colorspace, codec.color_range = Colorspace.ITU709, ColorRange.MPEG
    return stream


def _sound_stream(container: av.container.OutputContainer) -> av.AudioStream:
    return container.add_stream(
        "aac", rate=audio.SAMPLE_RATE, layout="mono", bit_rate=_BIT_RATE, options=_AAC
    )


def _write_sound(
    container: av.container.OutputContainer, stream: av.AudioStream, sound: np.ndarray
) -> None:
    for at in range(0, len(sound), 1024):
        frame = av.AudioFrame.from_ndarray(sound[None, at : at + 1024], format="s16", layout="mono")
        frame.sample_rate, frame.pts = audio.SAMPLE_RATE, at
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
