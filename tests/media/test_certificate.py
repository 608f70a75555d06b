"""The certificate, read back by pypdf."""

import hashlib
import shutil

import pytest
from pypdf import PdfReader

from svc.media import certificate, description, documents, finished
from svc.media.finished import deliverables
from svc.media.programme import Finding, Findings, save

FINDINGS = Findings(
    (
        Finding("Loudness", "landscape.mp4", "-14.1 LUFS", "-14 ± 1 LUFS", True),
        Finding("True peak", "landscape.mp4", "-0.2 dBTP", "≤ -1 dBTP", False),
    )
)


@pytest.fixture(scope="module")
def folder(programme, tmp_path_factory):
    """A finished folder, with stand-ins for the videos."""
    made = tmp_path_factory.mktemp("finished")
    shutil.copytree(programme.folder, made, dirs_exist_ok=True)
    documents.write_transcript(programme.brief, made)
    description.voice(programme.brief, made, lambda fraction: None)
    for name in ("landscape.mp4", "portrait.mp4", "described.mp4"):
        (made / name).write_bytes(name.encode())
    save(FINDINGS, made / "findings.json")
    return made


@pytest.fixture
def issued(folder, make_brief, unwatched):
    def issue(**changes) -> PdfReader:
        certificate.issue(make_brief(**changes), folder, unwatched)
        return PdfReader(folder / "certificate.pdf")

    return issue


def text_of(reader: PdfReader) -> str:
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


def test_it_names_the_production(issued):
    text = text_of(issued())
    facts = ("How coffee is roasted", "0b8f7d3e-1111-4222-8333-abcdefabcdef", "Roasters & Sons", "2026-11-20T09:30:00.000Z")
    assert all(fact in text for fact in facts)


def test_it_says_how_the_programme_was_made(issued):
    assert "synthetic speech" in text_of(issued())


def test_it_shows_every_finding(issued):
    text = text_of(issued())
    assert "1 of 2 passed" in text
    assert "Loudness landscape.mp4 -14.1 LUFS -14 ± 1 LUFS pass" in text
    assert "True peak landscape.mp4 -0.2 dBTP ≤ -1 dBTP fail" in text


def test_it_has_the_fingerprint_of_every_file(issued, folder, make_brief):
    text = text_of(issued())
    names = {each.path for each in deliverables(make_brief(), folder)} - {finished.CERTIFICATE}
    for name in (*names, "script.json", "narration.wav"):
        assert f"{name} {hashlib.sha256((folder / name).read_bytes()).hexdigest()}" in text


def test_a_changed_brief_changes_its_fingerprint(issued):
    prints = {text_of(issued(country=country)).partition("brief ")[2] for country in ("US", "DE")}
    assert len(prints) == 2


def test_it_is_short_and_says_its_title_and_language(issued):
    reader = issued()
    assert len(reader.pages) <= 2
    assert reader.metadata.title == "Certificate of compliance: How coffee is roasted"
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert reader.metadata.creation_date.isoformat() == "2026-11-20T09:30:00+00:00"


def test_its_fonts_are_embedded_subsets(issued):
    fonts = [font.get_object() for page in issued().pages for font in page["/Resources"]["/Font"].values()]
    assert fonts and all("+" in font["/BaseFont"] for font in fonts)


def test_every_script_is_drawn_and_can_be_copied(issued):
    text = text_of(issued(account_name="Müller Привет हिन्दी สวัสดี Ελλάδα"))
    assert all(word in text for word in ("Müller", "Привет", "Ελλάδα"))


def test_a_hostile_account_name_is_only_text(issued):
    name = "\x00\u202eevil\ud800 **bold** {nb} " + "x" * 5000
    assert "evil **bold**" in text_of(issued(account_name=name))


def test_a_brief_without_a_time_has_a_certificate(issued):
    assert "Triggered" not in text_of(issued(triggered_at=""))


def test_the_same_folder_gives_the_same_bytes(issued, folder):
    issued()
    before = (folder / "certificate.pdf").read_bytes()
    issued()
    assert (folder / "certificate.pdf").read_bytes() == before


def test_each_platform_has_a_video_and_the_rest_comes_once(folder, make_brief):
    made = deliverables(make_brief(), folder)
    assert [(each.path, each.platform) for each in made if each.type == "Video"] == [
        ("landscape.mp4", "YouTube"),
        ("landscape.mp4", "LinkedIn"),
        ("portrait.mp4", "TikTok"),
    ]
    others = [each for each in made if each.type != "Video"]
    assert len({each.path for each in others}) == len(others) == 7
    assert all(each.platform is None and each.path.endswith(each.format) for each in others)


def test_the_described_video_is_longer(folder, make_brief):
    durations = {each.path: each.duration for each in deliverables(make_brief(), folder)}
    assert durations["described.mp4"] > durations["landscape.mp4"] > 20
    assert durations["captions.srt"] is None
