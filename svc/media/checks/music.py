"""The gate of the music: the bed is far enough under the speech; without the bed,
the other gates hear the speech alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np

from svc.base import deliverable_kinds
from svc.media import audio
from svc.media.audio import Samples
from svc.media.checks.film_timeline import Film
from svc.media.checks.frame_stats import ANALYSIS_RATE, find_silences
from svc.media.checks.probe import ProbeResult
from svc.media.checks.quality_gates import Measurement, measure_subject, quality_gate
from svc.media.model import QualityFinding
from svc.media.music import mixing

UNDER = 16.0  # dB: least distance from the speech down to the bed, while someone speaks
DROWNED = 6.0  # dB: at less, the words are certainly not understood
_WINDOW = ANALYSIS_RATE // 100
_BLOCK = 60 * ANALYSIS_RATE


def separate_speech(
    film: Film, result: ProbeResult, folder: Path, sound: Path
) -> tuple[ProbeResult, list[QualityFinding]]:
    """Return ``result`` with the speech as its sound, and the finding for the music; without music,
    ``result`` and none.

    The bed as it was mixed is taken from the decoded sound. What is left must be the narration:
    where speech was lost, nothing is left, and a bed that is lost or another one is left as noise.
    Loudness and true peak stay those of the mix. ``sound``: a file for the speech.
    """
    if mixing.read_choice(folder) is None:
        return result, []
    mix = folder / (
        mixing.DESCRIBED if film.name == deliverable_kinds.DESCRIBED else mixing.PROGRAMME
    )
    gain = 10 ** ((film.rendition.loudness - audio.TARGET) / 20)
    parting = _Parting(film, gain)
    speech = audio.store_samples(parting.remove_bed(result.sound, mixing.find_bed_file(mix)), sound)
    silent = find_silences(np.concatenate([*parting.levels, np.zeros(0)]), Fraction(100))
    return replace(result, sound=speech, silent=silent), measure_subject(
        FilmMusic(film, parting.under)
    )


@dataclass
class _Parting:
    """Takes a bed, made louder by ``gain``, from a film's sound.

    ``levels``: mean squares of the speech, a hundred a second.
    """

    film: Film
    gain: float
    levels: list[np.ndarray] = field(default_factory=list)
    bed_power: float = 0.0  # while someone speaks, as that of the speech
    speech_power: float = 0.0

    @property
    def under(self) -> float:
        """How far the bed is under the speech, in dB."""
        return 10 * float(np.log10(max(self.speech_power, 1e-9) / max(self.bed_power, 1e-9)))

    def remove_bed(self, sound: Samples, bed_file: Path) -> Iterator[np.ndarray]:
        """Yield the speech alone (int16)."""
        for at, bed in _read_bed(bed_file, len(sound)):
            words = _find_speech(self.film, at, len(bed))
            left = sound[at : at + len(bed)] - self.gain * bed
            self.levels.append(
                np.mean(
                    (left[: len(left) // _WINDOW * _WINDOW].reshape(-1, _WINDOW) / 32768) ** 2,
                    axis=1,
                )
            )
            self.bed_power += float(np.sum((self.gain * bed[words]) ** 2))
            self.speech_power += float(np.sum(left[words] ** 2))
            yield np.clip(np.rint(left), -32768, 32767).astype(np.int16)


@dataclass(frozen=True)
class FilmMusic:
    """The music of a film. ``under``: dB from the speech down to the bed, while someone speaks."""

    CHECKED: ClassVar[str] = "mp4 with music"
    film: Film
    under: float

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.film.name


@quality_gate(
    "music",
    of=FilmMusic,
    how="by the bed as it was mixed; the gates of the speech hear what is left without it",
    warning=f"{UNDER:.0f} dB under the speech",
    failure=f"{DROWNED:.0f} dB",
)
def check_music(music: FilmMusic) -> Measurement:
    """Check that the speech is understood over the music."""
    under = music.under
    return Measurement(
        f"{under:.1f} dB under the speech",
        f"at least {UNDER:.0f} dB",
        under >= UNDER,
        excess=f"{UNDER - under:.1f} dB",
        certain=under < DROWNED,
    )


def _find_speech(film: Film, at: int, count: int) -> np.ndarray:
    """Return for each of ``count`` samples from ``at`` on whether a word or a
    description is spoken.
    """
    spoken = np.zeros(count, bool)
    for scene in film.scenes:
        for start, end in (*scene.words, (scene.start, scene.runs)):
            first, last = (max(0, round(moment * ANALYSIS_RATE) - at) for moment in (start, end))
            spoken[first:last] = True
    return spoken


def _read_bed(path: Path, count: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield ``count`` samples of the bed at ANALYSIS_RATE in blocks, with the place of each;
    after its end there is silence.
    """
    bed, step = audio.open_stored(path), audio.SAMPLE_RATE // ANALYSIS_RATE
    for at in range(0, count, _BLOCK):
        length = min(_BLOCK, count - at)
        part = bed[at * step : (at + length) * step].astype(np.float32)
        yield at, np.pad(part, (0, length * step - len(part))).reshape(-1, step).mean(axis=1)
