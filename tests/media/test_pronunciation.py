"""An account's pronunciations in the script and in speech; the captions keep what was written."""

import dataclasses

import pytest

from svc.media.model import Presenter, Pronunciation, Rendition, Script, VideoBrief, load
from svc.media.script import step
from svc.media.speech import narration
from svc.media.text import lexicon
from svc.media.text.tokens import tokens
from svc.media.voice import SpokenPassage

ENTRIES = (
    Pronunciation("SQL", "sequel"),
    Pronunciation("kestrel", "kess trel"),
    Pronunciation("New York City", "N Y C"),
    Pronunciation("C++", "see plus plus"),
    Pronunciation("Dr. Who", "doctor hoo"),
    Pronunciation("nginx", "engine [[x]] <b>"),
)


def said(text: str, *entries: Pronunciation, language: str = "en") -> str:
    result = tokens(text, language)
    words, spoken = [token.written for token in result], [token.spoken for token in result]
    parts = lexicon.spoken(words, spoken, entries or ENTRIES, language)
    assert len(parts) == len(words) and all(part.strip() for part in parts)
    return " ".join(parts)


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("We use SQL, and “SQL”.", "We use sequel, and sequel."),
        ("SQL is old.", "Sequel is old."),
        ("sql and MySQL stay", "Sql and MySQL stay."),
        ("Kestrel, KESTREL and kestrels", "Kess trel, kess trel and kestrels."),
        ("In New York City (New York City) now", "In N Y C N Y C now."),
        ("New York is not it", "New York is not it."),
        ("Write C++ now", "Write see plus plus now."),
        ("Ask Dr. Who! Or Dr. Smith.", "Ask doctor hoo! Or Dr Smith."),
        ("run nginx", "Run engine x b."),
    ],
)
def test_whole_words_are_spoken_as_the_lexicon_says(written, heard):
    assert said(written) == heard


def test_the_longest_entry_wins_and_the_exact_form_before_any_other():
    entries = (Pronunciation("us", "uss"), Pronunciation("US", "you ess"), Pronunciation("US Army", "the army"))
    assert said("The US Army, the US and us", *entries) == "The the army, the you ess and uss."


def test_an_entry_with_fewer_words_than_are_written_is_left_out():
    assert said("In New York now", Pronunciation("New York", "Enwai")) == "In New York now."


def test_an_entry_is_for_the_written_form_of_a_figure_too():
    assert said("Drink 7 Up and 5 km", Pronunciation("5 km", "five kay")) == "Drink seven Up and five kay."


def test_the_script_keeps_the_written_words(tmp_path):
    brief = VideoBrief(
        "p",
        "SQL",
        "SQL",
        "en",
        "US",
        "Learn SQL today.",
        Presenter("Ada"),
        (Rendition("landscape", 320, 180),),
        lexicon=ENTRIES,
    )
    step.write(brief, tmp_path, lambda fraction: None)
    script = load(Script, tmp_path / "script.json")
    scene = next(scene for scene in script.scenes if scene.layout == "prose")
    assert " ".join(scene.words) == "Learn SQL today." and " ".join(scene.spoken) == "Learn sequel today."
    step.write(dataclasses.replace(brief, lexicon=()), tmp_path, lambda fraction: None)
    assert "sequel" not in (tmp_path / "script.json").read_text()


def test_the_voice_takes_the_time_of_what_the_lexicon_says():
    def seconds(*words: str) -> float:
        ((samples, _),) = narration.speak([SpokenPassage(words)], "en", Presenter("Ada"))
        return len(samples)

    assert seconds("Learn", "sequel", "today.") < seconds("Learn", "SQL", "today.")
