"""Gathering the blocks of a text under its headings, as parts that are spoken."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from svc.media.model import VideoBrief
from svc.media.script import labels, scene_split, visuals
from svc.media.script.blocks import Block
from svc.media.script.scene_split import ScriptPart
from svc.media.text import tokens as words

LONGEST_TITLE = 100  # characters of a heading that fits a screen
# A release at the beginning of a heading: 1.2.0 - 2026-01-05.
_RELEASE = re.compile(r"v?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?(?=\s|$)")
LONGEST_SMALL_PRINT = 240  # characters
# A heading of these signs alone only parts what is before it from what follows.
_RULERS = "*_-–—=~.,;:!?…•·|\\/`^ "


@dataclass
class Section:
    """The content under one heading.

    The heading is always shown; it is spoken unless the title says it.
    """

    heading: str
    spoken_heading: list[words.Token]
    parts: list[ScriptPart]
    level: int = 0  # of the heading: 1 to 6
    picture: str = ""  # what its illustration should show; empty: by the words of the scene
    small_print: str = ""  # shown with its scenes, and not said


def add_block(sections: list[Section], block: Block, title: str, brief: VideoBrief) -> None:
    """Add a block to the sections: a heading opens a section, anything else joins the last one."""
    if block.kind == labels.END:
        sections.append(Section("", [], []))
        return
    if block.kind == "small" and _add_small_print(sections, words.clean(block.text)):
        return
    parts = sections[-1].parts
    visual = visuals.make_visual_parts(block, brief)
    if visual is not None:
        parts += visual
        return
    text, language, limit = (
        words.clean(block.text),
        brief.read_in,
        scene_split.find_longest_scene(brief.avatar),
    )
    spoken = words.tokenize_text(block.text, language)
    if block.kind == "heading" and text and words.measure_display_length(text) <= LONGEST_TITLE:
        is_title = text.casefold() == title.casefold()
        sections.append(Section(text, [] if is_title else spoken, [], block.level))
    elif not spoken:
        _add_sign(sections[-1], text)
    elif block.kind == "point":
        _add_item(parts, block, limit, language)
    elif block.within_item:
        _continue_item(parts, scene_split.split_sentences(block.text, language, limit), limit)
    else:
        said = scene_split.split_sentences(block.text, language, limit)
        parts += [*said[:-1], replace(said[-1], introduces=block.introduces)]


def _add_small_print(sections: list[Section], text: str) -> bool:
    """Add small print to the last section that has a heading or says something; return whether
    there is one, and room for the text.
    """
    section = next((each for each in reversed(sections) if each.parts or each.heading), None)
    return section is not None and _join_small_print(section, section.small_print, text)


def _join_small_print(section: Section, *texts: str) -> bool:
    """Make ``texts`` the small print of a section; return whether there is room for them."""
    text = " ".join(texts).strip()
    if words.measure_display_length(text) > LONGEST_SMALL_PRINT:
        return False
    section.small_print = text
    return True


def place_small_print(sections: list[Section], language: str, limit: int) -> None:
    """Move the small print of headings without content to what their subheadings say, else to what
    was said before. It is said itself where neither is there or has room for it.
    """
    for at, section in enumerate(sections):
        text = section.small_print
        if section.parts or not text:
            continue
        section.small_print = ""
        if below := _find_below(sections[at:]):
            is_placed = _join_small_print(below, text, below.small_print)
        else:
            above = next((each for each in reversed(sections[:at]) if each.parts), None)
            is_placed = above is not None and _join_small_print(above, above.small_print, text)
        if not is_placed:
            section.parts += scene_split.split_sentences(text, language, limit)


def _find_below(sections: list[Section]) -> Section | None:
    """Return the first section with content under the heading of the first of ``sections``."""
    head, *rest = sections
    deeper = takewhile(lambda each: each.level > head.level, rest)
    return next((each for each in deeper if each.parts), None)


def merge_headings(sections: list[Section]) -> list[Section]:
    """Merge headings without content, because each alone would be a scene of one second.

    Those that lead down to a heading with content are spoken before it; others become a list. The
    headings of a changelog show the release that they are under.
    """
    merged: list[Section] = []
    waiting: list[Section] = []
    release = Section("", [], [])
    for section in sections:
        if _RELEASE.match(section.heading):
            release = section
        elif section.level <= release.level:
            release = Section("", [], [])
        elif section.parts and (version := _RELEASE.match(release.heading)):
            section.heading = f"{section.heading} · {version[0]}"
        if not section.parts:
            waiting.append(section)
            continue
        above = _list_leading_headings(section, waiting)
        if len(waiting) > len(above):
            merged.append(_list_of_headings(waiting[: len(waiting) - len(above)]))
        spoken = [token for heading in above for token in heading.spoken_heading]
        section.spoken_heading = spoken + section.spoken_heading
        merged.append(section)
        waiting = []
    return [*merged, *([_list_of_headings(waiting)] if waiting else [])]


def _list_leading_headings(section: Section, waiting: list[Section]) -> list[Section]:
    """Return the last headings of ``waiting`` of which each is above the next one and the last
    above ``section``.

    A single heading is spoken before the next one in any case.
    """
    path = [section]
    for heading in reversed(waiting):
        if heading.level >= path[0].level:
            break
        path.insert(0, heading)
    return waiting if len(waiting) == 1 else path[:-1]


def _list_of_headings(empty: list[Section]) -> Section:
    """Return one section with headings as its points, under the first of them if it is
    above all others.
    """
    head = empty[0]
    if len(empty) > 1 and not all(section.level > head.level for section in empty[1:]):
        head = Section("", [], [])
        rest = empty
    else:
        rest = empty[1:]
    points = [
        ScriptPart(tuple(section.spoken_heading), section.heading)
        for section in rest
        if section.spoken_heading
    ]
    return replace(head, parts=points)


def _add_item(parts: list[ScriptPart], block: Block, limit: int, language: str) -> None:
    """Add a list item; a long one shows its first sentence, or the beginning of that,
    while all of it is spoken.
    """
    first, *rest = scene_split.split_sentences(block.text, language, limit)
    text = words.clean(block.text)
    if words.measure_display_length(text) <= scene_split.LONGEST_POINT:
        first, rest = ScriptPart(tuple(words.tokenize_text(block.text, language))), []
        text = words.bind_figures(text, language)
    else:
        text = words.shorten(
            words.join_words(token.written for token in first.tokens), scene_split.LONGEST_POINT
        )
    parts.append(
        replace(first, point=text, label=block.label, level=block.level, is_first=block.is_first)
    )
    _continue_item(parts, rest, limit)


def _continue_item(parts: list[ScriptPart], more: list[ScriptPart], limit: int) -> None:
    """Let sentences be spoken with the list item before them, as long as a scene can hold them."""
    for part in more:
        last = parts[-1] if parts else None
        if (
            last is not None
            and last.point
            and not last.sight.kind
            and last.length + part.length <= limit
        ):
            parts[-1] = replace(last, tokens=last.tokens + part.tokens)
        else:
            parts.append(part)


def join_signs(sections: list[Section], language: str) -> list[Section]:
    """Return the sections without those that are a heading of signs alone, such as "🎉": the next
    heading begins with them, or the last word ends with them."""
    joined: list[Section] = []
    waiting = ""
    for section in sections:
        if (
            section.heading
            and not section.parts
            and not words.tokenize_text(section.heading, language)
        ):
            waiting = (
                f"{waiting} {section.heading}".strip()
                if section.heading.strip(_RULERS)
                else waiting
            )
            continue
        if waiting and section.heading:
            section.heading = f"{waiting} {section.heading}"
            section.spoken_heading = (
                words.tokenize_text(section.heading, language) if section.spoken_heading else []
            )
            waiting = ""
        joined.append(section)
    if waiting and joined:
        _add_sign(joined[-1], waiting)
    return joined


def _add_sign(section: Section, text: str) -> None:
    """Show a text that cannot be spoken, such as emoji alone, with the last word before it,
    or else in the heading.
    """
    sign = words.take_signs(text)
    at = next((at for at in reversed(range(len(section.parts))) if section.parts[at].tokens), None)
    if sign and at is None:
        section.heading = f"{section.heading} {sign}".strip()
        if section.spoken_heading:
            section.spoken_heading = _end_with(section.spoken_heading, sign)
    elif sign and at is not None:
        section.parts[at] = replace(
            section.parts[at], tokens=tuple(_end_with(section.parts[at].tokens, sign))
        )


def _end_with(tokens: Sequence[words.Token], sign: str) -> list[words.Token]:
    *earlier, last = tokens
    return [*earlier, replace(last, written=f"{last.written}{words.SPACE}{sign}")]
