"""Which cases of a large table of tests the default suite runs; `.ci/full` runs all of them."""

from collections.abc import Iterable
from typing import Any

import pytest

# its multiples fall evenly between 0 and 1, and in step with no period of a table
_GOLDEN = 0.6180339887498949


def sampled(cases: Iterable[Any], one_in: int) -> list[Any]:
    """Return `cases` for `pytest.mark.parametrize`, of which all but one in `one_in` are marked as
    slow.

    A case that is a tuple has a value for each name. The same ones are chosen each time, spread
    over the whole table.
    """
    return [
        case if (number * _GOLDEN) % 1 < 1 / one_in else _slow(case)
        for number, case in enumerate(cases)
    ]


def _slow(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.slow), id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
