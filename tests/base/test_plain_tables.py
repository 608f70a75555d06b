"""Tables that are drawn with signs."""

import re

import pytest
from support.sampling import sampled

from svc.base.text.markdown import build_brief_reader
from svc.base.text.plain_tables import as_markdown

GRID = """\
+-------+---------+
| Tea   | Price   |
+=======+=========+
| Green | 3 euros |
|       | a cup   |
+-------+---------+
| ``a|b`` | 4     |
+-------+---------+
"""
SIMPLE = """\
=====  =======
Tea    Price
=====  =======
Green  3 euros
       a cup
Black  4
=====  =======
"""
HEAD = "| Tea | Price |\n|---|---|\n"
READ = [
    (
        GRID.replace("| ``a|b`` | 4     |\n+-------+---------+\n", ""),
        HEAD + "| Green | 3 euros a cup |",
    ),
    # A text that was cut.
    (GRID[:60] + "+=======+=========+\n| Green | 3       |\n+----", HEAD + "| Green | 3 |"),
    (SIMPLE, HEAD + "| Green | 3 euros a cup |\n| Black | 4 |"),
    ("==  ==\n1   2\n3   4\n==  ==", "|  |  |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
    ("+--------+\n| Careful |\n| here    |\n+--------+", "Careful here"),
    (
        "+---+---+\n| + | - |\n+---+---+\n| - | b |\n+---+---+",
        "|  |  |\n|---|---|\n| + | - |\n| - | b |",
    ),
    ("+---+------+\n| a | Text |\n+---+------+", "a\n\nText"),
    (
        "+---+---+\n| a | b |\n+---+---+\n| c     |\n+---+---+",
        "|  |  |\n|---|---|\n| a | b |\n| c |  |",
    ),
]
WIDE = "+" + "-+" * 90
KEPT = [
    "+" + "-+" * 200 + "\n|a\n+" + "-+" * 200,
    "```\n" + GRID + "```",
    "+---+     +---+\n| a | --> | b |\n+---+     +---+",
    "=== ===\nnothing ends it",
    "+--+",
    "A title\n== ====\n",
]


@pytest.mark.parametrize(("text", "markdown"), READ)
def test_drawn_tables_become_tables_of_markdown(text, markdown):
    read = as_markdown(f"Before.\n\n{text}\n\nAfter.")
    assert re.sub(r"\n{2,}", "\n\n", read) == f"Before.\n\n{markdown}\n\nAfter."


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_table_stays_as_it_is(text):
    assert as_markdown(text) == text


def test_a_small_text_makes_no_large_table():
    text = WIDE + f"\n|a\n{WIDE[:2]}-+" * 500
    assert len(as_markdown(f"{WIDE}{text}")) < 2 * len(text)
    assert len(as_markdown(WIDE + ("\n|a\n" + WIDE[:3]) * 500)) < 10_000


def test_briefs_have_the_tables():
    tokens = build_brief_reader().parse(f"Teas:\n\n{GRID}\nDone.\n\n{SIMPLE}")
    kinds = [token.type for token in tokens]
    assert kinds.count("table_open") == 2 and kinds.count("tr_open") == 6


@pytest.mark.parametrize(
    "piece",
    sampled(["+-+-+\n", "+-+-+\n| a | b |\n", "== ==\n", "== ==\na b\n", "=== ==\n== ==\n"], 2),
)
def test_long_texts_are_read_at_once(piece):
    assert isinstance(as_markdown(piece * (90_000 // len(piece))), str)
