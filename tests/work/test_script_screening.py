"""What of a finished script the sensitivity rules are matched with."""

import pytest

from svc.domain.partners import sensitivity
from svc.media.model import Presenter, Pronunciation, Rendition, Upload, VideoBrief
from svc.media.script.from_brief import write_script
from svc.media.text import lexicon
from svc.work import script_screening


def suppresses(phrase: str, notes: str, title: str = "Doors", words: tuple[Pronunciation, ...] = ()) -> bool:
    avatar = Presenter("Ada Gray")
    brief = VideoBrief(
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
    texts = script_screening.texts_of(lexicon.apply(write_script(brief), words))
    return sensitivity.matches([{"phrase": phrase, "is_pattern": 0}], texts)


LONG = f"The doors of this old house {'and of that house ' * 9} are painted by an unholy grail {'and then again ' * 9}."


@pytest.mark.parametrize(
    ("phrase", "notes"),
    [
        ("old house", LONG), ("unholy grail", LONG), ("eighteen", "There are 18."), ("5 km", "It is 5 km long."),
        ("Unholy", "## Unholy\n\nIt is."),
        ("red green", "| red | green |\n|---|---|\n| a | b |\n| c | d |"),
        ("a quoted word", "> A *quoted* word.\n> — Somebody"),
        ("somebody", "> A quoted word.\n> — Somebody"), ("first second", "- first\n- second"),
        ("a red door", "![A red door](y.png)"), ("red door", "See [this](https://example.com/red-door?x)."),
        ("дверь", "See [this](https://example.com/дверь)."),
        ("rm tea", "Type:\n\n```sh\nrm tea\n```"),
        ("red word", "| a | b |\n|---|---|\n| x | – |\n| red word | c |"),
    ],
)  # fmt: skip
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
