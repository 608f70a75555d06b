"""Where things stand on a frame of any size: margins, safe zones and type sizes for wide and for tall pictures."""

from dataclasses import dataclass, replace

from svc.media.programme import Rendition

Box = tuple[int, int, int, int]  # left, top, right, bottom: pixels


@dataclass(frozen=True)
class Sizes:
    """Type sizes in pixels, largest to smallest."""

    title: int
    heading: int
    body: int
    caption: int
    label: int
    small: int
    least: int  # nothing is set smaller than this


@dataclass(frozen=True)
class Composition:
    """The boxes of one frame size. ``unit``: pixels of 1/1080 of the short side; every other measure comes from it."""

    width: int
    height: int
    unit: float
    brand: Box  # account name and the scenes' progress
    content: Box  # heading, points, text
    presenter: Box  # square: the avatar's circle
    label: Box  # the presenter's name
    label_align: str  # "start" or "centre"
    strip: Box  # captions; even edges, so that its chroma can be replaced by itself
    line_length: int  # characters in a caption line
    sizes: Sizes

    def px(self, measure: float) -> int:
        """``measure`` (in 1/1080 of the short side) in whole pixels, at least one."""
        return max(1, round(measure * self.unit))


def size_of(rendition: Rendition) -> tuple[int, int]:
    """Width and height of the pictures of ``rendition``: even, because 4:2:0 has no odd sizes."""
    return rendition.width // 2 * 2, rendition.height // 2 * 2


def compose(width: int, height: int, right_to_left: bool = False) -> Composition:
    """The composition for a frame of ``width`` × ``height`` pixels, mirrored for a language that is read from the right."""
    made = _wide(width, height) if width >= height else _tall(width, height)
    return _mirrored(made) if right_to_left else made


def _wide(width: int, height: int) -> Composition:
    """Content at the side where reading begins, presenter at the other, captions below both."""
    unit = height / 1080
    left, right = 0.05 * width, 0.95 * width
    circle = min(420 * unit, 0.24 * width)
    centre = right - circle / 2 - 20 * unit
    top = 250 * unit
    return Composition(
        width, height, unit,
        brand=_box(left, 58 * unit, right, 98 * unit),
        content=_box(left, 164 * unit, centre - circle / 2 - 84 * unit, 816 * unit),
        presenter=_box(centre - circle / 2, top, centre + circle / 2, top + circle),
        label=_box(centre - circle / 2 - 20 * unit, top + circle + 26 * unit, right, top + circle + 116 * unit),
        label_align="centre",
        strip=_even(left, 858 * unit, right, 1022 * unit),
        line_length=42,
        sizes=_sizes(unit, title=124, heading=66, body=48, caption=46, label=32, small=24),
    )  # fmt: skip


def _tall(width: int, height: int) -> Composition:
    """Everything between the top 12 % and the bottom 20 %, which short-video platforms cover with their own controls,
    and clear of the right-hand tenth, where their buttons stand."""
    unit = width / 1080
    left, right = 0.1 * width, 0.9 * width
    top, bottom = 0.125 * height, 0.8 * height
    strip_top = bottom - 212 * unit
    circle = 236 * unit
    circle_top = strip_top - 48 * unit - circle
    return Composition(
        width, height, unit,
        brand=_box(left, top, right, top + 44 * unit),
        content=_box(left, top + 112 * unit, right, circle_top - 64 * unit),
        presenter=_box(left, circle_top, left + circle, circle_top + circle),
        label=_box(left + circle + 36 * unit, circle_top + circle / 2 - 52 * unit, right, circle_top + circle / 2 + 52 * unit),
        label_align="start",
        strip=_even(left - 24 * unit, strip_top, right + 24 * unit, bottom),
        line_length=24,
        sizes=_sizes(unit, title=108, heading=76, body=48, caption=60, label=40, small=30),
    )  # fmt: skip


def _sizes(unit: float, least: int = 20, **wanted: int) -> Sizes:
    """At least four pixels: smaller than that, fonts draw nothing."""
    return Sizes(least=max(4, round(least * unit)), **{name: max(4, round(size * unit)) for name, size in wanted.items()})


def _box(left: float, top: float, right: float, bottom: float) -> Box:
    return (round(left), round(top), round(right), round(bottom))


def _even(left: float, top: float, right: float, bottom: float) -> Box:
    return (int(left) // 2 * 2, int(top) // 2 * 2, int(right) // 2 * 2, int(bottom) // 2 * 2)


def _mirrored(made: Composition) -> Composition:
    """Strip and brand span the frame evenly, so they stay."""
    flipped = {name: _flip(getattr(made, name), made.width) for name in ("content", "presenter", "label")}
    return replace(made, **flipped)


def _flip(box: Box, width: int) -> Box:
    return (width - box[2], box[1], width - box[0], box[3])
