"""Decoding the pictures of an H.264 stream, without the work for those that only repeat the one
before.

A film consists mostly of pictures that repeat their predecessor in one slice of skipped
macroblocks. The first of each kind is decoded and compared with its predecessor; after that the
same slice with the next ``frame_num`` is known to repeat the picture (ITU-T H.264, section 7.4.3),
and is counted without being decoded. What is decoded is renumbered, so that the decoder, which
fails on a gap, sees an unbroken stream.

The described film is the programme's own packets, with more repeats after some keyframes. A
decoder's output depends on nothing else: where every packet is that of a film that was decoded, its
pictures are known without being decoded again.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import av
import numpy as np

from svc.media.drawing.yuv import read_planes
from svc.media.video import skip_frames

_LARGEST = 200  # bytes of a packet that may be a repeated picture
_SLICE, _IDR = 1, 5  # nal_unit_type


@dataclass(frozen=True)
class DecodedPicture:
    """A picture of the film.

    ``number``: its frame number, from 0; repeated pictures have numbers, but are not yielded.
    """

    number: int
    frame: av.VideoFrame


@dataclass
class Trace:
    """The pictures of a decoded film in short: a digest of each, with its frame number left out."""

    extradata: bytes
    pictures: list[bytes] = field(default_factory=list)
    keyframes: set[int] = field(default_factory=set)  # indexes into ``pictures``
    # The digests of the packets that repeat the picture before.
    repeats: set[bytes] = field(default_factory=set)


@dataclass(frozen=True)
class Group:
    """A keyframe and what follows it, copied from another film. ``source``: its frame number there;
    ``first``, ``runs``: those at which it is first shown here, and at which it goes on as there."""

    source: int
    first: int
    runs: int


class PictureDecoder:
    """Decodes the packets of one video stream in order, and counts its pictures.

    It must see every packet.
    """

    def __init__(self, stream: av.VideoStream):
        self.shown = 0  # pictures so far, with the repeated ones
        self.start = 0.0  # seconds, of the first picture
        self._count = 0  # packets
        self._stream, self._codec = stream, stream.codec_context
        # seconds; pictures a second
        self._unit, self._rate = float(stream.time_base or 0), float(stream.average_rate or 1)
        self._numbering = _find_numbering(self._codec.extradata or b"")
        # the next frame_num in the film, and of what the decoder gets
        self._source, self._sent = 0, 0
        self._proven: set[bytes] = set()  # slices, numbered 0, that repeat a picture
        # By frame number: small slices to be compared with the picture before.
        self._candidates: dict[int, bytes] = {}
        self._last: av.VideoFrame | None = None
        self.trace = Trace(self._codec.extradata or b"")

    def decode(self, packet: av.Packet) -> Iterator[DecodedPicture]:
        """Yield the pictures that ``packet`` completes; an empty packet flushes.

        Raises av's errors, and ValueError.
        """
        if not packet.size:
            yield from self._decode_pictures(None)
            return
        number, self._count = self._count, self._count + 1
        self._check_time(packet, number)
        if self._numbering is not None:
            content = self._renumber_packet(bytes(packet), number, self._numbering)
            if content is None:
                self.shown += 1
                return
            packet = _make_packet(packet, content, self._stream)
        packet.pts = packet.dts = number
        yield from self._decode_pictures(packet)

    def _decode_pictures(self, packet: av.Packet | None) -> Iterator[DecodedPicture]:
        for frame in self._codec.decode(packet):
            if frame.is_corrupt:
                raise ValueError("a damaged frame")
            self.shown += 1
            number = int(frame.pts or 0)
            candidate = self._candidates.pop(number, None)
            if candidate is not None and self._last is not None and _is_same(frame, self._last):
                self._proven.add(candidate)
                self.trace.repeats.add(_hash_content(candidate))
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

    def skim(self, packet: av.Packet) -> None:
        """Add a packet to the trace without decoding it. Raises ValueError as decoding does where
        the stream is not whole, and where pictures cannot be told without decoding them."""
        if not packet.size:
            return
        if self._numbering is None or packet.is_corrupt:
            raise ValueError("pictures must be decoded")
        number, self._count = self._count, self._count + 1
        self._check_time(packet, number)
        self._renumber_packet(bytes(packet), number, self._numbering)
        self._candidates.clear()
        self.shown += 1

    def _renumber_packet(
        self, content: bytes, number: int, numbering: skip_frames.FrameNumbering
    ) -> bytes | None:
        """Return the packet as the decoder gets it; None if it is known to repeat
        the picture before.
        """
        units = _split_units(content)
        kinds = [unit[0] & 31 for unit in units]
        if _IDR in kinds:
            self._source = self._sent = 1
            self.trace.keyframes.add(number)
            self.trace.pictures.append(_hash_content(content))
            return content
        if kinds != [_SLICE]:
            raise ValueError("a picture of several slices")
        if units[0] != numbering.set_frame_number(units[0], self._source):
            raise ValueError("a picture is missing")
        self._source += 1
        plain = numbering.set_frame_number(units[0], 0)
        self.trace.pictures.append(_hash_content(plain))
        if len(content) <= _LARGEST:
            if plain in self._proven:
                return None
            self._candidates[number] = plain
        self._sent += 1
        return _join_units([numbering.set_frame_number(units[0], self._sent - 1)])


def find_copied_groups(trace: Trace, original: Trace) -> tuple[Group, ...]:
    """Return how a film was made from another one that was decoded: its groups, with more repeats
    after some keyframes.

    Raises ValueError if anything else is different.
    """
    groups: list[Group] = []
    at = 0  # the next picture of the original
    # ``still``: there were only repeats since the keyframe. ``waiting``: there were more of them
    # than there, so that the keyframe must come again.
    still = waiting = False
    for number, picture in enumerate(trace.pictures):
        keyframe = number in trace.keyframes
        expected = original.pictures[at] if at < len(original.pictures) else b""
        if keyframe and still and picture == original.pictures[groups[-1].source]:
            groups[-1] = replace(groups[-1], runs=number)
            at, waiting = groups[-1].source + 1, False
        elif not waiting and picture == expected and keyframe == (at in original.keyframes):
            groups += [Group(at, number, number)] if keyframe else []
            still = keyframe or (still and picture in original.repeats)
            at += 1
        elif still and picture in original.repeats:
            waiting = True
        else:
            raise ValueError(f"picture {number} is another one")
    if waiting or at != len(original.pictures) or trace.extradata != original.extradata:
        raise ValueError("not the whole film, or another stream")
    return tuple(groups)


def find_first_shown(numbers: tuple[int, ...], groups: tuple[Group, ...]) -> tuple[int, ...]:
    """Return where the pictures with these ``numbers`` in the original are first shown.

    The first group has the source 0.
    """
    sources = [group.source for group in groups]
    places = []
    for number in numbers:
        group = groups[bisect_right(sources, number) - 1]
        places.append(group.first if number == group.source else group.runs + number - group.source)
    return tuple(places)


def _hash_content(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _find_numbering(extradata: bytes) -> skip_frames.FrameNumbering | None:
    """Return how the stream numbers its frames; None if repeated pictures cannot be told
    without decoding them.
    """
    try:
        return skip_frames.FrameNumbering.parse(_find_parameter_sets(extradata))
    except (skip_frames.UnsupportedStream, IndexError, ValueError):
        return None


def _find_parameter_sets(extradata: bytes) -> bytes:
    """Return SPS and PPS of an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, section 5.3.3.1)
    with start codes.
    """
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


def _split_units(content: bytes) -> list[bytes]:
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


def _join_units(units: list[bytes]) -> bytes:
    return b"".join(len(unit).to_bytes(4) + unit for unit in units)


def _make_packet(packet: av.Packet, content: bytes, stream: av.VideoStream) -> av.Packet:
    renumbered = av.Packet(content)
    renumbered.stream, renumbered.time_base = stream, packet.time_base
    renumbered.is_keyframe = packet.is_keyframe
    return renumbered


def _is_same(frame: av.VideoFrame, other: av.VideoFrame) -> bool:
    return all(
        np.array_equal(mine, theirs)
        for mine, theirs in zip(read_planes(frame), read_planes(other), strict=True)
    )
