"""The two tiers of continuous integration, not those of rates: each test that a list of .ci/run
names exists, and .ci/full leaves no slow test out.
"""

import ast
import functools
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import EXPENSIVE

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"


@functools.cache
def list_functions(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("listed", ["gate.txt", "postgres.txt"])
def test_each_test_of_a_list_of_the_gate_exists(listed):
    text = (ROOT / ".ci" / listed).read_text("utf-8")
    missing = []
    for name in (named := re.findall(r"^(tests/\S+)$", text, re.MULTILINE)):
        path, _, function = name.partition("[")[0].partition("::")
        if not (ROOT / path).exists() or (function and function not in list_functions(path)):
            missing.append(name)
    assert named and not missing


def test_each_folder_with_expensive_tests_is_a_group_of_the_full_tier():
    listed = subprocess.run(
        [ROOT / ".ci" / "full", "--list"], capture_output=True, text=True, check=True
    ).stdout.split()
    marker = re.compile(rf"pytest\.mark\.(?:{'|'.join(EXPENSIVE)})\b")
    files = [
        path.relative_to(TESTS)
        for path in TESTS.rglob("test_*.py")
        if marker.search(path.read_text("utf-8"))
    ]
    folders = {path.parts[0] if len(path.parts) > 1 else "whole" for path in files}
    assert folders and folders <= set(listed)


def test_an_unknown_group_of_the_full_tier_is_refused_with_the_names_of_all():
    refused = subprocess.run([ROOT / ".ci" / "full", "everything"], capture_output=True, text=True)
    assert (
        refused.returncode == 2
        and "there is no group everything; the groups: demo lint" in refused.stderr
    )
