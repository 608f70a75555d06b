"""Rendering a scene: the whole picture, and the two tiles that change with words,
captions and presenter.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from svc.base.text import languages
from svc.media import fonts
from svc.media.brand_kit import BrandKit
from svc.media.captions.captions import Cue
from svc.media.clips.player import Screen
from svc.media.colour import WHITE, Colour, compute_contrast, parse_colour
from svc.media.drawing import ambience, caption_strip, images, looks, sprites, typesetting
from svc.media.drawing.backdrop import draw_backdrop
from svc.media.drawing.canvas import ALL, Canvas, EnteringWord, MovingPart
from svc.media.drawing.chrome import draw_chrome, draw_progress
from svc.media.drawing.frame_layout import Box, FrameLayout, find_frame_size, lay_out
from svc.media.drawing.looks import Look
from svc.media.drawing.palette import build_palette, choose_ink
from svc.media.drawing.sprites import Sprite
from svc.media.figure import avatar as avatar_drawing
from svc.media.figure.host import Host
from svc.media.model import DrawnText, Lettering, Rendition, Script, VideoBrief
from svc.media.motion.casts import Cast, Casts
from svc.media.motion.gestures import find_calm_scenes
from svc.media.pictures.shown import script_as_shown
from svc.media.slides import composed, framings, hosting, prose, slide, tables
from svc.media.slides.sceneries import choose_sceneries
from svc.media.text import columns, long_words, names, tokens
from svc.media.video import lower_third

_POSTER_TITLE = 1.25  # times the size of a title

_FACE_HEIGHT = 0.36  # of a portrait's height: where a face usually is
_PORTRAIT_ZOOM = 1.08  # how much larger than its frame an uploaded portrait is, to come nearer
_PORTRAIT_STEPS = 3  # of the drift for one of the portrait
_BADGE_LEGIBLE = 3.5  # contrast of white with a badge, whose letter is large


@dataclass(frozen=True)
class Tile:
    """A part of the picture: RGB pixels and the position of their top left corner (even,
    for 4:2:0 chroma).
    """

    left: int
    top: int
    pixels: np.ndarray  # (height, width, 3) of uint8


@dataclass(frozen=True)
class _Ground:
    """The ground of pictures before one scenery, with the presenter and what else all of them
    show.
    """

    picture: Image.Image
    plain: np.ndarray  # without anything on it: RGB of shape (height, width, 3)
    behind_presenter: Image.Image
    behind_captions: Image.Image
    chrome: tuple[DrawnText, ...]  # the texts on it
    logo: int  # the width of the logo at the end of the brand row


class SceneRenderer:
    """Draws one programme in one frame size. Not thread-safe."""

    def __init__(
        self, brief: VideoBrief, script: Script, rendition: Rendition, folder: Path | None = None
    ):
        """``folder``: where uploaded pictures are; None: draw their descriptions instead."""
        self.script, self._folder = script_as_shown(brief, script), folder
        self.shows_figure = brief.avatar.is_shown
        self.right_to_left = languages.is_right_to_left(brief.language)
        self.look = _apply_brand_font(
            _fit_look(looks.find_look(brief.look), script), brief.brand, folder
        )
        width, height = find_frame_size(rendition)
        self.plan: FrameLayout = lay_out(
            width, height, self.right_to_left, self.look, rendition.safe, self.shows_figure
        )
        self.accent = parse_colour(brief.accent)
        second = parse_colour(brief.second_colour) if brief.second_colour else None
        self.palette = build_palette(self.look, brief.theme, self.accent, second)
        self.highlight = self.palette.highlight
        self._brief = brief
        self._texts: dict[DrawnText, None] = {}  # an ordered set
        self._account = fonts.drop_undrawable(brief.account_name)
        self.names = names.find_names(
            (each for scene in self.script.scenes for each in prose.list_sentences(scene)),
            brief.language,
        )
        self._logo_image = images.open_image(folder / brief.logo) if brief.logo and folder else None
        # By the index of a scene that was drawn: what moves in it.
        self.moving: dict[int, MovingPart] = {}
        self._casts: dict[int, Cast] = {}
        self._standing: dict[int, Sprite] = {}
        self._calm = find_calm_scenes(self.script)
        self._table_parts = tables.list_parts(self.script.scenes)
        self._texts_before = framings.count_texts_alone(self.script.scenes)
        self._sceneries = choose_sceneries(self.script.scenes) if self.is_composed else ()
        self._grounds: dict[int, _Ground] = {}  # by the number of a scenery: the last two
        self._progress: tuple[int, Image.Image] | None = None  # of the scene drawn last
        self._upload = self._load_portrait()
        self._hosted = (
            hosting.find_hosted_scenes(self.script, self.is_composed)
            if self.look.host and self.draws_face
            else frozenset()
        )

    def find_scenery(self, scene: int) -> int:
        """Return the number of the scenery that a scene stands before: 0 in looks that have one
        ground.
        """
        return self._sceneries[scene] if 0 <= scene < len(self._sceneries) else 0

    def describe_surroundings(self, scene: int) -> list[Any]:
        """Return what the pictures of a scene take from the rest of the script, as JSON values,
        for the keys of caches. What its own pictures do not show is left out: an edit elsewhere
        would have them drawn again.
        """
        content = self.script.scenes[scene]
        takes_turn = self.is_composed and composed.takes_turn(content)
        text = repr(content)
        return [
            self.find_scenery(scene),
            self._texts_before[scene] % composed.TURNS if takes_turn else None,
            scene in self._hosted,
            scene in self._hosted and self._calm[scene],  # the face in the corner is in the states
            self._table_parts.get(scene, ()),
            sorted(name for name in self.names if all(word in text for word in name)),
        ]

    def _ground(self, scenery: int = 0) -> _Ground:
        if scenery not in self._grounds:
            while len(self._grounds) > 1:
                del self._grounds[next(iter(self._grounds))]
            self._grounds[scenery] = self._draw_ground(scenery)
        return self._grounds[scenery]

    def _draw_ground(self, scenery: int) -> _Ground:
        plain = (
            draw_backdrop(
                self.plan.width,
                self.plan.height,
                self.look.ground,
                self.palette,
                self.right_to_left,
                self.plan,
                scenery,
            )
            if self.shows_figure or not self._is_ground_around
            else np.asarray(self._sheet())
        )
        picture = Image.fromarray(
            plain if self.palette.sky else ambience.draw_discs(plain, self.palette.ground)
        )
        canvas = self._canvas(picture)
        logo = draw_chrome(canvas, self._brief, self._folder)
        behind_presenter = picture.crop(self._presenter_tile())
        self._paste_avatar(picture, (0, 0), avatar_drawing.Face())
        behind_captions = picture.crop(self.plan.strip)
        return _Ground(
            picture, plain, behind_presenter, behind_captions, tuple(canvas.lettering), logo
        )

    @property
    def _is_ground_around(self) -> bool:
        """Whether what the ground shows is meant for the presenter."""
        return self.look.ground not in ("glow", "shapes", "horizon")

    def _sheet(self) -> Image.Image:
        return Image.new("RGB", (self.plan.width, self.plan.height), self.palette.ground)

    @property
    def shows_upload(self) -> bool:
        """Whether an uploaded portrait replaces the drawn face."""
        return self._upload is not None

    @property
    def draws_face(self) -> bool:
        """Whether the presenter's face is drawn, and neither uploaded nor left out."""
        return self.shows_figure and not self.shows_upload

    @property
    def presenter_box(self) -> Box:
        """Return the box of the tile with the presenter."""
        return self._presenter_tile()

    def draw_grounds(self, scenery: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the ground of every picture before a scenery, its backdrop without discs,
        and the backdrop as if a disc covered all of it; a sky has no discs.
        """
        ground = self._ground(scenery)
        plain = ground.plain
        under = plain if self.palette.sky else ambience.shade_ground(plain, self.palette.ground)
        return np.asarray(ground.picture), plain, under

    def picture(
        self,
        scene: int,
        stage: int = slide.NOTHING_YET,
        growth: float = 1.0,
        with_sprites: bool = True,
        entered: str = ALL,
    ) -> np.ndarray:
        """Return scene ``scene`` without captions, the presenter's mouth shut:
        ``(height, width, 3)`` RGB, uint8.

        ``growth``: how far the element of the stage has grown (0.0 to 1.0). ``with_sprites``: with
        those of :meth:`find_cast`. ``entered``: of the words that enter as they are said, as in
        Canvas.
        """
        canvas = self._draw_stage(scene, stage, growth, entered)
        if with_sprites:
            sprites.paste_sprites(canvas.image, canvas.sprites)
        return np.asarray(canvas.image)

    def list_entering_words(self, scene: int, stage: int) -> tuple[EnteringWord, ...]:
        """Return the words that enter as they are said in the picture of a stage;
        none in other looks than composed ones.
        """
        return tuple(self._lay_out(scene, stage).entering) if self.is_composed else ()

    @property
    def marks_words(self) -> bool:
        """Whether the word that is being said stands out."""
        return self._brief.caption_style != "plain"

    def list_words_in_type(self) -> list[frozenset[int]]:
        """Return for each scene the words that its picture shows in large type while they are said;
        nothing in other looks.
        """
        return (
            [framings.find_words_without_captions(scene) for scene in self.script.scenes]
            if self.is_composed
            else []
        )

    def list_cuts(self) -> list[frozenset[int]]:
        """Return for each scene the words with which it is framed anew; nothing in other looks."""
        return (
            [framings.find_words_at_cuts(scene) for scene in self.script.scenes]
            if self.is_composed
            else []
        )

    def list_stages(self, scene: int) -> tuple[int, ...]:
        """Return the index of the word at which each stage of a scene begins."""
        return slide.list_stages(self.script.scenes[scene], self.is_composed)

    def find_drawn_stage(self, scene: int, stage: int) -> int:
        """Return the stage that is drawn as ``stage`` is: a framing is there before its first
        word is said.
        """
        return max(0, stage) if self.is_framed(scene) else stage

    def is_framed(self, scene: int) -> bool:
        """Return whether a scene is shown in framings, each of which replaces the text of
        the one before.
        """
        return self.is_composed and bool(framings.list_framings(self.script.scenes[scene]))

    def depends_on_growth(self, scene: int, stage: int) -> bool:
        """Return whether the drawing of a stage may depend on how far its element has grown."""
        return slide.depends_on_growth(self.script.scenes[scene], stage, self.is_composed)

    def is_hosted(self, scene: int, stage: int) -> bool:
        """Return whether the presenter hosts a stage of a scene."""
        return (
            scene in self._hosted
            and hosting.has_room(self.script.scenes[scene], self.plan, self.is_composed)
            and (
                not self.is_framed(scene)
                or self.find_drawn_stage(scene, stage)
                < hosting.count_framings(self.script.scenes[scene])
            )
        )

    def list_hosted_scenes(self) -> frozenset[int]:
        """Return the scenes that the presenter hosts, if only until their second framing."""
        return frozenset(scene for scene in self._hosted if self.is_hosted(scene, 0))

    def find_standing_host(self, scene: int) -> Sprite | None:
        """Return the host of a scene in looks that do not compose theirs, where nothing moves in
        it but the host; None if there is none.
        """
        if self.is_composed or not self.is_hosted(scene, slide.NOTHING_YET):
            return None
        if scene not in self._standing:
            drawn = self._lay_out(scene, slide.NOTHING_YET).sprites
            self._standing[scene] = next(each for each in drawn if each.host)
        return self._standing[scene]

    def find_cast(self, scene: int) -> Cast | None:
        """Return the pictures of a composed scene; None in other looks."""
        if not self.is_composed:
            return None
        if scene not in self._casts:
            content = self.script.scenes[scene]
            count = len(framings.list_framings(content)) or 1
            stages = [self._lay_out(scene, stage).sprites for stage in range(count)]
            is_still = all(
                sprite.name in (sprites.BALL, sprites.HOST) for stage in stages for sprite in stage
            )
            self._casts[scene] = Cast.from_stages(stages, is_still)
        return self._casts[scene]

    def list_casts(self) -> Casts:
        """Return the pictures of all composed scenes."""
        each = ((scene, self.find_cast(scene)) for scene in range(len(self.script.scenes)))
        return Casts({scene: cast for scene, cast in each if cast}, self.plan.unit)

    @property
    def is_composed(self) -> bool:
        """Whether the look composes its scenes of pictures that move."""
        return bool(self.palette.sky)

    def make_screen(self, part: MovingPart) -> Screen:
        """Return what shows one of :attr:`moving`."""
        return Screen((self._folder or Path()) / part.file, part.box[0], part.box[1], part.mask)

    def find_portrait_step(self, step: int) -> int:
        """Return the step of the drift that an uploaded portrait shows;
        a drawn one does not drift.
        """
        return step // _PORTRAIT_STEPS * _PORTRAIT_STEPS if self.shows_upload else 0

    def _lay_out(self, scene: int, stage: int) -> Canvas:
        """Return the canvas of a stage, for what is on it."""
        canvas = self._canvas(self._copy_ground(scene), scene)
        canvas.host = self._host(scene, stage)
        slide.draw(canvas, self.script.scenes[scene], stage, self._folder)
        return canvas

    def _copy_ground(self, scene: int) -> Image.Image:
        return self._ground(self.find_scenery(scene)).picture.copy()

    def _host(self, scene: int, stage: int) -> Host | None:
        if not self.is_hosted(scene, stage):
            return None
        face = avatar_drawing.make_still_face(self._calm[scene])
        return Host(self._brief.avatar, self.palette.solid, self.right_to_left, face)

    def _draw_stage(self, scene: int, stage: int, growth: float, entered: str = ALL) -> Canvas:
        canvas = self._canvas(self._copy_ground(scene), scene)
        canvas.growth, canvas.entered = growth, entered
        canvas.host = self._host(scene, stage)
        self._draw_progress(canvas, scene)
        slide.draw(canvas, self.script.scenes[scene], stage, self._folder)
        if canvas.moving:
            self.moving[scene] = canvas.moving
        self._texts.update(dict.fromkeys(canvas.lettering))
        return canvas

    def _draw_progress(self, canvas: Canvas, scene: int) -> None:
        """Draw the programme's progress, as it was drawn if ``scene`` is that of the last picture:
        many pictures of a scene are drawn while something in it grows.
        """
        _, top, _, bottom = self.plan.brand
        if self._progress is None or self._progress[0] != scene:
            logo = self._ground(canvas.scenery).logo
            draw_progress(canvas, len(self.script.scenes), scene, logo)
            self._progress = scene, canvas.image.crop((0, top, canvas.image.width, bottom))
        canvas.image.paste(self._progress[1], (0, top))

    def draw_poster(self) -> np.ndarray:
        """Return the first scene without presenter and captions, for thumbnails:
        the picture fills the frame.
        """
        plan = self.plan
        left, _, right, bottom = plan.safe
        box = (left, plan.brand[3] + plan.px(60), right, bottom)
        larger = replace(plan.sizes, title=round(plan.sizes.title * _POSTER_TITLE))
        canvas = replace(
            self._canvas(
                self._sheet() if self._is_ground_around else Image.fromarray(self._ground().plain)
            ),
            plan=replace(plan, content=box, sizes=larger),
        )
        face = canvas.make_text_face(plan.sizes.label, 650)
        name = typesetting.fit_text(
            self._account, right - left, face.line_height, face, plan.sizes.least
        )
        canvas.draw_block(
            name, (left, plan.brand[1], right, bottom), self.palette.bright, part="name"
        )
        slide.draw(canvas, self.script.scenes[0], slide.NOTHING_YET, self._folder)
        sprites.paste_sprites(canvas.image, canvas.sprites)
        return np.asarray(canvas.image)

    def draw_caption(self, cue: Cue | None, word: int | None = None) -> Tile:
        """Return the strip with ``cue`` on it and ``word`` (index into the scene's words)
        highlighted; empty without a cue.
        """
        image = self._ground(self.find_scenery(cue.scene if cue else 0)).behind_captions.copy()
        left, top = self.plan.strip[:2]
        if cue is not None:
            canvas = self._canvas(image, cue.scene, (left, top))
            words = long_words.shorten_for_pictures(self.script.scenes[cue.scene].words)
            lines = [[index for index in line if words[index] != tokens.GLUE] for line in cue.lines]
            while word and words[word] == tokens.GLUE:  # of an address, which is its host
                word -= 1
            caption_strip.draw_strip(
                canvas,
                [
                    [(index, tokens.make_drawable(words[index]) or " ") for index in line]
                    for line in lines
                    if line
                ],
                word,
            )
            self._texts.update(dict.fromkeys(canvas.lettering))
        return Tile(left, top, np.asarray(image))

    def draw_presenter(
        self, face: avatar_drawing.Face = avatar_drawing.Face(), step: int = 0, scenery: int = 0
    ) -> Tile:
        """Return the square around the presenter, small.

        ``step``: of the drift, for an uploaded portrait. ``scenery``: the number of what is behind.
        """
        left, top = self._presenter_tile()[:2]
        image = self._ground(scenery).behind_presenter.copy()
        self._paste_avatar(image, (left, top), face, step)
        return Tile(left, top, np.asarray(image))

    def draw_badge(self, scenery: int = 0) -> Tile:
        """Return the same square with the account's initial, while the presenter hosts; empty if
        the host has this place.
        """
        left, top = self._presenter_tile()[:2]
        image = self._ground(scenery).behind_presenter.copy()
        first, above, last, _ = self.plan.presenter
        if not (self.is_composed or self.plan.stacked):
            return Tile(left, top, np.asarray(image))
        size = last - first
        drawn = avatar_drawing.draw_badge(self.palette.solid, size, self.look.frame)
        image.paste(drawn, (first - left, above - top), drawn)
        canvas = self._canvas(image, origin=(left, top))
        face = canvas.make_heading_face(round(size * 0.46), 700, 1.0)
        initial = next((letter for letter in self._account if letter.isalnum()), "").upper()
        if initial:
            block = typesetting.fit_text(initial, size, face.line_height, face, face.size)
            over = above - top + (size - block.height) // 2
            box = (first - left, over, last - left, over + block.height)
            canvas.draw_block(block, box, self._badge_ink(image), "centre", "name")
            self._texts.update(dict.fromkeys(canvas.lettering))
        return Tile(left, top, np.asarray(image))

    def _badge_ink(self, image: Image.Image) -> Colour:
        middle: Any = image.getpixel((image.width // 2, image.height // 2))
        # a badge is darker around its middle, where black is hard to see
        return WHITE if compute_contrast(WHITE, middle) >= _BADGE_LEGIBLE else choose_ink(middle)

    def draw_lower_third(self) -> Tile:
        """Return the panel with the presenter's name and role, which covers all of its box."""
        ground = self._ground()
        names = [text.box for text in ground.chrome if text.part == "name"]
        left, top, right, bottom = lower_third.lay_out_panel(
            self._canvas(ground.picture), self._brief, names
        )
        canvas = self._canvas(Image.new("RGB", (right - left, bottom - top)), origin=(left, top))
        around: Any = (
            ground.picture.crop((left, top, right, bottom))
            .resize((1, 1), Image.Resampling.BOX)
            .getpixel((0, 0))
        )
        lower_third.draw_panel(canvas, self._brief, around)
        self._texts.update(dict.fromkeys(canvas.lettering))
        return Tile(left, top, np.asarray(canvas.image))

    def drain_texts(self) -> tuple[DrawnText, ...]:
        """Return and clear the texts drawn on scenes and captions since the last call."""
        texts, self._texts = tuple(self._texts), {}
        return texts

    def record_lettering(self, texts) -> Lettering:
        """Return the record of ``texts``, from :meth:`drain_texts`,
        with the texts that are the same in every scene.
        """
        return Lettering(
            self.plan.width, self.plan.height, self.plan.safe, (*self._ground().chrome, *texts)
        )

    def _canvas(
        self, image: Image.Image, scene: int = 0, origin: tuple[int, int] = (0, 0)
    ) -> Canvas:
        return Canvas(
            image,
            self.plan,
            self.look,
            self.palette,
            self.right_to_left,
            scene,
            origin,
            language=self._brief.language,
            names=self.names,
            table_parts=self._table_parts.get(scene, ()),
            texts_before=self._texts_before[scene] if 0 <= scene < len(self._texts_before) else 0,
            account=self._account,
            logo=self._logo_image,
            scenery=self.find_scenery(scene),
        )

    def _presenter_tile(self) -> Box:
        left, top, right, bottom = self.plan.presenter
        return (left // 2 * 2, top // 2 * 2, (right + 1) // 2 * 2, (bottom + 1) // 2 * 2)

    def _paste_avatar(
        self, image: Image.Image, origin: tuple[int, int], face: avatar_drawing.Face, step: int = 0
    ) -> None:
        if not self.shows_figure:
            return
        left, top, right, _ = self.plan.presenter
        drawn = (
            self._draw_uploaded_portrait(self._upload, step)
            if self._upload
            else avatar_drawing.draw_portrait(
                self._brief.avatar, self.palette.solid, right - left, face, self.look.frame
            )
        )
        image.paste(drawn, (left - origin[0], top - origin[1]), drawn)

    def _load_portrait(self) -> Image.Image | None:
        """Return the uploaded portrait, if there is a readable one:
        cropped to a square a little larger than its frame.
        """
        name, size = self._brief.avatar.portrait, self.plan.presenter[2] - self.plan.presenter[0]
        upload = (
            images.open_image(self._folder / name)
            if name and self._folder and self.shows_figure
            else None
        )
        if upload is None:
            return None
        side = round(size * _PORTRAIT_ZOOM)
        ground = Image.new("RGBA", (side, side), self.palette.solid)
        ground.alpha_composite(images.crop_to_fill(upload, side, side, _FACE_HEIGHT))
        return ground.convert("RGB")

    def _draw_uploaded_portrait(self, upload: Image.Image, step: int) -> Image.Image:
        """Return the uploaded portrait in its frame, coming slowly nearer in the first half of a
        turn of the drift.
        """
        size, side = self.plan.presenter[2] - self.plan.presenter[0], upload.width
        near = (1 - np.cos(2 * np.pi * step / ambience.DISC_POSITIONS)) / 2
        shown = side - (side - size) * near
        left, top = (side - shown) / 2, (side - shown) * _FACE_HEIGHT
        box = (left, top, left + shown, top + shown)
        scaled = upload.resize((size, size), Image.Resampling.BICUBIC, box=box)
        return avatar_drawing.frame_picture(scaled, self.palette.solid, self.look.frame)


def _fit_look(look: Look, script: Script) -> Look:
    """Return ``look`` in families with every letter of ``script``, so that all of its words look
    alike; in a language of another script, Chinese, Japanese and Korean names are no reason to give
    up its type, as their font has one weight.
    """
    language = languages.find_language(script.language)
    is_wide = language is not None and language.is_wide
    drawn = {
        tokens.make_drawable(text)
        for scene in script.scenes
        for text in (scene.heading, *scene.words)
    }
    letters = {letter for text in drawn for letter in text}
    text = "".join(letter for letter in letters if is_wide or not columns.count_wide_signs(letter))
    families = {
        role: fonts.choose_family(text, getattr(look, role)) for role in ("display", "text")
    }
    complete: dict[str, Any] = {
        role: family for role, family in families.items() if fonts.has_all(text, family)
    }
    return replace(look, **complete)


def _apply_brand_font(look: Look, brand: BrandKit, folder: Path | None) -> Look:
    """Return ``look`` in the account's own font, if there is one;
    words that it lacks letters of are in another family.
    """
    family = fonts.find_brand_family(folder / brand.font) if brand.font and folder else ""
    return replace(look, display=family, text=family) if family else look
