"""The script as its reviewer made it: what was left stays as it is, what was changed is said,
shown and compared.
"""

import json
from dataclasses import replace

import pytest

from svc.media.model import (
    Presenter,
    Pronunciation,
    Rendition,
    SceneEdit,
    Script,
    VideoBrief,
    load,
    save,
)
from svc.media.script import completeness, from_brief, revision, step

NOTES = """## The moon pulls

The sea rises towards the moon. It falls **twice a day**.

1. Two tides a day
2. Higher at full moon

## Figures

| Place | Metres |
|---|---|
| Fundy | 16 |
| Bristol | 14 |

> The sea is calm tonight.
> — Arnold
"""
BRIEF = VideoBrief(
    "p",
    "How tides work",
    "How tides work",
    "en",
    "US",
    NOTES,
    Presenter("Ada"),
    (Rendition("l", 1280, 720),),
    account_name="Acme",
)


@pytest.fixture(scope="module")
def script() -> Script:
    return from_brief.write_script(BRIEF)


def as_edits(script: Script) -> list[SceneEdit]:
    """The script's own scenes, as a reviewer sends them back unchanged."""
    return [
        SceneEdit(
            each["scene"],
            each["heading"],
            each["narration"],
            tuple(each["points"]),
            each["key_phrase"],
            each["picture"],
        )
        for each in revision.outline_script(script)
    ]


def revised(
    script: Script, *edits: SceneEdit, brief: VideoBrief = BRIEF
) -> tuple[VideoBrief, Script]:
    edited = replace(brief, edits=edits)
    return edited, revision.revise_script(edited, script)


def said(script: Script) -> list[str]:
    return [" ".join(scene.words) for scene in script.scenes[1:-1]]


def test_a_reviewer_sees_what_is_said_without_heading_and_points(script):
    first, second, third = revision.outline_script(script)
    assert first["narration"] == "The sea rises towards the moon. It falls twice a day."
    assert first["points"] == ["Two tides a day", "Higher at full moon"]
    assert (second["visual"]["kind"], second["visual"]["rows"]) == (
        "bars",
        (("Fundy", "16"), ("Bristol", "14")),
    )
    assert third["visual"]["text"] == "The sea is calm tonight."


@pytest.mark.parametrize(
    ("language", "notes"),
    [
        ("en", NOTES),
        ("hi", "## चाँद\n\nसमुद्र चाँद की ओर उठता है।\n\n- दिन में दो बार"),
        ("ar", "## القمر\n\nالبحر يرتفع نحو القمر."),
    ],
)
def test_what_nobody_changed_is_the_same_to_the_last_word(language, notes):
    brief = replace(BRIEF, language=language, metadata_md=notes)
    script = from_brief.write_script(brief)
    assert revised(script, *as_edits(script), brief=brief)[1].scenes == script.scenes


def test_a_changed_narration_is_said_and_the_list_is_said_as_before(script):
    first, *others = as_edits(script)
    brief, made = revised(
        script, replace(first, narration="Nobody sleeps for 5 km.", key_phrase=None), *others
    )
    scene = made.scenes[1]
    assert (
        said(made)[0]
        == "The moon pulls Nobody sleeps for 5\u00a0km. Two tides a day Higher at full moon"
    )
    assert (
        [point.label for point in scene.points]
        == [point.label for point in script.scenes[1].points]
        == ["1.", "2."]
    )
    assert scene.points[0].last_word - scene.points[0].first_word == 3
    assert made.scenes[2:] == script.scenes[2:] and completeness.list_lost(brief, made) == []


def test_scenes_are_moved_removed_and_added_between_title_and_close(script):
    first, chart, quote = as_edits(script)
    guest = SceneEdit(9, "A guest", "A lion waits at the door.", ("One", "Two"), None, "lion")
    _, made = revised(script, quote, guest, first)
    assert [scene.layout for scene in made.scenes] == [
        "title",
        "quote",
        "points",
        "points",
        "close",
    ]
    assert (
        said(made)[1] == "A guest A lion waits at the door. One Two"
        and made.scenes[2].illustration == "lion"
    )
    assert made.is_edited


def test_a_chart_keeps_its_figures_when_it_is_introduced_otherwise(script):
    first, chart, quote = as_edits(script)
    _, made = revised(script, first, replace(chart, narration="Look at these."), quote)
    scene = made.scenes[2]
    assert (
        said(made)[1] == "Figures Look at these. Fundy, 16 Bristol, 14"
        and scene.sight == script.scenes[2].sight
    )
    assert [point.text for point in scene.points] == ["Fundy", "Bristol"]


def test_key_phrase_and_picture_are_those_that_the_reviewer_names():
    brief = replace(BRIEF, metadata_md="The sea rises towards the moon every day of the year.")
    script = from_brief.write_script(brief)
    [edit] = as_edits(script)
    assert edit.key_phrase
    for phrase, picture, shown in (
        ("every day", "lion", "lion"),
        ("", "", ""),
        ("the moon", edit.picture, edit.picture),
    ):
        _, made = revised(script, replace(edit, key_phrase=phrase, picture=picture), brief=brief)
        assert (made.scenes[1].key_phrase, made.scenes[1].illustration) == (phrase, shown)


def test_a_changed_scene_leans_on_the_one_before_it():
    """The sentence has no subject but in the scene before; under another heading it is the first,
    which is not asked what it leans on."""
    long = (
        "La piscina de la ciudad seguirá abierta si el ayuntamiento paga una caldera nueva, un "
        "techo, un suelo y ventanas, que costarán casi novecientos mil euros en total"
    )
    leaning = "Se restauró en 2017 con fondos de la Fundación Iberdrola y de varios mecenas"
    brief = replace(BRIEF, language="es", metadata_md=f"## La piscina\n\n{long}. {leaning}.")
    script = from_brief.write_script(brief)
    *others, last = as_edits(script)
    assert len(others) == 1
    changed = replace(last, narration=f"{leaning} más.", key_phrase=None)
    apart = replace(changed, heading="La torre")
    phrases = [
        revision.revise_script(replace(brief, edits=(*others, edit)), script).scenes[-2].key_phrase
        for edit in (changed, apart)
    ]
    assert phrases == ["La piscina", f"{leaning} más"]


def test_another_picture_or_none_is_the_scene_s_only_one():
    # whatever a processor's last digits are, the bus is sure enough to stand beside the train
    brief = replace(BRIEF, metadata_md="Take the train to the coast. Then go on by bus.")
    script = from_brief.write_script(brief)
    [edit] = as_edits(script)
    assert script.scenes[1].companions
    for picture, companions in (
        ("lion", ()),
        ("", ()),
        (edit.picture, script.scenes[1].companions),
    ):
        _, made = revised(
            script, replace(edit, picture=picture, key_phrase="the coast"), brief=brief
        )
        assert made.scenes[1].companions == companions


def test_the_account_s_words_are_spoken_as_its_lexicon_says(script):
    brief = replace(BRIEF, lexicon=(Pronunciation("SQL", "sequel"),))
    _, made = revised(script, SceneEdit(9, "", "We ask SQL."), brief=brief)
    assert made.scenes[1].spoken[-1].rstrip(".") == "sequel" and made.scenes[1].words[-1] == "SQL."


def test_a_script_of_a_release_without_countries_is_read_in_the_brief_s_once_it_is_revised():
    brief = replace(BRIEF, country="AU", metadata_md="## Dates\n\nIt opens on Monday.")
    older = replace(from_brief.write_script(brief), country="")
    edits = (SceneEdit(1, "Dates", "It opens on 3/4/2026."),)
    revised = revision.revise_script(replace(brief, edits=edits), older)
    assert (older.read_in, revised.read_in) == (older.language, brief.read_in)


def test_what_cannot_be_spoken_is_left_out(script):
    first, *_ = as_edits(script)
    _, made = revised(script, SceneEdit(9, "", "\u200b \ufe0f"), first)
    assert len(made.scenes) == 3


def test_hostile_words_stay_words(script):
    hostile = "{{x}} <script>alert(1)</script> $$\\frac{1}{2}$$ `rm -rf` \u202e" + "a" * 300
    brief, made = revised(
        script, SceneEdit(9, hostile[:200], hostile, (hostile[:120],), None, hostile[:100])
    )
    assert made.scenes[1].words and "\u202e" not in " ".join(made.scenes[1].words)
    assert completeness.list_lost(brief, made) == []


def test_the_gate_finds_a_word_of_the_reviewer_that_is_not_said(script):
    first, *others = as_edits(script)
    brief, made = revised(script, replace(first, narration="Nobody sleeps."), *others)
    cut = replace(made, scenes=(made.scenes[0], *made.scenes[2:]))
    assert any("'sleeps'" in report for report in completeness.list_lost(brief, cut))


def test_it_may_be_applied_again_and_again(tmp_path):
    step.write_step(BRIEF, tmp_path, lambda fraction: None)
    script = load(Script, tmp_path / "script.json")
    assert json.loads((tmp_path / "scenes.json").read_text("utf-8"))[0]["scene"] == 1
    revision.apply_edits(BRIEF, tmp_path)
    assert load(Script, tmp_path / "script.json") == script  # nobody changed anything
    first, *_ = as_edits(script)
    brief = replace(BRIEF, edits=(SceneEdit(9, "", "New words."), first))
    for _ in range(3):
        revision.apply_edits(brief, tmp_path)
        assert said(load(Script, tmp_path / "script.json"))[0] == "New words."
    save(script, tmp_path / "script.json")  # killed between the two files
    revision.apply_edits(brief, tmp_path)
    assert said(load(Script, tmp_path / "script.json"))[0] == "New words."
