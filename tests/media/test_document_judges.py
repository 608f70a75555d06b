"""The demo's documents and captions, judged by independent programs: qpdf, poppler,
openssl, LibreOffice, webvtt-parser.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from svc.cli.demo import demo
from tests.support.judging import judge, one_line
from tests.support.npm import npm_folder as npm_folder

pytestmark = pytest.mark.judges
pytest_plugins = ("tests.support.demonstration",)

# Debian's poppler expects Suspects in a place where PDF 1.7 does not have it, and one colour for a
# cell's four borders.
QUIRKS = (
    "Syntax Error: Suspects object is wrong type",
    "Syntax Warning: Attribute BorderColor value is of wrong type",
)
PARSE = """
const { WebVTTParser } = require("webvtt-parser");
const { errors, cues } = new WebVTTParser().parse(
  require("fs").readFileSync(process.argv[1], "utf8"),
  process.argv[2]);
console.log(JSON.stringify({ errors, cues }));
"""


@pytest.fixture(scope="module")
def certificate(demonstration) -> Path:
    [path] = demonstration.files("pdf")
    return path


@pytest.fixture(scope="module")
def attached(certificate, tmp_path_factory) -> Path:
    """A folder with the files in the certificate."""
    folder = tmp_path_factory.mktemp("attached")
    judge("pdfdetach", "-saveall", "-o", folder, certificate, bears=QUIRKS)
    return folder


def test_qpdf_finds_no_fault_in_the_certificate(certificate):
    assert "No syntax or stream encoding errors found" in judge("qpdf", "--check", certificate)


def test_poppler_finds_the_certificate_tagged_and_titled(certificate):
    fields = dict(
        line.split(":", 1) for line in judge("pdfinfo", certificate, bears=QUIRKS).splitlines()
    )
    assert (
        fields["Tagged"].strip(),
        fields["Encrypted"].strip(),
        fields["JavaScript"].strip(),
    ) == ("yes", "no", "no")
    assert demo.TOPIC in fields["Title"]
    structure = judge("pdfinfo", "-struct", certificate, bears=QUIRKS)
    assert structure.count("H1 ") == 7 and structure.count("Table (block)") == 4
    assert "/Scope /Column" in structure


def test_every_font_of_the_certificate_is_embedded_and_can_be_copied(certificate):
    rows = [line.split() for line in judge("pdffonts", certificate, bears=QUIRKS).splitlines()[2:]]
    # embedded, subset, Unicode
    assert rows and all(row[-5:-2] == ["yes", "yes", "yes"] for row in rows)


def test_the_certificate_names_the_programme_and_the_hashes_of_its_files(
    demonstration, certificate
):
    text = judge("pdftotext", "-layout", certificate, "-", bears=QUIRKS)
    assert demo.TOPIC in text
    letters = "".join(text.split())
    for file in demonstration.deliverables.values():
        assert file["sha256"] in letters or file["type"] == "ComplianceCertificate"


def test_openssl_agrees_that_the_record_is_signed(demonstration, attached, tmp_path):
    assert sorted(file.name for file in attached.iterdir()) == [
        "certificate.json",
        "certificate.json.sig",
        "content_credential.c2pa",
    ]
    environment = {"SVC_DATA_DIR": str(demonstration.data_dir), "PATH": "/usr/bin:/bin"}
    app = Path(demo.__file__).parents[3] / "app.py"
    pem = subprocess.run(
        [sys.executable, app, "identity"], env=environment, capture_output=True, check=True
    ).stdout
    (tmp_path / "key.pem").write_bytes(pem.partition(b"-----BEGIN CERTIFICATE")[0])
    verify = (
        "-verify",
        "-pubin",
        "-inkey",
        tmp_path / "key.pem",
        "-rawin",
        "-in",
        attached / "certificate.json",
    )
    assert "Verified Successfully" in judge(
        "openssl", "pkeyutl", *verify, "-sigfile", attached / "certificate.json.sig"
    )


def test_the_record_lists_what_was_delivered(demonstration, attached):
    record = json.loads((attached / "certificate.json").read_text("utf-8"))
    listed = {item["sha256"] for item in record["files"]}
    certificates = {
        item["sha256"]
        for item in demonstration.deliverables.values()
        if item["type"] == "ComplianceCertificate"
    }
    delivered = {
        hashlib.sha256(path.read_bytes()).hexdigest() for path in demonstration.deliverables
    } - certificates
    beside = {hashlib.sha256(text.encode()).hexdigest() for text in demonstration.descriptions}
    assert beside and listed == delivered | beside
    assert all(item["passed"] for item in record["findings"])


def test_the_command_finds_every_download_intact(demonstration):
    app = Path(demo.__file__).parents[3] / "app.py"
    environment = {"SVC_DATA_DIR": str(demonstration.data_dir), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, app, "verify", *demonstration.deliverables]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_libreoffice_opens_the_transcript_and_keeps_its_headings(demonstration, tmp_path):
    [document] = demonstration.files("docx")
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    tagged = 'pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"true"}}'
    convert = (
        "soffice",
        profile,
        "--headless",
        "--convert-to",
        tagged,
        "--outdir",
        tmp_path,
        document,
    )
    judge(*convert, bears=("Warning: failed to launch javaldx",))
    pdf = tmp_path / f"{document.stem}.pdf"
    text = one_line(judge("pdftotext", pdf, "-"))
    for sentence in demo.NOTES.read_text("utf-8").split("\n\n")[1::2]:
        for part in sentence.replace("- ", "").replace("**", "").splitlines():
            assert one_line(part) in text
    report = judge("pdfinfo", pdf)
    assert demo.TOPIC in report
    assert "H1 " in judge("pdfinfo", "-struct", pdf)


def test_webvtt_parser_finds_no_error(demonstration, npm_folder):
    assert len(demonstration.files("vtt")) == 2
    for path in demonstration.files("vtt"):
        report = json.loads(_parsed(path, npm_folder))
        assert report["errors"] == [] and len(report["cues"]) >= 2
        if demonstration.deliverables[path]["type"] == "ClosedCaptions":
            # at the top
            assert {(cue["linePosition"], cue["snapToLines"]) for cue in report["cues"]} == {
                (3, False)
            }


def _parsed(path: Path, folder: Path) -> str:
    command = ["node", "-e", PARSE, str(path), "subtitles/captions/descriptions"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=60
    ).stdout
