"""Drawing a scene: the whole picture, and the two tiles on it that change with the words, captions and presenter."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from svc.base import languages
from svc.media import avatar, fonts, layouts, typesetting
from svc.media.backdrop import NIGHT, backdrop
from svc.media.canvas import Canvas, panel
from svc.media.captions import Cue
from svc.media.colour import AMBER, BLACK, WHITE, legible, mix, parse, vivid
from svc.media.composition import Box, Composition, compose, size_of
from svc.media.programme import Brief, Rendition, Script
from svc.media.typesetting import Face

_STRIP_OPACITY = 0.62
_LONGEST_NAME = 40  # characters of an account's or presenter's name that are worth setting


@dataclass(frozen=True)
class Tile:
    """A part of the picture: RGB pixels, and where their top left corner stands (even, for 4:2:0 chroma)."""

    left: int
    top: int
    pixels: np.ndarray  # (height, width, 3) of uint8


class Studio:
    """Draws one programme in one frame size. Not for use by two threads at once."""

    def __init__(self, brief: Brief, script: Script, rendition: Rendition):
        self.script = script
        language = languages.find(brief.language)
        self.right_to_left = language is not None and language.direction == "rtl"
        width, height = size_of(rendition)
        self.plan: Composition = compose(width, height, self.right_to_left)
        self.accent = parse(brief.accent)
        self._brief = brief
        self._ground = Image.fromarray(backdrop(width, height, self.accent))
        self._furnish()
        self._strip_ground = self._ground.crop(self.plan.strip)
        self._caption_ground = mix(NIGHT, BLACK, 0.5)
        highlight = legible(self.accent, self._caption_ground, 5.5)
        self.highlight = highlight if vivid(highlight) else AMBER  # the current word, on the strip

    def picture(self, scene: int, stage: int = layouts.NOTHING_YET) -> np.ndarray:
        """Scene ``scene`` without captions, the presenter's mouth shut: ``(height, width, 3)`` RGB of uint8."""
        canvas = self._canvas(self._ground.copy())
        self._progress(canvas, scene)
        layouts.draw(canvas, self.script.scenes[scene], stage)
        return np.asarray(canvas.image)

    def caption(self, cue: Cue | None, word: int | None = None) -> Tile:
        """The strip with ``cue`` on it, ``word`` (index into the scene's words) highlighted; bare without a cue."""
        image = self._strip_ground.copy()
        if cue is not None:
            self._draw_cue(image, cue, word)
        return Tile(self.plan.strip[0], self.plan.strip[1], np.asarray(image))

    def presenter(self, mouth: int = avatar.SHUT) -> Tile:
        """The square around the presenter's circle."""
        left, top, right, bottom = self._presenter_tile()
        image = self._ground.crop((left, top, right, bottom))
        self._paste_avatar(image, (left, top), mouth)
        return Tile(left, top, np.asarray(image))

    def _canvas(self, image: Image.Image) -> Canvas:
        return Canvas(image, self.plan, self.accent, self.right_to_left)

    def _presenter_tile(self) -> Box:
        left, top, right, bottom = self.plan.presenter
        return (left // 2 * 2, top // 2 * 2, (right + 1) // 2 * 2, (bottom + 1) // 2 * 2)

    def _furnish(self) -> None:
        """What is the same in every scene: presenter, name label, account name."""
        self._paste_avatar(self._ground, (0, 0), avatar.SHUT)
        canvas, plan = self._canvas(self._ground), self.plan
        left, top, right, bottom = plan.label
        half = (bottom - top) // 2
        name = self._line(self._brief.avatar.name, right - left, Face(plan.sizes.label, 650))
        self._text(canvas, name, (left, top, right, top + half), WHITE, plan.label_align)
        account = self._line(self._brief.account_name, right - left, Face(plan.sizes.small, 500))
        self._text(canvas, account, (left, top + half, right, bottom), canvas.bright, plan.label_align)

    def _line(self, text: str, width: int, face: Face) -> typesetting.Block:
        lacking = fonts.covers(text)
        short = " ".join("".join(each for each in text if each not in lacking).split())[:_LONGEST_NAME]
        return typesetting.fit(short, width, face.line_height, face, max(4, face.size * 2 // 3))

    def _text(self, canvas: Canvas, block: typesetting.Block, box: Box, fill, align: str = "start") -> None:
        left, top, right, bottom = box
        where = (left, top + (bottom - top - block.height) // 2, right, bottom)
        typesetting.draw_block(canvas.pen, block, where, fill, align, self.right_to_left)

    def _paste_avatar(self, image: Image.Image, origin: tuple[int, int], mouth: int) -> None:
        left, top, right, _ = self.plan.presenter
        face = avatar.portrait(self._brief.avatar, self.accent, right - left, mouth)
        image.paste(face, (left - origin[0], top - origin[1]), face)

    def _progress(self, canvas: Canvas, scene: int) -> None:
        """One short dash a scene along the top; those that have begun are bright."""
        left, top, right, bottom = self.plan.brand
        count, gap = len(self.script.scenes), self.plan.px(10)
        width = (right - left - gap * (count - 1)) / count
        middle, thick = (top + bottom) // 2, self.plan.px(6)
        for number in range(count):
            place = count - 1 - number if self.right_to_left else number
            x = round(left + place * (width + gap))
            dash = (x, middle - thick // 2, max(x + 1, round(x + width)), middle - thick // 2 + thick)
            colour = canvas.bright if number == scene else mix(NIGHT, canvas.bright, 0.5 if number < scene else 0.2)
            panel(canvas.image, dash, thick // 2, colour, 1.0)

    def _draw_cue(self, image: Image.Image, cue: Cue, word: int | None) -> None:
        words = self.script.scenes[cue.scene].words
        lines = [[(index, words[index]) for index in line] for line in cue.lines]
        face = self._caption_face([[text for _, text in line] for line in lines])
        self._draw_strip(image, lines, face)
        pen, y = ImageDraw.Draw(image), (image.height - (len(lines) - 1) * face.line_height) / 2
        for line in lines:
            texts = [text for _, text in line]
            places = typesetting.place(texts, face, 0, image.width, "centre", self.right_to_left)
            for (index, text), x in zip(line, places, strict=True):
                typesetting.draw_word(pen, text, x, y, face, self.highlight if index == word else WHITE)
            y += face.line_height

    def _caption_face(self, lines: list[list[str]]) -> Face:
        """The caption size, or a smaller one in which the longest line fits the strip."""
        left, top, right, bottom = self.plan.strip
        room, tall = right - left - self.plan.px(72), bottom - top - self.plan.px(24)
        size = min(self.plan.sizes.caption, int(tall / (1.3 * len(lines))))
        wanted = Face(size, 650, 1.3)
        widest = max(typesetting.line_width(line, wanted) for line in lines)
        return wanted if widest <= room else Face(max(1, int(size * room / widest)), 650, 1.3)

    def _draw_strip(self, image: Image.Image, lines, face: Face) -> None:
        """The dark ground behind a caption, as wide as its longest line."""
        widest = max(typesetting.line_width([text for _, text in line], face) for line in lines)
        half = min(image.width / 2, widest / 2 + self.plan.px(36))
        tall = min(image.height / 2, len(lines) * face.line_height / 2 + self.plan.px(12))
        middle = (image.width / 2, image.height / 2)
        box = (round(middle[0] - half), round(middle[1] - tall), round(middle[0] + half), round(middle[1] + tall))
        panel(image, box, self.plan.px(20), self._caption_ground, _STRIP_OPACITY)
