"""Writing the script by rules: the brief's own words, split into scenes.

Nothing is added that the brief does not say.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, islice, takewhile
from typing import Any

from svc.base.text import links
from svc.base.text.languages import find_language
from svc.media.errors import ScriptError
from svc.media.model import NO_VISUAL, Point, Scene, Script, VideoBrief, Visual
from svc.media.pictures import (
    agreement,
    clauses,
    list_icons,
    meaning,
    moment_pictures,
    places,
)
from svc.media.script import (
    agendas,
    descriptions,
    key_phrases,
    labels,
    law_titles,
    markdown,
    phrases,
    scene_split,
    sections,
    titles,
)
from svc.media.script.blocks import Block
from svc.media.script.scene_split import ScriptPart
from svc.media.script.sections import Section
from svc.media.text import tokens as words
from svc.media.text.grammar.negations import is_negation, is_of_the_past
from svc.media.text.tokens import Token
from svc.media.visual_kinds import TextRole

MOST_SCENES, MOST_OF_LONG_NOTES = 120, 300  # about twenty and forty minutes
SHORTEST_SCENE = 2.0  # seconds that every scene is shown
# How many characters of small print are read in a second, and how many seconds it is shown at most.
_READ_A_SECOND, _LONGEST_READING = 20, 10.0
_MOST_COMPANIONS = 4  # pictures of a scene besides the main one
_LONGEST_INTRODUCTION = 60  # characters of a sentence that is the heading of its list
_FIRST_SENTENCES = 3  # by which a title's picture is chosen, if the title alone says too little
# How many seconds each line of code is shown beyond the shortest scene, and how many code is shown
# at most.
_SECONDS_PER_LINE, _LONGEST_CODE = 0.6, 10.0


def write_script(brief: VideoBrief) -> Script:
    """Return the script of ``brief``: its title, the sections of its Markdown, and a sign-off.

    A topic without notes is a film of its title: nothing about it may be invented.
    """
    title = words.clean(brief.title) or words.clean(brief.topic)
    check_title(title, brief.read_in)
    content = _list_sections(brief, title)
    signs = (
        content.pop().heading
        if content and not (content[-1].parts or content[-1].spoken_heading)
        else ""
    )
    return assemble_script(brief, title, content, signs=signs)


def check_title(title: str, language: str) -> None:
    """Raise ScriptError if ``title`` cannot be spoken."""
    if find_language(language) is None:
        raise ScriptError(
            f"The narration does not speak the language {language!r}.", "LANGUAGE_NOT_SPOKEN"
        )
    if not words.tokenize_text(title, language):
        raise ScriptError(
            "The topic has no words that can be spoken and shown in this language.", "SCRIPT_EMPTY"
        )


def assemble_script(
    brief: VideoBrief, title: str, content: list[Section], author: str = "", signs: str = ""
) -> Script:
    """Return the opening, the scenes of ``content`` and the close. ``author``: the model that wrote
    them. ``signs``: such as emoji, which are shown with the title and not said.

    Raises ScriptError (SCRIPT_TOO_LONG).
    """
    link = links.find_last(brief.metadata_md)
    opening = [
        _build_card(brief, "title", shown, NO_VISUAL, shown)
        for shown in titles.split_title(title, brief.read_in)
    ]
    opening[0] = _add_title_pictures(opening[0], brief, title, content)
    opening[-1] = replace(opening[-1], heading=f"{opening[-1].heading} {signs}".strip())
    scenes, call = list(opening), _call(brief, content, link)
    for section in sections.merge_headings(content):
        scenes += _build_scenes(brief, section, title)
    is_alone = scenes == opening
    sign_off = phrases.find_sign_off(
        brief.account_name, brief.read_in
    ) or titles.choose_closing_words(title, link.address, is_alone)
    if said := [*call, *([sign_off] if sign_off else [])]:
        scenes.append(
            _build_card(brief, "close", title, Visual(text=link.call, note=link.address), *said)
        )
    scenes = agreement.agree_on_pictures(scenes, brief.title or brief.topic, brief.read_in)
    if is_alone:
        scenes = titles.hold_cards(scenes)
    most = MOST_OF_LONG_NOTES if brief.is_long else MOST_SCENES
    if len(scenes) > most:
        raise ScriptError(
            f"The brief needs {len(scenes)} scenes; at most {most} are allowed.", "SCRIPT_TOO_LONG"
        )
    return Script(
        title,
        brief.language,
        tuple(_add_icons(agendas.mark_agendas(brief, scenes), brief.read_in)),
        author,
        country=brief.country,
    )


def _add_icons(scenes: list[Scene], language: str) -> list[Scene]:
    """Return ``scenes`` with line icons beside the points of each plain list: one without numbers,
    tasks and levels, which may go on over several scenes."""
    marked: list[Scene] = []
    for (layout, _), group in groupby(scenes, key=lambda scene: (scene.layout, scene.heading)):
        parts = list(group)
        points = [point for scene in parts for point in scene.points]
        if layout == "points" and not any(point.label or point.level for point in points):
            icons = list_icons.choose_icons(
                [point.text for point in points], language, lambda word: is_negation(word, language)
            )
            points = [
                replace(point, icon=icon) for point, icon in zip(points, icons, strict=False)
            ] or points
        left = iter(points)
        marked += [
            replace(scene, points=tuple(next(left) for _ in scene.points)) for scene in parts
        ]
    return marked


def _call(brief: VideoBrief, content: list[Section], link: links.LastLink) -> list[str]:
    """Take the call to action out of the end of ``content``, so that it is spoken while the close
    shows it, and return it.

    It stays where it is if nothing else is said, or if the writer did not take it from the notes.
    """
    said, last = (
        tuple(words.tokenize_text(link.call, brief.read_in)),
        content[-1].parts if content else [],
    )
    if (
        not said
        or len(last) < 2
        or last[-1].point
        or last[-1].sight.kind
        or last[-1].tokens != said
    ):
        return []
    last.pop()
    return [link.call]


def _build_card(
    brief: VideoBrief, layout: str, heading: str, sight: Visual, *sentences: str
) -> Scene:
    """Return a scene that shows the title and ``sight`` while ``sentences`` are spoken."""
    parts = [
        ScriptPart(tuple(words.tokenize_text(sentence, brief.read_in))) for sentence in sentences
    ]
    return build_scene(brief, layout, heading, parts, sight)


def _list_sections(brief: VideoBrief, title: str) -> list[Section]:
    """Return the topic, unless the title contains it, and the sections of the Markdown; notes of
    signs alone are the heading of a last section without words."""
    # the topic; the text before the first heading
    content = [Section("", [], []), Section("", [], [])]
    limit = scene_split.find_longest_scene(brief.avatar)
    topic = words.clean(brief.topic)
    if topic.casefold() not in title.casefold():
        content[0].parts += scene_split.split_sentences(topic, brief.read_in, limit)
    blocks = markdown.parse_blocks(brief.metadata_md, brief.read_in)
    goes_on = any(block.kind != "image" for block in blocks[1:])
    is_said = goes_on and _is_title_again(blocks[0], title)
    for block in blocks[is_said:]:
        sections.add_block(content, block, title, brief)
    sections.place_small_print(content, brief.read_in, limit)
    if not any(section.parts or section.spoken_heading for section in content[1:]):
        shown = " ".join(section.heading for section in content[1:] if section.heading)
        signs = (
            shown[len(title) :].strip() if shown.casefold().startswith(title.casefold()) else shown
        )
        alone = [Section(words.take_signs(signs), [], [])] if signs else []
        return [*(section for section in content[:1] if section.parts), *alone]
    content = [
        section for section in content if section.heading or section.parts or section.spoken_heading
    ]
    joined = sections.join_signs(content, brief.read_in)
    return [section for section in joined if section.parts or section.spoken_heading]


def _is_title_again(block: Block, title: str) -> bool:
    """Return whether a paragraph is the title, which has just been said."""
    is_plain = block.kind in ("prose", labels.LABEL) and not block.introduces
    return is_plain and words.clean(block.text).casefold() == title.casefold()


def _build_scenes(brief: VideoBrief, section: Section, title: str) -> list[Scene]:
    """Return the scenes of a section, each with prose, a list or a visual,
    which a sentence may introduce.
    """
    scenes: list[Scene] = []
    spoken_heading, pages = section.spoken_heading, 0
    before: tuple[Token, ...] = ()
    introduction = ""  # of the scene before, if that is its heading
    groups = scene_split.group_into_scenes(
        section.parts, scene_split.find_longest_scene(brief.avatar)
    ) or [[]]
    for group, following in zip(groups, [*groups[1:], []], strict=True):
        lead = [ScriptPart(tuple(spoken_heading))] if spoken_heading else []
        sight = next((part.sight for part in group if part.sight.kind), NO_VISUAL)
        layout = sight.kind or ("points" if any(part.point for part in group) else "prose")
        if group and not any(part.tokens for part in [*lead, *group]):
            pages += 1
            silent = (
                phrases.choose_code_sentence(pages, brief.read_in)
                if sight.traits.text is TextRole.READ
                else section.heading or title
            )
            lead = [ScriptPart(tuple(words.tokenize_text(silent, brief.read_in)))]
        heading = _choose_heading(section, group, introduction, bool(spoken_heading), brief.read_in)
        introduction = heading if heading != section.heading else ""
        # a heading whose list has been seen is not that of all that comes after it
        goes_on = layout in ("prose", "verse") and bool(scenes) and _is_list(scenes[0])
        if scenes and (goes_on or not sight.traits.has_heading) and not introduction:
            heading = ""  # not that of the section that happens to be last
        scenes.append(
            build_scene(
                brief,
                layout,
                heading,
                [*lead, *group],
                sight,
                group,
                section.picture,
                (before, following[0].tokens if following else ()),
            )
        )
        before = group[-1].tokens if group else ()
        spoken_heading = []  # spoken once, shown on every scene of the section
    return (
        [_add_small_print(scene, section.small_print, len(scenes)) for scene in scenes]
        if section.small_print
        else scenes
    )


def _is_list(scene: Scene) -> bool:
    """Return whether a scene has points or the rows of a table, which may be those of a chart, and
    no prose of its section."""
    return scene.layout == "points" or bool(scene.sight.rows)


def _choose_heading(
    section: Section,
    group: Sequence[ScriptPart],
    introduction: str,
    is_first: bool,
    language: str,
) -> str:
    """Return the heading of a scene: what introduces its list, if that is a label, if it denies
    what the section's says ("What is covered?" – "Not covered are:"), or if the section has none,
    also where the list goes on after the scene with this ``introduction``; else
    the section's, which is shown with a label if it is said with it."""
    own = _find_introduction(group)
    if own and any(part.introduces for part in group):
        both = f"{section.heading} · {own}" if section.heading and is_first else own
        return both if words.measure_display_length(both) <= sections.LONGEST_TITLE else own
    if any(is_negation(word.strip(":："), language) for word in own.casefold().split()):
        return own
    goes_on = (
        bool(group) and bool(group[0].point) and not (group[0].sight.kind or group[0].is_first)
    )
    return (introduction if goes_on else "") or section.heading or own


def _find_introduction(group: Sequence[ScriptPart]) -> str:
    """Return the sentence with a colon, or the few words, that lead into the list of a scene, as
    its heading; empty if there is none, or if it is too long for one."""
    leads = list(takewhile(lambda part: not (part.point or part.sight.kind), group))
    if not leads or len(leads) == len(group) or not scene_split.leads_in(leads[-1]):
        return ""
    text = words.join_words(token.written for token in leads[-1].tokens).rstrip(":：")
    return text if words.measure_display_length(text) <= _LONGEST_INTRODUCTION else ""


def _add_small_print(scene: Scene, text: str, scenes: int) -> Scene:
    """Return a scene with small print, which its description says as well,
    shown long enough in as many ``scenes``.
    """
    shortest = max(scene.shortest, min(_LONGEST_READING, len(text) / _READ_A_SECOND) / scenes)
    description = words.join_sentences(filter(None, (scene.description, text)))
    return replace(scene, small_print=text, shortest=shortest, description=description)


def build_scene(
    brief: VideoBrief,
    layout: str,
    heading: str,
    parts: list[ScriptPart],
    sight: Visual,
    content: list[ScriptPart] | None = None,
    picture: str = "",
    around: tuple[Sequence[Token], Sequence[Token]] = ((), ()),
) -> Scene:
    """Return a scene. ``content``: those of ``parts`` that do not only speak the heading.
    ``picture``: what its illustration should show; empty: by its words. ``around``: the last words
    of its section before it, and the first after it."""
    tokens = words.join_texts([token for part in parts for token in part.tokens], brief.read_in)
    points = _list_points(parts)
    prose = layout == "prose" and not brief.full_text
    prose_tokens = [part.tokens for part in content or ()]
    phrase = key_phrases.choose_key_phrase(prose_tokens, heading, brief, *around) if prose else ""
    shown = phrase or heading if prose else ""
    role = brief.avatar.role if brief.brand.lower_third else ""
    is_sombre = prose and meaning.is_sombre(
        _list_sentences(prose_tokens), heading, brief.title or brief.topic, brief.read_in
    )
    written = tuple(token.written for token in tokens)
    return Scene(
        layout=layout,
        heading=heading,
        points=points,
        words=written,
        spoken=tuple(token.spoken for token in tokens),
        description=descriptions.describe_scene(
            layout, heading, points, brief.avatar, brief.read_in, sight, role
        ),
        sentence_ends=tuple(index for index, token in enumerate(tokens) if token.ends),
        sight=sight,
        stressed=tuple(index for index, token in enumerate(tokens) if token.stressed),
        key_phrase=shown,
        denials=tuple(
            index
            for index, token in enumerate(tokens)
            if is_negation(key_phrases.strip_token(token), brief.read_in)
        ),
        shortest=_find_least_seconds(sight),
        is_sombre=is_sombre,
        **_choose_pictures(
            picture,
            shown,
            prose_tokens,
            written,
            law_titles.strip_item(heading, brief.read_in),
            brief,
        ),
    )


def _choose_pictures(
    picture: str,
    phrase: str,
    parts: Sequence[Sequence[Token]],
    written: tuple[str, ...],
    heading: str,
    brief: VideoBrief,
) -> dict[str, Any]:
    """Return the attributes of a scene that say which pictures it shows, from which of its
    ``written`` words on, and which of them not beside its key ``phrase``. ``parts``: its words
    without a spoken heading."""
    topic, sentences = brief.title or brief.topic, _list_sentences(parts)
    main = _choose_illustration(picture, phrase, parts, heading, brief)
    if phrase and not (main or picture):
        return _show_moments(parts, written, phrase, brief.read_in)
    companions = _choose_companions(main, sentences, heading, topic, brief.read_in)
    shown: dict[str, Any] = {"illustration": main, "companions": companions}
    if not phrase or not main or picture:
        return shown
    names, context = (main, *companions), f"{heading}. {topic}"
    return shown | {
        "pictured": clauses.find_first_words(names, written, brief.read_in),
        "apart": clauses.find_apart(names, sentences, phrase, context, brief.read_in),
    }


def _show_moments(
    parts: Sequence[Sequence[Token]], written: tuple[str, ...], phrase: str, language: str
) -> dict[str, Any]:
    """Return the attributes of a scene that no other picture stands for: leaves of a calendar and
    clocks with the moments that its sentences name. A sentence that denies something, or says
    what was once so, shows none. Those of another part of its sentence than the key ``phrase``,
    before or after a semicolon, are not shown beside that.
    """
    pictured: dict[str, int] = {}
    apart: list[str] = []
    sentences = _split_sentences(parts)
    first = len(written) - sum(map(len, sentences))  # after a heading that is said
    for sentence in sentences:
        is_denied = any(is_negation(key_phrases.strip_token(token), language) for token in sentence)
        words_of_it = [token.written for token in sentence]
        bare = [key_phrases.strip_token(token) for token in sentence]
        is_denied = is_denied or is_of_the_past(bare, language)
        names = () if is_denied else moment_pictures.list_moments(words_of_it, language)
        pictured |= {name: max(0, first) for name in names if name not in pictured}
        clauses_of_it = words.join_words(words_of_it).split(";")
        is_parted = len(clauses_of_it) > 1 and any(phrase in each for each in clauses_of_it)
        own = next((each for each in clauses_of_it if phrase in each), "")
        if is_parted:
            beside = moment_pictures.list_moments(own.split(" "), language)
            apart += [name for name in names if name not in beside]
        first += len(sentence)
    main, *others = pictured or [""]
    return {
        "illustration": main,
        "companions": tuple(others[:_MOST_COMPANIONS]),
        "pictured": tuple(pictured.values())[: _MOST_COMPANIONS + 1],
        "apart": tuple(apart),
    }


def _list_points(parts: list[ScriptPart]) -> tuple[Point, ...]:
    """Return the points among ``parts``, each with its first and last word of the scene."""
    points, first = [], 0
    for part in parts:
        last = first + len(part.tokens) - 1
        if part.point:
            points.append(Point(part.point, first, last, part.label, part.level, part.icon))
        first = last + 1
    return tuple(points)


def _choose_illustration(
    picture: str, phrase: str, parts: Sequence[Sequence[Token]], heading: str, brief: VideoBrief
) -> str:
    """Return the name of the picture of what ``picture`` names, or else of a scene with a key
    phrase: the country that is the phrase's news, what stands for all that is said, or the country
    that the phrase or its sentence names.

    ``parts``: the words of the scene. Empty if there is none. A country in a negated sentence is
    not shown.
    """
    if picture or not phrase:
        return meaning.find_named(picture, brief.read_in) if picture else ""
    if agendas.is_miscellany(heading, brief.read_in):
        return ""  # a picture of one of many things would stand for all of them
    sentence = key_phrases.find_sentence(phrase, parts)
    is_negated = any(
        is_negation(key_phrases.strip_token(token), brief.read_in) for token in sentence
    )
    news = "" if is_negated else places.find_country_at_end(phrase, brief.read_in)
    if news:
        return news
    chosen = meaning.choose_picture(
        _list_sentences(parts), heading, brief.title or brief.topic, brief.read_in
    )
    if chosen or is_negated:
        return chosen
    written = words.join_words(token.written for token in sentence)
    return places.find_country_picture(phrase, brief.read_in) or places.find_country_picture(
        written, brief.read_in
    )


def _list_sentences(parts: Sequence[Sequence[Token]]) -> list[str]:
    """Return the sentences of a scene as they are written."""
    return [
        words.join_words(token.written for token in sentence)
        for sentence in _split_sentences(parts)
    ]


def _split_sentences(parts: Sequence[Sequence[Token]]) -> list[list[Token]]:
    sentences: list[list[Token]] = [[]]
    for token in (token for part in parts for token in part):
        sentences[-1].append(token)
        if token.ends:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def _add_title_pictures(
    card: Scene, brief: VideoBrief, title: str, content: list[Section]
) -> Scene:
    """Return the title's card with its pictures: the country that it ends with, what it means, a
    country within it, or what it means with the first sentences."""
    topic = "" if brief.topic == title else brief.topic
    parts = (
        part for section in content for part in section.parts if part.tokens and not part.sight.kind
    )
    said = [
        title,
        *(
            words.join_words(token.written for token in part.tokens)
            for part in islice(parts, _FIRST_SENTENCES)
        ),
    ]
    main = (
        places.find_country_at_end(title, brief.read_in)
        or meaning.choose_picture([title], "", topic, brief.read_in)
        or places.find_country_picture(f"{title}\n{brief.topic}", brief.read_in)
        or meaning.choose_picture(said, "", topic or title, brief.read_in)
    )
    return replace(
        card,
        illustration=main,
        companions=_choose_companions(main, said, "", topic or title, brief.read_in),
        is_sombre=meaning.is_sombre([title], "", topic, brief.read_in),
    )


def _choose_companions(
    main: str, sentences: list[str], heading: str, topic: str, language: str
) -> tuple[str, ...]:
    """Return the names of further pictures for a scene whose picture is ``main``;
    none beside a country, which is alone.
    """
    related = (
        meaning.choose_several(sentences, heading, topic, language, _MOST_COMPANIONS + 1)
        if main
        else []
    )
    return (
        tuple(name for name in related if name != main)[:_MOST_COMPANIONS]
        if main in related
        else ()
    )


def _find_least_seconds(sight: Visual) -> float:
    """Return how many seconds a scene is shown at least: code has to be read,
    whatever is said meanwhile.
    """
    lines = sight.text.count("\n") + 1 if sight.traits.text is TextRole.READ else 0
    return min(_LONGEST_CODE, SHORTEST_SCENE + _SECONDS_PER_LINE * lines)
