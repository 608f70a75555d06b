"""Repeated pictures are numbered as H.264 requires, or not used at all."""

from fractions import Fraction

import av
import numpy as np
import pytest

from svc.media.drawing.yuv import Picture, read_planes
from svc.media.video import encoding, skip_frames
from svc.media.video.encoding import VideoFormat

SMALL = VideoFormat(64, 48, 30, 48_000, "t", "en")


def encoded(*greys: int) -> tuple[bytes, list[bytes]]:
    """Parameter sets, and a packet for each flat picture."""
    encoder = encoding._make_encoder(SMALL)
    pictures = [Picture(64, 48, np.full(64 * 48 * 3 // 2, grey, np.uint8)) for grey in greys]
    packets = [
        bytes(packet)
        for number, picture in enumerate(pictures)
        for packet in encoder.encode(encoding._make_frame(picture, number))
    ]
    return bytes(encoder.extradata), packets


def shown(parameter_sets: bytes, packets: list[bytes]) -> list[int]:
    """The grey of each decoded picture."""
    decoder = av.CodecContext.create("h264", "r")
    decoder.extradata, decoder.options = parameter_sets, {"err_detect": "explode"}
    frames = [
        frame for packet in packets for frame in decoder.decode(av.Packet(packet))
    ] + decoder.decode(None)
    return [round(float(frame.to_ndarray()[:48].mean())) for frame in frames]


def test_a_picture_is_repeated_past_the_end_of_the_count_and_the_next_one_follows():
    sets, (keyframe, still) = encoded(90, 90)
    _, (_, changed) = encoded(90, 160)
    counter = skip_frames.FrameCounter(sets, still)
    packets = [
        counter.renumber(keyframe),
        *(counter.repeat() for _ in range(40)),
        counter.renumber(changed),
    ]
    packets += [counter.repeat() for _ in range(3)]
    assert shown(sets, packets) == [90] * 41 + [160] * 4


def test_a_repeated_picture_takes_few_bytes():
    sets, (_, still) = encoded(90, 90)
    assert len(skip_frames.FrameCounter(sets, still).repeat()) < 40


def test_a_keyframe_starts_the_count_again():
    sets, (keyframe, still) = encoded(90, 90)
    counter = skip_frames.FrameCounter(sets, still)
    assert counter.renumber(keyframe) == keyframe
    first = counter.repeat()
    counter.repeat()
    counter.restart()
    assert counter.repeat() == first


def test_numbers_that_look_like_start_codes_are_escaped():
    sets, (_, still) = encoded(90, 90)
    numbering = skip_frames.FrameNumbering.parse(sets)
    (unit,) = skip_frames.split(still)
    padded = unit[:2] + b"\0\0\3\0\0\3\1" + unit[2:]
    assert b"\0\0\0" not in numbering.set_frame_number(
        padded, 0
    ) and b"\0\0\1" not in numbering.set_frame_number(padded, 0)


def test_a_stream_that_shows_pictures_out_of_order_is_refused():
    encoder = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = (
        64,
        48,
        "yuv420p",
        Fraction(1, 30),
    )
    encoder.flags |= av.codec.context.Flags.global_header
    encoder.options = {"preset": "medium"}
    encoder.open()
    with pytest.raises(skip_frames.UnsupportedStream):
        skip_frames.FrameNumbering.parse(bytes(encoder.extradata))


def test_a_stream_without_parameter_sets_is_refused():
    with pytest.raises(skip_frames.UnsupportedStream):
        skip_frames.FrameNumbering.parse(b"")


def test_a_repeat_that_is_not_a_mere_skip_is_refused():
    sets, (_, changed) = encoded(90, 160)
    with pytest.raises(skip_frames.UnsupportedStream):
        skip_frames.FrameCounter(sets, changed + b"\1" * 500)


def test_packets_are_length_prefixed_for_mp4():
    assert skip_frames.prefix_lengths(b"\0\0\0\1abc\0\0\1de") == b"\0\0\0\3abc\0\0\0\2de"


def test_an_escape_anywhere_in_a_slice_survives_a_new_number():
    numbering = skip_frames.FrameNumbering(4)
    for zeros in range(2, 60):
        slice_ = b"\x41\x9a" + b"\x80" * zeros + b"\0\0\3\0\0\3\1" + b"\x80" * 40
        renumbered = numbering.set_frame_number(slice_, 5)
        assert renumbered != slice_
        assert numbering.set_frame_number(renumbered, 0) == numbering.set_frame_number(slice_, 0)
        assert renumbered[4:] == slice_[4:]


@pytest.mark.parametrize("size", [(1080, 1350), (98, 50), (34, 18), (64, 36), (2, 2)])
def test_the_encoder_gets_every_sample_of_a_picture_of_any_even_size(size):
    width, height = size
    noise = np.random.default_rng(1).integers(0, 255, width * height * 3 // 2, dtype=np.uint8)
    picture = Picture(width, height, noise)
    frame = picture.to_frame()
    assert (frame.width, frame.height) == size
    assert all(
        (there == meant).all()
        for there, meant in zip(read_planes(frame), picture.planes(), strict=True)
    )
