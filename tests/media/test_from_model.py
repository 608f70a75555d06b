"""A script written by a model: used if it is valid, repaired once,
and rejected if it is still invalid.
"""

import copy
import json

import pytest

from svc.media.errors import ScriptError
from svc.media.model import Script, Upload, load
from svc.media.resources import Resources
from svc.media.script import from_model
from svc.media.script import step as script_step
from tests.support.endpoints import GOOD

NOTES = (
    "---\nsandbox:\n  failAt: video\n---\nBoil the water and pour it. It takes 4 minutes; ask "
    "tea@example.org."
)


class Model:
    """Returns the prepared answers in turn, and records the requests."""

    name = "model-1"

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def ask(self, messages, name, schema):
        self.requests.append(copy.deepcopy(messages))
        answer = self.answers.pop(0)
        return answer if isinstance(answer, str) else json.dumps(answer)


@pytest.fixture
def tea(make_brief):
    return make_brief(title="How tea is made", topic="Tea", metadata_md=NOTES)


def changed(**changes) -> dict:
    draft = copy.deepcopy(GOOD)
    draft["scenes"][1] = {**draft["scenes"][1], **changes}
    return draft


def said(script: Script) -> str:
    return " ".join(word for scene in script.scenes for word in scene.words)


def test_a_good_script_is_used_and_signed(tea):
    script = from_model.write_script(tea, Model(GOOD))
    assert script.author == "model-1" and script.title == "How tea is made"
    assert [scene.layout for scene in script.scenes] == [
        "title",
        "prose",
        "points",
        "prose",
        "close",
    ]
    assert "Have you ever wondered what happens in the pot?" in said(script)
    assert [point.text for point in script.scenes[2].points] == ["Boil the water", "Pour it"]


def test_the_model_is_told_the_brief_as_material_and_the_language(tea):
    model = Model(GOOD)
    from_model.write_script(tea, model)
    system, user = model.requests[0]
    assert (
        "English (en)" in system["content"] and "Use only what the brief says" in system["content"]
    )
    assert (
        json.loads(user["content"])["notes"].startswith("Boil the water")
        and "sandbox" not in user["content"]
    )


def test_the_own_writer_signs_nothing(tea, tmp_path, unwatched):
    script_step.write_step(tea, tmp_path, unwatched)
    assert load(Script, tmp_path / "script.json").author == ""
    script_step.write_step(tea, tmp_path, unwatched, Resources(chat=Model(GOOD)))
    assert load(Script, tmp_path / "script.json").author == "model-1"


def test_json_in_a_fence_is_json(tea):
    assert from_model.write_script(tea, Model(f"```json\n{json.dumps(GOOD)}\n```")).author


WRONG = {
    "prose": ("Here is your script!", "not JSON"),
    "cut off": (json.dumps(GOOD)[:200], "not JSON"),
    "too deep": ("[" * 50_000, "not JSON"),
    "a list": ([], "not an object"),
    "no scenes": ({"title": "Tea"}, "not an object"),
    "empty": ({"title": "Tea", "scenes": []}, "has 0 scenes"),
    "endless": ({"title": "Tea", "scenes": [GOOD["scenes"][0]] * 41}, "has 41 scenes"),
    "a scene of text": ({"title": "Tea", "scenes": ["Tea."]}, "Scene 1 is not an object"),
    "a number": (changed(narration=4), "Scene 2 is not an object"),
    "points of text": (changed(points="one"), "points of scene 2"),
    "nothing said": (changed(heading="", narration="🎉", points=[]), "Scene 2 says nothing"),
    "too many points": (changed(points=["a"] * 6), "over 5 points"),
    "a long point": (changed(points=["a" * 121]), "more than 120"),
    "a long heading": (changed(heading="a" * 101), "heading of scene 2"),
    "a long narration": (changed(narration="a " * 601), "narration of scene 2"),
    "an invented figure": (
        changed(narration="9,000 people drink it in 4 minutes."),
        "does not: 9000",
    ),
    "an invented address": (
        changed(narration="Write to me@evil.example."),
        "does not: me@evil.example",
    ),
    "an invented link": (
        changed(narration="See https://evil.example/x."),
        "does not: https://evil.example/x",
    ),
}


SALES = """Sales rose by 12 percent in 2023, said the director of the company, "we are very proud \
of this result".

The price of tea fell to 4 dollars in 1950."""
UNTRUE = {
    "a figure in words": ("en", "It was founded in nineteen sixty, long ago.", "nineteen sixty"),
    "a fall for a rise": ("en", "Sales fell by 12 percent in 2023.", "opposite of the brief"),
    "a rise for a fall": ("en", "The price increased to 4 dollars.", "opposite of the brief"),
    "an invented quotation": (
        "en",
        'The director said "we will double our sales next year".',
        "quotes what the brief",
    ),
    "another language": (
        "en",
        (
            "Der Umsatz ist im Jahr 2023 um 12 Prozent gestiegen und das ist für die Firma und "
            "den Direktor ein Erfolg."
        ),
        "another language (de)",
    ),
    "a number word by word in German": (
        "de",
        "Das war neunzehnhundertsechzig.",
        "neunzehnhundertsechzig",
    ),
}


@pytest.mark.parametrize("name", UNTRUE)
def test_what_the_brief_does_not_say_is_refused_however_it_is_put(make_brief, name):
    language, narration, objection = UNTRUE[name]
    brief = make_brief(title="Sales", topic="Sales", metadata_md=SALES, language=language)
    answer = {"title": "Sales", "scenes": [{"heading": "", "narration": narration, "points": []}]}
    with pytest.raises(ScriptError) as refused:
        from_model.write_script(brief, Model(answer, answer))
    assert objection in refused.value.message


@pytest.mark.parametrize(
    "narration",
    [
        "In 2023 sales increased by twelve percent.",
        "Tea cost four dollars in nineteen fifty.",
        "Sales grew, and three things are new.",
        'The director is proud: "we are very proud of this result".',
        "Tea became cheaper: its price declined to 4 dollars.",
    ],
)
def test_what_the_brief_says_may_be_put_otherwise(make_brief, narration):
    brief = make_brief(title="Sales", topic="Sales", metadata_md=SALES)
    assert from_model.write_script(
        brief, Model({"title": "Sales", "scenes": [{"narration": narration}]})
    ).author


def visual(kind="none", text="", note="", columns=(), rows=()):
    return {
        "kind": kind,
        "text": text,
        "note": note,
        "columns": list(columns),
        "rows": [list(row) for row in rows],
    }


def test_a_model_chooses_key_phrases_tables_figures_quotations_code_and_pictures(make_brief):
    brief = make_brief(
        title="Sales",
        topic="Sales",
        uploads=(Upload("boat.png", "asset-1.png"),),
        metadata_md=f"{SALES} Tea: 5 t, coffee: 7 t. 71 % drink it. pip install tea",
    )
    visuals = (
        visual("table", "", "", ("Kind", "Tons"), (("Tea", "5 t"), ("Coffee", "7 t"))),
        visual("number", "71 %", "drink it"),
        visual("quote", "we are very proud of this result", "the director"),
        visual("code", "pip install tea", "bash"),
        visual("image", "boat.png", "A boat"),
    )
    scenes = [
        {"heading": "", "narration": "Here it is.", "points": [], "visual": one} for one in visuals
    ]
    phrase = {
        "narration": "Whoever drinks strong coffee will want more of it in the morning.",
        "keyPhrase": "strong coffee",
    }
    script = from_model.write_script(brief, Model({"title": "Sales", "scenes": [*scenes, phrase]}))
    assert [scene.layout for scene in script.scenes[1:-1]] == [
        "bars",
        "number",
        "quote",
        "code",
        "image",
        "prose",
    ]
    assert (
        script.scenes[5].sight.file == "asset-1.png"
        and script.scenes[4].sight.text == "pip install tea"
    )
    assert script.scenes[6].key_phrase == "strong coffee"


@pytest.mark.parametrize(
    ("scene", "objection"),
    [
        ({"keyPhrase": "never said"}, "key phrase of scene 1"),
        ({"keyPhrase": 4}, "Scene 1 is not"),
        ({"visual": visual("image", "none.png")}, "picture that the account"),
        ({"visual": {"kind": "film"}}, "known kind"),
        ({"visual": visual("table", "", "", ("a", "b"), (("1",),))}, "as many texts"),
        ({"visual": []}, "known kind"),
        ({"visual": visual("table", "", "", "ab", (("x",) * 2,) * 30)}, "more than 20 rows"),
        ({"visual": visual("code", "x" * 3000)}, "at most 2000"),
        ({"visual": {"rows": 4}}, "as many texts"),
        ({"visual": visual("quote", "we are all invented here")}, "quotes what"),
    ],
)
def test_a_visual_that_cannot_be_drawn_is_refused(make_brief, scene, objection):
    answer = {"title": "Sales", "scenes": [{"narration": "Here it is.", **scene}]}
    with pytest.raises(ScriptError) as refused:
        from_model.write_script(make_brief(metadata_md=SALES), Model(answer, answer))
    assert objection in refused.value.message


def test_a_topic_alone_may_be_written_from_general_knowledge(make_brief):
    brief = make_brief(
        title="Tea",
        topic="The history of tea",
        metadata_md="---\nsandbox: {scenario: happy}\n---\n",
    )
    model = Model({"title": "Tea", "scenes": [{"narration": "Tea reached Europe around 1610."}]})
    assert "1610." in said(from_model.write_script(brief, model))
    assert "no notes" in model.requests[0][0]["content"]
    invented = {
        "title": "Tea",
        "scenes": [
            {"narration": "Tea.", "visual": visual("quote", "Tea is liquid wisdom", "Anonymous")}
        ],
    }
    with pytest.raises(ScriptError):
        from_model.write_script(brief, Model(invented, invented))


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_script_is_repaired_once(tea, name):
    answer, objection = WRONG[name]
    model = Model(answer, GOOD)
    assert from_model.write_script(tea, model).author == "model-1"
    assert objection in model.requests[1][-1]["content"]
    assert model.requests[1][-2]["role"] == "assistant"


@pytest.mark.parametrize("name", WRONG)
def test_a_script_that_is_still_wrong_is_a_clear_error(tea, name):
    answer, objection = WRONG[name]
    with pytest.raises(ScriptError) as refused:
        from_model.write_script(tea, Model(answer, answer))
    assert refused.value.code == "SCRIPT_INVALID" and objection in refused.value.message


def test_figures_of_the_brief_may_be_written_otherwise(make_brief):
    brief = make_brief(
        title="How tea is made", metadata_md="1.234,50 people, 2026-11-21, ٤ minutes, 1990–1999"
    )
    answer = changed(narration="1,234.50 people on 21.11.2026, from 1990 to 1999.")
    assert from_model.write_script(brief, Model(answer)).author


def test_what_cannot_be_spoken_is_refused_before_it_costs_anything(make_brief):
    for brief in (
        make_brief(title="🎉", topic="…", metadata_md="words"),
        make_brief(language="ka"),
    ):
        model = Model()
        with pytest.raises(ScriptError):
            from_model.write_script(brief, model)
        assert model.requests == []


def test_hostile_text_of_a_model_is_cleaned_like_a_briefs(tea):
    narration = "<script>alert()</script> **bold** \ud800 [[x]] {name}"
    answer = changed(heading="Two\u202e steps\x00", narration=narration, points=["\x1b[m"])
    script = from_model.write_script(tea, Model(answer))
    shown = said(script)
    assert not set(shown) & set("\u202e\x00\x1b\ud800") and all(
        all(scene.spoken) for scene in script.scenes
    )


def test_a_brief_with_lone_surrogates_can_be_told(make_brief):
    model = Model(GOOD)
    from_model.write_script(make_brief(title="How tea is made", metadata_md="a \ud800 4"), model)
    model.requests[0][1]["content"].encode()
