"""Writing the script: the brief's own words, cut into scenes. Nothing is added that the brief does not say."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from pathlib import Path

from svc.base.languages import find
from svc.media import markdown, sights, words
from svc.media.errors import ScriptError
from svc.media.programme import Brief, Point, Scene, Script, save

SCENE_LENGTH = 190  # characters of narration: about 12 s at 165 words a minute
_STRETCH = 1.2  # how much longer a scene may be, where that saves one
MOST_POINTS = 5  # on one screen
MOST_SCENES = 120  # some twenty minutes; more is not a brief any more
LONGEST_TITLE = 100  # characters that fit a screen as a heading
LONGEST_POINT = 120  # characters that fit a screen as a list item; a longer one is prose


@dataclass(frozen=True)
class _Part:
    """Words that stay together in a scene: a sentence, or a point."""

    tokens: tuple[words.Token, ...]
    point: str = ""  # as shown; empty for prose

    @property
    def length(self) -> int:
        return sum(len(token.written) + 1 for token in self.tokens)


@dataclass
class _Section:
    heading: str
    spoken_heading: list[words.Token]
    parts: list[_Part]


def write(brief: Brief, folder: Path, progress) -> None:
    """Make ``script.json``. Raises ScriptError: SCRIPT_EMPTY, SCRIPT_TOO_LONG, LANGUAGE_NOT_SPOKEN."""
    save(script_of(brief), folder / "script.json")
    progress(1.0)


def script_of(brief: Brief) -> Script:
    """The script of ``brief``: a title, the sections of its Markdown, and the title again to close."""
    language = brief.language
    if find(language) is None:
        raise ScriptError(f"The narration does not speak the language {language!r}.", "LANGUAGE_NOT_SPOKEN")
    title = words.clean(brief.title) or words.clean(brief.topic)
    heading = words.shortened(title, LONGEST_TITLE)
    spoken = words.tokens(heading, language)
    if not spoken:
        raise ScriptError("The topic has no words that can be spoken and shown in this language.", "SCRIPT_EMPTY")
    card = [_Part(tuple(spoken))]
    scenes = [_scene(brief, "title", heading, card)]
    for section in _sections(brief, title, heading):
        scenes += _scenes(brief, section)
    scenes.append(_scene(brief, "close", heading, card))
    if len(scenes) > MOST_SCENES:
        raise ScriptError(f"The brief makes {len(scenes)} scenes; at most {MOST_SCENES} are made.", "SCRIPT_TOO_LONG")
    return Script(heading, language, tuple(scenes))


def _sections(brief: Brief, title: str, heading: str) -> list[_Section]:
    """The topic, unless the title said it already, and then what stands under each heading of the Markdown."""
    sections = [_Section("", [], []), _Section("", [], [])]  # the topic; the text before the first heading
    if title != heading:
        sections[0].parts += _sentences(title, brief.language)
    topic = words.clean(brief.topic)
    if topic.casefold() not in title.casefold():
        sections[0].parts += _sentences(topic, brief.language)
    for block in markdown.blocks(brief.metadata_md):
        _add(sections, block, heading, brief.language)
    return [section for section in sections if section.parts or section.spoken_heading]


def _add(sections: list[_Section], block: markdown.Block, title: str, language: str) -> None:
    text = words.clean(block.text)
    spoken = words.tokens(text, language)
    if not spoken:
        return
    if block.kind == "heading" and len(text) <= LONGEST_TITLE:
        said_already = text.casefold() == title.casefold()
        sections.append(_Section(text, [] if said_already else spoken, []))
    elif block.kind == "point" and len(text) <= LONGEST_POINT:
        sections[-1].parts.append(_Part(tuple(spoken), text))
    else:
        sections[-1].parts += _sentences(text, language)


def _sentences(text: str, language: str) -> list[_Part]:
    """Cut at sentence ends; a sentence too long for a scene is cut into even pieces, after a comma where one is near."""
    parts, sentence = [], []
    for token in words.tokens(text, language):
        sentence.append(token)
        if token.ends:
            parts += _pieces(sentence)
            sentence = []
    return parts


def _pieces(sentence: list[words.Token]) -> list[_Part]:
    whole = _Part(tuple(sentence)).length
    share = whole / ceil(whole / SCENE_LENGTH)
    pieces, piece = [], []
    for token in sentence:
        piece.append(token)
        filled = _Part(tuple(piece)).length / share
        if filled >= 1 or (filled > 0.7 and token.written.endswith((",", ";", ":", "،", "؛"))):
            pieces.append(_Part(tuple(piece)))
            piece = []
    return [*pieces, _Part(tuple(piece))] if piece else pieces


def _scenes(brief: Brief, section: _Section) -> list[Scene]:
    """One scene or several, each with prose or with a list (which a sentence before it may lead into)."""
    scenes, spoken_heading = [], section.spoken_heading
    for group in _groups(section.parts) or [[]]:
        lead = [_Part(tuple(spoken_heading))] if spoken_heading else []
        layout = "points" if any(part.point for part in group) else "prose"
        scenes.append(_scene(brief, layout, section.heading, [*lead, *group]))
        spoken_heading = []  # said once, shown on every scene of the section
    return scenes


def _groups(parts: list[_Part]) -> list[list[_Part]]:
    """Parts that share a scene: lists and prose apart, except that a short sentence leads into the list it introduces."""
    groups: list[list[_Part]] = []
    for run in _runs(parts):
        if run[0].point:
            pieces = _even(run, max(ceil(len(run) / MOST_POINTS), ceil(_length(run) / SCENE_LENGTH)))
            if groups and not groups[-1][0].point and _length(groups[-1]) + _length(pieces[0]) <= SCENE_LENGTH:
                pieces[0] = groups.pop() + pieces[0]
            groups += pieces
        else:
            groups += _by_length(run)
    return groups


def _runs(parts: list[_Part]) -> list[list[_Part]]:
    runs: list[list[_Part]] = []
    for part in parts:
        if runs and bool(runs[-1][0].point) == bool(part.point):
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _even(parts: list[_Part], count: int) -> list[list[_Part]]:
    """Cut into ``count`` groups of nearly the same number."""
    bounds = [round(index * len(parts) / count) for index in range(count + 1)]
    return [parts[first:last] for first, last in pairwise(bounds) if first < last]


def _by_length(parts: list[_Part]) -> list[list[_Part]]:
    """Cut into as few scenes as the length asks for, as even as can be, so that none is left with two words."""
    count = ceil(_length(parts) / SCENE_LENGTH)
    capacity = ceil(_length(parts) / count)
    while len(groups := _filled(parts, capacity)) > count and capacity < SCENE_LENGTH * _STRETCH:
        capacity += 5
    return groups


def _filled(parts: list[_Part], capacity: int) -> list[list[_Part]]:
    groups: list[list[_Part]] = []
    for part in parts:
        if groups and _length(groups[-1]) + part.length <= capacity:
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _length(parts: list[_Part]) -> int:
    return sum(part.length for part in parts)


def _scene(brief: Brief, layout: str, heading: str, parts: list[_Part]) -> Scene:
    tokens = [token for part in parts for token in part.tokens]
    points, first = [], 0
    for part in parts:
        if part.point:
            points.append(Point(part.point, first, first + len(part.tokens) - 1))
        first += len(part.tokens)
    return Scene(
        layout=layout,
        heading=heading,
        points=tuple(points),
        words=tuple(token.written for token in tokens),
        spoken=tuple(token.spoken for token in tokens),
        description=sights.describe(layout, heading, tuple(points), brief.avatar.name, brief.language),
        sentence_ends=tuple(index for index, token in enumerate(tokens) if token.ends),
    )
