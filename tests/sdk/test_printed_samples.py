"""The programs in the documents are checked by type checkers as strictly as these can."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sdk.test_typescript_sdk import SETTINGS, SOURCE
from tests.support.documents import ALL, ROOT, blocks, read
from tests.support.patience import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.contract]

# parts of modules, no programs of partners
OF_THIS_CODE = {"docs/architecture.md", "docs/contributing.md"}
PYTHON_SOURCES = os.pathsep.join((str(ROOT / "sdk" / "python" / "src"), str(ROOT)))


def programs(*languages: str) -> dict[str, str]:
    """The blocks of these languages of each document that has some,
    one after the other as one program.
    """
    documents = [name for name in ALL if name not in OF_THIS_CODE]
    found = {
        name: [text for language, text in blocks(read(name)) if language in languages]
        for name in documents
    }
    return {name: "\n\n".join(texts) for name, texts in found.items() if texts}


def written(folder: Path, texts: dict[str, str], ending: str) -> dict[str, Path]:
    """A file for each program, by its document."""
    paths = {
        name: folder / f"{name.removesuffix('.md').replace('/', '_').lower()}{ending}"
        for name in texts
    }
    for name, path in paths.items():
        path.write_text(texts[name])
    return paths


def test_there_are_samples_to_check():
    assert {
        "sdk/python/README.md",
        "docs/quickstart.md",
        "docs/webhooks.md",
        "docs/platforms.md",
    } <= programs("python").keys()
    assert {"sdk/typescript/README.md", "docs/quickstart.md"} == programs("js", "ts").keys()


def test_mypy_finds_nothing_in_the_samples_in_python(tmp_path):
    files = written(tmp_path, programs("python"), ".py")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--no-error-summary",
        "--config-file=",
    ]
    run = subprocess.run(
        [*command, *(path.name for path in files.values())],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": PYTHON_SOURCES},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.stdout + run.stderr == ""


@pytest.mark.timeout(2400)
def test_pyright_finds_nothing_in_the_samples_in_python(npm_alone, tmp_path):
    written(tmp_path, programs("python"), ".py")
    settings = {
        "typeCheckingMode": "strict",
        "extraPaths": PYTHON_SOURCES.split(os.pathsep),
        "pythonVersion": "3.11",
        "ignore": [str(ROOT)],
        "useLibraryCodeForTypes": True,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    run = npm_alone("pyright", "--pythonpath", sys.executable, "--project", str(tmp_path))
    assert run.returncode == 0, run.stdout


def test_tsc_finds_nothing_in_the_samples_in_typescript_and_javascript(npm, npm_folder, tmp_path):
    packages = tmp_path / "node_modules"
    packages.mkdir()
    (packages / "partner-production").symlink_to(SOURCE)
    files = [
        *written(tmp_path, programs("ts"), ".mts").values(),
        *written(tmp_path, programs("js"), ".mjs").values(),
    ]
    types = ["--typeRoots", str(npm_folder / "node_modules" / "@types")]
    run = npm(
        "tsc",
        *SETTINGS,
        *types,
        "--allowJs",
        "--checkJs",
        "--maxNodeModuleJsDepth",
        "0",
        *map(str, files),
    )
    assert run.returncode == 0, run.stdout
