"""Reading transcripts for the page."""

import pytest

from svc.base.text.timecodes import format_position
from svc.public.transcript import Passage, parse_transcript
from tests.support.published import SPOKEN


def test_times_headings_prose_and_points_are_told_apart():
    found = parse_transcript(SPOKEN, "How to make tea")
    assert found.speaker == "Ada"
    assert found.passages == [
        Passage(0, "How to make tea", [], []),
        Passage(
            1,
            "Tea rests on three things",
            ["None may be left out."],
            ["The leaf", "The water", "The time"],
        ),
    ]


def test_several_speakers_keep_their_names():
    found = parse_transcript("[00:00:00] One\nAda: Yes.\n\n[00:00:05]\nBob: No.", "T")
    assert found.speaker == ""
    assert [each.prose for each in found.passages] == [["Ada: Yes."], ["Bob: No."]]


@pytest.mark.parametrize("text", ["", "\n\n \n", "\r\n"])
def test_nothing_gives_nothing(text):
    assert parse_transcript(text, "T").passages == []


def test_any_other_text_is_prose():
    found = parse_transcript("Once upon a time.\n\n[later] The end: now.", "T")
    assert [each.prose for each in found.passages] == [
        ["Once upon a time."],
        ["[later] The end: now."],
    ]


def test_a_summary_is_cut_at_a_word():
    assert parse_transcript("One two three four.", "T").summarise(12) == "One two…"
    assert parse_transcript("[00:00:00] H\n• One\n• Two", "T").summarise(40) == "One; Two"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (65.4, "1:05"), (3605, "1:00:05"), (59.6, "0:59")]
)
def test_clocks(seconds, text):
    assert format_position(seconds) == text
