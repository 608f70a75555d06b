"""Titles and texts of posts: templates, cut by the place's own counting."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from svc.base.connectors import Limits, find_unknown_placeholders
from svc.platforms import texts

DESCRIPTION = (
    "Tides\n\nThe sea rises.\n\n0:00 Start\n0:12 Middle\n1:02:03 End\n\nMade by software.\n\n"
    "#tides #sea"
)
VALUES = {
    "title": "Tides",
    "summary": "The sea rises.",
    "chapters": "",
    "transcript": "",
    "subject": "",
    "hashtags": "#sea",
    "disclosure": "Made by software.",
}
FAMILY = "👨‍👩‍👧‍👦"  # one character to a reader, seven code points, 25 bytes


def test_a_description_is_taken_apart():
    parts = texts.parse_description(DESCRIPTION)
    assert parts == texts.Description(
        "The sea rises.",
        "0:00 Start\n0:12 Middle\n1:02:03 End",
        "Made by software.",
        ("tides", "sea"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", texts.Description()),
        ("Tides", texts.Description()),
        ("Tides\n\nMade.", texts.Description(disclosure="Made.")),
        ("Tides\n\nRises.\n\nMade.", texts.Description("Rises.", "", "Made.")),
        ("Tides\n\nRises.\n\nMade.\n\n#a", texts.Description("Rises.", "", "Made.", ("a",))),
        ("Tides\n\n0:00 A\n\nMade.", texts.Description("", "0:00 A", "Made.")),
    ],
)
def test_parts_of_a_description_may_be_missing(text, expected):
    assert texts.parse_description(text) == expected


def test_an_empty_part_leaves_no_gap_and_a_value_is_no_template():
    values = {**VALUES, "summary": "Write {title} here."}
    assert (
        texts.fill_text("{summary}\n\n{chapters}\n\n{disclosure}", values, Limits())
        == "Write {title} here.\n\nMade by software."
    )


def test_the_text_always_tells_that_software_made_the_video():
    assert texts.fill_text("{title}", VALUES, Limits()) == "Tides\n\nMade by software."
    short = texts.fill_text(
        "{summary}", {**VALUES, "summary": "The sea rises and falls. " * 50}, Limits(text=60)
    )
    assert len(short) <= 60 and short.endswith("…\n\nMade by software.")
    assert texts.fill_text("{summary}", VALUES, Limits(text=10)) == "Made by s…"


@pytest.mark.parametrize(
    ("counted", "most", "expected"), [("graphemes", 3, 2), ("characters", 15, 2), ("bytes", 55, 2)]
)
def test_a_text_is_cut_by_the_counting_of_the_place_and_never_within_a_character(
    counted, most, expected
):
    limits = Limits(title=most, counted=counted)
    assert (
        texts.fill_title("{title}", {**VALUES, "title": FAMILY * 9}, limits)
        == FAMILY * expected + "…"
    )


def test_a_title_is_one_line():
    assert texts.fill_title("{title}", {**VALUES, "title": "A\n b\t c"}, Limits()) == "A b c"


@given(
    st.text(max_size=60), st.sampled_from(["characters", "graphemes", "bytes"]), st.integers(4, 40)
)
def test_no_text_is_longer_than_the_place_takes(text, counted, most):
    limits = Limits(text=most, counted=counted)
    cut = texts.cut(text, most, limits)
    measure = {
        "characters": len,
        "bytes": lambda it: len(it.encode()),
        "graphemes": lambda it: len(regex.findall(r"\X", it)),
    }
    assert measure[counted](cut) <= most
    assert cut == text or cut.endswith("…")


def test_unknown_placeholders_are_named():
    assert find_unknown_placeholders("{title} {nothing} {}") == ["{nothing}", "{}"]
