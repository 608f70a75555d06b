"""A finished run of ``python app.py demo --once``, for every test that looks at what came out; run once a session."""

import hashlib
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from svc.store import database

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Demonstration:
    """``seconds``: of processor time, its server and steps included. ``deliverables``: file to its row, matched by SHA-256."""

    status: int
    printed: str
    seconds: float
    data_dir: Path
    out: Path
    deliverables: dict[Path, dict]

    def files(self, form: str) -> list[Path]:
        return [each for each in self.deliverables if each.suffix == f".{form}"]


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory) -> Demonstration:
    folder = tmp_path_factory.mktemp("demo")
    data_dir, out, before = folder / "data", folder / "out", _processor_seconds()
    command = [sys.executable, str(ROOT / "app.py"), "demo", "--once", "--out", str(out), "--data-dir", str(data_dir)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
    seconds = _processor_seconds() - before
    print(done.stdout)  # shown with a test that fails
    return Demonstration(done.returncode, done.stdout, seconds, data_dir, out, _deliverables(data_dir, out))


def _processor_seconds() -> float:
    """Of the processes that ended so far, and of those that these had waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _deliverables(data_dir: Path, out: Path) -> dict[Path, dict]:
    database.open_database(data_dir / "service.db")
    rows = {each["sha256"]: dict(each) for each in database.rows("SELECT * FROM deliverables")}
    database.close_database()
    files = sorted(out.iterdir()) if out.exists() else []
    return {each: rows[hashlib.sha256(each.read_bytes()).hexdigest()] for each in files}
