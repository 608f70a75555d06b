"""Reads the script that a step's process wrote, for its review.

The process is not trusted: everything is checked.
"""

import json
from pathlib import Path
from typing import Any

from svc.domain.lifecycle.script_review import WrittenScript
from svc.media import records

OUTLINE, SCRIPT = "scenes.json", "script.json"
_LARGEST = 4 << 20  # bytes
_TEXTS = ("heading", "narration", "key_phrase", "picture")


def read_script(folder: Path) -> WrittenScript:
    """Return the script in a production's folder.

    OSError, ValueError: it is not as the script's step writes it.
    """
    scenes = json.loads(records.read_text(folder / OUTLINE, _LARGEST))
    if not isinstance(scenes, list) or not all(map(_is_scene, scenes)):
        raise ValueError(f"{OUTLINE} is not a list of scenes")
    if [scene["scene"] for scene in scenes] != list(range(1, len(scenes) + 1)):
        raise ValueError(f"{OUTLINE} does not count its scenes")
    return WrittenScript(scenes, records.read_text(folder / SCRIPT, _LARGEST))


def _is_scene(scene: Any) -> bool:
    names = {"scene", *_TEXTS, "points", "visual"}
    if not isinstance(scene, dict) or scene.keys() != names or type(scene["scene"]) is not int:
        return False
    return (
        all(isinstance(scene[name], str) for name in _TEXTS)
        and _are_texts(scene["points"])
        and _is_visual(scene["visual"])
    )


def _is_visual(visual: Any) -> bool:
    if not isinstance(visual, dict) or visual.keys() != {"kind", "text", "columns", "rows"}:
        return False
    rows = visual["rows"]
    texts = (
        isinstance(visual["kind"], str)
        and isinstance(visual["text"], str)
        and _are_texts(visual["columns"])
    )
    return texts and isinstance(rows, list) and all(map(_are_texts, rows))


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
