"""The deployment files, judged by programs that we did not write: nginx, Caddy, systemd,
and linters of Docker's files.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.front import ROOT

pytestmark = pytest.mark.judges

COMPOSE_LINTER = "dclint@3.1.0"
WORST_EXPOSURE = 1.5  # of systemd's 10
# A proxy is to be reached from everywhere; the rest is about the order of keys.
UNASKED = (
    "no-unbound-port-interfaces",
    "service-keys-order",
    "services-alphabetical-order",
    "require-quotes-in-ports",
)


def printed(kind: str, file: Path, *options: str) -> Path:
    done = subprocess.run(
        [sys.executable, "app.py", "deploy", kind, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    file.write_text(done.stdout)
    return file


def judged(*command: object) -> str:
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"no {command[0]} here")
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_systemd_takes_the_unit_and_finds_it_little_exposed(tmp_path):
    unit = printed("systemd", tmp_path / "partner-production.service")
    assert judged("systemd-analyze", "verify", unit) == ""
    threshold = f"--threshold={WORST_EXPOSURE * 10:.0f}"
    exposure = judged("systemd-analyze", "security", "--offline=yes", "--no-pager", threshold, unit)
    print(re.search(r"Overall exposure level.*", exposure)[0])


def test_caddy_takes_its_file(tmp_path):
    file = printed("caddy", tmp_path / "Caddyfile")
    assert "Valid configuration" in judged(
        "caddy", "validate", "--adapter", "caddyfile", "--config", file
    )
    shutil.copy(file, tmp_path / "formatted")
    judged("caddy", "fmt", "--overwrite", tmp_path / "formatted")
    assert (tmp_path / "formatted").read_text() == file.read_text()


def test_hadolint_takes_the_dockerfile(tmp_path):
    judged(Path(sys.executable).with_name("hadolint"), printed("docker", tmp_path / "Dockerfile"))


def test_dclint_takes_the_compose_file(tmp_path):
    file = printed("compose", tmp_path / "compose.yaml")
    unasked = [word for each in UNASKED for word in ("--disable-rule", each)]
    judged("npx", "--yes", COMPOSE_LINTER, file, *unasked)
