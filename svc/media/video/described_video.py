"""Making the described mp4: before each scene its first picture is frozen while a voice describes
it.

This is extended audio description (WCAG 2.2, success criterion 1.2.7). The programme's video
packets are reused; only the sound is encoded again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from svc.base.deliverable_kinds import DESCRIBED
from svc.media import audio
from svc.media.captions import chapters
from svc.media.errors import MediaError
from svc.media.model import Descriptions, Timeline, VideoBrief, load, load_script, load_timeline
from svc.media.music import effects as sound_effects
from svc.media.music import mixing
from svc.media.video import encoding, mp4, render
from svc.media.video.encoding import VideoFormat
from svc.media.video.storyboard import find_frame

_SPEECH = "described.pcm"  # its sound without music, while it is made
_BLOCK = 10 * audio.SAMPLE_RATE  # samples that are copied at a time


@dataclass(frozen=True)
class _FreezeFrame:
    """The picture at ``frame`` of the programme, shown for ``frames`` frames with ``sound`` of
    exactly that length.
    """

    frame: int
    frames: int
    sound: np.ndarray


def make_described_video(brief: VideoBrief, folder: Path, progress) -> None:
    """Write ``described.mp4`` from the first rendition's mp4, ``narration.wav``,
    ``descriptions.json`` and the ``description-{scene}.wav`` of each cue.

    Raises MediaError if a scene of the mp4 does not start with a keyframe.
    """
    rendition = brief.renditions[0]
    script = load_script(folder)
    video_format = render.choose_format(brief, script, rendition)
    timeline = load_timeline(folder)
    descriptions = load(Descriptions, folder / "descriptions.json")
    freezes = _list_freeze_frames(folder, timeline, descriptions, video_format)
    with (
        _yield_speech(folder, freezes, video_format) as speech,
        av.open(str(folder / f"{rendition.name}.mp4")) as programme,
    ):
        rate = video_format.frame_rate
        stops = [(freeze.frame / rate, freeze.frames / rate) for freeze in freezes]
        effects = sound_effects.delay_effects(sound_effects.read_effects(folder), stops)
        bed, clips = mixing.read_choice(folder), render.count_clip_samples(timeline)
        sound = mixing.mix_music(bed, speech, folder / mixing.DESCRIBED, *clips, effects=effects)
        source = programme.streams.video[0]
        parts = chapters.list_chapters(script, timeline, descriptions)
        end = timeline.duration + sum(cue.duration for cue in descriptions.cues)
        with mp4.open_for_writing(folder / DESCRIBED, video_format, source, parts, end) as writer:
            pictures = _list_packets(programme, writer.video, freezes, video_format, progress)
            writer.mux(pictures, sound, rendition.loudness)
    progress(1.0)


def _list_freeze_frames(
    folder: Path, timeline: Timeline, descriptions: Descriptions, video_format: VideoFormat
) -> list[_FreezeFrame]:
    """Return the freeze frames.

    Their lengths are rounded as a running sum, so that the total is exact to one frame.
    """
    freezes, before = [], 0.0
    for cue in sorted(descriptions.cues, key=lambda cue: cue.scene):
        after = before + cue.duration
        frames = find_frame(after, video_format.frame_rate) - find_frame(
            before, video_format.frame_rate
        )
        recording = mp4.read_wav(folder / f"description-{cue.scene}.wav")
        at = find_frame(timeline.scenes[cue.scene].start, video_format.frame_rate)
        freezes.append(
            _FreezeFrame(at, frames, _fit_length(recording, _find_sample(frames, video_format)))
        )
        before = after
    return [freeze for freeze in freezes if freeze.frames > 0]


def _find_sample(frame: int, video_format: VideoFormat) -> int:
    return round(Fraction(frame * video_format.sample_rate, video_format.frame_rate))


def _fit_length(samples: np.ndarray, length: int) -> np.ndarray:
    return np.pad(samples[:length], (0, max(0, length - len(samples))))


@contextmanager
def _yield_speech(
    folder: Path, freezes: list[_FreezeFrame], video_format: VideoFormat
) -> Iterator[audio.Stored]:
    """Yield the narration with the descriptions, in a file:
    that of a long programme takes hundreds of megabytes.
    """
    path = folder / _SPEECH
    try:
        with path.open("wb") as file:
            for part in _insert_descriptions(
                audio.open_stored(folder / "narration.wav"), freezes, video_format
            ):
                for at in range(0, len(part), _BLOCK):
                    file.write(part[at : at + _BLOCK].astype("<i2", copy=False).tobytes())
        yield audio.Stored(path, 0, path.stat().st_size // 2)
    finally:
        path.unlink(missing_ok=True)


def _insert_descriptions(
    narration: audio.Stored, freezes: list[_FreezeFrame], video_format: VideoFormat
) -> Iterator[audio.Samples]:
    last = 0
    for freeze in freezes:
        at = _find_sample(freeze.frame, video_format)
        yield audio.cut(narration, last, at)
        yield freeze.sound
        last = at
    yield audio.cut(narration, last, len(narration))


def _list_packets(
    programme, stream, freezes: list[_FreezeFrame], video_format: VideoFormat, progress
) -> Iterator[av.Packet]:
    """Yield the programme's packets, delayed by the freeze frames before them,
    and the frozen pictures.
    """
    lengths = {freeze.frame: freeze.frames for freeze in freezes}
    encoder = encoding.FreezeFrameEncoder(
        video_format, programme.streams.video[0].codec_context.extradata
    )
    total, at = programme.streams.video[0].frames, 0
    for number, packet in enumerate(packet for packet in programme.demux(video=0) if packet.size):
        if number in lengths:
            if not packet.is_keyframe:
                raise MediaError(f"Frame {number} of the programme is not a keyframe.")
            for repeat, content in enumerate(
                encoder.encode_packets(bytes(packet), lengths[number])
            ):
                yield encoding.make_packet(
                    content, stream, at + repeat, video_format, keyframe=repeat == 0
                )
            at += lengths[number]
        yield encoding.make_packet(bytes(packet), stream, at, video_format, packet.is_keyframe)
        at += 1
        progress(number / max(1, total))
