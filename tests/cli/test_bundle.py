"""The bundle: one file that serves, demos and administers from an empty directory,
with an empty environment.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from svc.cli.installation import bundle
from tests.torture.victim import answers, free_port
from tests.work.test_recovery import until

ROOT = Path(__file__).parents[2]
# it has none of our libraries
PYTHON = f"{sys.base_prefix}/bin/python{sys.version_info.major}.{sys.version_info.minor}"


def test_the_bundle_has_what_the_program_needs_and_nothing_of_its_tests():
    needed = bundle.read_requirements((ROOT / "requirements.txt").read_text())
    names = {line.partition("==")[0] for line in needed.splitlines() if "==" in line}
    assert {"Flask", "gunicorn", "pysqlite3", "av", "espeakng-loader", "apprise"} <= names
    assert not {"pytest", "hypothesis", "feedparser"} & names


@pytest.fixture(scope="module")
def bundled(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("bundle") / "svc.pyz"
    done = subprocess.run(
        [sys.executable, "app.py", "bundle", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return file


@pytest.fixture
def elsewhere(bundled, tmp_path):
    """Run the bundle in an empty directory: ``elsewhere("seed", "--json")``."""

    def run(*words: str) -> str:
        done = subprocess.run(
            [PYTHON, str(bundled), *words],
            cwd=tmp_path,
            env=environment(bundled),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def environment(bundled: Path) -> dict[str, str]:
    """Empty but for where the bundle unpacks itself, lest the home directory of whoever
    tests keeps it.
    """
    return {"SHIV_ROOT": str(bundled.parent / "unpacked")}


@pytest.mark.slow
def test_the_bundle_demos_from_an_empty_directory_with_an_empty_environment(elsewhere, tmp_path):
    printed = elsewhere("demo", "--once", "--out", "files")
    assert "right" in printed
    assert {each.suffix for each in (tmp_path / "files").iterdir()} == {
        ".mp4",
        ".srt",
        ".vtt",
        ".txt",
        ".docx",
        ".pdf",
    }
    assert {each.name for each in tmp_path.iterdir()} == {"files", "demo-data"}


@pytest.mark.slow
def test_the_bundle_serves_and_administers(bundled, elsewhere, tmp_path):
    port = free_port()
    command = [PYTHON, str(bundled), "serve", "--port", str(port), "--workers", "2"]
    with (tmp_path / "log").open("wb") as log:
        serving = subprocess.Popen(
            command, cwd=tmp_path, env=environment(bundled), stdout=log, stderr=log
        )
    try:
        until(lambda: answers(port), "an answer")
        assert json.loads(elsewhere("seed", "--json"))["partnerId"]
        assert (tmp_path / "data" / "service.db").exists()
    finally:
        serving.terminate()
        assert serving.wait(60) == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_the_bundles_unit_runs_the_bundle(bundled, elsewhere):
    assert (
        f"\nExecStart={PYTHON} {bundled} serve --host 127.0.0.1 --port 8080 --workers 2\n"
        in elsewhere("deploy", "systemd")
    )


def test_another_python_is_refused_with_a_sentence():
    preamble = bundle._PREAMBLE.replace(f"{sys.version_info.minor})", "99)")
    done = subprocess.run([PYTHON, "-c", preamble], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "python app.py bundle" in done.stderr
