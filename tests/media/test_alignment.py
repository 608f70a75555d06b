"""Word times of recordings that came without them, compared with the times that the
voice really reported.
"""

import dataclasses

import numpy
import pytest

from svc.media import audio
from svc.media.errors import NarrationError
from svc.media.model import Presenter
from svc.media.speech import word_times
from svc.media.speech.espeak import Espeak
from svc.media.voice import SpokenPassage, Utterance

pytestmark = pytest.mark.slow

SENTENCES = {
    "en": (
        "Unroasted beans hold as many acids and sugars as roasted ones, but lack their taste, "
        "which heat alone brings about."
    ),
    "de": (
        "Dieser kurze Film zeigt, wie ein kleines Team ein besseres Produkt baut, und was es "
        "dabei lernt."
    ),
    "fr": (
        "Ce petit film montre comment une équipe crée un meilleur produit, et ce qu’elle apprend."
    ),
    "ru": "Этот короткий фильм показывает, как небольшая команда создаёт хороший продукт.",
    "hi": "यह छोटी फिल्म दिखाती है कि एक छोटी टीम बेहतर उत्पाद कैसे बनाती है।",
}
OTHERS = {
    "slow": Presenter("", words_per_minute=120),
    "fast": Presenter("", words_per_minute=230),
    "a woman's": Presenter("", "f3", 60, 150),
    "a man's": Presenter("", "m3", 30, 180),
    "whispered": Presenter("", "whisper"),
}


def spoken(text: str, language: str, avatar: Presenter) -> tuple[SpokenPassage, Utterance]:
    passage = SpokenPassage(tuple(text.split()))
    (utterance,) = Espeak().utter([passage], language, avatar)
    return passage, utterance


def errors(passage: SpokenPassage, utterance: Utterance, language: str) -> list[float]:
    """Return the error of each word's start in seconds when the voice reports no times."""
    first = word_times.time_words(utterance, passage, language)
    blind = word_times.time_words(dataclasses.replace(utterance, words=None), passage, language)
    # quieter ends count as silence for other voices
    shift = (len(blind.samples) - len(first.samples)) / 2 / utterance.rate
    return [
        abs(one - other - shift)
        for (one, _), (other, _) in zip(first.times, blind.times, strict=True)
    ]


@pytest.mark.parametrize("voice", OTHERS)
def test_words_are_found_in_another_voice(voice):
    deviations = numpy.concatenate(
        [
            errors(*spoken(text, language, OTHERS[voice]), language)
            for language, text in SENTENCES.items()
        ]
    )
    assert numpy.median(deviations) < 0.010
    assert numpy.percentile(deviations, 95) < 0.060


def test_words_are_found_where_the_pace_changes_and_a_pause_falls():
    """A slow sentence, a pause of 0.7 s, and a fast sentence by another voice:
    times by word length alone would be far off.
    """
    one, slow = spoken(SENTENCES["en"], "en", OTHERS["slow"])
    two, fast = spoken("Tea is much easier to make.", "en", OTHERS["fast"])
    pause = numpy.zeros(round(0.7 * slow.rate), numpy.int16)
    joined = numpy.concatenate([slow.samples, pause, fast.samples])
    events = [
        *slow.words,
        *((word + len(one.words), at + len(slow.samples) + len(pause)) for word, at in fast.words),
    ]
    deviations = errors(
        SpokenPassage(one.words + two.words), Utterance(joined, slow.rate, tuple(events)), "en"
    )
    assert numpy.median(deviations) < 0.010 and max(deviations) < 0.150


def test_noise_and_another_sample_rate_do_little_harm():
    passage, utterance = spoken(SENTENCES["en"], "en", OTHERS["a man's"])
    clean = word_times.time_words(utterance, passage, "en")
    noise = numpy.random.default_rng(5).normal(0, 60, len(clean.samples))
    samples = audio.resample((clean.samples + noise).astype(numpy.int16), utterance.rate, 24_000)
    blind = word_times.time_words(Utterance(samples, 24_000, None), passage, "en")
    deviations = [
        abs(one - other) for (one, _), (other, _) in zip(clean.times, blind.times, strict=True)
    ]
    assert numpy.median(deviations) < 0.02 and numpy.percentile(deviations, 95) < 0.08


@pytest.mark.parametrize("seconds", [0.1, 60])
def test_a_recording_that_is_not_of_the_text_is_refused(seconds):
    tone = (8000 * numpy.sin(numpy.arange(round(seconds * 16_000)) / 9)).astype(numpy.int16)
    with pytest.raises(NarrationError, match="times as long"):
        word_times.time_words(
            Utterance(tone, 16_000, None), SpokenPassage(tuple(SENTENCES["en"].split())), "en"
        )


def test_silence_is_refused():
    with pytest.raises(NarrationError, match="no sound"):
        word_times.time_words(
            Utterance(numpy.zeros(16_000, numpy.int16), 16_000, None),
            SpokenPassage(("Tea.",)),
            "en",
        )
