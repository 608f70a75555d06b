"""``python -m tests.bench.voices [VOICE…]``: each trained voice says sixty sentences, and judges say how well.

It prints for each voice: the share of the words that Whisper (tiny.en) understands otherwise; the overall score of DNSMOS; how
far the starts of words are from the onset of their sound, where a pause parts the words; processor seconds for each second of
speech, with and without the loading of the model; the memory of its process. It needs the packages of .ci/requirements.txt.
"""

import resource
import sys

import numpy

from svc.base import voices
from svc.media.model import Presenter
from svc.media.resources import Resources
from svc.media.speech import audio, narration
from svc.media.speech.trained import weights
from svc.media.speech.trained.voice import Trained
from svc.media.text import tokens
from svc.media.voice import SpokenPassage
from tests.support import hearing
from tests.support.onsets import offsets
from tests.support.sentences import SENTENCES

_TOGETHER = 5  # sentences of a passage, as a scene has them
_PARTED = 20  # sentences whose words are parted by pauses, to measure the starts of words


def main(names: list[str]) -> int:
    print(f"{'voice':12} {'WER':>6} {'DNSMOS':>7} {'pace':>5} {'starts p50, p95':>16} {'CPU s/s':>8} {'loaded':>7}  memory")
    for name in names or [voice.name for voice in voices.VOICES.values() if voice.languages[0].startswith("en")]:
        known = name == "espeak-ng" or weights.is_installed(voices.VOICES[name].model)
        print(_row(name) if known else f"{name:12} not installed", flush=True)
    return 0


def _row(name: str) -> str:
    passages = [passage_of(" ".join(SENTENCES[at : at + _TOGETHER])) for at in range(0, len(SENTENCES), _TOGETHER)]
    _, loading, _ = say([passage_of(SENTENCES[0])], name)
    spoken, busy, lost = say(passages, name)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    seconds = sum(len(samples) for samples, _ in spoken) / audio.SAMPLE_RATE
    wrong, words, marks, lines = 0, 0, [], []
    for passage, (samples, _) in zip(passages, spoken, strict=True):
        sound = hearing.for_judges(samples)
        verdict = hearing.understanding(passage.text, sound)
        wrong, words = wrong + verdict.mistakes, words + verdict.words
        marks.append(hearing.quality(sound))
        lines += [f"    {verdict.said}\n    {verdict.understood}"] if verdict.mistakes else []
    starts = starts_of(name)
    row = (
        f"{name:12} {wrong / words:6.1%} {numpy.mean(marks):7.2f} {60 * words / seconds:5.0f} "
        f"{1000 * numpy.percentile(starts, 50):6.0f}, {1000 * numpy.percentile(starts, 95):4.0f} ms "
        f"{busy / seconds:8.3f} {(busy - loading) / seconds:7.3f} {memory:4.0f} MB {lost or ''}"
    )
    return "\n".join([row, *lines])


def passage_of(text: str) -> SpokenPassage:
    read = tokens.tokens(text, "en")
    return SpokenPassage(tuple(token.spoken for token in read), (), tuple(at for at, token in enumerate(read) if token.ends))


def say(passages: list[SpokenPassage], name: str):
    """What a voice says, the processor seconds of its process, and whether another one spoke."""
    lost: list[tuple[str, str]] = []
    resources = Resources(voice=None if name == "espeak-ng" else Trained(lost=lambda *what: lost.append(what)))
    before = _busy()
    spoken = narration.speak(
        passages, "en", Presenter("Ada", speaker="" if resources.voice is None else name), resources=resources
    )
    return spoken, _busy() - before, lost


def starts_of(name: str) -> numpy.ndarray:
    """Seconds between the start of each word and the onset of its sound."""
    passages = [SpokenPassage(parted(passage_of(sentence).words)) for sentence in SENTENCES[:_PARTED]]
    spoken, _, _ = say(passages, name)
    measured = [found for samples, times in spoken if (found := offsets(samples, times)) is not None]
    return numpy.concatenate(measured or [numpy.array([numpy.nan])])


def parted(words: tuple[str, ...]) -> tuple[str, ...]:
    single = " ".join(words).split()
    return tuple(f"{word.strip('.,:?!')}{'.' if at == len(single) - 1 else ','}" for at, word in enumerate(single))


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
