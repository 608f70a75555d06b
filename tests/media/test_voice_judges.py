"""The sound of a finished film by judges of speech: mastering and encoding leave the voice as good
as it was.
"""

from pathlib import Path

import av
import numpy
import pytest
from support import hearing
from support.sentences import SENTENCES

from svc.media import audio
from svc.media.model import Presenter
from svc.media.resources import Resources
from svc.media.speech import narration
from svc.media.speech.trained.voice import Trained
from svc.media.text import tokens
from svc.media.video import mp4
from svc.media.video.encoding import VideoFormat
from svc.media.voice import SpokenPassage

pytestmark = pytest.mark.judges

TEXT = " ".join(SENTENCES[8:12])
# of DNSMOS's overall score, for four sentences; of sixty: tests/bench/voices.py
WORST_LOSS, LEAST = 0.05, 3.3


@pytest.fixture(scope="module", params=["heart", "joe"])
def voiced(request, tmp_path_factory) -> tuple[str, numpy.ndarray, numpy.ndarray]:
    """The words of a passage, a trained voice's own sound of it,
    and its sound decoded from a film.
    """
    read, lost = tokens.tokenize_text(TEXT, "en"), []
    ends = tuple(index for index, token in enumerate(read) if token.ends)
    passage = SpokenPassage(tuple(token.spoken for token in read), (), ends)
    resources = Resources(voice=Trained(lost=lambda *what: lost.append(what)))
    [(samples, _)] = narration.speak(
        [passage], "en", Presenter("Ada", speaker=request.param), resources=resources
    )
    assert lost == []
    path = tmp_path_factory.mktemp("film") / "film.mp4"
    with mp4.open_for_writing(
        path, VideoFormat(320, 180, 30, audio.SAMPLE_RATE, "Tea", "en")
    ) as writer:
        writer.mux([], audio.normalise(samples))
    return passage.text, samples, sound_of(path)[: len(samples)]


def sound_of(path: Path) -> numpy.ndarray:
    """The decoded sound of an mp4 (int16)."""
    with av.open(str(path)) as container:
        sound = numpy.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
    return numpy.rint(numpy.clip(sound, -1, 1) * 32_767).astype(numpy.int16)


def test_mastering_and_encoding_cost_nothing_that_dnsmos_hears(voiced):
    _, samples, heard = voiced
    before = hearing.quality(hearing.for_judges(samples))
    after = hearing.quality(hearing.as_in_listening_tests(heard))
    print(f"DNSMOS {before:.2f}, in the film {after:.2f}")
    assert after >= max(LEAST, before - WORST_LOSS)


def test_whisper_understands_the_sound_of_the_film(voiced):
    said, _, heard = voiced
    verdict = hearing.understanding(said, hearing.for_judges(heard))
    print(f"{verdict.mistakes} of {verdict.words} words understood otherwise")
    assert verdict.mistakes <= 1
