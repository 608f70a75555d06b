"""``python -m tests.bench.voices [VOICE…]``: each trained voice says sentences of its language, and
judges say how well.

It prints for each voice: the share of the words that Whisper (tiny.en) understands otherwise, of
English only, as it knows no other language; the overall score of DNSMOS for the voice itself, for
its sound as viewers get it, at −14 LUFS, and for the same at the level of listening tests; how far
the starts of words are from the onset of their sound, where a pause parts the words; processor
seconds for each second of speech, with and without the loading of the model; the memory of its
process. English has sixty sentences, another language twenty. It needs the packages of
.ci/requirements.txt.
"""

import resource
import sys

import numpy

from svc.base import voices
from svc.media import audio
from svc.media.model import Presenter
from svc.media.resources import Resources
from svc.media.speech import narration
from svc.media.speech.trained import weights
from svc.media.speech.trained.voice import Trained
from svc.media.text import tokens
from svc.media.voice import GLUE, SpokenPassage
from tests.support import hearing
from tests.support.onsets import offsets
from tests.support.sentences import SENTENCES
from tests.support.sentences_of_languages import SENTENCES_OF

_TOGETHER = 5  # sentences of a passage, as a scene has them
# one in three sentences is said with its words parted by pauses, to measure the starts of words
_PARTED = 3
_MARKS = f".,:?!;¿।、。，：？！；{GLUE}"  # around words
_HEAD = (
    f"{'voice':12} {'WER':>6} {'DNSMOS':>7} {'at -14':>7} {'at -26':>7} {'pace':>5} "
    f"{'starts p50, p95':>16} {'CPU s/s':>8} {'loaded':>7}  memory"
)


def main(names: list[str]) -> int:
    print(_HEAD)
    for name in names or list(voices.VOICES):
        known = name == "espeak-ng" or weights.is_installed(voices.VOICES[name].model)
        print(_row(name) if known else f"{name:12} not installed", flush=True)
    return 0


def _row(name: str) -> str:
    language = language_of(name)
    sentences = SENTENCES_OF.get(language, SENTENCES)
    passages = [
        passage_of(" ".join(sentences[at : at + _TOGETHER]), language)
        for at in range(0, len(sentences), _TOGETHER)
    ]
    _, loading, _ = say([passage_of(sentences[0], language)], name)
    spoken, busy, lost = say(passages, name)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    seconds = sum(len(samples) for samples, _ in spoken) / audio.SAMPLE_RATE
    words = sum(len(" ".join(passage.words).split()) for passage in passages)
    wrong, lines = (
        _misunderstood(passages, spoken) if language.partition("-")[0] == "en" else ("–", [])
    )
    marks = numpy.mean([_marks(samples) for samples, _ in spoken], axis=0)
    starts = starts_of(sentences[: len(sentences) // _PARTED], name)
    row = (
        f"{name:12} {wrong:>6} {marks[0]:7.2f} {marks[1]:7.2f} {marks[2]:7.2f} "
        f"{60 * words / seconds:5.0f} {1000 * numpy.percentile(starts, 50):6.0f}, "
        f"{1000 * numpy.percentile(starts, 95):4.0f} ms {busy / seconds:8.3f} "
        f"{(busy - loading) / seconds:7.3f} {memory:4.0f} MB {lost or ''}"
    )
    return "\n".join([row, *lines])


def _misunderstood(passages: list[SpokenPassage], spoken) -> tuple[str, list[str]]:
    """The share of the words that are understood otherwise, and the passages in which they are."""
    verdicts = [
        hearing.understanding(passage.text, hearing.for_judges(samples))
        for passage, (samples, _) in zip(passages, spoken, strict=True)
    ]
    share = sum(verdict.mistakes for verdict in verdicts) / sum(
        verdict.words for verdict in verdicts
    )
    return f"{share:.1%}", [
        f"    {each.said}\n    {each.understood}" for each in verdicts if each.mistakes
    ]


def _marks(samples: numpy.ndarray) -> tuple[float, float, float]:
    """What DNSMOS says of the voice, of its sound at the programme's loudness,
    and of that at the level of listening tests.
    """
    finished = audio.normalise(samples)
    sounds = (
        hearing.for_judges(samples),
        hearing.for_judges(finished),
        hearing.as_in_listening_tests(finished),
    )
    first, second, third = map(hearing.quality, sounds)
    return first, second, third


def passage_of(text: str, language: str = "en") -> SpokenPassage:
    read = tokens.tokenize_text(text, language)
    return SpokenPassage(
        tuple(token.spoken for token in read),
        (),
        tuple(at for at, token in enumerate(read) if token.ends),
    )


def language_of(name: str) -> str:
    # en-GB of a British voice
    return voices.VOICES[name].languages[0] if name in voices.VOICES else "en"


def say(passages: list[SpokenPassage], name: str):
    """What a voice says, the processor seconds of its process, and whether another one spoke."""
    lost: list[tuple[str, str]] = []
    resources = Resources(
        voice=None if name == "espeak-ng" else Trained(lost=lambda *what: lost.append(what))
    )
    before = _busy()
    presenter = Presenter("Ada", speaker="" if resources.voice is None else name)
    spoken = narration.speak(passages, language_of(name), presenter, resources=resources)
    return spoken, _busy() - before, lost


def starts_of(sentences: tuple[str, ...], name: str) -> numpy.ndarray:
    """Seconds between the start of each word and the onset of its sound."""
    passages = [
        SpokenPassage(parted(passage_of(sentence, language_of(name)).words))
        for sentence in sentences
    ]
    spoken, _, _ = say(passages, name)
    return numpy.concatenate([offsets(samples, times) for samples, times in spoken])


def parted(words: tuple[str, ...]) -> tuple[str, ...]:
    single = " ".join(words).split()
    return tuple(
        f"{word.strip(_MARKS)}{'.' if at == len(single) - 1 else ','}"
        for at, word in enumerate(single)
    )


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
