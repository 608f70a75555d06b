"""The script as people review it, and the script again with what they changed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from svc.media.artwork import moments
from svc.media.clips import in_scenes
from svc.media.model import (
    CARDS,
    NO_VISUAL,
    Point,
    Scene,
    SceneEdit,
    Script,
    VideoBrief,
    load,
    save,
)
from svc.media.pictures import meaning
from svc.media.script import agendas, from_brief, scene_split
from svc.media.script.scene_split import ScriptPart
from svc.media.text import scene_prose, tokens
from svc.media.text.pronunciation import lexicon
from svc.media.text.tokens import Token

AS_WRITTEN = "script-as-written.json"  # the script before it was revised


def outline_script(script: Script) -> list[dict[str, Any]]:
    """Return the scenes between title and close as people review them, in plain data.

    Their ids count from 1.
    """
    return [_outline_scene(scene, number) for number, scene in enumerate(_list_content(script), 1)]


def apply_edits(brief: VideoBrief, folder: Path) -> None:
    """Replace ``script.json`` with the script as ``brief.edits`` has it, if there are any.

    It may be repeated.
    """
    if not brief.edits:
        return
    as_written = folder / AS_WRITTEN
    if not as_written.exists():
        save(load(Script, folder / "script.json"), as_written)
    save(
        in_scenes.lengthen_scenes(revise_script(brief, load(Script, as_written)), folder),
        folder / "script.json",
    )


def revise_script(brief: VideoBrief, script: Script) -> Script:
    """Return ``script`` with the scenes of ``brief.edits``, in their order, between its title and
    its close.

    A scene that was not changed stays as it is, with its timing and its picture. One without a word
    that can be spoken in this language is left out.
    """
    written = dict(enumerate(_list_content(script), 1))
    scenes: list[Scene] = []
    for edit in brief.edits:
        before = scenes[-1] if scenes and scenes[-1].heading == tokens.clean(edit.heading) else None
        scene = _build_scene(brief, edit, written.get(edit.scene), before)
        if scene is not None:
            scenes.append(scene)
    opening, closing = (
        tuple(scene for scene in script.scenes if scene.layout == card) for card in CARDS
    )
    every = (*opening, *scenes, *closing)
    before_edits = set(map(id, script.scenes))
    kept = {at for at, scene in enumerate(every) if id(scene) in before_edits}
    every = tuple(agendas.mark_agendas(brief, every, kept))
    revised = replace(script, scenes=every, is_edited=True, country=brief.country)
    return lexicon.apply_lexicon(revised, brief.lexicon)


def _list_content(script: Script) -> list[Scene]:
    return [scene for scene in script.scenes if scene.layout not in CARDS]


def _outline_scene(scene: Scene, number: int) -> dict[str, Any]:
    sight = asdict(scene.sight)
    return {
        "scene": number,
        "heading": scene.heading,
        "narration": scene_prose.find_prose_words(scene),
        "points": [point.text for point in scene.points],
        "key_phrase": scene.key_phrase,
        "picture": scene.illustration,
        "visual": {
            "kind": sight["kind"],
            "text": sight["text"],
            "columns": sight["columns"],
            "rows": sight["rows"],
        },
    }


def _build_scene(
    brief: VideoBrief, edit: SceneEdit, written: Scene | None, before: Scene | None
) -> Scene | None:
    """Return a scene as it was edited; None: nothing of it can be spoken.

    ``written``: as it was; None: it is new. ``before``: the scene in front of it in its section;
    None: it is the first.
    """
    if written is not None and _is_unchanged(edit, written):
        return written
    spoken = scene_split.split_sentences(
        edit.narration, brief.read_in, scene_split.find_longest_scene(brief.avatar)
    )
    parts: list[ScriptPart] = [*spoken, *_make_points(brief, edit, written)]
    # a new scene says its heading, too
    if written is None or scene_prose.count_heading_words(written):
        parts = [ScriptPart(tuple(tokens.tokenize_text(edit.heading, brief.read_in))), *parts]
    if not any(part.tokens for part in parts):
        return None
    sight = written.sight if written else NO_VISUAL
    layout = sight.kind or ("points" if edit.points else "prose")
    scene = from_brief.build_scene(
        brief,
        layout,
        tokens.clean(edit.heading),
        parts,
        sight,
        spoken or parts,
        "" if moments.is_moment(edit.picture) else edit.picture,
        (_list_last_words(before), ()),
    )
    icons = {point.text: point.icon for point in (written.points if written else ())}
    points = tuple(replace(point, icon=icons.get(point.text, "")) for point in scene.points)
    return replace(scene, points=points, **_choose_visuals(brief, edit, written))


def _list_last_words(scene: Scene | None) -> tuple[Token, ...]:
    """Return the words of a scene as the choice of a key phrase reads what stands before it."""
    if scene is None:
        return ()
    return tuple(
        Token(written, spoken, ends=at in scene.sentence_ends)
        for at, (written, spoken) in enumerate(zip(scene.words, scene.spoken, strict=True))
    )


def _is_unchanged(edit: SceneEdit, written: Scene) -> bool:
    shown = _outline_scene(written, edit.scene)
    same = (edit.heading, edit.narration, list(edit.points)) == (
        shown["heading"],
        shown["narration"],
        shown["points"],
    )
    return (
        same
        and edit.key_phrase in (None, written.key_phrase)
        and edit.picture == written.illustration
    )


def _make_points(brief: VideoBrief, edit: SceneEdit, written: Scene | None) -> Iterator[ScriptPart]:
    """Yield the list items. One that stays as it was is spoken as before."""
    before: Sequence[Point] = written.points if written else ()
    for number, text in enumerate(edit.points):
        old = before[number] if number < len(before) else None
        label, level = (old.label, old.level) if old else ("", 0)
        sight = written.sight if written else NO_VISUAL
        if written is not None and old is not None and old.text == text:
            said = _find_spoken(written, old)
        else:
            said = tuple(tokens.tokenize_text(text, brief.read_in))
        if said:
            yield ScriptPart(said, tokens.clean(text), sight, label, level)


def _find_spoken(scene: Scene, point: Point) -> tuple[Token, ...]:
    """Return the words that speak a list item."""
    return tuple(
        Token(
            scene.words[index],
            scene.spoken[index],
            index in scene.sentence_ends,
            index in scene.stressed,
        )
        for index in range(point.first_word, point.last_word + 1)
    )


def _choose_visuals(brief: VideoBrief, edit: SceneEdit, written: Scene | None) -> dict[str, Any]:
    """Return key phrase and pictures, where the editor named them or left them as they were.
    Another picture, or none, is the scene's only one."""
    chosen: dict[str, Any] = {}
    if edit.key_phrase is not None:
        chosen["key_phrase"] = tokens.clean(edit.key_phrase)
    if moments.is_moment(edit.picture):
        return chosen  # another day that is said has another leaf
    if written is not None and edit.picture in ("", written.illustration):
        chosen["illustration"] = edit.picture
    elif edit.picture:
        chosen["illustration"] = meaning.find_named(edit.picture, brief.read_in)
    if written is not None and edit.picture != written.illustration:
        chosen["companions"] = ()
    if "illustration" in chosen and (
        written is None or chosen["illustration"] != written.illustration
    ):
        chosen["pictured"] = ()
    if "pictured" in chosen or edit.key_phrase is not None:
        chosen["apart"] = ()
    return chosen
