"""The described mp4: before each scene its first picture stands still while a voice says what is to be seen.

This is extended audio description (WCAG 2.2, success criterion 1.2.7). The packets of the programme are used again; only
the sound is encoded anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from svc.media import encoding, mp4, sound, video
from svc.media.encoding import VideoFormat
from svc.media.errors import MediaError
from svc.media.programme import Descriptions, Script, Timeline, VideoBrief, load
from svc.media.storyboard import frame_at

NAME = "described.mp4"


@dataclass(frozen=True)
class _Hold:
    """The picture at ``frame`` of the programme stands for ``frames``, with ``sound`` (as long, to the sample)."""

    frame: int
    frames: int
    sound: np.ndarray


def make(brief: VideoBrief, folder: Path, progress) -> None:
    """Make ``described.mp4`` from the first rendition's mp4, ``narration.wav``, ``descriptions.json`` and, for each of its
    cues, ``description-{scene}.wav``. Raises MediaError if a scene of the mp4 does not start with a keyframe."""
    rendition = brief.renditions[0]
    made_as = video.output_format(brief, load(Script, folder / "script.json"), rendition)
    timeline, descriptions = load(Timeline, folder / "timeline.json"), load(Descriptions, folder / "descriptions.json")
    holds = _holds(folder, timeline, descriptions, made_as)
    narration = mp4.read_wav(folder / "narration.wav")
    with av.open(str(folder / f"{rendition.name}.mp4")) as programme:
        source = programme.streams.video[0]
        with mp4.open_for_writing(folder / NAME, made_as, template=source) as film:
            pictures = _pictures(programme, film.video, holds, made_as, progress)
            film.mux(pictures, sound.attenuate(_with_descriptions(narration, holds, made_as), rendition.loudness))
    progress(1.0)


def _holds(folder: Path, timeline: Timeline, descriptions: Descriptions, made_as: VideoFormat) -> list[_Hold]:
    """Lengths are rounded as a running sum, so that the whole stays within a frame of what was recorded."""
    found, before = [], 0.0
    for cue in sorted(descriptions.cues, key=lambda cue: cue.scene):
        after = before + cue.duration
        frames = frame_at(after, made_as.frame_rate) - frame_at(before, made_as.frame_rate)
        spoken = mp4.read_wav(folder / f"description-{cue.scene}.wav")
        at = frame_at(timeline.scenes[cue.scene].start, made_as.frame_rate)
        found.append(_Hold(at, frames, _as_long(spoken, _sample(frames, made_as))))
        before = after
    return [hold for hold in found if hold.frames > 0]


def _sample(frame: int, made_as: VideoFormat) -> int:
    return round(Fraction(frame * made_as.sample_rate, made_as.frame_rate))


def _as_long(samples: np.ndarray, length: int) -> np.ndarray:
    return np.pad(samples[:length], (0, max(0, length - len(samples))))


def _with_descriptions(narration: np.ndarray, holds: list[_Hold], made_as: VideoFormat) -> np.ndarray:
    parts, last = [], 0
    for hold in holds:
        at = _sample(hold.frame, made_as)
        parts += [narration[last:at], hold.sound]
        last = at
    return np.concatenate([*parts, narration[last:]])


def _pictures(programme, stream, holds: list[_Hold], made_as: VideoFormat, progress) -> Iterator[av.Packet]:
    """The programme's packets, later by every hold before them, and the held pictures."""
    held = {hold.frame: hold.frames for hold in holds}
    holder = encoding.FreezeFrameEncoder(made_as, programme.streams.video[0].codec_context.extradata)
    total, at = programme.streams.video[0].frames, 0
    for number, packet in enumerate(packet for packet in programme.demux(video=0) if packet.size):
        if number in held:
            if not packet.is_keyframe:
                raise MediaError(f"Frame {number} of the programme is no keyframe.")
            for repeat, content in enumerate(holder.packets(bytes(packet), held[number])):
                yield encoding.make_packet(content, stream, at + repeat, made_as, keyframe=repeat == 0)
            at += held[number]
        yield encoding.make_packet(bytes(packet), stream, at, made_as, packet.is_keyframe)
        at += 1
        progress(number / max(1, total))
