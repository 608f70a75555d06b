"""Timelines: points with dates or times in order stand along a rail; all other lists stay lists."""

import itertools

import numpy as np
import pytest
from media.layout_sweep import ODD, dressed, faults, list_scene, rows_scene, studio
from support.sampling import sampled

from svc.media.drawing.looks import LOOKS
from svc.media.model import Rendition
from svc.media.slides.diagrams import timeline
from svc.media.text import moments
from svc.media.text.quotation_marks import set_typographically

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
SHAPES = {
    "landscape": WIDE,
    "portrait": TALL,
    "square": Rendition("square", 360, 360),
    "feed": Rendition("feed", 360, 450),
}
LONG = (
    "1969 – the first message between two computers, and a "
    "Donaudampfschifffahrtsgesellschaftskapitän who could not read it"
)
SCENES = {
    "years": list_scene([("1879 – Edison's lamp", "", 0), ("1901: radio", "", 0), (LONG, "", 0)]),
    "agenda": list_scene(
        [("09:00–09:30 Opening", "", 0), ("09:30 Keynote", "", 0), ("12:00 Lunch together", "", 0)]
    ),
    "dates": list_scene(
        [
            (f"{day} November 1989: Something happened in Berlin", "", 0)
            for day in (9, 10, 11, 12, 13)
        ]
    ),
    "table": rows_scene(
        "table",
        ("Year", "Event"),
        [("1957", "Sputnik"), ("1961", "Gagarin"), ("1969", "Apollo 11")],
    ),
}


@pytest.mark.parametrize(
    ("language", "points", "first"),
    [
        (
            "en",
            ["1879 – Edison's lamp", "1901: radio", "1969 - the Moon"],
            ("1879", "Edison's lamp"),
        ),
        ("en", ["March 2024: design", "1 June 2024: launch"], ("March 2024", "Design")),
        ("en", ["09:00 Opening", "09:30–10:15 Keynote", "12:00 lunch"], ("09:00", "Opening")),
        ("en", ["08:14 UTC: Roll-out", "08:21 UTC: alerts"], ("08:14 UTC", "Roll-out")),
        ("de", ["9 Uhr CET – Start", "10 Uhr CET – Ende"], ("9 Uhr CET", "Start")),
        ("fr", ["9:00 est libre", "10:00 est complet"], ("9:00", "Est libre")),
        ("en", ["9 am: Opening", "1 pm: Lunch", "3.30 pm – Workshops"], ("9 am", "Opening")),
        ("fr", ["8\xa0h 30\xa0: départ", "10\xa0h\xa0: traite"], ("8\xa0h 30", "Départ")),
        ("fr", ["8 h 30 – 9 h 15 : départ", "10 h : traite"], ("8 h 30 – 9 h 15", "Départ")),
        ("de", ["8 Uhr 30: Start", "10 Uhr: Pause"], ("8 Uhr 30", "Start")),
        ("fr", ["8 h : 30 élèves", "9 h : 20 élèves"], ("8 h", "30 élèves")),
        ("en", ["Monday: design", "Friday: ship"], ("Monday", "Design")),
        ("en", ["Day 1: Rome", "Day 2: Naples"], ("Day 1", "Rome")),
        ("en", ["Q1 2025: plan", "Q3 2025: sell"], ("Q1 2025", "Plan")),
        (
            "en",
            ["2500 BC: pyramids", "44 BC: Caesar", "1066 AD: Hastings"],
            ("2500 BC", "Pyramids"),
        ),
        (
            "en",
            ["1914–1918: the Great War", "1939 – 1945: the second"],
            ("1914–1918", "The Great War"),
        ),
        ("en", ["November: sow", "December: wait", "January: reap"], ("November", "Sow")),
        ("en", ["2007: iPhone", "2010: iPad"], ("2007", "iPhone")),
        (
            "de",
            ["9. November 1989: Mauerfall", "3. Oktober 1990: Einheit"],
            ("9. November 1989", "Mauerfall"),
        ),
        ("de", ["9 Uhr: Begrüßung", "10.30 Uhr Vortrag"], ("9 Uhr", "Begrüßung")),
        (
            "fr",
            ["14 juillet 1789 : la Bastille", "1er janvier 1804 – Haïti"],
            ("14 juillet 1789", "La Bastille"),
        ),
        ("fr", ["9h00 Accueil", "10h30 Pause"], ("9h00", "Accueil")),
        (
            "es",
            ["5 de mayo de 1862: Puebla", "2 de octubre de 1968: Tlatelolco"],
            ("5 de mayo de 1862", "Puebla"),
        ),
        ("it", ["24:05 I forni", "38:50 Tre ricette", "1:02:30 Saluti"], ("24:05", "I forni")),
        ("hi", ["1 जून: केरल", "10 जून: मुंबई", "29 जून: दिल्ली"], ("1 जून", "केरल")),
        ("ja", ["1868年:明治維新", "1945年8月15日:終戦"], ("1868年", "明治維新")),
        ("ar", ["1969: القمر", "1989: برلين"], ("1969", "القمر")),
        ("ru", ["12 апреля 1961: Гагарин", "20 июля 1969: Луна"], ("12 апреля 1961", "Гагарин")),
    ],
)
def test_points_that_begin_with_moments_in_order_are_a_timeline(language, points, first):
    entries = moments.find_entries(points, language)
    assert len(entries) == len(points) and (entries[0].when, entries[0].what) == first


@pytest.mark.parametrize(
    "points",
    [
        ["225 g flour", "4 eggs", "1 lemon"],
        ["May I ask?", "June is warm"],
        ["1969 – the Moon", "1879 – the lamp"],
        ["12.50 lunch", "14.90 dinner"],
        ["1879 – the lamp", "and many more"],
        ["1 pm: lunch", "1969: the Moon"],
        ["1969: one", "1969: two"],
        ["99 June: nothing", "100 June: nothing"],
        ["Monday: a day"],
        ["2: two", "3: three"],
        ["26:24 against Kiel", "31:28 against Berlin"],
        ["09:00", "10:00"],
        [],
    ],
)
def test_any_other_list_is_none(points):
    assert moments.find_entries(points, "en") == ()


def test_the_last_point_of_a_long_timeline_is_one_too():
    assert moments.find_entries(["1989 – the Web"], "en") and moments.find_entries(
        ["12:00 Lunch"], "en"
    )


def test_hostile_points_are_read_in_no_time():
    assert moments.find_entries(["1879 " + "–" * 100_000, ": " * 100_000], "en") == ()
    assert moments.find_entries(["1" * 5000, "\x00" * 5000], "xx-unknown") == ()


def test_a_list_with_numbers_levels_or_tasks_stays_a_list():
    for label, level in (("1.", 0), ("☑", 0), ("", 1)):
        assert not timeline.find_entries(
            list_scene([("1879 – lamp", label, level), ("1901 – radio", label, level)]), "en"
        )
    assert timeline.find_entries(SCENES["years"], "en")


def test_a_table_is_one_if_its_first_column_has_moments_in_order():
    assert [entry.when for entry in timeline.find_entries(SCENES["table"], "en")] == [
        "1957",
        "1961",
        "1969",
    ]
    assert not timeline.find_entries(
        rows_scene("table", ("A", "B"), [("Bay", "Canada"), ("Severn", "Wales")]), "en"
    )
    assert not timeline.find_entries(
        rows_scene("table", ("A", "B", "C"), [("1957", "a", "b"), ("1961", "c", "d")]), "en"
    )
    assert not timeline.find_entries(
        rows_scene("line", ("Year", "Price"), [("1957", "5 €"), ("1961", "6 €")]), "en"
    )


def shown(scene, shape, language="en", look="explainer") -> str:
    drawn = studio(scene, shape, look, language=language)
    for stage in range(-1, len(scene.points)):
        drawn.picture(0, stage)
    return (
        "".join("".join(text.text.split()) for text in drawn.drain_texts())
        .replace("-", "")
        .casefold()
    )


@pytest.mark.parametrize(
    "name, shape", sampled(itertools.product(SCENES, ("landscape", "portrait")), 3)
)
def test_nothing_of_a_timeline_is_lost_or_touches(name, shape):
    scene = SCENES[name]
    assert (
        faults(scene, SHAPES[shape], "explainer", "dark", range(-1, len(scene.points)), "en") == []
    )
    text = shown(scene, SHAPES[shape])
    for entry in timeline.find_entries(scene, "en"):
        assert "".join(entry.when.split()).casefold() in text
        what = set_typographically(entry.what, "en")
        assert "".join(what.split()).casefold() in text
    assert "…" not in text and all(title.casefold() in text for title in scene.sight.columns)


@pytest.mark.slow
@pytest.mark.parametrize(("look", "theme", "shape"), dressed(SHAPES))
def test_every_timeline_is_clean_in_every_look_and_shape(look, theme, shape):
    wrong = []
    for number, scene in enumerate(SCENES.values()):
        language = ("en", "en", "en", "ar")[number]
        stages = (-1, len(scene.points) // 2)
        wrong += faults(
            scene, SHAPES[shape], look, theme, stages, language, accent=ODD[number % len(ODD)]
        )
    assert wrong == []


@pytest.mark.parametrize("look", sampled(LOOKS, 3))
def test_each_entry_lights_up_when_it_is_spoken(look):
    drawn = studio(SCENES["agenda"], WIDE, look)
    pictures = [drawn.picture(0, stage).astype(int) for stage in (-1, 0, 1, 2)]
    for before, after in zip(pictures, pictures[1:], strict=False):
        assert np.abs(before - after).max() > 30
