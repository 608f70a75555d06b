"""The lower third: a panel over the presenter's name that shows name and role for some seconds,
early in the programme.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from svc.media import fonts
from svc.media.colour import Colour, compute_contrast, make_legible, mix
from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.frame_layout import Box, FrameLayout
from svc.media.drawing.palette import Palette, choose_ink
from svc.media.drawing.typesetting import TextBlock
from svc.media.model import Timeline, VideoBrief
from svc.media.motion import easing
from svc.media.text import tokens

PART = "lower third"  # of the texts on it
# How many seconds after the scene's start it comes, and how many it is shown at most and at least.
_LATER, _LONGEST, _SHORTEST = 0.5, 6.0, 2.0
_ENTRANCE, _EXIT = 0.5, 0.35  # seconds
# How many seconds before the end of the scene's last word its picture is compared without the
# panel.
_BEFORE_END = 0.1
# The panel's greatest height, and its insets, stripe and air, in 1/1080 of the short side.
_HEIGHT = 110
_INSET, _NARROW_INSET, _STRIPE, _AIR = 18, 10, 8, 8
_DISTINCT = 1.3  # contrast of surfaces side by side
_NAME_SHARE = 0.52  # of the panel's height
_LONGEST_NAME, _LONGEST_ROLE = 40, 60  # characters


@dataclass(frozen=True)
class Window:
    """The frames ``first`` to ``end`` (exclusive) of the programme in which the lower third of
    ``scene`` is shown.
    """

    scene: int
    first: int
    end: int

    @property
    def middle(self) -> int:
        """A frame that shows all of it."""
        return (self.first + self.end) // 2

    def compute_share(self, frame: int, frame_rate: int) -> float:
        """Return the share of the panel that is visible at ``frame``: 0.0 to 1.0."""
        if not self.first <= frame < self.end:
            return 0.0
        entered, left = frame - self.first + 1, self.end - frame
        return min(
            easing.ease_out(entered / (_ENTRANCE * frame_rate)),
            easing.ease_out(left / (_EXIT * frame_rate)),
        )


def find_shown_window(timeline: Timeline, frame_rate: int) -> Window | None:
    """Return when the lower third is shown: in the first scene in which there is time for it while
    words are spoken.

    It ends before the scene's last word does, so that no transition meets it. None: no scene is
    long enough.
    """
    for scene, timing in enumerate(timeline.scenes):
        first = round(timing.start * frame_rate) + round(_LATER * frame_rate)
        spoken = round((timing.words[-1].end - _BEFORE_END) * frame_rate) if timing.words else first
        end = min(first + round(_LONGEST * frame_rate), spoken)
        if end - first >= _SHORTEST * frame_rate:
            return Window(scene, first, end)
    return None


def lay_out_panel(canvas: Canvas, brief: VideoBrief, beneath: Iterable[Box]) -> Box:
    """Return the panel's box, with even edges: as wide as its text and as the texts in the boxes
    ``beneath``, which it covers."""
    plan = canvas.plan
    left, top, right, bottom = plan.label
    if plan.content[1] > bottom:  # a low one has the space above the content, too
        bottom = max(bottom, min(top + plan.px(_HEIGHT), plan.content[1] - plan.px(_AIR)))
    top = max(top, bottom - plan.px(_HEIGHT))
    if plan.label_align == "start":
        widths = [
            block.width + _measure_padding(plan)
            for block in _fit_texts(canvas, brief, (right - left, bottom - top))
        ]
        covered = [
            text
            for text in beneath
            if text[1] < bottom and text[3] > top and text[0] < right and text[2] > left
        ]
        widths += [right - text[0] if canvas.right_to_left else text[2] - left for text in covered]
        left, right = canvas.find_start_edge(plan.label, min(right - left, ceil(max(widths))))
    return (left // 2 * 2, top // 2 * 2, (right + 1) // 2 * 2, (bottom + 1) // 2 * 2)


def draw_panel(canvas: Canvas, brief: VideoBrief, ground: Colour) -> None:
    """Draw the panel on all of the canvas, whose origin is that of :func:`lay_out_panel`.

    ``ground``: what is around it.
    """
    plan = canvas.plan
    width, height = canvas.image.size
    stripe, inset = plan.px(_STRIPE), _measure_inset(plan)
    colour, ink, edge = _choose_colours(canvas.palette, ground)
    canvas.draw_rule((0, 0, width, height), colour)
    canvas.draw_rule(
        (width - stripe, 0, width, height) if canvas.right_to_left else (0, 0, stripe, height), edge
    )
    left, right = (
        (inset, width - inset - stripe) if canvas.right_to_left else (inset + stripe, width - inset)
    )
    name, role = _fit_texts(canvas, brief, (width, height))
    top = (height - name.height - role.height) // 2
    canvas.draw_block(name, (left, top, right, height), ink, part=PART)
    canvas.draw_block(role, (left, top + name.height, right, height), ink, part=PART)


def _choose_colours(palette: Palette, ground: Colour) -> tuple[Colour, Colour, Colour]:
    """Return the colours of panel, text and stripe: the brand's,
    or on a ground of the brand's colour, the inverse.
    """
    if compute_contrast(palette.solid, ground) < _DISTINCT:
        colour = choose_ink(ground)
        return colour, make_legible(ground, colour), mix(ground, colour, 0.4)
    edge = palette.second
    if compute_contrast(edge, palette.solid) < _DISTINCT:
        edge = mix(palette.solid, palette.on_solid, 0.5)
    return palette.solid, palette.on_solid, edge


def _fit_texts(
    canvas: Canvas, brief: VideoBrief, size: tuple[int, int]
) -> tuple[TextBlock, TextBlock]:
    """Return name and role as they fit into a panel of ``size``."""
    plan, (name, role) = canvas.plan, _choose_lines(brief)
    width, height, sizes = max(1, size[0] - _measure_padding(plan)), size[1], plan.sizes
    first = typesetting.fit_text(
        name,
        width,
        round(height * _NAME_SHARE),
        canvas.make_text_face(sizes.label, 700),
        sizes.least,
    )
    left = height - first.height - plan.px(_AIR)
    return first, typesetting.fit_text(
        role, width, left, canvas.make_text_face(sizes.small, 560), sizes.least
    )


def _choose_lines(brief: VideoBrief) -> tuple[str, str]:
    """Return name and role as they are shown; the account's name stands for a role that
    is not set.
    """
    role = brief.avatar.role or brief.account_name
    return (
        tokens.shorten(fonts.drop_undrawable(brief.avatar.name), _LONGEST_NAME),
        tokens.shorten(fonts.drop_undrawable(role), _LONGEST_ROLE),
    )


def _measure_inset(plan: FrameLayout) -> int:
    return plan.px(_INSET if plan.label_align == "start" else _NARROW_INSET)


def _measure_padding(plan: FrameLayout) -> int:
    """Return how much wider the panel is than its text."""
    return 2 * _measure_inset(plan) + plan.px(_STRIPE)
