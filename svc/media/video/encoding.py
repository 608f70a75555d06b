"""Encoding pictures as H.264 at a constant frame rate, at almost no cost for repeated pictures."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import av
import numpy as np
from av.codec.context import Flags
from av.video.frame import PictureType
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc

from svc.media.drawing.yuv import Picture
from svc.media.errors import MediaError
from svc.media.video import skip_frames

FILL_WITH_SKIPPED = True  # False: the encoder gets every frame, changed or not
_X264 = {
    "preset": "ultrafast",
    # constant: rate control looks at every picture once more, and doubles the encoder's time
    "qp": "24",
    "forced-idr": "1",
    "x264-params": (
        "bframes=0:ref=1:weightp=0:scenecut=0:keyint=infinite:cabac=1:ipratio=3:8x8dct=1"
        ":analyse=i8x8:threads=1:force-cfr=1"
    ),
}


@dataclass(frozen=True)
class VideoFormat:
    """The format of an mp4. ``language``: BCP 47."""

    width: int
    height: int
    frame_rate: int
    sample_rate: int
    title: str
    language: str


@dataclass(frozen=True)
class Shot:
    """A picture that is shown from ``frame`` until the next shot.

    ``opens``: it becomes a keyframe.
    """

    frame: int
    picture: Picture
    opens: bool


def add_stream(
    container: av.container.OutputContainer, video_format: VideoFormat
) -> av.VideoStream:
    """Add a video stream with an encoder, for :func:`make_packets`."""
    stream = container.add_stream("libx264", rate=video_format.frame_rate, options=_X264)
    _configure_encoder(stream.codec_context, video_format)
    return stream


def encode(
    shots: Iterable[Shot], end: int, video_format: VideoFormat
) -> Iterator[tuple[int, bytes]]:
    """Yield the frame number and the packet (Annex B) of each shot, the first a keyframe. ``end``:
    the frame after the last one.

    The output depends only on the shots. If repeated pictures cannot be skipped, there is one
    packet per frame.
    """
    encoder, skips = _make_encoder(video_format), _make_counter(video_format) is not None
    for shot, following in _pair_with_ends(shots, end):
        for number in range(shot.frame, shot.frame + 1 if skips else following):
            opens = shot.opens and number == shot.frame
            yield from (
                (number, bytes(packet))
                for packet in encoder.encode(_make_frame(shot.picture, number, opens))
            )
    if any(encoder.encode(None)):
        raise MediaError("The encoder delayed pictures.")  # it should not: bframes=0, no lookahead


def make_packets(
    stream: av.VideoStream,
    encoded: Iterable[tuple[int, bytes]],
    frames: int,
    video_format: VideoFormat,
) -> Iterator[av.Packet]:
    """Yield a packet for each of ``frames`` frames: those of :func:`encode`, and between them
    packets that repeat the picture."""
    counter, last = _make_counter(video_format), -1
    for frame, packet in encoded:
        yield from _make_repeats(stream, counter, range(last + 1, frame), video_format)
        content = packet if counter is None else counter.renumber(packet)
        yield make_packet(content, stream, frame, video_format, skip_frames.is_keyframe(packet))
        last = frame
    yield from _make_repeats(stream, counter, range(last + 1, frames), video_format)


def _make_repeats(
    stream, counter: skip_frames.FrameCounter | None, frames: range, video_format: VideoFormat
) -> Iterator[av.Packet]:
    if counter is not None:  # else the encoder has made a packet of every frame
        for number in frames:
            yield make_packet(counter.repeat(), stream, number, video_format)


def make_packet(
    content: bytes, stream, frame: int, video_format: VideoFormat, keyframe: bool = False
) -> av.Packet:
    """Return a packet of one picture that is shown at ``frame``."""
    packet = av.Packet(content)
    packet.stream, packet.time_base = stream, Fraction(1, video_format.frame_rate)
    packet.pts = packet.dts = frame
    packet.duration, packet.is_keyframe = 1, keyframe
    return packet


class FreezeFrameEncoder:
    """Makes packets in mp4's format that freeze a keyframe of one of our own streams."""

    def __init__(self, video_format: VideoFormat, extradata: bytes):
        """``extradata``: the stream's decoder configuration."""
        self._format, self._extradata = video_format, extradata
        self._counter = _make_counter(video_format)

    def encode_packets(self, keyframe: bytes, frames: int) -> Iterator[bytes]:
        """Yield ``frames`` packets that show ``keyframe``; the first is a keyframe, and another
        keyframe may follow the last."""
        if self._counter is None:
            yield from self._encode_frames(keyframe, frames)
            return
        yield keyframe
        self._counter.restart()
        for _ in range(frames - 1):
            yield skip_frames.prefix_lengths(self._counter.repeat())

    def _encode_frames(self, keyframe: bytes, frames: int) -> Iterator[bytes]:
        decoder, encoder = av.CodecContext.create("h264", "r"), _make_encoder(self._format)
        decoder.extradata = self._extradata
        (frame,) = [*decoder.decode(av.Packet(keyframe)), *decoder.decode(None)]
        frame.pict_type = PictureType.NONE
        for number in range(frames):
            frame.pts = number
            yield from (
                skip_frames.prefix_lengths(bytes(packet)) for packet in encoder.encode(frame)
            )
        yield from (skip_frames.prefix_lengths(bytes(packet)) for packet in encoder.encode(None))


@lru_cache(maxsize=8)
def _make_skipped_picture(video_format: VideoFormat) -> tuple[bytes, bytes]:
    """Return the parameter sets of a stream of this format, and a packet that repeats a picture."""
    encoder = _make_encoder(video_format)
    grey = np.full(video_format.width * video_format.height * 3 // 2, 128, np.uint8)
    flat = Picture(video_format.width, video_format.height, grey)
    packets = [
        bytes(packet) for number in range(2) for packet in encoder.encode(_make_frame(flat, number))
    ]
    return bytes(encoder.extradata or b""), packets[1]


def _make_counter(video_format: VideoFormat) -> skip_frames.FrameCounter | None:
    """Return what repeats pictures in a stream of this format; None if only the encoder can."""
    if not FILL_WITH_SKIPPED:
        return None
    try:
        return skip_frames.FrameCounter(*_make_skipped_picture(video_format))
    except skip_frames.UnsupportedStream:  # another build of x264: slower, but correct
        return None


def _make_encoder(video_format: VideoFormat) -> av.VideoCodecContext:
    """Return a separate encoder whose packets fit a stream of this format."""
    encoder = av.CodecContext.create("libx264", "w")
    encoder.options = _X264
    encoder.flags |= Flags.global_header
    _configure_encoder(encoder, video_format)
    return encoder


def _configure_encoder(encoder: av.VideoCodecContext, video_format: VideoFormat) -> None:
    encoder.width = video_format.width
    encoder.height = video_format.height
    encoder.pix_fmt = "yuv420p"
    encoder.time_base = Fraction(1, video_format.frame_rate)
    encoder.framerate = Fraction(video_format.frame_rate)
    encoder.color_primaries, encoder.color_trc = ColorPrimaries.BT709, ColorTrc.BT709
    encoder.colorspace, encoder.color_range = Colorspace.ITU709, ColorRange.MPEG


def _pair_with_ends(shots: Iterable[Shot], frames: int) -> Iterator[tuple[Shot, int]]:
    """Yield each shot with the frame at which the next one begins."""
    waiting = None
    for shot in shots:
        if waiting is not None:
            yield waiting, shot.frame
        waiting = shot
    if waiting is not None:
        yield waiting, frames


def _make_frame(picture: Picture, number: int, keyframe: bool = False) -> av.VideoFrame:
    frame = picture.to_frame()
    frame.pts = number
    frame.pict_type = PictureType.I if keyframe else PictureType.NONE
    return frame
