"""``python app.py worker``: what it refuses, before it does anything."""

import json
import os
import subprocess
import sys

import pytest
from support.sampling import sampled

from svc.base import clock, start_failures
from svc.base.errors import StartRefused
from svc.cli.installation.worker import worker
from svc.work.machines import further_languages
from tests.support.documents import ROOT

POSTGRES = {"SVC_DATABASE_URL": "postgresql://service@127.0.0.1:1/service"}
BUCKET = {"SVC_STORAGE_URL": "s3://media/here"}


def run(tmp_path, *arguments, **settings) -> subprocess.CompletedProcess:
    outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment = (
        outer | {"SVC_DATA_DIR": str(tmp_path / "data"), "AWS_REGION": "us-east-1"} | settings
    )
    command = [sys.executable, "app.py", "worker", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("settings", "sentence"),
    sampled(
        [
            (
                {},
                (
                    "error: A worker needs SVC_DATABASE_URL: with SQLite, the server runs all "
                    "steps itself"
                ),
            ),
            (POSTGRES, "error: A worker needs SVC_STORAGE_URL"),
            (
                # not one that is away, which is waited for
                {"SVC_DATABASE_URL": POSTGRES["SVC_DATABASE_URL"] + "?sslmode=wrong"} | BUCKET,
                "error: The database of SVC_DATABASE_URL cannot be used",
            ),
        ],
        4,
    ),
)
def test_a_worker_that_shares_nothing_with_a_server_is_refused_in_a_sentence(
    tmp_path, settings, sentence
):
    refused = run(tmp_path, **settings)
    assert (
        refused.returncode == 2
        and refused.stderr.startswith(sentence)
        and "Traceback" not in refused.stderr
    )
    assert settings or not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "arguments", sampled([["--steps", "0"], ["--steps", "65"], ["--only", "publishing"]], 4)
)
def test_an_option_that_makes_no_sense_is_refused(tmp_path, arguments):
    refused = run(tmp_path, *arguments)
    assert refused.returncode == 2 and "Invalid value for" in refused.stderr


def test_a_worker_without_a_font_for_its_languages_is_refused(tmp_path, monkeypatch):
    speech = {
        "SVC_SPEECH_URL": "http://127.0.0.1:9/v1",
        "SVC_SPEECH_MODEL": "tts-1",
        "SVC_SPEECH_LANGUAGES": "ja,th",
    }
    for name, value in {
        **POSTGRES,
        **BUCKET,
        **speech,
        "AWS_REGION": "us-east-1",
        "SVC_DATA_DIR": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(further_languages, "list_without_letters", lambda settings, codes: ["ja"])
    with pytest.raises(
        StartRefused, match="SVC_SPEECH_LANGUAGES names ja, but no font here has the letters"
    ):
        worker.main([], standalone_mode=False)
    noted = start_failures.find(tmp_path, clock.now())
    assert noted.why.startswith("SVC_SPEECH_LANGUAGES names ja")


def test_a_worker_whose_log_is_json_says_so_in_json_why_it_does_not_start(tmp_path):
    [line] = run(tmp_path, SVC_LOG_FORMAT="json").stderr.splitlines()
    said = json.loads(line)
    assert said["level"] == "critical" and said["message"].startswith("A worker needs")
