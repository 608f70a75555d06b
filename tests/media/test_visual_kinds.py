"""Each kind of visual has its traits, is drawn, and is made of a block of a brief."""

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from svc.media.model import Visual
from svc.media.script import labels, tables, visuals
from svc.media.slides import slide
from svc.media.visual_kinds import VISUAL_KINDS
from tests.support.documents import require_names

KINDS = VISUAL_KINDS.keys() - {""}


def test_each_kind_of_visual_is_drawn_and_has_its_traits():
    require_names(
        "_BY_ROW or _AT_ONCE in svc/media/slides/slide.py",
        {*slide._BY_ROW, *slide._AT_ONCE, "pictures"},
        KINDS,
    )


def test_each_kind_of_visual_is_made_of_a_block_of_a_brief():
    nodes = [
        node
        for module in (visuals, tables)
        for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8")))
    ]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    require_names("functions in svc/media/script/visuals.py or tables.py", texts & KINDS, KINDS)


def test_a_visual_that_is_one_picture_is_seen_whole_as_its_scene_begins():
    """So it has no ticks, which its points would have, and needs a whoosh."""
    assert all(VISUAL_KINDS[kind].is_seen_whole for kind in slide._AT_ONCE)


def test_a_part_that_is_said_whole_is_a_text_of_the_visual():
    texts = {field.name for field in fields(Visual) if field.type is str}
    assert {traits.said_whole for traits in VISUAL_KINDS.values()} <= texts | {""}


def test_a_kind_without_traits_is_refused():
    with pytest.raises(KeyError):
        _ = Visual("hologram").traits


def test_a_short_line_above_a_block_of_any_kind_is_its_heading_or_introduces_it():
    assert not set(labels._TEXTS) & set(labels._LISTS)
    require_names(
        "_TEXTS or _LISTS in svc/media/script/labels.py",
        {*labels._TEXTS, *labels._LISTS},
        {*visuals._BUILDERS, "point"},
    )
