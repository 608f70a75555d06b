"""The demo's videos, judged by independent decoders and readers: ffmpeg, OpenH264,
mediainfo, exiftool, c2pa.
"""

import json
import shutil
import subprocess
from pathlib import Path

import c2pa
import pytest

from tests.support.judging import CHAPTERS, judge

pytestmark = pytest.mark.judges
pytest_plugins = ("tests.support.demonstration",)

STRICT = ("-v", "warning", "-xerror", "-err_detect", "explode")


@pytest.fixture(scope="module")
def films(demonstration) -> list[Path]:
    paths = demonstration.files("mp4")
    assert len(paths) == 3
    return paths


def test_ffmpeg_decodes_every_film_without_a_complaint(films):
    for film in films:
        judge("ffmpeg", *STRICT, "-i", film, "-f", "null", "-")


def test_openh264_and_ffmpeg_see_the_same_pictures_to_the_bit(films):
    for film in films:
        output = judge(
            "ffmpeg", *STRICT, "-i", film, "-map", "0:v", "-f", "framemd5", "-"
        ).splitlines()
        by_ffmpeg = [line.split()[-1] for line in output if not line.startswith("#")]
        pipeline = [
            "filesrc",
            f"location={film}",
            "!",
            "qtdemux",
            "!",
            "h264parse",
            "!",
            "openh264dec",
            "!",
            "checksumsink",
        ]
        output = judge("gst-launch-1.0", "-q", *pipeline, "hash=md5").splitlines()
        by_openh264 = [line.split()[-1] for line in output]
        assert len(by_ffmpeg) > 300
        assert by_openh264 == by_ffmpeg


def test_ffprobe_counts_the_frames_and_finds_both_streams_at_zero(films):
    for film in films:
        shown = (
            "-count_frames",
            "-show_entries",
            "stream=codec_type,start_time,nb_frames,nb_read_frames",
        )
        streams = json.loads(
            judge("ffprobe", "-v", "warning", *shown, "-of", "json", film, bears=CHAPTERS)
        )["streams"]
        assert [
            float(stream["start_time"]) for stream in streams if stream["codec_type"] != "data"
        ] == [0.0, 0.0]
        [picture] = [stream for stream in streams if stream["codec_type"] == "video"]
        assert picture["nb_read_frames"] == picture["nb_frames"]


def test_mediainfo_finds_what_platforms_ask_for(films):
    for film in films:
        tracks = json.loads(judge("mediainfo", "--Output=JSON", film))["media"]["track"]
        general, picture, sound = (
            track for track in tracks if track["@type"] in ("General", "Video", "Audio")
        )
        assert (general["IsStreamable"], general["Format"]) == ("Yes", "MPEG-4")
        assert (picture["Format"], picture["FrameRate_Mode"], picture["ChromaSubsampling"]) == (
            "AVC",
            "CFR",
            "4:2:0",
        )
        assert {
            picture[name]
            for name in ("colour_primaries", "transfer_characteristics", "matrix_coefficients")
        } == {"BT.709"}
        assert (sound["Format"], sound["SamplingRate"], sound["Language"]) == ("AAC", "48000", "en")


def test_ffmpegs_own_meter_agrees_on_the_loudness(films):
    for film in films:
        meter = (
            "-nostats",
            "-hide_banner",
            "-i",
            film,
            "-map",
            "0:a",
            "-af",
            "ebur128=peak=true",
            "-f",
            "null",
            "-",
        )
        report = subprocess.run(
            ["ffmpeg", *meter], capture_output=True, text=True, check=True
        ).stderr
        summary = report[report.rindex("Summary:") :].split()
        assert float(summary[summary.index("I:") + 1]) == pytest.approx(-14, abs=1)
        assert float(summary[summary.index("Peak:") + 1]) <= -1


def freezes(film: Path, filters: str = "") -> list[str]:
    """Return when ffmpeg sees the picture stand still for four seconds or longer, in seconds."""
    seen = (
        "-nostats",
        "-hide_banner",
        "-i",
        film,
        "-an",
        "-vf",
        filters + "freezedetect=noise=-60dB:duration=4",
        "-f",
        "null",
        "-",
    )
    report = subprocess.run(["ffmpeg", *seen], capture_output=True, text=True, check=True).stderr
    return [line.split()[-1] for line in report.splitlines() if "freeze_start" in line]


def test_ffmpeg_sees_no_picture_that_stands_still_for_four_seconds(films):
    assert [freezes(film) for film in films] == [[], [], []]
    assert len(freezes(films[0], "tpad=stop_mode=clone:stop_duration=5,")) == 1  # it would


def test_exiftool_warns_of_nothing(demonstration, films):
    for path in (*films, *demonstration.files("pdf")):
        warnings = judge("exiftool", "-s3", "-warning", "-error", path).splitlines()
        # it reads no chapters
        assert [warning for warning in warnings if "ExtractEmbedded" not in warning] == []


def test_the_c2pa_reader_believes_every_film_and_the_certificate(demonstration, films):
    for path in (*films, *demonstration.files("pdf")):
        reader = c2pa.Reader(path)
        store = json.loads(reader.json())
        # not "Trusted": nobody told it of our authority
        assert reader.get_validation_state() == "Valid"
        failures = store["validation_results"]["activeManifest"]["failure"]
        assert [item["code"] for item in failures] == ["signingCredential.untrusted"]
        manifest = store["manifests"][store["active_manifest"]]
        assert manifest["signature_info"]["issuer"] == "Partner Production API"
        [actions] = [
            item["data"]["actions"]
            for item in manifest["assertions"]
            if item["label"].startswith("c2pa.actions")
        ]
        # a trained voice speaks
        assert actions[0]["digitalSourceType"].endswith("/compositeWithTrainedAlgorithmicMedia")


def test_the_c2pa_reader_sees_a_flipped_byte_in_every_film(films, tmp_path):
    for film in films:
        copy = Path(shutil.copy(film, tmp_path / "copy.mp4"))
        content = bytearray(copy.read_bytes())
        content[len(content) * 2 // 3] ^= 1
        copy.write_bytes(content)
        assert c2pa.Reader(copy).get_validation_state() == "Invalid"
