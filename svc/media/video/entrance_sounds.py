"""The sound effects of a programme: what enters in its storyboard, and when."""

from collections.abc import Iterable, Iterator

from svc.media.drawing import sprites
from svc.media.model import Scene, Script
from svc.media.motion.casts import Casts
from svc.media.music.effects import TICK, WHOOSH, Effect
from svc.media.slides import slide
from svc.media.video.storyboard import Fade, FrameChange, State

_MIDDLE = 0.5  # of a transition
# The seconds from one sound to the next. What enters sooner, as pictures do that come together, has
# no sound of its own.
_APART = 0.4


def list_effects(
    changes: Iterable[FrameChange], script: Script, frame_rate: int, casts: Casts = Casts()
) -> tuple[Effect, ...]:
    """Return the effects in the order of time: a whoosh for each picture and figure, a tick for
    each card, row and bubble.

    ``changes``: the storyboard. ``script``: as the pictures show it. ``casts``: the pictures of
    composed scenes, which spring up after their scene has come, or with one of its framings. A
    sentence of running text, words that enter in large type, pictures that only go to another
    place, and the balls of a scene without pictures have no sound.
    """
    heard: list[Effect] = []
    for kind, frame in _list_entrances(changes, script, casts):
        if not heard or frame / frame_rate - heard[-1].at >= _APART:
            heard.append(Effect(kind, round(frame / frame_rate, 6)))
    return tuple(heard)


def _list_entrances(
    changes: Iterable[FrameChange], script: Script, casts: Casts
) -> Iterator[tuple[str, int]]:
    """Yield the kind and the frame of all that enters; of what a transition brings,
    the frame in the middle of it.
    """
    shown = State(-1)
    for change in changes:
        if isinstance(change.shown, Fade) and change.shown.share < _MIDDLE:
            continue
        state = change.shown.after if isinstance(change.shown, Fade) else change.shown
        scene = script.scenes[state.scene]
        if state.scene > shown.scene:
            shown = State(state.scene)
            if not _find_pictures(casts, state.scene) and _opens_with_picture(
                scene, state.scene in casts.by_scene
            ):
                yield WHOOSH, change.frame
        if state.stage > shown.stage and scene.points:
            yield TICK, change.frame
        if (
            state.stage > shown.stage
            and state.scene in casts.by_scene
            and slide.is_figure(scene, state.stage)
        ):
            yield WHOOSH, change.frame
        if _list_present(state, casts) - _list_present(shown, casts):
            yield WHOOSH, change.frame
        shown = state


def _opens_with_picture(scene: Scene, is_composed: bool) -> bool:
    """Return whether a scene comes with a picture or a figure, and not only with type."""
    return scene.sight.traits.is_seen_whole or bool(
        not is_composed and scene.key_phrase and scene.illustration
    )


def _find_pictures(casts: Casts, scene: int) -> frozenset[int]:
    """Return the numbers of the pictures in a composed scene, without balls and host."""
    cast = casts.by_scene.get(scene)
    return frozenset(
        number
        for number, sprite in enumerate(cast.sprites if cast else ())
        if sprite.name not in (sprites.BALL, sprites.HOST)
    )


def _list_present(state: State, casts: Casts) -> frozenset[int]:
    """Return the numbers of the pictures of a composed scene that are there."""
    there = (number for number, place in enumerate(state.places) if place.size > 0)
    return _find_pictures(casts, state.scene).intersection(there)
