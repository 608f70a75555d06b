"""Writing the transcript, as plain text and as a Word document."""

import datetime
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from svc.base.languages import find
from svc.media import files, words
from svc.media.programme import Brief, Scene, Script, Timeline, load

_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)  # where a brief has no time
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class _Passage:
    """What one scene says and shows: the time at which it starts (seconds), its heading if new, its prose, its list items,
    and what is to be seen, for whoever neither sees nor hears it."""

    start: float
    heading: str
    prose: str
    points: tuple[str, ...]
    seen: str


def write_transcript(brief: Brief, folder: Path) -> None:
    """Make ``transcript.txt`` and ``transcript.docx`` from ``script.json`` and ``timeline.json``; the same bytes each time."""
    script, timeline = load(Script, folder / "script.json"), load(Timeline, folder / "timeline.json")
    passages = list(_passages(script, timeline))
    speaker = words.clean(brief.avatar.name)
    files.write_text(folder / "transcript.txt", _plain(script.title, speaker, passages))
    with files.whole(folder / "transcript.docx") as partial:
        partial.write_bytes(_undated(_document(brief, script, speaker, passages)))


def _passages(script: Script, timeline: Timeline) -> Iterator[_Passage]:
    shown = script.title
    for scene, timing in zip(script.scenes, timeline.scenes, strict=True):
        heading = scene.heading if scene.heading not in (shown, script.title) else ""
        shown = scene.heading
        points = tuple(point.text for point in scene.points)
        yield _Passage(timing.words[0].start, heading, _prose(scene), points, words.clean(scene.description))


def _prose(scene: Scene) -> str:
    """The words that are read neither from the list nor, at the start, from the heading; sentences end in a stop, as a
    heading that is spoken does not."""
    listed = {index for point in scene.points for index in range(point.first_word, point.last_word + 1)}
    kept = [index for index in range(len(scene.words)) if index not in listed]
    if scene.layout not in ("title", "close") and " ".join(scene.words).startswith(scene.heading):
        kept = [index for index in kept if index >= len(scene.heading.split(" ") if scene.heading else ())]
    ended = [scene.words[index] + "." * _wants_stop(scene, index, kept) for index in kept]
    return " ".join(ended)


def _wants_stop(scene: Scene, index: int, kept: list[int]) -> bool:
    return index in scene.sentence_ends and index != kept[-1] and scene.words[index][-1].isalnum()


def _plain(title: str, speaker: str, passages: list[_Passage]) -> str:
    blocks = [title]
    for passage in passages:
        lines = [f"[{_clock(passage.start)}] {passage.heading}".rstrip()]
        lines += [f"{speaker}: {passage.prose}" if speaker else passage.prose] if passage.prose else []
        lines += [f"• {point}" for point in passage.points]
        blocks.append("\n".join([*lines, f"[{passage.seen}]"] if passage.seen else lines))
    return "\n\n".join(blocks) + "\n"


def _document(brief: Brief, script: Script, speaker: str, passages: list[_Passage]) -> bytes:
    document = docx.Document()
    _set_properties(document.core_properties, brief, script)
    _set_language(document, script.language)
    language = find(script.language)
    from_right = language is not None and language.direction == "rtl"
    _turn(document.add_heading(script.title, 0), from_right)
    for passage in passages:
        if passage.heading:
            _turn(document.add_heading(passage.heading, 1), from_right)
        paragraph = document.add_paragraph(f"{_clock(passage.start)}  ")
        paragraph.add_run(f"{speaker}: " if speaker else "").bold = True
        paragraph.add_run(passage.prose)
        _turn(paragraph, from_right)
        for point in passage.points:
            _turn(document.add_paragraph(point, style="List Bullet"), from_right)
        if passage.seen:
            seen = document.add_paragraph()
            seen.add_run(f"[{passage.seen}]").italic = True
            _turn(seen, from_right)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def _set_properties(properties, brief: Brief, script: Script) -> None:
    """Every property that the library's template fills in is ours instead."""
    moment = datetime.datetime.fromisoformat(brief.triggered_at) if brief.triggered_at else _EPOCH
    properties.title, properties.language = script.title, script.language
    properties.author = properties.last_modified_by = words.shortened(words.clean(brief.account_name), 200)
    properties.comments, properties.identifier = "", words.shortened(words.clean(brief.production_id), 200)
    properties.created = properties.modified = moment
    properties.revision = 1


def _set_language(document, language: str) -> None:
    for tag in document.styles.element.iter(qn("w:lang")):
        for attribute in ("w:val", "w:eastAsia", "w:bidi"):
            tag.set(qn(attribute), language)


def _turn(paragraph, from_right: bool) -> None:
    """Mark a paragraph and its runs as right-to-left (ECMA-376, ``w:bidi`` and ``w:rtl``)."""
    if not from_right:
        return
    paragraph._p.get_or_add_pPr().append(OxmlElement("w:bidi"))
    for run in paragraph.runs:
        run.font.rtl = True


def _undated(document: bytes) -> bytes:
    """The same archive with a fixed date on every member."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            member = zipfile.ZipInfo(name, _ZIP_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(member, old.read(name))
    return made.getvalue()


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
