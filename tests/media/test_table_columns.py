"""What the columns of a table are to one another: tables, charts and comparisons by their kind."""

import pytest
from support.tables import each_of

from svc.media.script import visuals
from svc.media.script.blocks import Block
from svc.media.script.table_columns import are_of_one_kind


@pytest.fixture
def parts(make_brief):
    """The spoken parts of a table, of rows with their cells between bars."""

    def make(*rows: str, language: str = "en"):
        cells = tuple(tuple(cell.strip() for cell in row.split("|")) for row in rows)
        return visuals.make_visual_parts(
            Block("table", "", rows=cells), make_brief(language=language)
        )

    return make


@each_of(
    ("rows", "kind"),
    [
        (("Team|Played|Points", "Ham|12|28", "Wye|12|27"), "table"),
        (("Team|Played|Won|Points", "Ham|12|9|28", "Wye|12|8|27"), "table"),
        (("Year|Farmers|Varieties", "2018|12|14", "2021|140|31", "2024|260|47"), "table"),
        (("Class|Boys|Girls", "1a|12|14", "1b|9|16"), "bars"),
        (("Shop|2025|2026", "Ham|12|14", "Wye|9|16"), "bars"),
        (("Shop|Group A|Group B", "Ham|12|14", "Wye|9|16"), "bars"),
        (("Port|Import (t)|Export (t)", "Ham|12|14", "Wye|9|16"), "bars"),
        (("Hotel|Rooms sold|Rooms free", "Ham|12|14", "Wye|9|16"), "bars"),
        (("Effect|Drug|Dummy", "Headache|12 %|9 %", "Nausea|7 %|3 %"), "bars"),
        (("Team|Points", "Ham|28", "Wye|27"), "bars"),
    ],
)
def test_only_columns_of_one_kind_are_bars_on_one_scale(parts, rows, kind):
    """A league's matches, goals and points were bars beside one another."""
    assert {part.sight.kind for part in parts(*rows)} == {kind}


@pytest.mark.parametrize(
    ("headings", "language", "are_alike"),
    [
        (("Männer", "Frauen"), "de", True),
        (("Spiele", "Punkte"), "de", False),
        (("المزارعون", "الأصناف"), "ar", False),
        (("Plan A", "Plan B"), "xx", True),
        (("Drums", "Cows"), "xx", False),
    ],
)
def test_columns_of_bare_numbers_are_of_one_kind_by_what_they_are_called(
    headings, language, are_alike
):
    assert are_of_one_kind(headings, language) is are_alike


@each_of(
    ("rows", "kind"),
    [
        (("Tea|Coffee", "calm|awake", "leaf|bean"), "comparison"),
        (("Task|Date", "Nomination|18 January 2027", "Election|14 February 2027"), "table"),
        (
            ("Before|After", "3 of 5 late|1 of 5 late", "2 queues, 9 desks|1 queue, 4 desks"),
            "comparison",
        ),
        (
            ("Benefit|Detail", "Pay|by your years with us, each month", "Car|not for private use"),
            "table",
        ),
    ],
)
def test_what_names_the_other_column_is_no_side_of_a_comparison(parts, rows, kind):
    assert {part.sight.kind for part in parts(*rows)} == {kind}


def test_each_part_of_a_wide_table_names_its_rows(parts):
    """The second half of a league table had ranks and no clubs."""
    shown = parts("#|Club|P|W|D|L|Pts", "1|Ham FC|9|7|1|1|22", "2|Wye Utd|9|6|2|1|20")
    assert [part.sight.columns for part in shown[::2]] == [
        ("#", "Club", "P", "W"),
        ("Club", "D", "L", "Pts"),
    ]
    shown = parts("Q|Answer|B|C|D|E", "4|yes|x|y|z|w", "7|no|x|y|z|w")
    assert {part.sight.columns[0] for part in shown} == {"Q"}


@pytest.mark.parametrize(
    ("language", "heading", "cells", "spoken"),
    [
        ("de", "Tore", ("31:12", "20:17"), "Tore zwanzig zu siebzehn"),
        ("en", "Goals", ("31:12", "20:17"), "Goals twenty to seventeen"),
        ("de", "Ab", ("19:12", "20:17"), "zwanzig Uhr siebzehn"),
    ],
)
def test_a_column_of_scores_has_no_times_of_day(parts, language, heading, cells, spoken):
    shown = parts(f"Klub|x|{heading}", f"Ham|a|{cells[0]}", f"Wye|b|{cells[1]}", language=language)
    said = " ".join(token.spoken for token in shown[-1].tokens).rstrip(".")
    assert said == f"Wye, b, {spoken}"


def test_no_sentence_ends_after_the_short_name_of_a_column(parts):
    """The voice stopped within "Pkt. 28"."""
    (first, _) = parts("Klub|Art|Pkt.", "Ham|FC|28", "Wye|SV|x", language="de")
    assert [token.spoken for token in first.tokens][2:] == ["Pkt", "achtundzwanzig."]
    assert [token.ends for token in first.tokens] == [False, False, False, True]


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("zh", "Gratis 没有、 Pro 有、"),
        ("ja", "Gratis なし、 Pro あり、"),
        ("de", "Gratis nein, Pro ja."),
    ],
)
def test_a_cross_is_said_where_text_is_spoken_as_it_is_written(parts, language, spoken):
    """What a plan has not was said as if it had it."""
    (row,) = parts("Plan|Gratis|Pro", "API|✗|✓", language=language)
    assert " ".join(token.spoken for token in row.tokens[1:]) == spoken
