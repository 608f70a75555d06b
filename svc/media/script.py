"""Writing the script: the brief's own words, cut into scenes. Nothing is added that the brief does not say."""

from dataclasses import dataclass

from svc.base.languages import find
from svc.media import connectives, cutting, exhibits, markdown, sights, words
from svc.media.cutting import ScriptPart
from svc.media.errors import ScriptError
from svc.media.programme import NO_VISUAL, Point, Scene, Script, VideoBrief, Visual

MOST_SCENES = 120  # some twenty minutes; more is not a brief any more
LONGEST_TITLE = 100  # characters that fit a screen as a heading


@dataclass
class Section:
    """What stands under one heading; the heading is shown in any case, and said unless the title says it."""

    heading: str
    spoken_heading: list[words.Token]
    parts: list[ScriptPart]


def write_script(brief: VideoBrief) -> Script:
    """The script of ``brief``: its title and what comes, the sections of its Markdown, and the title again to close."""
    title = words.clean(brief.title) or words.clean(brief.topic)
    heading = screen_title(title, brief.language)
    return assemble_script(brief, heading, _sections(brief, title, heading))


def screen_title(title: str, language: str) -> str:
    """``title`` as it fits a screen. ScriptError: it cannot be spoken."""
    if find(language) is None:
        raise ScriptError(f"The narration does not speak the language {language!r}.", "LANGUAGE_NOT_SPOKEN")
    heading = words.shorten(title, LONGEST_TITLE)
    if not words.tokens(heading, language):
        raise ScriptError("The topic has no words that can be spoken and shown in this language.", "SCRIPT_EMPTY")
    return heading


def assemble_script(brief: VideoBrief, heading: str, sections: list[Section], author: str = "") -> Script:
    """The opening, the scenes of ``sections``, and the close. ``author``: the model that wrote them."""
    headings = [section.heading for section in sections if section.spoken_heading]
    scenes = [_card(brief, "title", heading, connectives.announcement(headings, brief.language))]
    for section in _with_something_to_say(sections):
        scenes += _scenes(brief, section)
    scenes.append(_card(brief, "close", heading, connectives.thanks(brief.language)))
    if len(scenes) > MOST_SCENES:
        raise ScriptError(f"The brief makes {len(scenes)} scenes; at most {MOST_SCENES} are made.", "SCRIPT_TOO_LONG")
    return Script(heading, brief.language, tuple(scenes), author)


def _card(brief: VideoBrief, layout: str, heading: str, sentence: str) -> Scene:
    """A scene that shows the title, and says it with ``sentence``."""
    said = ScriptPart(tuple(words.tokens(heading, brief.language)))
    return _scene(brief, layout, heading, [said, ScriptPart(tuple(words.tokens(sentence, brief.language)))])


def _sections(brief: VideoBrief, title: str, heading: str) -> list[Section]:
    """The topic, unless the title said it already, and then what stands under each heading of the Markdown."""
    sections = [Section("", [], []), Section("", [], [])]  # the topic; the text before the first heading
    limit = cutting.longest_scene(brief.avatar)
    if title != heading:
        sections[0].parts += cutting.split_sentences(title, brief.language, limit)
    topic = words.clean(brief.topic)
    if topic.casefold() not in title.casefold():
        sections[0].parts += cutting.split_sentences(topic, brief.language, limit)
    for block in markdown.blocks(brief.metadata_md):
        add_block(sections, block, heading, brief)
    return [section for section in sections if section.parts or section.spoken_heading]


def add_block(sections: list[Section], block: markdown.Block, title: str, brief: VideoBrief) -> None:
    """Put a block where it belongs: a heading opens a section, the rest joins the last one."""
    exhibit = exhibits.visual_parts(block, brief)
    if exhibit is not None:
        sections[-1].parts += exhibit
        return
    text, language = words.clean(block.text), brief.language
    spoken = words.tokens(block.text, language)
    if not spoken:
        return
    if block.kind == "heading" and len(text) <= LONGEST_TITLE:
        said_already = text.casefold() == title.casefold()
        sections.append(Section(text, [] if said_already else spoken, []))
    elif block.kind == "point" and len(text) <= cutting.LONGEST_POINT:
        sections[-1].parts.append(ScriptPart(tuple(spoken), text))
    else:
        sections[-1].parts += cutting.split_sentences(block.text, language, cutting.longest_scene(brief.avatar))


def _with_something_to_say(sections: list[Section]) -> list[Section]:
    """A heading with nothing under it is said before the next one: alone it would be a scene of a second. Two at most are said
    together."""
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
    """One scene or several, each with prose or with a list (which a sentence before it may lead into)."""
    scenes, spoken_heading = [], section.spoken_heading
    for group in cutting.group_into_scenes(section.parts, cutting.longest_scene(brief.avatar)) or [[]]:
        lead = [ScriptPart(tuple(spoken_heading))] if spoken_heading else []
        sight = next((part.sight for part in group if part.sight.kind), NO_VISUAL)
        layout = sight.kind or ("points" if any(part.point for part in group) else "prose")
        scenes.append(_scene(brief, layout, section.heading, [*lead, *group], sight))
        spoken_heading = []  # said once, shown on every scene of the section
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
        description=sights.describe(layout, heading, tuple(points), brief.avatar.name, brief.language),
        sentence_ends=tuple(index for index, token in enumerate(tokens) if token.ends),
        sight=sight,
        stressed=tuple(index for index, token in enumerate(tokens) if token.stressed),
    )
