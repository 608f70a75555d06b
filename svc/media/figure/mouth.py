"""The shapes of the presenter's mouth while they speak: from the voice's phonemes,
or else from its loudness.
"""

import numpy

from svc.media.audio import Samples
from svc.media.model import SceneTiming

SHUT, PARTED, OPEN, WIDE, ROUND, BITE = range(6)
CLOSING_SHAPES = (SHUT, BITE)  # shapes that are seen in full, however briefly
_PER_SECOND = 15  # shapes; each is a frame to encode
_PHONEMES = {
    SHUT: "mbp",
    BITE: "fvʋɸβ",
    ROUND: "wuʊoɔɒʉyʏøœɥʘ",
    OPEN: "aɑæʌɐäɶ",
    WIDE: "iɪeɛjɨɘ",
}
_SHAPES = {letter: shape for shape, letters in _PHONEMES.items() for letter in letters}
_MARKS = "ˈˌːˑ.ʔ"
_LOUD, _QUIET = 0.55, 0.16  # relative to the loud parts of the scene

Shapes = list[tuple[int, int]]  # (first frame, shape)


def find_mouth_shapes(
    timing: SceneTiming, frame_rate: int, narration: Samples | None = None, sample_rate: int = 1
) -> Shapes:
    """Return the mouth shapes of one scene, in order, each with its first frame in the programme;
    before the first it is shut.

    ``narration``: the programme's sound, for a voice that reports no phonemes; without it, the
    mouth opens during words.
    """
    first, last = round(timing.start * frame_rate), round(timing.end * frame_rate)
    step = max(1, round(frame_rate / _PER_SECOND))
    changes: Shapes = []
    read = (
        _make_phoneme_reader(timing)
        if timing.sounds
        else _make_loudness_reader(timing, narration, sample_rate)
    )
    for frame in range(first, last, step):
        start, end = frame / frame_rate, (frame + step) / frame_rate
        shape = SHUT if _is_listening(timing, start, end) else read(start, end)
        if shape != (changes[-1][1] if changes else SHUT):
            changes.append((frame, shape))
    return changes


def find_shape(phoneme: str) -> int:
    """Return the mouth shape of ``phoneme`` (IPA); ``SHUT`` for silence."""
    bare = phoneme.strip(_MARKS)
    return _SHAPES.get(bare[0], PARTED) if bare else SHUT


def _make_phoneme_reader(timing: SceneTiming):
    starts = [sound.start for sound in timing.sounds]
    spoken = [find_shape(sound.phoneme) for sound in timing.sounds]

    def read(start: float, end: float) -> int:
        """Prefer lips that close, however briefly; otherwise take the phoneme in the middle."""
        closing = [
            shape
            for at, shape in zip(starts, spoken, strict=True)
            if start <= at < end and shape in CLOSING_SHAPES
        ]
        at = numpy.searchsorted(starts, (start + end) / 2, side="right") - 1
        return (
            closing[0]
            if closing
            else spoken[at]
            if at >= 0 and _is_spoken(timing, start, end)
            else SHUT
        )

    return read


def _make_loudness_reader(timing: SceneTiming, narration: Samples | None, sample_rate: int):
    def loudness(start: float, end: float) -> float:
        if narration is None:
            return 0.0
        part = narration[round(start * sample_rate) : round(end * sample_rate)].astype(
            numpy.float64
        )
        return float(numpy.sqrt((part**2).mean())) if len(part) else 0.0

    usual = loudness(timing.start, timing.end) * 1.6 if narration is not None else 1.0

    def read(start: float, end: float) -> int:
        if not _is_spoken(timing, start, end):
            return SHUT
        level = loudness(start, end) / (usual or 1.0) if narration is not None else _QUIET
        return OPEN if level >= _LOUD else PARTED if level >= _QUIET else SHUT

    return read


def _is_listening(timing: SceneTiming, start: float, end: float) -> bool:
    """Return whether somebody else than the presenter speaks, in a dialogue."""
    return any(first < end and last > start for first, last in timing.others)


def _is_spoken(timing: SceneTiming, start: float, end: float) -> bool:
    return any(word.start < end and word.end > start for word in timing.words)
