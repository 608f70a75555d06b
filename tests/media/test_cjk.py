"""Chinese, Japanese and Korean, with the font that docs/media.md has the operator install."""

import numpy as np
import pytest
from PIL import Image, ImageDraw
from small_programme import LANDSCAPE, brief_of, scene

from svc.media import fonts
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Script
from svc.media.script import from_brief
from svc.media.video.scene import SceneRenderer

TEXTS = {
    "Japanese": "日本語のテキスト、東京",
    "Korean": "한국어 텍스트 예시",
    "Chinese": "漢字繁體和简体中文",
}
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def package():
    """Of .ci/requirements.txt."""
    pytest.importorskip("noto_cjk_sans_otc")


def drawn(word: str) -> np.ndarray:
    picture = Image.new("L", (80, 80))
    typesetting.draw_run(
        ImageDraw.Draw(picture), typesetting.PlacedRun(word, 10), 40, Typeface(48, 600), 255
    )
    return np.asarray(picture)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_sign_is_drawn_as_itself(text):
    assert fonts.find_undrawable_characters(text) == ""
    pictures = {drawn(sign).tobytes() for sign in set(text) - {" "}}
    # a font without them draws the same box for each
    assert len(pictures) == len(set(text) - {" "})
    assert all(np.frombuffer(picture, np.uint8).any() for picture in pictures)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_picture_says_that_nothing_is_lacking(text, tmp_path):
    script = Script(text, "en", (scene("title", text, text),))
    studio = SceneRenderer(brief_of(script), script, LANDSCAPE, tmp_path)
    studio.picture(0, 0)
    written = list(studio.drain_texts())
    title = "".join(drawn.text for drawn in written if drawn.part == "title")
    assert title.replace(" ", "") == text.replace(" ", "") and not any(
        drawn.missing for drawn in written
    )


def test_a_source_behind_a_quotation_in_corner_brackets_is_not_part_of_it(make_brief):
    (quotation,) = from_brief.write_script(make_brief(metadata_md="> 「静けさ。」—芭蕉")).scenes[
        1:-1
    ]
    assert (quotation.layout, quotation.sight.text, quotation.sight.note) == (
        "quote",
        "静けさ。",
        "芭蕉",
    )
