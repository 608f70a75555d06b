"""What the demo made, judged by what did not make it: Debian's ffmpeg,
webvtt-py, srt, python-docx.
"""

import json
from pathlib import Path

import docx
import pytest
import srt
import webvtt

from svc.cli.demo import demo
from tests.support.judging import CHAPTERS, judge, one_line, seconds

pytestmark = pytest.mark.judges
pytest_plugins = ("tests.support.demonstration",)

TOLERANCE = 0.5  # seconds
SHAPES = {"Watch": (1920, 1080), "WatchVertical": (1080, 1920), None: (1920, 1080)}


@pytest.fixture(scope="module")
def spoken(demonstration) -> str:
    """The words of the transcript, without its headings' marks."""
    [transcript] = demonstration.files("txt")
    return one_line(transcript.read_text("utf-8"))


@pytest.fixture(scope="module")
def programme_seconds(demonstration) -> float:
    """How long the programme is, as the API says."""
    [seconds] = {
        each["duration_seconds"]
        for each in demonstration.deliverables.values()
        if each["type"] == "Video"
    }
    return seconds


def test_there_are_three_films(demonstration):
    assert sorted(
        str(demonstration.deliverables[each]["platform"]) for each in demonstration.files("mp4")
    ) == [
        "None",
        "Watch",
        "WatchVertical",
    ]


def test_ffprobe_agrees_with_every_mp4(demonstration):
    told_of_streams = ("-show_streams", "-show_format", "-show_chapters")
    for film in demonstration.files("mp4"):
        told = demonstration.deliverables[film]
        found = json.loads(
            judge("ffprobe", "-v", "warning", *told_of_streams, "-of", "json", film, bears=CHAPTERS)
        )
        streams = {each["codec_type"]: each for each in found["streams"]}
        video, audio = streams["video"], streams["audio"]
        # chapters are a track of text
        assert len(found["streams"]) == len(streams) == (3 if found["chapters"] else 2)
        assert (video["codec_name"], audio["codec_name"]) == ("h264", "aac")
        assert (video["width"], video["height"]) == SHAPES[told["platform"]]
        assert (video["pix_fmt"], video["avg_frame_rate"]) == ("yuv420p", "30/1")
        assert int(found["format"]["size"]) == told["size_bytes"] == film.stat().st_size
        for duration in (found["format"]["duration"], video["duration"], audio["duration"]):
            assert float(duration) == pytest.approx(told["duration_seconds"], abs=TOLERANCE)


def test_every_mp4_can_be_played_before_it_has_come_whole(demonstration):
    for film in demonstration.files("mp4"):
        start = film.read_bytes()
        assert start.index(b"moov") < start.index(b"mdat")


def test_python_docx_opens_the_transcript(demonstration, spoken):
    [document] = demonstration.files("docx")
    text = one_line(" ".join(each.text for each in docx.Document(str(document)).paragraphs))
    assert demo.TOPIC in text
    for sentence in demo.NOTES.read_text("utf-8").split("\n\n")[1::2]:
        # the marks of Markdown are not shown
        for part in sentence.replace("- ", "").replace("**", "").splitlines():
            assert one_line(part) in text
            assert one_line(part) in spoken


def captions(demonstration) -> Path:
    return next(
        each
        for each in demonstration.files("vtt")
        if demonstration.deliverables[each]["type"] == "ClosedCaptions"
    )


def test_webvtt_py_reads_the_captions(demonstration, spoken, programme_seconds):
    cues = list(webvtt.read(str(captions(demonstration))))
    moments = [moment for each in cues for moment in (seconds(each.start), seconds(each.end))]
    assert moments == sorted(moments)
    assert moments[-1] <= programme_seconds
    for cue in cues:
        assert one_line(cue.text) in spoken


def test_webvtt_py_reads_the_descriptions(demonstration, programme_seconds):
    [path] = [each for each in demonstration.files("vtt") if each != captions(demonstration)]
    cues = list(webvtt.read(str(path)))
    assert len(cues) == 2  # of the title and the list; the others show what is said
    assert seconds(cues[-1].end) <= programme_seconds + TOLERANCE


def test_srt_reads_the_same_captions(demonstration):
    [path] = demonstration.files("srt")
    read = list(srt.parse(path.read_text("utf-8"), ignore_errors=False))
    cues = list(webvtt.read(str(captions(demonstration))))
    assert [one_line(each.content) for each in read] == [one_line(each.text) for each in cues]
    assert [each.index for each in read] == list(range(1, len(read) + 1))
    for mine, other in zip(read, cues, strict=True):
        assert mine.start.total_seconds() == pytest.approx(seconds(other.start), abs=0.002)
        assert mine.end.total_seconds() == pytest.approx(seconds(other.end), abs=0.002)
