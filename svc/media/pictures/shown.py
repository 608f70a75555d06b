"""A script as the pictures show it: key phrases only where they are wanted,
letters that a font has.
"""

from dataclasses import replace

from svc.media.model import Scene, Script, VideoBrief
from svc.media.text.tokens import make_drawable


def script_as_shown(brief: VideoBrief, script: Script) -> Script:
    """Return ``script`` as the pictures show it."""
    scenes = [_make_scene_drawable(_hide_key_phrase(brief, scene)) for scene in script.scenes]
    # If the close has room for a picture, it is that of the title.
    if len(scenes) > 1 and scenes[-1].layout == "close":
        scenes[-1] = replace(
            scenes[-1], illustration=scenes[0].illustration, companions=scenes[0].companions
        )
    return replace(script, scenes=tuple(scenes))


def _hide_key_phrase(brief: VideoBrief, scene: Scene) -> Scene:
    return replace(scene, key_phrase="") if brief.full_text else scene


def _make_scene_drawable(scene: Scene) -> Scene:
    """Return ``scene`` with the texts that are set as they can be drawn;
    its words are drawn by what shows them.
    """
    sight = scene.sight
    shown = replace(
        sight,
        text=sight.text
        if sight.traits.is_latex
        else "\n".join(make_drawable(line) for line in sight.text.split("\n")),
        note=make_drawable(sight.note),
        alt=make_drawable(sight.alt),
        columns=tuple(map(make_drawable, sight.columns)),
        rows=tuple(tuple(map(make_drawable, row)) for row in sight.rows),
    )
    points = tuple(replace(point, text=make_drawable(point.text)) for point in scene.points)
    return replace(
        scene,
        heading=make_drawable(scene.heading),
        key_phrase=make_drawable(scene.key_phrase),
        points=points,
        sight=shown,
    )
