"""A script as the pictures show it: its title illustrated, key phrases only where they are wanted."""

from dataclasses import replace

from svc.media.model import Scene, Script, VideoBrief
from svc.media.pictures import places


def shown(brief: VideoBrief, script: Script) -> Script:
    """Return ``script`` as the pictures show it."""
    return replace(script, scenes=tuple(_scene(brief, scene) for scene in script.scenes))


def _scene(brief: VideoBrief, scene: Scene) -> Scene:
    if scene.layout == "title" and not scene.illustration:
        return replace(scene, illustration=places.find(f"{scene.heading}\n{brief.topic}", brief.language))
    return replace(scene, key_phrase="") if brief.full_text else scene
