"""The map: a list whose points are countries stands beside them,
and each country is filled when it is spoken of.
"""

from PIL import Image

from svc.media.colour import Colour, make_legible, mix
from svc.media.drawing import images
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface
from svc.media.maps import named, region
from svc.media.model import Scene
from svc.media.pictures import illustration
from svc.media.slides import headings, lists

_SEA, _LAND = 0.07, 0.24  # of the ink on the ground
_WAITING, _SPOKEN = 0.3, 0.65  # of a country's colour, before and after it is spoken of
_VISIBLE = 3.0  # contrast of a country with the land around it (WCAG 2.2, 1.4.11)
# The map's share of the space that an illustration has: in a wide frame and in a tall one.
_BESIDE, _ABOVE = 1.0, 0.8


def find_countries(scene: Scene, language: str) -> tuple[str, ...]:
    """Return the countries that the points of a plain list are; empty if they are not."""
    if scene.sight.kind or any(point.level for point in scene.points):
        return ()
    return named.find_countries(tuple(point.text for point in scene.points), language)


def draw(canvas: Canvas, scene: Scene, codes: tuple[str, ...], stage: int) -> None:
    """Draw the heading, the list and the map of ``codes``; ``stage``: the point being
    spoken, or -1.
    """
    left, _, right, bottom = canvas.plan.content
    box = left, headings.draw_heading(canvas, scene, 0.34), right, bottom
    tall = canvas.plan.width < canvas.plan.height
    text, place = illustration.split_box(canvas, box, _ABOVE if tall else _BESIDE)
    lists.draw_rows(canvas, scene, stage, text)
    _draw_map(canvas, codes, stage, place)


def _draw_map(canvas: Canvas, codes: tuple[str, ...], stage: int, box: Box) -> None:
    palette, (left, top, right, bottom) = canvas.palette, box
    height = region.choose_height(codes, right - left, bottom - top)
    top += (bottom - top - height) // 2
    bottom = top + height
    drawn = region.draw_region(codes, right - left, height)
    sea, land = (mix(palette.ground, palette.ink, share) for share in (_SEA, _LAND))
    picture = Image.new("RGB", (right - left, height), sea)
    picture.paste(land, (0, 0), drawn.land)
    for number, country in enumerate(drawn.countries):
        picture.paste(_choose_fill(canvas, land, number - stage), (0, 0), country)
    canvas.draw_panel(
        (left, top, right, bottom),
        canvas.plan.px(canvas.look.corner),
        Surface(sea, 1.0, palette.ink),
    )
    canvas.image.paste(
        picture,
        (left, top),
        images.draw_rounded_mask(picture.convert("RGBA"), canvas.plan.px(canvas.look.corner)),
    )


def _choose_fill(canvas: Canvas, land: Colour, ahead: int) -> Colour:
    """Return the colour of a country.

    ``ahead``: 0 for the one being spoken of, positive for later ones.
    """
    own = make_legible(canvas.palette.solid, land, _VISIBLE)
    return own if ahead == 0 else mix(land, own, _WAITING if ahead > 0 else _SPOKEN)
