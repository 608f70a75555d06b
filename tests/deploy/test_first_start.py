"""A gunicorn that ends before its first worker leaves a note why, however it was started."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from svc.base import clock, start_failures
from svc.cli.demo.demo_server import Server
from svc.serving import first_start, gunicorn_config
from svc.store.journal import Journal

ROOT = Path(__file__).parents[2]
OPTIONS = ["--config", "python:svc.serving.gunicorn_config", "wsgi:app"]


def start(data_dir: Path, *words: str, **more: str) -> subprocess.CompletedProcess:
    outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment = outer | {"SVC_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT), **more}
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def find(data_dir: Path) -> str | None:
    failure = start_failures.find(data_dir, clock.now())
    return failure.why if failure else None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--certfile", "/nowhere/c.pem"], "Nothing can listen at 127.0.0.1:8000: the log says"),
        (["--bind", f"unix:{__file__}"], f"Nothing can listen at unix:{__file__}: the log says"),
        (["--preload"], "--preload cannot be used"),
        (["--worker-class", "sync"], "The worker class sync cannot be used"),
    ],
)
def test_a_gunicorn_that_cannot_begin_notes_why(tmp_path, words, why):
    assert start(tmp_path, "-m", "gunicorn", *words, *OPTIONS).returncode == 1
    assert find(tmp_path).startswith(why)


def test_one_beside_a_server_without_an_engine_notes_nothing(tmp_path):
    journal = Journal(tmp_path / "journal")
    assert start(tmp_path, "-m", "gunicorn", "--preload", *OPTIONS).returncode == 1
    start(tmp_path, "-m", "gunicorn", "--certfile", "/nowhere/c.pem", *OPTIONS)
    assert find(tmp_path) is None
    journal.close()


@pytest.mark.slow
@pytest.mark.parametrize("words", [["app.py", "serve", "--port"], ["-m", "gunicorn"]])
def test_a_server_whose_port_is_taken_notes_it(tmp_path, words):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        more = [f"{port}"] if "serve" in words else ["--bind", f"127.0.0.1:{port}", *OPTIONS]
        assert start(tmp_path, *words, *more).returncode
    assert find(tmp_path) == f"Nothing can listen at 127.0.0.1:{port}: the log says why."


@pytest.mark.slow
def test_a_server_that_has_served_leaves_no_note_when_it_ends_or_is_killed(tmp_path):
    with Server(tmp_path, 0) as server:
        assert find(tmp_path) is None
        server.kill()
        server.start()
    assert find(tmp_path) is None


@pytest.fixture
def parent():
    """The parent process of gunicorn, and how many workers it has begun."""
    cfg = Config()
    for name, value in gunicorn_config.SETTINGS.items():
        cfg.set(name, value)
    return SimpleNamespace(cfg=cfg, worker_age=0)


@pytest.mark.parametrize(
    ("workers", "is_parent", "is_noted"), [(0, True, True), (1, True, False), (0, False, False)]
)
def test_only_the_parent_notes_it_and_only_before_it_has_begun_a_worker(
    tmp_path, parent, workers, is_parent, is_noted
):
    parent.worker_age = workers
    first_start._record_failure(parent, tmp_path, os.getpid() if is_parent else 1)
    assert (find(tmp_path) is not None) is is_noted
