"""Decoding the pictures of an H.264 stream, without the work for those that only repeat the one before.

A film consists mostly of pictures that repeat their predecessor in one slice of skipped macroblocks. The first of each kind is
decoded and compared with its predecessor; after that the same slice with the next ``frame_num`` is known to repeat the picture
(ITU-T H.264, section 7.4.3), and is counted without being decoded. What is decoded is renumbered, so that the decoder, which
fails on a gap, sees an unbroken stream.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import av
import numpy as np

from svc.media.video import skip_frames
from svc.media.video.yuv import planes_of

_LARGEST = 200  # bytes of a packet that may be a repeated picture
_SLICE, _IDR = 1, 5  # nal_unit_type


@dataclass(frozen=True)
class DecodedPicture:
    """A picture of the film. ``number``: its frame number, from 0; repeated pictures have numbers, but are not yielded."""

    number: int
    frame: av.VideoFrame


class PictureDecoder:
    """Decodes the packets of one video stream in order, and counts its pictures. It must see every packet."""

    def __init__(self, stream: av.VideoStream):
        self.shown = 0  # pictures so far, with the repeated ones
        self.start = 0.0  # seconds, of the first picture
        self._count = 0  # packets
        self._stream, self._codec = stream, stream.codec_context
        self._unit, self._rate = float(stream.time_base or 0), float(stream.average_rate or 1)  # seconds; pictures a second
        self._numbering = _numbering(self._codec.extradata or b"")
        self._source, self._sent = 0, 0  # the next frame_num in the film, and of what the decoder gets
        self._proven: set[bytes] = set()  # slices, numbered 0, that repeat a picture
        self._candidates: dict[int, bytes] = {}  # by frame number: small slices to be compared with the picture before
        self._last: av.VideoFrame | None = None

    def decode(self, packet: av.Packet) -> Iterator[DecodedPicture]:
        """Yield the pictures that ``packet`` completes; an empty packet flushes. Raises av's errors, and ValueError."""
        if not packet.size:
            yield from self._pictures(None)
            return
        number, self._count = self._count, self._count + 1
        self._check_time(packet, number)
        if self._numbering is not None:
            content = self._renumbered(bytes(packet), number, self._numbering)
            if content is None:
                self.shown += 1
                return
            packet = _like(packet, content, self._stream)
        packet.pts = packet.dts = number
        yield from self._pictures(packet)

    def _pictures(self, packet: av.Packet | None) -> Iterator[DecodedPicture]:
        for frame in self._codec.decode(packet):
            if frame.is_corrupt:
                raise ValueError("a damaged frame")
            self.shown += 1
            number = int(frame.pts or 0)
            candidate = self._candidates.pop(number, None)
            if candidate is not None and self._last is not None and _same(frame, self._last):
                self._proven.add(candidate)
            else:
                yield DecodedPicture(number, frame)
            self._last = frame

    def _check_time(self, packet: av.Packet, number: int) -> None:
        """Check that each picture is shown where its number says."""
        at, rate = (packet.pts or 0) * self._unit, self._rate
        if number == 0:
            self.start = at
        if abs(at - self.start - number / rate) > 1 / rate:
            raise ValueError(f"picture {number} is shown at {at:.2f} s")

    def _renumbered(self, content: bytes, number: int, numbering: skip_frames.FrameNumbering) -> bytes | None:
        """Return the packet as the decoder gets it; None if it is known to repeat the picture before."""
        units = _units(content)
        kinds = [unit[0] & 31 for unit in units]
        if _IDR in kinds:
            self._source = self._sent = 1
            return content
        if kinds != [_SLICE]:
            raise ValueError("a picture of several slices")
        if units[0] != numbering.with_frame_number(units[0], self._source):
            raise ValueError("a picture is missing")
        self._source += 1
        if len(content) <= _LARGEST:
            plain = numbering.with_frame_number(units[0], 0)
            if plain in self._proven:
                return None
            self._candidates[number] = plain
        self._sent += 1
        return _joined([numbering.with_frame_number(units[0], self._sent - 1)])


def _numbering(extradata: bytes) -> skip_frames.FrameNumbering | None:
    """Return how the stream numbers its frames; None if repeated pictures cannot be told without decoding them."""
    try:
        return skip_frames.FrameNumbering.parse(_parameter_sets(extradata))
    except (skip_frames.UnsupportedStream, IndexError, ValueError):
        return None


def _parameter_sets(extradata: bytes) -> bytes:
    """Return SPS and PPS of an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, section 5.3.3.1) with start codes."""
    if extradata[:1] != b"\1" or extradata[4] & 3 != 3:
        raise ValueError("not length-prefixed by four bytes")
    units, at = [], 5
    for mask in (31, 255):
        count, at = extradata[at] & mask, at + 1
        for _ in range(count):
            length = int.from_bytes(extradata[at : at + 2])
            units.append(extradata[at + 2 : at + 2 + length])
            at += 2 + length
    return b"".join(b"\0\0\0\1" + unit for unit in units)


def _units(content: bytes) -> list[bytes]:
    """Return the NAL units of a length-prefixed packet. Raises ValueError if a length is wrong."""
    units, at = [], 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 4])
        unit = content[at + 4 : at + 4 + length]
        if not length or len(unit) != length:
            raise ValueError("a damaged packet")
        units.append(unit)
        at += 4 + length
    return units


def _joined(units: list[bytes]) -> bytes:
    return b"".join(len(unit).to_bytes(4) + unit for unit in units)


def _like(packet: av.Packet, content: bytes, stream: av.VideoStream) -> av.Packet:
    renumbered = av.Packet(content)
    renumbered.stream, renumbered.time_base = stream, packet.time_base
    renumbered.is_keyframe = packet.is_keyframe
    return renumbered


def _same(frame: av.VideoFrame, other: av.VideoFrame) -> bool:
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(planes_of(frame), planes_of(other), strict=True))
