"""The two tiers of continuous integration, not those of rates: each test that .ci/gate.txt names
exists, and .ci/full leaves no slow test out.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import EXPENSIVE

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
NAMED = re.findall(r"^(tests/\S+)$", (ROOT / ".ci" / "gate.txt").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", NAMED)
def test_a_test_of_the_gate_exists(name):
    path, _, function = name.partition("[")[0].partition("::")
    assert (ROOT / path).is_file()
    names = {
        node.name
        for node in ast.parse((ROOT / path).read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert not function or function in names


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
