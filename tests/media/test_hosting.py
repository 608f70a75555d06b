"""The presenter hosts a film: opens it, comes back at chapters and closes it as a half body, with
gestures that follow the script, and a face that fits the topic.
"""

import math
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from media.contact_sheet import evenly
from PIL import Image

from svc.media.drawing import sprites
from svc.media.drawing.sprites import Sprite
from svc.media.figure import arms, body
from svc.media.figure import host as drawing
from svc.media.figure import mouth as mouths
from svc.media.figure.avatar import Face, Pose
from svc.media.figure.expression import CALM, KIND, SMILING
from svc.media.figure.host import AT_REST, Gesture
from svc.media.figure.pen import SPAN
from svc.media.model import Presenter, Rendition, Scene, Script, VideoBrief
from svc.media.motion.gestures import choose_gesture, find_calm_scenes, find_gesture, plan_gestures
from svc.media.motion.presence import Presence
from svc.media.script import from_brief
from svc.media.slides import framings, slide
from svc.media.video import render
from svc.media.video.scene import SceneRenderer
from svc.media.video.storyboard import State, plan_changes

SHAPES = (
    Rendition("landscape", 480, 270),
    Rendition("portrait", 270, 480),
    Rendition("square", 270, 270),
    Rendition("feed", 270, 338),
)
NOTES = """## The harbour goes electric
Two electric ferries now cross the harbour every ten minutes. They carry many passengers each. No \
diesel engine runs on board any more, and the noise is gone from the old quays of the town.

## Where it goes
- Old Town
- North Pier
"""
SOMBRE = "Ten people died in the fire on Monday night. Many more lost their homes in the disaster."
RATE = 30


def brief_of(shape: Rendition, look: str = "scenes", notes: str = NOTES, **changes) -> VideoBrief:
    written = VideoBrief(
        "p",
        "The ferries of the harbour",
        "The ferries of the harbour",
        "en",
        "US",
        notes,
        Presenter("Ada", hair_style="bun"),
        (shape,),
        account_name="Harbour & Sons",
        look=look,
    )
    return replace(written, **changes)


def renderer_of(brief: VideoBrief) -> SceneRenderer:
    return SceneRenderer(brief, from_brief.write_script(brief), brief.renditions[0])


def scene_of(layout: str = "prose", said: str = "It is quiet.", **changes) -> Scene:
    words = tuple(said.split())
    ends = tuple(number for number, word in enumerate(words) if word[-1] in ".?!؟")
    return replace(Scene(layout, "Ways", (), words, words, "", ends), **changes)


def overlap(first, second) -> bool:
    return (
        first[0] < second[2]
        and second[0] < first[2]
        and first[1] < second[3]
        and second[1] < first[3]
    )


GESTURES = {
    "rest": arms.REST,
    "welcome": arms.WELCOME,
    "point": arms.POINT,
    "count": arms.COUNT,
    "wave": arms.WAVE,
    "wave back": arms.WAVE_BACK,
}


def find_hand_boxes(gesture: int) -> list[tuple[float, float, float, float]]:
    """Return a box around each hand in a gesture: left, top, right and bottom in the drawing's
    units.
    """
    boxes = []
    for side, arm in zip((1, -1), arms.blend_arms(gesture, gesture, 0.0), strict=True):
        x, y = arm.wrist
        angle = math.radians(arm.turn)
        across, down = x + 16 * math.sin(angle), y - 16 * math.cos(angle)
        across = SPAN / 2 + (across - SPAN / 2) * side
        boxes.append((across - 24, down - 24, across + 24, down + 24))
    return boxes


def reach_of_hands(host: Sprite) -> list[tuple[float, float, float, float]]:
    """Where the hands of a host can be in any gesture, in pixels of the frame."""
    left, top, right, _ = host.square
    scale = (right - left) / (drawing.BOX[2] - drawing.BOX[0])

    def across(x: float) -> float:
        return left + ((SPAN - x if host.host.mirrored else x) - drawing.BOX[0]) * scale

    def down(y: float) -> float:
        return top + (y - drawing.BOX[1]) * scale

    return [
        (min(across(x), across(z)), down(y), max(across(x), across(z)), down(bottom))
        for gesture in GESTURES.values()
        for x, y, z, bottom in find_hand_boxes(gesture)
    ]


@pytest.mark.parametrize(
    "scene, gesture",
    [
        (scene_of("title", "A day out"), arms.WELCOME),
        (scene_of(said="How does it work? It is quiet."), arms.WELCOME),
        (scene_of(said="كيف يعمل المد؟"), arms.WELCOME),
        (scene_of(said="Some 400 people came. Why?"), arms.COUNT),
        (scene_of(said="It is quiet. Some 400 people came."), arms.POINT),
        (scene_of("close", "A video by Ada."), arms.WAVE),
    ],
)
def test_gestures_follow_the_script(scene, gesture):
    assert choose_gesture(scene) == gesture


def test_one_finger_announces_a_list():
    written = from_brief.write_script(brief_of(SHAPES[0]))
    [listed] = [scene for scene in written.scenes if scene.points]
    assert choose_gesture(scene_of(), listed) == arms.COUNT


@pytest.mark.parametrize("layout", ["title", "prose", "close"])
@pytest.mark.parametrize("seconds", [2.5, 5.0, 14.0])
def test_hands_rest_first_and_last_and_move_a_step_at_a_time(layout, seconds):
    plan = plan_gestures(scene_of(layout), None, seconds, RATE)
    seen = [find_gesture(plan, frame, RATE) for frame in range(round(seconds * RATE))]
    assert plan and seen[0] == seen[-1] == AT_REST
    for before, after in pairwise(seen):
        if before.key != after.key:  # a neighbour on the way between two gestures
            assert abs(after.step - before.step) <= 1 or after.step == 1
    assert seen == [find_gesture(plan, frame, RATE) for frame in range(len(seen))]


def test_a_short_scene_and_a_calm_one_have_no_gestures():
    assert plan_gestures(scene_of("title"), None, 1.6, RATE) == []
    assert plan_gestures(scene_of("title"), None, 9.0, RATE, is_calm=True) == []


def test_a_sombre_topic_has_a_calm_film():
    written = from_brief.write_script(brief_of(SHAPES[0], notes=f"## Last night\n{SOMBRE}"))
    assert written.scenes[1].is_sombre and all(find_calm_scenes(written))
    friendly = from_brief.write_script(brief_of(SHAPES[0]))
    assert not any(find_calm_scenes(friendly))


def test_a_list_is_as_calm_as_the_prose_before_it():
    scenes = [scene_of("title", "News"), scene_of(is_sombre=True), scene_of("points")]
    scenes += [scene_of(), scene_of(), scene_of("points"), scene_of("close")]
    calm = find_calm_scenes(Script("News", "en", tuple(scenes)))
    assert calm == (True, True, True, False, False, False, False)


def test_nobody_smiles_at_the_title_in_front_of_a_sombre_first_text():
    friendly = [scene_of(), scene_of(), scene_of("close")]
    scenes = (scene_of("title", "Help the families"), scene_of(is_sombre=True), *friendly)
    assert find_calm_scenes(Script("Help", "en", scenes))[0]
    later = (scene_of("title", "News"), scene_of(), scene_of(is_sombre=True), *friendly)
    assert not find_calm_scenes(Script("News", "en", later))[0]


def test_a_sombre_scene_has_no_smile():
    presence = Presence(1, range(300), RATE, [(100, mouths.OPEN)], 200, [], is_calm=True)
    faces = {presence.find_face(frame).cheeks for frame in range(300)}
    assert faces == {CALM} and presence.still.cheeks == CALM
    brief = brief_of(SHAPES[0], notes=f"## Last night\n{SOMBRE}")
    renderer, timeline = renderer_of(brief), evenly(from_brief.write_script(brief))
    motion = render.choose_motion(brief, renderer)
    changes = plan_changes(renderer.script, timeline, (), RATE, motion, casts=renderer.list_casts())
    states = [change.shown for change in changes if isinstance(change.shown, State)]
    assert {state.face.cheeks for state in states} == {CALM}
    assert {state.gesture for state in states} == {AT_REST}


def test_mouth_and_lids_agree():
    """The lower lids are raised by a smile, in pauses, in which the mouth is shut."""
    shapes = [(60, mouths.OPEN), (90, mouths.SHUT), (94, mouths.WIDE), (120, mouths.SHUT)]
    presence = Presence(1, range(300), RATE, shapes, 200, [])
    faces = [presence.find_face(frame) for frame in range(300)]
    assert {face.mouth for face in faces if face.cheeks == SMILING} == {mouths.SHUT}
    assert {face.cheeks for face in faces} == {KIND, SMILING}


def test_a_smile_a_kind_and_a_calm_face_differ():
    drawn = [
        np.asarray(drawing.draw_host(Presenter("Ada"), (61, 126, 255), 240, Face(cheeks=cheeks)))
        for cheeks in (CALM, KIND, SMILING)
    ]
    assert all((first != second).any() for first, second in combinations(drawn, 2))


@pytest.mark.parametrize("outfit", body.OUTFITS)
@pytest.mark.parametrize("gesture", GESTURES.values(), ids=GESTURES)
def test_hands_have_the_skin_and_arms_the_sleeves(outfit, gesture):
    """Each hand is where it is said to be, in the colour of the skin, next to the sleeve."""
    host = Presenter("Ada", skin="#20c040", clothes="#c02080", hair="#000000", outfit=outfit)
    size = 616
    picture = np.asarray(
        drawing.draw_host(host, (0, 0, 90), size, gesture=Gesture(gesture, gesture))
    ).astype(int)
    scale = size / (drawing.BOX[2] - drawing.BOX[0])
    for left, top, right, bottom in find_hand_boxes(gesture):
        part = picture[
            round((top - drawing.BOX[1]) * scale) : round((bottom - drawing.BOX[1]) * scale),
            round((left - drawing.BOX[0]) * scale) : round((right - drawing.BOX[0]) * scale),
            :3,
        ]
        skin = (np.abs(part - (0x20, 0xC0, 0x40)).max(-1) < 12).sum()
        cloth = (np.abs(part - (0xC0, 0x20, 0x80)).max(-1) < 12).sum()
        assert skin > 0.05 * part.shape[0] * part.shape[1]
        assert cloth or outfit == "blazer"


@pytest.mark.parametrize("pair", list(combinations(GESTURES.values(), 2)))
def test_on_the_way_no_elbow_and_no_hand_leaves_the_body(pair):
    for step in range(drawing.STEPS + 1):
        for arm in arms.blend_arms(*pair, step / drawing.STEPS):
            assert 0 <= arm.elbow_x <= 30 and 240 <= arm.elbow_y <= 250
            assert 44 <= arm.length <= 51 and -50 <= arm.lean <= 101


def is_without_captions(renderer: SceneRenderer, scene: int, stage: int) -> bool:
    content = renderer.script.scenes[scene]
    framed = framings.list_framings(content) if renderer.is_composed else ()
    return bool(framed) and framings.is_without_captions(content, framed[max(0, stage)])


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("look", ["scenes", "explainer"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_hands_never_touch_captions_text_or_pictures(shape, look, language):
    brief = brief_of(shape, look, language=language)
    written = from_brief.write_script(brief)
    title = replace(written.scenes[0], illustration="ship", companions=("sun", "bicycle"))
    written = replace(written, scenes=(title, *written.scenes[1:]))
    renderer = SceneRenderer(brief, written, shape)
    plan, hosted = renderer.plan, 0
    for scene in sorted(renderer.list_hosted_scenes()):
        for stage in range(-1, len(renderer.list_stages(scene))):
            if not renderer.is_hosted(scene, stage):
                continue
            canvas = renderer._lay_out(scene, renderer.find_drawn_stage(scene, stage))
            [host] = [sprite for sprite in canvas.sprites if sprite.host]
            others = [
                each.square
                for each in canvas.sprites
                if not each.host and each.name != sprites.BALL
            ]
            texts = [text.box for text in canvas.lettering]
            captions = () if is_without_captions(renderer, scene, stage) else (plan.strip,)
            names = [text.box for text in renderer._ground().chrome]
            for hand in reach_of_hands(host):
                boxes = (*captions, plan.brand, *texts, *names)
                assert not any(overlap(hand, box) for box in boxes)
                assert not any(overlap(hand, box) for box in others)
                assert hand[0] >= 0 and hand[2] <= plan.width
            boxes = (*captions, *texts, *names)
            assert not any(overlap(host.square, box) for box in boxes)
            hosted += 1
    assert hosted >= 2


@pytest.mark.parametrize("shape", SHAPES[1:], ids=lambda shape: shape.name)
def test_pictures_beside_a_host_below_the_text_are_companions_and_no_specks(shape):
    brief = brief_of(shape)
    written = from_brief.write_script(brief)
    title = replace(written.scenes[0], illustration="ship", companions=("bicycle",))
    renderer = SceneRenderer(brief, replace(written, scenes=(title, *written.scenes[1:])), shape)
    placed = [each for each in renderer._lay_out(0, -1).sprites if each.name != sprites.BALL]
    [host] = [each for each in placed if each.host]
    others = [each for each in placed if not each.host]
    assert len(others) == 2 and all(each.size >= 0.14 * renderer.plan.width for each in others)
    assert not any(overlap(host.square, each.square) for each in others)
    assert all(each.square[0] >= 0 and each.square[2] <= renderer.plan.width for each in others)


def test_the_presenter_opens_returns_at_chapters_and_closes():
    renderer = renderer_of(brief_of(SHAPES[0]))
    layouts = {renderer.script.scenes[scene].layout for scene in renderer.list_hosted_scenes()}
    assert layouts == {"title", "prose", "close"}
    [chapter] = [
        n for n in renderer.list_hosted_scenes() if renderer.script.scenes[n].layout == "prose"
    ]
    assert renderer.is_hosted(chapter, 0) and not renderer.is_hosted(chapter, 9)


@pytest.mark.parametrize("look", ["news", "short", "editorial", "playful", "product"])
def test_other_looks_have_no_host(look):
    assert renderer_of(brief_of(SHAPES[0], look)).list_hosted_scenes() == frozenset()


def test_an_uploaded_portrait_and_a_voice_alone_host_nothing(tmp_path):
    Image.new("RGB", (64, 64), (200, 0, 0)).save(tmp_path / "face.png")
    for changes in ({"portrait": "face.png"}, {"figure": "none"}):
        brief = brief_of(SHAPES[0], avatar=Presenter("Ada", **changes))
        written = from_brief.write_script(brief)
        renderer = SceneRenderer(brief, written, SHAPES[0], tmp_path)
        assert renderer.list_hosted_scenes() == frozenset() and not renderer.is_hosted(
            0, slide.NOTHING_YET
        )


def test_the_corner_has_the_initial_while_the_presenter_hosts():
    renderer = renderer_of(brief_of(Rendition("landscape", 960, 540)))
    badge, face = renderer.draw_badge().pixels, renderer.draw_presenter().pixels
    assert badge.shape == face.shape and (badge != face).any()
    assert "H" in {text.text for text in renderer.drain_texts()}


def test_the_initial_is_white_on_a_colour_that_is_not_pale():
    """Black passes in the middle of the badge, and is hardly seen around it."""
    for accent, ink in (("#0f766e", "#ffffff"), ("#ffe100", "#000000")):
        brief = brief_of(Rendition("landscape", 960, 540), accent=accent, theme="dark")
        renderer = renderer_of(brief)
        renderer.draw_badge()
        assert ink in {text.ink for text in renderer.drain_texts() if text.text == "H"}, accent


def test_a_host_is_drawn_the_same_in_every_run():
    seen = []
    for _ in range(2):
        drawing._arms.cache_clear()
        drawing._body.cache_clear()
        face = Face(mouths.OPEN, pose=Pose(2, 1, 3), cheeks=KIND)
        half_way = Gesture(arms.REST, arms.WELCOME, 2)
        layers = drawing.list_layers(Presenter("Ada"), (9, 9, 90), 200, face, half_way)
        seen.append([layer.tobytes() for _, layer, _, _ in layers])
    assert seen[0] == seen[1]


def test_where_one_reads_from_right_to_left_the_hand_shows_the_other_way():
    def arms_drawn(mirrored: bool) -> np.ndarray:
        layers = drawing.list_layers(
            Presenter("Ada"),
            (9, 9, 90),
            200,
            gesture=Gesture(arms.POINT, arms.POINT),
            mirrored=mirrored,
        )
        return np.asarray(next(image for key, image, _, _ in layers if key[0] == "arms"))

    assert (arms_drawn(True) == arms_drawn(False)[:, ::-1]).all()


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("fr", "Avis de décès : Odile Vasseur"),
        ("en", "In memoriam: John Miller"),
        ("de", "Todesanzeige Anna Weber"),
        ("pl", "Nekrolog: Jan Kowalski"),
        ("es", "Esquela de Juan Pérez"),
    ],
)
def test_a_notice_of_a_death_is_a_calm_film(language, title):
    """The presenter smiled, as the names in it tell the encoder nothing."""
    brief = brief_of(SHAPES[0], notes="Quimper 1934 – Brest 2025, Saint-Mathieu, 14.30.")
    brief = replace(brief, title=title, topic=title, language=language)
    written = from_brief.write_script(brief)
    assert written.scenes[0].is_sombre and all(find_calm_scenes(written))
    friendly = from_brief.write_script(replace(brief, title="Odile Vasseur", topic="Odile Vasseur"))
    assert not friendly.scenes[0].is_sombre
