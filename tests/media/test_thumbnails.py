"""The small pictures of lists are small, whatever is on them, and look like their posters."""

import io

import numpy as np
import pytest
from PIL import Image

from svc.media.video import thumbnail


def opened(content: bytes) -> Image.Image:
    with Image.open(io.BytesIO(content)) as picture:
        picture.load()
    assert picture.format == "WEBP"
    return picture


@pytest.mark.parametrize(
    ("width", "height", "small"),
    [(1920, 1080, (160, 90)), (1080, 1920, (51, 90)), (1080, 1080, (90, 90))],
)
def test_a_thumbnail_keeps_the_proportions_and_the_colours(tmp_path, width, height, small):
    poster = np.full((height, width, 3), (20, 60, 120), np.uint8)
    poster[: height // 2] = (220, 210, 40)
    thumbnail.write_thumbnail(tmp_path / "thumbnail-x.webp", poster)
    picture = np.asarray(
        opened((tmp_path / "thumbnail-x.webp").read_bytes()).convert("RGB")
    ).astype(int)
    assert picture.shape == (small[1], small[0], 3) and [
        each.name for each in tmp_path.iterdir()
    ] == ["thumbnail-x.webp"]
    assert (
        abs(picture[10, 10] - (220, 210, 40)).max() < 12
        and abs(picture[-10, -10] - (20, 60, 120)).max() < 12
    )


def test_noise_is_made_as_small_as_everything_else():
    noise = np.random.default_rng(3).integers(0, 256, (1080, 1920, 3), np.uint8)
    content = thumbnail.encode_webp(Image.fromarray(noise))
    rough = np.kron(
        np.random.default_rng(4).integers(0, 256, (90, 160, 3), np.uint8),
        np.ones((12, 12, 1), np.uint8),
    )
    for each in (content, thumbnail.encode_webp(Image.fromarray(rough))):
        assert len(each) <= thumbnail.MOST_BYTES and opened(each).width >= 40
