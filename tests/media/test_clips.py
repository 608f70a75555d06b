"""Intro and outro: hostile clips are refused with a sentence,
and what is left of the others is shown, heard and compared.
"""

import dataclasses
import shutil
import struct

import av
import numpy as np
import pytest
import small_clips
from small_programme import ENGLISH, LANDSCAPE, brief_of, describe, ignore, timeline_of, voice
from support.sampling import sampled

from svc.media import audio
from svc.media.brand_kit import NO_KIT, BrandKit
from svc.media.captions import captions, chapters, description, transcript
from svc.media.checks import run as gates
from svc.media.clips import clip_choice, upload
from svc.media.clips.clip import Clip
from svc.media.clips.fitting import Fitting
from svc.media.clips.upload import InvalidClip
from svc.media.errors import MediaError
from svc.media.model import QualityFindings, SceneTiming, Script, Timeline, Word, load, save
from svc.media.music import mixing
from svc.media.proof import provenance, record
from svc.media.resources import Resources
from svc.media.video import clip_packets, described_video, render
from svc.media.video.encoding import VideoFormat
from tests.media.mutations import Spoiled

NO_SOUND = np.zeros(0, np.int16)


def checked(folder, name: str = "own.mp4", **shape):
    upload.convert_clip(small_clips.write(folder / "sent", **shape), folder / name)
    return folder / name


def still(number, count, width, height):
    return small_clips.picture(0, 2, width, height)


def black(number, count, width, height):
    return np.zeros((height, width, 3), np.uint8)


@pytest.mark.parametrize(
    "kind, codecs",
    sampled(
        [
            ("mp4", ("libx264", "aac")),
            ("mov", ("libx264", "pcm_s16le")),
            ("webm", ("libvpx-vp9", "libopus")),
            ("mov", ("mpeg4", "aac")),
        ],
        2,
    ),
)
def test_a_clip_of_each_kind_is_written_again_and_only_pictures_and_sound_survive(
    tmp_path, kind, codecs
):
    own = checked(tmp_path, seconds=1.2, size=(320, 240), rate=25, kind=kind, codecs=codecs)
    with av.open(str(own)) as written:
        picture, sound = written.streams.video[0], written.streams.audio[0]
        assert (picture.codec_context.name, picture.pix_fmt, picture.average_rate) == (
            "h264",
            "yuv420p",
            30,
        )
        assert (picture.width, picture.height, picture.frames, sound.codec_context.name) == (
            320,
            240,
            36,
            "aac",
        )
        assert "a private title" not in str(written.metadata) and len(written.streams) == 2
    assert b"private" not in own.read_bytes()
    heard = Clip("intro", own, "").read_sound(57_600)
    assert abs(audio.measure(heard).integrated - audio.TARGET) < 1.0
    meant, part = (
        small_clips.jingle(1.2)[500:51_500].astype(float),
        heard[2000:50_000].astype(float),
    )
    # by lag, from -1500 on
    alike = np.fft.irfft(np.fft.rfft(meant, 1 << 17) * np.fft.rfft(part, 1 << 17).conj())[:3001]
    assert abs(np.argmax(alike) - 1500) < 480  # at most 10 ms apart


@pytest.mark.slow
def test_pictures_keep_their_times_at_another_rate_and_are_made_smaller(tmp_path):
    own = checked(tmp_path, seconds=1.0, size=(2560, 1440), rate=10, sound=NO_SOUND)
    with av.open(str(own)) as written:
        assert (
            written.streams.video[0].width,
            written.streams.video[0].height,
            len(written.streams),
        ) == (1920, 1080, 1)
        lumas = [frame.to_ndarray()[540] for frame in written.decode(video=0)]
    bars = [
        int(np.argmax(np.convolve(luma.astype(int), np.ones(240, int), "valid"))) for luma in lumas
    ]
    assert len(bars) == 30 and bars[0] < 60 and bars[-1] > 1600
    assert all(abs(bars[number] - bars[number // 3 * 3]) < 20 for number in range(30))


def test_a_clip_that_was_taken_on_its_side_stands_upright(tmp_path):
    sent = small_clips.write(
        tmp_path / "sent", seconds=1.0, size=(320, 240), drawn=still, sound=NO_SOUND
    )
    one = struct.pack(">9i", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    # a quarter, clockwise, as phones say it
    turned = struct.pack(">9i", 0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000)
    head, _, rest = sent.read_bytes().rpartition(one)  # that of the track stands last
    sent.write_bytes(head + turned + rest)
    upload.convert_clip(sent, tmp_path / "own.mp4")
    with av.open(str(tmp_path / "own.mp4")) as written:
        frame = next(written.decode(video=0)).to_ndarray(format="rgb24")
    assert frame.shape == (320, 240, 3)
    bar = (frame[..., 0] > 220) & (frame[..., 1] > 180)
    rows, columns = np.nonzero(bar)
    assert rows.mean() < 40 and abs(columns.mean() - 120) < 8  # what was at the left is at the top


def _hdr(path):
    with av.open(str(path), "w", format="mp4") as file:
        stream = file.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.codec_context.color_trc = 16
        for _ in range(40):
            file.mux(
                stream.encode(av.VideoFrame.from_ndarray(black(0, 0, 320, 240), format="rgb24"))
            )
        file.mux(stream.encode(None))


@pytest.mark.parametrize(
    "make, sentence",
    sampled(
        [
            (
                lambda path: small_clips.write(path, 0.5),
                "lasts 0.5 seconds. Choose one of 1 to 3 seconds",
            ),
            (
                lambda path: small_clips.write(path, 4.5, (320, 240), rate=5, drawn=black),
                "longer than 3 seconds. Shorten it first",
            ),
            (
                lambda path: small_clips.write(path, 1.0, (160, 120)),
                "has 160 × 120 pixels; each side must have 240 to 4,096",
            ),
            (
                lambda path: small_clips.write(path, 1.0, kind="avi", codecs=("mpeg4", "mp3")),
                "not a readable clip. Choose an MP4, MOV",
            ),
            (
                lambda path: small_clips.write(path, 1.0, kind="mov", codecs=("mpeg2video", "aac")),
                "not taken",
            ),
            (lambda path: path.write_bytes(b"GIF89a" + bytes(99)), "not a readable clip"),
            (
                lambda path: path.write_bytes(small_clips.write(path, 2.0).read_bytes()[:9000]),
                "not a readable clip|damaged",
            ),
            (_hdr, "high dynamic range"),
        ],
        2,
    ),
    ids=["short", "long", "small", "avi", "mpeg2", "gif", "cut off", "hdr"],
)
def test_a_clip_that_cannot_be_shown_is_refused_with_the_reason(
    tmp_path, monkeypatch, make, sentence
):
    monkeypatch.setattr(upload, "LONGEST", 3)  # seconds: a longer clip takes longer to make
    make(tmp_path / "sent")
    with pytest.raises(InvalidClip, match=sentence):
        upload.convert_clip(tmp_path / "sent", tmp_path / "own.mp4")
    assert not (tmp_path / "own.mp4").exists()


def test_a_file_with_sound_alone_is_no_clip(tmp_path):
    with av.open(str(tmp_path / "sent"), "w", format="mp4") as file:
        track = file.add_stream("aac", rate=48_000, layout="stereo")
        small_clips._write_sound(file, track, small_clips.jingle(2.0))
    with pytest.raises(InvalidClip, match="no moving picture"):
        upload.convert_clip(tmp_path / "sent", tmp_path / "own.mp4")


def test_a_near_shape_fills_the_frame_and_another_is_whole_on_its_own_darkened_ground(tmp_path):
    frame = av.VideoFrame.from_ndarray(
        small_clips.picture(1, 3, 480, 270), format="rgb24"
    ).reformat(format="yuv420p")
    near, far = Fitting((480, 270), (640, 400)), Fitting((480, 270), (360, 640))
    assert (near.fills, far.fills) == (True, False)
    luma = far.fit_picture(frame).planes()[0].astype(int)
    edges = np.abs(np.diff(luma, axis=0)).max(axis=1)
    top = (640 - 202) // 4 * 2
    # blurred above, sharp in the middle
    assert edges[top - 60 : top - 5].max() < 6 < edges[top + 10 : top + 190].max()
    assert luma[:top].mean() < 0.7 * luma[top : top + 202].mean()
    assert near.fit_picture(frame).planes()[0].shape == (400, 640)


def test_a_film_of_another_rate_shows_a_clip_at_its_own_pace(tmp_path):
    own = Clip("intro", checked(tmp_path, seconds=1.0), "")
    assert own.count_pictures() == 30
    at_25 = [frame.pts for frame in own.read_pictures(25, 25)]
    at_60 = [frame.pts for frame in own.read_pictures(60, 60)]
    assert len(set(at_25)) == 25 and at_60[::2] == at_60[1::2] and len(set(at_60)) == 30


def test_the_cache_knows_a_clip_by_its_content(tmp_path):
    video_format = VideoFormat(320, 180, 30, 48_000, "Tea", "en")
    first, again = checked(tmp_path, "one.mp4"), tmp_path / "copy.mp4"
    again.write_bytes(first.read_bytes())
    other = checked(tmp_path, "two.mp4", drawn=still)
    keys = [
        clip_packets._make_key(Clip("intro", path, ""), 60, video_format)
        for path in (first, again, other)
    ]
    assert keys[0] == keys[1] != keys[2]
    assert keys[0] != clip_packets._make_key(
        Clip("intro", first, ""), 60, dataclasses.replace(video_format, width=640)
    )


def moved(timeline: Timeline, intro: float, outro: float) -> Timeline:
    def later(timing: SceneTiming) -> SceneTiming:
        words = tuple(
            Word(word.text, round(word.start + intro, 6), round(word.end + intro, 6))
            for word in timing.words
        )
        return SceneTiming(round(timing.start + intro, 6), round(timing.end + intro, 6), words)

    scenes = tuple(map(later, timeline.scenes))
    return Timeline(
        round(timeline.duration + intro + outro, 6), timeline.sample_rate, scenes, "", intro, outro
    )


def finish(folder, intro: dict, outro: dict, **changes):
    """A small programme between two clips."""
    brand = BrandKit(
        intro=checked(folder, "first.mp4", **intro).name,
        intro_licence="Order 4711",
        outro=checked(folder, "last.mp4", **outro).name,
        outro_licence="CC0",
    )
    brief = brief_of(brand=brand, **changes)
    first, last = clip_choice.store_choice(brand, folder)
    timeline = moved(timeline_of(), first.count_pictures() / 30, last.count_pictures() / 30)
    sounds = [clip.read_sound(clip.count_pictures() * 1600) for clip in (first, last)]
    audio.write_wav(
        folder / "narration.wav", np.concatenate([sounds[0], voice(timeline_of()), sounds[1]])
    )
    save(ENGLISH, folder / "script.json")
    save(timeline, folder / "timeline.json")
    captions.write_captions(folder)
    transcript.write_transcript(brief, folder)
    description.write_descriptions(brief, folder)
    render.render(brief, folder, ignore)
    describe(folder, timeline)
    described_video.make_described_video(brief, folder, ignore)
    return brief


def refusals(brief, folder) -> set[str]:
    try:
        gates.run_checks(brief, folder, ignore)
    except MediaError as error:
        assert error.code == "QUALITY_GATE_FAILED"
    return {
        finding.check
        for finding in load(QualityFindings, folder / "findings.json").findings
        if not finding.passed
    }


@pytest.fixture(scope="module")
def production(tmp_path_factory):
    folder = tmp_path_factory.mktemp("production")
    return finish(
        folder, {"seconds": 2.0}, {"seconds": 1.0, "size": (270, 480)}, music="calm"
    ), folder


def frames(folder, name: str = "landscape.mp4") -> np.ndarray:
    with av.open(str(folder / name)) as film:
        return np.stack([frame.to_ndarray() for frame in film.decode(video=0)])


@pytest.mark.slow
def test_the_clips_stand_around_the_programme_and_pass_the_gates(production):
    brief, folder = production
    assert refusals(brief, folder) == set()
    found = load(QualityFindings, folder / "findings.json").findings
    names = {"intro", "outro", "intro sound", "outro sound"}
    for film in ("landscape.mp4", "portrait.mp4", "described.mp4"):
        assert names <= {finding.check for finding in found if finding.subject == film}
    timeline = load(Timeline, folder / "timeline.json")
    film = frames(folder)
    assert len(film) == round(timeline.duration * 30)
    bars = [int(np.argmax(frame[90].astype(int)[:320])) for frame in film[:60:10]]
    assert bars == sorted(bars) and bars[-1] > bars[0] + 150
    assert load(Timeline, folder / "timeline.json").scenes[0].start == 2.0


@pytest.mark.slow
def test_everything_after_the_intro_is_later_by_its_length(production):
    brief, folder = production
    script, timeline = (
        load(Script, folder / "script.json"),
        load(Timeline, folder / "timeline.json"),
    )
    assert "00:00:02,200 -->" in (folder / "captions.srt").read_text()
    first, second, *_ = chapters.list_chapters(script, timeline)
    assert (first.start, second.start) == (0.0, timeline.scenes[1].start)
    assert second.start == pytest.approx(timeline_of().scenes[1].start + 2.0)
    plain, described = frames(folder), frames(folder, "described.mp4")
    # no description stands before or in the intro
    assert np.array_equal(described[:60], plain[:60])
    assert len(described) == len(plain) + round(4 * 0.55 * 30)


@pytest.mark.slow
def test_there_is_no_music_under_a_clip(production):
    _, folder = production
    bed = audio.open_stored(mixing.find_bed_file(folder / mixing.PROGRAMME))[:]
    mix, narration = (
        audio.open_stored(folder / mixing.PROGRAMME)[:],
        audio.open_stored(folder / "narration.wav")[:],
    )
    assert len(bed) == len(mix) == len(narration)
    assert (
        not bed[:96_000].any()
        and not bed[-48_000:].any()
        and np.abs(bed[96_000:-48_000]).max() > 50
    )
    assert np.array_equal(mix[:96_000], narration[:96_000]) and np.array_equal(
        mix[-48_000:], narration[-48_000:]
    )


def _spoil(folder, tmp_path, brief, change) -> set[str]:
    """Change the landscape film alone, and return what refuses it."""
    copy, brief = tmp_path / "copy", dataclasses.replace(brief, renditions=(LANDSCAPE,))
    shutil.copytree(folder, copy)
    film = Spoiled(copy, brief)
    change(film)
    film.write()
    return refusals(brief, copy)


def _freeze(film):
    film.frames[20:40] = film.frames[20]


def _darken(film):
    film.frames[20:32, :180] = 16
    film.frames[20:32, 180:] = 128


def _exchange(film):
    film.frames[-30:] = film.frames[-31]


def _mute(film):
    film.sound[:48_000] = 0


def _hum(film):
    count = 48_000
    film.sound[-count:] = film.sound[-count:] // 2 + 4000 * np.sin(np.arange(count) / 30)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change, gate",
    [
        (_freeze, "intro"),
        (_darken, "intro"),
        (_exchange, "outro"),
        (_mute, "intro sound"),
        (_hum, "outro sound"),
    ],
)
def test_a_spoiled_clip_is_refused_by_its_gate(production, tmp_path, change, gate):
    brief, folder = production
    assert gate in _spoil(folder, tmp_path, brief, change)


@pytest.mark.slow
def test_a_clip_that_is_itself_still_black_and_silent_is_not_refused(tmp_path):
    quiet = {"seconds": 5.0, "drawn": still, "sound": NO_SOUND}
    brief = finish(tmp_path, quiet, {"seconds": 3.0, "drawn": black, "sound": NO_SOUND})
    assert refusals(brief, tmp_path) == set()


def grain(number, count, width, height):
    noise = np.random.default_rng(number).normal(0, 25, (height, width, 1))
    return np.clip(small_clips.picture(number, count, width, height) + noise, 0, 255).astype(
        np.uint8
    )


def flashes(number, count, width, height):
    return np.full((height, width, 3), 235 * (number % 2), np.uint8)


@pytest.mark.slow
def test_clips_of_grain_and_hiss_and_of_flashes_and_bursts_are_not_refused(tmp_path):
    hiss = (np.random.default_rng(2).normal(0, 3000, 48_000)).astype(np.int16)
    bursts = np.where(np.arange(48_000) % 12_000 < 1_000, hiss * 3.0, 0).astype(np.int16)
    intro, outro = {"drawn": grain, "sound": hiss}, {"drawn": flashes, "sound": bursts}
    brief = finish(tmp_path, {"seconds": 1.0, **intro}, {"seconds": 1.0, **outro})
    assert refusals(brief, tmp_path) == set()


@pytest.mark.slow
def test_a_clip_that_is_lost_after_the_narration_fails_with_a_reason(production, tmp_path):
    _, folder = production
    (tmp_path / "clips.json").write_bytes((folder / "clips.json").read_bytes())
    intro, _ = clip_choice.read_choice(tmp_path)
    with pytest.raises(MediaError, match="cannot be read"):
        intro.count_pictures()


def test_a_clip_that_was_removed_before_the_narration_is_left_out(tmp_path):
    checked(tmp_path, "first.mp4")
    brand = BrandKit(intro="first.mp4", intro_licence="CC0")
    assert clip_choice.store_choice(brand, tmp_path)[0] is not None
    (tmp_path / "first.mp4").unlink()
    assert (
        clip_choice.store_choice(brand, tmp_path)
        == (None, None)
        == clip_choice.read_choice(tmp_path)
    )
    assert not (tmp_path / "clip-intro.mp4").exists()
    assert clip_choice.store_choice(NO_KIT, tmp_path) == (None, None)


def test_the_licences_of_the_clips_are_named_in_the_disclosure():
    clips = {"intro": "Order 4711", "outro": "CC0"}
    *_, intro, outro = provenance.list_origins(
        Script("Tea", "en", ()), timeline_of(), "", "", clips
    )
    assert (intro.part, outro.maker) == ("intro", "a clip that the account provided, licence: CC0")
    sentence = record.find_disclosure(brief_of(), (intro, outro))
    assert "Intro: a clip that the account provided, licence: Order 4711. Outro:" in sentence


def test_the_packets_of_a_clip_come_from_the_cache_the_second_time(tmp_path):
    class Kept(dict):
        find, keep = dict.get, dict.__setitem__

    resources, video_format = (
        Resources(cache=Kept()),
        VideoFormat(320, 180, 30, 48_000, "Tea", "en"),
    )
    own = Clip("outro", checked(tmp_path, seconds=1.0), "")
    first = list(clip_packets.copy_packets(own, 90, 30, video_format, resources))
    assert [frame for frame, _ in first][:2] == [90, 91]
    assert (
        list(clip_packets.copy_packets(own, 90, 30, video_format, resources)) == first
        and len(resources.cache) == 1
    )
