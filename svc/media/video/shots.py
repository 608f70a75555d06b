"""Turning frame changes into pictures: only the parts that have changed are drawn and converted."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from svc.media.clips.player import Screen
from svc.media.drawing.canvas import NONE, SAID, EnteringWord
from svc.media.drawing.yuv import Picture
from svc.media.figure.avatar import Face
from svc.media.model import DrawnText
from svc.media.motion import easing, entrances, transitions
from svc.media.motion.casts import SpritePosition
from svc.media.motion.drift import Drift, Ground
from svc.media.motion.entering import NOT_YET, EnteringWords
from svc.media.motion.entrances import Entrance
from svc.media.motion.layers import SpriteLayers
from svc.media.motion.lights import Lights
from svc.media.slides import slide
from svc.media.video.encoding import Shot
from svc.media.video.scene import SceneRenderer, Tile
from svc.media.video.storyboard import Fade, FrameChange, State

# The share of the time in which a figure grows after which what it replaces has vanished.
_CLEARED = 0.18
_MOST_FACES = 128  # converted tiles to keep: a mouth comes back to its shapes

Stage = tuple[int, int]  # scene and stage


@dataclass(frozen=True)
class _ConvertedTile:
    """A converted tile and the texts on it."""

    picture: Picture
    left: int
    top: int
    texts: dict[DrawnText, None]


class ShotRenderer:
    """Draws the pictures of one programme in one frame size, in the encoder's format."""

    def __init__(self, renderer: SceneRenderer, cues):
        self._renderer, self._cues = renderer, cues
        self._stages: dict[Stage, _ConvertedTile] = {}  # the last two: pictures without captions
        self._words: dict[Stage, EnteringWords | None] = {}  # of the last two
        self._bare: tuple[tuple, np.ndarray] | None = None
        # What it shows, and the picture without presenter and captions.
        self._drifted: tuple[tuple, Picture] | None = None
        # What it shows, and the picture without presenter.
        self._whole: tuple[tuple, Picture] | None = None
        # What it shows, and the picture with what moves in it.
        self._moved: tuple[tuple, Picture] | None = None
        self._entrance: tuple[Stage, Entrance] | None = None
        self._grows: tuple[Stage, bool] | None = None
        # (cue, word), and its tile
        self._caption: tuple[tuple[int, int | None], _ConvertedTile] | None = None
        self._faces: dict[tuple[Face, int, int], _ConvertedTile] = {}
        self._badges: dict[int, _ConvertedTile] = {}  # by the number of a scenery
        # By the number of a scenery: the last two grounds, with what moves on them.
        self._grounds: dict[int, tuple[Ground, Drift | Lights]] = {}
        self._screen: tuple[int, Screen] | None = None  # of the scene that was shown last
        # its states, the transition, and what fades in it
        self._fading: (
            tuple[
                tuple[State, State],
                transitions.Transition,
                list[tuple[int, int, list[Picture]]],
            ]
            | None
        ) = None
        self._texts: dict[DrawnText, None] = {}  # an ordered set
        self._sprites = SpriteLayers()

    def render_shots(self, changes: tuple[FrameChange, ...], progress) -> Iterator[Shot]:
        """Yield the shots of one segment, which the first one opens;
        a change that cannot be seen yields none.
        """
        last = None
        for change in changes:
            appearance = (
                change.shown
                if isinstance(change.shown, Fade)
                else self._describe_seen(change.shown)
            )
            if change is changes[0] or appearance != last:
                shown = (
                    self._fade(change.shown)
                    if isinstance(change.shown, Fade)
                    else self._draw_picture(change.shown)
                )
                yield Shot(change.frame, shown, change is changes[0])
            last = appearance
            progress(change.frame)
        self._entrance = self._fading = None  # whole pictures that no other segment shows

    def drain_texts(self) -> tuple[DrawnText, ...]:
        """Return and clear the texts shown since the last call."""
        texts, self._texts = tuple(self._texts), {}
        return texts

    def _describe_seen(self, state: State) -> tuple:
        """Return what tells the picture of ``state`` from others of its segment."""
        enters = state.entrance < 1 and (
            self._is_growing(state) or self._find_entrance(state).changes
        )
        entered = state.entrance if enters else 1.0
        return (
            state.stage,
            entered,
            state.cue,
            state.word,
            state.face,
            state.drift,
            state.lower_third,
            state.moved,
            state.gesture,
            state.places,
            state.said,
            state.fresh,
        )

    def _draw_picture(self, state: State) -> Picture:
        picture = self._draw_cast(state).copy()
        self._show_presenter(picture, state)
        self._show_host(picture, state)
        self._paste(picture, self._lower_third(state.lower_third))
        return picture

    def _draw_cast(self, state: State) -> Picture:
        """Return the picture without presenter and lower third;
        it stays the same for several faces.
        """
        picture = self._draw_captions(state)
        if not state.places and state.scene not in self._renderer.moving:
            return picture
        key = (*self._describe_without_cast(state), state.moved, state.places)
        if self._moved is None or self._moved[0] != key:
            picture = picture.copy()
            self._play(picture, state)
            self._show_cast(picture, state)
            self._moved = (key, picture)
        return self._moved[1]

    def _describe_without_cast(self, state: State) -> tuple:
        return (
            state.scene,
            state.stage,
            state.entrance,
            state.drift,
            state.cue,
            state.word,
            state.said,
            state.fresh,
        )

    def _show_presenter(self, picture: Picture, state: State) -> None:
        """Show the presenter, with the sky's light around them as it is elsewhere."""
        tiles = self._draw_presenter(state)
        self._paste(picture, tiles)
        if self._renderer.palette.sky and state.drift:
            for tile in tiles:
                self._let_light_drift(picture, tile, state)

    def _let_light_drift(self, picture: Picture, tile: _ConvertedTile, state: State) -> None:
        """Let the light of the ground drift around what stands on a tile that was pasted."""
        left, top = tile.left, tile.top
        box = (left, top, left + tile.picture.width, top + tile.picture.height)
        ground, drift = self._find_ground(state.scene)
        drift.apply(picture, ground.find_bare_ground(tile.picture, left, top), state.drift, box)

    def _play(self, picture: Picture, state: State) -> None:
        """Show what moves in the scene, if anything does."""
        part = self._renderer.moving.get(state.scene)
        if part is None:
            return
        if self._screen is None or self._screen[0] != state.scene:
            self._screen = (state.scene, self._renderer.make_screen(part))
        self._screen[1].show(state.moved, picture)

    def _draw_captions(self, state: State) -> Picture:
        """Return the picture without the presenter, whose tile no caption touches;
        it stays the same for several faces.
        """
        scene = self._draw_scene(state)
        if state.cue is None:
            return scene
        tile = self._draw_caption_tile(state.cue, state.word)
        self._texts.update(tile.texts)
        key = self._describe_without_cast(state)
        if self._whole is None or self._whole[0] != key:
            picture = scene.copy()
            picture.paste(tile.picture, tile.left, tile.top)
            if state.drift:
                self._let_light_drift(picture, tile, state)
            self._whole = (key, picture)
        return self._whole[1]

    def _draw_scene(self, state: State) -> Picture:
        """Return the scene with its ground where it has drifted to,
        without presenter and captions.
        """
        key = (state.scene, state.stage, state.entrance, state.drift, state.said, state.fresh)
        if self._drifted is None or self._drifted[0] != key:
            picture = (
                self._draw_settled(state) if state.entrance >= 1 else self._draw_entering(state)
            )
            if state.drift:
                picture = picture.copy()
                _, drift = self._find_ground(state.scene)
                drift.apply(picture, self._find_bare_ground(state), state.drift)
            self._drifted = (key, picture)
        self._draw_stage(state.scene, state.stage)  # its texts are shown in this segment, too
        return self._drifted[1]

    def _paste(self, picture: Picture, tiles: list[_ConvertedTile]) -> None:
        for tile in tiles:
            picture.paste(tile.picture, tile.left, tile.top)
            self._texts.update(tile.texts)

    def _draw_entering(self, state: State) -> Picture:
        """Return the picture of a stage that is still entering."""
        if not self._is_growing(state):
            picture = self._find_entrance(state).draw_at(state.entrance)
            words = self._find_entering_words(state.scene, state.stage)
            if words and state.said != NOT_YET:
                picture = picture.copy()
                words.draw_words(picture, state.said, state.fresh)
            return picture
        before = self._draw_settled(State(state.scene, state.stage - 1))
        left, top, right, bottom = _round_to_even(self._renderer.plan.content)
        way = easing.ease_out(state.entrance * 2)
        if self._renderer.is_framed(state.scene):  # what was said is gone before the figure comes
            if state.entrance < _CLEARED:
                return self._find_entrance(state).draw_leaving(state.entrance / _CLEARED)
            before = self._find_entrance(state).cleared
            way = easing.ease_out(
                easing.compute_share_of_part(state.entrance, _CLEARED, _CLEARED + 0.5)
            )
        growth = easing.ease_out(state.entrance)
        drawn = self._renderer.picture(state.scene, state.stage, growth, False, NONE)[
            top:bottom, left:right
        ]
        self._renderer.drain_texts()  # a figure that still counts is not what is written
        part = before.crop(left, top, right, bottom).blend(Picture.from_rgb(drawn), way)
        picture = before.blend(self._draw_without_words(state.scene, state.stage), way)
        picture.paste(part, left, top)
        words = self._find_entering_words(state.scene, state.stage)
        if words and state.said != NOT_YET:
            words.draw_words(picture, state.said, state.fresh)
        return picture

    def _draw_settled(self, state: State) -> Picture:
        """Return the picture of a stage that has entered, with the words that have."""
        words = self._find_entering_words(state.scene, state.stage)
        return (
            words.draw_at(state.said, state.fresh)
            if words
            else self._draw_stage(state.scene, state.stage)
        )

    def _draw_without_words(self, scene: int, stage: int) -> Picture:
        """Return the picture of a stage without the words that enter in it."""
        words = self._find_entering_words(scene, stage)
        return words.draw_at(NOT_YET, 1.0) if words else self._draw_stage(scene, stage)

    def _find_entering_words(self, scene: int, stage: int) -> EnteringWords | None:
        """Return the words that enter in a stage; None if there are none."""
        key = (scene, self._renderer.find_drawn_stage(scene, stage))
        if key not in self._words:
            while len(self._words) > 1:
                del self._words[next(iter(self._words))]
            entering = self._renderer.list_entering_words(*key)
            self._words[key] = self._draw_words(*key, entering) if entering else None
        return self._words[key]

    def _draw_words(
        self, scene: int, stage: int, entering: tuple[EnteringWord, ...]
    ) -> EnteringWords:
        without, marked = (
            self._renderer.picture(scene, stage, with_sprites=False, entered=each)
            for each in (NONE, SAID)
        )
        whole = self._draw_stage(scene, stage)
        is_marked = self._renderer.marks_words
        return EnteringWords(
            Picture.from_rgb(without),
            whole,
            Picture.from_rgb(marked) if is_marked else whole,
            entering,
        )

    def _find_entrance(self, state: State) -> Entrance:
        key = (state.scene, state.stage)
        if self._entrance is None or self._entrance[0] != key:
            before, after = self._draw_previous(state), self._draw_without_words(*key)
            self._entrance = (
                key,
                Entrance(before, after, entrances.GRAINY, self._find_ground(state.scene)[0].picture)
                if self._renderer.is_framed(state.scene)
                else Entrance(before, after),
            )
        return self._entrance[1]

    def _draw_previous(self, state: State) -> Picture:
        """Return the picture that a stage follows: the whole of the one before,
        or the scene before anything is said.
        """
        if state.stage < 1:
            return self._draw_without_words(state.scene, slide.NOTHING_YET)
        return self._draw_stage(state.scene, state.stage - 1)

    def _is_growing(self, state: State) -> bool:
        """Return whether the drawing of the stage depends on how far it has grown."""
        key = (state.scene, state.stage)
        if self._grows is None or self._grows[0] != key:
            grows = self._renderer.depends_on_growth(*key)
            if grows:
                half, whole = (self._renderer.picture(*key, growth) for growth in (0.5, 1.0))
                grows = not np.array_equal(half, whole)
                self._renderer.drain_texts()
            self._grows = (key, grows)
        return self._grows[1]

    def _find_bare_ground(self, state: State) -> np.ndarray:
        words = self._find_entering_words(state.scene, state.stage)
        key = (state.scene, state.stage, state.said if words else NOT_YET)
        if self._bare is None or self._bare[0] != key:
            ground, _ = self._find_ground(state.scene)
            bare = (
                words.find_bare_ground(ground, state.said)
                if words
                else ground.find_bare_ground(self._draw_stage(*key[:2]))
            )
            self._bare = (key, bare)
        return self._bare[1]

    def _fade(self, fade: Fade) -> Picture:
        ends = (fade.before, fade.after)
        if self._fading is None or self._fading[0] != ends:
            self._fading = (ends, self._prepare_transition(fade), self._list_host_places(fade))
        picture = self._fading[1].draw_at(fade.share)
        after = replace(fade.after, drift=0)
        tiles = self._draw_presenter(after)
        before = self._draw_presenter(replace(fade.before, face=after.face, drift=0))
        if before != tiles:  # the presenter comes to host the film, or goes back to the corner
            share = easing.ease_in_out(fade.share)
            tiles = [
                replace(new, picture=old.picture.blend(new.picture, share))
                for old, new in zip(before, tiles, strict=True)
            ]
        self._paste(picture, tiles)
        for left, top, parts in self._fading[2]:
            way = fade.share * (len(parts) - 1)
            at = min(int(way), len(parts) - 2)
            part = parts[at].blend(parts[at + 1], easing.ease_in_out(way - at))
            picture.paste(part, left, top)
        return picture

    def _list_host_places(self, fade: Fade) -> list[tuple[int, int, list[Picture]]]:
        """Return the places of a host who stands where the presenter is otherwise, and of the
        presenter: before a transition, without both where one goes and the other comes, and after
        it.
        """
        states = (fade.before, fade.after)
        hosts = (self._renderer.find_standing_host(state.scene) for state in states)
        boxes = [host.square for host in hosts if host]
        if not boxes or self._renderer.plan.stacked:
            return []
        whole = []
        for state in states:
            picture = self._play_parts(state)
            if not self._renderer.find_standing_host(state.scene):
                self._paste(picture, self._draw_presenter(replace(state, drift=0)))
            whole.append(picture)
        if len(boxes) == 1:
            empty = self._draw_settled(fade.after).copy()
            self._paste(empty, [self._draw_badge(fade.after.scene)])
            whole.insert(1, empty)
        places = []
        for left, top, right, bottom in (*boxes, self._renderer.presenter_box):
            edges = (left // 2 * 2, top // 2 * 2, (right + 1) // 2 * 2, (bottom + 1) // 2 * 2)
            places.append((edges[0], edges[1], [picture.crop(*edges) for picture in whole]))
        return places

    def _prepare_transition(self, fade: Fade) -> transitions.Transition:
        renderer, plan = self._renderer, self._renderer.plan
        kind = transitions.choose_kind(
            renderer.look.transition, fade.after.scene, len(renderer.script.scenes)
        )
        moving = _round_to_even((0, plan.brand[3] + plan.px(8), plan.width, plan.height))
        before, after = (
            transitions.End(self._play_parts(state), self._find_ground(state.scene)[0].picture)
            for state in (fade.before, fade.after)
        )
        return transitions.Transition(before, after, kind, moving, renderer.right_to_left)

    def _play_parts(self, state: State) -> Picture:
        """Return a stage with what moves in its scene."""
        picture = self._draw_settled(state).copy()
        self._play(picture, state)
        self._show_cast(picture, state)
        self._show_host(picture, state)
        return picture

    def _show_host(self, picture: Picture, state: State) -> None:
        """Show the presenter who hosts a scene."""
        cast = self._renderer.find_cast(state.scene) if state.places else None
        if cast:
            self._sprites.paste_host(picture, cast.sprites, state.places, state.face, state.gesture)
        standing = self._renderer.find_standing_host(state.scene)
        if standing:
            self._paste(picture, [self._draw_badge(state.scene)])
            place = (SpritePosition(0, 0, standing.size),)
            self._sprites.paste(picture, (standing,), place)
            self._sprites.paste_host(picture, (standing,), place, state.face, state.gesture)

    def _show_cast(self, picture: Picture, state: State) -> None:
        """Show the pictures of a composed scene where they are."""
        cast = self._renderer.find_cast(state.scene) if state.places else None
        if cast:
            self._sprites.paste(picture, cast.sprites, state.places)

    def _draw_stage(self, scene: int, stage: int) -> Picture:
        key = (scene, self._renderer.find_drawn_stage(scene, stage))
        if key not in self._stages:
            while len(self._stages) > 1:
                del self._stages[next(iter(self._stages))]
            self._stages[key] = self._convert(
                Tile(0, 0, self._renderer.picture(*key, with_sprites=False))
            )
        self._texts.update(self._stages[key].texts)
        return self._stages[key].picture

    def _draw_presenter(self, state: State) -> list[_ConvertedTile]:
        """Return the tile of the presenter, if one is shown; with the account's initial while the
        presenter hosts the scene.
        """
        if not self._renderer.shows_figure:
            return []
        if self._renderer.is_hosted(state.scene, state.stage):
            return [self._draw_badge(state.scene)]
        return [self._draw_face(state)]

    def _lower_third(self, share: float) -> list[_ConvertedTile]:
        """Return the first ``share`` of the panel with the presenter's name and role,
        from the side where reading begins.
        """
        if not share:
            return []
        panel = self._panel
        width, height = max(2, round(panel.picture.width * share / 2) * 2), panel.picture.height
        skipped = panel.picture.width - width if self._renderer.right_to_left else 0
        part = panel.picture.crop(skipped, 0, skipped + width, height)
        return [_ConvertedTile(part, panel.left + skipped, panel.top, panel.texts)]

    def _draw_face(self, state: State) -> _ConvertedTile:
        step = self._renderer.find_portrait_step(state.drift)
        key = (state.face, step, self._renderer.find_scenery(state.scene))
        tile = self._faces.pop(key, None) or self._convert(self._renderer.draw_presenter(*key))
        if len(self._faces) >= _MOST_FACES:
            del self._faces[next(iter(self._faces))]  # the one that was used longest ago
        self._faces[key] = tile
        return tile

    def _draw_caption_tile(self, cue: int, word: int | None) -> _ConvertedTile:
        if self._caption is None or self._caption[0] != (cue, word):
            self._caption = (
                (cue, word),
                self._convert(self._renderer.draw_caption(self._cues[cue], word)),
            )
        return self._caption[1]

    def _find_ground(self, scene: int) -> tuple[Ground, Drift | Lights]:
        """Return the ground of a scene's pictures, and what moves on it."""
        scenery = self._renderer.find_scenery(scene)
        if scenery not in self._grounds:
            while len(self._grounds) > 1:
                del self._grounds[next(iter(self._grounds))]
            self._grounds[scenery] = self._draw_ground(scenery)
        return self._grounds[scenery]

    def _draw_ground(self, scenery: int) -> tuple[Ground, Drift | Lights]:
        renderer = self._renderer
        whole, *others = renderer.draw_grounds(scenery)
        picture = Picture.from_rgb(whole)
        if not renderer.palette.sky:
            return Ground(picture, renderer.presenter_box), Drift(*map(Picture.from_rgb, others))
        ground = Ground(picture, (0, 0, 0, 0))
        return ground, Lights(ground, renderer.palette, renderer.right_to_left, scenery)

    def _draw_badge(self, scene: int) -> _ConvertedTile:
        """Return the tile with the account's initial in place of the presenter."""
        scenery = self._renderer.find_scenery(scene)
        if scenery not in self._badges:
            self._badges[scenery] = self._convert(self._renderer.draw_badge(scenery))
        return self._badges[scenery]

    @cached_property
    def _panel(self) -> _ConvertedTile:
        return self._convert(self._renderer.draw_lower_third())

    def _convert(self, tile: Tile) -> _ConvertedTile:
        """Convert a newly drawn tile to the encoder's format."""
        texts = dict.fromkeys(self._renderer.drain_texts())
        return _ConvertedTile(Picture.from_rgb(tile.pixels), tile.left, tile.top, texts)


def _round_to_even(box) -> tuple[int, int, int, int]:
    left, top, right, bottom = (edge // 2 * 2 for edge in box)
    return left, top, right, bottom
