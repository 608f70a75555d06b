"""The order of a clip's channels: only FFmpeg's own reaches PyAV, which frees any other twice."""

import struct

import pytest
import small_clips

from svc.media.clips import sound_layout, upload
from svc.media.clips.upload import InvalidClip

STEREO, QUADRAPHONIC, DISCRETE = 101 << 16 | 2, 108 << 16 | 4, 147 << 16 | 8
FRONT = (1, 2, 3, 4, 5, 6, 10, 11)  # labels of 7.1, in FFmpeg's order


def chan(tag: int, *labels: int, size: int | None = None, count: int | None = None) -> bytes:
    described = b"".join(struct.pack(">5I", label, 0, 0, 0, 0) for label in labels)
    body = struct.pack(">IIII", 0, tag, 0, len(labels) if count is None else count) + described
    return struct.pack(">I", len(body) + 8 if size is None else size) + b"chan" + body


def chnl(structure: int, defined: int) -> bytes:
    return struct.pack(">I4sIBB", 14, b"chnl", 0, structure, defined)


@pytest.mark.parametrize(
    "box, expected",
    [
        (chan(STEREO), True),
        (chan(0, *FRONT), True),
        (chnl(1, 2), True),
        (b"", True),
        (chan(STEREO) + chan(0, *reversed(FRONT)), False),  # the second one counts
        (chan(QUADRAPHONIC), False),
        (chan(DISCRETE), False),
        (chan(0, 1, 1), False),
        (chan(0, 1, 200), False),
        (chan(0), False),
        (chan(0, 1, 2, count=4_000_000_000), False),
        (chan(0, 1, 2, count=18), False),  # the list ends with the file
        (chan(QUADRAPHONIC, size=0), False),
        (
            chan(QUADRAPHONIC, size=0x20202020),
            False,
        ),  # which FFmpeg cuts to the size of the outer box
        (chan(QUADRAPHONIC)[:16], False),  # the rest of the box is missing
        (chan(QUADRAPHONIC)[:12], True),
        (b"My channel is about changes, and the chance of a chant", True),
        (chnl(1, 13), False),
        (chnl(2, 0), False),
        (b"cmov" + struct.pack(">I", 12) + b"dcom", False),
    ],
)
def test_the_order_is_read_from_wherever_the_box_stands(tmp_path, box, expected):
    file = tmp_path / "clip.mov"
    for before in (b"", b"....ftyp" + bytes(100), b"a channel" * 3):
        file.write_bytes(before + b"." + box)
        assert sound_layout.is_ordinary(file) is expected, before


def test_a_webm_file_has_no_such_box(tmp_path):
    (tmp_path / "clip.webm").write_bytes(b"\x1a\x45\xdf\xa3" + chan(QUADRAPHONIC))
    assert sound_layout.is_ordinary(tmp_path / "clip.webm")


@pytest.mark.parametrize("tag", [0, QUADRAPHONIC, DISCRETE])
def test_a_clip_whose_channels_have_an_order_of_their_own_is_refused_for_its_sound(tmp_path, tag):
    sent = small_clips.write(
        tmp_path / "sent.mov", seconds=1.2, kind="mov", codecs=("libx264", "pcm_s16le")
    )
    whole = sent.read_bytes()
    assert whole.count(b"chan" + struct.pack(">II", 0, STEREO)) == 1
    sent.write_bytes(whole.replace(struct.pack(">II", 0, STEREO), struct.pack(">II", 0, tag)))
    with pytest.raises(
        InvalidClip,
        match=(
            r"^The sound is in a format that is not taken. Save the clip as MP4 with AAC in "
            r"stereo\.$"
        ),
    ):
        upload.convert_clip(sent, tmp_path / "own.mp4")
    assert not (tmp_path / "own.mp4").exists()
