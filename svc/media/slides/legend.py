"""What charts share: the colours of their series, and the legend that names them."""

from svc.media.colour import Colour, compute_contrast, make_legible, mix
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.palette import Surface, choose_ink
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene

# The sizes in 1/1080 of the short side: the coloured mark, and the spaces after it and after its
# name.
_KEY, _TO_NAME, _TO_NEXT = 28, 14, 40

_STEP = 1.6  # least contrast between two series
_VISIBLE = 3.4  # contrast of the palest series with the ground
# The opacities of a series that was spoken, also on a sky, and of ink where it is not spoken yet.
_PAST, _PAST_ON_SKY, _AHEAD = 0.62, 0.86, 0.3


def draw(canvas: Canvas, scene: Scene, top: int) -> int:
    """Draw the names of the series with their colours, in as many lines as they need, and return
    the y below them; no name of the only one if it repeats the heading."""
    plan, names = canvas.plan, scene.sight.columns[1:]
    if len(names) == 1 and names[0].strip().casefold() == scene.heading.strip().casefold():
        return top
    left, _, right, _ = plan.content
    face = canvas.make_text_face(max(plan.sizes.least, plan.sizes.label), 600)
    indent = plan.px(_KEY) + plan.px(_TO_NAME)
    used, drawn = 0, False
    for series, name in enumerate(names):
        block = _fit_name(name, right - left - indent, face, plan.sizes.least)
        if not block.lines:
            continue
        width = indent + round(block.width + 1)
        if used and used + width > right - left:
            used, top = 0, top + round(face.line_height * 1.25)
        x = right - used - width if canvas.right_to_left else left + used
        _draw_entry(canvas, series, block, (x, top, x + width, top + face.line_height))
        used, drawn = used + width + plan.px(_TO_NEXT), True
    return top + face.line_height + plan.px(28) if drawn else top


def choose_series_colour(canvas: Canvas, series: int) -> Colour:
    """Return the colour of a series: the brand's two, or shades that differ in lightness from
    those before them.
    """
    palette = canvas.palette
    first, second = palette.solid, palette.second
    if palette.sky:  # of the brand's hue itself: its surface would hardly be seen on it
        worst = min(
            (palette.ground, *palette.sky), key=lambda ground: compute_contrast(palette.ink, ground)
        )
        first, second = (make_legible(shade, worst, _VISIBLE) for shade in (first, second))
    pale = make_legible(mix(first, palette.ground, 0.6), palette.ground, _VISIBLE)
    if second == first:
        second = _choose_distinct((palette.bright, palette.spoken, palette.waiting, pale), first)
    third = _choose_distinct((palette.spoken, palette.waiting, palette.ink, pale), first, second)
    return (first, second, third)[series % 3]


def _choose_distinct(shades: tuple[Colour, ...], *others: Colour) -> Colour:
    """Return the first of ``shades`` that can be told from the ``others``,
    else the most different.
    """
    steps = [min(compute_contrast(shade, other) for other in others) for shade in shades]
    return next(
        (shade for shade, step in zip(shades, steps, strict=True) if step >= _STEP),
        shades[steps.index(max(steps))],
    )


def choose_series_surface(canvas: Canvas, series: int, opacity: float = 1.0) -> Surface:
    """Return the colour of a series as a ground for text."""
    shade = choose_series_colour(canvas, series)
    return Surface(shade, opacity, choose_ink(shade))


def choose_spoken_colour(canvas: Canvas, series: int) -> Surface:
    """Return the colour of a series whose row has been spoken."""
    return choose_series_surface(canvas, series, _PAST_ON_SKY if canvas.palette.sky else _PAST)


def choose_unspoken_colour(canvas: Canvas) -> Surface:
    """Return the colour of a series whose row has not been spoken yet."""
    palette = canvas.palette
    return (
        Surface(palette.ink, _AHEAD, palette.ink)
        if palette.sky
        else Surface(palette.faint, 1.0, palette.ink)
    )


def _fit_name(name: str, width: int, face: Typeface, least: int) -> TextBlock:
    return typesetting.fit_text(name, width, face.line_height, face, least)


def _draw_entry(canvas: Canvas, series: int, block: TextBlock, box) -> None:
    plan = canvas.plan
    left, top, right, bottom = box
    key, end = canvas.find_start_edge(box, plan.px(_KEY))
    middle, half = (top + bottom) // 2, plan.px(9)
    canvas.draw_panel(
        (key, middle - half, end, middle + half), plan.px(5), choose_series_surface(canvas, series)
    )
    indent = plan.px(_KEY) + plan.px(_TO_NAME)
    start, stop = (left, right - indent) if canvas.right_to_left else (left + indent, right)
    canvas.draw_block(
        block, (start, middle - block.height // 2, stop, bottom), canvas.palette.spoken, part="name"
    )
