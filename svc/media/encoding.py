"""Encoding pictures as H.264 at a constant frame rate, spending nothing on those that repeat the one before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
from av.codec.context import Flags
from av.video.frame import PictureType
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc

from svc.media import skipframes
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


def packets(stream: av.VideoStream, shots: Iterable[Shot], frames: int, made_as: Format) -> Iterator[av.Packet]:
    """A packet for each of ``frames`` frames: the shots, and between them what repeats them."""
    counter = _counter(made_as)
    yield from _encoded(stream, shots, frames) if counter is None else _skipped(stream, shots, frames, made_as, counter)


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


def _counter(made_as: Format) -> skipframes.Counter | None:
    """What repeats pictures in a stream of this format; None: the encoder has to."""
    if not FILL_WITH_SKIPPED:
        return None
    encoder = _encoder(made_as)
    grey = np.full(made_as.width * made_as.height * 3 // 2, 128, np.uint8)
    flat = Picture(made_as.width, made_as.height, grey)
    packets = [bytes(packet) for number in range(2) for packet in encoder.encode(_timed(flat, number))]
    try:
        return skipframes.Counter(encoder.extradata, packets[1])
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


def _encoded(stream, shots: Iterable[Shot], frames: int) -> Iterator[av.Packet]:
    """The ordinary way: the encoder gets every frame."""
    for shot, end in _with_ends(shots, frames):
        for number in range(shot.frame, end):
            yield from stream.encode(_timed(shot.picture, number, shot.opens and number == shot.frame))
    yield from stream.encode(None)


def _skipped(stream, shots: Iterable[Shot], frames: int, made_as: Format, counter: skipframes.Counter) -> Iterator[av.Packet]:
    """The encoder gets the frames that differ; all-skip slices stand between them."""
    for shot, end in _with_ends(shots, frames):
        (packet,) = stream.encode(_timed(shot.picture, shot.frame, shot.opens))  # it has no delay: bframes=0, no lookahead
        yield packet_of(counter.renumbered(bytes(packet)), stream, shot.frame, made_as, packet.is_keyframe)
        for number in range(shot.frame + 1, end):
            yield packet_of(counter.repeat(), stream, number, made_as)


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
