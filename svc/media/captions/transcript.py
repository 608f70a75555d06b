"""Writing the transcript as plain text and as a Word document."""

import datetime
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from svc.base import atomic_file
from svc.base.deliverable_kinds import TRANSCRIPT, TRANSCRIPT_DOCUMENT
from svc.base.text.languages import is_right_to_left
from svc.base.text.timecodes import format_full_position
from svc.media.model import (
    CARDS,
    Point,
    Scene,
    Script,
    Timeline,
    VideoBrief,
    load_script,
    load_timeline,
)
from svc.media.text import direction, scene_prose, tokens
from svc.media.text.numerals import SPACE

# The date of a brief without a trigger time.
_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class _TranscriptScene:
    """One scene's text: its start (seconds), its heading if it is new or spoken, its prose, its
    list items, and a description of its picture."""

    start: float
    heading: str
    prose: str
    points: tuple[str, ...]
    description: str


def write_transcript(brief: VideoBrief, folder: Path) -> None:
    """Write ``transcript.txt`` and ``transcript.docx`` from ``script.json`` and ``timeline.json``;
    the same input gives the same bytes."""
    script = load_script(folder)
    timeline = load_timeline(folder)
    scenes = list(_list_scenes(script, timeline))
    speaker = tokens.clean(brief.avatar.name)
    atomic_file.write_text(
        folder / TRANSCRIPT,
        _write_plain_text(script.title, speaker, scenes, is_right_to_left(script.language)),
    )
    with atomic_file.replace(folder / TRANSCRIPT_DOCUMENT) as partial:
        partial.write_bytes(_fix_dates(_build_document(brief, script, speaker, scenes)))


def _list_scenes(script: Script, timeline: Timeline) -> Iterator[_TranscriptScene]:
    last_heading = script.title
    for scene, timing in zip(script.scenes, timeline.scenes, strict=True):
        # its prose leaves it out
        is_said = scene.layout not in CARDS and scene_prose.count_heading_words(scene) > 0
        heading = (
            scene.heading if is_said or scene.heading not in (last_heading, script.title) else ""
        )
        last_heading = scene.heading
        points = tuple(_join_spoken_texts(scene, point) for point in scene.points)
        yield _TranscriptScene(
            timing.words[0].start,
            heading,
            scene_prose.find_prose_words(scene),
            points,
            tokens.clean(scene.description),
        )


def _join_spoken_texts(scene: Scene, point: Point) -> str:
    """Return all that is said of a point: the picture may show its first sentence alone, and of a
    row its first cell. A turn of a dialogue begins with its speaker's name, also where it is not
    said: at the second part of a long one."""
    said = tokens.join_words(scene.words[point.first_word : point.last_word + 1]).replace(
        SPACE, " "
    )
    if (
        scene.layout != "dialogue"
        or not point.label
        or said.removeprefix(point.label).lstrip().startswith(":")
    ):
        return said
    return f"{point.label}: {said}"


def _write_plain_text(
    title: str, speaker: str, scenes: list[_TranscriptScene], right_to_left: bool
) -> str:
    blocks = [direction.mark_direction(title, right_to_left)]
    for scene in scenes:
        lines = [f"[{format_full_position(scene.start)}] {scene.heading}".rstrip()]
        lines += [f"{speaker}: {scene.prose}" if speaker else scene.prose] if scene.prose else []
        lines += [f"• {point}" for point in scene.points]
        lines += [f"[{scene.description}]"] if scene.description else []
        blocks.append("\n".join(direction.mark_direction(line, right_to_left) for line in lines))
    return "\n\n".join(blocks) + "\n"


def _build_document(
    brief: VideoBrief, script: Script, speaker: str, scenes: list[_TranscriptScene]
) -> bytes:
    document = docx.Document()
    _set_properties(document.core_properties, brief, script)
    _set_language(document, script.language)
    right_to_left = is_right_to_left(script.language)
    _set_direction(document.add_heading(script.title, 0), right_to_left)
    for scene in scenes:
        if scene.heading:
            _set_direction(document.add_heading(scene.heading, 1), right_to_left)
        paragraph = document.add_paragraph(f"{format_full_position(scene.start)}  ")
        paragraph.add_run(f"{speaker}: " if speaker else "").bold = True
        paragraph.add_run(scene.prose)
        _set_direction(paragraph, right_to_left)
        for point in scene.points:
            _set_direction(document.add_paragraph(point, style="List Bullet"), right_to_left)
        if scene.description:
            description = document.add_paragraph()
            description.add_run(f"[{scene.description}]").italic = True
            _set_direction(description, right_to_left)
    content = io.BytesIO()
    document.save(content)
    return content.getvalue()


def _set_properties(properties, brief: VideoBrief, script: Script) -> None:
    """Overwrite every property that the library's template sets."""
    moment = datetime.datetime.fromisoformat(brief.triggered_at) if brief.triggered_at else _EPOCH
    properties.title, properties.language = script.title, script.language
    properties.author = properties.last_modified_by = tokens.shorten(
        tokens.clean(brief.account_name), 200
    )
    properties.comments = ""
    properties.identifier = tokens.shorten(tokens.clean(brief.production_id), 200)
    properties.created = properties.modified = moment
    properties.revision = 1


def _set_language(document, language: str) -> None:
    for tag in document.styles.element.iter(qn("w:lang")):
        for attribute in ("w:val", "w:eastAsia", "w:bidi"):
            tag.set(qn(attribute), language)


def _set_direction(paragraph, right_to_left: bool) -> None:
    """Mark a paragraph and its runs as right-to-left (ECMA-376, ``w:bidi`` and ``w:rtl``)."""
    if not right_to_left:
        return
    paragraph._p.get_or_add_pPr().append(OxmlElement("w:bidi"))
    for run in paragraph.runs:
        run.font.rtl = True


def _fix_dates(document: bytes) -> bytes:
    """Return the same archive with a fixed date on every member."""
    content = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(document)) as old,
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            member = zipfile.ZipInfo(name, _ZIP_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(member, old.read(name))
    return content.getvalue()
