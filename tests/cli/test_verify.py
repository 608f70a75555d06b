"""``python app.py verify``: every kind of deliverable, whole and with a byte changed;
and whose it is.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from svc.base.crypto import key_ring, signing
from svc.media.captions import transcript
from svc.media.model import QualityFinding, QualityFindings, save
from svc.media.proof import certificate
from svc.media.proof.identity import Identity
from tests.media.small_programme import finish, ignore

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DELIVERABLES = (
    "landscape.mp4",
    "portrait.mp4",
    "described.mp4",
    "captions.srt",
    "captions.vtt",
    "descriptions.vtt",
    "transcript.txt",
    "transcript.docx",
    "certificate.pdf",
)


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A data directory, and a production that it signed."""
    data, made = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("made")
    brief = finish(made)
    transcript.write_transcript(brief, made)
    (made / "descriptions.vtt").write_text("WEBVTT\n\n00:00.000 --> 00:01.000\nA title.\n")
    save(
        QualityFindings(
            (QualityFinding("loudness", "landscape.mp4", "-14.1 LUFS", "-14 LUFS", True),)
        ),
        made / "findings.json",
    )
    key_ring.make(data / "secret")
    seed = signing.derive_identity_seed(key_ring.FileRing(data / "secret"))
    certificate.issue_certificate(brief, made, ignore, Identity(seed))
    return data, made


@pytest.fixture
def folder(installation, tmp_path):
    """What a partner has: the deliverables in one folder."""
    target = tmp_path / "downloads"
    target.mkdir()
    for name in DELIVERABLES:
        shutil.copy(installation[1] / name, target / name)
    return target


@pytest.fixture
def run(installation, tmp_path):
    def run(*arguments, data: Path | None = None) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, str(ROOT / "app.py"), *map(str, arguments)],
            env={
                "SVC_DATA_DIR": str(data or installation[0]),
                "PATH": "/usr/bin:/bin",
                "PYTHONWARNINGS": "error",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=tmp_path,
        )

    return run


def verdicts(done: subprocess.CompletedProcess) -> dict[str, str]:
    return {Path(each["file"]).name: each["verdict"] for each in json.loads(done.stdout)["files"]}


def changed(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x01
    path.write_bytes(content)


def test_every_deliverable_is_intact(run, folder):
    done = run("verify", "--json", *(folder / name for name in DELIVERABLES))
    assert verdicts(done) == dict.fromkeys(DELIVERABLES, "intact")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("place", [0.0, 0.02, 0.5, 0.999])
def test_a_flipped_byte_is_caught_in_every_deliverable(run, folder, place):
    certificate = shutil.copy(folder / "certificate.pdf", folder.parent / "whole.pdf")
    for name in DELIVERABLES:
        changed(folder / name, int(place * (folder / name).stat().st_size))
    done = run(
        "verify", "--json", "--certificate", certificate, *(folder / name for name in DELIVERABLES)
    )
    assert verdicts(done) == dict.fromkeys(DELIVERABLES, "changed")
    assert done.returncode == 1


def test_a_changed_certificate_vouches_for_nothing(run, folder):
    changed(folder / "certificate.pdf", 5000)
    done = run("verify", "--json", folder / "captions.srt", folder / "landscape.mp4")
    assert verdicts(done) == {"captions.srt": "unknown", "landscape.mp4": "intact"}
    assert done.returncode == 3
    assert (
        run(
            "verify", "--certificate", folder / "certificate.pdf", folder / "captions.srt"
        ).returncode
        == 1
    )


def test_a_file_that_was_renamed_is_known_by_its_hash(run, folder):
    (folder / "captions.srt").rename(folder / "my subtitles.srt")
    assert run("verify", folder / "my subtitles.srt").returncode == 0


def test_a_file_that_no_certificate_lists_is_unknown(run, folder):
    (folder / "poster.jpg").write_bytes(b"picture")
    done = run("verify", folder / "poster.jpg")
    assert done.returncode == 3
    assert "no signature covers it" in done.stdout


def test_the_verdict_is_told_to_a_person(run, folder):
    changed(folder / "captions.vtt", 20)
    done = run("verify", folder / "captions.vtt", folder / "certificate.pdf")
    assert done.returncode == 1
    assert "CHANGED" in done.stdout and "lists captions.vtt with another SHA-256" in done.stdout
    assert "1 of 1 gates passed" in done.stdout


def test_another_installation_does_not_believe_it_until_it_is_told_whom_to_trust(
    run, folder, tmp_path
):
    other = tmp_path / "other"
    other.mkdir()
    key_ring.make(other / "secret")
    films = (folder / "landscape.mp4", folder / "transcript.txt", folder / "certificate.pdf")
    done = run("verify", "--json", *films, data=other)
    assert set(verdicts(done).values()) == {"foreign"} and done.returncode == 3
    told = run("identity")
    (tmp_path / "them.pem").write_text(told.stdout)
    assert run("verify", "--trust", tmp_path / "them.pem", *films, data=other).returncode == 0
    assert "Installation " in told.stderr and "PRIVATE" not in told.stdout


def test_what_was_signed_before_a_rotation_is_still_believed(run, installation, folder, tmp_path):
    rotated = tmp_path / "rotated"
    rotated.mkdir(mode=0o700)
    (rotated / "secret").write_text((installation[0] / "secret").read_text() + f"2:{'ab' * 32}\n")
    assert (
        run("verify", folder / "landscape.mp4", folder / "certificate.pdf", data=rotated).returncode
        == 0
    )
    assert run("identity", data=rotated).stdout != run("identity").stdout


def test_where_no_installation_is_nobody_is_believed(run, folder, tmp_path):
    done = run("verify", folder / "certificate.pdf", data=tmp_path / "nothing")
    assert done.returncode == 3 and "No installation is trusted here" in done.stdout
    assert not (tmp_path / "nothing").exists()
    assert run("identity", data=tmp_path / "nothing").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--certificate", "nowhere.pdf", "a.srt"], "--certificate nowhere.pdf does not exist"),
        (["--trust", "nowhere.pem", "a.srt"], "--trust nowhere.pem cannot be read"),
        (["--trust", "odd.pem", "a.srt"], "not the identity of an installation"),
    ],
)
def test_a_command_that_makes_no_sense_is_refused_with_a_sentence(
    run, tmp_path, arguments, sentence
):
    (tmp_path / "odd.pem").write_text("hello")
    done = run("verify", *arguments)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr


def test_a_file_that_is_not_there_is_said_so(run, tmp_path):
    done = run("verify", tmp_path / "none.srt")
    assert done.returncode == 1 and "cannot be read" in done.stdout
    assert "NOT CHECKED" in done.stdout and "CHANGED" not in done.stdout
