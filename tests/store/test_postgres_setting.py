"""The setting that chooses PostgreSQL: what is refused, with which sentence,
and what is never shown.
"""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.sampling import sampled

from svc.base import settings
from svc.base.errors import SettingsError, StartRefused
from svc.store import database, postgres
from tests.support.documents import ROOT

ADDRESS = "postgresql://service:hunter22@127.0.0.1:1/nowhere"
TEXTS = [
    "mysql://u:hunter22@h/x",
    "postgresql://u:hunter22@h",
    "postgresql:hunter22",
    "hunter22",
    "postgresql://u:hunter22@h/a b",
]
TEXTS += [
    "postgresql://u:hunter22%zz@h/x",
    "postgresql://u:hunter22/3@h/x",
    "postgresql://u:hunter22@3@h/x",
]


def run(
    tmp_path: Path, *arguments: str, address: str = ADDRESS, before: str = "pass"
) -> subprocess.CompletedProcess:
    """Run a command in a process of its own, on a data directory that is empty."""
    environment = {
        "SVC_DATA_DIR": str(tmp_path / "data"),
        "SVC_DATABASE_URL": address,
        "PATH": "/usr/bin:/bin",
    }
    program = f"import sys; {before}; sys.argv = ['app.py', *sys.argv[1:]]; import app; app.main()"
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("text", TEXTS)
def test_an_address_that_makes_no_sense_is_refused_without_its_password(text):
    with pytest.raises(
        SettingsError,
        match="SVC_DATABASE_URL is wrong; it should be an address such as postgresql://",
    ) as refused:
        settings.read({"SVC_DATABASE_URL": text})
    assert "hunter22" not in str(refused.value)


@pytest.mark.parametrize(
    "text", [ADDRESS, "postgres://h/x", "postgresql:///x?host=/run/postgresql"]
)
def test_an_address_of_postgres_is_read_and_not_shown(text):
    read = settings.read({"SVC_DATABASE_URL": text})
    assert read.database_url == text and text not in repr(read)


@pytest.mark.parametrize("name", ["SVC_BACKUP_EVERY_HOURS", "SVC_BACKUP_SHIP_SECONDS"])
def test_backups_of_a_file_that_is_not_used_are_refused(name):
    with pytest.raises(SettingsError, match="app.py backup FILE"):
        settings.read({"SVC_DATABASE_URL": ADDRESS, name: "24"})


def test_the_password_is_shown_nowhere(tmp_path):
    commands = ("config", "--json"), ("config",), ("doctor",), ("seed",)
    said = [run(tmp_path, *arguments) for arguments in commands]
    for done in said:
        assert "hunter22" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    assert "cannot be used" in said[-1].stderr


def test_without_the_package_the_command_that_installs_it_is_named(tmp_path):
    done = run(tmp_path, "seed", before="sys.modules['psycopg_pool'] = None")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: SVC_DATABASE_URL needs the package psycopg_pool: pip install -r "
        "requirements-postgres.txt\n"
    )


def test_sqlite_does_not_load_the_package(tmp_path):
    after = (
        "import svc.application, svc.store.engine.compiling; "
        "assert 'psycopg' not in sys.modules, 'loaded'"
    )
    done = run(tmp_path, "seed", address="", before=after)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    sampled(
        [
            ["backup", "DIR/"],
            ["backup", "--list", "DIR/"],
            ["restore", "--at", "2026-11-20T09:30:00Z", "s3://bucket/x"],
        ],
        4,
    ),
)
def test_a_command_for_sqlite_names_the_alternative(tmp_path, words):
    done = run(tmp_path, *(word.replace("DIR", str(tmp_path)) for word in words))
    assert done.returncode == 2 and "SQLite" in done.stderr and "Traceback" not in done.stderr


def test_a_database_that_is_away_at_the_start_is_waited_for(monkeypatch, caplog):
    answers, slept = iter([False, False, True]), []
    schema = SimpleNamespace(is_up=lambda address: next(answers))
    monkeypatch.setitem(sys.modules, "svc.store.postgres.schema", schema)
    monkeypatch.setattr(postgres, "schema", schema, raising=False)
    database.await_server(ADDRESS, slept.append)
    assert len(slept) == 2 and caplog.text.count("does not answer yet: it is waited for") == 1
    assert "PostgreSQL at 127.0.0.1:1 " in caplog.text and "hunter22" not in caplog.text
    database.await_server("", slept.append)  # SQLite
    assert len(slept) == 2


def test_an_option_that_postgres_has_not_is_said_and_not_waited_for():
    with pytest.raises(StartRefused, match='invalid URI query parameter: "conect"'):
        database.await_server(f"{ADDRESS}?conect=1", pytest.fail)
