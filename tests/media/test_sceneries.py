"""The sceneries of composed scenes: another one for each chapter, all of them in the brand's
colours.
"""

import itertools
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from media.contact_sheet import evenly
from PIL import Image
from small_programme import brief_of
from support.sampling import sampled

from svc.base.looks import THEMES
from svc.media.captions import captions
from svc.media.colour import LEGIBLE, Colour, compute_contrast, parse_colour
from svc.media.drawing import sky, sprites
from svc.media.drawing.looks import find_look
from svc.media.drawing.palette import build_palette
from svc.media.drawing.sky import SCENERIES
from svc.media.drawing.yuv import Picture
from svc.media.model import Point, Presenter, Rendition, Scene, Script, Visual
from svc.media.script import from_brief
from svc.media.slides.sceneries import choose_sceneries
from svc.media.video.encoding import VideoFormat
from svc.media.video.scene import SceneRenderer
from svc.media.video.segments import SegmentKeys, VideoSegment, split_segments
from svc.media.video.shots import ShotRenderer
from svc.media.video.storyboard import Fade, Motion, State, plan_changes

SHAPES = (
    Rendition("landscape", 480, 270),
    Rendition("portrait", 270, 480),
    Rendition("square", 270, 270),
    Rendition("feed", 270, 338),
)
NUMBERS = range(len(SCENERIES))
ACCENTS = ("#3d7eff", "#ffd400", "#f59e0b", "#7a0000", "#16a34a", "#ffffff", "#000000", "#808890")
SENTENCE = "The council heard every objection to the new statutes, and then it weighed them all."


def prose(heading: str = "", text: str = SENTENCE, **changes) -> Scene:
    words = tuple(text.split())
    ends = tuple(number for number, word in enumerate(words) if word.endswith("."))
    return replace(Scene("prose", heading, (), words, words, "", ends), **changes)


def film(*scenes: Scene) -> Script:
    title = prose("Statutes", "Statutes.", layout="title")
    close = prose("Statutes", "Thank you.", layout="close")
    return Script("Statutes", "en", (title, *scenes, close))


def studio(script: Script, shape: Rendition = SHAPES[0], **changes) -> SceneRenderer:
    return SceneRenderer(brief_of(script, look="scenes", **changes), script, shape)


def numbers_of(*headings: str, **changes) -> tuple[int, ...]:
    return choose_sceneries(film(*(prose(each, **changes) for each in headings)).scenes)


def test_each_chapter_has_the_next_scenery_and_the_close_that_of_the_title():
    assert numbers_of("A", "A", "B", "B", "C", "C", "D", "D", "E", "E") == (
        *(0, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0),
        0,
    )
    assert numbers_of("A", "A", "B", "B", "C")[-1] == 0


def test_a_scenery_is_seen_for_two_scenes_at_least_and_a_long_chapter_has_several():
    assert numbers_of("A", "B", "C", "D", "E") == (0, 0, 1, 1, 2, 2, 0)
    assert numbers_of(*[""] * 10) == (*(0, 0, 0, 0, 0), *(1, 1, 1, 1, 1), 2, 0)
    # the rows of a table, which go on in the next scene, stay where they are
    assert numbers_of(*["A"] * 9, layout="table") == (0,) * 11


def test_a_heading_that_comes_back_begins_no_chapter():
    assert numbers_of("A", "A", "", "A", "B") == (0, 0, 0, 0, 0, 1, 0)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("width, height", ((960, 540), (540, 960), (540, 540), (540, 676)))
def test_hills_begin_near_the_horizon_without_a_step(number, width, height):
    ground = sky.find_horizon(width, height) / height
    assert 0.6 <= ground <= 0.66
    covers = [sky._cover_hill(width, height, hill) for hill in SCENERIES[number].hills]
    rows = (np.maximum.reduce(covers) < 128).sum(axis=0)
    assert 0.43 * height < rows.min() < rows.max() < 0.76 * height
    assert np.abs(np.diff(rows.astype(int))).max() <= 3
    # and the nearest one, on which pictures stand, is the lowest part of every picture
    assert (covers[-1][round(0.8 * height) :] == 255).all()


@pytest.mark.parametrize(
    "theme, accent, second",
    sampled(itertools.product(THEMES, ACCENTS, (None, "#dc2626", "#0a2540")), 16),
)
def test_text_can_be_read_on_every_part_of_every_scenery(theme, accent, second):
    colours = build_palette(
        find_look("scenes"), theme, parse_colour(accent), parse_colour(second) if second else None
    )
    for number in NUMBERS:
        ground = sky.draw_sky(320, 180, colours, False, number).reshape(-1, 20, 3).mean(axis=1)
        for pixel in np.unique(ground.round().astype(int), axis=0)[::7]:
            seen: Colour = tuple(map(int, pixel))
            for ink in (colours.ink, colours.bright, colours.waiting_on_ground):
                assert compute_contrast(ink, seen) >= LEGIBLE, (number, ink, seen)


def test_the_sceneries_of_a_brand_differ_and_each_is_mirrored_where_one_reads_from_the_right():
    colours = build_palette(find_look("scenes"), "dark", parse_colour("#3d7eff"))
    drawn = [sky.draw_sky(480, 270, colours, False, number).astype(int) for number in NUMBERS]
    for one, other in itertools.combinations(drawn, 2):
        assert np.abs(one - other).mean() > 6
    for number in NUMBERS:
        mirrored = sky.draw_sky(480, 270, colours, True, number)
        assert (mirrored[:, ::-1] == drawn[number]).all()
        mask = sky.draw_sky_mask(480, 270, True, number)
        assert (mask[:, ::-1] == sky.draw_sky_mask(480, 270, False, number)).all()


@pytest.mark.parametrize("number", NUMBERS)
def test_lights_drift_only_in_the_sky_of_their_scenery_and_come_back(number):
    lights = (90.0, 80.0, 70.0)
    brightness = sky.Brightness(320, 180, 30.0, lights, number=number)
    assert not brightness.compute_differences(0).any()
    assert brightness.compute_differences(18).any()
    assert not brightness.compute_differences(sky.LIGHT_POSITIONS).any()


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_no_text_touches_the_balls_of_any_scenery(shape, language):
    script = film(*(prose(f"Part {number // 2}") for number in range(8)))
    script = replace(script, language=language)
    drawn, places = studio(script, shape, language=language), set()
    for number in range(len(script.scenes)):
        for stage in range(len(drawn.list_stages(number))):
            drawn.drain_texts()
            drawn.picture(number, stage)
            boxes = [text.box for text in drawn.drain_texts()]
            for ball in drawn.find_cast(number).sprites:
                assert ball.name in (sprites.BALL, sprites.HOST)
                left, top, right, foot = ball.square
                if ball.name == sprites.BALL:
                    places.add((ball.x, drawn.find_scenery(number) % 2))
                    for box in boxes:
                        assert right <= box[0] or left >= box[2] or foot <= box[1] or top >= box[3]
    assert len(places) == 4  # of each ball, its place in half of the sceneries


def lit_states(script: Script, drawn: SceneRenderer) -> list[State | Fade]:
    motion = Motion(
        drawn.look.transition_seconds, is_composed=True, hosted=drawn.list_hosted_scenes()
    )
    changes = plan_changes(drawn.script, evenly(script), (), 30, motion, casts=drawn.list_casts())
    return [change.shown for change in changes]


def test_one_ground_becomes_the_next_and_nothing_of_the_old_one_stays():
    """Each picture of a transition lies between the two grounds where neither has anything on it;
    presenter, badge and captions have the ground of their scene behind them."""
    script = film(*(prose(f"Part {number // 2}") for number in range(4)))
    drawn = studio(script)
    shots, fades = ShotRenderer(drawn, ()), 0
    sides = [
        Picture.from_rgb(drawn.draw_grounds(number)[0]).planes()[0].astype(int)
        for number in NUMBERS
    ]
    for shown in lit_states(script, drawn):
        if not isinstance(shown, Fade):
            continue
        first, last = (drawn.find_scenery(state.scene) for state in (shown.before, shown.after))
        if first == last:
            continue
        fades += 1
        luma = shots._fade(shown).planes()[0].astype(int)
        low, high = np.minimum(sides[first], sides[last]), np.maximum(sides[first], sides[last])
        # a row and columns without text, ball or presenter
        bare = (slice(262, 268), slice(150, 330))
        assert ((luma >= low - 2) & (luma <= high + 2))[bare].all()
    assert fades > 4
    settled = {
        shown.scene: shown for shown in lit_states(script, drawn) if isinstance(shown, State)
    }
    for number, state in settled.items():
        luma = shots._draw_picture(replace(state, drift=0)).planes()[0].astype(int)
        own = [np.abs(luma - side)[:90].mean() for side in sides]
        assert int(np.argmin(own)) == drawn.find_scenery(number)
        # the corner of the presenter's square
        left, top, _, _ = drawn.presenter_box
        corner = slice(top, top + 2), slice(left, left + 2)
        assert np.abs(luma - sides[drawn.find_scenery(number)])[corner].max() <= 3


def segment_keys(
    script: Script, folder, look: str = "scenes", **changes
) -> tuple[SceneRenderer, dict[int, str]]:
    """Return what draws a film, and by scene the key of its segment."""
    brief = brief_of(script, look=look, **changes)
    drawn = SceneRenderer(brief, script, SHAPES[0], folder)
    shape = VideoFormat(480, 270, 30, 48_000, "Statutes", "en")
    keys = SegmentKeys(brief, drawn, SHAPES[0], (), shape, folder)
    # Without a mouth: words that end with a frame, as those of evenly do, end a frame later where a
    # sum of thirds is rounded up.
    motion = Motion(drawn.look.transition_seconds, face=False, is_composed=drawn.is_composed)
    changes = tuple(
        plan_changes(drawn.script, evenly(script), (), 30, motion, casts=drawn.list_casts())
    )
    whole = [
        segment
        for segment in split_segments(changes, changes[-1].frame + 30)
        if isinstance(segment.changes[0].shown, State)
    ]
    return drawn, {segment.changes[0].shown.scene: keys.compute_key(segment) for segment in whole}


@pytest.mark.parametrize(
    "first, kept",
    (
        # another composition of type after it, and an end card, which has none
        (prose("A", f"{SENTENCE} {SENTENCE}"), [6]),
        (prose("B"), [4, 5, 6]),  # another chapter, hence another scenery
        (prose("A", is_sombre=True), [2, 3, 4, 5, 6]),
        (prose("A", "Tom Objection came. Tom Objection went."), [2, 3, 4, 5, 6]),  # a name
        (prose("A", SENTENCE.replace("objection", "remark")), [2, 3, 4, 5, 6]),
    ),
)
def test_a_scene_that_looks_different_after_an_edit_elsewhere_is_not_taken_from_the_cache(
    first, kept, tmp_path
):
    rest = (prose("A"), prose("B"), prose("B", "No vote was taken at all."), prose("B"))
    (one, keys), (other, edited) = (
        segment_keys(film(scene, *rest), tmp_path) for scene in (prose("A"), first)
    )
    assert kept == [number for number in range(2, 7) if keys[number] == edited[number]]
    for number in kept:
        for stage in range(len(one.list_stages(number))):
            assert (one.picture(number, stage) == other.picture(number, stage)).all(), number


@pytest.mark.parametrize(
    "look, kept",
    (
        ("editorial", (2, 3, 4, 5, 6)),
        # lists, quotations, small print and end cards have no composition of type
        ("scenes", (3, 4, 5, 6)),
    ),
)
def test_one_more_text_in_large_type_changes_only_the_pictures_that_have_a_turn_of_it(
    look, kept, tmp_path
):
    rest = (
        prose("A", "No vote was taken at all."),
        prose("A", "Boil water", points=(Point("Boil water", 0, 1, "1."),), layout="points"),
        prose("A", "It is so", sight=Visual("quote", "It is so")),
        prose("A", small_print="No warranty."),
    )
    (one, before), (other, after) = (
        segment_keys(film(scene, *rest), tmp_path, look)
        for scene in (prose("A"), prose("A", f"{SENTENCE} {SENTENCE}"))
    )
    assert kept == tuple(number for number in range(2, 7) if before[number] == after[number])
    for number in kept:
        for stage in range(len(one.list_stages(number))):
            assert (one.picture(number, stage) == other.picture(number, stage)).all(), number


def save_portrait(folder) -> str:
    Image.new("RGB", (400, 500), "#a06040").save(folder / "portrait.png")
    return "portrait.png"


@pytest.mark.parametrize("look", ("editorial", "scenes"))
@pytest.mark.parametrize("kind", ("none", "uploaded"))
def test_a_film_without_a_drawn_face_is_not_made_again_when_a_topic_becomes_sombre(
    kind, look, tmp_path
):
    shown = {"figure": "none"} if kind == "none" else {"portrait": save_portrait(tmp_path)}
    for moving in (True, False):
        avatar = Presenter("Ada", moving=moving, **shown)
        (one, before), (other, after) = (
            segment_keys(
                film(prose("A", is_sombre=is_sombre), prose("A", "No vote was taken at all.")),
                tmp_path,
                look,
                avatar=avatar,
            )
            for is_sombre in (False, True)
        )
        assert before == after
        for number in before:
            assert (one.picture(number, 0) == other.picture(number, 0)).all(), number


@pytest.mark.parametrize("look", ("editorial", "scenes"))
def test_a_film_is_made_again_only_for_what_it_shows_of_its_presenter(look, tmp_path):
    def list_keys(**fields) -> dict[int, str]:
        return segment_keys(script, tmp_path, look, avatar=Presenter("Ada", **fields))[1]

    script, portrait = film(prose("A")), save_portrait(tmp_path)
    for shown in ({}, {"figure": "none"}, {"portrait": portrait}):
        usual = list_keys(**shown)
        for spoken in ({"pitch": 60}, {"voice": "f3"}, {"speaker": "af"}, {"moving": False}):
            assert list_keys(**shown, **spoken) == usual, (shown, spoken)
        drawn = ({"skin": "#503020"}, {"glasses": "round"}, {"age": "older"}, {"outfit": "hoodie"})
        for each in drawn:
            assert (list_keys(**shown, **each) == usual) is bool(shown), (shown, each)
    assert list_keys(figure="none", portrait=portrait) == list_keys(figure="none")
    assert list_keys(portrait=portrait) != list_keys()


PARTS = (
    f"{SENTENCE} No vote was taken at all.",
    "Tom Objection came. Tom Objection went home on the ferry.",
    "In 2022, 85 percent of members voted for the harbour. Nothing else did.",
    "The festival is on 23 May at 7.30 pm, bring a chair. The dog sleeps under the boat.",
    "Three people died in the fire. Anna Berg wrote to the mayor.",
    "- Anna Berg chairs\n- Tom Objection writes\n- Nobody sleeps",
    "> A harbour is no car park.\n>\n> — Ada Lovelace",
    "\n".join(("| Item | Cost |", "|---|---|", *(f"| Item {n} | {n + 3}00 |" for n in range(4)))),
    "\n".join(("| Item | Room |", "|---|---|", *(f"| Item {n} | Blue |" for n in range(12)))),
)


HEADINGS = ("## Alpha", "## Beta", "## Gamma", "## Delta")


def edit_at_random(parts: list[str], dice: random.Random) -> list[str]:
    """Return ``parts`` with another one, another heading, or two that change places: mostly as many
    scenes as before, without which no scene keeps its key.
    """
    edited, kind = list(parts), dice.randrange(3)
    at, other = (dice.choice([n for n, part in enumerate(parts) if part[0] != "#"]) for _ in "12")
    if kind == 0:
        edited[dice.choice([n for n, part in enumerate(parts) if part[0] == "#"])] = dice.choice(
            HEADINGS
        )
    elif kind == 1:
        edited[at], edited[other] = edited[other], edited[at]
    else:
        edited[at] = dice.choice(PARTS)
    return edited


class Film:
    """What is shown of notes, and its segments by their keys."""

    def __init__(self, parts: list[str], sombre: frozenset[int]):
        plain = brief_of(look="scenes", title="Statutes", metadata_md="\n\n".join(parts))
        written = from_brief.write_script(plain)
        scenes = (
            replace(scene, is_sombre=scene.is_sombre != (number in sombre))
            for number, scene in enumerate(written.scenes)
        )
        script = replace(written, scenes=tuple(scenes))
        self.drawn = drawn = SceneRenderer(plain, script, SHAPES[0])
        times = evenly(drawn.script)
        kept = {"in_type": drawn.list_words_in_type(), "cuts": drawn.list_cuts()}
        cues = captions.split_cues(drawn.script, times, *drawn.plan.caption_lines, **kept)
        self.cues = tuple(cues)
        motion = Motion(
            drawn.look.transition_seconds, is_composed=True, hosted=drawn.list_hosted_scenes()
        )
        changes = tuple(
            plan_changes(drawn.script, times, self.cues, 30, motion, casts=drawn.list_casts())
        )
        shape = VideoFormat(480, 270, 30, 48_000, "Statutes", "en")
        keys = SegmentKeys(plain, drawn, SHAPES[0], self.cues, shape, Path())
        self.segments = {
            keys.compute_key(segment): segment
            for segment in split_segments(changes, changes[-1].frame + 30)
        }

    def draw(self, segment: VideoSegment) -> list[bytes]:
        """Return the first, the last and two other pictures of a segment."""
        shots, last = ShotRenderer(self.drawn, self.cues), len(segment.changes) - 1
        chosen = [segment.changes[last * third // 3].shown for third in range(4)]
        return [
            (
                shots._fade(shown) if isinstance(shown, Fade) else shots._draw_picture(shown)
            ).samples.tobytes()
            for shown in chosen
        ]


@pytest.mark.parametrize("seed", sampled((0, 3, 6, 7), 2))
def test_whatever_is_edited_a_segment_with_the_same_key_has_the_same_pictures(seed):
    """Scenes and transitions: the surroundings that a picture depends on are all in its key."""
    dice, sombre, compared = random.Random(seed), frozenset(), 0
    parts = [part for each in HEADINGS for part in (each, *dice.choices(PARTS, k=2))]
    before = Film(parts, sombre)
    for _ in range(4):
        parts = edit_at_random(parts, dice)
        sombre ^= {dice.randrange(1, 12)} if dice.random() < 0.3 else frozenset()
        after = Film(parts, sombre)
        shared = [key for key in after.segments if key in before.segments]
        for key in dice.sample(shared, min(6, len(shared))):
            compared += 1
            assert before.draw(before.segments[key]) == after.draw(after.segments[key]), parts
        before = after
    assert compared
