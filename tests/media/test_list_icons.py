"""Line icons beside list points: the right one, or none; all points of a list have one,
or nearly all, or none has.
"""

from pathlib import Path

import numpy as np
import pytest
from media.brief_sheet import BRIEFS, read
from support.sampling import sampled
from support.tables import each_of

from svc.base.looks import THEMES
from svc.media.artwork import collection
from svc.media.drawing.looks import LOOKS
from svc.media.model import Rendition
from svc.media.pictures import list_icons
from svc.media.script import from_brief
from svc.media.text.grammar.negations import is_negation
from svc.media.video.scene import SceneRenderer

POINTS = [
    row.split("|", 2)
    for row in (Path(__file__).parent / "list_points.txt").read_text("utf-8").splitlines()
    if row[0] != "#"
]
SHAPE = Rendition("wide", 640, 360)
BAGGAGE = "## Bring\n\n- Passport and visa\n- Train tickets\n- A camera\n- {}\n"


def icons(*texts: str, language: str = "en") -> tuple[str, ...]:
    return list_icons.choose_icons(texts, language, lambda word: is_negation(word, language))


def points_of(brief):
    return [
        point
        for scene in from_brief.write_script(brief).scenes
        if scene.layout == "points"
        for point in scene.points
    ]


@each_of(("language", "icon", "point"), POINTS)
def test_a_point_has_the_icon_that_was_approved_or_none(language, icon, point):
    [name] = list_icons._choose_icons([point], language, lambda word: is_negation(word, language))
    assert name.removeprefix("line:") == icon


def test_at_least_half_of_the_approved_points_have_an_icon():
    assert len(POINTS) >= 150 and sum(bool(icon) for _, icon, _ in POINTS) >= len(POINTS) // 2


def test_every_icon_of_the_list_can_be_drawn_and_every_illustration_exists():
    rows = [
        row.split("; ")
        for row in list_icons._FILE.read_text("utf-8").splitlines()
        if not row.startswith("#")
    ]
    names = [name for name, *_ in rows]
    assert len(set(names)) == len(names)
    assert [
        name for name in names if name != "none" and not collection.has_picture(f"line:{name}")
    ] == []
    assert [
        name for _, name in list_icons._load_icons("emoji") if not collection.has_picture(name)
    ] == []


def test_a_list_of_which_too_few_points_have_an_icon_has_none():
    assert icons("A camera", "Something", "Something else") == ()
    assert icons("A camera", "Train tickets", "Something else") == (
        "line:camera",
        "line:train-front",
        "",
    )
    assert icons("A camera") == ()


def test_no_two_points_of_a_list_have_the_same_icon():
    assert icons("Coffee", "Tea", "Milk") == ("line:coffee", "", "line:milk")


def test_only_the_beginning_of_a_point_names_its_icon():
    assert icons("Cash: many huts take cards", "Something – by train", "A camera") == (
        "line:banknote",
        "",
        "line:camera",
    )


def test_a_negated_point_shows_nothing():
    assert icons("No dogs", "Never by train") == ()


def test_hostile_points_find_nothing_and_end():
    assert icons("\x00" * 120, "; : – " * 20, "-" * 120) == ()
    assert list_icons.choose_icons(["coffee", "tea"], "xx-unknown", lambda word: False) == ()


@pytest.mark.parametrize("name", sampled(BRIEFS, 20))
def test_in_the_briefs_a_list_has_icons_for_most_points_or_for_none(name):
    points = points_of(read(name))
    shown = [point.icon for point in points if point.icon]
    assert not shown or len(shown) >= 2 / 3 * len([point for point in points if not point.label])


def test_a_list_with_numbers_tasks_or_levels_keeps_its_marks(make_brief):
    for markdown in (
        "1. Train tickets\n2. A camera\n",
        "- [x] Train tickets\n- [ ] A camera\n",
        "- A camera\n  - Coffee\n",
    ):
        assert {point.icon for point in points_of(make_brief(metadata_md=markdown))} == {""}


def test_a_list_over_several_scenes_is_one_list(make_brief):
    things = [
        "Passport",
        "Train tickets",
        "A camera",
        "An umbrella",
        "Sun cream",
        "Coffee",
        "Cash",
        "A map",
    ]
    points = points_of(make_brief(metadata_md="".join(f"- {thing}\n" for thing in things)))
    assert len(points) == len(things) and all(point.icon for point in points)


@pytest.mark.parametrize("look", sampled(LOOKS, 3))
def test_an_icon_is_drawn_where_the_mark_was_and_lights_up(make_brief, look):
    for theme in THEMES:
        brief = make_brief(
            metadata_md=BAGGAGE.format("A map"), look=look, theme=theme, renditions=(SHAPE,)
        )
        script = from_brief.write_script(brief)
        number = next(at for at, scene in enumerate(script.scenes) if scene.points)
        renderer = SceneRenderer(brief, script, SHAPE)
        before, spoken = (renderer.picture(number, stage).astype(int) for stage in (-1, 0))
        assert script.scenes[number].points[0].icon and np.abs(before - spoken).max() > 30


@each_of(
    ("language", "icon", "point"),
    [
        ("en", "hotel", "The Anchor Inn"),
        ("en", "", "The Golden Bell, above a noisy bakery"),
        ("en", "", "The Anchor"),
        ("en", "anchor", "The anchor"),
        ("en", "smartphone", "Apple Watch app with dictation"),
        ("en", "coffee", "Café Tulipe"),
        ("en", "shirt", "Warm Clothes"),
        ("en", "apple", "Apples"),
        ("de", "hotel", "Gasthof Sonne"),
        ("de", "hotel", "Hotel Krone"),
        ("de", "", "Zum Goldenen Anker"),
        ("de", "sun", "Sonne"),
        ("de", "glass-water", "Ein Glas Wasser"),
        ("fr", "hotel", "Hôtel du Soleil"),
        ("fr", "", "Le Soleil d’Or"),
        ("fr", "", "Terrine de campagne maison"),
        ("it", "coffee", "Caffè Sole"),
        ("es", "coffee", "Café Sol"),
        ("nl", "hotel", "Hotel De Zon"),
    ],
)
def test_a_name_has_no_icon_of_its_words_but_of_the_place_that_it_says(language, icon, point):
    [name] = list_icons._choose_icons([point], language, lambda word: is_negation(word, language))
    assert name.removeprefix("line:") == icon


def test_in_a_list_of_titles_words_with_capitals_are_no_names():
    titled = ("Train Tickets", "Hiking Boots", "Warm Clothes")
    assert icons(*titled) == ("line:train-front", "line:footprints", "line:shirt")
    assert icons("Sun Valley", "A camera", "Tickets for the train")[0] == ""
