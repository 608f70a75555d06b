"""A picture that is being drawn: its composition and colours, the boxes and words put on it, and a record of those words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from PIL import Image, ImageDraw

from svc.media import fonts, typesetting
from svc.media.colour import Colour, contrast, luminance, written
from svc.media.composition import Box, Composition
from svc.media.looks import Look
from svc.media.palette import Palette, Surface
from svc.media.programme import Lettered
from svc.media.typesetting import GLUE, Block, Face

_UNDER = 0.45  # of the size, from the middle of a line: what is its ground, and not that of its neighbours
_FINER = 4  # masks are drawn this many times larger, then reduced: smooth edges


@dataclass
class Canvas:
    """A picture that is being drawn, and what holds for the whole of it. ``image`` shows the frame from ``origin`` on."""

    image: Image.Image
    plan: Composition
    look: Look
    palette: Palette
    right_to_left: bool
    scene: int = 0
    origin: tuple[int, int] = (0, 0)
    lettering: list[Lettered] = field(default_factory=list)  # every text, in the order in which it was drawn

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)

    def heading_face(self, size: int, weight: int, leading: float) -> Face:
        return Face(size, weight, leading, self.look.display)

    def text_face(self, size: int, weight: int, leading: float = 1.2) -> Face:
        return Face(size, weight, leading, self.look.text)

    def lay(self, box: Box, radius: int, surface: Surface) -> None:
        """A rounded box of ``surface``; nothing where it is clear."""
        if surface.opacity > 0:
            panel(self.image, box, radius, surface.colour, surface.opacity)

    def rule(self, box: Box, colour: Colour) -> None:
        """A plain, sharp-edged box."""
        self.image.paste(colour, box)

    def start_edge(self, box: Box, length: int, inset: int = 0) -> tuple[int, int]:
        """The left and right of what is ``length`` long at the side of ``box`` where reading begins."""
        left = box[2] - inset - length if self.right_to_left else box[0] + inset
        return left, left + length

    def block(self, block: Block, box: Box, ink: Colour, align: str = "start", part: str = "text") -> None:
        """Draw ``block`` from the top of ``box`` down."""
        face = block.face
        self.lines([
            Line(line, typesetting.place(line, face, box[0], box[2], align, self.right_to_left),
                 box[1] + (number + 0.5) * face.line_height, face, ink, part)
            for number, line in enumerate(block.lines)
        ])  # fmt: skip

    def line(self, words, places, middle: float, face: Face, ink: Colour, part: str = "text") -> None:
        """Draw ``words`` at their ``places``, capitals centred on ``middle``."""
        self.lines([Line(words, places, middle, face, ink, part)])

    def lines(self, lines: list["Line"]) -> None:
        """Draw lines that stand together: what is written in one is no ground of the next."""
        lines = [each for each in lines if each.words]
        for each in lines:
            self._note(each)
        pen = self.pen
        for each in lines:
            for word, x in zip(each.words, each.places, strict=True):
                typesetting.draw_word(pen, word, x, each.middle, each.face, each.ink)

    def _note(self, line: "Line") -> None:
        """Record the text with the least favourable ground that is under it now."""
        face, (x, y) = line.face, self.origin
        ends = (at + typesetting.word_width(word, face) for word, at in zip(line.words, line.places, strict=True))
        left, right, half = round(min(line.places)), round(max(ends)), face.size * 0.6
        box = (left + x, round(line.middle - half) + y, right + x, round(line.middle + half) + y)
        inner = face.size * _UNDER
        within = (
            max(0, left), max(0, round(line.middle - inner)),
            min(self.image.width, right), min(self.image.height, round(line.middle + inner)),
        )  # fmt: skip
        if within[0] >= within[2] or within[1] >= within[3]:
            return
        extremes: Any = self.image.crop(within).getextrema()  # of each band: its least and its greatest
        darkest, lightest = (tuple(each[end] for each in extremes) for end in (0, 1))
        ground: Colour = min(darkest, lightest, key=lambda each: _closeness(line.ink, each))
        text = " ".join(line.words).replace(f" {GLUE}", "").removeprefix(GLUE)
        self.lettering.append(Lettered(
            self.scene, line.part, text, box, face.size, face.weight,
            written(line.ink), written(ground), round(contrast(line.ink, ground), 2), fonts.covers(text),
        ))  # fmt: skip


@dataclass(frozen=True)
class Line:
    """Words at their places (left edges), capitals centred on ``middle``."""

    words: Sequence[str]
    places: Sequence[float]
    middle: float
    face: Face
    ink: Colour
    part: str = "text"


def panel(image: Image.Image, box: Box, radius: int, colour: Colour, opacity: float) -> None:
    """A rounded box with smooth corners, laid over ``image`` with ``opacity`` (0.0 to 1.0)."""
    width, height = max(1, box[2] - box[0]), max(1, box[3] - box[1])
    mask = Image.new("L", (width * _FINER, height * _FINER))
    shape = [0, 0, mask.width - 1, mask.height - 1]
    ImageDraw.Draw(mask).rounded_rectangle(shape, radius * _FINER, fill=round(255 * opacity))
    image.paste(colour, (box[0], box[1]), mask.reduce(_FINER))


def _closeness(ink: Colour, ground: Colour) -> float:
    """Contrast if the ink is on the far side of the ground, else its shadow: the worse, the smaller."""
    return abs(luminance(ink) - luminance(ground))
