"""A finished run of ``python app.py demo --once``, for every test that looks at what came out;
run once for all workers.
"""

import fcntl
import hashlib
import os
import pickle
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from svc.store import database
from svc.store.database import db
from tests.support import plain_sql

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Demonstration:
    """``seconds``: of processor time, its server and steps included; 0 if that was not measured.
    ``deliverables``: file to its row, matched by SHA-256. ``descriptions``: the texts beside the
    videos."""

    status: int
    printed: str
    seconds: float
    data_dir: Path
    out: Path
    deliverables: dict[Path, dict]
    descriptions: list[str]

    def files(self, form: str) -> list[Path]:
        return [each for each in self.deliverables if each.suffix == f".{form}"]


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory) -> Demonstration:
    """The one that TEST_DEMONSTRATION names: a folder with ``.demo.log`` and ``demo-data``, as
    .ci/run makes them.

    Otherwise the worker of pytest-xdist that asks first runs it; the others wait, and read what it
    found.
    """
    if named := os.environ.get("TEST_DEMONSTRATION"):
        data_dir = Path(named) / "demo-data"
        out = data_dir / "downloads"
        return Demonstration(
            0,
            (Path(named) / ".demo.log").read_text("utf-8"),
            0.0,
            data_dir,
            out,
            *_results(data_dir, out),
        )
    own = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return _run(own / "demo")
    folder, kept = own.parent / "demo", own.parent / "demonstration.pickle"
    with (own.parent / "demonstration.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(pickle.dumps(_run(folder)))
    return pickle.loads(kept.read_bytes())


def _run(folder: Path) -> Demonstration:
    folder.mkdir()
    data_dir, out, before = folder / "data", folder / "out", _processor_seconds()
    command = [
        sys.executable,
        str(ROOT / "app.py"),
        "demo",
        "--once",
        "--out",
        str(out),
        "--data-dir",
        str(data_dir),
    ]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    seconds = _processor_seconds() - before
    print(done.stdout)  # shown with a test that fails
    return Demonstration(
        done.returncode, done.stdout, seconds, data_dir, out, *_results(data_dir, out)
    )


def _processor_seconds() -> float:
    """Of the processes that ended so far, and of those that these had waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _results(data_dir: Path, out: Path) -> tuple[dict[Path, dict], list[str]]:
    database.open_database(data_dir / "service.db")
    rows = {each["sha256"]: dict(each) for each in plain_sql.rows("SELECT * FROM deliverables")}
    descriptions = [
        each["description"]
        for each in plain_sql.rows("SELECT description FROM publications ORDER BY platform")
    ]
    db.close()
    files = sorted(out.iterdir()) if out.exists() else []
    return {
        each: rows[hashlib.sha256(each.read_bytes()).hexdigest()] for each in files
    }, descriptions
