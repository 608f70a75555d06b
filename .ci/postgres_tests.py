"""``PYTHONPATH=.ci .venv/bin/python .ci/postgres_tests.py``: write .ci/postgres.txt, the tests that
.ci/run runs on PostgreSQL.

It runs all that .ci/full runs there, which takes minutes, and notes the statements of each test.
Those that are chosen run every statement of the service that all of them run, in a third of the
time.

As a plugin of pytest, it notes those of each test into files of the folder ``STATEMENTS``.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

ROOT = Path(__file__).parents[1]
CHOSEN = ROOT / ".ci" / "postgres.txt"
FOLDERS = ("tests/store", "tests/domain", "tests/work")
# Chosen whole, because they are about what a database does: the store itself, and how connections
# lock each other out.
WHOLE = (
    "tests/domain/test_claims_at_once.py",
    "tests/domain/test_edits_at_once.py",
    "tests/domain/test_outbox.py",
    "tests/domain/test_partner_turns.py",
    "tests/domain/test_render_queue.py",
    "tests/store/",
    "tests/work/test_shared_database.py",
    "tests/work/test_two_machines.py",
)
OF_DATABASE = 0.14  # seconds of processor that a database of its own costs the server
HEAD = """\
# The tests that .ci/run runs on PostgreSQL: together they run every statement of the
# service that all of {folders} run; .ci/full runs all of them.
# Written by .ci/postgres_tests.py. One that you add belongs here if its statements are new.

"""
# What differs between two runs of one statement: texts, numbers, how many values, names.
DIFFERENT = (
    (re.compile(r"'[^']*'"), "''"),
    (re.compile(r"\w*\d\w*"), "0"),
    (re.compile(r"(\(?%s\)?, )+"), ""),
    (re.compile(r"\s+"), " "),
)

OF_TESTS = str(ROOT / "tests" / "support" / "plain_sql.py")  # reads and damages rows

_run: set[str] = set()  # statements of the test that runs


def _note(execute: Any) -> Any:
    def noted(self: Any, query: Any, *more: Any, **named: Any) -> Any:
        if any(frame.f_code.co_filename == OF_TESTS for frame, _ in traceback.walk_stack(None)):
            return execute(self, query, *more, **named)
        text = query if isinstance(query, str) else query.as_string(None)
        for pattern, same in DIFFERENT:
            text = pattern.sub(same, text)
        _run.add(text)
        return execute(self, query, *more, **named)

    return noted


def pytest_configure() -> None:
    for kind, name in (
        (psycopg.Connection, "execute"),
        (psycopg.Cursor, "execute"),
        (psycopg.Cursor, "executemany"),
    ):
        setattr(kind, name, _note(getattr(kind, name)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _run.clear()
    began = time.process_time()
    result = yield
    row = item.nodeid, OF_DATABASE + time.process_time() - began, sorted(_run)
    with (Path(os.environ["STATEMENTS"]) / str(os.getpid())).open("a") as file:
        file.write(json.dumps(row) + "\n")
    return result


def choose(rows: Iterable[tuple[str, float, list[str]]]) -> list[str]:
    """Return tests that together run every statement: again and again the one that runs most new
    ones a second.
    """
    seconds: dict[str, float] = defaultdict(float)
    statements: dict[str, set[str]] = defaultdict(set)
    for case, took, run in rows:
        whole = (each for each in WHOLE if case.startswith(each))
        name = next(whole, case.partition("[")[0])
        seconds[name] += took
        statements[name].update(run)
    chosen = list(WHOLE)
    left = set().union(*statements.values())
    left = left.difference(*(statements[name] for name in chosen))
    while left:
        best = max(sorted(seconds), key=lambda name: len(left & statements[name]) / seconds[name])
        chosen.append(best)
        left -= statements[best]
    return sorted(chosen)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [".ci/on-postgres", sys.executable, "-p", "postgres_tests", "-n", "2", *FOLDERS],
            cwd=ROOT,
            env={**os.environ, "STATEMENTS": folder},
            check=True,
        )
        lines = [line for file in Path(folder).iterdir() for line in file.read_text().splitlines()]
    chosen = choose(json.loads(line) for line in lines)
    CHOSEN.write_text(
        HEAD.format(folders=", ".join(FOLDERS)) + "".join(f"{name}\n" for name in chosen)
    )


if __name__ == "__main__":
    main()
