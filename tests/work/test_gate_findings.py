"""The warnings among the findings of the quality gates, which an untrusted process wrote."""

import json
from dataclasses import replace

import pytest

from svc.domain.productions.gate_warnings import LONGEST, MOST, QualityWarning
from svc.media.model import QualityFinding, QualityFindings, save
from svc.work.step_process import gate_findings

SLOW = QualityFinding(
    "reading speed",
    "captions.srt",
    "22.0 characters a second",
    "at most 20",
    False,
    "00:04.00, cue 2",
    "2.0 too fast",
    certain=False,
    at=4.0,
    scene=2,
    picture="warning-1.jpg",
)
FINE = QualityFinding("decoding", "landscape.mp4", "240 of 240 frames", "every frame", True)
TOLD = (
    "Reading speed of captions.srt: measured 22.0 characters a second, limit at most 20, off by "
    "2.0 too fast, at 00:04.00, cue 2."
)


def leave(folder, *findings: QualityFinding) -> None:
    save(QualityFindings(findings), folder / "findings.json")


def test_warnings_are_sentences_with_their_scene_and_picture(tmp_path):
    (tmp_path / "warning-1.jpg").write_bytes(b"picture")
    leave(tmp_path, FINE, SLOW)
    assert gate_findings.read_warnings(tmp_path) == [QualityWarning(TOLD, 2, "warning-1.jpg")]


def test_the_same_of_two_files_is_one_warning(tmp_path):
    leave(
        tmp_path,
        SLOW,
        replace(SLOW, subject="captions.vtt"),
        replace(SLOW, subject="captions.de.vtt", scene=3),
    )
    found = gate_findings.read_warnings(tmp_path)
    assert [(each.message.partition(":")[0], each.scene) for each in found] == [
        ("Reading speed of captions.srt and captions.vtt", 2),
        ("Reading speed of captions.de.vtt", 3),
    ]


def test_a_picture_that_is_not_there_is_none(tmp_path):
    leave(tmp_path, SLOW)
    assert gate_findings.read_warnings(tmp_path) == [QualityWarning(TOLD, 2)]


def test_a_production_whose_gates_measured_nothing_has_no_warnings(tmp_path):
    assert gate_findings.read_warnings(tmp_path) == []
    leave(tmp_path)
    assert gate_findings.read_warnings(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    ["../secret.jpg", "warning-1.jpg/..", "brief.json", "warning-0.jpg", "warning-100.jpg", ""],
)
def test_only_pictures_of_warnings_are_taken(tmp_path, name):
    (tmp_path / "brief.json").write_text("{}")
    leave(tmp_path, QualityFinding("a", "b", "c", "d", False, certain=False, picture=name))
    assert [each.picture for each in gate_findings.read_warnings(tmp_path)] == [None]


def test_a_link_is_no_picture(tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "warning-1.jpg").symlink_to(tmp_path / "secret")
    leave(tmp_path, SLOW)
    assert [each.picture for each in gate_findings.read_warnings(tmp_path)] == [None]


def test_many_and_long_ones_are_shortened(tmp_path):
    leave(
        tmp_path,
        *(
            QualityFinding("x " * 5000, "a\u202eb\x00\n", "c", f"{n}", False, certain=False)
            for n in range(500)
        ),
    )
    found = gate_findings.read_warnings(tmp_path)
    assert len(found) == MOST and all(len(each.message) <= LONGEST for each in found)
    assert not any("\u202e" in each.message or "\n" in each.message for each in found)


@pytest.mark.parametrize(
    "changes", [{"scene": "1"}, {"scene": True}, {"scene": -1}, {"scene": 10**9}, {"picture": 1}]
)
def test_malformed_ones_are_refused(tmp_path, changes):
    finding = {
        "check": "a",
        "subject": "b",
        "measured": "c",
        "limit": "d",
        "passed": False,
        "certain": False,
        **changes,
    }
    (tmp_path / "findings.json").write_text(json.dumps({"findings": [finding]}))
    with pytest.raises(ValueError, match=r"findings\.json"):
        gate_findings.read_warnings(tmp_path)
