"""``python -m tests.media.mutations``: finished files are spoiled in 54 ways, and sound productions
vary; the gates judge both.

Prints which gates refuse each mutation or warn of it, and the margins of the sound productions.
Exits with 1 if a mutation passes, or a sound production does not. Names on the command line choose
among the mutations.
"""

import dataclasses
import itertools
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import av
import docx
import numpy as np
from PIL import Image, ImageFilter

from svc.base.looks import THEMES
from svc.media import audio
from svc.media.brand_kit import BrandKit
from svc.media.captions import captions, description
from svc.media.captions import parse as subtitles
from svc.media.checks import run as gates
from svc.media.clips import in_scenes, upload
from svc.media.clips.in_scenes import MovingVisuals
from svc.media.drawing.looks import LOOKS
from svc.media.drawing.yuv import Picture
from svc.media.errors import MediaError
from svc.media.model import (
    Descriptions,
    Lettering,
    Presenter,
    QualityFindings,
    Rendition,
    Timeline,
    Upload,
    VideoBrief,
    load,
    save,
)
from svc.media.resources import Resources
from svc.media.steps import PIPELINE_STEPS
from svc.media.video import encoding, key_pictures, mp4
from svc.media.video.encoding import Shot, VideoFormat
from tests.media import small_clips

WIDE, TALL = Rendition("landscape", 320, 180), Rendition("portrait", 180, 320)
FILM, DESCRIBED = "landscape.mp4", "described.mp4"
FAILURE, WARNING = "failure", "warning"
BRIEF = """The Moon pulls harder on the near side of the Earth than on the far one, and the ocean \
follows in two bulges.

## Two kinds

- Full moon: spring tides, with the largest range
- Half moon: neap tides, with the smallest range

## A day at the coast

The water rises for six hours and falls for six more, while the Earth turns beneath the two bulges.

## The range

| Place | Range |
|---|---|
| Bay of Fundy | 16 m |
| Severn Estuary | 15 m |
| Ungava Bay | 9 m |
"""


@dataclass
class Spoiled:
    """A copy of a finished production.

    A mutation changes ``frames``, ``sound``, or the files themselves.
    """

    folder: Path
    brief: VideoBrief
    name: str = FILM

    @cached_property
    def timeline(self) -> Timeline:
        return load(Timeline, self.folder / "timeline.json")

    @cached_property
    def frames(self) -> np.ndarray:
        """The pictures of the film: ``(frames, height * 3 / 2, width)``, uint8, planar."""
        with av.open(str(self.folder / self.name)) as film:
            return np.stack([frame.to_ndarray() for frame in film.decode(video=0)])

    @cached_property
    def keyframes(self) -> set[int]:
        with av.open(str(self.folder / self.name)) as film:
            packets = (packet for packet in film.demux(video=0) if packet.size)
            return {number for number, packet in enumerate(packets) if packet.is_keyframe}

    @cached_property
    def sound(self) -> np.ndarray:
        """The sound of the film, as it was decoded: mono, int16."""
        with av.open(str(self.folder / self.name)) as film:
            parts = [frame.to_ndarray().reshape(-1) for frame in film.decode(audio=0)]
        return np.clip(np.concatenate(parts) * 32768, -32768, 32767).astype(np.int16)

    def write(self, width: int = 0, height: int = 0, rate: int = 30, language: str = "en") -> None:
        """Encode the film again as frames and sound now are."""
        high, wide = self.frames.shape[1] * 2 // 3, self.frames.shape[2]
        video_format = VideoFormat(
            width or wide, height or high, rate, audio.SAMPLE_RATE, "Tides", language
        )
        shots = [
            Shot(
                number,
                Picture(video_format.width, video_format.height, _fitted(frame, video_format)),
                number in self.keyframes,
            )
            for number, frame in enumerate(self.frames)
            if number in self.keyframes
            or number == 0
            or not np.array_equal(frame, self.frames[number - 1])
        ]
        sound, count = self.sound, len(self.frames)
        with mp4.open_for_writing(self.folder / self.name, video_format) as writer:
            encoded = encoding.encode(shots, count, video_format)
            writer.mux(encoding.make_packets(writer.video, encoded, count, video_format), sound)

    def seconds(self, start: float, end: float, rate: int = 30) -> slice:
        return slice(round(start * rate), round(end * rate))

    def scene(self, number: int, rate: int = 30) -> slice:
        timing = self.timeline.scenes[number]
        return self.seconds(timing.start, timing.end, rate)

    def content(self) -> tuple[slice, slice]:
        """Rows and columns of luma where the scene's content is."""
        left, top, right, bottom = gates.measure_layout(
            self.brief, self.brief.renditions[0]
        ).content
        return slice(top // 2 * 2, bottom // 2 * 2), slice(left // 2 * 2, right // 2 * 2)


def _fitted(frame: np.ndarray, video_format: VideoFormat) -> np.ndarray:
    high, wide = frame.shape[0] * 2 // 3, frame.shape[1]
    if (wide, high) == (video_format.width, video_format.height):
        return frame.reshape(-1)
    picture = av.VideoFrame.from_ndarray(frame, format="yuv420p").reformat(
        video_format.width, video_format.height
    )
    return picture.to_ndarray().reshape(-1)


Mutate = Callable[[Spoiled], None]


@dataclass(frozen=True)
class Mutation:
    """``gate``: the check that must refuse it, or warn of it if ``is_certain`` is False; others
    may, too. ``clips``: of a production with intro, outro and code."""

    name: str
    gate: str
    spoil: Mutate
    clips: bool = False
    is_certain: bool = True

    @property
    def wanted(self) -> str:
        """What its gate must say."""
        return FAILURE if self.is_certain else WARNING


def _pictures(change: Callable[[Spoiled, np.ndarray], None]) -> Mutate:
    def spoil(film: Spoiled) -> None:
        change(film, film.frames)
        film.write()

    return spoil


def _sound(change: Callable[[Spoiled, np.ndarray], np.ndarray]) -> Mutate:
    def spoil(film: Spoiled) -> None:
        film.sound = change(film, film.sound.copy()).astype(np.int16)
        film.write()

    return spoil


def _frozen(seconds: float) -> Mutate:
    def change(film: Spoiled, frames: np.ndarray) -> None:
        first = round((film.timeline.scenes[1].start - 0.5) * 30)
        frames[first : first + round(seconds * 30)] = frames[first]

    return _pictures(change)


def _luma(frames: np.ndarray) -> np.ndarray:
    return frames[:, : frames.shape[1] * 2 // 3]


def _box(film: Spoiled, frames: np.ndarray, when: slice = slice(None)) -> None:
    rows, columns = film.content()
    middle = slice(
        rows.start + (rows.stop - rows.start) // 4, rows.stop - (rows.stop - rows.start) // 4
    )
    _luma(frames)[when, middle, columns] = 16


def _box_at_the_end(film: Spoiled, frames: np.ndarray) -> None:
    end = film.timeline.scenes[2].end
    _box(film, frames, film.seconds(end - 2.5, end))


def _planes(frame: np.ndarray) -> list[np.ndarray]:
    """Return views of the three planes."""
    height, width = frame.shape[0] * 2 // 3, frame.shape[1]
    flat, half = frame.reshape(-1), (height // 2, width // 2)
    size = height * width
    return [
        flat[:size].reshape(height, width),
        flat[size : size * 5 // 4].reshape(half),
        flat[size * 5 // 4 :].reshape(half),
    ]


def _each_plane(change: Callable[[np.ndarray], np.ndarray]) -> Mutate:
    def every(film: Spoiled, frames: np.ndarray) -> None:
        for frame in frames:
            for plane in _planes(frame):
                plane[:] = change(plane)

    return _pictures(every)


def _blurred(plane: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(plane).filter(ImageFilter.GaussianBlur(2)))


def _exchanged(film: Spoiled, frames: np.ndarray) -> None:
    first, second = film.scene(1), film.scene(2)
    length = min(first.stop - first.start, second.stop - second.start)
    one, two = (slice(each.start, each.start + length) for each in (first, second))
    frames[one], frames[two] = frames[two].copy(), frames[one].copy()


def _title_everywhere(film: Spoiled, frames: np.ndarray) -> None:
    title = frames[film.scene(0)].copy()
    for first in range(0, len(frames), len(title)):
        part = frames[first : first + len(title)]
        part[:] = title[: len(part)]


def _black(film: Spoiled, frames: np.ndarray) -> None:
    _luma(frames)[30:60] = 16
    frames[30:60, frames.shape[1] * 2 // 3 :] = 128


def _colourless(film: Spoiled, frames: np.ndarray) -> None:
    frames[:, frames.shape[1] * 2 // 3 :] = 128


def _later_pictures(film: Spoiled) -> None:
    film.frames = np.concatenate([film.frames[:3], film.frames[:-3]])[: len(film.frames)]
    film.keyframes = {0, *(number + 3 for number in film.keyframes if number)}
    film.write()


def _without_captions(film: Spoiled, frames: np.ndarray) -> None:
    left, top, right, bottom = gates.measure_layout(film.brief, film.brief.renditions[0]).strip
    luma = _luma(frames)
    luma[:, top:bottom, left:right] = luma[0, top:bottom, left:right]


def _muted(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    for scene in film.timeline.scenes[1:4]:
        middle = scene.words[len(scene.words) // 2].start
        sound[film.seconds(middle, middle + 0.4, audio.SAMPLE_RATE)] = 0
    return sound


def _quiet_part(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    part = film.seconds(
        film.timeline.scenes[1].start, film.timeline.scenes[1].start + 6, audio.SAMPLE_RATE
    )
    sound[part] = sound[part] * 10 ** (-30 / 20)
    return sound


def _words(film: Spoiled, *numbers: int) -> list[slice]:
    words = film.timeline.scenes[1].words
    return [
        film.seconds(words[number].start, words[number].end, audio.SAMPLE_RATE)
        for number in numbers
    ]


def _reversed(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    (word,) = _words(film, 2)
    sound[word] = sound[word][::-1]
    return sound


def _swapped(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    first, second = _words(film, 1, 3)
    length = min(first.stop - first.start, second.stop - second.start)
    one, two = (slice(each.start, each.start + length) for each in (first, second))
    sound[one], sound[two] = sound[two].copy(), sound[one].copy()
    return sound


def _noisy(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    """Mix pink noise in, 18 dB below the speech."""
    spectrum = np.fft.rfft(np.random.default_rng(1).normal(size=len(sound)))
    pink = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 20)), len(sound))
    mixed = sound + pink * (10 ** (-18 / 20) * np.std(sound.astype(float)) / np.std(pink))
    return np.clip(mixed, -32768, 32767)


def _clipped(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    return np.clip(sound.astype(np.int32) * 4, -32768, 32767)


def _moved(seconds: float) -> Mutate:
    shift = round(seconds * audio.SAMPLE_RATE)
    return _sound(
        lambda film, sound: np.pad(sound, (max(0, shift), max(0, -shift)))[max(0, -shift) :][
            : len(sound)
        ]
    )


def _undescribed(film: Spoiled) -> None:
    film.name = DESCRIBED
    cue = load(Descriptions, film.folder / "descriptions.json").cues[0]
    film.sound = film.sound.copy()
    film.sound[: round(cue.duration * audio.SAMPLE_RATE)] = 0
    film.write()


def _frozen_intro(film: Spoiled, frames: np.ndarray) -> None:
    frames[20:38] = frames[20]


def _black_intro(film: Spoiled, frames: np.ndarray) -> None:
    _luma(frames)[20:32] = 16
    frames[20:32, frames.shape[1] * 2 // 3 :] = 128


def _clip(film: Spoiled, frames: np.ndarray) -> np.ndarray:
    """Return the frames of the scene that plays a clip, a little after it began."""
    [clip] = load(MovingVisuals, film.folder / in_scenes.name_record_file(WIDE.name)).visuals
    return frames[film.scene(clip.scene)][15:]


def _frozen_clip(film: Spoiled, frames: np.ndarray) -> None:
    clip = _clip(film, frames)
    clip[:18] = clip[0]


def _black_clip(film: Spoiled, frames: np.ndarray) -> None:
    rows, columns = film.content()
    _luma(_clip(film, frames))[:12, rows, columns] = 16


def _late_clip(film: Spoiled, frames: np.ndarray) -> None:
    clip = _clip(film, frames)
    clip[9:] = clip[:-9].copy()


def _title_early(film: Spoiled, frames: np.ndarray) -> None:
    first = film.scene(0).start
    frames[:first] = frames[first]


def _close_late(film: Spoiled, frames: np.ndarray) -> None:
    end = round(film.timeline.closes * 30)
    frames[end:] = frames[end - 1]


def _mute_intro(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    sound[: round(film.timeline.intro * audio.SAMPLE_RATE)] = 0
    return sound


def _hum(film: Spoiled, sound: np.ndarray) -> np.ndarray:
    count = round(film.timeline.outro * audio.SAMPLE_RATE)
    sound[-count:] = sound[-count:] // 2 + 4000 * np.sin(np.arange(count) / 30)
    return sound


def _truncated(film: Spoiled) -> None:
    path = film.folder / FILM
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def _damaged(film: Spoiled) -> None:
    content = bytearray((film.folder / FILM).read_bytes())
    start = content.index(b"mdat") + 3000
    content[start : start + 60] = bytes(byte ^ 0x5A for byte in content[start : start + 60])
    (film.folder / FILM).write_bytes(content)


def _shorter(film: Spoiled) -> None:
    film.frames = film.frames[:-21]
    film.write()


def _shifted(seconds: float) -> Mutate:
    def spoil(film: Spoiled) -> None:
        _rewritten(
            film,
            lambda cue: dataclasses.replace(
                cue, start=max(0.0, cue.start + seconds), end=cue.end + seconds
            ),
        )

    return spoil


def _rewritten(
    film: Spoiled, change: Callable[[subtitles.Subtitle], subtitles.Subtitle | None]
) -> None:
    """Write the caption files with every cue changed, or left out for None."""
    for name, write in (
        ("captions.srt", captions.format_subrip),
        ("captions.vtt", captions.format_webvtt),
    ):
        cues = [
            changed for cue in subtitles.read_cues(film.folder / name) if (changed := change(cue))
        ]
        (film.folder / name).write_text(
            write([(cue.start, cue.end, list(cue.lines)) for cue in cues])
        )


def _without_a_cue(film: Spoiled) -> None:
    third = subtitles.read_cues(film.folder / "captions.vtt")[2]
    _rewritten(film, lambda cue: None if cue.start == third.start else cue)


def _a_short_cue(film: Spoiled) -> None:
    third = subtitles.read_cues(film.folder / "captions.vtt")[2]
    _rewritten(
        film,
        lambda cue: (
            dataclasses.replace(cue, end=cue.start + 0.2) if cue.start == third.start else cue
        ),
    )


def _written(name: str, content: bytes) -> Mutate:
    return lambda film: None if (film.folder / name).write_bytes(content) else None


def _replaced(name: str, old: str, new: str) -> Mutate:
    def spoil(film: Spoiled) -> None:
        text = (film.folder / name).read_text()
        assert old in text, f"{name} does not have {old!r}"
        (film.folder / name).write_text(text.replace(old, new))

    return spoil


def _other_document(film: Spoiled) -> None:
    document = docx.Document()
    document.core_properties.language = "en"
    document.add_paragraph("The minutes of another meeting.")
    document.save(str(film.folder / "transcript.docx"))


def _other_description(film: Spoiled) -> None:
    described = load(Descriptions, film.folder / "descriptions.json")
    first, *others = described.cues
    save(
        Descriptions((dataclasses.replace(first, text="Nothing to see."), *others)),
        film.folder / "descriptions.json",
    )


def _lettering(**changes) -> Mutate:
    def spoil(film: Spoiled) -> None:
        path = film.folder / f"lettering-{WIDE.name}.json"
        lettering = load(Lettering, path)
        first, *others = lettering.texts
        save(
            dataclasses.replace(lettering, texts=(dataclasses.replace(first, **changes), *others)),
            path,
        )

    return spoil


def _without_a_line_of_code(film: Spoiled) -> None:
    path = film.folder / f"lettering-{WIDE.name}.json"
    lettering = load(Lettering, path)
    kept = tuple(
        text for text in lettering.texts if text.part != "code" or "print" not in text.text
    )
    save(dataclasses.replace(lettering, texts=kept), path)


def _unlinked(name: str) -> Mutate:
    return lambda film: (film.folder / name).unlink()


SOUND = {  # by language: title, sentence, heading, points
    "en": (
        "Tea",
        "Dr. Smith says: it takes 3.5 minutes at 96 °C.",
        "Two steps",
        "Boil the water",
        "Pour it slowly",
    ),
    "de": (
        "Tee",
        "Grüner Tee zieht nur zwei Minuten, schwarzer Tee vier.",
        "Zwei Schritte",
        "Wasser kochen",
        "Langsam gießen",
    ),
    "fr": (
        "Le thé",
        "Le thé vert infuse deux minutes, le noir quatre.",
        "Deux étapes",
        "Chauffer l'eau",
        "Verser lentement",
    ),
    "es": (
        "El té",
        "El té verde reposa dos minutos; el negro, cuatro.",
        "Dos pasos",
        "Hervir el agua",
        "Servir despacio",
    ),
    "ru": (
        "Чай",
        "Зелёный чай заваривают две минуты.",
        "Два шага",
        "Вскипятить воду",
        "Медленно налить",
    ),
    "el": (
        "Τσάι",
        "Το πράσινο τσάι θέλει δύο λεπτά.",
        "Δύο βήματα",
        "Βράστε το νερό",
        "Σερβίρετε αργά",
    ),
    "ar": ("الشاي", "ينقع الشاي الأخضر دقيقتين فقط.", "خطوتان", "اغل الماء", "صب ببطء"),
    "hi": ("चाय", "हरी चाय दो मिनट में बनती है।", "दो चरण", "पानी उबालें", "धीरे डालें"),
    "vi": (
        "Trà",
        "Trà xanh cần hai phút, trà đen cần bốn phút.",
        "Hai bước",
        "Đun sôi nước",
        "Rót chậm",
    ),
    "tr": ("Çay", "Yeşil çay iki dakika demlenir.", "İki adım", "Suyu kaynat", "Yavaşça dök"),
}
_MARGINS = (
    "loudness",
    "true peak",
    "silence",
    "speech",
    "speech level",
    "other sound",
    "scene pictures",
    "still picture",
    "captions in the picture",
    "caption gap",
    "reading speed",
    "shortest caption",
    "captions and words",
    "captions and sound",
    "contrast",
)
_FIGURE = re.compile(r"[-+]?\d+(?:\.\d+)?")

MUTATIONS = (
    Mutation(
        "picture frozen for 1 s across scenes", "frozen picture", _frozen(1), is_certain=False
    ),
    Mutation(
        "picture frozen for 8 s across scenes",
        "captions in the picture",
        _frozen(8),
        is_certain=False,
    ),
    Mutation(
        "picture frozen for 10 s across scenes",
        "captions in the picture",
        _frozen(10),
        is_certain=False,
    ),
    Mutation("picture frozen for 20 s across scenes", "scene pictures", _frozen(20)),
    Mutation("black box over the content", "scene pictures", _pictures(_box)),
    Mutation("black box at a scene's end", "scene pictures", _pictures(_box_at_the_end)),
    Mutation(
        "pictures upside down", "scene pictures", _each_plane(lambda plane: plane[::-1].copy())
    ),
    Mutation(
        "pictures mirrored", "scene pictures", _each_plane(lambda plane: plane[:, ::-1].copy())
    ),
    Mutation("inverted colours", "scene pictures", _each_plane(lambda plane: 255 - plane)),
    Mutation("blurred pictures", "scene pictures", _each_plane(_blurred)),
    Mutation("no colour", "scene pictures", _pictures(_colourless)),
    Mutation("two scenes exchanged", "scene pictures", _pictures(_exchanged)),
    Mutation("every scene shows the title card", "scene pictures", _pictures(_title_everywhere)),
    Mutation("black for 1 s", "black picture", _pictures(_black)),
    Mutation("no captions in the picture", "captions in the picture", _pictures(_without_captions)),
    Mutation("pictures 100 ms late", "A/V offset", _later_pictures),
    Mutation("speech muted for 0.4 s three times", "speech", _sound(_muted)),
    Mutation("speech 30 dB quieter for 6 s", "speech level", _sound(_quiet_part)),
    Mutation("a word reversed", "speech", _sound(_reversed)),
    Mutation("two words exchanged", "speech", _sound(_swapped)),
    Mutation("pink noise mixed in", "other sound", _sound(_noisy), is_certain=False),
    Mutation("clipped sound", "true peak", _sound(_clipped)),
    Mutation("all sound 6 dB quieter", "loudness", _sound(lambda film, sound: sound // 2)),
    Mutation("sound 80 ms late", "A/V offset", _moved(0.08)),
    Mutation("sound 80 ms early", "A/V offset", _moved(-0.08)),
    Mutation("a description that is not heard", "speech", _undescribed),
    Mutation(
        "intro frozen for 0.6 s", "intro", _pictures(_frozen_intro), clips=True, is_certain=False
    ),
    Mutation("intro black for 0.4 s", "intro", _pictures(_black_intro), clips=True),
    Mutation("the title card in the intro's place", "intro", _pictures(_title_early), clips=True),
    Mutation("the close in the outro's place", "outro", _pictures(_close_late), clips=True),
    Mutation("intro without its sound", "intro sound", _sound(_mute_intro), clips=True),
    Mutation("a hum over the outro", "outro sound", _sound(_hum), clips=True, is_certain=False),
    Mutation(
        "a scene's clip frozen for 0.6 s",
        "moving picture",
        _pictures(_frozen_clip),
        clips=True,
        is_certain=False,
    ),
    Mutation(
        "a scene's clip black for 0.4 s", "moving picture", _pictures(_black_clip), clips=True
    ),
    Mutation(
        "a scene's clip plays 0.3 s late",
        "moving picture",
        _pictures(_late_clip),
        clips=True,
        is_certain=False,
    ),
    Mutation("truncated file", "decoding", _truncated),
    Mutation("damaged bytes", "decoding", _damaged),
    Mutation("picture ends 0.7 s early", "picture duration", _shorter),
    Mutation("wrong language tag", "language tags", lambda film: film.write(language="fr")),
    Mutation("half the size", "format", lambda film: film.write(width=160, height=90)),
    Mutation("captions 0.45 s early", "captions and words", _shifted(-0.45), is_certain=False),
    Mutation("captions 0.3 s late", "captions and words", _shifted(0.3), is_certain=False),
    Mutation("captions 0.9 s late", "captions and sound", _shifted(0.9), is_certain=False),
    Mutation("a cue left out", "scenes in captions", _without_a_cue),
    Mutation("a cue of 0.2 s", "shortest caption", _a_short_cue, is_certain=False),
    Mutation("emptied transcript", "text of the document", _written("transcript.txt", b"")),
    Mutation("emptied docx", "text of the document", _written("transcript.docx", b"")),
    Mutation("another document's text", "text of the document", _other_document),
    Mutation(
        "nonsense in descriptions.vtt",
        "text of the document",
        _replaced("descriptions.vtt", "title", "nonsense"),
    ),
    Mutation("the described version's text is wrong", "described text", _other_description),
    Mutation("a missing glyph", "missing glyphs", _lettering(missing="\u4e2d"), is_certain=False),
    Mutation("text without contrast", "contrast", _lettering(ink="#777777", ground="#787878")),
    Mutation(
        "a line of code left out", "code in the pictures", _without_a_line_of_code, clips=True
    ),
    Mutation(
        "no record of what was drawn",
        "scene pictures",
        _unlinked(key_pictures.name_file(WIDE.name)),
        is_certain=False,
    ),
)


def brief_of(markdown: str = BRIEF, **changes) -> VideoBrief:
    """Return a brief in small pictures."""
    brief = VideoBrief(
        "p",
        "How tides work",
        "How tides work",
        "en",
        "US",
        markdown,
        Presenter("Ada", voice="f3"),
        (WIDE,),
        account_name="Demo channel",
    )
    return dataclasses.replace(brief, **changes)


def with_clips(brief: VideoBrief, folder: Path) -> VideoBrief:
    """Return the brief with an intro, an outro, code, and a scene that plays a clip,
    whose files are put into ``folder``.
    """
    for name, seconds in (("first.mp4", 2.0), ("last.mp4", 1.5), ("quay.mp4", 4.0)):
        upload.convert_clip(small_clips.write(folder / "sent", seconds), folder / name)
    clips = {
        "intro": "first.mp4",
        "intro_licence": "CC0",
        "outro": "last.mp4",
        "outro_licence": "CC0",
    }
    code = "\n## The range of a place\n\n```python\nspread = spring - neap\nprint(spread)\n```\n"
    notes = (
        brief.metadata_md + code + "\n## The quay\n\n![The tide comes in at the quay](quay.mov)\n"
    )
    return dataclasses.replace(
        brief, brand=BrandKit(**clips), metadata_md=notes, uploads=(Upload("quay.mov", "quay.mp4"),)
    )


def produce(brief: VideoBrief, folder: Path) -> None:
    """Run every step before the gates, and write the texts beside the videos,
    with which the step of the gates begins.
    """
    for step in itertools.takewhile(lambda step: step.name != "checks", PIPELINE_STEPS):
        step.run(brief, folder, lambda fraction: None, Resources())
    description.write_descriptions(brief, folder)


def judged_by(brief: VideoBrief, folder: Path) -> dict[str, str]:
    """Run the gates, and return those that do not pass the production,
    each with FAILURE or WARNING.
    """
    refused = False
    try:
        gates.run_checks(brief, folder, lambda fraction: None)
    except MediaError as error:
        assert error.code == "QUALITY_GATE_FAILED"
        refused = True
    findings = load(QualityFindings, folder / "findings.json").findings
    judged = {finding.check: WARNING for finding in findings if finding.warns}
    judged |= {finding.check: FAILURE for finding in findings if finding.fails}
    assert refused == (FAILURE in judged.values())
    return judged


def verdict(mutation: Mutation, brief: VideoBrief, finished: Path) -> dict[str, str]:
    """Apply ``mutation`` to a copy of the production in ``finished``,
    and return what :func:`judged_by` says of it.
    """
    with tempfile.TemporaryDirectory() as root:
        folder = Path(shutil.copytree(finished, Path(root) / "copy"))
        mutation.spoil(Spoiled(folder, brief))
        return judged_by(brief, folder)


def sound_briefs() -> list[VideoBrief]:
    """Return three briefs for every language; looks, themes, shapes,
    presenters and captions take turns.
    """
    briefs, looks = [], tuple(LOOKS)
    for number, ((language, (title, text, heading, *points)), _) in enumerate(
        itertools.product(SOUND.items(), range(3))
    ):
        look, again = looks[number % len(looks)], number // len(looks)
        shape = (WIDE, TALL)[(number + again) % 2]
        markdown = f"{text}\n\n## {heading}\n\n" + "".join(f"- {point}\n" for point in points)
        briefs.append(
            brief_of(
                markdown,
                title=title,
                topic=title,
                language=language,
                renditions=(shape,),
                look=look,
                theme=THEMES[(number + again // 2) % len(THEMES)],
                caption_style=("highlight", "plain")[number % 5 == 4],
                avatar=Presenter("Ada", moving=number % 7 != 3),
            )
        )
    return briefs


def try_mutations(names: list[str]) -> list[str]:
    """Try the mutations with these names, or all; print the gates that refuse each,
    and return those that passed.
    """
    passed, chosen = [], [mutation for mutation in MUTATIONS if not names or mutation.name in names]
    for clips in sorted({mutation.clips for mutation in chosen}):
        with tempfile.TemporaryDirectory() as root:
            brief = with_clips(brief_of(), Path(root)) if clips else brief_of()
            passed += _try_all(
                [mutation for mutation in chosen if mutation.clips == clips], brief, Path(root)
            )
    print(f"{len(passed)} of {len(chosen)} mutations passed.", flush=True)
    return passed


def _try_all(mutations: list[Mutation], brief: VideoBrief, finished: Path) -> list[str]:
    produce(brief, finished)
    if found := judged_by(brief, finished):
        return [f"nothing at all, refused by {', '.join(found)}"]
    passed = []
    for mutation in mutations:
        found = verdict(mutation, brief, finished)
        told = ", ".join(f"{gate} ({judged})" for gate, judged in found.items())
        print(f"{mutation.name:42} {told or 'PASSED'}", flush=True)
        passed += [] if found.get(mutation.gate) == mutation.wanted else [mutation.name]
    return passed


def try_sound(briefs: list[VideoBrief]) -> list[str]:
    """Make each production; print the figures nearest to the limits,
    and return those that were refused.
    """
    refused, figures = [], {}
    for brief in briefs:
        with tempfile.TemporaryDirectory() as root:
            produce(brief, Path(root))
            name = (
                f"{brief.language} {brief.look} {brief.theme} {brief.renditions[0].name} "
                f"{brief.caption_style}"
            )
            if found := judged_by(brief, Path(root)):
                refused.append(f"{name}: {', '.join(found)}")
            for finding in load(QualityFindings, Path(root) / "findings.json").findings:
                if finding.check in _MARGINS and (figure := _FIGURE.search(finding.measured)):
                    figures.setdefault((finding.check, finding.limit), []).append(float(figure[0]))
    for (check, limit), values in figures.items():
        print(f"{check:24} {min(values):8.2f} to {max(values):8.2f}   {limit}", flush=True)
    print(
        "\n".join([f"{len(refused)} of {len(briefs)} sound productions refused.", *refused]),
        flush=True,
    )
    return refused


def main(names: list[str]) -> int:
    """Return the exit status."""
    failed = try_mutations(names)
    if not names:
        failed += try_sound(sound_briefs())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
