import itertools

import pytest
from PIL import Image, ImageDraw

from svc.media.drawing import rounded_box

SIDES = (1, 2, 7, 8, 23, 24, 25, 26, 27, 90, 301)


@pytest.mark.parametrize("radius", [0, 1, 3, 12])
@pytest.mark.parametrize("level", [0, 77, 255])
def test_a_mask_from_cached_corners_is_as_one_that_is_drawn_whole(radius, level):
    for width, height in itertools.product(SIDES, SIDES):
        large = Image.new("L", (width * 4, height * 4))
        ImageDraw.Draw(large).rounded_rectangle(
            [0, 0, width * 4 - 1, height * 4 - 1], radius * 4, fill=level
        )
        drawn = rounded_box.draw_mask(width, height, radius, level)
        assert drawn.tobytes() == large.reduce(4).tobytes(), (width, height)


def test_a_mask_can_be_changed_without_changing_the_next():
    first = rounded_box.draw_mask(20, 20, 12)
    first.paste(0, (0, 0, 20, 20))

    assert rounded_box.draw_mask(20, 20, 12).getextrema() == (0, 255)
