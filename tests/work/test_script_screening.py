"""What of a finished script the sensitivity rules are matched with."""

from dataclasses import replace

import pytest

from svc.domain.partners import sensitivity
from svc.media.model import (
    Presenter,
    Pronunciation,
    Rendition,
    Script,
    Upload,
    VideoBrief,
    load,
    save,
)
from svc.media.script.from_brief import write_script
from svc.media.text.pronunciation import lexicon
from svc.work.step_process import script_screening
from svc.work.step_process.outcomes import Completed


def brief_of(notes: str, title: str = "Doors") -> VideoBrief:
    avatar = Presenter("Ada Gray")
    return VideoBrief(
        "p",
        title,
        "Doors",
        "en",
        "US",
        notes,
        avatar,
        (Rendition("s", 320, 180, 30),),
        uploads=(Upload("y.png", "y.png"),),
        account_name="Demo",
    )


def suppresses(
    phrase: str, notes: str, title: str = "Doors", words: tuple[Pronunciation, ...] = ()
) -> bool:
    brief = brief_of(notes, title)
    texts = script_screening.extract_texts(lexicon.apply_lexicon(write_script(brief), words))
    return sensitivity.any_matches([{"phrase": phrase, "is_pattern": 0}], texts)


LONG = (
    f"The doors of this old house {'and of that house ' * 9} are painted by an unholy grail "
    f"{'and then again ' * 9}."
)


@pytest.mark.parametrize(
    ("phrase", "notes"),
    [
        ("old house", LONG),
        ("unholy grail", LONG),
        ("eighteen", "There are 18."),
        ("5 km", "It is 5 km long."),
        ("Unholy", "## Unholy\n\nIt is."),
        ("red green", "| red | green |\n|---|---|\n| a | b |\n| c | d |"),
        ("a quoted word", "> A *quoted* word.\n> — Somebody"),
        ("somebody", "> A quoted word.\n> — Somebody"),
        ("first second", "- first\n- second"),
        ("a red door", "![A red door](y.png)"),
        ("red door", "See [this](https://example.com/red-door?x)."),
        ("дверь", "See [this](https://example.com/дверь)."),
        ("rm tea", "Type:\n\n```sh\nrm tea\n```"),
        ("red word", "| a | b |\n|---|---|\n| x | – |\n| red word | c |"),
    ],
)
def test_whatever_is_said_or_shown_is_matched(phrase, notes):
    assert suppresses(phrase, notes)


@pytest.mark.parametrize("phrase", ["Ada Gray", "thank you", "watching", "speaks", "class"])
def test_what_no_brief_asked_for_suppresses_nothing(phrase):
    assert not suppresses(phrase, "## Passing classes\n\nOne.\n\n## Another\n\nTwo.")


@pytest.mark.parametrize("written", ["Doors", "video", "list"])
def test_what_the_lexicon_makes_of_cards_and_descriptions_is_matched(written):
    notes, words = "- One.\n- Two.", (Pronunciation(written, "the casino"),)
    assert not suppresses("casino", notes) and suppresses("casino", notes, words=words)
    assert not suppresses("class", notes, words=words)


def test_the_summary_is_matched(tmp_path):
    script = replace(write_script(brief_of("One.")), summary="A casino for you.")
    assert sensitivity.any_matches(
        [{"phrase": "casino", "is_pattern": 0}], script_screening.extract_texts(script)
    )


@pytest.mark.parametrize(
    ("phrase", "tags"), [("loans cheap", ()), ("expensive", ("loans", "cheap"))]
)
def test_hashtags_that_side_by_side_match_a_rule_are_left_out(tmp_path, monkeypatch, phrase, tags):
    rules = [{"id": "r", "phrase": phrase, "is_pattern": 0}]
    monkeypatch.setattr(
        "svc.domain.lifecycle.gates.find_rules_of_production", lambda production_id: rules
    )
    save(
        replace(write_script(brief_of("One.")), hashtags=("loans", "cheap")),
        tmp_path / "script.json",
    )
    assert script_screening.screen_outcome("p", tmp_path, Completed()) == Completed()
    assert load(Script, tmp_path / "script.json").hashtags == tags
