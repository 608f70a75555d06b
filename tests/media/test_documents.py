"""The transcript, as text and as a Word document read by python-docx."""

import datetime
import zipfile

import docx
import pytest
from docx.oxml.ns import qn
from small_programme import timeline_of

from svc.media.captions import transcript as documents
from svc.media.checks import documents as checks
from svc.media.model import save
from svc.media.script.from_brief import write_script
from svc.media.text import scene_prose

NAMES = ("transcript.txt", "transcript.docx")


@pytest.fixture
def transcript(programme, tmp_path):
    """The folder with the transcript of the programme; called again with changes,
    of another brief.
    """
    for name in ("script.json", "timeline.json"):
        (tmp_path / name).write_bytes((programme.folder / name).read_bytes())
    documents.write_transcript(programme.brief, tmp_path)
    return tmp_path


def words_of(text: str) -> list[str]:
    return text.replace("\u00a0", " ").split()


def test_the_text_says_who_speaks_and_when(transcript):
    blocks = (transcript / "transcript.txt").read_text().split("\n\n")
    assert blocks[0] == "How coffee is roasted"
    said = "Ada: How coffee is roasted"
    assert blocks[1] == f"[00:00:00]\n{said}\n[Ada, and the title: How coffee is roasted.]"


def test_the_text_lists_the_points(transcript):
    assert (
        "\n• The beans dry\n• They turn yellow\n• They crack at 196 °C\n"
        in (transcript / "transcript.txt").read_text()
    )


def test_both_say_what_is_to_be_seen(transcript, programme):
    text = (transcript / "transcript.txt").read_text()
    paragraphs = docx.Document(transcript / "transcript.docx").paragraphs
    runs = [run for paragraph in paragraphs for run in paragraph.runs if run.italic]
    assert [run.text for run in runs] == [
        f"[{scene.description}]" for scene in programme.script.scenes if scene.description
    ]
    assert all(run.text in text for run in runs)


def test_a_heading_is_said_once(transcript):
    paragraphs = docx.Document(transcript / "transcript.docx").paragraphs
    headings = [paragraph.text for paragraph in paragraphs if paragraph.style.name == "Heading 1"]
    assert headings == ["Green beans", "Taste"]


@pytest.mark.parametrize(
    "notes",
    [
        "## Example\n\nA wheel turns once a second.\n\n## Example\n\nA cog turns twice a second.",
        (
            "## Example\n\nA wheel.\n\n## Example\n\n- A cog\n- A chain\n\n## Example\n\n"
            "| Part | Teeth |\n|---|---|\n| Cog | 12 |"
        ),
        "## Two examples\n\nA wheel turns.\n\n## Two examples\n\nA cog turns.",
        "## Loved 💙❤️\n\nA wheel turns.\n\n## Loved 💙❤️\n\nA cog turns.",
        "## Agenda\n\n- Wheels\n- Cogs\n\n## Wheels\n\nThey turn.\n\n## Wheels\n\nThey turn again.",
    ],
)
def test_sections_of_equal_headings_lose_no_word(make_brief, tmp_path, notes):
    brief = make_brief(title="Two examples", topic="Two examples", metadata_md=notes)
    script = write_script(brief)
    assert sum(bool(scene_prose.count_heading_words(scene)) for scene in script.scenes[1:-1]) >= (
        0 if "Two" in notes else 2
    )
    timeline = timeline_of(script)
    save(script, tmp_path / "script.json")
    save(timeline, tmp_path / "timeline.json")
    documents.write_transcript(brief, tmp_path)
    found = [checks._check_transcript(tmp_path / name, brief, script) for name in NAMES]
    assert [each.measured for each in found if not each.passed] == []


def test_every_spoken_word_is_in_both(transcript, programme):
    paragraphs = docx.Document(transcript / "transcript.docx").paragraphs
    document = words_of(" ".join(paragraph.text for paragraph in paragraphs))
    text = words_of((transcript / "transcript.txt").read_text())
    for scene in programme.script.scenes:
        for word in words_of(" ".join(scene.words)):
            assert {word, f"{word}."} & set(document) and {word, f"{word}."} & set(text)


def test_the_document_has_headings_and_a_list(transcript):
    styles = [
        (paragraph.style.name, paragraph.text)
        for paragraph in docx.Document(transcript / "transcript.docx").paragraphs
    ]
    assert ("Title", "How coffee is roasted") in styles
    assert ("Heading 1", "Green beans") in styles
    assert ("List Bullet", "They turn yellow") in styles


def test_the_documents_properties_are_the_briefs(transcript):
    properties = docx.Document(transcript / "transcript.docx").core_properties
    assert (properties.title, properties.language, properties.author) == (
        "How coffee is roasted",
        "en",
        "Roasters & Sons",
    )
    assert properties.created == datetime.datetime(2026, 11, 20, 9, 30, tzinfo=datetime.UTC)
    assert (properties.comments, properties.last_modified_by) == ("", "Roasters & Sons")


def test_nothing_of_the_machine_is_in_the_document(transcript):
    with zipfile.ZipFile(transcript / "transcript.docx") as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert str(transcript).encode() not in everything and b"python-docx" not in everything


def test_the_same_brief_gives_the_same_bytes(transcript, programme):
    before = [(transcript / name).read_bytes() for name in NAMES]
    documents.write_transcript(programme.brief, transcript)
    assert [(transcript / name).read_bytes() for name in NAMES] == before


def test_arabic_runs_from_the_right(make_programme):
    programme = make_programme(language="ar", title="يعرض هذا الفيلم", topic="", metadata_md="")
    documents.write_transcript(programme.brief, programme.folder)
    document = docx.Document(programme.folder / "transcript.docx")
    spoken = [paragraph for paragraph in document.paragraphs if "هذا" in paragraph.text]
    assert spoken and all(paragraph._p.pPr.find(qn("w:bidi")) is not None for paragraph in spoken)
    assert all(run.font.rtl for paragraph in spoken for run in paragraph.runs)
    assert document.core_properties.language == "ar"


def test_a_later_scene_that_begins_with_the_word_of_its_heading_keeps_it(make_programme):
    prose = " ".join(
        f"Lantern {number} stands by the harbour and waits for the ferry." for number in range(1, 9)
    )
    programme = make_programme(
        metadata_md=f"## Signal\n\n{prose} Signal lamps are lit when it has come."
    )
    documents.write_transcript(programme.brief, programme.folder)
    said = (programme.folder / "transcript.txt").read_text()
    assert "Signal lamps are lit" in said and said.count("Signal") == 2  # once more as the heading
    scenes = [scene for scene in programme.script.scenes if scene.words[:2] == ("Signal", "lamps")]
    headed = next(
        scene for scene in programme.script.scenes if scene.words[:2] == ("Signal", "Lantern")
    )
    assert [scene_prose.count_heading_words(scene) for scene in (*scenes, headed)] == [
        *(0 for _ in scenes),
        1,
    ]


@pytest.mark.parametrize(
    "notes, said",
    [
        (
            "| Where | Hello |\n|---|---|\n| There | yes |\n| Here | no |",
            ["There; Hello: yes", "Here; no"],
        ),
        (
            "| City | Rain | Sun |\n|---|---|---|\n| Oslo | 5 mm | 3 h |\n| Rome | 1 mm | 9 h |",
            ["Oslo, Rain 5 mm, Sun 3 h", "Sun 9 h"],
        ),
        ("| Year | Cars |\n|---|---|\n| 2024 | 50 |\n| 2025 | 70 |", ["2024, 50", "2025, 70"]),
        (
            "- "
            + "A first sentence of this long item says what it is about. " * 3
            + "And here it ends.\n- Two",
            ["And here it ends.", "Two"],
        ),
    ],
)
def test_the_transcript_has_all_that_is_said_of_a_point_whatever_the_picture_shows_of_it(
    make_brief, tmp_path, notes, said
):
    brief = make_brief(metadata_md=notes)
    script = write_script(brief)
    save(script, tmp_path / "script.json")
    save(timeline_of(script), tmp_path / "timeline.json")
    documents.write_transcript(brief, tmp_path)
    for name in checks.TRANSCRIPTS:
        text = checks._read_document(tmp_path / name)
        assert all(each in text for each in said)
        assert checks._check_transcript(tmp_path / name, brief, script).passed
    (tmp_path / "transcript.txt").write_text(
        (tmp_path / "transcript.txt").read_text("utf-8").replace(said[-1], "")
    )
    assert not checks._check_transcript(tmp_path / "transcript.txt", brief, script).passed
