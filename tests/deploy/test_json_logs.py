"""With SVC_LOG_FORMAT=json every line on standard error is an object: at the start, at a reload,
when a worker is killed.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from tests.torture.victim import free_port

ROOT = Path(__file__).parents[2]


def objects(text: str) -> list[dict]:
    told = [json.loads(line) for line in text.splitlines()]
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in told)
    return told


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            if requests.get(f"http://127.0.0.1:{port}/healthz", timeout=60).ok:
                return
        except (requests.ConnectionError, requests.Timeout):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def children(pid: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    ).stdout
    return [int(each) for each in found.split()]


def commands(port: int) -> dict[str, list[str]]:
    return {
        "serve": [sys.executable, "app.py", "serve", "--port", str(port), "--workers", "2"],
        "gunicorn": [
            sys.executable,
            "-m",
            "gunicorn",
            "--config",
            "python:svc.serving.gunicorn_config",
            "--bind",
            f"127.0.0.1:{port}",
            "--workers",
            "2",
            "wsgi:app",
        ],
    }


@pytest.mark.slow
@pytest.mark.parametrize("way", ["serve", "gunicorn"])
def test_gunicorns_lines_are_json_too(way, tmp_path):
    port, log = free_port(), tmp_path / "log"
    environment = os.environ | {"SVC_DATA_DIR": str(tmp_path / "data"), "SVC_LOG_FORMAT": "json"}
    with log.open("wb") as errors:
        server = subprocess.Popen(
            commands(port)[way], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        )
    try:
        wait_for(port)
        worker = max(children(server.pid))
        os.kill(worker, signal.SIGKILL)
        until(lambda: worker not in children(server.pid) and len(children(server.pid)) >= 2)
        wait_for(port)
        before = set(children(server.pid))
        server.send_signal(signal.SIGHUP)
        until(lambda: len(set(children(server.pid)) - before) >= 2)
        wait_for(port)
    finally:
        server.terminate()
        server.wait(60)
    told = objects(log.read_text("utf-8"))
    assert {line["logger"].partition(".")[0] for line in told} >= {"gunicorn", "svc"}
    assert [
        line
        for line in told
        if line["logger"] == "gunicorn.error" and str(worker) in line["message"]
    ]


def until(condition) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["serve", "gunicorn"])
def test_a_refusal_to_start_is_json(way, tmp_path):
    environment = os.environ | {
        "SVC_DATA_DIR": str(tmp_path),
        "SVC_LOG_FORMAT": "json",
        "SVC_ENGINE": "maybe",
    }
    done = subprocess.run(
        commands(free_port())[way],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode != 0
    assert any("SVC_ENGINE is 'maybe'" in line["message"] for line in objects(done.stderr))
