"""A large table of small cases as one test: pytest takes 3 ms for each test, in the process that
runs it and in the one that reports it, which is more than such a case takes.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each_of(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable:
    """Run a test with every one of `cases`, and report all that fail, each with its values.

    The arguments are those of `pytest.mark.parametrize`. The cases share their fixtures, hence this
    is for tests that change nothing.
    """
    if isinstance(names, str):
        names = tuple(name.strip() for name in names.split(","))
    rows = [case if len(names) > 1 else (case,) for case in cases]
    if not rows:
        raise ValueError("a table without a case tests nothing")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def test_each(**fixtures: Any) -> None:
            failures = []
            for row in rows:
                values = dict(zip(names, row, strict=True))
                try:
                    test(**values, **fixtures)
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note(f"This is the case {values}.")
                    failures.append(failure)
            if failures:
                number = f"{len(failures)} of {len(rows)} cases failed"
                raise BaseExceptionGroup(number, failures)

        signature = inspect.signature(test)
        others = [each for name, each in signature.parameters.items() if name not in names]
        test_each.__signature__ = signature.replace(parameters=others)
        return test_each

    return decorate
