"""The README shows a newcomer the service at work: what it is, a picture, two commands,
a first call.
"""

import re

import pytest

from tests.support.documents import ROOT, read, shell

README = read("README.md")


def test_two_commands_do_all_the_set_up():
    whole = [line for line in shell("README.md").splitlines() if line.startswith("python3 -m venv")]
    set_up = "python3 -m venv .venv && .venv/bin/pip install -r {} && .venv/bin/python "
    assert whole == [
        set_up.format("requirements.txt") + "app.py demo",
        set_up.format("requirements-test.txt") + "-m pytest",
    ]


def test_it_shows_a_picture_then_runs_the_demo_and_then_makes_a_call():
    assert README.index("![") < README.index("app.py demo") < README.index("curl ")


def test_it_leads_to_every_document():
    missing = [
        path.name for path in (ROOT / "docs").glob("*.md") if f"docs/{path.name}" not in README
    ]
    assert missing == []


@pytest.mark.parametrize("tier", ["run", "full"])
def test_the_continuous_integration_takes_its_commands_from_here(tier):
    common, script = ((ROOT / ".ci" / name).read_text("utf-8") for name in ("common.sh", tier))
    assert "grep '^python3 -m venv' README.md" in common
    assert {"readme_command 1 --once", "readme_command 2"} <= set(
        re.findall(r"readme_command \d(?: --once)?", script)
    )
