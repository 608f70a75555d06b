"""Entrances, transitions and the drift of the ground are eased,
and end in the picture that is drawn.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from media.contact_sheet import evenly
from PIL import Image
from small_programme import ENGLISH, LANDSCAPE, brief_of, ignore, timeline_of
from support.tables import each_of

from svc.base.looks import THEMES
from svc.media.colour import parse_colour
from svc.media.drawing import ambience
from svc.media.drawing.looks import LOOKS, find_look
from svc.media.drawing.palette import build_palette
from svc.media.drawing.yuv import Picture
from svc.media.figure import mouth as mouths
from svc.media.figure.avatar import STILL
from svc.media.model import Scene, Script
from svc.media.motion import easing
from svc.media.motion.entrances import GRAINY, Entrance
from svc.media.motion.presence import Presence
from svc.media.motion.transitions import End, Transition, choose_kind
from svc.media.video.scene import SceneRenderer
from svc.media.video.shots import ShotRenderer
from svc.media.video.storyboard import Fade, FrameChange, Motion, State, plan_changes

SIZE = (320, 180)
KINDS = ("fade", "push", "zoom", "wipe")


def flat(level: int) -> Picture:
    samples = np.full(SIZE[0] * SIZE[1] * 3 // 2, 128, np.uint8)
    samples[: SIZE[0] * SIZE[1]] = level
    return Picture(*SIZE, samples)


def with_text(level: int, box: tuple[int, int, int, int], ink: int = 235) -> Picture:
    """Stripes on a flat ground, as narrow as letters."""
    picture = flat(level)
    left, top, right, bottom = box
    picture.planes()[0][top:bottom, left:right:3] = ink
    return picture


def studio(**changes) -> SceneRenderer:
    return SceneRenderer(brief_of(**changes), ENGLISH, LANDSCAPE)


def shown(renderer: SceneRenderer, *states: State | Fade) -> list[np.ndarray]:
    changes = tuple(FrameChange(number, state, number == 0) for number, state in enumerate(states))
    return [
        shot.picture.samples for shot in ShotRenderer(renderer, ()).render_shots(changes, ignore)
    ]


@pytest.mark.parametrize("curve", [easing.ease_out, easing.ease_in, easing.ease_in_out])
def test_a_curve_leads_from_the_start_to_the_end_and_never_back(curve):
    shares = [curve(step / 20) for step in range(21)]
    assert (shares[0], shares[-1]) == (0, 1) and all(
        first < second for first, second in pairwise(shares)
    )
    assert (curve(-1), curve(2)) == (0, 1)


def test_what_enters_is_fast_first_and_slow_at_the_end():
    way = [easing.ease_out(step / 10) for step in range(11)]
    steps = [second - first for first, second in pairwise(way)]
    assert steps == sorted(steps, reverse=True) and way[5] == 0.875


def test_an_entrance_ends_bit_for_bit_in_the_picture_of_its_stage():
    before, after = flat(30), with_text(30, (40, 60, 160, 90))
    entrance = Entrance(before, after)
    assert entrance.changes and (entrance.draw_at(1.0).samples == after.samples).all()
    assert not Entrance(before, before.copy()).changes


def test_a_new_part_slides_upwards_and_fades_in_and_nothing_else_moves():
    after = with_text(30, (48, 64, 160, 96))
    entrance = Entrance(flat(30), after)
    early, late = entrance.draw_at(0.1).planes()[0], entrance.draw_at(0.9).planes()[0]
    (first, _), (last, _) = (np.argwhere(luma > 36)[0] for luma in (early, late))
    assert first > last >= 64
    assert early.max() < late.max()
    assert (early[:32] == 30).all() and (early[:, 200:] == 30).all()


def test_several_parts_enter_one_after_the_other():
    after = flat(30)
    for top in (16, 80, 144):
        after.planes()[0][top : top + 16, 32:160:3] = 235
    middle = Entrance(flat(30), after).draw_at(0.3).planes()[0]
    lit = [int(middle[top : top + 32].max()) for top in (16, 80, 144)]
    assert lit == sorted(lit, reverse=True) and lit[0] > lit[1] > lit[2]


def test_a_text_that_only_changes_its_colour_does_not_move():
    box = (48, 64, 160, 96)
    half = Entrance(with_text(30, box, 120), with_text(30, box, 235)).draw_at(0.5).planes()[0]
    assert (half[64:96, 48:160:3] > 120).all() and (half[64:96, 49:160:3] == 30).all()


def test_a_text_that_takes_the_place_of_another_waits_until_it_has_gone():
    rng = np.random.default_rng(3)
    pictures = [flat(30), flat(30)]
    for picture in pictures:
        picture.planes()[0][64:96, 48:160] = np.where(rng.random((32, 112)) < 0.3, 235, 30)
    moment = Entrance(*pictures).draw_at(0.4).planes()[0][64:96, 48:160]
    assert moment.max() < 60


def inked(picture: Picture, box: tuple[int, int, int, int]) -> int:
    """How far the ink of ``with_text`` stands out in ``box``."""
    left, top, right, bottom = box
    return int(np.abs(picture.planes()[0][top:bottom, left:right].astype(int) - 30).max())


def test_the_ground_lies_between_a_text_and_what_replaces_it():
    """A heading of two lines makes room for words that cover one of them: the other line shows
    nothing new, and used to fade while the words entered."""
    first, second = (48, 48, 240, 80), (48, 96, 240, 128)
    before, after = with_text(30, first), with_text(30, second)
    before.planes()[0][96:128, 49:240:5] = 235
    entrance = Entrance(before, after, GRAINY, flat(30))
    seen = []
    for step in range(1, 12):
        picture = entrance.draw_at(step / 12)
        old, new = inked(picture, first), inked(picture, second)
        seen.append((old, new))
        assert not old or (picture.planes()[0][96:128, 48:240:15] <= 30).all()
    assert seen[0][0] > 40 and seen[-1][1] > 150  # both are shown, one after the other


def test_no_words_are_seen_over_what_was_said_before():
    """In the frames of a film, as the storyboard times them: in each frame of an entrance either
    nothing is left of the text before, or nothing of the next is there."""
    text = (
        "Why it waits Every word that is said here has to enter alone, in its own time, and no "
        "other word may be under it while it comes to its place."
    )
    words = tuple(text.split())
    scene = Scene(
        "prose",
        "Why it waits",
        (),
        words,
        words,
        "",
        (2, len(words) - 1),
        key_phrase="Why it waits",
    )
    script = Script(
        "Test",
        "en",
        (
            scene,
            replace(scene, layout="close", words=("End.",), spoken=("End.",), sentence_ends=(0,)),
        ),
    )
    renderer = SceneRenderer(brief_of(script, look="scenes"), script, LANDSCAPE)
    shots = ShotRenderer(renderer, ())
    firsts = renderer.list_stages(0)
    assert len(firsts) > 1
    motion = Motion(renderer.look.transition_seconds, is_composed=True)
    changes = plan_changes(script, evenly(script), (), 30, motion)
    ground = shots._find_ground(0)[0].picture.planes()[0].astype(int)
    stages = [renderer.picture(0, number, with_sprites=False) for number in range(len(firsts))]
    ink = [np.abs(Picture.from_rgb(each).planes()[0] - ground) for each in stages]
    crossed, looked = [], 0
    for change in changes:
        state = change.shown
        if isinstance(state, Fade) or state.scene or state.stage < 1 or state.entrance >= 1:
            continue
        luma = shots._draw_entering(state).planes()[0].astype(int)
        seen = np.abs(luma - ground) > 24
        before, after = ink[state.stage - 1], ink[state.stage]
        old = (seen & (before > 60) & (after < 8)).any()
        new = (seen & (after > 60) & (before < 8)).any()
        looked += 1
        crossed += [(change.frame, state.entrance)] if old and new else []
    assert looked > 3 and crossed == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_transition_begins_with_one_scene_and_ends_bit_for_bit_with_the_next(kind):
    before, after = with_text(30, (40, 60, 160, 90)), with_text(30, (60, 80, 200, 120))
    transition = Transition(End(before, flat(30)), End(after, flat(30)), kind, (0, 20, *SIZE))
    assert (transition.draw_at(1.0).samples == after.samples).all()
    nearly = transition.draw_at(0.01).samples
    assert (
        np.abs(nearly.astype(int) - before.samples).mean()
        < np.abs(nearly.astype(int) - after.samples).mean()
    )


@pytest.mark.parametrize("kind", ["fade", "push", "zoom"])
def test_two_texts_are_never_legible_over_each_other(kind):
    one, two = (40, 60, 160, 90), (40, 62, 160, 92)
    before, after = with_text(30, one), with_text(30, two)
    transition = Transition(End(before, flat(30)), End(after, flat(30)), kind, (0, 20, *SIZE))
    contrast = [int(transition.draw_at(step / 12).planes()[0].max()) - 30 for step in range(1, 12)]
    assert min(contrast) < 25  # the ground lies between them
    assert contrast[0] > 100 and contrast[-1] > 100


def test_a_push_comes_from_the_side_to_which_reading_goes():
    bare, after = End(flat(30), flat(30)), with_text(30, (120, 60, 200, 90))
    for right_to_left in (False, True):
        luma = (
            Transition(bare, End(after, bare.ground), "push", (0, 20, *SIZE), right_to_left)
            .draw_at(0.6)
            .planes()[0]
        )
        columns = np.flatnonzero((luma > 40).any(axis=0))
        assert columns[-1] < 198 if right_to_left else columns[0] > 120


@pytest.mark.parametrize("right_to_left", (False, True))
@pytest.mark.parametrize("cut", ((290, 100, 320, 160), (0, 100, 30, 160), (150, 100, 320, 160)))
def test_what_the_edge_of_the_frame_cuts_leaves_no_trail_in_a_push(cut, right_to_left):
    """Half a ball, drawn on while it moved away, grew a bar up to the edge. It stays and fades;
    what takes up the frame moves, as it is."""
    before = with_text(30, (60, 60, 140, 90))
    before.planes()[0][cut[1] : cut[3], cut[0] : cut[2]] = 200
    ends = End(before, flat(30)), End(flat(30), flat(30))
    transition = Transition(*ends, "push", (0, 20, *SIZE), right_to_left)
    lit = (before.planes()[0][cut[1] : cut[3]] > 100).sum()
    seen = [transition.draw_at(share).planes()[0].astype(int) for share in (0.2, 0.25, 0.3)]
    for luma in seen:
        bright = luma[cut[1] : cut[3]] > luma[cut[1] : cut[3]].max() - 20
        assert bright.sum() <= lit
        if cut == ((0, 100, 30, 160) if right_to_left else (290, 100, 320, 160)):
            columns = np.flatnonzero(bright.any(axis=0))
            assert (columns[0], columns[-1] + 1) == (cut[0], cut[2])
        text = np.flatnonzero((luma[60:90] > 40).any(axis=0))
        assert text[0] > 60 if right_to_left else text[0] < 60
    peaks = [luma[cut[1] : cut[3]].max() for luma in seen]
    assert 200 > peaks[0] > peaks[1] > peaks[2] > 30


@pytest.mark.parametrize("cut", ((0, 20, 2, 22), (318, 178, 320, 180), (0, 20, 320, 180)))
def test_what_the_edge_of_the_frame_cuts_shrinks_and_grows_in_a_zoom(cut):
    before, after = with_text(30, cut), with_text(30, cut)
    transition = Transition(End(before, flat(30)), End(after, flat(30)), "zoom", (0, 20, *SIZE))
    for step in range(1, 48):
        luma = transition.draw_at(step / 48).planes()[0]
        assert luma.min() >= 29 and (luma[:20] == before.planes()[0][:20]).all()


def test_the_looks_have_transitions_of_three_kinds():
    assert {
        choose_kind(look.transition, scene, 6) for look in LOOKS.values() for scene in range(1, 6)
    } == set(KINDS)
    assert [choose_kind("fade", scene, 5) for scene in range(1, 5)] == [
        "zoom",
        "fade",
        "fade",
        "zoom",
    ]


def test_a_stage_has_entered_when_its_time_is_over():
    renderer = studio()
    _, start, last = shown(renderer, State(1, -1), State(1, 0, entrance=0.2), State(1, 0))
    (still,) = shown(studio(), State(1, 0))
    assert (last == still).all() and (start != still).any()


def test_a_change_that_cannot_be_seen_is_not_encoded():
    assert (
        len(shown(studio(), State(0), State(0, entrance=0.5), State(0, word=1), State(0, word=1)))
        == 2
    )


def test_the_storyboard_eases_each_stage_in_and_ends_each_scene_at_rest():
    board = list(plan_changes(ENGLISH, timeline_of(), (), 30, Motion(fade=0.0)))
    states = [change.shown for change in board]
    for stage in (0, 1):
        shares = [state.entrance for state in states if state.scene == 1 and state.stage == stage]
        assert shares == sorted(shares) and len(set(shares)) == 12 and shares[-1] == 1.0
    for scene in range(len(ENGLISH.scenes)):
        of_scene = [state for state in states if state.scene == scene]
        assert {of_scene[0].face, of_scene[-1].face} == {STILL}
        assert of_scene[0].drift == of_scene[-1].drift == 0


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_discs_never_come_nearer_to_the_ink(theme):
    renderer = studio(theme=theme)
    _, plain, under = renderer.draw_grounds()
    brighter = under.astype(int) - plain
    assert (brighter >= 0).all() if theme == "light" else (brighter <= 0).all()
    assert brighter.any()


@each_of("theme", THEMES)
@each_of("look", [look for look in LOOKS if look != "scenes"])  # which has lights
@each_of(
    "accent",
    ["#000000", "#ffffff", "#010101", "#fefefe", "#ffe100", "#7a0000", "#00007a", "#ff00ff"],
)
def test_discs_are_seen_whatever_the_brands_colour(look, theme, accent):
    ground = build_palette(find_look(look), theme, parse_colour(accent)).ground
    plain = np.full((2, 2, 3), ground, np.uint8)
    without, under = (
        Picture.from_rgb(sheet).planes()[0].astype(int)
        for sheet in (plain, ambience.shade_ground(plain, ground))
    )
    assert np.abs(under - without).min() >= 5  # of luma: nothing else drifts


def test_the_discs_come_back_to_where_they_began():
    first, last = (
        ambience.draw_disc_mask(320, 180, 0),
        ambience.draw_disc_mask(320, 180, ambience.DISC_POSITIONS),
    )
    assert (first == last).all()
    assert all(
        (first != ambience.draw_disc_mask(320, 180, step)).any()
        for step in range(6, ambience.DISC_POSITIONS - 6)
    )


def test_a_drifting_ground_leaves_text_and_presenter_alone():
    renderer = studio()
    both = shown(renderer, State(1, 1), State(1, 1, drift=20))
    still, moved = (samples[: SIZE[0] * SIZE[1]].reshape(180, 320) for samples in both)
    changed = still != moved
    left, top, right, bottom = renderer.presenter_box
    assert changed.sum() > 500 and not changed[top:bottom, left:right].any()
    assert np.abs(still.astype(int) - moved)[changed].max() <= 8 and still[changed].max() < 90


def test_an_uploaded_portrait_comes_nearer_and_goes_back(tmp_path):
    Image.effect_mandelbrot((90, 120), (-2, -1.5, 1, 1.5), 50).convert("RGB").save(
        tmp_path / "face.png"
    )
    presenter = type(brief_of().avatar)("Ada", portrait="face.png")
    renderer = SceneRenderer(brief_of(avatar=presenter), ENGLISH, LANDSCAPE, tmp_path)
    far, near = (
        renderer.draw_presenter(step=renderer.find_portrait_step(step)).pixels
        for step in (0, ambience.DISC_POSITIONS // 2)
    )
    assert (far != near).any() and (
        far
        == renderer.draw_presenter(step=renderer.find_portrait_step(ambience.DISC_POSITIONS)).pixels
    ).all()


def test_a_presenter_breathes_nods_and_blinks_within_each_scene():
    frames, full_stop = range(300, 600), 450
    presence = Presence(1, frames, 30, [(310, mouths.OPEN), (314, mouths.SHUT)], 440, [full_stop])
    faces = [presence.find_face(frame) for frame in frames]
    assert faces[0] == faces[-1] == STILL
    assert {face.pose.breath for face in faces} == set(range(5)) and {
        face.lids for face in faces
    } == {0, 1, 2}
    assert {face.pose.sway for face in faces} == set(range(-3, 4))
    nods = [frame for frame, face in zip(frames, faces, strict=True) if face.pose.nod]
    assert full_stop in nods and nods[-1] - nods[0] < 20
    assert (faces[10].mouth, faces[10].before) == (mouths.OPEN, mouths.SHUT)
    assert (faces[12].mouth, faces[12].before) == (mouths.SHUT, mouths.OPEN)
    assert (faces[14].mouth, faces[14].before) == (mouths.SHUT, -1)


def test_lips_that_close_for_one_step_are_shut_in_it_and_half_way_before_and_after():
    shapes = [
        (10, mouths.OPEN),
        (14, mouths.SHUT),
        (16, mouths.WIDE),
        (20, mouths.ROUND),
        (22, mouths.OPEN),
    ]
    presence = Presence(1, range(300), 30, shapes, 200, [])
    drawn = {
        frame: (face.mouth, face.before)
        for frame in range(10, 26, 2)
        for face in (presence.find_face(frame),)
    }
    assert drawn == {
        10: (mouths.OPEN, mouths.SHUT),
        12: (mouths.SHUT, mouths.OPEN),
        14: (mouths.SHUT, -1),
        16: (mouths.WIDE, mouths.SHUT),
        18: (mouths.WIDE, -1),
        20: (mouths.ROUND, mouths.WIDE),
        22: (mouths.OPEN, mouths.ROUND),
        24: (mouths.OPEN, -1),
    }


def test_a_mouth_never_jumps_from_one_shape_to_another_without_one_between_them():
    shapes = [(frame, (frame * 7 + frame // 3) % mouths.BITE) for frame in range(10, 200, 2)]
    presence = Presence(1, range(300), 30, shapes, 220, [])
    faces = [presence.find_face(frame) for frame in range(0, 290, 2)]
    for face, following in pairwise(faces):
        ends = [
            {shape for shape in (each.mouth, each.before) if shape >= 0}
            for each in (face, following)
        ]
        assert ends[0] & ends[1]  # they share a shape, and so are at most half a way apart


def test_text_that_leaves_a_grainy_ground_fades_everywhere_alike():
    noise = np.random.default_rng(1).normal(0, 3.0, (144, 192, 1))
    plain = np.clip(60 + noise, 0, 255).astype(np.uint8).repeat(3, axis=2)
    box, written = (slice(40, 88), slice(48, 144)), plain.copy()
    written[box] = 235
    before, after = Picture.from_rgb(written), Picture.from_rgb(plain)
    part = box[0], box[1]
    old, new, shown = (
        each.planes()[0][part].astype(float)
        for each in (before, after, Entrance(before, after, GRAINY).draw_at(0.25))
    )
    assert np.ptp((old - shown) / (old - new)) < 0.02


def test_a_card_that_lights_up_shows_its_text_once():
    def card(level: int, ink: int) -> Picture:
        pixels = np.full((144, 192, 3), 40, np.uint8)
        pixels[36:92, 20:172] = level
        pixels[56:72, 48:144:8] = ink
        return Picture.from_rgb(pixels)

    before, after = card(50, 200), card(130, 235)
    old, new, shown = (
        each.planes()[0].astype(float)
        for each in (before, after, Entrance(before, after).draw_at(0.3))
    )
    assert np.abs(shown - old - easing.ease_out(0.3) * (new - old)).max() <= 1
