"""Freezing a picture with H.264 P slices that skip every macroblock, so that the decoder repeats it
unchanged.

Such a slice holds no picture data, only the number of its macroblocks: one slice, taken from a flat
picture that was encoded twice with the same settings, fits every picture of that size. Only its
reference count (ITU-T H.264, section 7.4.3, ``frame_num``) must be rewritten, in it and in every
slice that follows. The result decodes, bit for bit, to repeated pictures, at 30 to 60 bytes per
frame and without encoder time.
"""

import re
from dataclasses import dataclass

_SLICE, _IDR, _SPS, _PPS = 1, 5, 7, 8  # nal_unit_type
_HIGH_PROFILES = frozenset((100, 110, 122, 244, 44, 83, 86, 118, 128))
_START = b"\0\0\0\1"
_LARGEST = 400  # bytes; a slice that skips every macroblock is far smaller
_HEADER_BYTES = 36  # more than the escaped part of a slice header before and with frame_num


class UnsupportedStream(ValueError):
    """The stream has a property that this module does not support."""


@dataclass(frozen=True)
class FrameNumbering:
    """How a stream writes ``frame_num``: in ``bits`` bits."""

    bits: int

    @classmethod
    def parse(cls, parameter_sets: bytes) -> "FrameNumbering":
        """Parse SPS and PPS (Annex B).

        Raises UnsupportedStream if a parameter makes repeated pictures depend on more than
        ``frame_num``.
        """
        units = {unit[0] & 31: unit for unit in split(parameter_sets)}
        if _SPS not in units or _PPS not in units:
            raise UnsupportedStream("no parameter sets")
        _check_pps(_Bits(units[_PPS][1:]))
        return cls(_read_sps(_Bits(units[_SPS][1:])))

    def set_frame_number(self, unit: bytes, number: int) -> bytes:
        """Return the slice ``unit`` with ``frame_num`` set to ``number``, modulo its range."""
        end = _HEADER_BYTES
        # Where no escape lies across the edge, the rest stays as it is.
        while end < len(unit) and unit[end - 1] <= 3:
            end += 1
        head = _unescape(unit[:end])
        bits = _Bits(head[1:])
        for _ in range(3):  # first_mb_in_slice, slice_type, pic_parameter_set_id
            bits.read_exp_golomb()
        shift = len(head) * 8 - (8 + bits.position + self.bits)
        mask = (1 << self.bits) - 1
        value = int.from_bytes(head) & ~(mask << shift) | (number & mask) << shift
        return _escape_unit(value.to_bytes(len(head))) + unit[end:]


class FrameCounter:
    """Renumbers the packets of a stream, and makes packets that repeat its last picture.

    Packets are Annex B.
    """

    def __init__(self, parameter_sets: bytes, skipped: bytes):
        """``parameter_sets``: the stream's SPS and PPS. ``skipped``: a packet of one all-skip
        slice, encoded with the same settings.

        Raises UnsupportedStream if either is unsuitable.
        """
        self._numbering, self._next = FrameNumbering.parse(parameter_sets), 0
        slices = [unit for unit in split(skipped) if unit[0] & 31 == _SLICE]
        _require(
            len(slices) == 1 and len(slices[0]) <= _LARGEST, "a repeated picture was not skipped"
        )
        self._slice = slices[0]

    def restart(self) -> None:
        """Restart the count after a keyframe (IDR pictures have the number 0)."""
        self._next = 1

    def renumber(self, packet: bytes) -> bytes:
        """Return ``packet`` as the next picture of the stream."""
        units = split(packet)
        if any(unit[0] & 31 == _IDR for unit in units):
            self.restart()
            return packet
        number, self._next = self._next, self._next + 1
        return _join_units(
            self._numbering.set_frame_number(unit, number) if unit[0] & 31 == _SLICE else unit
            for unit in units
        )

    def repeat(self) -> bytes:
        """Return a packet that repeats the last picture."""
        number, self._next = self._next, self._next + 1
        return _join_units([self._numbering.set_frame_number(self._slice, number)])


def split(packet: bytes) -> list[bytes]:
    """Return the NAL units of an Annex B packet, without their start codes."""
    return [unit for unit in re.split(b"\0\0\0?\1", packet) if unit]


def is_keyframe(packet: bytes) -> bool:
    """Return whether an Annex B packet is an IDR picture."""
    return any(unit[0] & 31 == _IDR for unit in split(packet))


def prefix_lengths(packet: bytes) -> bytes:
    """Return an Annex B packet in mp4's format."""
    return b"".join(len(unit).to_bytes(4) + unit for unit in split(packet))


class _Bits:
    """Reads a unit's payload bit by bit."""

    def __init__(self, payload: bytes):
        read = payload[:64]
        self._text = f"{int.from_bytes(read):0{len(read) * 8}b}" if read else ""
        self.position = 0

    def take(self, count: int) -> int:
        value = int(self._text[self.position : self.position + count], 2)
        self.position += count
        return value

    def read_exp_golomb(self) -> int:
        """Read a ue(v) value (section 9.1)."""
        zeros = self._text.index("1", self.position) - self.position
        self.position += zeros
        return self.take(zeros + 1) - 1


def _read_sps(bits: _Bits) -> int:
    """Return the number of bits of frame_num (section 7.3.2.1.1)."""
    profile = bits.take(8)
    bits.take(16)
    bits.read_exp_golomb()
    if profile in _HIGH_PROFILES:
        _require(bits.read_exp_golomb() == 1, "chroma is not 4:2:0")
        bits.read_exp_golomb(), bits.read_exp_golomb()  # bit depths
        _require(bits.take(2) == 0, "scaling matrices")
    count = bits.read_exp_golomb() + 4
    _require(bits.read_exp_golomb() == 2, "pictures may be shown out of order")
    _require(bits.read_exp_golomb() == 1, "more than one reference picture")
    bits.take(1), bits.read_exp_golomb(), bits.read_exp_golomb()  # gaps allowed, width, height
    _require(bits.take(1) == 1, "interlaced")
    return count


def _check_pps(bits: _Bits) -> None:
    """Check the picture parameter set (section 7.3.2.2)."""
    bits.read_exp_golomb(), bits.read_exp_golomb(), bits.take(2)
    _require(bits.read_exp_golomb() == 0, "slice groups")
    _require(bits.read_exp_golomb() == 0, "more than one reference picture")
    bits.read_exp_golomb()
    _require(bits.take(1) == 0, "weighted prediction")


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise UnsupportedStream(reason)


def _unescape(unit: bytes) -> bytes:
    return unit.replace(b"\0\0\3", b"\0\0")


def _escape_unit(unit: bytes) -> bytes:
    return re.sub(b"\0\0(?=[\0-\3])", b"\0\0\3", unit)


def _join_units(units) -> bytes:
    return b"".join(_START + unit for unit in units)
