"""The README's operations chapter works as it stands: a stranger backs up, restores elsewhere and upgrades by its commands."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from svc.cli.server import Server, free_port
from tests.processes import processes_with

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROGRAM = ("app.py", "wsgi.py", "schema.sql", "requirements.txt", "requirements.lock", "README.md")  # and svc
NEWER = "INSERT INTO meta VALUES ('from_the_new_release', 'yes');\n"
ASKED = "SELECT value FROM meta WHERE name = 'from_the_new_release'"


def block(heading: str) -> str:
    """The commands under a heading."""
    section = README.split(f"\n### {heading}\n")[1].split("\n## ")[0].split("\n### ")[0]
    [commands] = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return commands


class Place:
    """A machine of its own: its paths, and what stands in for systemd and for a release to pull."""

    def __init__(self, folder: Path):
        self.folder, self.program = folder, folder / "program"
        self.data_dir, self.backups, self.bin = folder / "lib", folder / "backups", folder / "bin"
        for each in (self.backups, self.bin):
            each.mkdir(parents=True)
        origin = folder / "origin"
        origin.mkdir()
        for name in PROGRAM:
            shutil.copy(ROOT / name, origin)
        shutil.copytree(ROOT / "svc", origin / "svc", ignore=shutil.ignore_patterns("__pycache__"))
        self.git(origin, "init", "--quiet", "--initial-branch=main")
        self.release(origin)
        self.git(folder, "clone", "--quiet", str(origin), str(self.program))
        self.origin = origin
        venv = self.program / ".venv" / "bin"
        venv.mkdir(parents=True)
        for name in ("python", "pip"):
            arguments = "-m pip --quiet --disable-pip-version-check" if name == "pip" else ""
            (venv / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
            (venv / name).chmod(0o755)
        (self.bin / "sudo").write_text(f'#!/bin/sh\necho "$@" >> "{folder}/sudo.log"\n')
        (self.bin / "sudo").chmod(0o755)

    @staticmethod
    def git(folder: Path, *words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        outer = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # else whose repository?
        subprocess.run(["git", *who, *words], cwd=folder, env=outer, check=True, capture_output=True)

    def release(self, origin: Path) -> None:
        self.git(origin, "add", "--all", "--force")
        self.git(origin, "commit", "--quiet", "--message", "a release")

    def script(self, heading: str) -> str:
        text = block(heading).replace("/var/lib/partner-production", str(self.data_dir))
        return text.replace("/var/backups", str(self.backups))

    @property
    def environment(self) -> dict[str, str]:
        outer = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "PYTHON"))}
        return outer | {"PATH": f"{self.bin}:{os.environ['PATH']}"}

    def run(self, heading: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.script(heading)], cwd=self.program, env=self.environment, timeout=300,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    def seed(self) -> dict:
        command = [sys.executable, "app.py", "seed", "--json", "--tier", "Enterprise"]
        environment = self.environment | {"SVC_DATA_DIR": str(self.data_dir)}
        return json.loads(subprocess.run(command, cwd=self.program, env=environment, check=True, capture_output=True).stdout)


def ask(address: str, path: str, key: str | None = None, **more):
    with requests.Session() as session:
        session.trust_env = False
        method = "POST" if "json" in more else "GET"
        return session.request(method, address + path, headers={"X-API-Key": key} if key else {}, timeout=20, **more)


def publish(server: Server, seeded: dict) -> str:
    """A production that was really made and published: its identifier."""
    brief = {name: seeded[name] for name in ("languageId", "countryId", "avatarId")} | {"topic": "Tides"}
    path = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
    production = ask(server.address, path, seeded["testKey"], json=brief).json()["productionId"]
    deadline = time.monotonic() + 180
    while ask(server.address, f"/v1/productions/{production}", seeded["testKey"]).json()["status"] != "Published":
        assert time.monotonic() < deadline
        time.sleep(0.3)  # the real engine works in its own time
    return production


def content(address: str, production: str, key: str) -> dict[str, bytes]:
    """Every deliverable of a production, downloaded."""
    listed = ask(address, f"/v1/productions/{production}/deliverables", key).json()["data"]
    return {each["deliverableId"]: ask("", address + "/files/" + each["sasUrl"].split("/files/")[1]).content for each in listed}


@pytest.mark.slow
def test_a_stranger_backs_up_restores_elsewhere_and_upgrades(tmp_path):
    first, second = Place(tmp_path / "first"), Place(tmp_path / "second")
    with Server(first.data_dir, 0) as server:
        seeded = first.seed()
        production = publish(server, seeded)
        told = first.run("Back up")
        assert told.count("whole and sound") == 2
        there = content(server.address, production, seeded["testKey"])
        status = ask(server.address, f"/v1/productions/{production}", seeded["testKey"]).json()
        assert ask(server.address, "/readyz").status_code == 200

    [backup] = first.backups.iterdir()
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    shutil.copy(backup, second.backups)
    restored(second, production, seeded["testKey"], there, status)

    (second.origin / "svc" / "store" / "migrations" / "0999_newer.sql").write_text(NEWER)
    second.release(second.origin)
    second.run("Upgrade")
    assert (second.folder / "sudo.log").read_text() == "systemctl restart partner-production\n"
    assert sorted(each.name for each in second.backups.iterdir()) == ["before-upgrade.tar", "production.tar"]
    program = f"from app import create_app; create_app(); from svc.store import database; print(*database.row({ASKED!r}))"
    started = subprocess.run(
        [sys.executable, "-c", program], cwd=second.program, env=second.environment | {"SVC_DATA_DIR": str(second.data_dir)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert started.stdout == "yes\n"


def restored(place: Place, production: str, key: str, there: dict, status: dict) -> None:
    """Run the chapter's commands, the last of which serves, and find everything as it was."""
    port = free_port(0)
    script = place.script("Restore on another machine").replace("app.py serve", f"app.py serve --port {port}")
    with (place.folder / "log").open("wb") as log:
        command = ["bash", "-euo", "pipefail", "-c", script]
        serving = subprocess.Popen(
            command, cwd=place.program, env=place.environment, stdout=log, stderr=log, start_new_session=True
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while not answers(address):
            assert serving.poll() is None and time.monotonic() < deadline, (place.folder / "log").read_text()
            time.sleep(0.1)
        assert ask(address, f"/v1/productions/{production}", key).json() == status
        assert content(address, production, key) == there and len(there) > 5
    finally:
        os.killpg(serving.pid, 15)
        serving.wait(30)
        for _ in range(100):
            if not processes_with(f"--port {port}"):
                break
            time.sleep(0.1)


def answers(address: str) -> bool:
    try:
        return ask(address, "/healthz").ok
    except requests.ConnectionError:
        return False


def test_the_chapter_has_its_commands():
    for heading in ("Back up", "Restore on another machine", "Upgrade"):
        assert ".venv/bin/python app.py" in block(heading)
