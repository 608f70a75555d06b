"""Programs and libraries from npm that judge; pinned in .ci/package.json,
installed into a scratch folder once a session.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

PINS = Path(__file__).parents[2] / ".ci" / "package.json"
PATIENCE = 600  # seconds
LARGE_PATIENCE = 1800  # seconds
QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]


@pytest.fixture(scope="session")
def npm_folder(tmp_path_factory) -> Path:
    """The folder that holds ``node_modules``."""
    folder = tmp_path_factory.mktemp("npm")
    install(folder)
    return folder


@pytest.fixture(scope="session")
def npm_alone(tmp_path_factory):
    """``npm_alone("pyright", …)`` runs a program of a large package that a single
    test needs (``devDependencies``).
    """

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess:
        folder = tmp_path_factory.mktemp(program)
        install_each(folder, [program])
        command = [str(folder / "node_modules" / ".bin" / program), *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)

    return run


def install_each(folder: Path, packages: list[str]) -> None:
    """Install some of the large packages (``devDependencies``) into a folder."""
    pins = json.loads(PINS.read_text("utf-8"))["devDependencies"]
    wanted = {"private": True, "dependencies": {name: pins[name] for name in packages}}
    (folder / "package.json").write_text(json.dumps(wanted))
    command = ["npm", "install", *QUIET]
    subprocess.run(command, cwd=folder, check=True, timeout=LARGE_PATIENCE, capture_output=True)


def install(folder: Path) -> None:
    """Install the pinned packages into a folder."""
    (folder / "package.json").write_bytes(PINS.read_bytes())
    quiet = ["--omit=dev", *QUIET]
    subprocess.run(
        ["npm", "install", *quiet], cwd=folder, check=True, timeout=PATIENCE, capture_output=True
    )


@pytest.fixture(scope="session")
def npm(npm_folder):
    """``npm("tsc", …)`` runs a program of the pinned packages and returns what it did."""

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess:
        command = [str(npm_folder / "node_modules" / ".bin" / program), *arguments]
        silent = os.environ | {
            "REDOCLY_TELEMETRY": "off",
            "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
            "NO_COLOR": "1",
        }
        return subprocess.run(
            command, cwd=npm_folder, env=silent, capture_output=True, text=True, timeout=PATIENCE
        )

    return run
