"""What ``render`` says of a production that the quality gates are not sure of."""

import json

from click.testing import CliRunner

from svc.cli.installation import render
from svc.media import deliverables
from svc.media.model import Descriptions, QualityFinding, QualityFindings, VideoBrief, load, save

SLOW = QualityFinding(
    "reading speed",
    "captions.srt",
    "22",
    "20",
    False,
    certain=False,
    scene=2,
    picture="warning-1.jpg",
)


def leave_files(folder, screen, config) -> None:
    """Do what the steps would, with three warnings, two of which share a picture."""
    save(Descriptions(()), folder / "descriptions.json")
    (folder / "timeline.json").write_text(
        json.dumps({"duration": 1.0, "sample_rate": 1, "scenes": [], "voice": ""})
    )
    for file in deliverables.list_deliverables(load(VideoBrief, folder / "brief.json"), folder):
        (folder / file.path).write_bytes(b"file")
    (folder / "warning-1.jpg").write_bytes(b"picture")
    still = QualityFinding(
        "still picture",
        "landscape.mp4",
        "5 s",
        "4 s",
        False,
        certain=False,
        picture="warning-1.jpg",
    )
    lost = QualityFinding(
        "coverage of the notes", "script.json", "1 difference", "none", False, certain=False
    )
    save(QualityFindings((SLOW, still, lost)), folder / "findings.json")


def test_warnings_are_printed_and_their_pictures_lie_beside_the_files(tmp_path, monkeypatch):
    monkeypatch.setattr(render, "_run_steps", leave_files)
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "tea.md").write_text("# Tea\n\nIt is hot.\n")
    out = tmp_path / "out"
    done = CliRunner().invoke(render.render, [str(tmp_path / "tea.md"), "-o", str(out)])
    assert done.exit_code == 0, done.output
    picture = out / "warning-1.jpg"
    assert done.stderr.splitlines() == [
        f"warning: Reading speed of captions.srt: measured 22, limit 20. See {picture}",
        f"warning: Still picture of landscape.mp4: measured 5 s, limit 4 s. See {picture}",
        "warning: Coverage of the notes of script.json: measured 1 difference, limit none.",
    ]
    assert picture.read_bytes() == b"picture" and (out / "landscape.mp4").read_bytes() == b"file"


def test_front_matter_with_a_title_is_no_text_of_the_film(tmp_path):
    for text, title, notes in (
        ("---\ntitle: Tea\n---\nIt is hot.\n", "Tea", "It is hot."),
        ("---\ntopic: 'Tea'\n---\n", "Tea", ""),
        ("---\nIt is hot.\n---\n", "tea", "---\nIt is hot.\n---"),
    ):
        (tmp_path / "tea.md").write_text(text)
        brief = render._read_brief(tmp_path / "tea.md", "en", "US", ("landscape",), {})
        assert (brief.title, brief.metadata_md.strip()) == (title, notes)
