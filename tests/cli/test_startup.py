"""What is imported by which command, so that ``--help`` does not cost what serving costs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from support.sampling import sampled

from app import create_app
from svc.base.version import VERSION
from svc.cli import commands

ROOT = Path(__file__).parents[2]
SERVING = {"flask", "flask_smorest", "marshmallow", "gunicorn", "apscheduler", "svc.application"}
IMPORTED = f"""
import json, sys
sys.path.insert(0, {str(ROOT)!r})
import app
try:
    app.main()
except SystemExit as ended:
    status = ended.code
else:
    status = 0
print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)
"""


def imported(*words: str) -> set[str]:
    """The modules that a command imports."""
    done = subprocess.run([sys.executable, "-c", IMPORTED, *words], capture_output=True, text=True)
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert not status, done.stderr
    return set(modules)


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("serve", "--version")[1:]])
def test_help_and_version_import_no_command_and_no_library_but_click(words):
    modules = imported(*words)
    ours = {name for name in modules if name.startswith("svc.")}
    assert ours == {
        "svc.base",
        "svc.base.processes",
        "svc.base.processes.entry_points",
        "svc.base.data_dir",
        "svc.base.outage",
        "svc.base.systemd_journal",
        "svc.base.errors",
        "svc.base.version",
        "svc.cli",
        "svc.cli.commands",
        "svc.cli.output",
        "svc.cli.run",
    }
    assert not modules & (SERVING | {"rich", "requests", "peewee", "sqlite3", "yaml", "asyncio"})


@pytest.mark.parametrize("words", [("config",), ("deploy", "caddy"), ("completion", "bash")])
def test_a_command_without_a_database_imports_none(words):
    assert not imported(*words) & (SERVING | {"peewee", "requests"})


@pytest.mark.parametrize(
    "words", sampled([[name, "--help"] for name in ("backup", "production", "doctor", "seed")], 6)
)
def test_a_command_that_does_not_serve_imports_no_framework(words):
    assert not imported(*words) & {
        "flask",
        "flask_smorest",
        "marshmallow",
        "gunicorn",
        "svc.application",
    }


def test_the_list_of_commands_says_what_each_says_of_itself():
    said = {name: text for name, (_, text) in commands._COMMANDS.items()}
    assert said == {
        name: each.get_short_help_str(1000) for name, each in commands.main.commands.items()
    }
    assert list(said) == sorted(said)


def test_every_command_is_found_under_its_own_name():
    assert all(name == each.name for name, each in commands.main.commands.items())
    assert isinstance(commands.main.get_command(click.Context(commands.main), "nope"), type(None))


def test_the_version_stands_in_one_place():
    done = subprocess.run(
        [sys.executable, "app.py", "--version"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, f"Partner Production API {VERSION}\n")


def test_the_application_is_imported_from_app_as_ever():
    assert create_app.__module__ == "svc.application"


@pytest.mark.slow
def test_serving_imports_nothing_that_only_backups_need():
    program = "import sys, svc.application; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & {
        "obstore",
        "pyrage",
        "svc.work.backup.repository",
        "rich",
        "requests",
    }


@pytest.mark.slow
def test_a_unit_of_an_earlier_release_still_names_a_configuration(tmp_path):
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--print-config",
        "--config",
        "python:svc.cli.serving",
        "wsgi:app",
    ]
    environment = {**os.environ, "SVC_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^worker_class += svc\.serving\.worker\.Worker$", done.stdout, re.MULTILINE)
