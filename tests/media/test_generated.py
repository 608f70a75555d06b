"""Generated briefs through every step: a few here, a thousand by
``python -m tests.media.generated --count 1000``; sheets of ordinary ones."""

import sys

import pytest
from PIL import Image

from tests.media import brief_sheet, generated


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 6, 7])
def test_a_generated_brief_passes_every_gate(seed):
    assert generated.make(seed)[2] == ""


@pytest.mark.slow
def test_a_sheet_shows_every_scene_of_a_brief(tmp_path, monkeypatch):
    chosen = ["--look", "product", "--theme", "light", "--shape", "landscape"]
    monkeypatch.setattr(sys, "argv", ["brief_sheet", str(tmp_path), "one-sentence", *chosen])
    brief_sheet.main()
    assert len(brief_sheet.BRIEFS) == 30
    with Image.open(tmp_path / "one-sentence-product-light-landscape.webp") as sheet:
        assert sheet.size == (4 * 480, 270)
        frames = [
            sheet.crop((left, 0, left + 480, 270)).convert("L").getextrema()
            for left in (0, 480, 960)
        ]
    assert all(most - least > 150 for least, most in frames)
