"""A picture being drawn: its layout and colours, the boxes and words drawn on it,
and a record of those words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from PIL import Image, ImageDraw

from svc.media.artwork import emoji
from svc.media.colour import Colour, compute_contrast, compute_luminance, to_hex
from svc.media.drawing import rounded_box, typesetting
from svc.media.drawing.frame_layout import Box, FrameLayout
from svc.media.drawing.looks import Look
from svc.media.drawing.palette import Palette, Surface
from svc.media.drawing.sprites import Sprite
from svc.media.drawing.typesetting import GLUE, PlacedRun, TextBlock, Typeface
from svc.media.figure.host import Host
from svc.media.model import DrawnText
from svc.media.text import direction
from svc.media.text.names import NO_NAMES, Names

# How far a word reaches up and down, and to each side of its width, in shares of the type size.
_WORD_HEIGHT, _BESIDE_WORD = 0.56, 0.08
# How far from the middle of a line its ground reaches without that of its neighbours, in shares of
# the type size.
_HALF_HEIGHT = 0.45
ALL, NONE, SAID = "all", "none", "said"
# The outline of a panel, and the shift of its shadow, in 1/1080 of the short side.
_EDGE, _SHADOW = 4, 8


@dataclass(frozen=True)
class MovingPart:
    """A clip of which one picture is drawn, or a picture that moves. ``box``: even edges. ``mask``:
    the share of it that is seen."""

    file: str
    box: Box
    mask: Image.Image


@dataclass(frozen=True)
class EnteringWord:
    """Where a piece of a text is drawn that enters when ``word`` is said,
    the index of a word of the scene.
    """

    word: int
    box: Box


@dataclass
class Canvas:
    """A picture being drawn, and the settings for all of it. ``image`` shows the part of the frame
    that begins at ``origin``."""

    image: Image.Image
    plan: FrameLayout
    look: Look
    palette: Palette
    right_to_left: bool
    scene: int = 0
    origin: tuple[int, int] = (0, 0)
    lettering: list[DrawnText] = field(default_factory=list)  # every text, in drawing order
    # 0.0 to 1.0: how far the element of the current stage has grown: a bar, a line, a counting
    # figure
    growth: float = 1.0
    language: str = ""  # a BCP 47 code, for hyphenation
    names: Names = NO_NAMES  # those of the brief, whose words stay on a line
    # The rows of each scene over which the scene's table goes, with its own; empty: the table has
    # one scene.
    table_parts: tuple[tuple[tuple[str, ...], ...], ...] = ()
    texts_before: int = 0  # framings of nothing but large type before the scene's
    account: str = ""  # the account's name
    logo: Image.Image | None = None  # the account's logo
    scenery: int = 0  # the number of that which a composed scene stands before
    # The pictures of a composed scene, which are drawn over it.
    sprites: list[Sprite] = field(default_factory=list)
    host: Host | None = None  # the presenter, who hosts what is drawn
    moving: MovingPart | None = None  # what moves while the scene is shown
    # The pieces of a text that enter as they are said.
    entering: list[EnteringWord] = field(default_factory=list)
    stage: int = -1  # of the scene; -1: before its first
    entered: str = ALL  # of those texts: "all" is drawn, "none", or all as the word that is "said"

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        """A drawing context for the image."""
        return ImageDraw.Draw(self.image)

    def make_heading_face(self, size: int, weight: int, leading: float) -> Typeface:
        """Return the look's typeface for titles and headings."""
        return Typeface(size, weight, leading, self.look.display, self.language, self.names)

    def make_text_face(self, size: int, weight: int, leading: float = 1.2) -> Typeface:
        """Return the look's typeface for all other text."""
        return Typeface(size, weight, leading, self.look.text, self.language, self.names)

    def draw_panel(self, box: Box, radius: int, surface: Surface) -> None:
        """Draw a rounded box of ``surface``, with its outline and shadow;
        nothing if the surface is transparent.
        """
        if surface.shadow and surface.opacity:
            down = self.plan.px(_SHADOW)
            paste_panel(
                self.image,
                (box[0] + down, box[1] + down, box[2] + down, box[3] + down),
                radius,
                surface.shadow,
                1.0,
            )
        if surface.edge and surface.opacity:
            paste_panel(self.image, box, radius, surface.edge, 1.0)
            thick = self.plan.px(_EDGE)
            box, radius = (
                (box[0] + thick, box[1] + thick, box[2] - thick, box[3] - thick),
                max(0, radius - thick),
            )
        if surface.opacity > 0:
            paste_panel(self.image, box, radius, surface.colour, surface.opacity)

    def draw_rule(self, box: Box, colour: Colour) -> None:
        """Draw a plain, sharp-edged box."""
        self.image.paste(colour, box)

    def find_start_edge(self, box: Box, length: int, inset: int = 0) -> tuple[int, int]:
        """Return the left and right edge of an element of ``length`` at the side of ``box``
        where reading begins.
        """
        left = box[2] - inset - length if self.right_to_left else box[0] + inset
        return left, left + length

    def draw_block(
        self, block: TextBlock, box: Box, ink: Colour, align: str = "start", part: str = "text"
    ) -> None:
        """Draw ``block`` from the top of ``box`` down."""
        face, ordered_left = block.face, self.is_ordered_left(block)
        self.draw_lines(
            [
                TextLine(
                    typesetting.place_runs(
                        line, face, box[0], box[2], align, self.right_to_left, ordered_left
                    ),
                    box[1] + (number + 0.5) * face.line_height,
                    face,
                    ink,
                    part,
                )
                for number, line in enumerate(block.lines)
            ]
        )

    def draw_block_as_said(
        self,
        block: TextBlock,
        box: Box,
        ink: Colour,
        align: str,
        part: str,
        said_by: Callable[[list[str]], list[int]],
    ) -> None:
        """Draw ``block`` as :meth:`draw_block` does; its words enter as they are said.

        ``said_by``: returns for each piece of the text in order by which word of the scene it is
        said.
        """
        face, ordered_left = block.face, self.is_ordered_left(block)
        numbers = iter(said_by([piece for line in block.lines for piece in line]))
        for row, line in enumerate(block.lines):
            words = [next(numbers) for _ in line]
            top, high = (
                box[1] + round((row + 0.5) * face.line_height),
                round(face.size * _WORD_HEIGHT),
            )
            for run in typesetting.place_runs(
                line, face, box[0], box[2], align, self.right_to_left, ordered_left
            ):
                left, right = (
                    run.x - face.size * _BESIDE_WORD,
                    run.x + typesetting.measure_word(run.text, face),
                )
                place = (int(left), top - high, round(right + face.size * _BESIDE_WORD), top + high)
                self.entering.append(EnteringWord(words[run.word], place))
        if self.entered != NONE:
            self.draw_block(
                block, box, self.palette.bright if self.entered == SAID else ink, align, part
            )

    def is_ordered_left(self, block: TextBlock) -> bool:
        """Return whether the words of ``block`` are ordered from right to left."""
        return direction.is_ordered_left(
            [word for line in block.lines for word in line], self.right_to_left
        )

    def draw_line(
        self,
        runs: Sequence[PlacedRun],
        middle: float,
        face: Typeface,
        ink: Colour,
        part: str = "text",
    ) -> None:
        """Draw ``runs`` at their places, capitals centred on ``middle``."""
        self.draw_lines([TextLine(runs, middle, face, ink, part)])

    def draw_lines(self, lines: list["TextLine"]) -> None:
        """Draw lines as one group: the text of one line does not count as the ground of another."""
        lines = [line for line in lines if line.runs]
        for line in lines:
            self._record(line)
        pen = self.pen
        for line in lines:
            for run in line.runs:
                typesetting.draw_run(pen, run, line.middle, line.face, line.ink)
                for sprite, left in typesetting.list_sprites(run, line.face):
                    sprite.paste(self.image, left, line.middle)

    def _record(self, line: "TextLine") -> None:
        """Record the text with the least favourable colour that is under it now."""
        face, (x, y) = line.face, self.origin
        ends = (run.x + typesetting.measure_word(run.text, face) for run in line.runs)
        left, right, half = (
            round(min(run.x for run in line.runs)),
            round(max(ends)),
            face.size * 0.6,
        )
        box = (left + x, round(line.middle - half) + y, right + x, round(line.middle + half) + y)
        inner = face.size * _HALF_HEIGHT
        within = (
            max(0, left),
            max(0, round(line.middle - inner)),
            min(self.image.width, right),
            min(self.image.height, round(line.middle + inner)),
        )
        if within[0] >= within[2] or within[1] >= within[3]:
            return
        # The least and the greatest value of each band.
        extremes: Any = self.image.crop(within).getextrema()
        darkest, lightest = (tuple(channel[end] for channel in extremes) for end in (0, 1))
        ground: Colour = min(darkest, lightest, key=lambda colour: _closeness(line.ink, colour))
        in_order = groupby(sorted(line.runs, key=lambda run: run.at), key=lambda run: run.word)
        words = ("".join(run.text for run in runs) for _, runs in in_order)
        text = " ".join(words).replace(f" {GLUE}", "").removeprefix(GLUE)
        self.lettering.append(
            DrawnText(
                self.scene,
                line.part,
                text,
                box,
                face.size,
                face.weight,
                to_hex(line.ink),
                to_hex(ground),
                round(compute_contrast(line.ink, ground), 2),
                emoji.undrawable_characters(text),
            )
        )


@dataclass(frozen=True)
class TextLine:
    """The runs of words with their places, and with capitals centred on ``middle``."""

    runs: Sequence[PlacedRun]
    middle: float
    face: Typeface
    ink: Colour
    part: str = "text"


def paste_panel(image: Image.Image, box: Box, radius: int, colour: Colour, opacity: float) -> None:
    """Paste a rounded box with smooth corners onto ``image`` with ``opacity`` (0.0 to 1.0)."""
    width, height = max(1, box[2] - box[0]), max(1, box[3] - box[1])
    mask = rounded_box.draw_mask(width, height, radius, round(255 * opacity))
    image.paste(colour, (box[0], box[1]), mask)


def _closeness(ink: Colour, ground: Colour) -> float:
    """Return the difference in luminance: the smaller, the less legible."""
    return abs(compute_luminance(ink) - compute_luminance(ground))
