"""Within a scene a clip plays, and the camera draws back from a picture;
both are what their files are, and are compared.
"""

import dataclasses
import hashlib

import av
import numpy as np
import pytest
import small_clips
from PIL import Image
from small_programme import ENGLISH, brief_of, timeline_of
from support.sampling import sampled

from svc.media.brand_kit import BrandKit
from svc.media.clips import in_scenes, upload
from svc.media.clips.in_scenes import CAMERA_POSITIONS, MovingVisuals
from svc.media.clips.player import Camera, ClipPlayer
from svc.media.drawing import images
from svc.media.errors import MediaError
from svc.media.model import (
    Point,
    Presenter,
    QualityFindings,
    Rendition,
    Scene,
    Script,
    Timeline,
    Upload,
    Visual,
    load,
)
from svc.media.script import step
from svc.media.video.encoding import VideoFormat
from svc.media.video.scene import SceneRenderer
from svc.media.video.segments import SegmentKeys, split_segments
from svc.media.video.shots import ShotRenderer
from svc.media.video.storyboard import Fade, Motion, State, plan_changes
from tests.media import mutations

WIDE = Rendition("landscape", 640, 360)
WORDS = ("The", "quay", "at", "high", "tide.")


def scene_with(file: str) -> Scene:
    return Scene(
        "image", "The quay", (), WORDS, WORDS, "", (4,), Visual("image", "The quay", file=file)
    )


def script_with(file: str) -> Script:
    return dataclasses.replace(
        ENGLISH, scenes=(ENGLISH.scenes[0], scene_with(file), ENGLISH.scenes[3])
    )


@pytest.fixture
def clip(tmp_path):
    sent = small_clips.write(tmp_path / "sent", 1.0, (480, 270), sound=np.zeros(0, np.int16))
    upload.convert_clip(sent, tmp_path / "quay.mp4")
    return tmp_path / "quay.mp4"


@pytest.fixture
def photograph(tmp_path):
    pixels = np.random.default_rng(1).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    Image.fromarray(pixels).resize((600, 400), Image.Resampling.BICUBIC).save(tmp_path / "quay.jpg")
    return tmp_path / "quay.jpg"


def board(file, rate: int = 30, motion: Motion = Motion(face=False, drift=False)):
    """The script, its timeline, and what is shown from each change on."""
    script = script_with(file.name)
    timeline = timeline_of(script)
    changes = plan_changes(
        script, timeline, (), rate, motion, moves=in_scenes.find_moves(script, file.parent)
    )
    return script, timeline, list(changes)


def shown_in(changes, timeline: Timeline, rate: int) -> dict[int, int]:
    """How far it has moved, by frames after the second scene began."""
    first = round(timeline.scenes[1].start * rate)
    return {
        change.frame - first: change.shown.moved
        for change in changes
        if getattr(change.shown, "scene", None) == 1
    }


@pytest.mark.parametrize("rate", sampled([24, 25, 30, 60], 3))
def test_a_clip_plays_at_its_own_speed_and_begins_again(clip, rate):
    _, timeline, changes = board(clip, rate)
    moved = shown_in(changes, timeline, rate)
    assert moved[0] == 0 and moved[rate // 2] == rate // 2 * 30 // rate
    # a second has passed, and with it the clip
    assert moved[rate + rate // 3] == rate // 3 * 30 // rate


def test_a_clip_stands_still_while_its_scene_goes(clip):
    _, timeline, changes = board(clip)
    fades = [
        change
        for change in changes
        if isinstance(change.shown, Fade) and change.shown.before.scene == 1
    ]
    last = list(shown_in(changes, timeline, 30).items())[-1]
    assert len(fades) > 3 and {each.shown.before.moved for each in fades} == {(last[1] + 1) % 30}


def test_the_pictures_of_a_scene_are_those_of_its_clip(clip):
    script, _, changes = board(clip)
    renderer = SceneRenderer(brief_of(script), script, WIDE, clip.parent)
    found = {
        shot.frame: shot.picture
        for segment in split_segments(changes, 10_000)
        for shot in ShotRenderer(renderer, ()).render_shots(segment.changes, lambda frame: None)
        if segment.changes[0].opens
    }
    left, top, right, bottom = renderer.moving[1].box
    player, compared = ClipPlayer(clip, right - left, bottom - top), 0
    for change in changes:
        if isinstance(change.shown, State) and change.shown.scene == 1:
            shown = found[change.frame].crop(left, top, right, bottom).planes()[0]
            meant = player.picture(change.shown.moved).planes()[0]
            middle = slice(20, -20)
            assert np.array_equal(shown[middle, middle], meant[middle, middle])
            assert not np.array_equal(shown[0, :2], meant[0, :2])  # a round corner
            compared += 1
    assert compared > 40


def test_a_clip_goes_on_where_it_is_asked_for_an_earlier_picture(clip):
    player = ClipPlayer(clip, 160, 90)
    digests = [
        hashlib.sha256(player.picture(number).samples.tobytes()).hexdigest()
        for number in (0, 10, 29, 99, 10, 0)
    ]
    assert (
        digests[0] == digests[5]
        and digests[1] == digests[4]
        and digests[2] == digests[3]
        and len(set(digests)) == 3
    )


def test_the_camera_draws_back_until_the_whole_picture_is_seen(photograph):
    camera = Camera(photograph, 300, 200)
    near, later, whole = (
        camera.picture(number).planes()[0].astype(float)
        for number in (0, CAMERA_POSITIONS // 2, CAMERA_POSITIONS)
    )
    meant = np.asarray(
        images.open_image(photograph)
        .convert("RGB")
        .resize((300, 200), Image.Resampling.LANCZOS)
        .convert("L")
    )
    assert np.corrcoef(whole.ravel(), meant.ravel())[0, 1] > 0.97
    assert np.abs(near - whole).mean() > np.abs(later - whole).mean() > 3


def test_the_camera_never_stops_and_makes_no_leap(photograph):
    _, timeline, changes = board(photograph)
    moved = list(shown_in(changes, timeline, 30).values())
    steps = np.diff(moved)
    assert (
        len(moved) > 25
        and steps.min() > 0
        and steps[1:-1].max() < 40
        and moved[0] == 0
        and moved[-1] > 800
    )


def test_a_picture_with_transparent_parts_stands_still(tmp_path):
    Image.new("RGBA", (300, 200), (0, 200, 0, 128)).save(tmp_path / "quay.png")
    script, timeline, changes = board(tmp_path / "quay.png")
    renderer = SceneRenderer(brief_of(script), script, WIDE, tmp_path)
    renderer.picture(1)
    assert not renderer.moving and set(shown_in(changes, timeline, 30).values()) == {0}


@pytest.mark.parametrize("content", [b"", b"\0\0\0\x18ftypmp42" + bytes(99)])
def test_a_clip_that_cannot_be_read_is_a_card_with_its_description(tmp_path, content):
    (tmp_path / "quay.mp4").write_bytes(content)
    script, timeline, changes = board(tmp_path / "quay.mp4")
    renderer = SceneRenderer(brief_of(script), script, WIDE, tmp_path)
    renderer.picture(1)
    assert not renderer.moving and set(shown_in(changes, timeline, 30).values()) == {0}
    assert "The quay" in [text.text for text in renderer.drain_texts()]
    with pytest.raises(MediaError, match="cannot be read"):
        ClipPlayer(tmp_path / "quay.mp4", 20, 20).picture(0)


@pytest.mark.parametrize(
    "sight",
    [
        Visual("quote", "We shall plant it again", "Ada", file="quay.mp4", alt="The quay"),
        Visual("pictures", columns=("Before", "After"), files=("quay.mp4", "quay.mp4")),
    ],
    ids=lambda sight: sight.kind,
)
def test_beside_others_a_clip_is_one_of_its_pictures(clip, sight):
    points = tuple(Point(column, number, number) for number, column in enumerate(sight.columns))
    script = dataclasses.replace(
        ENGLISH,
        scenes=(
            dataclasses.replace(scene_with(""), layout=sight.kind, sight=sight, points=points),
        ),
    )
    renderer = SceneRenderer(brief_of(script), script, WIDE, clip.parent)
    assert (
        np.abs(renderer.picture(0, len(points) - 1).astype(int) - (250, 210, 60)).max(axis=-1) < 30
    ).sum() > 400
    assert not renderer.moving and in_scenes.find_moves(script, clip.parent).clips == {}


def test_the_picture_of_a_clip_is_from_its_middle(clip):
    shown = np.asarray(images.open_image(clip))[..., :3].astype(int)
    bar = np.abs(shown - (250, 210, 60)).max(axis=-1) < 12
    assert 0.04 < bar.mean() < 0.08 and abs(np.nonzero(bar)[1].mean() - 240) < 20


def keys_of(file) -> list[str]:
    script, _, changes = board(file)
    brief = brief_of(script)
    renderer = SceneRenderer(brief, script, WIDE, file.parent)
    shape = VideoFormat(640, 360, 30, 48_000, "The quay", "en")
    keys = SegmentKeys(brief, renderer, WIDE, (), shape, file.parent)
    return [keys.compute_key(segment) for segment in split_segments(changes, 500)]


def test_another_clip_of_the_same_name_is_encoded_anew(clip):
    before, again = keys_of(clip), keys_of(clip)
    upload.convert_clip(small_clips.write(clip.parent / "sent", 1.0, (240, 240)), clip)
    images.open_image.cache_clear()
    after = keys_of(clip)
    assert (
        before == again
        and before[0] == after[0]
        and all(one != other for one, other in zip(before[1:4], after[1:4]))
    )


def written(folder, markdown: str, **files: str) -> Script:
    brief = mutations.brief_of(
        markdown, uploads=tuple(Upload(f"{name}.mov", file) for name, file in files.items())
    )
    step.write_step(brief, folder, lambda fraction: None)
    return load(Script, folder / "script.json")


def test_a_scene_lasts_as_long_as_its_clip(tmp_path):
    upload.convert_clip(small_clips.write(tmp_path / "sent", 6.0, (320, 240)), tmp_path / "own.mp4")
    script = written(
        tmp_path,
        "The sea.\n\n## At sea\n\n![The quay](quay.mov)\n\n> The quay. ![It](quay.mov)\n",
        quay="own.mp4",
    )
    kinds = {scene.sight.kind: scene.shortest for scene in script.scenes}
    assert kinds["image"] == 6.0 and kinds["quote"] < 6


@pytest.mark.slow
def test_neither_lower_third_nor_watermark_nor_captions_cover_what_moves(tmp_path, photograph):
    Image.new("RGB", (200, 80), (230, 60, 60)).save(tmp_path / "logo.png")
    notes = (
        "![The harbour of the old town seen from the hill, with the boats that wait for the "
        "tide](quay.jpg)"
    )
    brief = mutations.brief_of(
        notes,
        uploads=(Upload("quay.jpg", photograph.name),),
        renditions=(mutations.WIDE, mutations.TALL),
        logo="logo.png",
        avatar=Presenter("Ada", role="Harbour master"),
        brand=BrandKit(lower_third=True, logo_style="watermark"),
    )
    mutations.produce(brief, tmp_path)
    assert mutations.judged_by(brief, tmp_path) == {}
    found = {each.check for each in load(QualityFindings, tmp_path / "findings.json").findings}
    assert {in_scenes.PART_NAME, "lower third"} <= found


@pytest.mark.slow
@pytest.mark.parametrize("described", [False, True])
def test_a_sound_production_with_clip_and_picture_passes_and_both_are_compared(
    tmp_path, photograph, described
):
    brief = mutations.with_clips(mutations.brief_of("The sea."), tmp_path)
    notes = (
        brief.metadata_md
        + "\n## The hill\n\n![The hill above the town, in the light of the evening](hill.jpg)\n"
    )
    brief = dataclasses.replace(
        brief, metadata_md=notes, uploads=(*brief.uploads, Upload("hill.jpg", photograph.name))
    )
    mutations.produce(brief, tmp_path)
    if described:  # encoded again, so that its pictures are decoded and compared themselves
        mutations.Spoiled(tmp_path, brief, mutations.DESCRIBED).write()
    assert mutations.judged_by(brief, tmp_path) == {}
    found = [
        each
        for each in load(QualityFindings, tmp_path / "findings.json").findings
        if each.check == in_scenes.PART_NAME
    ]
    assert [each.subject for each in found] == [mutations.FILM] * 2 + [mutations.DESCRIBED] * 2
    assert len(load(MovingVisuals, tmp_path / in_scenes.name_record_file("landscape")).visuals) == 2
    with av.open(str(tmp_path / mutations.FILM)) as film:
        assert film.streams.video[0].frames
