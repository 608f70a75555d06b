"""A look is one file: what is read of it, and what is said where it is wrong."""

import shutil
from pathlib import Path

import pytest
from support.cast import body
from support.tables import each_of

from svc.base import looks
from svc.domain.partners import admin
from svc.domain.people.audit import Actor
from svc.media.drawing.looks import LOOKS, read_look

FOLDER = Path(looks.__file__).parent


def test_one_more_file_is_one_more_look(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "looks")
    text = (FOLDER / "scenes.toml").read_text("utf-8")
    assert "\nposition = 7 " in text
    more = text.replace("position = 7", "position = 8").replace("corner = 30", "corner = 12")
    (tmp_path / "looks" / "paper.toml").write_text(more, "utf-8")
    settings = looks.read_settings(tmp_path / "looks")
    assert tuple(settings) == (*looks.LOOK_NAMES, "paper")
    assert read_look("paper", settings["paper"]).corner == 12


def test_no_two_looks_have_one_position():
    positions = [
        path.read_text("utf-8").split("position = ")[1][0] for path in FOLDER.glob("*.toml")
    ]
    assert sorted(positions) == [str(number) for number in range(1, len(positions) + 1)]


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
    kept = admin.project_types(partner.account)
    assert {row["look"] for row in kept} == set(looks.LOOK_NAMES)
