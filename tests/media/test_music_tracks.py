"""An account's own music: hostile files are refused with a sentence,
and what is left of the others lies under the speech.
"""

import dataclasses
import re
import struct
import wave

import av
import numpy as np
import pytest
from small_programme import LANDSCAPE, brief_of, timeline_of, voice
from support.sampling import sampled

from svc.media import audio
from svc.media.brand_kit import BrandKit
from svc.media.checks import music as gate
from svc.media.checks import speech
from svc.media.checks.film_timeline import Film, find_scene_spans
from svc.media.checks.probe import ProbeResult
from svc.media.errors import MediaError
from svc.media.model import Script
from svc.media.music import mixing, track, track_upload
from svc.media.music.track import Track
from svc.media.music.track_upload import InvalidTrack
from svc.media.proof import provenance

RATE = audio.SAMPLE_RATE
TIMELINE = timeline_of()


def tune(seconds: float, loud: float = 1.0, deep: float = 0.0) -> np.ndarray:
    """A melody with drums, as they are in no bed of ours, whose second half is far louder.

    ``deep``: share of a low hum.
    """
    at = np.arange(round(seconds * RATE)) / RATE
    drums = np.random.default_rng(1).normal(size=len(at)) * np.exp(-12 * (at * 2 % 1)) * 0.3
    melody = 0.3 * np.sin(2 * np.pi * 220 * 2 ** (np.floor(at * 2) % 12 / 12) * at) + deep * np.sin(
        2 * np.pi * 75 * at
    )
    swell = np.where(at < seconds / 2, 0.1, 1.0)
    return np.clip((drums + melody) * swell * loud * 30_000, -32768, 32767).astype(np.int16)


def wav(path, samples: np.ndarray, rate: int = RATE, channels: int = 1):
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())
    return path


def checked(tmp_path, samples: np.ndarray, **shape) -> Track:
    track_upload.convert_track(wav(tmp_path / "sent", samples, **shape), tmp_path / "own.m4a")
    return Track(tmp_path / "own.m4a", "CC BY 4.0")


def sound_of(own: Track, seconds: float) -> np.ndarray:
    return np.concatenate(list(track.track_blocks(own, seconds)))


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Track:
    return checked(tmp_path_factory.mktemp("track"), tune(12.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind, codec",
    [
        ("mp3", "libmp3lame"),
        ("ipod", "aac"),
        ("adts", "aac"),
        ("flac", "flac"),
        ("ogg", "libopus"),
        ("wav", "pcm_s24le"),
    ],
)
def test_a_track_of_each_kind_is_taken_and_only_its_sound_survives(tmp_path, kind, codec):
    with av.open(str(tmp_path / "sent"), "w", format=kind) as file:
        file.metadata["title"] = "a private title"
        stream = file.add_stream(codec, rate=RATE, layout="stereo")
        resampler = av.AudioResampler(stream.format, "stereo", RATE)
        sent = av.AudioFrame.from_ndarray(
            tune(11.0)[None].repeat(2, 0).T.reshape(1, -1), format="s16", layout="stereo"
        )
        sent.sample_rate = RATE
        for frame in resampler.resample(sent):
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    track_upload.convert_track(tmp_path / "sent", tmp_path / "own.m4a")
    with av.open(str(tmp_path / "own.m4a")) as file:
        [stream] = file.streams
        assert (stream.codec_context.name, stream.rate, stream.layout.name) == ("aac", RATE, "mono")
        assert file.duration / 1e6 == pytest.approx(11.0, abs=0.2)
    assert b"a private title" not in (tmp_path / "own.m4a").read_bytes()


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "not a readable track"),
        (b"# A text\n\nthat is no music." * 99, "not a readable track|damaged"),
        (b"\x89PNG\r\n\x1a\n" + bytes(999), "not a readable track"),
        (b"ID3\x04\0\0\x7f\x7f\x7f\x7f" + bytes(99), "track"),
        (b"fLaC" + b"\xff" * 999, "track"),
        (b"OggS" + bytes(999), "track"),
        (b"#EXTM3U\nfile:///etc/passwd\n", "not a readable"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "not a readable track"),
        (
            b"RIFF\xff\xff\xff\xffWAVEfmt "
            + struct.pack("<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16)
            + b"data\xff\xff\xff",
            "track",
        ),
    ],
)
def test_what_is_no_track_is_refused(tmp_path, content, said):
    (tmp_path / "sent").write_bytes(content)
    with pytest.raises(InvalidTrack, match=said) as refused:
        track_upload.convert_track(tmp_path / "sent", tmp_path / "own.m4a")
    assert re.search("Choose|Save", str(refused.value)) and not (tmp_path / "own.m4a").exists()


@pytest.mark.parametrize(
    # the samples are made by the test, and not by every process that collects it
    "samples, shape, said",
    [
        (lambda: tune(3.0), {}, r"3\.0 seconds of the track are heard"),
        (lambda: np.zeros(20 * RATE, np.int16), {}, r"0\.0 seconds"),
        (lambda: np.full(15, 30_000, np.int16), {"rate": 1}, "at 1 Hz"),
        (lambda: tune(11.0), {"rate": 400_000}, "at 400,000 Hz"),
        (lambda: tune(1.0)[: 12 * 3000], {"channels": 12}, "12 channels"),
        (lambda: np.full(8000 * 61, 9, np.int16), {"rate": 8000}, "longer than 1 minute"),
    ],
)
def test_a_track_that_cannot_be_a_bed_is_refused_with_the_reason(
    tmp_path, monkeypatch, samples, shape, said
):
    # a quarter of an hour would take a second to read
    monkeypatch.setattr(track_upload, "LONGEST", 60)
    with pytest.raises(InvalidTrack, match=said):
        checked(tmp_path, samples(), **shape)


def test_pictures_without_sound_are_no_track(tmp_path):
    with av.open(str(tmp_path / "sent"), "w", format="mp4") as file:
        stream = file.add_stream("mpeg4", rate=30)
        stream.width = stream.height = 64
        file.mux(stream.encode(av.VideoFrame(64, 64, "yuv420p")))
        file.mux(stream.encode(None))
    with pytest.raises(InvalidTrack, match="has no sound"):
        track_upload.convert_track(tmp_path / "sent", tmp_path / "own.m4a")


@pytest.mark.parametrize(
    "changes", sampled([{}, {"loud": 0.05}, {"deep": 0.6}], 3), ids=["drums", "quiet", "deep"]
)
def test_a_track_is_stored_at_its_level_by_loudness_and_by_power(tmp_path, changes):
    quiet = np.zeros(2 * RATE, np.int16)
    sound = sound_of(checked(tmp_path, np.concatenate([quiet, tune(24.0, **changes), quiet])), 20.0)
    windows = np.mean(sound[: 15 * RATE].reshape(5, -1) ** 2, axis=1)
    assert audio.measure((sound * 32767).astype(np.int16)).integrated == pytest.approx(
        track.LEVEL - 1.5, abs=2.5
    )
    assert 10 * np.log10(windows.max()) <= track.LEVEL + 2.6
    power = np.abs(np.fft.rfft(sound)) ** 2
    assert power[np.fft.rfftfreq(len(sound), 1 / RATE) > 7000].sum() < 0.005 * power.sum()
    assert np.abs(sound[:RATE]).max() > 0.001  # the silence before it is cut off


@pytest.mark.parametrize("seconds", sampled([0.5, 7.0, 12.0, 31.7], 2))
def test_a_track_is_cut_or_repeated_to_the_programmes_length_and_fades_out(own, seconds):
    sound = sound_of(own, seconds)
    assert len(sound) == round(seconds * RATE)
    assert np.abs(sound[-20:]).max() < 0.001 and np.abs(sound).max() <= 1.0


def test_a_repeated_track_has_no_gap_and_no_jump_where_it_begins_again(own):
    sound, once = sound_of(own, 40.0), audio.open_stored(own.file.with_suffix(".wav"))[:] / 32768
    levels = np.sqrt(np.mean(sound[: 35 * RATE].reshape(70, -1) ** 2, axis=1))
    assert levels.min() > 0.2 * np.median(levels)
    assert np.abs(np.diff(sound)).max() <= 2 * np.abs(np.diff(once)).max()
    period = len(once) - 3 * RATE
    np.testing.assert_allclose(
        sound[period + 4 * RATE : period + 5 * RATE], once[4 * RATE : 5 * RATE], atol=1e-4
    )


def mix_of(tmp_path, own: Track, narration: np.ndarray):
    (tmp_path / "own.m4a").write_bytes(own.file.read_bytes())
    bed = mixing.store_choice(
        brief_of(music="calm", brand=BrandKit(track="own.m4a", track_licence="CC BY 4.0")), tmp_path
    )
    return bed, np.array(mixing.mix_music(bed, narration, tmp_path / mixing.PROGRAMME))


def test_the_mix_is_mastered_the_track_lies_16_db_under_the_speech_and_the_gates_hear_the_speech(
    tmp_path, own
):
    narration = voice(TIMELINE)
    bed, sound = mix_of(tmp_path, own, narration)
    assert (bed.licence, mixing.read_choice(tmp_path)) == ("CC BY 4.0", bed)
    loudness = audio.measure(sound)
    assert (
        loudness.integrated == pytest.approx(audio.TARGET, abs=0.5)
        and loudness.true_peak <= audio.CEILING + 0.4
    )
    film = Film("landscape.mp4", LANDSCAPE, find_scene_spans(TIMELINE, None), "eng", ())
    low = sound.astype(np.float32).reshape(-1, 4).mean(axis=1).astype(np.int16)
    result, [finding] = gate.separate_speech(
        film, ProbeResult(sound=low), tmp_path, tmp_path / "speech"
    )
    assert finding.passed and float(finding.measured.split()[0]) >= gate.UNDER + 1
    meant = narration.reshape(-1, 4).mean(axis=1)
    measures = speech.measure_speech(result.sound, speech.list_passages(film.scenes, meant, {}))
    assert all(each.passed for each in speech.list_findings(film, measures))


def test_a_track_that_was_removed_before_the_video_gives_way_to_the_mood_and_after_it_stays(
    tmp_path, own
):
    kit = BrandKit(track="own.m4a", track_licence="CC BY 4.0")
    assert mixing.store_choice(brief_of(music="calm", brand=kit), tmp_path).name == "calm"
    assert (
        mixing.store_choice(brief_of(brand=kit), tmp_path) is None
        and mixing.read_choice(tmp_path) is None
    )
    (tmp_path / "own.m4a").write_bytes(own.file.read_bytes())
    mixing.store_choice(brief_of(brand=kit), tmp_path)
    assert mixing.read_choice(tmp_path) == dataclasses.replace(own, file=tmp_path / "own.m4a")


def test_a_stored_track_that_is_broken_ends_the_step_with_a_sentence(tmp_path):
    (tmp_path / "own.m4a").write_bytes(b"\0" * 99)
    with pytest.raises(MediaError, match="Upload it again"):
        sound_of(Track(tmp_path / "own.m4a", "CC0"), 5.0)
    assert list(tmp_path.glob("*.wav*")) == []


def test_the_origin_names_the_licence_of_the_track_and_nobody_else_made_it():
    [*_, music] = provenance.list_origins(Script("Tea", "en", ()), TIMELINE, "", "CC BY 4.0")
    assert (
        music.maker == "a track that the account provided, licence: CC BY 4.0" and not music.trained
    )
