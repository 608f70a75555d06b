"""The presenter is a face in a circle, in the requested colours."""

import gc
from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from svc.domain.partners import avatars
from svc.media.colour import parse_colour
from svc.media.figure import avatar as avatar_drawing
from svc.media.figure import body, hair
from svc.media.figure import mouth as mouths
from svc.media.figure.avatar import Pose
from svc.media.figure.pen import OVERSAMPLING
from svc.media.model import PhonemeTiming, Presenter, SceneTiming, Word

ACCENT = (61, 126, 255)
SIZE = 120


def drawn(
    mouth: int = mouths.SHUT, lids: int = 0, pose: Pose = Pose(), before: int = -1, **looks
) -> np.ndarray:
    return np.asarray(
        avatar_drawing.draw_portrait(
            Presenter("Ada", **looks), ACCENT, SIZE, avatar_drawing.Face(mouth, lids, before, pose)
        )
    ).astype(int)


def share_of(picture: np.ndarray, colour: str) -> float:
    """How much of the circle is nearly ``colour``."""
    near = np.abs(picture[..., :3] - parse_colour(colour)).max(axis=-1) < 12
    return float(near.sum() / (picture[..., 3] > 0).sum())


def test_outside_the_circle_it_is_transparent_and_inside_it_is_not():
    alpha = drawn()[..., 3]
    assert [alpha[0, 0], alpha[0, -1], alpha[-1, 0], alpha[-1, -1]] == [0, 0, 0, 0]
    assert alpha[SIZE // 2, SIZE // 2] == alpha[2, SIZE // 2] == 255


@pytest.mark.parametrize("style", hair.HAIR_STYLES)
def test_skin_hair_and_clothes_have_the_colours_of_the_avatar(style):
    picture = drawn(hair_style=style, skin="#c98f63", hair="#104020", clothes="#c2403a")
    assert share_of(picture, "#c98f63") > 0.1
    assert share_of(picture, "#104020") > 0.03 or style == "bald"
    assert share_of(picture, "#c2403a") > 0.05


def test_the_hair_styles_differ():
    faces = [drawn(hair_style=style) for style in hair.HAIR_STYLES]
    assert all((first != second).any() for first, second in combinations(faces, 2))


@pytest.mark.parametrize("name", ["age", "beard", "glasses", "outfit"])
def test_age_beard_glasses_and_outfit_can_be_seen(name):
    choices = avatars.APPEARANCE_CHOICES[name]
    faces = [drawn(hair="#6b4a2a", **{name: choice}) for choice in choices]
    assert all((first != second).any() for first, second in combinations(faces, 2))


def test_what_an_operator_can_choose_is_what_can_be_drawn():
    assert sorted(avatars.APPEARANCE_CHOICES["outfit"]) == sorted(body.OUTFITS)
    assert avatars.HAIR_STYLES == hair.HAIR_STYLES
    assert all(
        getattr(Presenter("Ada"), name) == choices[0]
        for name, choices in avatars.APPEARANCE_CHOICES.items()
    )


def test_a_mouth_half_way_between_two_shapes_is_neither_of_them():
    half = drawn(mouths.OPEN, before=mouths.SHUT)
    assert (half != drawn(mouths.OPEN)).any() and (half != drawn(mouths.SHUT)).any()
    assert (half == drawn(mouths.SHUT, before=mouths.OPEN)).all()


@pytest.mark.parametrize("pose", [Pose(breath=4), Pose(sway=3), Pose(sway=-3), Pose(nod=4)])
def test_a_pose_moves_the_figure_within_its_frame(pose):
    still, moved = drawn(), drawn(pose=pose)
    assert (moved != still).any() and (moved[..., 3] == still[..., 3]).all()
    assert np.abs(moved[..., :3] - still[..., :3]).mean() < 20


def test_a_speaking_mouth_changes_the_mouth_and_nothing_else():
    changed = np.argwhere((drawn(mouths.SHUT) != drawn(mouths.OPEN)).any(axis=-1))
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
    assert top > SIZE * 0.55 and bottom < SIZE * 0.75
    assert left > SIZE * 0.4 and right < SIZE * 0.6


def test_the_face_looks_straight_ahead():
    shut = drawn(hair_style="bun")[int(SIZE * 0.4) : int(SIZE * 0.75)]
    # the light in the eyes is all that is not the same on both sides
    assert np.abs(shut - shut[:, ::-1]).mean() < 4


def test_an_unknown_hair_style_is_short_and_an_unknown_colour_is_no_error():
    assert (drawn(hair_style="mohawk") == drawn(hair_style="short")).all()
    assert drawn(skin="pink-ish", hair="").shape == (SIZE, SIZE, 4)


def test_every_sound_has_a_mouth_of_its_own_and_eyes_can_be_shut():
    faces = [drawn(mouth=shape) for shape in range(6)] + [drawn(lids=lids) for lids in (1, 2)]
    assert all((first != second).any() for first, second in combinations(faces, 2))


@pytest.mark.parametrize(
    "phoneme, shape",
    [
        ("m", mouths.SHUT),
        ("", mouths.SHUT),
        ("ˈuː", mouths.ROUND),
        ("aɪ", mouths.OPEN),
        ("f", mouths.BITE),
        ("ˈiː", mouths.WIDE),
        ("ð", mouths.PARTED),
        ("ə", mouths.PARTED),
        ("tʃ", mouths.PARTED),
    ],
)
def test_the_mouth_has_the_shape_of_what_is_said(phoneme, shape):
    assert mouths.find_shape(phoneme) == shape


def test_lips_close_for_a_short_m_and_after_the_last_word():
    said = (
        PhonemeTiming("a", 0.2),
        PhonemeTiming("m", 0.62),
        PhonemeTiming("o", 0.66),
        PhonemeTiming("", 0.9),
    )
    timing = SceneTiming(0.0, 1.5, (Word("amo", 0.2, 0.9),), said)
    shapes = mouths.find_mouth_shapes(timing, 30)
    assert shapes == [(6, mouths.OPEN), (18, mouths.SHUT), (20, mouths.ROUND), (26, mouths.SHUT)]


def test_a_voice_without_phonemes_opens_the_mouth_when_it_is_loud():
    seconds = np.arange(48000) / 48000
    loud = (np.sin(seconds * 1400) * np.where(seconds < 0.5, 12000, 300)).astype(np.int16)
    timing = SceneTiming(0.0, 1.0, (Word("so", 0.0, 1.0),))
    shapes = dict(mouths.find_mouth_shapes(timing, 30, loud, 48000))
    assert shapes[0] == mouths.OPEN and mouths.SHUT in [
        shapes[frame] for frame in shapes if frame >= 15
    ]
    assert len(shapes) < 10


def test_a_figure_keeps_no_picture_of_the_size_in_which_it_is_drawn():
    large = (SIZE * OVERSAMPLING, SIZE * OVERSAMPLING)
    drawn()
    kept = [each.size for each in gc.get_objects() if type(each) is Image.Image]
    assert (SIZE, SIZE) in kept
    assert large not in kept
