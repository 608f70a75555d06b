"""The frames equal the stored ones. After an intended change: review them, then draw them again."""

import numpy as np
import pytest
from media.contact_sheet import GOLDEN, KEPT, drawn, golden, small
from PIL import Image

from tests.support.documents import require_names

pytestmark = pytest.mark.slow

_CLOSE = 1.0  # of 255, on average: other versions of a library round otherwise
_OFF = 40  # of 255: a pixel that shows something else
_FEW = 0.004  # of the pixels
_MOST_BYTES = 1_400_000


@pytest.mark.parametrize("sample", golden(), ids=lambda sample: sample.name)
def test_a_frame_looks_as_it_did(sample):
    now = np.asarray(small(drawn(sample), KEPT[sample.shape]).convert("RGB")).astype(int)
    with Image.open(GOLDEN / f"{sample.name}.png") as kept:
        difference = np.abs(now - np.asarray(kept.convert("RGB")))
    assert difference.mean() < _CLOSE
    assert (difference.max(axis=-1) > _OFF).mean() < _FEW


def test_the_kept_frames_are_small_and_none_is_left_over():
    kept = list(GOLDEN.glob("*.png"))
    require_names(
        "tests/media/golden, by `python -m tests.media.contact_sheet --golden LOOK`",
        [file.stem for file in kept],
        [sample.name for sample in golden()],
    )
    assert sum(file.stat().st_size for file in kept) < _MOST_BYTES
