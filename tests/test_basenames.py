"""Test files have names of their own, so that pytest can collect all folders in one run."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parent


def test_no_two_test_files_outside_packages_have_the_same_name():
    files = [
        path for path in TESTS.rglob("test_*.py") if not (path.parent / "__init__.py").exists()
    ]
    names = Counter(path.name for path in files)
    assert [str(path.relative_to(TESTS)) for path in files if names[path.name] > 1] == []
