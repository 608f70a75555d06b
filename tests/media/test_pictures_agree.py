"""The same thing has the same picture in all scenes of a film."""

from dataclasses import replace

import pytest
from support.tables import each_of

from svc.media.model import Scene
from svc.media.pictures import agreement, meaning, naming
from svc.media.script import from_brief

pytestmark = pytest.mark.both_encoders


def scene(text: str, picture: str, layout: str = "prose", *companions: str) -> Scene:
    words = tuple(text.split())
    pictured = tuple(range(1 + len(companions)))
    return Scene(
        layout,
        "",
        (),
        words,
        words,
        "",
        illustration=picture,
        companions=companions,
        pictured=pictured,
    )


SHIP = "The ship will carry cars and passengers, and she will cross the fjord on batteries."


@each_of(
    ("scenes", "expected"),
    [
        # one ferry, and no ship that contradicts it
        (
            [scene("A ferry for the fjord.", "ferry", "title"), scene(SHIP, "ship")],
            ["ferry", "ferry"],
        ),
        # two animals that are named are two
        (
            [
                scene("The whale swims in the bay.", "whale"),
                scene("A dolphin jumps beside the boat.", "dolphin"),
            ],
            ["whale", "dolphin"],
        ),
        # a title that nobody names has what a scene names
        (
            [
                scene("Our school trip to the coast", "bus", "title"),
                scene("We take the train from the main station.", "train"),
            ],
            ["train", "train"],
        ),
        (
            [
                scene("By bus and rail to the coast", "bus", "title"),
                scene("We take the train from the main station.", "train"),
            ],
            ["bus", "train"],
        ),
        # nor is there anything to mend where both stand in it already
        (
            [
                scene("Our trip to the coast", "bus", "title", "train"),
                scene("We take the train from the main station.", "train"),
            ],
            ["bus", "train"],
        ),
        # a country's shape is like nothing else
        (
            [scene("Trains in France", "country:fr"), scene("A ship.", "ship")],
            ["country:fr", "ship"],
        ),
    ],
)
def test_the_same_thing_has_the_same_picture(scenes, expected):
    agreed = agreement.agree_on_pictures(scenes, "", "en")
    assert [each.illustration for each in agreed] == expected


def test_a_picture_that_becomes_the_main_one_is_not_beside_itself():
    first = scene("A ferry for the fjord.", "ferry", "title")
    second = scene(SHIP, "ship", "prose", "ferry", "battery")
    _, agreed = agreement.agree_on_pictures([first, second], "", "en")
    assert (agreed.illustration, agreed.companions, agreed.pictured) == (
        "ferry",
        ("battery",),
        (0, 2),
    )


def test_a_film_about_a_ferry_shows_one_ship(make_brief):
    notes = (
        "Norhaven Ferries has ordered a battery-electric ferry for the crossing between Norhaven "
        "and Skarvik. The ship will carry 120 cars and 600 passengers, and she will cross the "
        "fjord without a drop of diesel.\n\n## The crossing\n\nThe old ferries are loud, and the "
        "ferry of today burns diesel on every trip."
    )
    title = "Norhaven Ferries orders its first battery-electric ferry"
    brief = replace(make_brief(metadata_md=notes), title=title, topic=title, language="en")
    shown = {each.illustration for each in from_brief.write_script(brief).scenes}
    assert "ferry" in shown and not shown & {"ship", "passenger-ship"}


def test_no_house_of_another_faith_stands_beside_a_church():
    title = "Hoja parroquial de San Martín — domingo 14 de junio"
    said = [title, "Este domingo celebramos la fiesta de San Martín en el templo parroquial."]
    assert "hindu-temple" not in meaning.choose_several(said, "", title, "es", 5)


@each_of(
    ("language", "text", "picture"),
    [
        ("es", "Campaña de la Renta", "tent"),
        ("fr", "Une façade verte", "green-salad"),
        ("it", "La tensione in aula", "high-voltage"),
        ("pt", "O campo de férias", "field-hockey"),
    ],
)
def test_a_part_of_a_longer_name_names_no_picture(language, text, picture):
    assert picture not in naming.find_named_pictures(text, language)
    assert not naming.find_words(picture, text, language)
