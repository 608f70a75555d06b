"""The gates of the documents: transcripts and descriptions say what the script says,
and no file is empty.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from zipfile import BadZipFile

import docx
from docx.opc.exceptions import PackageNotFoundError

from svc.base.deliverable_kinds import DESCRIBED, DESCRIPTIONS, TRANSCRIPTS
from svc.media.captions import description
from svc.media.captions import parse as subtitles
from svc.media.checks.quality_gates import (
    Measurement,
    Measurements,
    measure_subject,
    quality_gate,
)
from svc.media.deliverables import name_description_file
from svc.media.model import (
    Descriptions,
    QualityFinding,
    Rendition,
    Scene,
    Script,
    Timeline,
    VideoBrief,
)
from svc.media.text import tokens

_LATE = 0.01  # seconds by which a description may be off: rounding to milliseconds
_CLOCK = re.compile(r"\[?\d+:\d\d:\d\d\]?")
_OF_EMOJI = "\ufe0e\ufe0f\u20e3"  # marks that only emoji have
_MANY = 8  # words that a finding quotes


def list_findings(
    brief: VideoBrief, folder: Path, script: Script, timeline: Timeline, described: Descriptions
) -> list[QualityFinding]:
    """Return the findings for all documents in ``folder``."""
    beside = {name_description_file(each): each for each in brief.renditions}
    return [
        finding
        for name in (*TRANSCRIPTS, *beside, DESCRIBED, DESCRIPTIONS)
        for finding in measure_subject(
            Document(folder / name, brief, script, timeline, described, beside.get(name))
        )
    ]


@dataclass(frozen=True)
class Document:
    """A file with text, or with text that is spoken, and what it must agree with.

    ``rendition``: of the text that stands beside a video; None: another file.
    """

    CHECKED: ClassVar[str] = "transcripts, descriptions and texts beside the videos"
    path: Path
    brief: VideoBrief
    script: Script
    timeline: Timeline
    described: Descriptions
    rendition: Rendition | None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name


@quality_gate(
    "text of the document",
    of=Document,
    warning="no other words than the script's",
    failure="every scene of the script",
)
def check_text(document: Document) -> Measurements:
    """Compare transcripts and written descriptions with the script."""
    if document.name in TRANSCRIPTS:
        return _check_transcript(document.path, document.brief, document.script)
    if document.name == DESCRIPTIONS:
        return _measure_descriptions(document.path, document.timeline, document.described)
    return ()


def _check_transcript(path: Path, brief: VideoBrief, script: Script) -> Measurement:
    """Check that every scene's text is there, in order, and nothing else."""
    limit = "every scene's words, in order, and no others"
    try:
        text = _split_words(_read_document(path))
    except (OSError, ValueError, KeyError, BadZipFile, PackageNotFoundError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return Measurement(f"unreadable: {reason}", limit, False)
    at, missing = 0, []
    for number, scene in enumerate(script.scenes, 1):
        end = _find_end(_split_words(" ".join(_join_prose(scene))), text, at)
        points = all(
            _find_end(_split_words(tokens.join_words(said)), text, at) is not None
            for said in _list_points(scene)
        )
        if end is None or not points:
            missing.append(number)
        else:
            at = end
    others = Counter(text) - Counter(_list_known_words(brief, script))
    measured = f"{len(script.scenes) - len(missing)} of {len(script.scenes)} scenes"
    measured += f", and words of another text: {', '.join(list(others)[:_MANY])}" if others else ""
    where = f"scene {', '.join(map(str, missing[:5]))}" if missing else ""
    excess = f"{len(missing)} scenes, {others.total()} words"
    certain = bool(missing)  # others may be written otherwise than they are counted
    passed = not missing and not others
    return Measurement(measured, limit, passed, where, excess, certain=certain)


@quality_gate(
    "text beside the video",
    of=Document,
    failure="words and chapters of the script, within the place's limit",
)
def check_text_beside_the_video(document: Document) -> Measurements:
    """Check the text that is published beside a video: its words, its chapters and its length."""
    path, rendition = document.path, document.rendition
    if rendition is None:
        return ()
    limit = (
        "title, summary, chapters, disclosure and hashtags, at most "
        f"{rendition.longest_description} characters"
    )
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return Measurement(f"unreadable: {reason}", limit, False)
    right = text == description.describe_rendition(document.script, document.timeline, rendition)
    measured = f"{len(text)} characters" + ("" if right else " of another text")
    return Measurement(measured, limit, right and len(text) <= rendition.longest_description)


def _read_document(path: Path) -> str:
    if path.suffix != ".docx":
        return path.read_text("utf-8")
    return "\n".join(paragraph.text for paragraph in docx.Document(str(path)).paragraphs)


def _join_prose(scene: Scene) -> Iterator[str]:
    """Yield the words outside the list items, which may be written otherwise than
    they are spoken.
    """
    listed = {
        index for point in scene.points for index in range(point.first_word, point.last_word + 1)
    }
    yield from (word for index, word in enumerate(scene.words) if index not in listed)


def _list_points(scene: Scene) -> Iterator[tuple[str, ...]]:
    """Yield the words of each list item, row or figure."""
    yield from (scene.words[point.first_word : point.last_word + 1] for point in scene.points)


def _list_known_words(brief: VideoBrief, script: Script) -> list[str]:
    """Return every word that a transcript may have, as often as it may have it."""
    parts = [script.title]
    for scene in script.scenes:
        parts += [
            tokens.clean(brief.avatar.name),
            scene.heading,
            " ".join(scene.words),
            scene.description,
        ]
        parts += [text for point in scene.points for text in (point.label, point.text)]
    return [word for part in parts for word in _split_words(part)]


def _find_end(words: list[str], text: list[str], at: int) -> int | None:
    """Return the end of ``words``, in this order, in ``text`` after ``at``;
    None if one is missing.
    """
    for word in words:
        try:
            at = text.index(word, at) + 1
        except ValueError:
            return None
    return at


def _split_words(text: str) -> list[str]:
    """Return the words of ``text`` without times, case, punctuation and emoji."""
    plain = _CLOCK.sub(" ", unicodedata.normalize("NFC", subtitles.normalise_text(text))).casefold()
    letters = "".join(
        letter if unicodedata.category(letter)[0] in "LMN" and letter not in _OF_EMOJI else " "
        for letter in plain
    )
    return letters.split()


@quality_gate("language of the document", of=Document, failure="that of the script")
def check_language(document: Document) -> Measurements:
    """Check that the document says in which language it is."""
    if document.path.suffix != ".docx":
        return ()
    try:
        language = docx.Document(str(document.path)).core_properties.language or "none"
    except (OSError, ValueError, KeyError, BadZipFile, PackageNotFoundError):
        language = "unreadable"
    expected = document.brief.language
    return Measurement(language, expected, language == expected)


@quality_gate("described text", of=Document, failure="every scene's description")
def check_described_text(document: Document) -> Measurements:
    """Compare the spoken descriptions with the script's."""
    script = document.script
    if document.name != DESCRIBED:
        return ()
    meant = {
        index: scene.description
        for index, scene in enumerate(script.scenes)
        if tokens.tokenize_text(scene.description, script.read_in)
    }
    spoken = {cue.scene: cue.text for cue in document.described.cues}
    wrong = [
        index
        for index in sorted(meant.keys() | spoken.keys())
        if meant.get(index) != spoken.get(index)
    ]
    limit, where = "every scene's description", f"scene {wrong[0] + 1}" if wrong else ""
    measured = f"{len(meant) - len(wrong)} of {len(meant)} descriptions"
    return Measurement(measured, limit, not wrong, where)


def _measure_descriptions(path: Path, timeline: Timeline, described: Descriptions) -> Measurement:
    limit = "every description, when its scene begins"
    try:
        cues = subtitles.read_cues(path) if described.cues else []
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Measurement(f"unreadable: {reason}", limit, False)
    right = [
        cue
        for cue, row in zip(described.cues, cues, strict=False)
        if subtitles.normalise_text(row.text) == subtitles.normalise_text(cue.text)
        and abs(row.start - timeline.scenes[cue.scene].start) <= _LATE
    ]
    passed = len(right) == len(described.cues) == len(cues)
    return Measurement(f"{len(right)} of {len(described.cues)} descriptions", limit, passed)
