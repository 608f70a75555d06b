"""A look is one file: what is read of it, and what is said where it is wrong."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from support.cast import body
from support.tables import each_of

from svc.base import looks
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin
from svc.media.colour import parse_colour
from svc.media.drawing.looks import GROUNDS_OF_THE_BRAND, LOOKS, read_look
from svc.media.drawing.palette import build_palette
from tests.support.documents import read, require_names

FOLDER = Path(looks.__file__).parent
BLUE = (61, 126, 255)


def test_one_more_file_is_one_more_look(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "looks")
    text = (FOLDER / "scenes.toml").read_text("utf-8")
    assert "\nposition = 7 " in text
    more = text.replace("position = 7", "position = 99").replace("corner = 30", "corner = 12")
    (tmp_path / "looks" / "paper.toml").write_text(more, "utf-8")
    settings = looks.read_settings(tmp_path / "looks")
    assert tuple(settings) == (*looks.LOOK_NAMES, "paper")
    assert read_look("paper", settings["paper"]).corner == 12


def test_the_documentation_says_what_each_look_is_true_to():
    table = read("docs/media.md").partition("| look | true to |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    require_names("docs/media.md, the table of looks", named, looks.LOOK_NAMES)


def test_no_two_looks_have_one_position():
    files = FOLDER.glob("*.toml")
    positions = [tomllib.loads(path.read_text("utf-8"))["position"] for path in files]
    assert sorted(positions) == [*range(1, len(positions) + 1)]


def test_a_look_has_a_palette_of_its_own():
    """Its file alone gives it the ground and the ink; the brand's colours are still its marks."""
    colours = {"dark": ["#06231f", "#eafaf6"], "light": ["#e9f5f1", "#062b25"]}
    look = read_look("harbour", {**looks.SETTINGS["news"], "colours": colours})
    for theme, (ground, ink) in colours.items():
        own, usual = (build_palette(each, theme, BLUE) for each in (look, LOOKS["news"]))
        assert (own.ground, own.ink) == (parse_colour(ground), parse_colour(ink))
        assert own.spoken != usual.spoken and own.panel.ink == own.ink


@each_of("ground", sorted({look.ground for look in LOOKS.values()}))
def test_each_ground_takes_colours_or_is_made_of_the_brands(ground):
    [look, *_] = [look for look in LOOKS.values() if look.ground == ground]
    colours = {"dark": ["#06231f", "#eafaf6"], "light": ["#e9f5f1", "#062b25"]}
    settings = {**looks.SETTINGS[look.name], "colours": colours}
    if ground in GROUNDS_OF_THE_BRAND:
        with pytest.raises(ValueError, match=f"the ground {ground} is made of the brand's colour"):
            read_look(look.name, settings)
    else:
        assert build_palette(read_look(look.name, settings), "dark", BLUE).ground == (6, 35, 31)


@each_of(
    "dark, said",
    [
        (["#06231f"], "dark is a ground and an ink, such as"),
        (["06231f", "#eafaf6"], "dark is a ground and an ink, such as"),
        ([1, 2], "dark is a ground and an ink, such as"),
        (["#e9f5f1", "#062b25"], "the ground #e9f5f1 is not dark"),
        (["#06231f", "#306055"], "ink and ground have a contrast of less than 12"),
    ],
)
def test_wrong_colours_are_said_with_their_file(dark, said):
    colours = {"dark": dark, "light": ["#e9f5f1", "#062b25"]}
    with pytest.raises(ValueError, match=said) as failed:
        read_look("news", {**looks.SETTINGS["news"], "colours": colours})
    assert str(failed.value).startswith("svc/base/looks/news.toml [colours]: ")


@each_of(
    "changes, said",
    [
        ({"corners": 3}, "unexpected keyword argument 'corners'"),
        ({"captions": "strip"}, "wide, tall, captions are tables"),
        ({"wide": {"title": 3}}, "missing 5 required"),
    ],
)
def test_a_wrong_setting_is_said_with_its_file(changes, said):
    with pytest.raises(ValueError, match=said) as failed:
        read_look("scenes", {**looks.SETTINGS["scenes"], **changes})
    assert str(failed.value).startswith("svc/base/looks/scenes.toml: ")


def test_a_setting_that_is_left_out_is_said():
    settings = {**looks.SETTINGS["scenes"]}
    del settings["wide"]
    with pytest.raises(ValueError, match="no setting wide"):
        read_look("scenes", settings)


def test_every_look_can_be_stored_and_is_drawn(partner):
    assert tuple(LOOKS) == looks.LOOK_NAMES
    for look in looks.LOOK_NAMES:
        made = body(partner.trigger(look=look))
        assert made["productionId"]
        admin.set_project_type(
            Actor(None, "the tests"),
            partner.account,
            {"slug": look, "name": look, "title_template": "{topic}", "price": "1", "look": look},
            1,
        )
    kept = admin.list_project_types(partner.account)
    assert {row["look"] for row in kept} == set(looks.LOOK_NAMES)
