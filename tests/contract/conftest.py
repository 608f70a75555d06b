"""The document as a file, and the programs from npm that read it."""

import os
import subprocess
from pathlib import Path

import pytest

from app import create_app
from svc.base import settings
from svc.store import database

PINS = Path(__file__).parents[2] / ".ci" / "package.json"
PATIENCE = 600  # seconds; npm fetches some hundred packages


@pytest.fixture(scope="session")
def openapi(tmp_path_factory) -> Path:
    """The OpenAPI document of a service under an ordinary address."""
    folder = tmp_path_factory.mktemp("openapi")
    app = create_app(settings.read({}, data_dir=folder / "data", base_url="https://media.partner.test"))
    path = folder / "openapi.json"
    path.write_bytes(app.test_client().get("/openapi.json").get_data())
    app.extensions["svc"].recorder.stop()
    database.close_database()
    return path


@pytest.fixture(scope="session")
def npm(tmp_path_factory):
    """``npm("tsc", …)`` runs a program of the pinned packages, installed into a scratch folder, and returns what it did."""
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_bytes(PINS.read_bytes())
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(["npm", "install", *quiet], cwd=folder, check=True, timeout=PATIENCE, capture_output=True)

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess:
        command = [str(folder / "node_modules" / ".bin" / program), *arguments]
        silent = os.environ | {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
        return subprocess.run(command, cwd=folder, env=silent, capture_output=True, text=True, timeout=PATIENCE)

    return run
