"""The start of each caption word compared with its sound, in every language."""

import numpy
import pytest
from test_languages import SENTENCES

from svc.media import audio
from svc.media.model import Presenter
from svc.media.speech import narration
from svc.media.video.storyboard import find_frame
from svc.media.voice import SpokenPassage

ALLOWED = 0.100  # seconds, for 95 of 100 words
LANGUAGES_ASKED = 10
FRAME_RATE = 30
WINDOW = audio.SAMPLE_RATE // 200  # samples: 5 ms
# of the loudest window: what is silence; seconds of it: what lies between two words
QUIET, PAUSE = 0.015, 0.1

pytestmark = pytest.mark.slow


def onsets(samples: numpy.ndarray) -> numpy.ndarray:
    """The seconds at which sound begins after a pause."""
    windows = samples[: len(samples) // WINDOW * WINDOW].astype(float).reshape(-1, WINDOW)
    level = numpy.sqrt(numpy.mean(windows**2, axis=1))
    loud = numpy.flatnonzero(level > QUIET * level.max())
    after_pause = numpy.flatnonzero(numpy.diff(loud) * WINDOW > PAUSE * audio.SAMPLE_RATE) + 1
    return loud[numpy.concatenate([[0], after_pause])] * WINDOW / audio.SAMPLE_RATE


def errors(code: str) -> numpy.ndarray | None:
    """How far each caption word, on its frame, is from its sound;
    None if the pauses do not part the words one by one.
    """
    words = [f"{word.strip('.,،۔।')}," for word in SENTENCES[code].split()]
    [(samples, times)] = narration.speak(
        [SpokenPassage((*words[:-1], words[-1][:-1] + "."))], code, Presenter("Ada")
    )
    heard = onsets(samples)
    shown = numpy.array([find_frame(start, FRAME_RATE) / FRAME_RATE for start, _ in times])
    return numpy.abs(shown - heard) if len(heard) == len(shown) else None


def test_caption_words_begin_with_their_sound_in_every_language():
    measured = {code: offsets for code in SENTENCES if (offsets := errors(code)) is not None}
    together = numpy.concatenate(list(measured.values()))
    for code, offsets in [*measured.items(), ("all", together)]:
        median, late = numpy.median(offsets) * 1000, numpy.percentile(offsets, 95) * 1000
        print(
            f"{code:7} {len(offsets):3} words, median {median:3.0f} ms, 95th percentile "
            f"{late:3.0f} ms"
        )
    assert len(measured) >= LANGUAGES_ASKED
    assert numpy.percentile(together, 95) <= ALLOWED
    assert {
        code for code, offsets in measured.items() if numpy.percentile(offsets, 95) > ALLOWED
    } == set()


def test_the_measure_hears_words_that_come_too_early():
    [(samples, times)] = narration.speak(
        [SpokenPassage(("Every,", "word,", "alone."))], "en", Presenter("Ada")
    )
    late = numpy.concatenate([numpy.zeros(audio.SAMPLE_RATE // 5, numpy.int16), samples])
    offsets = onsets(late) - numpy.array([start for start, _ in times])
    assert len(offsets) == 3 and (abs(offsets - 0.2) < 0.08).all()
