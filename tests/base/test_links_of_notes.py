"""Which link of the notes the end card shows: one with a label, or that of the last paragraph,
and never a badge.
"""

import pytest
from support.tables import each_of

from svc.base.text import links

A, B = "https://a.example/a", "https://b.example/b"


@each_of(
    ("notes", "address"),
    [
        (f"Text.\n\n[Book a table]({A})", A),
        (f"[Book a table]({A})\n\nSee [the licence]({B}) for more.", A),
        (f"Web: {A}\n\nSee [the licence]({B}) for more.", A),
        (f"- **Web:** {A}\n- Mail: a@b.example", A),
        (f"- Register: [here]({A})\n\nThat is all.", A),
        (f"Anna, Press  \n🌐 Web: {A}\n\nThat is all.", A),
        (f"[One]({A})\n\n[Two]({B})", B),
        (f"Read [this]({A}) or [that]({B}).", B),
        (f"Read [this]({A}).\n\nThe end.", ""),
        (f"Read {A}.", A),
        (f"[![Build](https://img.example/x.svg)]({A})", ""),
        (f"[![Build](https://img.example/x.svg)]({A})\n\nRead [this]({B}).", B),
        (f"Hello.\n\n[![Build](https://img.example/x.svg)]({A}) [![x](y.svg)]({A})", ""),
        (f"## [1.2.0] - 2026-01-05\n\n- Added\n\n[1.2.0]: {A}", ""),
        (f"Text[^1].\n\n[^1]: See {A}", ""),
        (f"- [One]({A})\n- [Two]({B})", B),
        (f"| a |\n|-|\n| {A} |", A),
        (f"| a |\n|-|\n| {A} |\n\nThe end.", ""),
        (f"Call to the sea, which is so far away from all of us: {A}\n\nThe end.", ""),
        (f"From {A} to: {B}\n\nThe end.", ""),
        (f"~~Web: {A}~~\n\nRead [this]({B}).", B),
        (f"Web: http://a.example\n\nRead [this]({B}).", B),
        (f"<p>{A}</p>", A),
        (f"Scan the code.\n\n<{A}>\n\nWe are 60.", A),
        (f"Scan the code.\n\n<{A}>\n\nRead [this]({B}).", B),
        ("", ""),
    ],
)
def test_the_link_of_the_end_card_is_labelled_or_of_the_last_paragraph(notes, address):
    assert links.find_last(notes).address == address


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("www.example.org", "https://www.example.org"),
        (A, A),
        ("http://a.example", ""),
        ("example.org", ""),
        ("https://x", ""),
    ],
)
def test_an_address_is_completed_only_where_that_is_safe(written, address):
    assert links.add_scheme(written) == address
