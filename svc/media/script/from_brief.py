"""Writing the script by rules: the brief's own words, split into scenes. Nothing is added that the brief does not say."""

from dataclasses import dataclass

from svc.base.text.languages import find
from svc.media.errors import ScriptError
from svc.media.model import NO_VISUAL, Point, Scene, Script, VideoBrief, Visual
from svc.media.script import descriptions, markdown, phrases, scene_split, visuals
from svc.media.script.scene_split import ScriptPart
from svc.media.text import tokens as words

MOST_SCENES = 120  # about twenty minutes
LONGEST_TITLE = 100  # characters of a heading that fits a screen


@dataclass
class Section:
    """The content under one heading. The heading is always shown; it is spoken unless the title says it."""

    heading: str
    spoken_heading: list[words.Token]
    parts: list[ScriptPart]


def write_script(brief: VideoBrief) -> Script:
    """Return the script of ``brief``: its title and an announcement, the sections of its Markdown, and the title again to
    close."""
    title = words.clean(brief.title) or words.clean(brief.topic)
    heading = screen_title(title, brief.language)
    return assemble_script(brief, heading, _sections(brief, title, heading))


def screen_title(title: str, language: str) -> str:
    """Return ``title`` shortened to fit a screen. Raises ScriptError if it cannot be spoken."""
    if find(language) is None:
        raise ScriptError(f"The narration does not speak the language {language!r}.", "LANGUAGE_NOT_SPOKEN")
    heading = words.shorten(title, LONGEST_TITLE)
    if not words.tokens(heading, language):
        raise ScriptError("The topic has no words that can be spoken and shown in this language.", "SCRIPT_EMPTY")
    return heading


def assemble_script(brief: VideoBrief, heading: str, sections: list[Section], author: str = "") -> Script:
    """Return the opening, the scenes of ``sections`` and the close. ``author``: the model that wrote them.

    Raises ScriptError (SCRIPT_TOO_LONG).
    """
    headings = [section.heading for section in sections if section.spoken_heading]
    scenes = [_card(brief, "title", heading, phrases.announcement(headings, brief.language))]
    for section in _merge_empty_sections(sections):
        scenes += _scenes(brief, section)
    scenes.append(_card(brief, "close", heading, phrases.thanks(brief.language)))
    if len(scenes) > MOST_SCENES:
        raise ScriptError(f"The brief needs {len(scenes)} scenes; at most {MOST_SCENES} are allowed.", "SCRIPT_TOO_LONG")
    return Script(heading, brief.language, tuple(scenes), author)


def _card(brief: VideoBrief, layout: str, heading: str, sentence: str) -> Scene:
    """Return a scene that shows the title, and speaks it followed by ``sentence``."""
    parts = [ScriptPart(tuple(words.tokens(text, brief.language))) for text in (heading, sentence)]
    return _scene(brief, layout, heading, parts)


def _sections(brief: VideoBrief, title: str, heading: str) -> list[Section]:
    """Return the topic, unless the title contains it, and the sections of the Markdown."""
    sections = [Section("", [], []), Section("", [], [])]  # the topic; the text before the first heading
    limit = scene_split.longest_scene(brief.avatar)
    if title != heading:
        sections[0].parts += scene_split.split_sentences(title, brief.language, limit)
    topic = words.clean(brief.topic)
    if topic.casefold() not in title.casefold():
        sections[0].parts += scene_split.split_sentences(topic, brief.language, limit)
    for block in markdown.blocks(brief.metadata_md):
        add_block(sections, block, heading, brief)
    return [section for section in sections if section.parts or section.spoken_heading]


def add_block(sections: list[Section], block: markdown.Block, title: str, brief: VideoBrief) -> None:
    """Add a block to the sections: a heading opens a section, anything else joins the last one."""
    visual = visuals.visual_parts(block, brief)
    if visual is not None:
        sections[-1].parts += visual
        return
    text, language = words.clean(block.text), brief.language
    spoken = words.tokens(block.text, language)
    if not spoken:
        return
    if block.kind == "heading" and len(text) <= LONGEST_TITLE:
        is_title = text.casefold() == title.casefold()
        sections.append(Section(text, [] if is_title else spoken, []))
    elif block.kind == "point" and len(text) <= scene_split.LONGEST_POINT:
        sections[-1].parts.append(ScriptPart(tuple(spoken), text))
    else:
        sections[-1].parts += scene_split.split_sentences(block.text, language, scene_split.longest_scene(brief.avatar))


def _merge_empty_sections(sections: list[Section]) -> list[Section]:
    """Merge a heading without content into the next section, because alone it would be a scene of one second.

    At most two headings are spoken together.
    """
    kept: list[Section] = []
    waiting: list[words.Token] = []
    for index, section in enumerate(sections):
        if waiting or section.parts or index == len(sections) - 1:
            section.spoken_heading = waiting + section.spoken_heading
            kept.append(section)
            waiting = []
        else:
            waiting = section.spoken_heading
    return kept


def _scenes(brief: VideoBrief, section: Section) -> list[Scene]:
    """Return the scenes of a section, each with prose or with a list, which a sentence may introduce."""
    scenes, spoken_heading = [], section.spoken_heading
    for group in scene_split.group_into_scenes(section.parts, scene_split.longest_scene(brief.avatar)) or [[]]:
        lead = [ScriptPart(tuple(spoken_heading))] if spoken_heading else []
        sight = next((part.sight for part in group if part.sight.kind), NO_VISUAL)
        layout = sight.kind or ("points" if any(part.point for part in group) else "prose")
        scenes.append(_scene(brief, layout, section.heading, [*lead, *group], sight))
        spoken_heading = []  # spoken once, shown on every scene of the section
    return scenes


def _scene(brief: VideoBrief, layout: str, heading: str, parts: list[ScriptPart], sight: Visual = NO_VISUAL) -> Scene:
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
        description=descriptions.describe(layout, heading, tuple(points), brief.avatar.name, brief.language, sight),
        sentence_ends=tuple(index for index, token in enumerate(tokens) if token.ends),
        sight=sight,
        stressed=tuple(index for index, token in enumerate(tokens) if token.stressed),
    )
