"""Encoding pictures as H.264 at a constant frame rate, spending nothing on those that repeat the one before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import av
import numpy as np
from av.codec.context import Flags
from av.video.frame import PictureType
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc

from svc.media import skipframes
from svc.media.errors import MediaError
from svc.media.yuv import Picture

FILL_WITH_SKIPPED = True  # False: the encoder is given every frame, changed or not
_X264 = {
    "preset": "ultrafast",
    "crf": "26",
    "forced-idr": "1",
    "x264-params": "bframes=0:ref=1:weightp=0:scenecut=0:keyint=infinite:cabac=1:aq-mode=1:ipratio=3:8x8dct=1:analyse=i8x8"
    ":threads=1:force-cfr=1",
}


@dataclass(frozen=True)
class Format:
    """What an mp4 is to be like. ``language``: BCP 47."""

    width: int
    height: int
    frame_rate: int
    sample_rate: int
    title: str
    language: str


@dataclass(frozen=True)
class Shot:
    """A picture that is shown from ``frame`` on, until the next shot. ``opens``: it becomes a keyframe."""

    frame: int
    picture: Picture
    opens: bool


def add_stream(container: av.container.OutputContainer, made_as: Format) -> av.VideoStream:
    """A video stream with an encoder, for :func:`packets`."""
    stream = container.add_stream("libx264", rate=made_as.frame_rate, options=_X264)
    _dress(stream.codec_context, made_as)
    return stream


def encode(shots: Iterable[Shot], end: int, made_as: Format) -> Iterator[tuple[int, bytes]]:
    """The frame and the packet (Annex B) of each shot, the first a keyframe; ``end``: the frame before which the last one ends.

    What comes out depends on nothing but the shots. Where repeated pictures cannot be skipped, there is a packet a frame."""
    encoder, skips = _encoder(made_as), _counter(made_as) is not None
    for shot, following in _with_ends(shots, end):
        for number in range(shot.frame, shot.frame + 1 if skips else following):
            opens = shot.opens and number == shot.frame
            yield from ((number, bytes(packet)) for packet in encoder.encode(_timed(shot.picture, number, opens)))
    if any(encoder.encode(None)):
        raise MediaError("The encoder held pictures back.")  # it has no delay: bframes=0, no lookahead


def packets(stream: av.VideoStream, encoded: Iterable[tuple[int, bytes]], frames: int, made_as: Format) -> Iterator[av.Packet]:
    """A packet for each of ``frames`` frames: what :func:`encode` made, and between them what repeats them."""
    counter, last = _counter(made_as), -1
    for frame, packet in encoded:
        yield from _repeats(stream, counter, range(last + 1, frame), made_as)
        content = packet if counter is None else counter.renumbered(packet)
        yield packet_of(content, stream, frame, made_as, skipframes.is_keyframe(packet))
        last = frame
    yield from _repeats(stream, counter, range(last + 1, frames), made_as)


def _repeats(stream, counter: skipframes.Counter | None, frames: range, made_as: Format) -> Iterator[av.Packet]:
    if counter is not None:  # else the encoder has made a packet of every frame
        for number in frames:
            yield packet_of(counter.repeat(), stream, number, made_as)


def packet_of(content: bytes, stream, frame: int, made_as: Format, keyframe: bool = False) -> av.Packet:
    """A packet of one picture, shown at ``frame``."""
    packet = av.Packet(content)
    packet.stream, packet.time_base = stream, Fraction(1, made_as.frame_rate)
    packet.pts = packet.dts = frame
    packet.duration, packet.is_keyframe = 1, keyframe
    return packet


class Holder:
    """Makes packets, as mp4 holds them, in which a keyframe of a stream of ours stands still."""

    def __init__(self, made_as: Format, extradata: bytes):
        """``extradata``: the stream's decoder configuration."""
        self._format, self._extradata = made_as, extradata
        self._counter = _counter(made_as)

    def still(self, keyframe: bytes, frames: int) -> Iterator[bytes]:
        """``frames`` packets that show ``keyframe``; the first is a keyframe, and another may follow the last."""
        if self._counter is None:
            yield from self._encoded(keyframe, frames)
            return
        yield keyframe
        self._counter.keyframe()
        for _ in range(frames - 1):
            yield skipframes.length_prefixed(self._counter.repeat())

    def _encoded(self, keyframe: bytes, frames: int) -> Iterator[bytes]:
        decoder, encoder = av.CodecContext.create("h264", "r"), _encoder(self._format)
        decoder.extradata = self._extradata
        (shown,) = [*decoder.decode(av.Packet(keyframe)), *decoder.decode(None)]
        shown.pict_type = PictureType.NONE
        for number in range(frames):
            shown.pts = number
            yield from (skipframes.length_prefixed(bytes(packet)) for packet in encoder.encode(shown))
        yield from (skipframes.length_prefixed(bytes(packet)) for packet in encoder.encode(None))


@lru_cache(maxsize=8)
def _skipped(made_as: Format) -> tuple[bytes, bytes]:
    """The parameter sets of a stream of this format, and a packet that repeats a picture."""
    encoder = _encoder(made_as)
    grey = np.full(made_as.width * made_as.height * 3 // 2, 128, np.uint8)
    flat = Picture(made_as.width, made_as.height, grey)
    packets = [bytes(packet) for number in range(2) for packet in encoder.encode(_timed(flat, number))]
    return bytes(encoder.extradata or b""), packets[1]


def _counter(made_as: Format) -> skipframes.Counter | None:
    """What repeats pictures in a stream of this format; None: the encoder has to."""
    if not FILL_WITH_SKIPPED:
        return None
    try:
        return skipframes.Counter(*_skipped(made_as))
    except skipframes.NotUnderstood:  # another build of x264: slower, and right
        return None


def _encoder(made_as: Format) -> av.VideoCodecContext:
    """An encoder of its own, whose packets fit a stream of this format."""
    encoder = av.CodecContext.create("libx264", "w")
    encoder.options = _X264
    encoder.flags |= Flags.global_header
    _dress(encoder, made_as)
    return encoder


def _dress(encoder: av.VideoCodecContext, made_as: Format) -> None:
    encoder.width, encoder.height, encoder.pix_fmt = made_as.width, made_as.height, "yuv420p"
    encoder.time_base, encoder.framerate = Fraction(1, made_as.frame_rate), Fraction(made_as.frame_rate)
    encoder.color_primaries, encoder.color_trc = ColorPrimaries.BT709, ColorTrc.BT709
    encoder.colorspace, encoder.color_range = Colorspace.ITU709, ColorRange.MPEG


def _with_ends(shots: Iterable[Shot], frames: int) -> Iterator[tuple[Shot, int]]:
    """Each shot and the frame before which it ends."""
    waiting = None
    for shot in shots:
        if waiting is not None:
            yield waiting, shot.frame
        waiting = shot
    if waiting is not None:
        yield waiting, frames


def _timed(picture: Picture, number: int, keyframe: bool = False) -> av.VideoFrame:
    frame = picture.frame()
    frame.pts = number
    frame.pict_type = PictureType.I if keyframe else PictureType.NONE
    return frame
