"""How long a clip lasts, by the head of its file, which this service wrote (ISO/IEC
14496-12, section 8.2.2).
"""

_HEAD = b"mvhd\0\0\0\0"  # with version 0: times of 32 bits


def milliseconds(content: bytes) -> int:
    """Return the length of an MP4; 0 if it has no such head."""
    at = content.find(_HEAD)
    scale, length = (int.from_bytes(content[at + first : at + first + 4]) for first in (16, 20))
    return round(1000 * length / scale) if at >= 0 and scale else 0
