"""Copies of all tables to PostgreSQL and back, through the command;
killed after any row, and resumed.
"""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from svc.store.copying import layout
from svc.store.engine.compiling import compile_for_sqlite
from svc.store.engine.sqlite_driver import sqlite3
from tests.support.documents import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.judges]
SEEDS = 3


@pytest.fixture
def address(postgres, request):
    return postgres.make(f"copy_{abs(hash(request.node.name))}")


@pytest.fixture
def data_dir(tmp_path):
    folder = tmp_path / "data"
    for _ in range(SEEDS):
        run(folder, "seed")
    return folder


def environment(folder: Path, address: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "SVC_DATA_DIR": str(folder)} | (
        {"SVC_DATABASE_URL": address} if address else {}
    )


def run(folder: Path, *arguments: str, address: str = "", expected: int = 0) -> str:
    command = [sys.executable, "app.py", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(folder, address),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def dump(file: Path) -> dict[str, list[tuple]]:
    with closing(sqlite3.connect(file)) as connection:
        return {
            table.name: connection.execute(compile_for_sqlite(table.rows)[0]).fetchall()
            for table in layout.list_tables()
        }


def add_requests(folder: Path, number: int) -> None:
    """Fill a table that takes a while to copy."""
    with closing(sqlite3.connect(folder / "service.db")) as connection, connection:
        partner = connection.execute("SELECT id FROM partners").fetchone()[0]
        connection.executemany(
            """INSERT INTO requests (id, request_id, partner_id, at, counted, method, path,
                                     key_prefix, correlation_id)
               VALUES (?, ?, ?, 1, 1, 'GET', ?, 'k', 'c')""",
            ((each, f"r{each}", partner, f"/é/{each}/\t\\N") for each in range(1, number + 1)),
        )


def test_there_and_back_again_every_row_is_the_same(data_dir, address, tmp_path):
    add_requests(data_dir, 5_000)
    before = dump(data_dir / "service.db")
    assert "are copied, and the same by SHA-256" in run(data_dir, "copy", "--to", address)
    assert dump(data_dir / "service.db") == before
    listed = run(data_dir, "partner", "list", "--json", address=address)
    assert listed == run(data_dir, "partner", "list", "--json")
    assert "whole: " in run(data_dir, "audit", "verify", address=address)
    # numbers go on after the last ones, and triggers count again
    run(data_dir, "seed", address=address)
    (data_dir / "service.db").rename(data_dir / "before.db")
    run(data_dir, "copy", "--to", "sqlite", address=address)
    after = dump(data_dir / "service.db")
    assert len(after["partners"]) == len(before["partners"]) + 1
    assert all(
        set(rows) <= set(after[name])
        for name, rows in before.items()
        if name in ("requests", "accounts", "api_keys")
    )
    assert "whole: " in run(data_dir, "audit", "verify")
    run(data_dir, "seed")
    assert_the_schema_is_that_of_a_new_database(data_dir / "service.db", tmp_path)


def assert_the_schema_is_that_of_a_new_database(file: Path, tmp_path: Path) -> None:
    sql = (
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' "
        "ORDER BY type, name"
    )
    run(tmp_path / "new", "seed")
    with (
        closing(sqlite3.connect(file)) as copied,
        closing(sqlite3.connect(tmp_path / "new" / "service.db")) as new,
    ):
        assert copied.execute(sql).fetchall() == new.execute(sql).fetchall()
        assert (
            copied.execute("PRAGMA auto_vacuum").fetchone()
            == new.execute("PRAGMA auto_vacuum").fetchone()
        )


# Runs the command with the arguments that follow a number, and kills this process when that row is
# read; -1: never.
_KILLED_AT_A_ROW = """
import os, runpy, signal, sys
from svc.store.copying import copy
left, through = int(sys.argv.pop(1)), copy._Digest.pass_through
def counted(digest, rows):
    global left
    for row in through(digest, rows):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        yield row
copy._Digest.pass_through = counted
runpy.run_path("app.py", run_name="__main__")
"""


def test_a_copy_that_is_killed_again_and_again_is_finished_by_the_next_one(
    data_dir, address, postgres
):
    """Each attempt reads more rows than the one before: it goes on with the copy,
    and at last with the comparison.
    """
    add_requests(data_dir, 10_000)
    before, kills, copied, code = dump(data_dir / "service.db"), 0, set(), -signal.SIGKILL
    while code == -signal.SIGKILL:
        command = [
            sys.executable,
            "-c",
            _KILLED_AT_A_ROW,
            str(1 + 3_001 * kills),
            "copy",
            "--to",
            address,
        ]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(data_dir, ""),
            capture_output=True,
            text=True,
            check=False,
        )
        code = done.returncode
        # the server may not have noticed yet that the process is gone
        postgres.end_sessions(address)
        if code == -signal.SIGKILL:
            kills, last = kills + 1, copied
            with psycopg.connect(address) as connection:
                copied = {name for (name,) in connection.execute("SELECT name FROM service.copied")}
            assert last <= copied
            postgres.end_sessions(address)
    assert code == 0, done.stdout + done.stderr
    # for the last attempt has read at least all rows of the copy
    assert kills > sum(map(len, before.values())) // 3_001
    with psycopg.connect(address) as connection:
        for table in layout.list_tables():
            assert (
                connection.execute(compile_for_sqlite(table.rows)[0]).fetchall()
                == before[table.name]
            ), table.name


def test_no_service_starts_on_what_is_only_partly_copied(data_dir, address):
    with closing(sqlite3.connect(data_dir / "service.db")) as connection, connection:
        connection.execute("UPDATE partners SET name = 'nu' || char(0) || 'l'")
    refused = run(data_dir, "copy", "--to", address, expected=2)
    assert "partners.name of the row with id '" in refused and r"'nu\x00l'" in refused
    assert "part of a copy" in run(data_dir, "seed", address=address, expected=2)
    with closing(sqlite3.connect(data_dir / "service.db")) as connection, connection:
        connection.execute("UPDATE partners SET name = 'null'")
    run(data_dir, "copy", "--to", address)
    assert "null" in run(data_dir, "partner", "list", address=address)


def test_a_source_that_changed_between_two_attempts_is_copied_anew(data_dir, address):
    add_requests(data_dir, 10)
    with closing(sqlite3.connect(data_dir / "service.db")) as connection, connection:
        connection.execute("UPDATE partners SET name = 'a' || char(0)")
    run(data_dir, "copy", "--to", address, expected=2)
    with closing(sqlite3.connect(data_dir / "service.db")) as connection, connection:
        connection.execute("UPDATE partners SET name = 'a'")
        connection.execute("UPDATE users SET name = 'changed'")
        connection.execute("DELETE FROM requests WHERE id = 7")
    before = dump(data_dir / "service.db")
    run(data_dir, "copy", "--to", address)
    with psycopg.connect(address) as connection:
        assert all(
            connection.execute(compile_for_sqlite(table.rows)[0]).fetchall() == before[table.name]
            for table in layout.list_tables()
        )


def test_what_is_in_use_is_refused(data_dir, address):
    run(data_dir, "copy", "--to", address)
    assert "is not empty" in run(data_dir, "copy", "--to", address, expected=2)
    assert "exists: move it away" in run(
        data_dir, "copy", "--to", "sqlite", address=address, expected=2
    )
    with psycopg.connect(address):
        (data_dir / "service.db").rename(data_dir / "before.db")
        assert "stop all services" in run(
            data_dir, "copy", "--to", "sqlite", address=address, expected=2
        )
    assert "There is no database" in run(data_dir, "copy", "--to", address, expected=2)


def test_an_address_that_makes_no_sense_is_refused(data_dir):
    assert "should be an address such as postgresql://" in run(
        data_dir, "copy", "--to", "mysql://x/y", expected=2
    )
    assert "SVC_DATABASE_URL is not set" in run(data_dir, "copy", "--to", "sqlite", expected=2)
    assert "PostgreSQL failed" in run(
        data_dir, "copy", "--to", "postgresql://x@127.0.0.1:1/y", expected=2
    )
