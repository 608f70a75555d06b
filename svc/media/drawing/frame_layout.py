"""The layout of a frame: boxes and type sizes for each look, in wide and in tall pictures."""

from dataclasses import dataclass, replace
from typing import Any

from svc.media.drawing.looks import EXPLAINER, Look, Scale
from svc.media.model import Rendition

Box = tuple[int, int, int, int]  # left, top, right, bottom: pixels
_SAFE_WIDE = (0.05, 0.05, 0.05, 0.05)  # shares of a frame that may be covered or cut: left, top, right, bottom
_SAFE_TALL = (0.1, 0.125, 0.1, 0.2)  # short-video platforms cover these with their own controls


@dataclass(frozen=True)
class Sizes:
    """Type sizes in pixels, largest to smallest."""

    title: int
    heading: int
    body: int
    caption: int
    label: int
    small: int
    least: int  # the minimum for all text


@dataclass(frozen=True)
class FrameLayout:
    """The boxes of one frame size. ``unit``: pixels per 1/1080 of the short side; all other measures are derived from it."""

    width: int
    height: int
    unit: float
    safe: Box  # contains all text
    brand: Box  # the scenes' progress, and the logo or the account's name
    content: Box  # heading, points, text
    presenter: Box  # square: the avatar
    label: Box  # the presenter's name
    label_align: str  # "start" or "centre"
    strip: Box  # captions; even edges, so that its chroma can be replaced separately
    caption_lines: tuple[int, int]  # characters in a caption line, and lines
    sizes: Sizes

    @property
    def line_length(self) -> int:
        """Characters per caption line."""
        return self.caption_lines[0]

    def px(self, measure: float) -> int:
        """Return ``measure`` (in 1/1080 of the short side) in whole pixels, at least one."""
        return max(1, round(measure * self.unit))


def frame_size(rendition: Rendition) -> tuple[int, int]:
    """Return width and height of the pictures of ``rendition``: even, because 4:2:0 allows no odd sizes."""
    return rendition.width // 2 * 2, rendition.height // 2 * 2


def lay_out(width: int, height: int, right_to_left: bool = False, look: Look = EXPLAINER, safe=None) -> FrameLayout:
    """Return the layout of a frame of ``width`` × ``height`` pixels, mirrored for a right-to-left language.

    ``safe``: the shares of the frame at left, top, right and bottom that must stay free of content; None: by the shape.
    """
    wide = width >= height
    left, top, right, bottom = safe or (_SAFE_WIDE if wide else _SAFE_TALL)
    frame = _Frame(width, height, (left * width, top * height, (1 - right) * width, (1 - bottom) * height), look)
    layout = _ARRANGEMENTS[look.name, wide](frame)
    return _mirrored(layout) if right_to_left else layout


@dataclass(frozen=True)
class _Frame:
    width: int
    height: int
    safe: tuple[float, float, float, float]
    look: Look

    @property
    def unit(self) -> float:
        return min(self.width, self.height) / 1080

    def layout(self, brand, content, presenter, label, strip, label_align: str = "start") -> FrameLayout:
        """Return the layout with boxes in whole pixels."""
        wide = self.width >= self.height
        return FrameLayout(
            self.width, self.height, self.unit, _box(*self.safe), _box(*brand), _box(*content), _square(*presenter),
            _box(*label), label_align, _even(*strip), self.look.captions.wide if wide else self.look.captions.tall,
            _sizes(self.unit, self.look.wide if wide else self.look.tall),
        )  # fmt: skip


def _explainer_wide(frame: _Frame) -> FrameLayout:
    """Place content at the side where reading begins, the presenter at the other, captions below both."""
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    circle = min(420 * unit, 0.24 * frame.width)
    middle, over = right - circle / 2 - 20 * unit, top + 196 * unit
    return frame.layout(
        brand=(left, top + 4 * unit, right, top + 44 * unit),
        content=(left, top + 110 * unit, middle - circle / 2 - 84 * unit, bottom - 210 * unit),
        presenter=(middle - circle / 2, over, circle),
        label=(middle - circle / 2 - 20 * unit, over + circle + 26 * unit, right, over + circle + 116 * unit),
        label_align="centre",
        strip=(left, bottom - 168 * unit, right, bottom - 4 * unit),
    )


def _explainer_tall(frame: _Frame) -> FrameLayout:
    """Place content, presenter and captions from top to bottom."""
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    strip, circle = bottom - 212 * unit, 236 * unit
    over = strip - 48 * unit - circle
    return frame.layout(
        brand=(left, top, right, top + 44 * unit),
        content=(left, top + 112 * unit, right, over - 64 * unit),
        presenter=(left, over, circle),
        label=(left + circle + 36 * unit, over + circle / 2 - 52 * unit, right, over + circle / 2 + 52 * unit),
        strip=(left - 24 * unit, strip, right + 24 * unit, bottom),
    )


def _short_wide(frame: _Frame) -> FrameLayout:
    """Place large type across most of the frame, captions in one large line, the presenter small beside them."""
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


def _short_tall(frame: _Frame) -> FrameLayout:
    """Place content at the top, large captions in the lower middle, the presenter below them."""
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    face = 188 * unit
    strip = bottom - face - 40 * unit - 248 * unit
    return frame.layout(
        brand=(left, top, right, top + 60 * unit),
        content=(left, top + 118 * unit, right, strip - 56 * unit),
        presenter=(left, bottom - face, face),
        label=(left + face + 32 * unit, bottom - face / 2 - 52 * unit, right, bottom - face / 2 + 52 * unit),
        strip=(left - 30 * unit, strip, right + 30 * unit, strip + 248 * unit),
    )


def _news_wide(frame: _Frame) -> FrameLayout:
    """Place the presenter in a column at the side where reading begins, captions in a band across the picture."""
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


def _news_tall(frame: _Frame) -> FrameLayout:
    """Place content, presenter, and captions in a band across the picture, from top to bottom."""
    unit, (left, top, right, bottom) = frame.unit, frame.safe
    strip, face = bottom - 200 * unit, 216 * unit
    over = strip - face - 4 * unit - 2  # the band has a thin line on top
    return frame.layout(
        brand=(left, top, right, top + 60 * unit),
        content=(left, top + 118 * unit, right, over - 56 * unit),
        presenter=(left, over, face),
        label=(left + face + 36 * unit, over + face - 128 * unit, right, over + face - 24 * unit),
        strip=(0, strip, frame.width, bottom),
    )


_ARRANGEMENTS = {
    ("explainer", True): _explainer_wide,
    ("explainer", False): _explainer_tall,
    ("short", True): _short_wide,
    ("short", False): _short_tall,
    ("news", True): _news_wide,
    ("news", False): _news_tall,
}


def _sizes(unit: float, scale: Scale, least: int = 20) -> Sizes:
    """Return the type sizes, at least four pixels, because fonts draw nothing below that."""
    sizes = {name: max(4, round(size * unit)) for name, size in vars(scale).items()}
    return Sizes(least=max(4, round(least * unit)), **sizes)


def _box(left: float, top: float, right: float, bottom: float) -> Box:
    return (round(left), round(top), round(right), round(bottom))


def _square(left: float, top: float, side: float) -> Box:
    return (round(left), round(top), round(left) + round(side), round(top) + round(side))


def _even(left: float, top: float, right: float, bottom: float) -> Box:
    return (int(left) // 2 * 2, int(top) // 2 * 2, int(right) // 2 * 2, int(bottom) // 2 * 2)


def _mirrored(layout: FrameLayout) -> FrameLayout:
    names = ("safe", "brand", "content", "presenter", "label")
    flipped: dict[str, Any] = {name: _flip(getattr(layout, name), layout.width) for name in names}
    return replace(layout, strip=_even(*_flip(layout.strip, layout.width)), **flipped)


def _flip(box: Box, width: int) -> Box:
    return (width - box[2], box[1], width - box[0], box[3])
