"""What a sentence denies is not shown as if it were so."""

from dataclasses import replace

import pytest

from svc.media.model import Scene
from svc.media.pictures import clauses, meaning
from svc.media.script.from_brief import write_script
from svc.media.slides import framings

pytestmark = pytest.mark.both_encoders

SAID = "Take the pills with water. Never take more than 8 in 24 hours. Rest then."
WORDS = tuple(SAID.split())
PILLS = Scene("prose", "Pain", (), WORDS, WORDS, "", (4, 12, 14), key_phrase="Rest then")
PILLS = replace(PILLS, illustration="pill", companions=("drop-of-blood",), pictured=(0, 5))


def test_no_picture_and_no_figure_stands_without_the_words_that_deny_it():
    """ "Never more than 8 tablets in 24 hours" was "24 hours" beside a pill."""
    kinds = {framing.first: framing.kind for framing in framings.list_framings(PILLS)}
    denied = framings.list_framings(replace(PILLS, denials=(5,)))
    said = {framing.first: framing for framing in denied}
    assert kinds[5] in (framings.PICTURES, framings.FIGURE)
    assert (said[5].kind, said[5].text) == (framings.TYPE, "Never take more than 8 in 24 hours.")


@pytest.mark.parametrize(
    ("language", "notes", "denials"),
    [
        ("en", "Avoid aspirin.", (0,)),
        ("de", "Hunde sind nicht erwünscht.", (2,)),
        ("en", "Take aspirin.", ()),
    ],
)
def test_a_scene_knows_its_denials(make_brief, language, notes, denials):
    brief = make_brief(title="A", topic="A", language=language, metadata_md=notes)
    assert write_script(brief).scenes[1].denials == denials


def test_other_looks_show_no_picture_that_has_nothing_to_do_with_their_phrase():
    """ "Do not wear gloves" stood beside the glasses that are to be worn."""
    assert framings.find_picture_of_phrase(PILLS) == "pill"
    assert framings.find_picture_of_phrase(replace(PILLS, apart=("pill",))) == ""


def test_a_sentence_that_denies_is_shown_without_the_pictures_of_others():
    """ "Do not wear gloves" was shown beside the glasses that are to be worn."""
    said = ["Wear safety glasses.", "Do not wear gloves, rings or ties."]
    assert clauses.find_apart(("goggles",), said, "Do not wear gloves", "", "en") == ("goggles",)
    said[1] = "Wear them also when you clean it."
    assert clauses.find_apart(("goggles",), said, "Wear them also", "", "en") == ()


@pytest.mark.parametrize(
    ("text", "is_denied"),
    [
        ("Haustiere: Katzen ja, Hunde nicht erwünscht.", True),
        ("Haustiere: Hunde sind willkommen.", False),
        ("Hunde sind willkommen, nur dürfen Hunde nicht in den Garten.", False),
    ],
)
def test_a_picture_whose_own_name_is_denied_is_not_chosen(text, is_denied):
    """The pets of an advertisement were a dog, which is not welcome."""
    said = meaning.Said((text,), "", "Wohnung in Leipzig", "de")
    whys = {row.picture: row.why for row in meaning.rank_for_scenes([said], 24)[0][0]}
    assert (whys["dog"] == "negated") is is_denied
