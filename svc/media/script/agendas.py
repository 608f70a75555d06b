"""Agendas: lists that announce a programme, by the words of their heading, by times, or by the
headings of what follows.

A list that may be something else as well stays a list: "Programm" announces an event only where
each point has its time.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby

from svc.media.languages import Agendas, read_words
from svc.media.model import CARDS, Scene, VideoBrief
from svc.media.script import descriptions, law_titles
from svc.media.text import moments

LAYOUT = "agenda"
_FEWEST = 2  # points
_APART = ("points", *CARDS)  # layouts that are no part of a section's other scenes, as tables are
_NUMBER = re.compile(r"\d+")
_MARKS = " .,:;!?…،؛۔।¿¡\u00a0"  # around a heading or a point


def mark_agendas(
    brief: VideoBrief, scenes: Sequence[Scene], kept: Collection[int] = ()
) -> list[Scene]:
    """Return ``scenes`` with the layout of an agenda where a list is one, and with the numbers of
    what it announces.

    It may be repeated after ``scenes`` were changed. ``kept``: the places of those that were not: a
    list of which no scene was changed stays one, also if an older release wrote it, and an agenda
    that announces no headings stays an agenda.
    """
    plain = enumerate(_make_plain_scene(brief, scene) for scene in scenes)
    numbered = [
        list(group)
        for _, group in groupby(plain, key=lambda each: (_find_kind(each[1]), each[1].heading))
    ]
    groups = [[scene for _, scene in group] for group in numbered]
    stays = [all(place in kept for place, _ in group) for group in numbered]
    was_agenda = [scenes[group[0][0]].layout == LAYOUT for group in numbered]
    announces = any(scene.number and scene.layout != LAYOUT for scene in scenes)
    headings = ["" if group[0].layout in CARDS else group[0].heading for group in groups]
    numbers = [0] * len(groups)
    for at, group in enumerate(groups):
        if stays[at] and not was_agenda[at]:
            is_agenda, sections = False, list[int]()
        else:
            points = _list_points(group) if _is_list(group) else []
            sections = _find_announced(points, headings, at + 1, brief.read_in)
            is_kept = stays[at] and not announces
            is_agenda = bool(sections) or is_kept or _is_agenda(group, brief.read_in)
        if is_agenda:
            groups[at] = _make_agenda(brief, group)
            for number, section in enumerate(sections, 1):
                numbers[section] = number
        elif at and not numbers[at] and headings[at] == headings[at - 1]:
            numbers[at] = numbers[at - 1]
    return [
        scene if scene.layout == LAYOUT else replace(scene, number=number)
        for number, group in zip(numbers, groups, strict=True)
        for scene in group
    ]


def _make_plain_scene(brief: VideoBrief, scene: Scene) -> Scene:
    """Return a scene as it is without being an agenda."""
    return (
        scene
        if scene.layout != LAYOUT
        else _lay_out_scene(brief, scene, scene.sight.kind or "points", 0)
    )


def _lay_out_scene(brief: VideoBrief, scene: Scene, layout: str, number: int) -> Scene:
    role = brief.avatar.role if brief.brand.lower_third else ""
    description = descriptions.describe_scene(
        layout, scene.heading, scene.points, brief.avatar, brief.read_in, scene.sight, role
    )
    return replace(scene, layout=layout, number=number, description=description)


def _find_kind(scene: Scene) -> str:
    is_apart = scene.layout in _APART or scene.sight.traits.is_table
    return scene.layout if is_apart else "section"


def _list_points(group: Sequence[Scene]) -> list[str]:
    return [point.text for scene in group for point in scene.points]


def _is_list(group: Sequence[Scene]) -> bool:
    """Return whether scenes are one list without levels and tasks."""
    points = [point for scene in group for point in scene.points]
    numbered = all(not point.level and point.label.strip(".)").isalnum() for point in points)
    plain = not any(point.level or point.label for point in points)
    return group[0].layout == "points" and len(points) >= _FEWEST and (numbered or plain)


def _is_agenda(group: Sequence[Scene], language: str) -> bool:
    """Return whether a list, or a table of times, is an agenda by its heading.

    Dates in order are a timeline.
    """
    certainty = is_surely_agenda(group[0].heading, language)
    if certainty is None:
        return False
    if group[0].sight.traits.is_table:
        return all(moments.find_timed_rows(scene.sight.rows) for scene in group)
    if not _is_list(group):
        return False
    texts = _list_points(group)
    if moments.find_timed_points(texts):
        return True
    return certainty and not moments.find_entries(texts, language)


def is_surely_agenda(heading: str, language: str) -> bool | None:
    """Return whether a list under ``heading`` is surely an agenda.

    False: it is one only if its points have times. None: it is none.
    """
    name, known = normalise_text(heading), read_words(language, Agendas)
    if name in known.sure:
        return True
    return False if name in known.perhaps else None


def is_miscellany(heading: str, language: str) -> bool:
    """Return whether ``heading`` is that of an agenda's last item, under which anything may be
    said: ``TOP 4: Verschiedenes``."""
    name = normalise_text(law_titles.strip_item(heading, language))
    return name in read_words(language, Agendas).miscellany


def normalise_text(text: str) -> str:
    """Return what is compared of a heading or a point."""
    return text.replace("'", "’").strip(_MARKS).casefold()


def _find_announced(
    points: list[str], headings: Sequence[str], first: int, language: str
) -> list[int]:
    """Return the places of the headings that are the points, in their order, perhaps with their
    numbers (``TOP 2: Kasse``); empty if one is missing.
    """
    named = [normalise_text(law_titles.strip_item(heading, language)) for heading in headings]
    places: list[int] = []
    for point in map(normalise_text, points):
        place = next(
            (
                at
                for at in range(first, len(headings))
                if point and point in (normalise_text(headings[at]), named[at])
            ),
            None,
        )
        if place is None:
            return []
        places.append(place)
        first = place + 1
    return places


def _make_agenda(brief: VideoBrief, group: Sequence[Scene]) -> list[Scene]:
    """Return the scenes of a list as an agenda, which is numbered throughout. Its points are shown
    without the same numbers of their own: ``TOP 2: Kasse``."""
    texts = [point.text for scene in group for point in scene.points]
    named = [law_titles.strip_item(text, brief.read_in) for text in texts]
    are_numbered = all(
        _NUMBER.findall(text.removesuffix(name)) == [str(number)]
        for number, (text, name) in enumerate(zip(texts, named, strict=True), 1)
    )
    shown = iter(named if are_numbered else texts)
    result, number = [], 1
    for scene in group:
        points = tuple(replace(point, text=next(shown), icon="") for point in scene.points)
        result.append(_lay_out_scene(brief, replace(scene, points=points), LAYOUT, number))
        number += len(points)
    return result
