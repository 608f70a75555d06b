"""A picture that is being drawn: its composition, its colours, and the rounded boxes that everything stands on."""

from dataclasses import dataclass

from PIL import Image, ImageDraw

from svc.media.backdrop import NIGHT
from svc.media.colour import WHITE, Colour, legible, mix
from svc.media.composition import Box, Composition

SPOKEN: Colour = mix(WHITE, NIGHT, 0.26)  # text that has been spoken
WAITING: Colour = mix(WHITE, NIGHT, 0.46)  # text that waits; still 4.5:1 on a panel
_FINER = 4  # masks are drawn this many times larger, then reduced: smooth edges


@dataclass(frozen=True)
class Canvas:
    """A picture that is being drawn, and what holds for the whole of it."""

    image: Image.Image
    plan: Composition
    accent: Colour
    right_to_left: bool

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)

    @property
    def solid(self) -> Colour:
        """The accent as a surface that can be seen on the dark ground (WCAG 2.2, 1.4.11: 3:1)."""
        return legible(self.accent, NIGHT, 3.0)

    @property
    def bright(self) -> Colour:
        """The accent, light enough to be read on the dark ground."""
        return legible(self.accent, mix(NIGHT, self.accent, 0.3))


def panel(image: Image.Image, box: Box, radius: int, colour: Colour, opacity: float) -> None:
    """A rounded box with smooth corners, laid over ``image`` with ``opacity`` (0.0 to 1.0)."""
    width, height = max(1, box[2] - box[0]), max(1, box[3] - box[1])
    mask = Image.new("L", (width * _FINER, height * _FINER))
    shape = [0, 0, mask.width - 1, mask.height - 1]
    ImageDraw.Draw(mask).rounded_rectangle(shape, radius * _FINER, fill=round(255 * opacity))
    image.paste(colour, (box[0], box[1]), mask.reduce(_FINER))
