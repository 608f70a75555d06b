"""The lines of the console's form say the same as the entries of the API."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from svc.base.errors import InvalidRequest
from svc.domain.partners.lexicon import Entry, as_lines, check, from_lines

# Equals signs, white space that ends a line, and what Unicode's normal form joins with the
# character before it.
TRICKY = st.sampled_from(
    [
        "=",
        " ",
        " = ",
        "a",
        "b c",
        "\n",
        "\t",
        "\x85",
        "\u2028",
        "\xa0",
        "\u0338",
        "\u0301",
        "≠",
        "=",
    ]
)
PARTS = st.lists(TRICKY | st.characters(exclude_categories=["Cs"]), max_size=8).map("".join)
ENTRIES = st.builds(
    Entry, PARTS.map(lambda text: f"{text}a"), st.tuples(PARTS, PARTS).map("a a a".join)
) | st.builds(Entry, PARTS, PARTS)


@pytest.mark.parametrize(
    ("line", "written", "spoken"),
    [
        ("SQL = sequel", "SQL", "sequel"),
        ("SQL=sequel", "SQL", "sequel"),
        ("a=b = c", "a=b", "c"),
        ("a = b = c", "a = b", "c"),
        ("E = = energy", "E =", "energy"),
        ("a = b=c", "a", "b=c"),
        ("a=b=c", "a", "b=c"),
        ("\ta=b\t=\xa0c ", "a=b", "c"),
    ],
)
def test_a_line_is_divided_at_its_last_equals_sign_between_spaces_or_at_its_first(
    line, written, spoken
):
    assert from_lines(line) == [Entry(written, spoken)]


@settings(deadline=None)
@given(st.lists(ENTRIES, max_size=4))
@example([Entry("a=b", "c"), Entry("d", "e=f"), Entry("g =", "= h")])
@example([Entry("a", "b ="), Entry("= c", "d =e")])
def test_every_lexicon_that_is_accepted_is_the_same_after_the_form(listed):
    accepted = {entry.written: entry for each in listed for entry in accept(each)}
    assert check(from_lines(as_lines(list(accepted.values())))) == list(accepted.values())


@settings(deadline=None)
@given(PARTS, PARTS)
@example("", "b")
def test_an_equals_sign_is_refused_only_where_the_form_would_divide_the_line_there(before, after):
    given_one = Entry("a", " ".join(f"b {before} = {after}".split()))
    try:
        [accepted] = check([given_one])
    except InvalidRequest as refused:
        if "equals sign that stands alone" in refused.message:
            assert from_lines(as_lines([given_one])) != [given_one]
    else:
        assert from_lines(as_lines([accepted])) == [accepted]


@pytest.mark.parametrize("spoken", ["b = c", "= c", "a= = c"])
def test_a_refused_equals_sign_says_why(spoken):
    with pytest.raises(
        InvalidRequest,
        match="Entry 1: spoken has an equals sign that stands alone .* would divide there",
    ):
        check([Entry("a", spoken)])


def accept(entry: Entry) -> list[Entry]:
    try:
        return check([entry])
    except InvalidRequest:
        return []
