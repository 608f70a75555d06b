"""A model's draft of a scene: its schema, its form, and the blocks of text that it stands for."""

import re
from collections.abc import Iterator

from svc.media.script.blocks import Block
from svc.media.text.tokens import STRESS, UNSTRESS

VISUALS = ("none", "quote", "number", "table", "code", "image")
_TEXTS = ("heading", "narration", "keyPhrase", "picture")
_TEXT = {"type": "string"}
_LIST = {"type": "array", "items": _TEXT}
_MOST_ROWS, _MOST_COLUMNS, _LONGEST_TEXT = 20, 8, 2000
SCENE_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["heading", "narration", "keyPhrase", "picture", "points", "visual"],
    "properties": {
        "heading": {"type": "string", "description": "Shown and said first; may be empty."},
        "narration": {
            "type": "string",
            "description": "Plain sentences to be spoken; 15 to 35 words.",
        },
        "keyPhrase": {
            "type": "string",
            "description": (
                "2 to 7 words of the narration, as they stand there, shown large; or empty."
            ),
        },
        "picture": {
            "type": "string",
            "description": "What an illustration should show, in one or two words; or empty.",
        },
        "points": {
            **_LIST,
            "description": "Up to 5 short items, shown and said after the narration; may be none.",
        },
        "visual": {
            "type": "object",
            "additionalProperties": False,
            "required": ["kind", "text", "note", "columns", "rows"],
            "properties": {
                "kind": {
                    "type": "string",
                    "enum": list(VISUALS),
                    "description": "A table of figures becomes a chart.",
                },
                "text": {
                    "type": "string",
                    "description": (
                        "The quotation, figure, lines of code, or name of the picture; or empty."
                    ),
                },
                "note": {
                    "type": "string",
                    "description": (
                        "Who is quoted, what the figure means, the language, what is seen."
                    ),
                },
                "columns": {**_LIST, "description": "The headings of the table; or none."},
                "rows": {
                    "type": "array",
                    "items": _LIST,
                    "description": "The rows of the table; or none.",
                },
            },
        },
    },
}


def find_malformed(scene: object, number: int) -> str:
    """Return what is wrong with the form of a scene of the draft; empty if nothing is.

    Keys may be missing.
    """
    if not isinstance(scene, dict) or not all(
        isinstance(scene.get(name, ""), str) for name in _TEXTS
    ):
        return f"Scene {number} is not an object with heading and narration as text."
    if not _are_texts(scene.get("points", [])):
        return f"The points of scene {number} are not a list of texts."
    visual = scene.get("visual", {})
    if not isinstance(visual, dict) or visual.get("kind", "none") not in VISUALS:
        return f"The visual of scene {number} is not an object of a known kind."
    body = visual.get("rows", [])
    rows = [visual.get("columns", []), *(body if isinstance(body, list) else [body])]
    if not all(map(_are_texts, rows)) or any(len(row) != len(rows[0]) for row in rows[1:]):
        return f"The rows of scene {number} are not lists of as many texts as it has columns."
    if len(rows) > _MOST_ROWS or len(rows[0]) > _MOST_COLUMNS:
        return (
            f"The table of scene {number} has more than {_MOST_ROWS} rows or {_MOST_COLUMNS} "
            "columns."
        )
    texts = (visual.get("text", ""), visual.get("note", ""))
    if not all(isinstance(text, str) and len(text) <= _LONGEST_TEXT for text in texts):
        return (
            f"Text and note of the visual of scene {number} are not texts of at most "
            f"{_LONGEST_TEXT} characters."
        )
    return ""


def list_texts(scene: dict) -> list[str]:
    """Return all that a scene says and shows."""
    visual = scene.get("visual", {})
    shown = [] if visual.get("kind") in ("image", "none") else [visual.get("text", "")]
    cells = [cell for row in (visual.get("columns", []), *visual.get("rows", [])) for cell in row]
    return [
        scene.get("heading", ""),
        scene.get("narration", ""),
        *scene.get("points", []),
        *shown,
        visual.get("note", ""),
        *cells,
    ]


def list_blocks(scene: dict) -> Iterator[Block]:
    """Yield the blocks of a scene in their order. The key phrase is emphasised in the narration."""
    narration, phrase = scene.get("narration", ""), scene.get("keyPhrase", "").strip()
    if phrase:
        narration = re.sub(
            re.escape(phrase),
            lambda words: f"{STRESS}{words[0]}{UNSTRESS}",
            narration,
            count=1,
            flags=re.I,
        )
    yield Block("heading", scene.get("heading", ""))
    yield Block("prose", narration)
    visual = _build_block(scene.get("visual", {}))
    if visual is not None:
        yield visual
    for point in scene.get("points", []):
        yield Block("point", point)


def _build_block(visual: dict) -> Block | None:
    kind, text, note = visual.get("kind", "none"), visual.get("text", ""), visual.get("note", "")
    if kind == "table" and visual.get("columns"):
        return Block(
            "table", "", rows=(tuple(visual["columns"]), *map(tuple, visual.get("rows", [])))
        )
    if not text.strip():
        return None
    if kind == "quote":
        return Block("quote", " ".join(text.split()) + (f"\n— {note}" if note.strip() else ""))
    if kind == "number":
        return Block("figure", f"{text} {note}", text)
    return {"code": Block("code", text, note), "image": Block("image", note, text)}.get(kind)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
