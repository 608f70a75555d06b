"""The layout of a frame: boxes and type sizes for each look, in wide and in tall pictures."""

from dataclasses import dataclass, replace
from typing import Any

from svc.media.drawing.looks import LOOKS, Look, Scale
from svc.media.model import Rendition

Box = tuple[int, int, int, int]  # left, top, right, bottom: pixels
# The shares of a wide frame that may be covered or cut: left, top, right, bottom.
_SAFE_WIDE = (0.05, 0.05, 0.05, 0.05)
_SAFE_TALL = (0.1, 0.125, 0.1, 0.2)  # short-video platforms cover these with their own controls
# The width by the height below which content, presenter and captions are one above the other.
_LEAST = 20  # in 1/1080 of the short side: the type size that no text is below
_STACKED = 1.2
_FEED = 0.7  # width by height, from which a picture is shown in a feed, with no controls over it


@dataclass(frozen=True)
class Sizes(Scale):
    """Type sizes in pixels."""

    least: int  # the minimum for all text


@dataclass(frozen=True)
class FrameLayout:
    """The boxes of one frame size.

    ``unit``: pixels per 1/1080 of the short side; all other measures are derived from it.
    """

    width: int
    height: int
    unit: float
    safe: Box  # contains all text
    brand: Box  # the scenes' progress, and the logo or the account's name
    content: Box  # heading, points, text
    presenter: Box  # square: the avatar; without area if none is shown
    label: Box  # the presenter's name, or the account's if no presenter is shown
    label_align: str  # "start" or "centre"
    strip: Box  # captions; even edges, so that its chroma can be replaced separately
    caption_lines: tuple[int, int]  # characters in a caption line, and lines
    sizes: Sizes

    @property
    def stacked(self) -> bool:
        """Whether content takes the whole width, as in tall and square pictures,
        rather than the part beside the presenter.
        """
        return self.width < self.height * _STACKED

    @property
    def line_length(self) -> int:
        """Characters per caption line."""
        return self.caption_lines[0]

    def px(self, measure: float) -> int:
        """Return ``measure`` (in 1/1080 of the short side) in whole pixels, at least one."""
        return max(1, round(measure * self.unit))


def find_frame_size(rendition: Rendition) -> tuple[int, int]:
    """Return width and height of the pictures of ``rendition``: even,
    because 4:2:0 allows no odd sizes.
    """
    return rendition.width // 2 * 2, rendition.height // 2 * 2


def lay_out(
    width: int,
    height: int,
    right_to_left: bool = False,
    look: Look = LOOKS["explainer"],
    safe=None,
    figure: bool = True,
) -> FrameLayout:
    """Return the layout of a frame of ``width`` × ``height`` pixels, mirrored for a right-to-left
    language.

    ``safe``: the shares of the frame at left, top, right and bottom that must stay free of content;
    None: by the shape. ``figure``: whether a presenter is shown.
    """
    left, top, right, bottom = safe or (_SAFE_WIDE if width >= height * _FEED else _SAFE_TALL)
    frame = _Frame(
        width,
        height,
        (left * width, top * height, (1 - right) * width, (1 - bottom) * height),
        look,
    )
    layout = _place_stacked(frame) if frame.stacked else _BESIDE[look.arrangement](frame)
    layout = layout if figure else _remove_figure(layout, look)
    return _mirror(layout) if right_to_left else layout


@dataclass(frozen=True)
class _Frame:
    width: int
    height: int
    safe: tuple[float, float, float, float]
    look: Look

    @property
    def unit(self) -> float:
        return min(self.width, self.height) / 1080

    @property
    def stacked(self) -> bool:
        return self.width < self.height * _STACKED

    def layout(
        self, brand, content, presenter, label, strip, label_align: str = "start"
    ) -> FrameLayout:
        """Return the layout with boxes in whole pixels."""
        wide = not self.stacked
        return FrameLayout(
            self.width,
            self.height,
            self.unit,
            _box(*self.safe),
            _box(*brand),
            _box(*content),
            _square(*presenter),
            _box(*label),
            label_align,
            _round_to_even(*strip),
            self.look.captions.wide if wide else self.look.captions.tall,
            _sizes(self.unit, self.look.wide if wide else self.look.tall),
        )


def _place_aside(frame: _Frame) -> FrameLayout:
    """Place content at the side where reading begins, the presenter at the other,
    captions below both.
    """
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    circle = min(420 * unit, 0.24 * frame.width)
    middle, over = right - circle / 2 - 20 * unit, top + 196 * unit
    return frame.layout(
        brand=(left, top + 4 * unit, right, top + 44 * unit),
        content=(left, top + 110 * unit, middle - circle / 2 - 84 * unit, bottom - 210 * unit),
        presenter=(middle - circle / 2, over, circle),
        label=(
            middle - circle / 2 - 20 * unit,
            over + circle + 26 * unit,
            right,
            over + circle + 116 * unit,
        ),
        label_align="centre",
        strip=(left, bottom - 168 * unit, right, bottom - 4 * unit),
    )


def _place_large(frame: _Frame) -> FrameLayout:
    """Place large type across most of the frame, captions in one large line,
    the presenter small beside them.
    """
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    face = min(236 * unit, 0.2 * frame.width)
    over = bottom - face - 84 * unit
    return frame.layout(
        brand=(left, top, right, top + 56 * unit),
        content=(left, top + 104 * unit, right - face - 70 * unit, bottom - 220 * unit),
        presenter=(right - face, over, face),
        label=(right - face, over + face + 8 * unit, right, bottom),
        label_align="centre",
        strip=(left, bottom - 190 * unit, right - face - 70 * unit, bottom - 14 * unit),
    )


def _place_in_column(frame: _Frame) -> FrameLayout:
    """Place the presenter in a column at the side where reading begins,
    captions in a band across the picture.
    """
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    face, band = min(380 * unit, 0.22 * frame.width), bottom - 152 * unit
    over = top + 150 * unit
    return frame.layout(
        brand=(left, top, right, top + 52 * unit),
        content=(left + face + 130 * unit, top + 118 * unit, right, band - 36 * unit),
        presenter=(left, over, face),
        label=(left, over + face + 22 * unit, left + face, over + face + 112 * unit),
        strip=(0, band, frame.width, bottom + 6 * unit),
    )


def _place_in_margin(frame: _Frame) -> FrameLayout:
    """Place the presenter at the foot of a margin that is a quarter of the frame,
    bled off its corner, and the names above.
    """
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    margin = max(left + 250 * unit, 0.235 * frame.width)
    face = min(margin, 0.46 * frame.height)
    start, over = margin + 72 * unit, frame.height - face
    return frame.layout(
        brand=(start, top, right, top + 44 * unit),
        content=(start, top + 86 * unit, right, bottom - 186 * unit),
        presenter=(0, over, face),
        label=(left, top, margin - 28 * unit, over - 28 * unit),
        strip=(start, bottom - 150 * unit, right, bottom - 4 * unit),
    )


def _place_in_corner(frame: _Frame) -> FrameLayout:
    """Place the presenter in the lower corner; the corner above is free for shapes."""
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    face = min(400 * unit, 0.23 * frame.width)
    edge, over = right - face, bottom - face - 104 * unit
    return frame.layout(
        brand=(left, top, edge - 90 * unit, top + 44 * unit),
        content=(left, top + 92 * unit, edge - 90 * unit, bottom - 214 * unit),
        presenter=(edge, over, face),
        label=(edge, over + face + 20 * unit, right, bottom),
        label_align="centre",
        strip=(left, bottom - 172 * unit, edge - 60 * unit, bottom - 4 * unit),
    )


def _place_in_bar(frame: _Frame) -> FrameLayout:
    """Place the presenter small in a bar at the top, the content with wide margins under it."""
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    face, inset = 128 * unit, 0.055 * frame.width
    return frame.layout(
        brand=(right - 0.28 * frame.width, top + 36 * unit, right, top + 92 * unit),
        content=(left + inset, top + 166 * unit, right - inset, bottom - 176 * unit),
        presenter=(left, top, face),
        label=(
            left + face + 24 * unit,
            top + 20 * unit,
            right - 0.34 * frame.width,
            top + 110 * unit,
        ),
        strip=(left + inset, bottom - 142 * unit, right - inset, bottom - 4 * unit),
    )


def _place_on_stage(frame: _Frame) -> FrameLayout:
    """Place content across the frame, the presenter small beside the names above it,
    captions on the ground below it.
    """
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    face = 96 * unit
    return frame.layout(
        brand=(right - 0.4 * frame.width, top + 20 * unit, right, top + 72 * unit),
        content=(left, top + 132 * unit, right, bottom - 184 * unit),
        presenter=(left, top - 4 * unit, face),
        label=(
            left + face + 22 * unit,
            top + 6 * unit,
            right - 0.44 * frame.width,
            top + 84 * unit,
        ),
        strip=(left, bottom - 160 * unit, right, bottom - 2 * unit),
    )


def _place_stacked(frame: _Frame) -> FrameLayout:
    """Place the presenter beside brand and name at the top, captions at the bottom, and content in
    all of the space between.

    A square has less height to share than a tall picture.
    """
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    square, band = frame.height < 1.15 * frame.width, frame.look.captions.ground == "band"
    face, gap = (160, 28) if square else (164, 44)
    face, gap = (112, 24 if square else 36) if frame.look.arrangement == "stage" else (face, gap)
    tall = {"bare": (176, 248), "strip": (156, 212), "pill": (156, 212), "band": (156, 200)}[
        frame.look.captions.ground
    ][not square]
    strip, beside = bottom - tall * unit, left + (face + 32) * unit
    over = 0 if band or frame.look.captions.align == "start" else 24 * unit
    return frame.layout(
        brand=(beside, top, right, top + (0.36 * face) * unit),
        content=(left, top + (face + gap) * unit, right, strip - gap * unit),
        presenter=(left, top, face * unit),
        label=(beside, top + (0.42 * face) * unit, right, top + face * unit),
        strip=(0, strip, frame.width, bottom)
        if band
        else (max(0, left - over), strip, min(frame.width, right + over), bottom),
    )


def _remove_figure(layout: FrameLayout, look: Look) -> FrameLayout:
    """Give the presenter's space to content and captions; the account's name, unless it has a tab,
    is below the brand row, or beside it where all of the frame is a stage."""
    left, _, right, _ = layout.safe
    if look.arrangement == "stage":
        return _clear_stage(layout)
    _, top, _, foot = layout.brand
    foot = min(foot, top + layout.px(56))
    name = 0 if look.names == "apart" else layout.px(44)
    over = foot + name + layout.px(36 if layout.stacked else 24)
    whole = layout.stacked or layout.strip[0] == 0
    return replace(
        layout,
        brand=(left, top, right, foot),
        content=(
            left,
            over if layout.stacked else max(over, layout.content[1]),
            right,
            layout.content[3],
        ),
        presenter=(left, top, left, top),
        label=(left, foot, right, foot + name),
        label_align="start",
        strip=layout.strip
        if whole
        else _round_to_even(left, layout.strip[1], right, layout.strip[3]),
    )


def _clear_stage(layout: FrameLayout) -> FrameLayout:
    """Place the account's name and the brand row in one line above the content."""
    (left, _, right, _), top = layout.safe, layout.brand[1] if layout.stacked else layout.safe[1]
    foot, middle = top + layout.px(56), (left + right) // 2
    return replace(
        layout,
        brand=(middle + layout.px(20), top, right, foot),
        content=(left, foot + layout.px(16), right, layout.content[3]),
        presenter=(left, top, left, top),
        label=(left, top, middle - layout.px(20), foot),
        label_align="start",
    )


_BESIDE = {  # the presenter beside the content: see Look.arrangement
    "side": _place_aside,
    "large": _place_large,
    "column": _place_in_column,
    "margin": _place_in_margin,
    "corner": _place_in_corner,
    "bar": _place_in_bar,
    "stage": _place_on_stage,
}


def _sizes(unit: float, scale: Scale) -> Sizes:
    """Return the type sizes, at least four pixels, because fonts draw nothing below that."""
    sizes = {name: max(4, round(size * unit)) for name, size in vars(scale).items()}
    return Sizes(least=max(4, round(_LEAST * unit)), **sizes)


def _box(left: float, top: float, right: float, bottom: float) -> Box:
    return (round(left), round(top), round(right), round(bottom))


def _square(left: float, top: float, side: float) -> Box:
    return (round(left), round(top), round(left) + round(side), round(top) + round(side))


def _round_to_even(left: float, top: float, right: float, bottom: float) -> Box:
    return (int(left) // 2 * 2, int(top) // 2 * 2, int(right) // 2 * 2, int(bottom) // 2 * 2)


def _mirror(layout: FrameLayout) -> FrameLayout:
    names = ("safe", "brand", "content", "presenter", "label")
    flipped: dict[str, Any] = {name: _flip(getattr(layout, name), layout.width) for name in names}
    return replace(layout, strip=_round_to_even(*_flip(layout.strip, layout.width)), **flipped)


def _flip(box: Box, width: int) -> Box:
    return (width - box[2], box[1], width - box[0], box[3])
