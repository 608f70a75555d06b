"""Drawing a scene's content by its layout, and the words at which the picture changes."""

from pathlib import Path

from svc.media.drawing.canvas import Canvas
from svc.media.model import Scene
from svc.media.slides import (
    alert,
    charts,
    code,
    comparison,
    composed,
    contact,
    dialogue,
    framings,
    headings,
    hosting,
    key_phrases,
    line_chart,
    lists,
    prose,
    small_print,
    spotlight,
    tables,
    verse,
)
from svc.media.slides.diagrams import agenda, country_map, flow, formula, pictures, timeline
from svc.media.text.scene_prose import count_heading_words

NOTHING_YET = -1  # the stage of a scene before its first point or sentence is spoken
# By the kind of a visual: what draws it, and what more of it is shown or stands out as each of its
# points is spoken.
_BY_ROW = {
    "table": tables.draw_table,
    "comparison": comparison.draw,
    "bars": charts.draw_bars,
    "line": line_chart.draw_line_chart,
    "code": code.draw,
    "verse": verse.draw,
    "dialogue": dialogue.draw,
    "contact": contact.draw,
    "flow": flow.draw,
}
_AT_ONCE = {  # what draws a visual that is one picture from its first word to its last
    "quote": spotlight.draw_quote,
    "number": spotlight.draw_number,
    "image": spotlight.draw_image,
    "alert": alert.draw,
    "formula": formula.draw,
}


def _draw_title(canvas: Canvas, scene: Scene) -> None:
    if composed.is_composed(canvas):
        composed.draw_title(canvas, scene, scene.heading, kicker=False)
    else:
        headings.draw_title(canvas, scene)


def _close(canvas: Canvas, scene: Scene) -> None:
    if composed.is_composed(canvas) and canvas.account and not (scene.sight.note or canvas.logo):
        composed.draw_title(canvas, scene, canvas.account)
    elif composed.is_composed(canvas) and canvas.host:
        composed.draw_hosted_close(canvas, scene)
    else:
        headings.draw_close(canvas, scene)


_CARDS = {"title": _draw_title, "close": _close}


def list_stages(scene: Scene, is_composed: bool = False) -> tuple[int, ...]:
    """Return the index of the word at which each stage of ``scene`` begins: a list item, a table
    row, a sentence of prose that is shown in full; where the look composes its scenes, a framing or
    a figure."""
    if is_composed and (framed := framings.list_framings(scene)):
        return tuple(framing.first for framing in framed)
    if is_composed and (figure := framings.find_words_of_figure(scene)):
        return (figure.start,)
    is_still = scene.layout in _CARDS or scene.layout in _AT_ONCE
    if scene.points or is_still or not shows_text(scene):
        return tuple(point.first_word for point in scene.points)
    return prose.find_sentence_starts(scene)


def shows_text(scene: Scene) -> bool:
    """Return whether a prose scene shows all that it says, under its heading: it has no phrase that
    could stand for it, and a heading alone, which other scenes show, too, would say nothing.

    A picture beside the heading does.
    """
    is_heading_alone = scene.key_phrase == scene.heading and not scene.illustration
    return not scene.key_phrase or (
        is_heading_alone and len(scene.words) > count_heading_words(scene)
    )


def depends_on_growth(scene: Scene, stage: int, is_composed: bool = False) -> bool:
    """Return whether the drawing of a stage may depend on how far its element has grown: a bar,
    a line, a figure.
    """
    return scene.sight.traits.grows or (is_composed and stage >= 0 and is_figure(scene, stage))


def is_figure(scene: Scene, stage: int) -> bool:
    """Return whether a stage of a composed scene is a figure that counts up."""
    framed = framings.list_framings(scene)
    return framed[stage].kind == framings.FIGURE if framed else scene.sight.traits.is_figure


def draw(canvas: Canvas, scene: Scene, stage: int, folder: Path | None = None) -> None:
    """Draw ``scene`` into the content box as it is at ``stage`` (an index into
    :func:`list_stages`, or ``NOTHING_YET``).

    ``folder``: where the image files are.
    """
    canvas.stage = stage
    if not composed.is_composed(canvas):
        whole = canvas.plan
        if canvas.host:
            canvas.plan, scene = hosting.split_off(canvas, scene)
            canvas.sprites += hosting.place_in_column(canvas, canvas.host, whole)
        _draw(canvas, scene, stage, folder)
        canvas.plan = whole
        return
    composed.add_balls(canvas)
    if framed := framings.list_framings(scene):
        framing = framed[max(0, min(stage, len(framed) - 1))]
        composed.draw_framing(canvas, scene, framing)
    else:
        composed.take_captions_place(canvas, scene)
        _draw(canvas, scene, stage, folder)


def _draw(canvas: Canvas, scene: Scene, stage: int, folder: Path | None) -> None:
    kind = scene.sight.kind
    if scene.small_print:
        canvas.plan = small_print.draw(canvas, scene.small_print)
    if scene.layout == "agenda":
        agenda.draw(canvas, scene, stage)
        return
    moments = timeline.find_entries(scene, canvas.language)
    if moments:
        timeline.draw(canvas, scene, moments, stage)
    elif codes := country_map.find_countries(scene, canvas.language):
        country_map.draw(canvas, scene, codes, stage)
    elif kind in _BY_ROW:
        _BY_ROW[kind](canvas, scene, stage)
    elif kind in _AT_ONCE:
        _AT_ONCE[kind](canvas, scene, folder)
    elif kind == "pictures":
        pictures.draw(canvas, scene, stage, folder)
    elif scene.points:
        lists.draw(canvas, scene, stage)
    elif scene.layout in _CARDS:
        _CARDS[scene.layout](canvas, scene)
    elif not shows_text(scene):
        key_phrases.draw(canvas, scene)
    else:
        top = headings.draw_heading(canvas, scene, 0.4)
        left, _, right, bottom = canvas.plan.content
        prose.draw(canvas, scene, stage, (left, top, right, bottom))
