"""Composed scenes: pictures in the round on a lit ground, clear of all text, which enter in turn,
move and come to rest.
"""

import itertools
import zipfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from media import brief_sheet
from media.contact_sheet import evenly
from media.layout_sweep import chart
from PIL import Image
from small_programme import (
    ENGLISH,
    LANDSCAPE,
    PORTRAIT,
    brief_of,
    describe,
    ignore,
    prepare,
    scene,
    timeline_of,
)
from support.sampling import sampled

from svc.base.looks import THEMES
from svc.media import audio
from svc.media.artwork import collection, solid
from svc.media.captions import captions
from svc.media.checks import run as checks
from svc.media.clips import in_scenes
from svc.media.colour import compute_contrast, parse_colour
from svc.media.drawing import sky, sprites
from svc.media.drawing.looks import find_look
from svc.media.drawing.palette import build_palette
from svc.media.drawing.sprites import Sprite
from svc.media.drawing.yuv import Picture
from svc.media.figure import avatar as avatar_drawing
from svc.media.figure.host import AT_REST, Host
from svc.media.model import Presenter, QualityFindings, Rendition, Scene, Script, Visual, load, save
from svc.media.motion import casts
from svc.media.motion.casts import Cast, Casts, Movement, SpritePosition
from svc.media.motion.layers import SpriteLayers
from svc.media.script import from_brief
from svc.media.slides import framings, hosting
from svc.media.video import described_video, render
from svc.media.video.encoding import VideoFormat
from svc.media.video.scene import SceneRenderer
from svc.media.video.segments import SegmentKeys, split_segments
from svc.media.video.storyboard import Fade, Motion, plan_changes

SHAPES = (
    Rendition("landscape", 480, 270),
    Rendition("portrait", 270, 480),
    Rendition("square", 270, 270),
    Rendition("feed", 270, 338),
)
PICTURES = ("ship", "factory", "sun", "bicycle", "mountain")
RATE = 30
SEEN = 16  # of luma: a smaller difference of a sample is not seen, as that of the sky's lights
FORMAT = VideoFormat(480, 270, RATE, 48_000, "Test", "en")


def spoken(
    count: int, heading: str = "What changes", phrase: str = "It runs on electricity alone"
) -> Scene:
    """A prose scene of three sentences with ``count`` pictures."""
    words = tuple(f"{phrase}. Ships plug in. Nobody needs diesel.".split())
    ends = tuple(number for number, word in enumerate(words) if word.endswith("."))
    first, *others = PICTURES[:count] or ("",)
    return Scene(
        "prose",
        heading,
        (),
        words,
        words,
        "",
        ends,
        key_phrase=phrase,
        illustration=first,
        companions=tuple(others),
    )


def pictures_of(drawn: SceneRenderer, scene: int = 0) -> list[Sprite]:
    return [sprite for sprite in drawn.find_cast(scene).sprites if sprite.name != sprites.BALL]


def studio(
    content: Scene, shape: Rendition = SHAPES[0], language: str = "en", **changes
) -> SceneRenderer:
    script = Script("Test", language, (content,))
    return SceneRenderer(
        brief_of(script, look="scenes", language=language, **changes), script, shape
    )


def test_pictures_in_the_round_have_the_names_of_the_flat_ones_and_few_bytes():
    with zipfile.ZipFile(solid._FILE) as archive:
        names = [name.removesuffix(".webp") for name in archive.namelist()]
        with archive.open(archive.namelist()[0]) as member:
            assert Image.open(member).size == (256, 256)
    assert 600 <= len(names) <= 900 and all(collection.has_picture(name) for name in names)
    assert solid._FILE.stat().st_size < 5_000_000


def test_a_picture_that_is_not_in_the_round_is_drawn_flat_with_a_soft_shade():
    assert (
        solid.has_solid("ship")
        and not solid.has_solid("flag:fr")
        and not solid.has_solid("broken-chain")
    )
    flat = np.asarray(solid.draw_solid_picture("broken-chain", 64)).astype(int)
    assert flat.shape == (64, 64, 4) and flat[..., 3].any()
    with pytest.raises(KeyError):
        solid.draw_solid_picture("no-such-picture", 64)


@pytest.mark.parametrize("width, height", ((960, 540), (540, 960), (540, 540), (540, 676)))
def test_the_ground_has_a_soft_horizon_between_60_and_66_hundredths_of_the_height(width, height):
    assert 0.6 <= sky.find_horizon(width, height) / height <= 0.66
    rows = sky.draw_sky_mask(width, height).sum(axis=0)
    assert 0.54 * height < rows.min() < rows.max() < 0.72 * height
    assert np.abs(np.diff(rows.astype(int))).max() <= 2  # one curve without a step


def test_the_grain_is_one_tile_of_three_levels():
    tile = sky._grain()
    assert tile.std() == pytest.approx(3.0, abs=0.05) and tile is sky._grain()


def test_lights_drift_only_where_the_sky_is_and_come_back():
    colours = build_palette(find_look("scenes"), "dark", parse_colour("#3d7eff"))
    brightness = sky.Brightness(320, 180, 30.0, (90.0, 80.0, 70.0))
    assert not brightness.compute_differences(0).any()
    assert brightness.compute_differences(18).any() and brightness.compute_differences(54).any()
    assert not brightness.compute_differences(sky.LIGHT_POSITIONS).any()
    assert len(colours.sky) == 5


def test_the_grounds_edge_is_seen_in_every_theme_and_colour():
    for theme in THEMES:
        for accent in ("#ffffff", "#000000", "#ffe100", "#7a0000", "#808890", "#3d7eff"):
            colours = build_palette(find_look("scenes"), theme, parse_colour(accent))
            assert compute_contrast(colours.ground, colours.sky[3]) > 1.02, (theme, accent)


def test_a_light_strong_brand_colour_is_the_sky_as_it_is_and_a_fill_at_night():
    yellow = parse_colour("#ffd400")
    day, night = (build_palette(find_look("scenes"), theme, yellow) for theme in ("light", "dark"))
    assert day.ground == yellow and compute_contrast(day.ink, yellow) > 9
    assert (
        night.now.colour == yellow
        and compute_contrast(night.now.ink, yellow) > 9
        and night.fields[0].colour == yellow
    )


@pytest.mark.parametrize(
    "count, shape, language", sampled(itertools.product(range(6), SHAPES, ("en", "ar")), 8)
)
def test_pictures_stand_clear_of_all_text_wherever_the_camera_is(count, shape, language):
    drawn = studio(spoken(count), shape, language)
    for stage in range(len(drawn.list_stages(0))):
        drawn.picture(0, stage)
        texts = [text.box for text in drawn.drain_texts()]
        shown = list(filter(None, drawn.find_cast(0).stages[stage]))
        for sprite in [*shown, *(sprite.then for sprite in shown if sprite.then)]:
            left, right = sprite.x - 0.42 * sprite.size, sprite.x + 0.42 * sprite.size
            top, foot = sprite.foot - 0.9 * sprite.size, sprite.foot
            for box in texts:
                assert right < box[0] or left > box[2] or foot < box[1] or top > box[3], (
                    sprite,
                    box,
                )
            assert right > 0 and left < shape.width
            assert sprite.name == sprites.BALL or sprite.then or foot <= drawn.plan.content[3]
    assert len(pictures_of(drawn)) == count


def test_what_flies_floats_and_what_stands_does_not():
    cast = {sprite.name: sprite for sprite in pictures_of(studio(spoken(4)))}
    assert [name for name, sprite in cast.items() if sprite.floats] == ["sun"]
    assert [cast[name].turn for name in PICTURES[:4]] == [0, 1, 2, 3]
    order = replace(spoken(4), companions=("sun", "mountain", "bicycle"))
    assert [sprite.name for sprite in pictures_of(studio(order)) if sprite.floats] == ["sun"]


def test_where_one_reads_from_right_to_left_the_scene_is_mirrored():
    usual, mirrored = (
        studio(spoken(2), language=language).find_cast(0).sprites for language in ("en", "he")
    )
    assert [sprite.x for sprite in mirrored] == [SHAPES[0].width - sprite.x for sprite in usual]


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
def test_the_first_picture_is_the_largest_and_of_fair_size(shape):
    cast = pictures_of(studio(spoken(4), shape))
    sizes = {sprite.name: sprite.size / min(shape.width, shape.height) for sprite in cast}
    assert sizes["ship"] == max(sizes.values()) >= 0.25
    assert all(0.07 <= size <= 0.36 for name, size in sizes.items() if name != "ship")


def test_a_scene_without_pictures_is_one_of_type_with_balls_and_no_text_touches_them():
    drawn = studio(spoken(0))
    assert {sprite.name for sprite in drawn.find_cast(0).sprites} == {
        sprites.BALL
    } and drawn.find_cast(0).is_still
    drawn.picture(0)
    size = max(text.size for text in drawn.drain_texts() if text.part == "text")
    other = studio(spoken(2))
    other.picture(0)
    assert size > max(text.size for text in other.drain_texts() if text.part == "text")


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("shape", SHAPES[:2], ids=lambda shape: shape.name)
def test_no_two_framings_of_type_alone_in_a_row_are_composed_alike(shape, language):
    """Prose about nothing that can be shown was type at the same place for minutes."""
    sentence = "The council heard every objection to the new statutes, and then it weighed them all"
    words = tuple(f"{sentence}. {sentence}.".split())
    ends = tuple(number for number, word in enumerate(words) if word.endswith("."))
    content = Scene("prose", "", (), words, words, "", ends)
    script = Script("Test", language, (content, content))
    brief = brief_of(script, look="scenes", language=language)
    drawn, composed = SceneRenderer(brief, script, shape), []
    left, _, right, _ = drawn.plan.content
    for number, stage in itertools.product((0, 1), range(len(framings.list_framings(content)))):
        drawn.drain_texts()
        drawn.picture(number, stage, with_sprites=False)
        boxes = [text.box for text in drawn.drain_texts() if text.part == "text"]
        if language == "he":
            boxes = [(left + right - box[2], 0, left + right - box[0], 0) for box in boxes]
        starts = {round(box[0] - left) // 4 for box in boxes}
        assert min(starts) >= 0 and max(box[2] for box in boxes) <= right + 1
        composed.append("centre" if len(starts) > 1 else starts.pop())
    assert len(composed) > 5 and len(set(composed)) == 3
    assert all(first != second for first, second in pairwise(composed))


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
def test_type_without_captions_takes_their_place_in_tall_frames(shape):
    """Large type that no caption stands below used to leave the lowest third bare; it ends above
    the balls."""
    text = "Nobody has to ask twice, and nobody needs to know which of us is responsible for it."
    words = tuple(text.split())
    content = Scene("prose", "", (), words, words, "", (len(words) - 1,))
    drawn = studio(content, shape)
    [ground, *_], last = drawn.draw_grounds(), len(framings.list_framings(content)) - 1
    lowest = []
    for stage in range(last + 1):
        inked = np.abs(drawn.picture(0, stage, with_sprites=False).astype(int) - ground) > 60
        lowest.append(int(np.flatnonzero(inked.any(axis=(1, 2)))[-1]))
    balls = min(sprite.foot - sprite.size for sprite in drawn.find_cast(0).sprites)
    assert max(lowest) > drawn.plan.content[3] and max(lowest) < min(balls, drawn.plan.strip[3])


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
def test_small_print_takes_the_place_that_captions_leave(shape):
    """It stood in the middle of a post, above a bare third. Where one framing has captions, it
    stays above them in all."""
    text = "Mill Lane Bakery is looking for a baker who likes the smell of rye."
    words = tuple(text.split())
    content = Scene(
        "prose", "", (), words, words, "", (len(words) - 1,), small_print="#baking #jobs"
    )
    places = []
    for shown in (content, replace(content, key_phrase="As a reviewer put it")):
        drawn = studio(shown, shape)
        drawn.picture(0, 0)
        (print_,) = (each for each in drawn.drain_texts() if each.part == "small print")
        places.append((print_.box, drawn))
    (free, drawn), (captioned, _) = places
    balls = min(sprite.foot - sprite.size for sprite in drawn.find_cast(0).sprites)
    assert captioned[3] <= drawn.plan.content[3] < free[1] < free[3] <= balls


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
@pytest.mark.parametrize("count", (1, 4))
def test_pictures_of_a_clause_without_captions_take_their_place_until_the_next(shape, count):
    """They left it bare. They are out of it again when the next framing, which has a caption,
    begins, and do not leave it at a scene's end."""
    phrase = "It runs on electricity alone"
    words = tuple(f"{phrase}. Ships plug in where the old cranes were, and the sun shines.".split())
    content = replace(spoken(count), words=words, spoken=words, sentence_ends=(4, len(words) - 1))
    drawn = studio(content, shape)
    framed, limit = framings.list_framings(content), drawn.plan.content[3]
    assert framed[0].kind == framings.CLAUSE and len(framed) > 1
    cast = drawn.find_cast(0)
    lowest = [
        max(each.foot for each in stage if each and each.name != sprites.BALL)
        for stage in cast.stages[:2]
        if any(each and each.name != sprites.BALL for each in stage)
    ]
    assert lowest[0] > limit + shape.height * 0.04 and all(foot <= limit for foot in lowest[1:])
    assert lowest[0] <= min(ball.foot - ball.size for ball in cast.sprites if ball.name == "ball")
    movement = moving(cast, (), 300, (0, 120))
    feet = [
        [
            sprite.foot + place.lower
            for sprite, place in zip(cast.sprites, movement.find_positions(frame), strict=True)
            if sprite.name != sprites.BALL and place.size
        ]
        for frame in (100, 118, 120)
    ]
    assert max(feet[0]) == lowest[0] and max(feet[2], default=0) <= limit
    assert max(feet[1]) - limit < 0.2 * (lowest[0] - limit)  # on the way, not in a leap
    alone = moving(replace(cast, stages=cast.stages[:1]), (), 300, (0,))
    assert max(
        sprite.foot + place.lower
        for sprite, place in zip(cast.sprites, alone.find_positions(299), strict=True)
        if sprite.name != sprites.BALL
    ) == lowest[0]  # fmt: skip


SHOWN = {
    "quote": ("Rest My daughter will cross in silence. Ingrid Solheim", "My daughter will cross in "
        "silence.", "Ingrid Solheim"),
    "number": ("Rest 310\u00a0g \u2014 lighter than a book.", "310\u00a0g", "lighter than a book."),
    "alert": ("Rest Tip Use a mild one.", "Use a mild one.", "Tip"),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
@pytest.mark.parametrize("kind", SHOWN)
def test_what_is_shown_as_it_is_said_has_no_captions_and_their_place(shape, kind):
    """The lowest third of quotations, alerts and figures was bare while they were said."""
    said, text, note = SHOWN[kind]
    words = tuple(said.split(" "))
    content = Scene(kind, "Rest", (), words, words, "", (0, len(words) - 1))
    content = replace(content, sight=Visual(kind, text=text, note=note, tone="tip"))
    drawn = studio(content, shape)
    assert drawn.list_words_in_type() == [set(range(len(words)))]
    assert drawn._lay_out(0, 0).plan.content[3] > drawn.plan.content[3]
    told_more = replace(content, words=(*words, "Bye."), spoken=(*words, "Bye."))
    drawn = studio(told_more, shape)
    assert (
        len(words) not in drawn.list_words_in_type()[0] and 0 not in drawn.list_words_in_type()[0]
    )
    assert drawn._lay_out(0, 0).plan.content[3] == drawn.plan.content[3]


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
def test_a_host_without_captions_takes_their_place_in_tall_frames(shape):
    """The heading above a clause was a caption for half a second; the place was bare for long."""
    said = "Why now? The two ferries burn much fuel. Their engines are old, and parts are rare."
    words = tuple(said.split())
    ends = tuple(number for number, word in enumerate(words) if word.endswith((".", "?")))
    content = Scene(
        "prose", "Why now?", (), words, words, "", ends, key_phrase="The two ferries burn much fuel"
    )
    drawn = studio(content, shape)
    (host,) = (sprite for sprite in drawn.find_cast(0).sprites if sprite.host)
    assert host.foot > drawn.plan.content[3] and drawn.list_words_in_type()[0] >= {0, 1}


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
def test_a_host_rises_before_their_next_framing_which_has_captions(shape):
    """They are of one size in both; the place was bare while the short clause was shown."""
    said = "Fees The fee stays. If you pay before the summer, a cap is yours. It is not refunded."
    words = tuple(said.split())
    ends = (0, *(number for number, word in enumerate(words) if word.endswith(".")))
    content = replace(
        spoken(1, "Fees", "The fee stays"), words=words, spoken=words, sentence_ends=ends,
        pictured=(4,),
    )  # fmt: skip
    drawn, (first, second, *_) = studio(content, shape), framings.list_framings(content)
    assert hosting.count_framings(content) == 2
    assert framings.is_without_captions(content, first)
    assert not framings.is_without_captions(content, second)
    limit, cast = drawn.plan.content[3], drawn.find_cast(0)
    [(number, host)] = [(at, each) for at, each in enumerate(cast.sprites) if each.host]
    later = cast.stages[1][number]
    assert later.foot <= limit < host.foot and later.size == host.size
    movement = moving(cast, (), 300, (0, 90, 180))
    places = [movement.find_positions(frame)[number] for frame in (60, 90, 150)]
    assert [host.foot + place.lower for place in places] == [host.foot, later.foot, later.foot]


def test_a_host_is_drawn_where_they_are():
    host = Host(Presenter("Ada"), (40, 90, 90), face=avatar_drawing.make_still_face(False))
    drawn = []
    for foot, lower in ((120, 0), (140, -20)):
        picture = Picture.from_rgb(np.zeros((160, 160, 3), np.uint8))
        cast, places = (
            (Sprite(sprites.HOST, 80, foot, 96, host=host),),
            (SpritePosition(0, 0, 96, lower),),
        )
        layers = SpriteLayers()
        layers.paste(picture, cast, places)
        layers.paste_host(picture, cast, places, avatar_drawing.make_still_face(False), AT_REST)
        drawn.append(picture.samples.copy())
    assert drawn[0].any() and (drawn[0] == drawn[1]).all()


def test_in_portrait_captions_are_at_three_quarters_of_the_height():
    plan = studio(spoken(2), SHAPES[1]).plan
    assert 0.72 < (plan.strip[1] + plan.strip[3]) / 2 / plan.height < 0.78


def test_other_looks_have_no_casts():
    script = Script("Test", "en", (spoken(3),))
    renderer = SceneRenderer(brief_of(script, look="news"), script, SHAPES[0])
    assert renderer.find_cast(0) is None and renderer.list_casts().by_scene == {}


def sprites_of(count: int) -> tuple[Sprite, ...]:
    return tuple(
        Sprite(name, 400, 800, 300, 1.0 - turn / 2, turn == 2, turn)
        for turn, name in enumerate(PICTURES[:count])
    )


def moving(
    cast: Cast, starts: tuple[int, ...], frames: int, stages: tuple[int, ...] = (0,)
) -> Movement:
    return Movement(cast, stages, starts, (), frames, RATE, 1.0)


def test_pictures_spring_up_one_after_the_other_in_their_order():
    movement = moving(Cast.from_stages([sprites_of(2)]), (0,), 300)
    entered = {
        turn: [movement.find_positions(frame)[turn].size for frame in range(60)] for turn in (0, 1)
    }
    firsts = {
        turn: next(frame for frame, size in enumerate(sizes) if size)
        for turn, sizes in entered.items()
    }
    # the storyboard's own steps are two frames
    assert firsts[1] - firsts[0] == pytest.approx(casts.LAG * RATE, abs=2)
    assert max(entered[0]) > 300 and entered[0][-1] == 300  # it overshoots, and comes to rest


def test_later_pictures_wait_for_later_sentences():
    movement = moving(Cast.from_stages([sprites_of(4)]), (0, 90, 180), 300)
    shown = [
        sum(place.size > 0 for place in movement.find_positions(frame))
        for frame in (0, 60, 89, 130, 150, 299)
    ]
    assert shown == sorted(shown) and shown[0] == 0 and 2 <= shown[1] < 4 and shown[-1] == 4


@pytest.mark.parametrize("seconds", (2, 5, 12, 31, 60))
def test_nothing_shifts_more_than_22_a_second_and_all_is_at_rest_at_the_end(seconds):
    cast, frames = Cast.from_stages([sprites_of(4)]), seconds * RATE
    movement = moving(cast, (0,), frames)
    across = [
        [place.across for place in movement.find_positions(frame)] for frame in range(frames + 1)
    ]
    steps = [
        abs(one - other)
        for now, later in zip(across, across[RATE:], strict=False)
        for one, other in zip(now, later)
    ]
    assert max(steps, default=0) <= 22
    down = [abs(place.down) for frame in range(frames) for place in movement.find_positions(frame)]
    assert max(down) <= 6 + 0.05 * 300
    assert movement.find_positions(frames) == tuple(
        SpritePosition(0, 0, sprite.size) for sprite in cast.sprites
    )


def test_with_each_sentence_a_picture_hops_so_that_something_changes():
    movement = moving(Cast.from_stages([sprites_of(2)], is_still=True), (0, 100), 200)
    down = [min(place.down for place in movement.find_positions(frame)) for frame in range(200)]
    assert min(down) == -15 and down[98] == down[118] == 0 and down.index(-15) in range(104, 111)


def test_pictures_go_to_their_next_places_and_those_that_are_not_there_leave():
    first, second = sprites_of(2)
    cast = Cast.from_stages(
        [(first, second), (replace(first, x=700, foot=850, size=200),)], is_still=True
    )
    movement = moving(cast, (0,), 300, (0, 150))
    before, on_the_way, after = (movement.find_positions(frame) for frame in (149, 159, 180))
    assert before == (SpritePosition(0, 0, 300), SpritePosition(0, 0, 300))
    assert 0 < on_the_way[0].across < 300 and on_the_way[1].size == 0
    assert (
        after
        == (SpritePosition(300, 0, 200, 50), SpritePosition(0, 0, 0))
        == movement.find_positions(300)
    )


@pytest.mark.parametrize("seconds", (3, 9, 20, 47))
def test_something_hops_wherever_nothing_else_changes_for_long(seconds):
    movement = moving(Cast.from_stages([sprites_of(1)], is_still=True), (0,), seconds * RATE)
    gaps = [after - before for before, after in pairwise((*movement.changes, seconds * RATE))]
    assert max(gaps) <= casts.LONGEST * RATE
    for change in movement.changes[1:]:
        assert len({movement.find_positions(frame) for frame in range(change, change + 15)}) > 3


@pytest.mark.parametrize("left, top", ((20, 30), (21, 30), (20, 31), (21, 31), (-13, -9), (97, 71)))
def test_a_sprite_pasted_in_the_encoders_format_looks_as_one_pasted_in_colours(left, top):
    ground = np.full((96, 128, 3), (30, 60, 120), np.uint8)
    sprite = Sprite("ship", left + 24, top + 48, 48)
    meant, picture = Image.fromarray(ground), Picture.from_rgb(ground)
    sprites.paste_sprites(meant, [sprite])
    SpriteLayers().paste(picture, (sprite,), (SpritePosition(0, 0, 48),))
    wanted = Picture.from_rgb(np.asarray(meant))
    for mine, other in zip(picture.planes(), wanted.planes(), strict=True):
        assert np.abs(mine.astype(int) - other).mean() < 0.8


def test_a_sprite_that_has_not_entered_is_not_drawn():
    picture = Picture.from_rgb(np.zeros((32, 32, 3), np.uint8))
    before = picture.samples.copy()
    SpriteLayers().paste(picture, sprites_of(1), (SpritePosition(0, 0, 0),))
    assert (picture.samples == before).all()


def told(content: Scene, unit: float = 1.0):
    """The storyboard of a programme of ``content`` and its close, and the script."""
    script = Script("Test", "en", (content, scene("close", "Enjoy", "Enjoy")))
    renderer = SceneRenderer(brief_of(script, look="scenes"), script, SHAPES[0])
    timeline = evenly(script)
    cues = captions.split_cues(script, timeline, *renderer.plan.caption_lines)
    motion = Motion(is_composed=True)
    return (
        list(
            plan_changes(renderer.script, timeline, cues, RATE, motion, casts=renderer.list_casts())
        ),
        renderer,
        cues,
    )


def test_a_scene_begins_without_its_pictures_and_ends_with_them_at_rest():
    changes, renderer, _ = told(spoken(3))
    opening, fade = (
        changes[0].shown,
        next(change.shown for change in changes if isinstance(change.shown, Fade)),
    )
    assert opening.places == ()
    at_rest = zip(
        renderer.find_cast(0).sprites,
        renderer.find_cast(0).stages[-1],
        fade.before.places,
        strict=True,
    )
    for first, last, place in at_rest:
        assert place == (
            SpritePosition(last.x - first.x, 0, last.size, last.foot - first.foot)
            if last
            else SpritePosition(0, 0, 0)
        )
    assert fade.after.places == ()


def test_a_segments_key_knows_where_the_pictures_are(tmp_path):
    changes, renderer, cues = told(spoken(3))
    keys = SegmentKeys(
        brief_of(renderer.script, look="scenes"),
        renderer,
        SHAPES[0],
        cues,
        FORMAT,
        tmp_path,
    )
    first = next(split_segments(changes, 400))
    still = tuple(replace(each, shown=replace(each.shown, places=())) for each in first.changes)
    assert keys.compute_key(first) != keys.compute_key(replace(first, changes=still))


def test_the_gates_leave_out_the_box_in_which_pictures_move():
    renderer = studio(spoken(4))
    left, top, right, bottom = renderer.list_casts().find_reach(0)
    for sprite in filter(None, renderer.find_cast(0).stages[-1]):
        assert left <= sprite.x - sprite.size // 2 or left == 0
        assert (
            sprite.x + sprite.size // 2 <= right
            and sprite.foot <= bottom
            and top <= sprite.foot - sprite.size
        )
    assert (
        in_scenes.MovingVisuals((), (in_scenes.MovingCast(0, (left, top, right, bottom)),))
        .casts[0]
        .scene
        == 0
    )


def test_a_figure_and_a_quotation_have_balls_only_where_no_text_is():
    for content in (
        Scene(
            "number",
            "",
            (),
            ("x",),
            ("x",),
            "",
            (0,),
            Visual("number", text="71 %", note="of the surface"),
        ),
        Scene(
            "quote", "", (), ("x",), ("x",), "", (0,), Visual("quote", text="A net of wonder. " * 9)
        ),
    ):
        drawn = studio(content)
        drawn.picture(0)
        boxes = [text.box for text in drawn.drain_texts()]
        for ball in drawn.find_cast(0).sprites:
            assert all(
                ball.x - ball.size // 2 > box[2] or ball.foot - ball.size > box[3] for box in boxes
            )


@pytest.mark.parametrize("kind", ("bars", "line"))
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_chart_fills_the_frame_and_its_labels_are_legible(shape, kind):
    drawn = studio(chart(kind, 3, 1, ("Coal", "Gas"), ("33", "22", "14")), shape)
    left, top, right, bottom = drawn.plan.content
    shown = (
        np.abs(drawn.picture(0, 2).astype(int) - drawn.draw_grounds()[0]).max(axis=2)[
            top:bottom, left:right
        ]
        > 25
    )
    texts = drawn.drain_texts()
    below = max(text.box[3] for text in texts if text.part == "heading") - top
    rows = np.flatnonzero(shown.any(axis=1))
    assert rows[-1] - rows[rows > below][0] >= 0.55 * (bottom - top)
    assert (
        min(text.size for text in texts if text.part != "heading")
        * 1080
        / min(shape.width, shape.height)
        >= 30
    )


@pytest.mark.both_encoders
def test_further_sentences_give_further_pictures():
    brief = replace(
        brief_of(ENGLISH, look="scenes"),
        title="A day out",
        topic="A day out",
        metadata_md=(
            "## Ways\n\nThe new train line opens in May. **Buses and bicycles** meet it there. No "
            "dog may come."
        ),
    )
    written = from_brief.write_script(brief)
    [prose] = [each for each in written.scenes if each.layout == "prose"]
    named = (prose.illustration, *prose.companions)
    assert len({"train", "light-rail", "railway-track", "bus", "bicycle"}.intersection(named)) > 1
    assert "dog" not in named and 2 <= len(named) == len(set(named))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_film_of_composed_scenes_passes_every_gate_while_its_pictures_move(tmp_path):
    scenes = (
        replace(ENGLISH.scenes[0], illustration="hot-beverage", companions=("sun", "ship")),
        *ENGLISH.scenes[1:],
    )
    brief = prepare(tmp_path, look="scenes")
    save(replace(ENGLISH, scenes=scenes), tmp_path / "script.json")
    render.render(brief, tmp_path, ignore)
    describe(tmp_path, timeline_of())
    described_video.make_described_video(brief, tmp_path, ignore)
    checks.run_checks(brief, tmp_path, ignore)
    findings = load(QualityFindings, tmp_path / "findings.json").findings
    assert len(findings) > 20 and [each.describe() for each in findings if not each.passed] == []
    for rendition in brief.renditions:
        assert load(
            in_scenes.MovingVisuals, tmp_path / in_scenes.name_record_file(rendition.name)
        ).casts


def longest_still(film: Path) -> float:
    """Return the seconds of the longest run of frames in which nothing that is seen changes:
    a light that drifts is not.
    """
    longest = first = number = 0
    before = None
    with av.open(str(film)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            luma = frame.to_ndarray(format="gray").astype(np.int16)
            if before is None or (np.abs(luma - before) > SEEN).mean() > 0.0005:
                longest, first, before = max(longest, number - first), number, luma
    return max(longest, number + 1 - first) / RATE


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("name", "shape"), [("news", LANDSCAPE), ("recipe", PORTRAIT)], ids=("news", "recipe")
)
def test_no_picture_of_a_film_stays_for_more_than_four_seconds(name, shape, tmp_path):
    written = brief_sheet.read(name, look="scenes", caption_style="plain")
    brief = replace(written, renditions=(shape,), avatar=replace(written.avatar, figure="none"))
    script = from_brief.write_script(brief)
    timeline = evenly(script)
    save(script, tmp_path / "script.json")
    save(timeline, tmp_path / "timeline.json")
    audio.write_wav(
        tmp_path / "narration.wav", np.ones(round(timeline.duration * audio.SAMPLE_RATE), np.int16)
    )
    render.render(brief, tmp_path, ignore)
    assert timeline.duration > 20 and longest_still(tmp_path / f"{shape.name}.mp4") <= 4


def test_a_casts_movement_is_none_where_there_is_none():
    assert Casts().find_movement(0, (0,), (0,), (), 30, RATE) is None


def test_a_text_that_fills_its_frame_stays_within_what_players_leave_free():
    phrase = "Printer library village summit lantern 5\N{NO-BREAK SPACE}km?"
    said = f"{phrase} Harbour budget coffee meadow market in 2024?"
    alone = replace(scene("prose", "", said, ends=(5, 12)), key_phrase=phrase)
    script = Script("Test", "de", (alone,))
    drawn = SceneRenderer(
        brief_of(script, look="scenes"), script, Rendition("portrait", 1080, 1920)
    )
    drawn.drain_texts()
    drawn.picture(0)
    boxes = [text.box for text in drawn.drain_texts() if text.part == "text"]
    _, top, _, bottom = drawn.plan.safe
    assert len(boxes) > 4 and all(top <= box[1] and box[3] <= bottom for box in boxes)


@pytest.mark.parametrize("shape", [Rendition("landscape", 1920, 1080), PORTRAIT])
@pytest.mark.parametrize("length", [300, 1000, 5000])
def test_a_word_without_end_is_broken_and_not_set_in_type_that_nobody_can_read(shape, length):
    words = ("x" * length + ".",)
    drawn = studio(Scene("prose", "", (), words, words, "", (0,)), shape)
    drawn.picture(0, 0)
    texts = [text for text in drawn.drain_texts() if text.part == "text"]
    assert texts and min(text.size for text in texts) >= drawn.plan.sizes.least
