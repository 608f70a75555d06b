"""The certificate, read by pypdf: its content, its structure,
and the validity of its signatures.
"""

import dataclasses
import hashlib
import io
import json
import shutil

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pypdf import PdfReader, PdfWriter
from small_programme import brief_of, finish

from svc.base.deliverable_kinds import CERTIFICATE
from svc.media.brand_kit import BrandKit
from svc.media.captions import transcript
from svc.media.clips import clip_choice
from svc.media.deliverables import list_deliverables
from svc.media.errors import MediaError
from svc.media.model import QualityFinding, QualityFindings, Script, Timeline, load, save
from svc.media.music import mixing
from svc.media.music.moods import OF_LOOK
from svc.media.proof import certificate, content_credentials, pdf_seal, provenance, record
from svc.media.proof.identity import Identity

FINDINGS = QualityFindings(
    (
        QualityFinding("Loudness", "landscape.mp4", "-14.1 LUFS", "-14 ± 1 LUFS", True),
        QualityFinding(
            "True peak",
            "landscape.mp4",
            "-0.2 dBTP",
            "≤ -1 dBTP",
            False,
            "00:12.40, scene 3",
            "0.8 dB",
            False,
        ),
    )
)
IDENTITY = Identity(bytes(range(32)))


@pytest.fixture(scope="module")
def finished_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    brief = finish(folder)
    transcript.write_transcript(brief, folder)
    (folder / "descriptions.vtt").write_text("WEBVTT\n")
    save(FINDINGS, folder / "findings.json")
    return brief, folder


@pytest.fixture
def folder(finished_once, tmp_path):
    return shutil.copytree(finished_once[1], tmp_path / "copy")


@pytest.fixture
def small_brief(finished_once):
    return finished_once[0]


@pytest.fixture
def issued(folder, small_brief, unwatched):
    def issue(**changes) -> PdfReader:
        brief = dataclasses.replace(small_brief, triggered_at="2026-11-20T09:30:00.123Z", **changes)
        certificate.issue_certificate(brief, folder, unwatched, IDENTITY)
        return PdfReader(folder / "certificate.pdf")

    return issue


def text_of(reader: PdfReader) -> str:
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


@pytest.mark.slow
def test_it_names_the_production(issued):
    text = text_of(issued())
    facts = ("Tea in four seconds", "Production p", "Roasters & Sons", "2026-11-20T09:30:00.123Z")
    assert all(fact in text for fact in facts)


def test_it_says_how_the_programme_was_made(issued):
    assert "synthetic speech" in text_of(issued())


def test_it_shows_every_finding(issued):
    text = text_of(issued())
    assert "1 of 2 passed" in text
    assert "Loudness landscape.mp4 -14.1 LUFS -14 ± 1 LUFS pass" in text
    assert "True peak landscape.mp4 -0.2 dBTP (00:12.40, scene 3) ≤ -1 dBTP warning" in text
    assert "Quality gates: 1 of 2 passed, 1 warning" in text and "is not certified" in text


def test_it_has_the_fingerprint_of_every_file_and_scene(issued, folder, small_brief):
    reader = issued()
    letters = text_of(reader).replace(" ", "")
    names = {file.path for file in list_deliverables(small_brief, folder)} - {CERTIFICATE}
    for name in (*names, "script.json", "narration.wav"):
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() in letters
    for scene in load(Script, folder / "script.json").scenes:
        assert record.compute_scene_fingerprint(scene) in letters


def test_a_changed_brief_changes_its_fingerprint(issued):
    assert (
        len({record_of(issued(country=country))["brief"]["sha256"] for country in ("US", "DE")})
        == 2
    )


def test_a_scene_keeps_its_fingerprint_until_it_says_or_shows_something_else(folder):
    one, other, *_ = load(Script, folder / "script.json").scenes
    copy, changed = dataclasses.replace(one), dataclasses.replace(one, layout="prose")
    assert (
        record.compute_scene_fingerprint(one)
        == record.compute_scene_fingerprint(copy)
        != record.compute_scene_fingerprint(other)
    )
    assert record.compute_scene_fingerprint(one) != record.compute_scene_fingerprint(changed)


def test_it_is_short_and_says_its_title_and_language(issued):
    reader = issued()
    assert len(reader.pages) <= 3
    assert reader.metadata.title == "Certificate of compliance: Tea in four seconds"
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert reader.metadata.creation_date.isoformat() == "2026-11-20T09:30:00+00:00"


def elements(node, names: list[str]) -> list[str]:
    """Return the kinds of the structure elements of a tagged document, in reading order."""
    if isinstance(node, dict):
        if "/S" in node:
            names.append(node["/S"])
        kids = node.get("/K", [])
        for kid in kids if isinstance(kids, list) else [kids]:
            elements(kid.get_object() if hasattr(kid, "get_object") else kid, names)
    return names


def test_it_is_tagged_for_those_who_hear_it(issued):
    root = issued().trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] and root["/ViewerPreferences"]["/DisplayDocTitle"]
    kinds = elements(root["/StructTreeRoot"].get_object(), [])
    assert kinds.count("/H1") == 7 and kinds.count("/Table") == 4 and kinds.count("/L") == 1
    assert kinds.count("/TH") == 5 + 4 + 5 + 2
    assert root["/Outlines"]["/Count"]


def test_it_claims_to_be_accessible_and_archivable(issued):
    xmp = issued().trailer["/Root"]["/Metadata"].get_data().decode()
    assert "<pdfuaid:part>1<" in xmp
    assert "<pdfaid:part>3<" in xmp and "<pdfaid:conformance>A<" in xmp


def test_its_fonts_are_embedded_subsets(issued):
    fonts = [
        font.get_object()
        for page in issued().pages
        for font in page["/Resources"]["/Font"].values()
    ]
    assert fonts and all("+" in font["/BaseFont"] for font in fonts)


def test_every_script_is_drawn_and_can_be_copied(issued):
    text = text_of(issued(account_name="Müller Привет हिन्दी สวัสดี Ελλάδα مرحبا שלום"))
    assert all(word in text for word in ("Müller", "Привет", "Ελλάδα"))


def test_a_hostile_account_name_is_only_text(issued):
    name = '\x00\u202eevil\ud800 **bold** #read("/etc/passwd") \\ $x$ ' + "x" * 5000
    assert 'evil **bold** #read("/etc/passwd") \\ $x$' in text_of(issued(account_name=name))


def test_a_voice_alone_is_disclosed_without_a_figure(small_brief):
    told = [
        record.find_disclosure(
            dataclasses.replace(
                small_brief, avatar=dataclasses.replace(small_brief.avatar, **looks)
            ),
            (),
        )
        for looks in ({}, {"figure": "none"}, {"figure": "none", "portrait": "me.jpg"})
    ]
    assert "its presenter a drawn figure: neither is a recording of a person." in told[0]
    assert (
        "Its narration is synthetic speech without a presenter: it is not a recording of a person."
        in told[1]
    )
    assert told[2] == told[1]


def test_a_brief_without_a_time_has_a_certificate(folder, small_brief, unwatched):
    certificate.issue_certificate(small_brief, folder, unwatched, IDENTITY)
    assert "Triggered" not in text_of(PdfReader(folder / "certificate.pdf"))


def record_of(reader: PdfReader) -> dict:
    return json.loads(reader.attachments["certificate.json"][0])


def test_its_record_is_signed_by_the_installation(issued):
    attached = issued().attachments
    [content], [signature] = attached["certificate.json"], attached["certificate.json.sig"]
    key = load_pem_public_key(
        IDENTITY.public.to_pem().partition("-----BEGIN CERTIFICATE")[0].encode()
    )
    key.verify(signature, content)
    assert json.loads(content)["key"]["public"] == key.public_bytes_raw().hex()


def test_the_record_holds_every_figure(issued, folder):
    content = record_of(issued())
    assert [entry["check"] for entry in content["findings"]] == ["Loudness", "True peak"]
    assert content["findings"][1]["excess"] == "0.8 dB"
    assert content["tools"]["typst"] and content["tools"]["python"]
    sizes = {entry["name"]: entry["bytes"] for entry in content["files"]}
    assert sizes["landscape.mp4"] == (folder / "landscape.mp4").stat().st_size


def test_the_record_lists_the_texts_beside_the_videos(issued, folder):
    listed = {entry["name"]: entry for entry in record_of(issued())["files"]}
    text = (folder / "description-portrait.txt").read_bytes()
    assert listed["description-portrait.txt"]["sha256"] == hashlib.sha256(text).hexdigest()
    assert listed["description-landscape.txt"]["type"] == "Description"


def test_the_same_folder_gives_the_same_record(issued):
    assert record_of(issued()) == record_of(issued())


def test_its_seal_covers_every_byte(issued, folder):
    issued()
    content = (folder / "certificate.pdf").read_bytes()
    assert pdf_seal.read_seal(content) == (IDENTITY.public.key, True)
    for at in range(0, len(content), 997):
        changed = bytearray(content)
        changed[at] ^= 1
        seal = pdf_seal.read_seal(bytes(changed))
        assert seal is None or not seal[1] or seal[0] != IDENTITY.public.key


def test_a_certificate_that_was_saved_again_has_no_seal_that_holds(issued, folder):
    issued()
    copied = io.BytesIO()
    PdfWriter(clone_from=str(folder / "certificate.pdf")).write(copied)
    assert pdf_seal.read_seal(copied.getvalue()) is None


def test_films_and_certificate_carry_content_credentials(issued, folder):
    issued()
    for name in ("landscape.mp4", "portrait.mp4", "described.mp4", "certificate.pdf"):
        manifest = content_credentials.read_credentials(folder / name, IDENTITY.public.authority)
        assert (manifest.state, manifest.problems, manifest.source_type) == (
            "Trusted",
            (),
            provenance.ALGORITHM,
        )
        # to others: unchanged, by somebody they do not know
        assert content_credentials.read_credentials(folder / name).state == "Valid"


def test_a_step_that_is_repeated_signs_no_film_again(issued, folder):
    issued()
    before = (folder / "landscape.mp4").read_bytes()
    issued()
    assert (folder / "landscape.mp4").read_bytes() == before


@pytest.mark.parametrize(
    ("author", "voice", "said"),
    [
        ("", "Tongue 2", "its voice."),
        ("Pen 1", "", "its script."),
        ("Pen 1", "Tongue 2", "its script and its voice."),
    ],
)
def test_a_trained_model_is_named_wherever_it_took_part(issued, folder, author, voice, said):
    save(
        dataclasses.replace(load(Script, folder / "script.json"), author=author),
        folder / "script.json",
    )
    save(
        dataclasses.replace(load(Timeline, folder / "timeline.json"), voice=voice),
        folder / "timeline.json",
    )
    text = text_of(issued())
    assert f"A trained model made {said}" in text and author in text and voice in text
    assert "No trained model" not in text
    assert (
        content_credentials.read_credentials(folder / "landscape.mp4").source_type
        == provenance.MIXED
    )


def test_all_voices_of_a_dialogue_are_named_in_the_certificate_and_in_the_films(issued, folder):
    names = "hibari 0.2.1, voice heart; Piper en_US-joe-medium"
    save(
        dataclasses.replace(load(Timeline, folder / "timeline.json"), voice=names),
        folder / "timeline.json",
    )
    assert f"voice by {names}" in " ".join(text_of(issued()).split())
    assert all(
        names.encode() in (folder / f"{film}.mp4").read_bytes()
        for film in ("landscape", "portrait", "described")
    )


def test_the_music_is_named_in_the_certificate_and_in_the_films(issued, folder):
    save(mixing.Choice("calm"), folder / "music.json")
    assert "Music: calm, generated by this service." in text_of(issued())
    assert b"calm, generated by this service" in (folder / "described.mp4").read_bytes()
    assert (
        content_credentials.read_credentials(folder / "landscape.mp4").source_type
        == provenance.ALGORITHM
    )


def test_the_bed_that_the_look_wants_is_named_in_the_certificate_and_in_the_films(issued, folder):
    mixing.store_choice(brief_of(look="product", music=OF_LOOK), folder)
    assert "Music: focused, generated by this service." in text_of(issued())
    assert b"focused, generated by this service" in (folder / "portrait.mp4").read_bytes()


def test_the_licence_of_the_accounts_own_music_is_named_in_the_certificate_and_in_the_films(
    issued, folder
):
    save(
        mixing.Choice(track="own.m4a", licence="CC BY 4.0, <b>Ada \u2603</b>"),
        folder / "music.json",
    )
    assert "a track that the account provided, licence: CC BY 4.0, <b>Ada" in " ".join(
        text_of(issued()).split()
    )
    assert (
        b"a track that the account provided, licence: CC BY 4.0"
        in (folder / "described.mp4").read_bytes()
    )


def test_the_licences_of_intro_and_outro_are_named_in_the_certificate_and_in_the_films(
    issued, folder
):
    (folder / "own.mp4").write_bytes(b"a clip")
    clip_choice.store_choice(
        BrandKit(
            intro="own.mp4",
            intro_licence="Order 4711, <b>Ada",
            outro="own.mp4",
            outro_licence="CC0",
        ),
        folder,
    )
    printed = " ".join(text_of(issued()).split())
    assert "Intro: a clip that the account provided, licence: Order 4711, <b>Ada" in printed
    assert "Outro: a clip that the account provided, licence: CC0" in printed
    assert (
        b"a clip that the account provided, licence: CC0" in (folder / "described.mp4").read_bytes()
    )


def test_a_film_that_is_none_cannot_be_signed(folder, small_brief, unwatched):
    (folder / "portrait.mp4").write_bytes(b"this is no film at all")
    with pytest.raises(MediaError) as refused:
        certificate.issue_certificate(small_brief, folder, unwatched, IDENTITY)
    assert refused.value.code == "CREDENTIALS_FAILED"
    assert [file.name for file in folder.glob("*.part")] == []


def test_each_platform_has_a_video_and_the_rest_comes_once(folder, make_brief):
    files = list_deliverables(make_brief(), folder)
    assert [(file.path, file.platform) for file in files if file.type == "Video"] == [
        ("landscape.mp4", "YouTube"),
        ("landscape.mp4", "LinkedIn"),
        ("portrait.mp4", "TikTok"),
    ]
    others = [file for file in files if file.type != "Video"]
    assert len({file.path for file in others}) == len(others) == 7
    assert all(file.platform is None and file.path.endswith(file.format) for file in others)


def test_the_described_video_is_longer(folder, make_brief):
    durations = {file.path: file.duration for file in list_deliverables(make_brief(), folder)}
    assert durations["described.mp4"] > durations["landscape.mp4"] > 5
    assert durations["captions.srt"] is None
