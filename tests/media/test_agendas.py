"""Agendas: lists that announce a programme have numbers or a column of times;
all other lists stay as they are.
"""

import dataclasses
import itertools

import numpy as np
import pytest
from media.layout_sweep import ODD, dressed, faults, list_scene, rows_scene, studio
from support.sampling import sampled

from svc.base.text.languages import LANGUAGES
from svc.media.drawing.looks import LOOKS
from svc.media.languages import Agendas, read_words
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.media.script import agendas, completeness, from_brief, revision
from svc.media.slides.diagrams import agenda
from svc.media.text import moments
from svc.work import brief_builder

SHAPES = {
    "landscape": Rendition("landscape", 640, 360),
    "portrait": Rendition("portrait", 360, 640),
    "square": Rendition("square", 360, 360),
    "feed": Rendition("feed", 360, 450),
}
LONG = (
    "Der Bericht der Datenschutzgrundverordnungsbeauftragten über das vergangene Jahr und über "
    "das nächste"
)


def announced(scene, first: int = 1):
    return dataclasses.replace(scene, layout=agendas.LAYOUT, number=first, heading="Agenda")


SCENES = {
    "numbers": announced(
        list_scene([("Welcome", "", 0), ("The budget of the coming year", "", 0), (LONG, "", 0)])
    ),
    "many": announced(list_scene([(f"{number + 1}00 reports", "", 0) for number in range(8)]), 9),
    "times": announced(
        list_scene(
            [
                ("9.00–9.30 Uhr: Begrüßung", "", 0),
                ("12:00 Lunch together", "", 0),
                (f"3 pm: {LONG}", "", 0),
            ]
        )
    ),
    "table": announced(
        rows_scene("table", ("Time", "What"), [("9 am", "Registration"), ("10 am", "Opening talk")])
    ),
}


def brief_of(notes: str, language: str = "en", **changes) -> VideoBrief:
    shape = SHAPES["landscape"]
    return VideoBrief(
        "p", "Tides", "Tides", language, "US", notes, Presenter("Ada"), (shape,), **changes
    )


def layouts(notes: str, language: str = "en") -> list[tuple[str, int]]:
    return [
        (scene.layout, scene.number)
        for scene in from_brief.write_script(brief_of(notes, language)).scenes[1:-1]
    ]


CHAPTERS = """## {heading}
- Where tides come from
- The highest tides

## Where tides come from
> Tides are the breath of the sea.
> — a fisherman

- The near side
- The far side

## The highest tides
| Place | Country | Range |
|---|---|---:|
| Bay of Fundy | Canada | 16.3 m |
| Severn Estuary | United Kingdom | 15.0 m |

## The end
That was all of it, and thank you for listening.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("en", "Agenda"),
        ("en", "TODAY'S AGENDA:"),
        ("en-GB", "Programme"),
        ("de", "Ablauf"),
        ("de", "Tagesordnung"),
        ("fr", "Ordre du jour"),
        ("es-419", "Orden del día"),
        ("it", "Scaletta"),
        ("pt-BR", "Pauta"),
        ("nl", "Agenda"),
        ("pl", "Porządek obrad"),
        ("ru", "Повестка дня"),
        ("ar", "جدول الأعمال"),
        ("hi", "कार्यसूची"),
        ("tr", "Gündem"),
    ],
)
def test_a_list_under_the_word_for_an_agenda_is_one(language, heading):
    assert layouts(f"## {heading}\n\n- Alpha\n- Beta\n- Gamma\n", language) == [("agenda", 1)]


def test_every_language_has_its_words_and_none_is_sure_and_doubtful_at_once():
    for code in LANGUAGES:
        known = read_words(code, Agendas)
        sure, perhaps = set(known.sure), set(known.perhaps)
        assert sure and not sure & perhaps
        assert all(agendas.normalise_text(name) == name for name in sure | perhaps)


@pytest.mark.parametrize(
    "notes",
    [
        "## What to pack\n- Boots\n- A hat",
        "## Program\n- It reads the file\n- It writes the file",  # of a computer
        "## Agenda 2030\n- No poverty\n- Zero hunger",
        "## Agenda\n- Welcome\n  - by the mayor\n- Lunch",
        "## Agenda\n- [ ] Book the room\n- [x] Invite the speakers",
        "## Agenda\n- Only one point",
        "## Agenda\n- March 2024: design\n- June 2024: launch",  # a timeline
        "## Programme\n| Room | Talk |\n|---|---|\n| A1 | Opening |\n| B2 | Closing |",
        # in another order
        "- The end\n- The beginning\n\n## The beginning\nSome text.\n\n## The end\nMore text.",
        "- Tides\n- Agenda\n\n## Agenda\nIt follows the title.",  # the title is no section
        "- !!!\n- ???\n\nSome text.",
        "- The beginning\n- The middle\n\n## The beginning\nSome text.\n\n## The end\nMore text.",
    ],
)
def test_any_other_list_is_none(notes):
    assert all(layout != "agenda" and number == 0 for layout, number in layouts(notes))


@pytest.mark.parametrize(
    "notes",
    [
        "## Program\n- 9 am: Registration\n- 10:30 am: Opening",
        "## Schedule\n| Time | Talk |\n|---|---|\n| 9 am | Registration |\n| 10 am | Opening |",
        "## Agenda\n- 23:00 Fireworks\n- 0:30 Last train\n- 0:10 Music",
    ],
)
def test_a_list_or_a_table_of_times_is_one_under_a_doubtful_word_too(notes):
    assert layouts(notes) == [("agenda", 1)]
    scene = from_brief.write_script(brief_of(notes)).scenes[1]
    assert all(
        entry.when[0].isdecimal() and ":" not in entry.what for entry in agenda._list_entries(scene)
    )


@pytest.mark.parametrize("heading", ["Agenda", "What we look at"])
def test_a_list_of_the_headings_that_follow_is_one_and_their_scenes_have_its_numbers(heading):
    expected = [("agenda", 1), ("quote", 1), ("points", 1), ("table", 2), ("prose", 0)]
    assert layouts(CHAPTERS.format(heading=heading)) == expected


def test_an_agenda_goes_on_counting_in_its_next_scene():
    notes = "## Agenda\n" + "".join(
        f"- The report of working group {name}, and questions\n" for name in "ABCDEFGHIJ"
    )
    script = from_brief.write_script(brief_of(notes))
    scenes = [scene for scene in script.scenes if scene.layout == "agenda"]
    counted = [entry.when for scene in scenes for entry in agenda._list_entries(scene)]
    assert len(scenes) > 1 and counted == [str(number) for number in range(1, 11)]


def test_an_ordered_list_keeps_its_own_numbers_and_the_notes_are_complete():
    brief = brief_of("## Agenda\n4. Reports\n5. Election\n6. Any other business")
    script = from_brief.write_script(brief)
    assert [entry.when for entry in agenda._list_entries(script.scenes[1])] == ["4", "5", "6"]
    for notes in (brief.metadata_md, CHAPTERS.format(heading="Agenda")):
        brief = brief_of(notes)
        assert completeness.list_lost(brief, from_brief.write_script(brief)) == []


def test_the_audio_description_says_that_there_is_an_agenda():
    described = {"en": "Ada, and an agenda.", "de": "Ada und eine Tagesordnung."}
    for language, sentence in described.items():
        assert (
            from_brief.write_script(brief_of("## Agenda\n- Alpha\n- Beta", language))
            .scenes[1]
            .description
            == sentence
        )


def test_a_corrected_list_becomes_or_ceases_to_be_an_agenda():
    brief = brief_of(CHAPTERS.format(heading="What we look at"))
    script = from_brief.write_script(brief)
    edits = [brief_builder.make_scene_edit(scene) for scene in revision.outline_script(script)]
    same = revision.revise_script(dataclasses.replace(brief, edits=tuple(edits)), script)
    assert same.scenes == script.scenes
    edits[1:3] = [dataclasses.replace(edit, heading="Why there are tides") for edit in edits[1:3]]
    other = revision.revise_script(dataclasses.replace(brief, edits=tuple(edits)), script)
    assert [scene.layout for scene in other.scenes[1:3]] == ["points", "quote"]
    assert (
        not any(scene.number for scene in other.scenes)
        and other.scenes[1].description == "Ada, and a list."
    )
    edits[0] = dataclasses.replace(edits[0], heading="Agenda")
    other = revision.revise_script(dataclasses.replace(brief, edits=tuple(edits)), script)
    assert (other.scenes[1].layout, other.scenes[1].description) == (
        "agenda",
        "Ada, and an agenda.",
    )


def test_a_list_that_nobody_edited_stays_what_it_was():
    brief = brief_of("## Agenda\n\n- Alpha\n- Beta\n\n## Notes\n\nThe sea is calm.\n")
    script = from_brief.write_script(brief)
    older = dataclasses.replace(  # as a release wrote it that did not know the word
        script,
        scenes=tuple(
            agendas._make_plain_scene(brief, scene) if scene.layout == "agenda" else scene
            for scene in script.scenes
        ),
    )
    other_word = dataclasses.replace(  # or one that took another word for that of an agenda
        script,
        scenes=tuple(
            dataclasses.replace(scene, heading="Goals") if scene.layout == "agenda" else scene
            for scene in script.scenes
        ),
    )
    for written, layout in ((older, "points"), (other_word, "agenda")):
        edits = [brief_builder.make_scene_edit(scene) for scene in revision.outline_script(written)]
        edits[1] = dataclasses.replace(edits[1], narration="The sea is rough.")
        edited = dataclasses.replace(brief, edits=tuple(edits))
        assert revision.revise_script(edited, written).scenes[1] == written.scenes[1]
        assert written.scenes[1].layout == layout


def texts(scene, shape, look="explainer", language="en") -> str:
    drawn = studio(scene, shape, look, language=language)
    for stage in range(-1, len(scene.points)):
        drawn.picture(0, stage)
    return (
        "".join("".join(text.text.split()) for text in drawn.drain_texts())
        .replace("-", "")
        .casefold()
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("shape", ("landscape", "portrait"))
def test_nothing_of_an_agenda_is_lost_or_touches(name, shape):
    scene = SCENES[name]
    assert (
        faults(scene, SHAPES[shape], "explainer", "dark", range(-1, len(scene.points)), "de") == []
    )
    drawn = texts(scene, SHAPES[shape], language="de")
    for entry in agenda._list_entries(scene):
        assert "".join(entry.when.split()).casefold() in drawn
        assert "".join(entry.what.split()).casefold() in drawn
    assert "…" not in drawn


@pytest.mark.slow
@pytest.mark.parametrize(("look", "theme", "shape"), dressed(SHAPES))
def test_every_agenda_is_clean_in_every_look_and_shape(look, theme, shape):
    wrong = []
    for number, scene in enumerate(SCENES.values()):
        language = ("de", "en", "de", "ar")[number]
        stages = (-1, len(scene.points) // 2)
        wrong += faults(
            scene, SHAPES[shape], look, theme, stages, language, accent=ODD[number % len(ODD)]
        )
    assert wrong == []


@pytest.mark.parametrize("look", sampled(LOOKS, 6))
def test_each_point_lights_up_when_it_is_spoken(look):
    drawn = studio(SCENES["times"], SHAPES["landscape"], look)
    pictures = [drawn.picture(0, stage).astype(int) for stage in (-1, 0, 1, 2)]
    for before, after in zip(pictures, pictures[1:], strict=False):
        assert np.abs(before - after).max() > 30


@pytest.mark.parametrize("shape, look", sampled(itertools.product(SHAPES, LOOKS), 16))
def test_an_agenda_fills_the_frame(look, shape):
    drawn = studio(SCENES["numbers"], SHAPES[shape], look)
    left, top, right, bottom = drawn.plan.content
    changed = (
        np.abs(drawn.picture(0, 2).astype(int) - drawn.draw_grounds()[0].astype(int)).max(axis=2)
        > 12
    )
    rows = np.flatnonzero(changed[top:bottom, left:right].any(axis=1))
    assert (rows[-1] - rows[0]) / (bottom - top) > 0.8
    assert np.diff(rows).max() / (bottom - top) < 0.3


def test_the_heading_of_an_announced_section_shows_its_number():
    scene = dataclasses.replace(
        list_scene([("Near", "", 0), ("Far", "", 0)], heading="Two sides"), number=2
    )
    assert "2.twosides" in texts(scene, SHAPES["portrait"])
    phrase = dataclasses.replace(scene, layout="prose", points=(), key_phrase="The near side")
    assert "2.twosides" in texts(phrase, SHAPES["landscape"])
    assert "2." not in texts(dataclasses.replace(phrase, number=0), SHAPES["landscape"])


def test_times_are_read_in_every_usual_form_and_lengths_of_time_are_none():
    points = [
        "9.00–9.30 Uhr: Begrüßung",
        "10–11 Uhr Vortrag",
        "9-10 am: Tea",
        "12:00 Lunch",
        "8h30 Accueil",
    ]
    assert [entry.when for entry in moments.find_timed_points(points)] == [
        "9.00–9.30 Uhr",
        "10–11 Uhr",
        "9-10 am",
        "12:00",
        "8h30",
    ]
    assert (
        moments.find_timed_points(["12:00 Lunch", "Coffee"]) == ()
        and moments.find_timed_points(["9-10 people", "11-12 people"]) == ()
    )
    assert moments.find_timed_rows([("9 am", "Tea"), ("noon", "Lunch")]) == ()


def test_an_agenda_shows_each_number_once():
    notes = "Tagesordnung\n\nTOP 1\tBegrüßung\nTOP 2\tKasse\nTOP 3\tWahlen"
    brief = brief_of(notes, "de")
    scenes = from_brief.write_script(brief).scenes
    shown = [point.text for scene in scenes for point in scene.points]
    assert shown == ["Begrüßung", "Kasse", "Wahlen"]
    assert "TOP 2: Kasse" in " ".join(word for scene in scenes for word in scene.words)
    assert tuple(agendas.mark_agendas(brief, scenes)) == scenes


def test_an_agenda_announces_headings_with_their_numbers():
    notes = (
        "Tagesordnung\n\n- Kasse\n- Wahlen\n\nTOP 1: Kasse\nSie stimmt.\n\nTOP 2: Wahlen\nKeine."
    )
    scenes = from_brief.write_script(brief_of(notes, "de")).scenes
    assert [scene.number for scene in scenes if scene.layout == "prose"] == [1, 2]


def test_other_numbers_of_points_stay():
    notes = "Tagesordnung\n\nTOP 4\tKasse\nTOP 5\tWahlen"
    scenes = from_brief.write_script(brief_of(notes, "de")).scenes
    shown = [point.text for scene in scenes for point in scene.points]
    assert shown == ["TOP 4: Kasse", "TOP 5: Wahlen"]
