"""The gate of the music: the bed is far enough under the speech; without the bed, the other gates hear the speech alone."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from svc.media.checks.film_timeline import Film
from svc.media.checks.frame_stats import ANALYSIS_RATE, silences
from svc.media.checks.probe import ProbeResult
from svc.media.model import GateFinding
from svc.media.music import mixing
from svc.media.speech import audio
from svc.media.video import described_video

UNDER = 16.0  # dB: least distance from the speech down to the bed, while someone speaks
_WINDOW = ANALYSIS_RATE // 100
_BLOCK = 60 * ANALYSIS_RATE


def apart(film: Film, result: ProbeResult, folder: Path) -> tuple[ProbeResult, list[GateFinding]]:
    """Return ``result`` with the speech as its sound, and the finding for the music; without music, ``result`` and none.

    The bed as it was mixed is taken from the decoded sound. What is left must be the narration: where speech was lost, nothing
    is left, and a bed that is lost or another one is left as noise. Loudness and true peak stay those of the mix.
    """
    if mixing.chosen(folder) is None:
        return result, []
    mix = folder / (mixing.DESCRIBED if film.name == described_video.NAME else mixing.PROGRAMME)
    gain = 10 ** ((film.rendition.loudness - audio.TARGET) / 20)
    speech, levels = np.zeros(len(result.sound), np.int16), []
    bed_power = speech_power = 0.0
    spoken = _spoken(film, len(speech))
    for at, bed in _bed(mixing.bed_file(mix), len(speech)):
        block, words = slice(at, at + len(bed)), spoken[at : at + len(bed)]
        left = result.sound[block] - gain * bed
        speech[block] = np.clip(np.rint(left), -32768, 32767)
        levels.append(np.mean((left[: len(left) // _WINDOW * _WINDOW].reshape(-1, _WINDOW) / 32768) ** 2, axis=1))
        bed_power += float(np.sum((gain * bed[words]) ** 2))
        speech_power += float(np.sum(left[words] ** 2))
    under = 10 * float(np.log10(max(speech_power, 1e-9) / max(bed_power, 1e-9)))
    silent = silences(np.concatenate([*levels, np.zeros(0)]), Fraction(100))
    return replace(result, sound=speech, silent=silent), [_finding(film, under)]


def _finding(film: Film, under: float) -> GateFinding:
    measured, limit = f"{under:.1f} dB under the speech", f"at least {UNDER:.0f} dB"
    return GateFinding("music", film.name, measured, limit, under >= UNDER, excess=f"{UNDER - under:.1f} dB")


def _spoken(film: Film, count: int) -> np.ndarray:
    """Return for each of ``count`` samples whether a word or a description is spoken."""
    spoken = np.zeros(count, bool)
    for scene in film.scenes:
        for start, end in (*scene.words, (scene.start, scene.runs)):
            spoken[round(start * ANALYSIS_RATE) : round(end * ANALYSIS_RATE)] = True
    return spoken


def _bed(path: Path, count: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield ``count`` samples of the bed at ANALYSIS_RATE in blocks, with the place of each; after its end there is silence."""
    bed, step = audio.mapped(path), audio.SAMPLE_RATE // ANALYSIS_RATE
    for at in range(0, count, _BLOCK):
        length = min(_BLOCK, count - at)
        part = bed[at * step : (at + length) * step].astype(np.float32)
        yield at, np.pad(part, (0, length * step - len(part))).reshape(-1, step).mean(axis=1)
