"""Uploaded pictures (portrait, logo, images of the brief) are shown,
and hostile ones do no harm.
"""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image
from small_programme import ENGLISH, brief_of

from svc.media.drawing import images
from svc.media.model import Point, Presenter, Rendition, Scene, Script, Visual
from svc.media.video.render import choose_motion
from svc.media.video.scene import SceneRenderer

WIDE = Rendition("landscape", 640, 360)


def picture(path, size=(60, 40), colour=(0, 200, 0), mode="RGB"):
    Image.new(mode, size, colour).save(path)
    return path.name


def drawn(folder, script=ENGLISH, **changes) -> SceneRenderer:
    return SceneRenderer(brief_of(script, **changes), script, WIDE, folder)


def share_of_green(pixels: np.ndarray) -> float:
    return float((np.abs(pixels.astype(int) - (0, 200, 0)).max(axis=-1) < 12).mean())


def test_an_uploaded_portrait_is_shown_in_the_frame_and_does_not_move(tmp_path):
    studio = drawn(tmp_path, avatar=Presenter("Ada", portrait=picture(tmp_path / "ada.png")))
    left, top, right, bottom = studio.plan.presenter
    assert share_of_green(studio.picture(0)[top:bottom, left:right]) > 0.6
    assert not choose_motion(brief_of(avatar=Presenter("Ada", portrait="ada.png")), studio).face


def test_a_presenter_may_look_on_without_moving(tmp_path):
    presenters = (Presenter("Ada", moving=moves) for moves in (False, True))
    still, moving = (
        choose_motion(brief_of(avatar=presenter), drawn(tmp_path)) for presenter in presenters
    )
    assert moving.face and not still.face


@pytest.mark.parametrize("look", ["explainer", "short", "news", "editorial", "playful", "product"])
def test_a_logo_stands_at_the_end_of_the_brands_row_and_the_progress_keeps_clear(tmp_path, look):
    bare, branded = (
        drawn(tmp_path, look=look, logo=logo)
        for logo in ("", picture(tmp_path / "logo.png", (200, 60)))
    )
    left, top, right, bottom = branded.plan.brand
    row = branded.picture(0)[top - 12 : bottom + 12, right - 60 : right]
    assert (
        share_of_green(row)
        > 0.15
        > share_of_green(bare.picture(0)[top - 12 : bottom + 12, right - 60 : right])
    )


def test_a_logo_that_the_ground_would_swallow_gets_a_plate(tmp_path):
    picture(tmp_path / "dark.png", (200, 60), (8, 10, 20, 255), "RGBA")
    studio = drawn(tmp_path, logo="dark.png")
    _, top, right, bottom = studio.plan.brand
    assert (
        studio.picture(0)[top - 8 : bottom + 8, right - 90 : right].min(axis=-1) > 200
    ).mean() > 0.1


def test_an_image_of_the_brief_is_shown_whole(tmp_path):
    sight = Visual("image", "A field", file=picture(tmp_path / "field.jpg", (400, 100)))
    scene = Scene("image", "", (), ("A", "field"), ("A", "field"), "", (1,), sight)
    pixels = drawn(tmp_path, Script("Field", "en", (scene,))).picture(0)
    ys, xs = np.nonzero(np.abs(pixels.astype(int) - (0, 200, 0)).max(axis=-1) < 40)
    assert 3.6 < (xs.max() - xs.min()) / (ys.max() - ys.min()) < 4.4


def box_of(pixels: np.ndarray, colour) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of what has a colour."""
    ys, xs = np.nonzero(np.abs(pixels.astype(int) - colour).max(axis=-1) < 12)
    return int(xs.min()), int(ys.min()), int(xs.max()), int(ys.max())


def compared(
    folder, shape=WIDE, language="en", sizes=((400, 300), (400, 300)), after="After"
) -> SceneRenderer:
    files = [
        picture(folder / f"{number}.png", size, colour)
        for number, (size, colour) in enumerate(zip(sizes, GREEN_AND_RED, strict=True))
    ]
    points = (Point("Before", 0, 0), Point(after, 1, 1))
    sight = Visual("pictures", columns=("Before", "After"), files=tuple(files))
    scene = Scene(
        "pictures", "A field", points, ("Before", "After"), ("Before", "After"), "", (1,), sight
    )
    script = Script("Field", language, (scene,))
    return SceneRenderer(brief_of(script), script, shape, folder)


GREEN_AND_RED = ((0, 200, 0), (200, 0, 0))


def test_pictures_are_compared_side_by_side_and_the_one_not_yet_spoken_of_is_muted(tmp_path):
    studio = compared(tmp_path)
    early, late = studio.picture(0, 0), studio.picture(0, 1)
    before, after = (box_of(late, colour) for colour in GREEN_AND_RED)
    assert before[2] < after[0] and before[1] == after[1] and before[3] == after[3]
    assert (np.abs(early.astype(int) - GREEN_AND_RED[1]).max(axis=-1) < 12).sum() == 0
    assert box_of(early, GREEN_AND_RED[0]) == before


def test_what_is_too_long_above_a_picture_is_its_columns_heading(tmp_path):
    studio = compared(tmp_path, after="After: " + "a new and much lower quay with trees " * 4)
    studio.picture(0, 1)
    assert [text.text for text in studio.drain_texts() if text.part == "point"] == [
        "Before",
        "After",
    ]


def test_pictures_are_compared_in_the_order_of_reading_and_whole(tmp_path):
    late = compared(tmp_path, language="ar", sizes=((400, 300), (200, 400))).picture(0, 1)
    before, after = (box_of(late, colour) for colour in GREEN_AND_RED)
    assert after[2] < before[0]
    assert (after[2] - after[0]) / (after[3] - after[1]) == pytest.approx(0.5, abs=0.04)


def test_wide_pictures_stand_below_one_another_in_a_tall_frame(tmp_path):
    late = compared(
        tmp_path, Rendition("portrait", 360, 640), sizes=((900, 200), (900, 200))
    ).picture(0, 1)
    before, after = (box_of(late, colour) for colour in GREEN_AND_RED)
    assert before[3] < after[1] and before[0] == after[0]


@pytest.mark.parametrize(
    "shape", [WIDE, Rendition("portrait", 360, 640)], ids=lambda shape: shape.name
)
def test_a_quotation_leaves_room_for_its_picture(tmp_path, shape):
    sight = Visual(
        "quote", "We shall plant it again", "Ada", file=picture(tmp_path / "ada.png"), alt="Ada"
    )
    scene = Scene("quote", "", (), ("x",), ("x",), "", (0,), sight)
    script = Script("Field", "en", (scene,))
    studio = SceneRenderer(brief_of(script), script, shape, tmp_path)
    left, top, right, bottom = box_of(studio.picture(0), GREEN_AND_RED[0])
    quoted = [text.box for text in studio.drain_texts() if text.part == "quote"]
    assert quoted and all(box[2] < left or box[1] > bottom for box in quoted)
    assert right - left == pytest.approx(bottom - top, abs=2) and right - left > 60


def bomb() -> bytes:
    """A PNG of a few hundred bytes that says it has 40,000 × 40,000 pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content))
            + kind
            + content
            + struct.pack(">I", zlib.crc32(kind + content))
        )

    head = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a picture",
        b"\x89PNG\r\n\x1a\n",
        bomb(),
        b"GIF89a" + bytes(40),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\xff\xd8\xff\xe0" + bytes(30),
        b"RIFF\x10\0\0\0WEBPVP8 " + bytes(20),
    ],
)
def test_what_is_no_picture_is_left_out_and_nothing_breaks(tmp_path, content):
    (tmp_path / "odd.png").write_bytes(content)
    assert images.open_image(tmp_path / "odd.png") is None
    uploaded = drawn(tmp_path, logo="odd.png", avatar=Presenter("Ada", portrait="odd.png")).picture(
        0
    )
    assert (uploaded == drawn(tmp_path).picture(0)).all()


def test_a_photograph_is_turned_as_its_camera_meant_it_and_made_smaller(tmp_path):
    upright = Image.new("RGB", (5000, 1000))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees
    upright.save(tmp_path / "turned.jpg", exif=exif)
    picture = images.open_image(tmp_path / "turned.jpg")
    assert picture.height > picture.width and picture.height <= 2048
