"""Turning a clip into packets of a film, which are kept like those of a scene."""

from collections.abc import Iterator

import numpy as np

from svc.base.file_hash import hash_file
from svc.media.cache import make_cache_key
from svc.media.clips.clip import Clip
from svc.media.clips.fitting import Fitting
from svc.media.resources import Resources
from svc.media.video import encoding
from svc.media.video.encoding import Shot, VideoFormat
from svc.media.video.segments import EncodedSegment, hash_engine


def copy_packets(
    clip: Clip, first: int, frames: int, video_format: VideoFormat, resources: Resources
) -> Iterator[tuple[int, bytes]]:
    """Yield the frame number in the film and the packet of every picture of ``clip``, which is
    shown for ``frames`` frames from ``first`` on. The first is a keyframe."""
    name = _make_key(clip, frames, video_format)
    cached = resources.cache.find(name)
    if cached is None:
        encoded = EncodedSegment(
            tuple(encoding.encode(_list_shots(clip, frames, video_format), frames, video_format)),
            (),
        )
        resources.cache.keep(name, encoded.to_bytes())
    else:
        encoded = EncodedSegment.from_bytes(cached)
    yield from ((first + frame, packet) for frame, packet in encoded.packets)


def _make_key(clip: Clip, frames: int, video_format: VideoFormat) -> str:
    """Return a hash of everything that the packets depend on."""
    digest = hash_file(clip.file).sha256
    shape = [video_format.width, video_format.height, video_format.frame_rate, frames]
    return make_cache_key("clip", hash_engine(), digest, shape)


def _list_shots(clip: Clip, frames: int, video_format: VideoFormat) -> Iterator[Shot]:
    """Yield a shot for each picture that differs from the one before."""
    fitting, last = Fitting(clip.find_size(), (video_format.width, video_format.height)), None
    for number, frame in enumerate(clip.read_pictures(frames, video_format.frame_rate)):
        picture = fitting.fit_picture(frame)
        if last is None or not np.array_equal(picture.samples, last.samples):
            yield Shot(number, picture, number == 0)
            last = picture
