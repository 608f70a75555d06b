"""Scenes of every size to draw, and what is wrong with the texts on their pictures."""

from itertools import combinations, product

from small_programme import brief_of

from svc.base.looks import THEMES
from svc.media.checks.text import _find_least_contrast
from svc.media.colour import compute_contrast, parse_colour
from svc.media.drawing.looks import LOOKS
from svc.media.model import DrawnText, Point, Rendition, Scene, Script, Visual
from svc.media.text.amounts import parse_amount
from svc.media.video.scene import SceneRenderer

# colours of a brand on which text is hard to read
ODD = ("#ffe100", "#000000", "#ffffff", "#7a0000", "#808890")


# these in every theme and shape, of the later looks a sample
FIRST = ("explainer", "short", "news")
LATER = tuple(look for look in LOOKS if look not in FIRST)
SAMPLE = (
    ("editorial", "light", "landscape"),
    ("playful", "dark", "portrait"),
    ("product", "light", "landscape"),
    ("editorial", "dark", "portrait"),
    ("playful", "light", "square"),
    ("product", "dark", "portrait"),
)


def dressed(shapes, sampled: int = len(SAMPLE)) -> tuple[tuple[str, str, str], ...]:
    """Return looks with a theme and the name of a shape: the first looks in all of them,
    and ``sampled`` later ones.
    """
    return (*product(FIRST, THEMES, shapes), *SAMPLE[:sampled])


def rows_scene(kind: str, columns, rows, heading: str = "Their range", values=()) -> Scene:
    """Return a scene with a row for each word."""
    words = tuple("x" for _ in rows)
    points = tuple(Point(row[0], number, number) for number, row in enumerate(rows))
    visual = Visual(kind, columns=tuple(columns), rows=tuple(rows), values=values)
    return Scene(kind, heading, points, words, words, "Rows.", sight=visual)


def list_scene(points, heading: str = "What happens in the drum") -> Scene:
    """Return a list of ``(text, label, level)``."""
    words = tuple("x" for _ in points)
    items = tuple(
        Point(text, number, number, label, level)
        for number, (text, label, level) in enumerate(points)
    )
    return Scene("points", heading, items, words, words, "A list.")


def chart(kind: str, rows: int, series: int, labels, figures) -> Scene:
    """Return a chart with labels and figures taken in turn."""
    table = tuple(
        (
            f"{labels[row % len(labels)]} {row}",
            *(figures[(row + at) % len(figures)] for at in range(series)),
        )
        for row in range(rows)
    )
    values = tuple(tuple(parse_amount(cell) or 0.0 for cell in row[1:]) for row in table)
    return rows_scene(
        kind,
        ("Place", "Today", "A week ago", "In the year before")[: series + 1],
        table,
        values=values,
    )


def studio(
    scene: Scene, shape: Rendition, look="explainer", theme="dark", language="en", **changes
) -> SceneRenderer:
    script = Script("Test", language, (scene,))
    return SceneRenderer(brief_of(script, look=look, theme=theme, **changes), script, shape)


def faults(
    scene: Scene, shape: Rendition, look: str, theme: str, stages, language="en", **changes
) -> list[str]:
    """Return what is wrong with the texts of ``scene`` at ``stages``: overlaps, contrast, place,
    size, missing glyphs.
    """
    drawn, wrong = studio(scene, shape, look, theme, language, **changes), []
    chrome = list(drawn._ground().chrome)
    for stage in stages:
        drawn.drain_texts()
        drawn.picture(0, stage)
        texts = [*chrome, *drawn.drain_texts()]
        where = f"{scene.layout} of {len(scene.points)} in {look} {theme} {shape.name} at {stage}: "
        wrong += [where + fault for fault in [*_overlaps(texts), *_unfit(texts, drawn)]]
    return wrong


def _overlaps(texts: list[DrawnText]) -> list[str]:
    """Return the pairs whose boxes share more than rounding; an ornament may stand behind a text,
    and the tight lines of a title touch with their boxes, but not with their letters."""
    texts = [text for text in texts if text.part not in ("ornament", "title")]
    return [
        f"“{first.text}” {first.box} and “{second.text}” {second.box} overlap"
        for first, second in combinations(texts, 2)
        if min(first.box[2], second.box[2]) - max(first.box[0], second.box[0]) > 1
        and min(first.box[3], second.box[3]) - max(first.box[1], second.box[1]) > 1
    ]


def _unfit(texts: list[DrawnText], drawn: SceneRenderer) -> list[str]:
    left, top, right, bottom = drawn.plan.safe
    short = min(drawn.plan.width, drawn.plan.height)
    result = []
    for text in texts:
        ratio = compute_contrast(parse_colour(text.ink), parse_colour(text.ground))
        if ratio < _find_least_contrast(text, short):
            result.append(f"“{text.text}” has a contrast of {ratio:.2f}")
        if (
            text.box[0] < left - 1
            or text.box[1] < top - 1
            or text.box[2] > right + 1
            or text.box[3] > bottom + 1
        ):
            result.append(f"“{text.text}” {text.box} is outside the safe area {drawn.plan.safe}")
        if text.missing:
            result.append(f"“{text.text}” lacks glyphs")
    return result
