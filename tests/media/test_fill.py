"""The scenes of the fifteen briefs fill their frames: what has rows or running text leaves no large
part of it bare.
"""

import numpy as np
import pytest
from media import brief_sheet

from svc.media.drawing.looks import LOOKS
from svc.media.model import CARDS, Rendition, Scene
from svc.media.script import from_brief
from svc.media.slides import slide
from svc.media.video.scene import SceneRenderer

pytestmark = pytest.mark.slow

SHAPES = (
    Rendition("landscape", 640, 360),
    Rendition("portrait", 360, 640),
    Rendition("square", 360, 360),
    Rendition("feed", 360, 450),
)
BARE = 0.5  # of the height of the content
SEEN = 12  # difference of a colour from the ground
MOST = 24  # scenes of a brief


def is_free(scene: Scene) -> bool:
    """Whether white space around the content of ``scene`` is meant: cards, key phrases,
    one line of code, a figure.
    """
    return (
        scene.layout in CARDS
        or bool(scene.key_phrase)
        or scene.sight.kind in ("code", "number", "quote", "formula")
    )


def bare(drawn: SceneRenderer, number: int) -> float:
    """Return the share of the content's height that the largest band without anything drawn
    on it has.
    """
    left, top, right, bottom = drawn.plan.content
    picture = drawn.picture(number, len(slide.list_stages(drawn.script.scenes[number])) - 1)
    changed = np.abs(picture.astype(int) - drawn.draw_grounds()[0].astype(int)).max(axis=2) > SEEN
    rows = np.flatnonzero(changed[top:bottom, left:right].any(axis=1))
    return float(np.diff([0, *rows, bottom - top]).max() / (bottom - top))


@pytest.mark.parametrize("look", LOOKS)
def test_no_list_table_or_text_leaves_half_of_its_frame_bare(look):
    measured = {}
    for at, name in enumerate(brief_sheet.BRIEFS):
        script = from_brief.write_script(
            brief_sheet.read(name, look=look, theme=("dark", "light")[at % 2])
        )
        for shape in SHAPES:
            brief = brief_sheet.read(name, look=look, theme=("dark", "light")[at % 2])
            drawn = SceneRenderer(brief, script, shape)
            for number, scene in enumerate(script.scenes[:MOST]):
                if not is_free(scene):
                    measured[name, shape.name, number, scene.layout] = bare(drawn, number)
    assert len(measured) > 100
    assert {place: round(share, 2) for place, share in measured.items() if share > BARE} == {}
