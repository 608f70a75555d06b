"""A voice behind an endpoint, over real HTTP: every answer format is decoded,
and its words are timed.
"""

import dataclasses
import io
import itertools

import av
import numpy
import pytest

from svc.adapters.model_api import Endpoint, Speech
from svc.media.cache import Cache
from svc.media.errors import NarrationError
from svc.media.model import Presenter, Timeline, load
from svc.media.resources import Resources
from svc.media.speech import narration
from svc.media.speech import remote as remote_speech
from svc.media.speech.espeak import Espeak
from svc.media.speech.remote import RemoteVoice
from svc.media.text import tokens
from svc.media.voice import SpokenPassage
from tests.support import endpoints

pytestmark = pytest.mark.slow

TEXT = "Unroasted beans hold as many acids and sugars as roasted ones, but lack their taste."
PASSAGE = SpokenPassage(tuple(TEXT.split()))
ADA = Presenter("Ada", speaker="verse", words_per_minute=150)


@pytest.fixture
def endpoint():
    with endpoints.Endpoint(endpoints.speaks) as endpoint:
        yield endpoint


@pytest.fixture
def spent():
    return []


@pytest.fixture
def voice(endpoint, spent):
    return RemoteVoice(Speech(Endpoint(endpoint.url, "tts-1"), "alloy", spent.append))


def test_words_are_found_in_what_the_endpoint_says(voice):
    """The endpoint speaks with a voice whose times are known here, and does not tell them."""
    ((samples, times),) = narration.speak([PASSAGE], "en", ADA, resources=Resources(voice=voice))
    (kept,) = Espeak().utter([PASSAGE], "en", Presenter("", "m3", 40, 150))
    first = numpy.flatnonzero(numpy.abs(kept.samples.astype(int)) > 250)[0]
    truth = [(sample - first) / kept.rate for _, sample in kept.words]
    errors = [abs(start - true) for (start, _), true in zip(times, truth, strict=True)]
    assert numpy.median(errors) < 0.03 and max(errors) < 0.1
    assert len(samples) / 48_000 == pytest.approx(len(kept.samples) / kept.rate, abs=0.3)


SENTENCES = {
    "zh": "这部短片展示了小团队如何打造更好的产品，也展示了他们怎么分享经验。",
    "ko": "이 짧은 영상은 작은 팀이 더 나은 제품을 만드는 방법을 보여 줍니다.",
    "he": "הסרט הקצר הזה מראה איך צוות קטן בונה מוצר טוב יותר.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_words_of_further_languages_are_found_beside_espeaks_recording(code, spent):
    """The endpoint speaks with another voice and pace, whose times are known here."""
    passage = SpokenPassage(
        tuple(token.spoken for token in tokens.tokenize_text(SENTENCES[code], code))
    )
    (kept,) = Espeak(for_alignment=True).utter([passage], code, Presenter("", "m3", 40, 150))
    asked = []

    def speaks(body):
        asked.append(body["input"])
        return 200, {"Content-Type": "audio/wav"}, endpoints.wav(kept.samples, kept.rate)

    with endpoints.Endpoint(speaks) as endpoint:
        voice = RemoteVoice(Speech(Endpoint(endpoint.url, "tts-1"), "alloy", spent.append))
        ((_, times),) = narration.speak([passage], code, ADA, resources=Resources(voice=voice))
    first = numpy.flatnonzero(numpy.abs(kept.samples.astype(int)) > 250)[0]
    known = {}
    for word, sample in kept.words:
        known.setdefault(word, (sample - first) / kept.rate)
    errors = [abs(times[word][0] - start) for word, start in known.items()]
    assert asked == [SENTENCES[code]] and len(known) > 6
    assert numpy.median(errors) < 0.03 and numpy.percentile(errors, 95) < 0.15


def test_japanese_sentences_begin_with_their_sound(spent):
    """No recording to compare with: pauses and letters tell when words are spoken."""
    text = (
        "日本の緑茶は、千年前に栄西が持ち帰った種に始まります。"
        "いまでは世界中で愛される飲み物になりました。お茶はいかがですか。"
    )
    words = tuple(token.spoken for token in tokens.tokenize_text(text, "ja"))
    with endpoints.Endpoint(endpoints.speaks_japanese) as endpoint:
        voice = RemoteVoice(Speech(Endpoint(endpoint.url, "tts-1"), "alloy", spent.append))
        ((samples, times),) = narration.speak(
            [SpokenPassage(words)], "ja", ADA, resources=Resources(voice=voice)
        )
        assert [body["input"] for _, _, body in endpoint.asked] == [text]
    loud = numpy.flatnonzero(numpy.abs(samples.astype(int)) > 500) / 48_000
    onsets = [0.0, *(after for before, after in itertools.pairwise(loud) if after - before > 0.15)]
    firsts = [0, *(at + 1 for at, word in enumerate(words[:-1]) if word.endswith("。"))]
    assert len(firsts) == 3 and all(
        min(abs(times[at][0] - onset) for onset in onsets) < 0.15 for at in firsts
    )


def test_the_presenters_voice_and_pace_are_asked_for(voice, endpoint, spent):
    narration.speak([PASSAGE], "en", ADA, resources=Resources(voice=voice))
    narration.speak([PASSAGE], "en", Presenter("Bob"), resources=Resources(voice=voice))
    requests = [(body["voice"], body.get("speed")) for _, _, body in endpoint.asked]
    assert requests == [("verse", 0.91), ("alloy", None)]
    assert [charge.units_in for charge in spent] == [len(TEXT)] * 2


def test_what_was_spoken_is_neither_asked_for_nor_paid_again(voice, endpoint, tmp_path):
    resources = Resources(Cache(tmp_path / "cache"), voice)
    first = narration.speak([PASSAGE], "en", ADA, resources=resources)
    again = narration.speak([PASSAGE], "en", ADA, resources=resources)
    assert (
        len(endpoint.asked) == 1
        and numpy.array_equal(first[0][0], again[0][0])
        and first[0][1] == again[0][1]
    )
    narration.speak([PASSAGE], "en", dataclasses.replace(ADA, speaker="ash"), resources=resources)
    assert len(endpoint.asked) == 2


def test_a_whole_narration_says_who_spoke_it(voice, programme, make_brief, tmp_path, unwatched):
    (tmp_path / "script.json").write_bytes((programme.folder / "script.json").read_bytes())
    narration.record_narration(make_brief(), tmp_path, unwatched, Resources(voice=voice))
    timeline = load(Timeline, tmp_path / "timeline.json")
    assert timeline.voice == "tts-1" and programme.timeline.voice == ""
    assert [len(scene.words) for scene in timeline.scenes] == [
        len(scene.words) for scene in programme.script.scenes
    ]


def encoded(codec: str, container: str) -> bytes:
    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = output.add_stream(codec, rate=48_000)
        stream.layout = "stereo"
        tone = (9000 * numpy.sin(numpy.arange(48_000) / 20)).astype(numpy.int16)
        frame = av.AudioFrame.from_ndarray(
            numpy.repeat(tone, 2)[None, :].copy(), format="s16", layout="stereo"
        )
        frame.sample_rate = 48_000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            output.mux(packet)
    return file.getvalue()


FORMS = [("pcm_s16le", "wav"), ("pcm_f32le", "wav"), ("flac", "flac"), ("libmp3lame", "mp3")]


@pytest.mark.parametrize(("codec", "container"), FORMS)
def test_sound_in_a_container_is_heard(codec, container):
    samples, rate = remote_speech.decode(encoded(codec, container), f"audio/{container}")
    assert rate == 48_000 and len(samples) == pytest.approx(48_000, abs=3000)
    assert numpy.abs(samples.astype(int)).max() == pytest.approx(9000, rel=0.1)


def test_bare_samples_are_heard():
    tone = (9000 * numpy.sin(numpy.arange(24_000) / 20)).astype("<i2")
    samples, rate = remote_speech.decode(tone.tobytes() + b"\x01", "audio/pcm")
    assert rate == 24_000 and numpy.array_equal(samples, tone)


NO_SOUND = [
    (b"<html>busy</html>", "text/html"),
    (b"RIFF\0\0\0\0WAVEjunk" * 20, "audio/wav"),
    (b"", "audio/wav"),
    (b"ID3" + b"\xff" * 999, ""),
]


@pytest.mark.parametrize(("content", "kind"), NO_SOUND)
def test_what_is_no_sound_is_refused(content, kind):
    with pytest.raises(NarrationError, match="not readable audio"):
        remote_speech.decode(content, kind)


def test_sound_without_end_is_refused():
    with pytest.raises(NarrationError, match="longer than"):
        remote_speech.decode(bytes(2 * 24_000 * 601), "audio/pcm")


def test_an_endpoint_that_says_nothing_is_refused(spent):
    with endpoints.Endpoint(
        lambda _: (200, {"Content-Type": "audio/pcm"}, bytes(48_000))
    ) as endpoint:
        voice = RemoteVoice(Speech(Endpoint(endpoint.url, "tts-1"), "alloy", spent.append))
        with pytest.raises(NarrationError, match="no sound"):
            narration.speak([PASSAGE], "en", ADA, resources=Resources(voice=voice))
