"""The gates of the documents: transcripts and descriptions say what the script says,
and no file is empty.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile

import docx
from docx.opc.exceptions import PackageNotFoundError

from svc.media.captions import parse as subtitles
from svc.media.deliverables import description_file
from svc.media.model import (
    Descriptions,
    QualityFinding,
    Rendition,
    Scene,
    Script,
    Timeline,
    VideoBrief,
)
from svc.media.social import description
from svc.media.text import tokens

TRANSCRIPTS = ("transcript.txt", "transcript.docx")
DESCRIPTIONS = "descriptions.vtt"
_LATE = 0.01  # seconds by which a description may be off: rounding to milliseconds
_CLOCK = re.compile(r"\[?\d+:\d\d:\d\d\]?")
_OF_EMOJI = "\ufe0e\ufe0f\u20e3"  # marks that only emoji have
_MANY = 8  # words that a finding quotes


def findings(
    brief: VideoBrief, folder: Path, script: Script, timeline: Timeline, described: Descriptions
) -> list[QualityFinding]:
    """Return the findings for all documents in ``folder``."""
    return [
        *(_transcript(folder / name, brief, script) for name in TRANSCRIPTS),
        _document_language(folder / TRANSCRIPTS[1], brief),
        *(
            _beside(folder / description_file(each), each, script, timeline)
            for each in brief.renditions
        ),
        *_descriptions(folder / DESCRIPTIONS, script, timeline, described),
    ]


def _transcript(path: Path, brief: VideoBrief, script: Script) -> QualityFinding:
    """Check that every scene's text is there, in order, and nothing else."""
    limit = "every scene's words, in order, and no others"
    try:
        text = _words(_read(path))
    except (OSError, ValueError, KeyError, BadZipFile, PackageNotFoundError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return QualityFinding(
            "text of the document", path.name, f"unreadable: {reason}", limit, False
        )
    at, missing = 0, []
    for number, scene in enumerate(script.scenes, 1):
        found = _find(_words(" ".join(_prose(scene))), text, at)
        points = all(
            _find(_words(tokens.joined(said)), text, at) is not None for said in _points(scene)
        )
        if found is None or not points:
            missing.append(number)
        else:
            at = found
    others = Counter(text) - Counter(_known(brief, script))
    measured = f"{len(script.scenes) - len(missing)} of {len(script.scenes)} scenes"
    measured += f", and words of another text: {', '.join(list(others)[:_MANY])}" if others else ""
    where = f"scene {', '.join(map(str, missing[:5]))}" if missing else ""
    excess = f"{len(missing)} scenes, {others.total()} words"
    certain = bool(missing)  # others may be written otherwise than they are counted
    passed = not missing and not others
    return QualityFinding(
        "text of the document", path.name, measured, limit, passed, where, excess, certain=certain
    )


def _beside(path: Path, rendition: Rendition, script: Script, timeline: Timeline) -> QualityFinding:
    """Check the text that is published beside a video: its words, its chapters and its length."""
    limit = (
        "title, summary, chapters, disclosure and hashtags, at most "
        f"{rendition.longest_description} characters"
    )
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return QualityFinding(
            "text beside the video", path.name, f"unreadable: {reason}", limit, False
        )
    right = text == description.describe_rendition(script, timeline, rendition)
    measured = f"{len(text)} characters" + ("" if right else " of another text")
    return QualityFinding(
        "text beside the video",
        path.name,
        measured,
        limit,
        right and len(text) <= rendition.longest_description,
    )


def _read(path: Path) -> str:
    if path.suffix != ".docx":
        return path.read_text("utf-8")
    return "\n".join(paragraph.text for paragraph in docx.Document(str(path)).paragraphs)


def _prose(scene: Scene) -> Iterator[str]:
    """Yield the words outside the list items, which may be written otherwise than
    they are spoken.
    """
    listed = {
        index for point in scene.points for index in range(point.first_word, point.last_word + 1)
    }
    yield from (word for index, word in enumerate(scene.words) if index not in listed)


def _points(scene: Scene) -> Iterator[tuple[str, ...]]:
    """Yield the words of each list item, row or figure."""
    yield from (scene.words[point.first_word : point.last_word + 1] for point in scene.points)


def _known(brief: VideoBrief, script: Script) -> list[str]:
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
    return [word for part in parts for word in _words(part)]


def _find(words: list[str], text: list[str], at: int) -> int | None:
    """Return the end of ``words``, in this order, in ``text`` after ``at``;
    None if one is missing.
    """
    for word in words:
        try:
            at = text.index(word, at) + 1
        except ValueError:
            return None
    return at


def _words(text: str) -> list[str]:
    """Return the words of ``text`` without times, case, punctuation and emoji."""
    plain = _CLOCK.sub(" ", unicodedata.normalize("NFC", subtitles.plain(text))).casefold()
    kept = "".join(
        letter if unicodedata.category(letter)[0] in "LMN" and letter not in _OF_EMOJI else " "
        for letter in plain
    )
    return kept.split()


def _document_language(path: Path, brief: VideoBrief) -> QualityFinding:
    try:
        language = docx.Document(str(path)).core_properties.language or "none"
    except (OSError, ValueError, KeyError, BadZipFile, PackageNotFoundError):
        language = "unreadable"
    return QualityFinding(
        "language of the document", path.name, language, brief.language, language == brief.language
    )


def _descriptions(
    path: Path, script: Script, timeline: Timeline, described: Descriptions
) -> list[QualityFinding]:
    """Check the written and the spoken descriptions against the script's."""
    meant = {
        index: scene.description
        for index, scene in enumerate(script.scenes)
        if tokens.tokens(scene.description, script.language)
    }
    spoken = {cue.scene: cue.text for cue in described.cues}
    wrong = [
        index
        for index in sorted(meant.keys() | spoken.keys())
        if meant.get(index) != spoken.get(index)
    ]
    limit, where = "every scene's description", f"scene {wrong[0] + 1}" if wrong else ""
    measured = f"{len(meant) - len(wrong)} of {len(meant)} descriptions"
    return [
        QualityFinding("described text", "described.mp4", measured, limit, not wrong, where),
        _written(path, timeline, described),
    ]


def _written(path: Path, timeline: Timeline, described: Descriptions) -> QualityFinding:
    limit = "every description, when its scene begins"
    try:
        cues = subtitles.read_cues(path) if described.cues else []
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return QualityFinding(
            "text of the document", path.name, f"unreadable: {reason}", limit, False
        )
    right = [
        cue
        for cue, row in zip(described.cues, cues, strict=False)
        if subtitles.plain(row.text) == subtitles.plain(cue.text)
        and abs(row.start - timeline.scenes[cue.scene].start) <= _LATE
    ]
    passed = len(right) == len(described.cues) == len(cues)
    return QualityFinding(
        "text of the document",
        path.name,
        f"{len(right)} of {len(described.cues)} descriptions",
        limit,
        passed,
    )
