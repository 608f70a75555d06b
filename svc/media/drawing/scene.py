"""Rendering a scene: the whole picture, and the two tiles that change with words, captions and presenter."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from svc.base.text import languages
from svc.media import fonts
from svc.media.captions.captions import Cue
from svc.media.drawing import avatar as avatar_drawing
from svc.media.drawing import caption_strip, images, looks, typesetting
from svc.media.drawing.backdrop import backdrop
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.chrome import draw_chrome, draw_progress
from svc.media.drawing.colour import parse
from svc.media.drawing.frame_layout import Box, FrameLayout, frame_size, lay_out
from svc.media.drawing.looks import Look
from svc.media.drawing.palette import palette
from svc.media.model import DrawnText, Lettering, Rendition, Script, VideoBrief
from svc.media.pictures.shown import shown
from svc.media.slides import slide
from svc.media.text import tokens

_POSTER_TITLE = 1.25  # times the size of a title


@dataclass(frozen=True)
class Tile:
    """A part of the picture: RGB pixels and the position of their top left corner (even, for 4:2:0 chroma)."""

    left: int
    top: int
    pixels: np.ndarray  # (height, width, 3) of uint8


class SceneRenderer:
    """Draws one programme in one frame size. Not thread-safe."""

    def __init__(self, brief: VideoBrief, script: Script, rendition: Rendition, folder: Path | None = None):
        """``folder``: where uploaded pictures are; None: draw their descriptions instead."""
        self.script, self._folder = shown(brief, script), folder
        language = languages.find(brief.language)
        self.right_to_left = language is not None and language.direction == "rtl"
        self.look = _fitted(looks.find(brief.look), script)
        width, height = frame_size(rendition)
        self.plan: FrameLayout = lay_out(width, height, self.right_to_left, self.look, rendition.safe)
        self.accent = parse(brief.accent)
        second = parse(brief.second_colour) if brief.second_colour else None
        self.palette = palette(self.look, brief.theme, self.accent, second)
        self.highlight = self.palette.highlight
        self._brief = brief
        self._texts: dict[DrawnText, None] = {}  # an ordered set
        self._account = fonts.drawable(brief.account_name)
        self._logo_image = images.open_image(folder / brief.logo) if brief.logo and folder else None
        self._ground = Image.fromarray(backdrop(width, height, self.look.ground, self.palette, self.right_to_left))
        paper = self.look.ground == "paper"  # its column is for the presenter
        self._backdrop = Image.new("RGB", (width, height), self.palette.ground) if paper else self._ground.copy()
        canvas = self._canvas(self._ground)
        self._logo = draw_chrome(canvas, brief, folder)
        self._uploaded = self._portrait()
        self._paste_avatar(self._ground, (0, 0), avatar_drawing.Face())
        self._chrome = tuple(canvas.lettering)
        self._strip_ground = self._ground.crop(self.plan.strip)

    @property
    def shows_upload(self) -> bool:
        """Whether an uploaded portrait replaces the drawn face."""
        return self._uploaded is not None

    def picture(self, scene: int, stage: int = slide.NOTHING_YET) -> np.ndarray:
        """Return scene ``scene`` without captions, the presenter's mouth shut: ``(height, width, 3)`` RGB, uint8."""
        canvas = self._canvas(self._ground.copy(), scene)
        draw_progress(canvas, len(self.script.scenes), scene, self._logo)
        slide.draw(canvas, self.script.scenes[scene], stage, self._folder)
        self._texts.update(dict.fromkeys(canvas.lettering))
        return np.asarray(canvas.image)

    def poster(self) -> np.ndarray:
        """Return the first scene without presenter and captions, for thumbnails: the picture fills the frame."""
        plan = self.plan
        left, _, right, bottom = plan.safe
        box = (left, plan.brand[3] + plan.px(60), right, bottom)
        larger = replace(plan.sizes, title=round(plan.sizes.title * _POSTER_TITLE))
        canvas = replace(self._canvas(self._backdrop.copy()), plan=replace(plan, content=box, sizes=larger))
        face = canvas.text_face(plan.sizes.label, 650)
        name = typesetting.fit(self._account, right - left, face.line_height, face, plan.sizes.least)
        canvas.block(name, (left, plan.brand[1], right, bottom), self.palette.bright, part="name")
        slide.draw(canvas, self.script.scenes[0], slide.NOTHING_YET, self._folder)
        return np.asarray(canvas.image)

    def caption(self, cue: Cue | None, word: int | None = None) -> Tile:
        """Return the strip with ``cue`` on it and ``word`` (index into the scene's words) highlighted; empty without a cue."""
        image = self._strip_ground.copy()
        left, top = self.plan.strip[:2]
        if cue is not None:
            canvas = self._canvas(image, cue.scene, (left, top))
            words = self.script.scenes[cue.scene].words
            caption_strip.draw(
                canvas, [[(index, tokens.drawable(words[index]) or " ") for index in line] for line in cue.lines], word
            )
            self._texts.update(dict.fromkeys(canvas.lettering))
        return Tile(left, top, np.asarray(image))

    def presenter(self, face: avatar_drawing.Face = avatar_drawing.Face()) -> Tile:
        """Return the square around the presenter."""
        left, top, right, bottom = self._presenter_tile()
        image = self._ground.crop((left, top, right, bottom))
        self._paste_avatar(image, (left, top), face)
        return Tile(left, top, np.asarray(image))

    def drain_texts(self) -> tuple[DrawnText, ...]:
        """Return and clear the texts drawn on scenes and captions since the last call."""
        texts, self._texts = tuple(self._texts), {}
        return texts

    def lettering(self, texts) -> Lettering:
        """Return the record of ``texts``, from :meth:`drain_texts`, with the texts that are the same in every scene."""
        return Lettering(self.plan.width, self.plan.height, self.plan.safe, (*self._chrome, *texts))

    def _canvas(self, image: Image.Image, scene: int = 0, origin: tuple[int, int] = (0, 0)) -> Canvas:
        return Canvas(
            image, self.plan, self.look, self.palette, self.right_to_left, scene, origin,
            language=self._brief.language, account=self._account, logo=self._logo_image,
        )  # fmt: skip

    def _presenter_tile(self) -> Box:
        left, top, right, bottom = self.plan.presenter
        return (left // 2 * 2, top // 2 * 2, (right + 1) // 2 * 2, (bottom + 1) // 2 * 2)

    def _paste_avatar(self, image: Image.Image, origin: tuple[int, int], face: avatar_drawing.Face) -> None:
        left, top, right, _ = self.plan.presenter
        drawn = self._uploaded or avatar_drawing.portrait(
            self._brief.avatar, self.palette.solid, right - left, face, self.look.frame
        )
        image.paste(drawn, (left - origin[0], top - origin[1]), drawn)

    def _portrait(self) -> Image.Image | None:
        """Return the uploaded portrait, if there is a readable one."""
        name, size = self._brief.avatar.portrait, self.plan.presenter[2] - self.plan.presenter[0]
        upload = images.open_image(self._folder / name) if name and self._folder else None
        if upload is None:
            return None
        ground = Image.new("RGBA", (size, size), self.palette.solid)
        ground.alpha_composite(images.crop_to_fill(upload, size, size))
        return avatar_drawing.framed(ground, self.palette.solid, self.look.frame)


def _fitted(look: Look, script: Script) -> Look:
    """Return ``look`` in families with every letter of ``script``, so that all of its words look alike."""
    drawn = {tokens.drawable(text) for scene in script.scenes for text in (scene.heading, *scene.words)}
    text = "".join({letter for text in drawn for letter in text})
    families = {role: fonts.family_for(text, getattr(look, role)) for role in ("display", "text")}
    found: dict[str, Any] = {role: family for role, family in families.items() if fonts.has_all(text, family)}
    return replace(look, **found)
