"""A table of cases as one test: every case runs, and each that fails is named."""

import inspect

import pytest
from support.tables import each_of


def test_every_case_runs_and_each_that_fails_is_reported_with_its_values():
    ran = []

    @each_of(("left", "right"), [(1, 1), (1, 2), (2, 2), (2, 3)])
    def is_equal(left, right):
        ran.append((left, right))
        assert left == right

    with pytest.raises(ExceptionGroup, match="2 of 4 cases failed") as failed:
        is_equal()
    assert ran == [(1, 1), (1, 2), (2, 2), (2, 3)]
    notes = [note for each in failed.value.exceptions for note in each.__notes__]
    assert notes == [
        f"This is the case {{'left': {left}, 'right': {left + 1}}}." for left in (1, 2)
    ]


def test_a_refusal_that_does_not_come_fails_its_case():
    @each_of("text", ["1", "x"])
    def is_refused(text):
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases failed"):
        is_refused()


def test_tables_multiply_and_fixtures_are_handed_on():
    ran = []

    @each_of("second", "xy")
    @each_of("first", "ab")
    def together(tmp_path, first, second):
        ran.append((tmp_path, first, second))

    assert list(inspect.signature(together).parameters) == ["tmp_path"]
    together(tmp_path="there")
    assert ran == [("there", first, second) for second in "xy" for first in "ab"]


def test_an_empty_table_is_refused():
    with pytest.raises(ValueError, match="tests nothing"):
        each_of("text", ())
