"""What a trigger warns of: pictures that are not there, notes that are missing, content that is simplified."""

import pytest

from svc.domain import brief_warnings
from svc.domain.brief_warnings import CONTENT_SIMPLIFIED, NOTES_EMPTY, PICTURE_NOT_FOUND
from svc.domain.productions.briefs import Brief


@pytest.fixture
def codes(monkeypatch):
    """Return the codes of the warnings about notes, for an account with one picture; and count the looks at its pictures."""
    looks = []

    def pictures(account_id):
        looks.append(account_id)
        return [{"name": "boat.png"}]

    monkeypatch.setattr(brief_warnings.assets, "for_account", pictures)

    def of(notes, has_model=False):
        brief = Brief("Tea", "", "", "", metadata_md=notes)
        return [warning.code for warning in brief_warnings.of(brief, "account", has_model)]

    of.looks = looks
    return of


@pytest.mark.parametrize("notes", [None, "", " \n", "---\nsandbox:\n  failAt: video\n---\n"])
def test_a_topic_alone_is_warned_of_unless_a_model_writes_the_script(codes, notes):
    assert codes(notes) == [NOTES_EMPTY] and codes(notes, has_model=True) == []


def test_a_picture_that_the_account_has_not_is_warned_of_by_its_name(codes):
    assert codes("![a](boat.png) ![b](asset:boat.png)") == []
    assert codes("![a](none.png) ![again](./none.png) ![c](https://a.example/x.png)") == [PICTURE_NOT_FOUND] * 2


def test_what_is_written_as_code_is_no_picture(codes):
    assert codes("Write `![a](none.png)`.\n\n```\n![a](none.png) <b> ~~x~~ $$y$$\n```") == []
    assert codes.looks == []


@pytest.mark.parametrize("notes", ["~~old~~ new", "<table><tr><td>x</td></tr></table>", "a <b>bold</b> word", "$$e = mc^2$$"])
def test_what_is_simplified_is_warned_of_once(codes, notes):
    assert codes(f"{notes}\n\n{notes}") == [CONTENT_SIMPLIFIED]


@pytest.mark.parametrize("notes", ["Plain.", "a < b and 5 > 3", "one<br>two", "- [x] done", "~5, ~10", "| a |\n|-|\n| b |"])
def test_ordinary_notes_are_not_warned_of(codes, notes):
    assert codes(notes) == []


def test_many_missing_pictures_give_a_bounded_list_of_short_sentences(codes):
    notes = " ".join(f"![x]({'n' * 300}{number})" for number in range(60))
    warnings = brief_warnings.of(Brief("Tea", "", "", "", metadata_md=notes), "account", False)
    assert len(warnings) <= 20 and max(len(warning.message) for warning in warnings) < 220
