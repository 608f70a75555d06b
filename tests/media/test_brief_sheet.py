"""The sheets of the briefs beside this module show what the product makes."""

import pytest
from media import brief_sheet

from svc.base.shapes import SHAPES, SIZES
from svc.media.script import from_brief
from svc.media.text import tokens


def test_sheets_are_drawn_in_every_shape_that_the_product_makes():
    assert tuple(brief_sheet.SHAPES) == SHAPES == tuple(brief_sheet._WIDTHS)
    assert {
        name: (shape.width, shape.height) for name, shape in brief_sheet.SHAPES.items()
    } == SIZES


@pytest.mark.slow
def test_all_briefs_have_scripts():
    scripts = {name: from_brief.write_script(brief_sheet.read(name)) for name in brief_sheet.BRIEFS}
    assert len(scripts) == 30 and all(len(script.scenes) > 2 for script in scripts.values())


@pytest.mark.slow
def test_prose_is_a_key_phrase_except_in_few_scenes():
    scenes = [
        scene
        for name in brief_sheet.BRIEFS
        for scene in from_brief.write_script(brief_sheet.read(name)).scenes
        if scene.layout == "prose"
    ]
    whole = {tokens.join_words(scene.words)[:20] for scene in scenes if not scene.key_phrase}
    beginnings = (
        "FOR IMMEDIATE RELEASE",
        "Sun and wind made more electricity",
        "The library is closed on Monday",
        "Sehr geehrte Mieterinnen",
        "「お茶でもいかがですか」と声をかける習慣",
    )
    assert whole == {beginning[:20] for beginning in beginnings}
