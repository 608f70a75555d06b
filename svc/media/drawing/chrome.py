"""The elements that every scene shares: the names of presenter and account, the logo,
the caption band, the progress bar.
"""

from pathlib import Path
from typing import Any

from PIL import Image, ImageStat

from svc.media import fonts
from svc.media.colour import Colour, compute_contrast, mix
from svc.media.drawing import images, typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box
from svc.media.drawing.palette import Surface, choose_ink
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import VideoBrief

_QUIET = 0.5  # opacity of a watermark
_WATERMARK_CONTRAST = 1.9  # of a watermark of one tone with the ground
_ONE_TONE = 24.0  # the standard deviation of a channel, below which a logo has one tone
_LEAST_DASH = 2.0  # times its thickness: the length of a dash
_LONGEST_NAME = 40  # characters of an account's or presenter's name


def draw_chrome(canvas: Canvas, brief: VideoBrief, folder: Path | None) -> int:
    """Draw the shared elements on the ground, and return the width of the logo at the end of the
    brand row.

    ``folder``: where the logo file is.
    """
    if canvas.look.captions.ground == "band":
        _draw_band(canvas)
    # Without the presenter, there is no margin for one.
    names = "apart" if canvas.look.names == "apart" else "together"
    _DRAW_NAMES[canvas.look.names if brief.avatar.is_shown else names](canvas, brief)
    logo = images.open_image(folder / brief.logo) if brief.logo and folder else None
    return _draw_logo(canvas, logo, brief.brand.logo_style == "watermark") if logo else 0


def draw_progress(canvas: Canvas, count: int, scene: int, logo: int) -> None:
    """Draw the programme's progress along the top, up to the ``logo``: one dash for each of
    ``count`` scenes, or one line under a masthead and where dashes would be mere dots."""
    left, top, right, bottom = _progress_box(canvas, logo)
    plan, palette, under_masthead = canvas.plan, canvas.palette, canvas.look.names == "apart"
    thick = plan.px(4 if under_masthead else canvas.look.progress)
    gap, middle = plan.px(10), bottom - thick if under_masthead else (top + bottom) // 2
    line = under_masthead or (right - left + gap) / count - gap < _LEAST_DASH * thick
    gap = 0 if line else gap
    step = (right - left + gap) / count
    for number in range(count):
        place = count - 1 - number if canvas.right_to_left else number
        x, end = round(left + place * step), round(left + (place + 1) * step - gap)
        dash = (x, middle - thick // 2, max(x + 1, end), middle - thick // 2 + thick)
        colour = _dash_colour(canvas, number, scene, under_masthead)
        radius = thick // 2 if canvas.look.corner else 0
        canvas.draw_rule(dash, colour) if line else canvas.draw_panel(
            dash, radius, Surface(colour, 1.0, palette.ink)
        )


def _dash_colour(canvas: Canvas, number: int, scene: int, line: bool) -> Colour:
    palette = canvas.palette
    if number == scene or (line and number < scene):
        return palette.solid if line else palette.bright
    return (
        palette.faint
        if line
        else mix(palette.ground, palette.bright, 0.5 if number < scene else 0.2)
    )


def _progress_box(canvas: Canvas, logo: int) -> Box:
    """Return the brand row without the logo; the line under a masthead continues below the logo."""
    left, top, right, bottom = canvas.plan.brand
    if canvas.look.names == "apart":
        return left, top, right, bottom
    return (
        (left + logo, top, right, bottom)
        if canvas.right_to_left
        else (left, top, right - logo, bottom)
    )


def _draw_logo(canvas: Canvas, logo: Image.Image, quiet: bool) -> int:
    """Draw the logo at the end of the brand row, on a plate if its contrast is too low, and return
    the width that it takes.

    ``quiet``: as a watermark.
    """
    plan, palette = canvas.plan, canvas.palette
    left, top, right, bottom = plan.brand
    foot = bottom - plan.px(12) if canvas.look.names == "apart" else bottom
    fitted = images.fit_within(logo, plan.px(240), max(foot - top, plan.px(44)))
    x = left if canvas.right_to_left else right - fitted.width
    y = (top + foot - fitted.height) // 2
    if quiet and _has_one_tone(fitted):
        ground = _mean_colour(canvas.image.crop((x, y, x + fitted.width, y + fitted.height)))
        fitted = _watermark(fitted, ground)
    else:
        opacity = _QUIET if quiet else 1.0
        if images.fades_into(fitted, palette.ground):
            pad = plan.px(10)
            plate = Surface(choose_ink(palette.ground), 0.94 * opacity, palette.ground)
            x += pad if canvas.right_to_left else -pad
            canvas.draw_panel(
                (x - pad, y - pad, x + fitted.width + pad, y + fitted.height + pad),
                plan.px(10),
                plate,
            )
        fitted = _translucent(fitted, opacity)
    canvas.image.paste(fitted, (x, y), fitted)
    return fitted.width + plan.px(36)


def _watermark(logo: Image.Image, ground: Colour) -> Image.Image:
    """Return the shape of ``logo`` in the ink of ``ground``,
    as translucent as it can be and yet be seen.
    """
    ink = choose_ink(ground)
    shares = (share / 100 for share in range(10, 100, 5))
    opacity = next(
        (
            share
            for share in shares
            if compute_contrast(mix(ground, ink, share), ground) >= _WATERMARK_CONTRAST
        ),
        1.0,
    )
    shape = Image.new("RGBA", logo.size, ink)
    shape.putalpha(logo.getchannel("A"))
    return _translucent(shape, opacity)


def _has_one_tone(logo: Image.Image) -> bool:
    """Return whether ``logo`` is a shape of one colour on a transparent ground."""
    solid = logo.getchannel("A").point(lambda opacity: 255 if opacity >= 200 else 0)
    share = ImageStat.Stat(solid).mean[0] / 255
    return 0 < share < 0.95 and max(ImageStat.Stat(logo.convert("RGB"), solid).stddev) <= _ONE_TONE


def _translucent(picture: Image.Image, opacity: float) -> Image.Image:
    faint = picture.copy()
    faint.putalpha(picture.getchannel("A").point(lambda alpha: round(alpha * opacity)))
    return faint


def _mean_colour(picture: Image.Image) -> Colour:
    """Return the mean colour of what is to be seen of ``picture``."""
    pixel: Any = (
        picture.convert("RGBA")
        .convert("RGBa")
        .resize((1, 1), Image.Resampling.BOX)
        .convert("RGBA")
        .getpixel((0, 0))
    )
    return pixel[:3]


def _draw_band(canvas: Canvas) -> None:
    """Draw the background of the captions from edge to edge;
    it extends to the bottom unless a platform covers that.
    """
    plan = canvas.plan
    foot = plan.height if plan.height - plan.strip[3] < plan.height // 10 else plan.strip[3]
    canvas.draw_rule((0, plan.strip[1], plan.width, foot), canvas.palette.caption.colour)
    canvas.draw_rule(
        (0, plan.strip[1] - plan.px(4), plan.width, plan.strip[1]), canvas.palette.solid
    )


def _draw_names_together(canvas: Canvas, brief: VideoBrief) -> None:
    """Draw the presenter's name, if one is shown, with the account's below it."""
    plan, palette = canvas.plan, canvas.palette
    left, top, right, bottom = plan.label
    name = _line(brief.avatar.name, right - left, canvas.make_text_face(plan.sizes.label, 650))
    account = _line(brief.account_name, right - left, canvas.make_text_face(plan.sizes.small, 500))
    half = (bottom - top) // 2 if brief.avatar.is_shown else 0
    # The picture is small, and its type is as small as it may be.
    if half and name.height + account.height > 2 * half:
        top -= (name.height + account.height - 2 * half) // 2
        half, bottom = name.height, top + name.height + account.height
    if half:
        _draw_text(canvas, name, (left, top, right, top + half), palette.ink, plan.label_align)
    _draw_text(canvas, account, (left, top + half, right, bottom), palette.bright, plan.label_align)


def _draw_names_apart(canvas: Canvas, brief: VideoBrief) -> None:
    """Draw the account's name on a tab at the top, and the presenter's next to their picture,
    if one is shown.
    """
    plan, palette = canvas.plan, canvas.palette
    left, top, right, bottom = plan.brand
    solid = Surface(palette.solid, 1.0, palette.on_solid)
    face = canvas.make_text_face(plan.sizes.small, 700)
    account = _line(brief.account_name, (right - left) * 2 // 3, face)
    if account.lines:
        _draw_tab(canvas, account, (left, top, right, bottom - plan.px(12)), solid)
    if not brief.avatar.is_shown:
        return
    left, top, right, bottom = plan.label
    name = _line(
        brief.avatar.name, right - left, canvas.make_heading_face(plan.sizes.label, 650, 1.2)
    )
    _draw_text(canvas, name, (left, top, right, top + name.height), palette.ink)


def _draw_names_as_folio(canvas: Canvas, brief: VideoBrief) -> None:
    """Draw the account's name at the top of the margin like that of a magazine,
    and the presenter's above their picture.
    """
    plan, palette = canvas.plan, canvas.palette
    left, top, right, bottom = plan.label
    ink = palette.ink if plan.stacked else choose_ink(palette.lights[0])
    face = canvas.make_heading_face(
        round(plan.sizes.label * (1 if plan.stacked else 1.35)), 760, 1.2
    )
    short = fonts.drop_undrawable(brief.account_name)[:_LONGEST_NAME]
    room = (bottom - top) // 2
    account = typesetting.fit_text(
        short, right - left, room, face, max(4, face.size // 2), balanced=True
    )
    canvas.draw_block(account, (left, top, right, top + room), ink, part="name")
    size = plan.sizes.small if plan.stacked else plan.sizes.label
    name = _line(brief.avatar.name, right - left, canvas.make_text_face(size, 560))
    canvas.draw_block(name, (left, bottom - name.height, right, bottom), ink, part="name")


def _draw_tab(canvas: Canvas, text: TextBlock, box: Box, surface: Surface) -> None:
    inset = canvas.plan.px(16)
    left, right = canvas.find_start_edge(box, round(text.width) + 2 * inset)
    canvas.draw_rule((left, box[1], right, box[3]), surface.colour)
    _draw_text(canvas, text, (left + inset, box[1], right - inset, box[3]), surface.ink)


def _line(text: str, width: int, face: Typeface) -> TextBlock:
    short = fonts.drop_undrawable(text)[:_LONGEST_NAME]
    return typesetting.fit_text(short, width, face.line_height, face, max(4, face.size * 2 // 3))


def _draw_text(
    canvas: Canvas, block: TextBlock, box: Box, ink: Colour, align: str = "start"
) -> None:
    left, top, right, bottom = box
    canvas.draw_block(
        block, (left, top + (bottom - top - block.height) // 2, right, bottom), ink, align, "name"
    )


_DRAW_NAMES = {
    "together": _draw_names_together,
    "apart": _draw_names_apart,
    "folio": _draw_names_as_folio,
}
