"""The order of the sound's channels, as an MP4 or MOV file states it, read before PyAV looks at the
sound.

PyAV frees the list of an order that is not FFmpeg's own (``AV_CHANNEL_ORDER_CUSTOM``) once for each
look at it, so that such a file corrupts memory. The boxes are searched for in the whole file:
FFmpeg reads them wherever they stand. Sources: Apple QuickTime File Format, "Audio channel layout";
ISO/IEC 14496-12, 12.2.4 (``chnl``).
"""

import mmap
import re
import struct
from pathlib import Path

# The names of the boxes that describe the sound's layout; the last one has them in a compressed
# form.
_BOX = re.compile(rb"chan|chnl|cmov....dcom", re.DOTALL)
_MATROSKA = b"\x1a\x45\xdf\xa3"  # which has no boxes
_BY_DESCRIPTION = 0
# The ordinary tags: a bit mask, mono, stereo, for headphones, and 5.1.
_TAGS = (1 << 16, 100 << 16 | 1, 101 << 16 | 2, 102 << 16 | 2, 121 << 16 | 6)
# The upper half of a tag that names an order; others than these and the mask's name none.
_KINDS = range(100, 256)
_LAST_LABEL = 18  # 1 (left) to 18 (top back right) are FFmpeg's own order
_VERSIONS, _STRUCTURES, _DEFINED = 2, 4, (1, 2)  # of ``chnl``; 1 is mono, 2 is stereo


def is_ordinary(path: Path) -> bool:
    """Return whether no box of ``path`` gives its channels an order of their own,
    or may hide one that does.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data[:4] == _MATROSKA or all(_is_ordinary(data, box) for box in _BOX.finditer(data))


def _is_ordinary(data: mmap.mmap, box: re.Match[bytes]) -> bool:
    """Return whether a box has an order of FFmpeg's own, or is none: its name may also stand in a
    text or in a picture.

    The size of a box does not tell: FFmpeg cuts it to that of the outer box.
    """
    start = box.end()
    body = data[start : start + 16].ljust(16, b"\0")
    if box[0] == b"chan":
        _, tag, _, count = struct.unpack(">4I", body)
        if start + 8 > len(data):
            return True  # the file ends before the tag
        if tag == _BY_DESCRIPTION:
            return _is_in_order(data, start + 16, count)
        return tag in _TAGS or tag >> 16 not in _KINDS
    if box[0] == b"chnl":
        version, structure, defined = body[0], body[4], body[5]
        return (
            version >= _VERSIONS
            or structure >= _STRUCTURES
            or ((version, structure) == (0, 1) and defined in _DEFINED)
        )
    return False


def _is_in_order(data: mmap.mmap, start: int, count: int) -> bool:
    """Return whether each of ``count`` descriptions of channels has a label of FFmpeg's own,
    after that before it.
    """
    described = data[start : start + 20 * min(count, _LAST_LABEL)]
    labels = [
        label for label, *_ in struct.iter_unpack(">5I", described[: len(described) // 20 * 20])
    ]
    return (
        len(labels) == count > 0
        and labels == sorted(set(labels))
        and labels[0] >= 1
        and labels[-1] <= _LAST_LABEL
    )
