"""Every gate passes a correct file and fails a broken one."""

import dataclasses
import shutil

import av
import numpy as np
import pytest
from PIL import Image
from small_programme import ENGLISH, LANDSCAPE, PORTRAIT, finish, ignore, timeline_of

from svc.media import audio
from svc.media.captions import captions
from svc.media.captions import parse as subtitles
from svc.media.checks import repeats
from svc.media.checks import run as checks
from svc.media.checks import text as text_checks
from svc.media.checks.probe import probe_copy, probe_film
from svc.media.checks.repeats import Group, PictureDecoder, Trace
from svc.media.drawing.yuv import Picture
from svc.media.errors import MediaError
from svc.media.model import (
    DrawnText,
    Lettering,
    Presenter,
    QualityFindings,
    Script,
    Visual,
    load,
    save,
)
from svc.media.video import encoding, mp4
from svc.media.video.encoding import Shot, VideoFormat

pytestmark = pytest.mark.slow

SECONDS = timeline_of().duration


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    return folder, finish(folder)


@pytest.fixture
def folder(finished, tmp_path):
    """A finished production, to be broken."""
    return shutil.copytree(finished[0], tmp_path / "copy")


@pytest.fixture
def brief(finished):
    return finished[1]


def failures(brief, folder) -> dict[tuple[str, str], str]:
    """Return the measurement of each gate that a production does not pass,
    and at least one of which fails it.
    """
    with pytest.raises(MediaError) as raised:
        checks.run_checks(brief, folder, ignore)
    assert raised.value.code == "QUALITY_GATE_FAILED"
    missed = [
        result
        for result in load(QualityFindings, folder / "findings.json").findings
        if not result.passed
    ]
    for result in missed:
        assert (result.describe() in raised.value.message) == result.certain
        assert not result.picture
    assert str(folder) not in raised.value.message
    return {(result.check, result.subject): result.measured for result in missed}


def warnings(brief, folder) -> dict[tuple[str, str], str]:
    """Return the measurement of each gate that warns of a production, none of which fails it."""
    checks.run_checks(brief, folder, ignore)
    missed = [
        result
        for result in load(QualityFindings, folder / "findings.json").findings
        if not result.passed
    ]
    assert not any(result.certain for result in missed)
    assert all((folder / result.picture).is_file() for result in missed if result.picture)
    return {(result.check, result.subject): result.measured for result in missed}


def film(
    path, samples: np.ndarray, seconds: float = SECONDS, width=320, height=180, rate=30, shown=None
) -> None:
    """Write an mp4 with the pictures of the finished one, or with those ``shown``:
    (seconds, picture, opens).
    """
    video_format = VideoFormat(width, height, rate, audio.SAMPLE_RATE, "Tea", "en")
    shown = [shot for shot in pictures(path) if shot[0] < seconds] if shown is None else shown
    by_frame = {round(at * rate): (frame, opens) for at, frame, opens in shown}
    shots = [
        Shot(at, Picture(width, height, fitted(*each, width, height)), opens)
        for at, (*each, opens) in by_frame.items()
    ]
    frames = round(seconds * rate)
    with mp4.open_for_writing(path, video_format) as writer:
        writer.mux(
            encoding.make_packets(
                writer.video, encoding.encode(shots, frames, video_format), frames, video_format
            ),
            samples,
        )


def pictures(path) -> list[tuple[float, np.ndarray, bool]]:
    """The pictures of a film, where it changes: seconds, planes,
    and whether a scene or a transition begins.
    """
    shots = []
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            planes = frame.to_ndarray()
            if not shots or frame.key_frame or not np.array_equal(planes, shots[-1][1]):
                shots.append((number / 30, planes, bool(frame.key_frame)))
    return shots


def fitted(frame: np.ndarray, width: int, height: int) -> np.ndarray:
    if frame.shape == (height * 3 // 2, width):
        return frame.reshape(-1)
    return (
        av.VideoFrame.from_ndarray(frame, format="yuv420p")
        .reformat(width, height)
        .to_ndarray()
        .reshape(-1)
    )


def narration(folder) -> np.ndarray:
    return mp4.read_wav(folder / "narration.wav")


def test_a_sound_production_passes_every_gate(brief, folder):
    steps = []
    checks.run_checks(brief, folder, steps.append)
    findings = load(QualityFindings, folder / "findings.json").findings
    assert all(result.passed for result in findings)
    assert {result.subject for result in findings} == {
        "landscape.mp4",
        "portrait.mp4",
        "described.mp4",
        "captions.srt",
        "captions.vtt",
        "transcript.txt",
        "transcript.docx",
        "descriptions.vtt",
        "script.json",
        "description-landscape.txt",
        "description-portrait.txt",
    }
    assert steps == sorted(steps) and steps[-1] == 1.0


def test_a_production_with_a_voice_alone_passes_every_gate(tmp_path):
    voice = Presenter("Ada", figure="none")
    brief = finish(
        tmp_path, renditions=(LANDSCAPE,), avatar=voice, look="news", caption_style="plain"
    )
    checks.run_checks(brief, tmp_path, ignore)
    measured = {
        result.check: result.measured
        for result in load(QualityFindings, tmp_path / "findings.json").findings
    }
    assert float(measured["still picture"].split()[0]) <= 4


def test_a_truncated_film_is_stopped(brief, folder):
    path = folder / "landscape.mp4"
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    measured = failures(brief, folder)
    assert ("decoding", "landscape.mp4") in measured
    assert ("picture duration", "landscape.mp4") in measured


def test_a_film_without_its_last_bytes_is_stopped(brief, folder):
    path = folder / "portrait.mp4"
    path.write_bytes(path.read_bytes()[:-20])
    assert ("decoding", "portrait.mp4") in failures(brief, folder)


def test_a_damaged_frame_is_stopped(brief, folder):
    path = folder / "described.mp4"
    content = bytearray(path.read_bytes())
    start = content.index(b"mdat") + 1500
    content[start : start + 60] = bytes(byte ^ 0x5A for byte in content[start : start + 60])
    path.write_bytes(content)
    assert ("decoding", "described.mp4") in failures(brief, folder)


@pytest.mark.parametrize("content", [b"", b"this is no film at all", b"\0\0\0\x1cftypmp42"])
def test_what_is_no_film_is_stopped(brief, folder, content):
    (folder / "landscape.mp4").write_bytes(content)
    assert [check for check, name in failures(brief, folder) if name == "landscape.mp4"] == [
        "decoding"
    ]


@pytest.mark.parametrize("name", ["portrait.mp4", "described.mp4"])
def test_a_film_that_is_not_there_is_stopped(brief, folder, name):
    (folder / name).unlink()
    assert "No such file" in failures(brief, folder)["decoding", name]


def test_a_film_of_another_size_or_frame_rate_is_stopped(brief, folder):
    film(folder / "landscape.mp4", narration(folder), width=160, height=90)
    film(folder / "portrait.mp4", narration(folder), width=180, height=320, rate=25)
    measured = failures(brief, folder)
    assert "160×90" in measured["format", "landscape.mp4"]
    assert "25 frames" in measured["format", "portrait.mp4"]


def test_a_film_that_ends_too_early_is_stopped(brief, folder):
    film(folder / "landscape.mp4", narration(folder), seconds=SECONDS - 0.7)
    assert ("picture duration", "landscape.mp4") in failures(brief, folder)


def test_a_film_whose_sound_goes_on_too_long_is_stopped(brief, folder):
    film(folder / "landscape.mp4", np.concatenate([narration(folder), narration(folder)[:40_000]]))
    assert ("sound duration", "landscape.mp4") in failures(brief, folder)


def test_a_described_film_without_its_descriptions_is_stopped(brief, folder):
    shutil.copy(folder / "landscape.mp4", folder / "described.mp4")
    failed = failures(brief, folder)
    expected = {
        (check, "described.mp4")
        for check in ("picture duration", "sound duration", "A/V offset", "speech")
    }
    assert expected <= failed.keys() and {name for _, name in failed} == {"described.mp4"}


def test_a_film_that_is_too_quiet_is_stopped(brief, folder):
    film(folder / "landscape.mp4", narration(folder) // 2)
    assert ("loudness", "landscape.mp4") in failures(brief, folder)


def test_a_film_that_is_too_loud_is_stopped(brief, folder):
    loud = np.clip(narration(folder).astype(int) * 3, -32768, 32767).astype(np.int16)
    film(folder / "landscape.mp4", loud)
    assert {("loudness", "landscape.mp4"), ("true peak", "landscape.mp4")} <= failures(
        brief, folder
    ).keys()


def test_a_film_that_is_longer_than_its_platforms_take_is_stopped(brief, folder):
    short = dataclasses.replace(
        brief,
        renditions=(dataclasses.replace(brief.renditions[0], longest=1), *brief.renditions[1:]),
    )
    assert set(failures(short, folder)) == {
        ("length", "landscape.mp4"),
        ("length", "described.mp4"),
    }


def test_a_platform_that_plays_more_quietly_gets_a_quieter_film(brief, folder):
    film(folder / "portrait.mp4", audio.attenuate(narration(folder), -18.0), width=180, height=320)
    quieter = dataclasses.replace(brief.renditions[1], loudness=-18.0)
    quiet = dataclasses.replace(brief, renditions=(brief.renditions[0], quieter))
    checks.run_checks(quiet, folder, ignore)
    assert ("loudness", "portrait.mp4") in failures(brief, folder)
    with pytest.raises(ValueError, match="louder than"):
        audio.attenuate(narration(folder), -10.0)


def test_a_silent_film_is_stopped(brief, folder):
    film(folder / "landscape.mp4", np.zeros_like(narration(folder)))
    measured = failures(brief, folder)
    assert measured["loudness", "landscape.mp4"] == "-70.0 LUFS"
    assert measured["true peak", "landscape.mp4"] == "silence"


@pytest.mark.parametrize("name", checks.CAPTION_FILES)
def test_captions_that_leave_out_a_scene_are_stopped(brief, folder, name):
    path = folder / name
    # a word too long, in the last scene
    path.write_text(path.read_text().replace("Enjoy", "Enjoyed"))
    assert failures(brief, folder)["scenes in captions", name] == "3 of 4"


@pytest.mark.parametrize("name, point", [("captions.srt", ","), ("captions.vtt", ".")])
def test_captions_that_overlap_or_end_after_the_programme_are_stopped(brief, folder, name, point):
    path = folder / name
    first, *rest = path.read_text().split(" --> ")
    path.write_text(" --> ".join([first, f"00:00:19{point}000{rest[0][12:]}", *rest[1:]]))
    assert failures(brief, folder)["caption timing", name] == "2 cues overlap or lie outside"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("captions.vtt", ""),
        ("captions.vtt", "WEBVTT\n"),
        ("captions.vtt", "WEBVTT\n\nsoon --> later\nHello\n"),
        ("captions.vtt", "WEBVTT\n\n00:01,000 --> 00:02,000\nA comma for the point\n"),
        (
            "captions.vtt",
            (
                "WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n00:02.000 --> 00:03.000\n"
                "No empty line between cues\n"
            ),
        ),
        ("captions.srt", ""),
        ("captions.srt", "1\nsoon --> later\nHello\n"),
        ("captions.srt", "1\n0:0:1,0 --> 0:0:2,0\nTimes that are too short\n"),
        ("captions.srt", "1\n00:00:01,000 --> 00:00:02,000\nAn empty line\n\nin a cue\n"),
    ],
)
def test_captions_that_cannot_be_read_are_stopped(brief, folder, name, content):
    (folder / name).write_text(content)
    assert failures(brief, folder)["captions", name].startswith("unreadable")


def test_captions_that_are_not_there_are_stopped(brief, folder):
    (folder / "captions.srt").unlink()
    assert "No such file" in failures(brief, folder)["captions", "captions.srt"]


def test_all_failures_are_told_at_once(brief, folder):
    film(folder / "portrait.mp4", narration(folder) // 3, width=100, height=100)
    (folder / "captions.srt").unlink()
    assert {"format", "loudness", "captions"} <= {check for check, _ in failures(brief, folder)}


def moved(samples: np.ndarray, seconds: float) -> np.ndarray:
    """``samples`` that much later."""
    return np.concatenate([np.zeros(round(seconds * audio.SAMPLE_RATE), np.int16), samples])[
        : len(samples)
    ]


def finding(folder, check: str, subject: str = "landscape.mp4"):
    results = load(QualityFindings, folder / "findings.json").findings
    return next(result for result in results if (result.check, result.subject) == (check, subject))


def test_sound_and_picture_run_together(brief, folder):
    checks.run_checks(brief, folder, ignore)
    for name in ("landscape.mp4", "portrait.mp4", "described.mp4"):
        assert finding(folder, "A/V offset", name).measured == "sound and picture together"


@pytest.mark.parametrize("late", [0.05, 0.2])
def test_sound_that_lags_is_stopped(brief, folder, late):
    film(folder / "landscape.mp4", moved(narration(folder), late))
    assert (
        failures(brief, folder)["A/V offset", "landscape.mp4"] == f"sound {late * 1000:.1f} ms late"
    )
    assert finding(folder, "A/V offset").excess == f"{late * 1000 - 40:.1f} ms"


def test_pictures_that_lag_are_stopped(brief, folder):
    path = folder / "landscape.mp4"
    late = [(max(0.0, at + (at > 0) * 0.1), frame, opens) for at, frame, opens in pictures(path)]
    film(path, narration(folder), shown=late)
    measured = failures(brief, folder)
    assert measured["A/V offset", "landscape.mp4"] == "sound 100.0 ms early"


def test_the_sound_of_another_programme_is_stopped(brief, folder):
    noise = audio.normalise(
        np.random.default_rng(1).normal(0, 3000, len(narration(folder))).astype(np.int16)
    )
    film(folder / "landscape.mp4", noise)
    assert failures(brief, folder)["A/V offset", "landscape.mp4"] == "the narration is not heard"


def test_silence_where_words_should_be_heard_is_stopped(brief, folder):
    samples, scene = narration(folder).copy(), timeline_of().scenes[1]
    gone = slice(
        *(
            round(moment * audio.SAMPLE_RATE)
            for moment in (scene.words[1].start, scene.words[4].start)
        )
    )
    samples[gone] = 0
    film(folder / "landscape.mp4", samples)
    assert ("silence", "landscape.mp4") in failures(brief, folder)
    assert finding(folder, "silence").where.endswith("scene 2")


def test_a_black_picture_is_stopped(brief, folder):
    path, second = folder / "landscape.mp4", timeline_of().scenes[1]
    black = np.concatenate([np.full((180, 320), 16, np.uint8), np.full((90, 320), 128, np.uint8)])
    dark = [
        (at, black if second.start + 1 < at < second.start + 2 else frame, opens)
        for at, frame, opens in pictures(path)
    ]
    film(path, narration(folder), shown=dark)
    assert ("black picture", "landscape.mp4") in failures(brief, folder)
    assert finding(folder, "black picture").where.endswith("scene 2")


def test_a_picture_that_stands_over_the_next_scene_is_stopped(brief, folder):
    path, second = folder / "landscape.mp4", timeline_of().scenes[1]
    film(
        path,
        narration(folder),
        shown=[shot for shot in pictures(path) if shot[0] < second.start - 0.5],
    )
    measured = failures(brief, folder)
    assert (
        measured["frozen picture", "landscape.mp4"]
        == "the picture is the one before; and 5 more like it"
    )
    assert finding(folder, "frozen picture").where == f"00:{second.start:05.2f}, scene 2"
    expected = {"scene pictures", "still picture", "captions in the picture"}
    assert {(check, "landscape.mp4") for check in expected} <= measured.keys()


def test_a_picture_that_does_not_move_with_its_words_is_warned_of_with_the_picture(brief, folder):
    path, second = folder / "landscape.mp4", timeline_of().scenes[1]
    film(
        path,
        narration(folder),
        shown=[shot for shot in pictures(path) if not second.start < shot[0] < second.end],
    )
    assert (
        warnings(brief, folder)["frozen picture", "landscape.mp4"]
        == "the picture does not move with its words"
    )
    found = finding(folder, "frozen picture")
    with Image.open(folder / found.picture) as picture:
        assert (found.scene, picture.size) == (2, (320, 180))


def rewritten(folder, *cues: tuple[float, float, list[str]]) -> None:
    for name, text in (
        ("captions.srt", captions.format_subrip(list(cues))),
        ("captions.vtt", captions.format_webvtt(list(cues))),
    ):
        (folder / name).write_text(text)


WORDS = [word for scene in ENGLISH.scenes for word in scene.words]


@pytest.mark.parametrize(
    ("check", "cues", "measured"),
    [
        (
            "reading speed",
            [(0, 1, [" ".join(WORDS[:7])]), (4.05, 9, [" ".join(WORDS[7:])])],
            "34.0 characters a second",
        ),
        ("caption gap", [(0, 4, [" ".join(WORDS[:7])]), (4.03, 9, [" ".join(WORDS[7:])])], "30 ms"),
        (
            "caption lines",
            [(0, 9, [" ".join(WORDS[:6]), " ".join(WORDS[6:9]), " ".join(WORDS[9:])])],
            "3",
        ),
        ("caption line", [(0, 9, [" ".join(WORDS)])], "87 characters"),
    ],
)
def test_captions_that_cannot_be_read_in_time_are_warned_of(brief, folder, check, cues, measured):
    rewritten(folder, *cues)
    warned = warnings(brief, folder)
    assert warned[check, "captions.srt"] == warned[check, "captions.vtt"] == measured
    found = finding(folder, check, "captions.vtt")
    assert "cue" in found.where and found.excess and found.scene and found.picture


def lettered(**changes) -> Lettering:
    text = DrawnText(
        1, "heading", "Two steps", (10, 10, 90, 30), 9, 700, "#ffffff", "#101010", 19.0, ""
    )
    return Lettering(320, 180, (8, 8, 312, 172), (text, dataclasses.replace(text, **changes)))


@pytest.mark.parametrize(
    ("changes", "check", "measured", "judged"),
    [
        (
            {"ink": "#777777", "ground": "#787878", "size": 5},
            "contrast",
            "1.01:1 for heading, least of 2 texts",
            failures,
        ),
        (
            {"ink": "#7a7a7a", "size": 5},
            "contrast",
            "4.43:1 for heading, least of 2 texts",
            warnings,
        ),
        ({"missing": "\u4e2d"}, "missing glyphs", "1 characters without a glyph: U+4E2D", warnings),
        ({"box": (10, 10, 90, 175)}, "safe zone", "1 texts outside", warnings),
    ],
)
def test_writing_that_nobody_reads_is_stopped_and_what_is_hard_to_read_is_warned_of(
    brief, folder, changes, check, measured, judged
):
    save(lettered(), folder / "lettering-landscape.json")
    checks.run_checks(brief, folder, ignore)
    save(lettered(**changes), folder / "lettering-landscape.json")
    assert judged(brief, folder) == {(check, "landscape.mp4"): measured}
    assert finding(folder, check).where.startswith("scene 2, heading “Two steps”")


@pytest.mark.parametrize(
    "kept, lost",
    [
        (("spread =", "spring - neap", "print", "(spread)", "long_", "na", "me"), ()),
        (("spread =", "print", "(spread)", "long_name"), ("spring", "-", "neap")),
        (("spread =", "spring - neap", "long_na", "print", "(spread)"), ("long_name",)),
        (("spread = spring - neap", "long_name", "print(spread"), ("print(spread)",)),
        ((), ("spread", "=", "spring", "-", "neap", "print(spread)", "long_name")),
    ],
)
def test_code_that_no_picture_shows_is_stopped(kept, lost):
    code = Visual("code", "spread = spring - neap\nprint(spread)\nlong_name", "python")
    script = Script(
        "Tea", "en", (ENGLISH.scenes[0], dataclasses.replace(ENGLISH.scenes[2], sight=code))
    )
    heading, other = lettered().texts
    texts = [dataclasses.replace(heading, part="code", text=text) for text in kept]
    # in another scene: it does not count
    elsewhere = dataclasses.replace(heading, scene=0, part="code", text=code.text)
    lettering = dataclasses.replace(lettered(), texts=(other, elsewhere, *texts))
    *_, found = text_checks.list_findings("x.mp4", lettering, script)
    assert (found.passed, found.measured) == (not lost, f"{len(lost)} words left out")
    assert found.where == (f"scene 2, “{lost[0]}”" if lost else "")


def test_large_writing_may_have_less_contrast(brief, folder):
    save(lettered(ink="#767676", ground="#101010", size=9), folder / "lettering-landscape.json")
    checks.run_checks(brief, folder, ignore)
    assert finding(folder, "contrast").limit == "at least 3.0:1"


def test_markup_in_captions_is_read_as_what_it_stands_for(tmp_path):
    (tmp_path / "a.vtt").write_text(
        "WEBVTT\n\n1\n00:01.500 --> 01:00:02.000\nR&amp;D &lt;now&gt;\nnext\n"
    )
    assert subtitles.read_cues(tmp_path / "a.vtt") == [
        subtitles.Subtitle(1.5, 3602.0, ("R&D <now>", "next"))
    ]
    assert subtitles.normalise_text("‹a›  → b") == "<a> --> b"


def test_pictures_that_repeat_are_counted_without_being_decoded(folder):
    path = folder / "landscape.mp4"
    with av.open(str(path)) as container:
        every = [frame.to_ndarray() for frame in container.decode(video=0)]
    with av.open(str(path)) as container:
        decoder = PictureDecoder(container.streams.video[0])
        shown = {
            each.number: each.frame.to_ndarray()
            for packet in container.demux(video=0)
            for each in decoder.decode(packet)
        }
    # entrances and drift change many
    assert decoder.shown == len(every) and len(shown) < 0.7 * len(every)
    current = shown[0]
    for number, frame in enumerate(every):
        current = shown.get(number, current)
        assert np.array_equal(frame, current), number


def test_a_picture_that_is_left_out_is_noticed(brief, folder):
    path, copy = folder / "landscape.mp4", folder / "copy.mp4"
    with (
        av.open(str(path)) as source,
        av.open(str(copy), "w", options={"use_editlist": "0"}) as target,
    ):
        streams = {
            stream.index: target.add_stream_from_template(stream)
            for stream in (*source.streams.video, *source.streams.audio)
        }
        for packet in source.demux(*source.streams.video, *source.streams.audio):
            if packet.dts is not None and not (
                packet.stream.type == "video" and packet.pts == packet.duration * 40
            ):
                packet.stream = streams[packet.stream.index]
                target.mux(packet)
    copy.replace(path)
    assert ("decoding", "landscape.mp4") in failures(brief, folder)


def test_a_copied_film_measures_as_if_it_had_been_decoded(folder):
    original = probe_film(folder / "landscape.mp4")
    copy, decoded = (
        probe_copy(folder / "described.mp4", lambda: original),
        probe_film(folder / "described.mp4"),
    )
    assert copy is not None and len(copy.copied) >= 4
    for field in dataclasses.fields(decoded):
        if field.name not in ("trace", "copied"):
            assert np.array_equal(getattr(copy, field.name), getattr(decoded, field.name)), (
                field.name
            )


def test_a_film_with_other_pictures_is_no_copy(folder):
    original = probe_film(folder / "landscape.mp4")
    assert probe_copy(folder / "portrait.mp4", lambda: original) is None
    assert (
        probe_copy(
            folder / "described.mp4", lambda: dataclasses.replace(original, black=((1.0, 2.0),))
        )
        is None
    )
    film(folder / "described.mp4", mp4.read_wav(folder / "narration.wav"), SECONDS - 0.5)
    assert probe_copy(folder / "described.mp4", lambda: original) is None


def test_a_copy_may_only_repeat_a_keyframe_and_begin_its_pictures_again():
    original = trace("K-ab", "L-c")
    assert repeats.find_copied_groups(original, original) == (Group(0, 0, 0), Group(4, 4, 4))
    groups = repeats.find_copied_groups(trace("K--", "K-ab", "L-----", "L-c"), original)
    assert groups == (Group(0, 0, 3), Group(4, 7, 13))
    assert repeats.find_first_shown((0, 2, 4, 6), groups) == (0, 5, 7, 15)
    for other in (
        "K--ab L-c",
        "K-a L-c",
        "K-ab L---",
        "K-ba L-c",
        "L-c K-ab",
        "K-ab K-ab L-c",
        "K-ab",
    ):
        with pytest.raises(ValueError, match=r"."):
            repeats.find_copied_groups(trace(*other.split()), original)


def trace(*groups: str) -> Trace:
    """Each group begins with a keyframe; "-" repeats a picture."""
    pictures = [letter.encode() for letter in "".join(groups)]
    starts = {sum(map(len, groups[:number])) for number in range(len(groups))}
    return Trace(b"", pictures, starts, {b"-"})


def test_a_probe_measures_what_a_film_is(folder):
    result = probe_film(folder / "portrait.mp4")
    assert (result.width, result.height, result.frame_rate) == (
        PORTRAIT.width,
        PORTRAIT.height,
        LANDSCAPE.frame_rate,
    )
    assert result.frames == result.frames_promised == round(SECONDS * 30)
    assert result.loudness == pytest.approx(-14, abs=0.6)
