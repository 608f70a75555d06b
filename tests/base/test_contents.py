"""Tables of contents, and links whose address is defined nowhere."""

import pytest

from svc.base.text.markdown import build_brief_reader

LIST = "- [Tea](#tea)\n  - [Hot](#hot)\n- [`Milk`](#milk)\n"


def texts(notes):
    tokens = build_brief_reader().parse(notes)
    lines = [token.children for token in tokens if token.type == "inline"]
    return ["".join(each.content for each in line if each.type != "image") for line in lines]


@pytest.mark.parametrize(
    ("notes", "left"),
    [
        (f"# A\n\n## Contents\n\n{LIST}\n## Tea\n\nHot.", ["A", "Tea", "Hot."]),
        (f"Hot.\n\n{LIST}", ["Hot."]),
        (f"## Tea\n\n{LIST}\nHot.", ["Tea", "Hot."]),
        (f"## Tea\n\n{LIST}\n### Hot\n\nHot.", ["Tea", "Hot", "Hot."]),
        (
            f"Hi.\n\n# Contents\n<!--ts-->\n\n{LIST}\n<!--te-->\n\n# Tea\n\nHot.",
            ["Hi.", "Tea", "Hot."],
        ),
        ("Hi.\n\n[TOC]\n\n[[_TOC_]]\n\n* TOC\n{:toc}\n\n## Tea", ["Hi.", "Tea"]),
        ("[A](#a) | [B](#b) · [**C**](#c)\n\nHot.\n\n([back to top](#readme-top))", ["Hot."]),
        ("1. [Tea](#tea)\n2. [Milk](#milk)\n\nHot.", ["Hot."]),
    ],
)
def test_a_list_of_links_into_the_text_is_left_out(notes, left):
    assert texts(notes) == left


@pytest.mark.parametrize(
    "notes",
    [
        "- [Tea](#tea): hot\n- [Milk](#milk): cold\n\nText.",
        "- [Tea](https://a.example)\n- [Milk](#milk)\n\nText.",
        "- [Tea](#tea)\n\nText.",
        "[Tea](#tea)\n\nText.",
        "[Tea](#tea) and [milk](#milk) or [both](#both)\n\nText.",
        "[Tea](#tea) [Milk](#milk) [![Pot](pot.png)](#pot)\n\nText.",
        "> - [Tea](#tea)\n> - [Milk](#milk)\n\nText.",
        "- [Tea](#tea)\n- Milk\n\nText.",
    ],
)
def test_other_lists_stay(notes):
    assert "Tea" in " ".join(texts(notes))


def test_notes_of_nothing_else_stay():
    assert "Tea" in texts("# Contents\n\n1. [Tea](#tea)\n2. [Milk](#milk)")


@pytest.mark.parametrize(
    ("notes", "read"),
    [
        ("See [the *docs*][docs] now.", ["See the docs now."]),
        ("[![Build][badge]][link] [![B](https://a.example/b.svg)][link]\n\nTea.", [" ", "Tea."]),
        ("![Pot][pot]Tea.", ["Tea."]),
        (
            "It is grid[row][column], f()[a][b] or [x].",
            ["It is grid[row][column], f()[a][b] or [x]."],
        ),
        ("`[a][b]` and \\[a][b]", ["[a][b] and [a][b]"]),
        ("[a][b]\n\n[b]: https://a.example", ["a"]),
        ("So it is.[1][2] And [this][^1] or [a][].", ["So it is.[1][2] And [this][^1] or [a][]."]),
    ],
)
def test_a_reference_without_an_address_is_its_text(notes, read):
    assert texts(notes) == read


@pytest.mark.parametrize(
    "piece", ["[a", "[a][", "[![a][b]", "![", "[TOC]\n\n", "<!-- -->\n\n[TOC]\n\n"]
)
def test_long_texts_are_read_at_once(piece):
    assert build_brief_reader().parse(piece * (4096 // len(piece)))
