"""What each layout of a scene shows in the content box, and at which word it changes."""

from pathlib import Path

from svc.media import charts, lists, prose, spotlights, statements, tables
from svc.media.canvas import Canvas
from svc.media.programme import Scene

NOTHING_YET = -1  # the stage of a scene of which no point or sentence has been spoken
_STILL = frozenset(("title", "close", "quote", "number", "image"))
_ROWS = {"table": tables.table, "comparison": tables.comparison, "bars": charts.bars, "line": charts.line}
_ONE_THING = {"quote": spotlights.quote, "number": spotlights.number}


def stages(scene: Scene) -> tuple[int, ...]:
    """The word at which each stage of ``scene`` begins: a point of a list, a row of a table, a sentence of prose."""
    if scene.points or scene.layout in _STILL:
        return tuple(point.first_word for point in scene.points)
    return prose.sentence_starts(scene)


def draw(canvas: Canvas, scene: Scene, stage: int, folder: Path | None = None) -> None:
    """Draw ``scene`` into the content box as it is at ``stage`` (an index into :func:`stages`, or ``NOTHING_YET``).

    ``folder``: where the files of images are."""
    kind = scene.sight.kind
    if kind in _ROWS:
        _ROWS[kind](canvas, scene, stage)
    elif kind in _ONE_THING:
        _ONE_THING[kind](canvas, scene)
    elif kind == "image":
        spotlights.image(canvas, scene, folder)
    elif scene.points:
        lists.draw(canvas, scene, stage)
    elif scene.layout in ("title", "close"):
        statements.draw(canvas, scene)
    else:
        top = statements.heading(canvas, scene, 0.4)
        left, _, right, bottom = canvas.plan.content
        prose.draw(canvas, scene, stage, (left, top, right, bottom))
