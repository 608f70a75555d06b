"""What each layout of a scene shows in the content box, and at which word it changes."""

from svc.media import lists, prose, statements
from svc.media.canvas import Canvas
from svc.media.programme import Scene

NOTHING_YET = -1  # the stage of a scene of which no point or sentence has been spoken


def stages(scene: Scene) -> tuple[int, ...]:
    """The word at which each stage of ``scene`` begins: a point of a list, a sentence of prose."""
    if scene.points or scene.layout in ("title", "close"):
        return tuple(point.first_word for point in scene.points)
    return prose.sentence_starts(scene)


def draw(canvas: Canvas, scene: Scene, stage: int) -> None:
    """Draw ``scene`` into the content box as it is at ``stage`` (an index into :func:`stages`, or ``NOTHING_YET``)."""
    if scene.points:
        lists.draw(canvas, scene, stage)
    elif scene.layout in ("title", "close"):
        statements.draw(canvas, scene)
    else:
        top = statements.heading(canvas, scene, 0.4)
        left, _, right, bottom = canvas.plan.content
        prose.draw(canvas, scene, stage, (left, top, right, bottom))
