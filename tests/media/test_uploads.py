"""Uploaded pictures (portrait, logo, images of the brief) are shown, and hostile ones do no harm."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image
from small_programme import ENGLISH, brief_of

from svc.media.drawing import images
from svc.media.drawing.scene import SceneRenderer
from svc.media.model import Presenter, Rendition, Scene, Script, Visual
from svc.media.video.render import motion_settings

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
    assert not motion_settings(brief_of(avatar=Presenter("Ada", portrait="ada.png")), studio).face


def test_a_presenter_may_look_on_without_moving(tmp_path):
    presenters = (Presenter("Ada", moving=moves) for moves in (False, True))
    still, moving = (motion_settings(brief_of(avatar=presenter), drawn(tmp_path)) for presenter in presenters)
    assert moving.face and not still.face


@pytest.mark.parametrize("look", ["explainer", "short", "news", "editorial", "playful", "product"])
def test_a_logo_stands_at_the_end_of_the_brands_row_and_the_progress_keeps_clear(tmp_path, look):
    bare, branded = (drawn(tmp_path, look=look, logo=logo) for logo in ("", picture(tmp_path / "logo.png", (200, 60))))
    left, top, right, bottom = branded.plan.brand
    row = branded.picture(0)[top - 12 : bottom + 12, right - 60 : right]
    assert share_of_green(row) > 0.15 > share_of_green(bare.picture(0)[top - 12 : bottom + 12, right - 60 : right])


def test_a_logo_that_the_ground_would_swallow_gets_a_plate(tmp_path):
    picture(tmp_path / "dark.png", (200, 60), (8, 10, 20, 255), "RGBA")
    studio = drawn(tmp_path, logo="dark.png")
    _, top, right, bottom = studio.plan.brand
    assert (studio.picture(0)[top - 8 : bottom + 8, right - 90 : right].min(axis=-1) > 200).mean() > 0.1


def test_an_image_of_the_brief_is_shown_whole(tmp_path):
    sight = Visual("image", "A field", file=picture(tmp_path / "field.jpg", (400, 100)))
    scene = Scene("image", "", (), ("A", "field"), ("A", "field"), "", (1,), sight)
    pixels = drawn(tmp_path, Script("Field", "en", (scene,))).picture(0)
    ys, xs = np.nonzero(np.abs(pixels.astype(int) - (0, 200, 0)).max(axis=-1) < 40)
    assert 3.6 < (xs.max() - xs.min()) / (ys.max() - ys.min()) < 4.4


def bomb() -> bytes:
    """A PNG of a few hundred bytes that says it has 40,000 × 40,000 pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("content", [
    b"", b"not a picture", b"\x89PNG\r\n\x1a\n", bomb(), b"GIF89a" + bytes(40), b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    b"\xff\xd8\xff\xe0" + bytes(30), b"RIFF\x10\0\0\0WEBPVP8 " + bytes(20),
])  # fmt: skip
def test_what_is_no_picture_is_left_out_and_nothing_breaks(tmp_path, content):
    (tmp_path / "odd.png").write_bytes(content)
    assert images.open_image(tmp_path / "odd.png") is None
    uploaded = drawn(tmp_path, logo="odd.png", avatar=Presenter("Ada", portrait="odd.png")).picture(0)
    assert (uploaded == drawn(tmp_path).picture(0)).all()


def test_a_photograph_is_turned_as_its_camera_meant_it_and_made_smaller(tmp_path):
    upright = Image.new("RGB", (5000, 1000))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees
    upright.save(tmp_path / "turned.jpg", exif=exif)
    picture = images.open_image(tmp_path / "turned.jpg")
    assert picture.height > picture.width and picture.height <= 2048
