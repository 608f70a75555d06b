"""The gates of the speech: what is heard in a film is the narration, with every word at its level,
and with little else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from svc.media import audio
from svc.media.audio import Samples
from svc.media.checks.film_timeline import Film, SceneSpan, format_position
from svc.media.checks.frame_stats import ANALYSIS_RATE
from svc.media.checks.quality_gates import (
    Measurement,
    Measurements,
    measure_subject,
    quality_gate,
)
from svc.media.model import QualityFinding

SIMILARITY = 0.85  # least correlation of an excerpt with its recording; AAC leaves more than 0.99
LEVEL = 3.0  # dB by which an excerpt may differ from the rest of the film
NOISE = -25.0  # dB relative to the speech: what else is heard; AAC adds less than -45 dB to a voice
# From here on, an excerpt is certainly not the recording: other sound, or none; until then, coarse
# encoding may do that.
ANOTHER, ANOTHER_LEVEL, LOUD_NOISE = 0.5, 10.0, -12.0
_EXCERPT, _STEP = 0.12, 0.06  # seconds that are compared at a time, and from one to the next
_AUDIBLE = 0.1  # times the narration's level: what is quieter may be lost
_ONSET = 0.6  # seconds around a word's start in which its sound may begin
_BLOCK = 60 * ANALYSIS_RATE  # samples that are read at a time
# By how many seconds a whole scene may be early or late: times are rounded to frames. av_sync
# measures more.
_SEARCH = 0.02


@dataclass(frozen=True)
class SpeechMeasures:
    """The worst excerpts of a film: ``(seconds, value)``.

    ``noise``: dB relative to the speech, over the whole film.
    """

    similarity: tuple[float, float]
    level: tuple[float, float]
    noise: float


@dataclass(frozen=True)
class Passage:
    """A recording (int16, at ANALYSIS_RATE) that must be heard from ``start`` on, with speech from
    ``first`` to ``last`` (seconds of the film)."""

    start: float
    recording: Samples
    first: float
    last: float


def list_passages(
    scenes: tuple[SceneSpan, ...], narration: Samples, descriptions: dict[int, Samples]
) -> list[Passage]:
    """Return the speech of a film: each scene's part of ``narration``,
    and the ``descriptions`` of scenes before them.
    """
    passages = []
    for index, scene in enumerate(scenes):
        if index in descriptions and scene.runs > scene.start:
            passages.append(Passage(scene.start, descriptions[index], scene.start, scene.runs))
        if scene.words:
            first, last = (
                (moment - scene.later) * ANALYSIS_RATE for moment in (scene.runs, scene.end)
            )
            words = (scene.words[0][0], scene.words[-1][1])
            passages.append(
                Passage(scene.runs, audio.cut(narration, round(first), round(last)), *words)
            )
    return passages


def measure_speech(sound: Samples, spoken: list[Passage]) -> SpeechMeasures | None:
    """Compare the decoded ``sound`` (int16, at ANALYSIS_RATE) with what is ``spoken``;
    None if nothing of it is heard.
    """
    # A programme of fifteen minutes has ten million samples: one passage is in memory at a time.
    places = [(passage, _find_passage(sound, passage)) for passage in spoken]
    power = sum(_multiply_sounds(meant, meant) for _, _, meant in _pair_passages(sound, places))
    gain = (
        sum(_multiply_sounds(heard, meant) for _, heard, meant in _pair_passages(sound, places))
        / power
        if power
        else 0.0
    )
    if gain <= 0.0:
        return None
    audible = _AUDIBLE * float(np.sqrt(power / sum(len(passage.recording) for passage in spoken)))
    rows, rest = [], 0.0
    for passage, heard, meant in _pair_passages(sound, places):
        rows += list(_compare_excerpts(passage, heard, meant, gain, audible))
        rest += float(np.sum((heard - gain * meant.astype(np.float64)) ** 2))
    if not rows:
        return None
    noise = rest / (gain**2 * power)
    similarity, level = min(rows, key=lambda row: row[1]), max(rows, key=lambda row: abs(row[2]))
    return SpeechMeasures(
        (similarity[0], similarity[1]), (level[0], level[2]), 10 * float(np.log10(max(noise, 1e-9)))
    )


@dataclass(frozen=True)
class FilmSpeech:
    """The speech of a film. ``measures``: from :func:`measure_speech`; None: nothing is heard."""

    CHECKED: ClassVar[str] = "every mp4"
    film: Film
    measures: SpeechMeasures | None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.film.name


def list_findings(film: Film, measures: SpeechMeasures | None) -> list[QualityFinding]:
    """Return the findings for the words' sound."""
    return measure_subject(FilmSpeech(film, measures))


@quality_gate(
    "speech",
    of=FilmSpeech,
    how=f"by its recording, every {_EXCERPT} s",
    warning=f"correlation {SIMILARITY}",
    failure=f"{ANOTHER}",
)
def check_speech(speech: FilmSpeech) -> Measurement:
    """Compare what is heard with the narration."""
    if speech.measures is None:
        return Measurement("the narration is not heard", "every word", False)
    at, similarity = speech.measures.similarity
    return Measurement(
        f"at least {similarity:.2f} like the narration",
        f"at least {SIMILARITY}",
        similarity >= SIMILARITY,
        format_position(at, speech.film.scenes),
        f"{SIMILARITY - similarity:.2f}",
        certain=similarity < ANOTHER,
        at=at,
    )


@quality_gate(
    "speech level", of=FilmSpeech, warning=f"± {LEVEL:.0f} dB", failure=f"± {ANOTHER_LEVEL:.0f} dB"
)
def check_speech_level(speech: FilmSpeech) -> Measurements:
    """Check that no part of the narration is louder or quieter than the rest."""
    if speech.measures is None:
        return ()
    at, level = speech.measures.level
    return Measurement(
        f"{level:+.1f} dB at most",
        f"± {LEVEL:.0f} dB of the narration",
        abs(level) <= LEVEL,
        format_position(at, speech.film.scenes),
        f"{abs(level) - LEVEL:.1f} dB",
        certain=abs(level) > ANOTHER_LEVEL,
        at=at,
    )


@quality_gate(
    "other sound",
    of=FilmSpeech,
    warning=f"−{-NOISE:.0f} dB of the speech",
    failure=f"−{-LOUD_NOISE:.0f} dB",
)
def check_other_sound(speech: FilmSpeech) -> Measurements:
    """Check that little else than the narration is heard."""
    if speech.measures is None:
        return ()
    noise = speech.measures.noise
    return Measurement(
        f"{noise:.1f} dB of the speech",
        f"at most {NOISE:.0f} dB",
        noise <= NOISE,
        excess=f"{noise - NOISE:.1f} dB",
        certain=noise > LOUD_NOISE,
    )


def _find_passage(sound: Samples, passage: Passage) -> int:
    """Return the sample at which the passage is heard, as it fits best."""
    meant = passage.recording[:]
    margin = round(_SEARCH * ANALYSIS_RATE)
    start = round(passage.start * ANALYSIS_RATE) - margin
    heard = audio.cut_within_silence(sound, start, len(meant) + 2 * margin)
    size = 1 << len(heard).bit_length()
    product = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(meant, size)), size)
    return start + int(np.argmax(product[: 2 * margin + 1]))


def _pair_passages(
    sound: Samples, places: list[tuple[Passage, int]]
) -> Iterator[tuple[Passage, np.ndarray, np.ndarray]]:
    """Yield each passage, as it is heard and as it was recorded (int16), of the same length."""
    for passage, place in places:
        heard = audio.cut_within_silence(sound, place, len(passage.recording))
        yield passage, heard, passage.recording[:]


def _compare_excerpts(
    passage: Passage, heard: np.ndarray, meant: np.ndarray, gain: float, audible: float
) -> Iterator[tuple[float, float, float]]:
    """Yield the time, the correlation and the level (dB) of each audible excerpt of the speech."""
    length, step = round(_EXCERPT * ANALYSIS_RATE), round(_STEP * ANALYSIS_RATE)
    first = max(0, round((passage.first - passage.start) * ANALYSIS_RATE))
    last = min(len(meant), round((passage.last - passage.start) * ANALYSIS_RATE))
    for at in range(first, last - length + 1, step):
        a, b = (samples[at : at + length].astype(np.float64) for samples in (heard, meant))
        energy = float(np.dot(b, b))
        if energy / length >= audible**2:
            loud = float(np.dot(a, a))
            similarity = float(np.dot(a, b)) / max(float(np.sqrt(loud * energy)), 1e-9)
            level = 10 * float(np.log10(max(loud, 1e-9) / (gain**2 * energy)))
            yield passage.start + at / ANALYSIS_RATE, similarity, max(-99.0, level)


def _multiply_sounds(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.dot(first.astype(np.float64), second.astype(np.float64)))


def measure_level(sound: Samples) -> float:
    """Return the root mean square of ``sound``, of 16-bit samples."""
    parts = (sound[at : at + _BLOCK] for at in range(0, len(sound), _BLOCK))
    return float(np.sqrt(sum(_multiply_sounds(part, part) for part in parts) / max(1, len(sound))))


def find_onset(sound: Samples, level: float, moment: float, earliest: float) -> float | None:
    """Return when a sound begins around ``moment``, not before ``earliest`` (seconds); None if none
    does. ``level``: of all of the sound, from :func:`measure_level`."""
    window = ANALYSIS_RATE // 100
    first = max(0, round(max(earliest, moment - _ONSET) * 100))
    part = sound[first * window : round((moment + _ONSET) * 100) * window].astype(np.float64)
    if len(part) < window:
        return None
    levels = np.sqrt(np.mean(part[: len(part) // window * window].reshape(-1, window) ** 2, axis=1))
    loud = np.flatnonzero(levels > _AUDIBLE * level)
    return None if not len(loud) or loud[0] == 0 else (first + int(loud[0])) / 100
