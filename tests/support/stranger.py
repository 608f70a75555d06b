"""A stranger with docs/operations.md in hand: a machine of their own,
and what they ask of the service on it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import requests

from tests.support.documents import ROOT, read

PROGRAM = (
    "app.py",
    "wsgi.py",
    "schema.sql",
    "requirements.txt",
    "requirements.lock",
    "requirements-voices.txt",
    "requirements-voices.lock",
    "LICENSE",
    "README.md",
)  # and svc
PUBLISH_SECONDS = 180


def block(heading: str) -> str:
    """The commands under a heading of docs/operations.md."""
    section = read("docs/operations.md").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    [commands] = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return commands


_STAND_INS = {
    "systemctl": 'echo "$@" >> "{folder}/systemctl.log"',
    "python3": """[ "$1 $2" = "-m venv" ] || exec "{python}" "$@"
mkdir -p "$3/bin"
printf '#!/bin/sh\\nexec "{python}" "$@"\\n' > "$3/bin/python"
printf '#!/bin/sh\\nexec "{python}" -m pip --quiet --disable-pip-version-check "$@"\\n' \
    > "$3/bin/pip"
chmod 755 "$3/bin/python" "$3/bin/pip\"""",
}


class Place:
    """A machine of its own: its paths, and what stands in for systemd, a new environment,
    and a release to pull.
    """

    def __init__(self, folder: Path):
        self.folder, self.program, self.origin = folder, folder / "program", folder / "origin"
        self.data_dir, self.backups, self.bin = folder / "lib", folder / "backups", folder / "bin"
        for each in (self.backups, self.bin, self.origin):
            each.mkdir(parents=True)
        for name in PROGRAM:
            shutil.copy(ROOT / name, self.origin)
        shutil.copytree(
            ROOT / "svc", self.origin / "svc", ignore=shutil.ignore_patterns("__pycache__")
        )
        self.git(self.origin, "init", "--quiet", "--initial-branch=main")
        self.release(self.origin)
        for name, program in _STAND_INS.items():
            self.stand_in(name, program)

    def install(self) -> "Place":
        """As after the deployment: the program with its environment."""
        self.git(self.folder, "clone", "--quiet", str(self.origin), str(self.program))
        subprocess.run([self.bin / "python3", "-m", "venv", ".venv"], cwd=self.program, check=True)
        return self

    def stand_in(self, name: str, program: str) -> None:
        """A program that is found before the machine's own. ``program``: for the shell."""
        program = program.replace("{folder}", str(self.folder)).replace("{python}", sys.executable)
        (self.bin / name).write_text(f"#!/bin/sh\n{program}\n")
        (self.bin / name).chmod(0o755)

    @staticmethod
    def git(folder: Path, *words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        # else whose repository?
        outer = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(
            ["git", *who, *words], cwd=folder, env=outer, check=True, capture_output=True
        )

    def release(self, origin: Path) -> None:
        self.git(origin, "add", "--all", "--force")
        self.git(origin, "commit", "--quiet", "--message", "a release")

    def script(self, heading: str) -> str:
        commands = block(heading).replace("/var/lib/partner-production", str(self.data_dir))
        return commands.replace("/var/backups", str(self.backups))

    @property
    def environment(self) -> dict[str, str]:
        outer = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SVC_", "PYTHON"))
        }
        return outer | {"PATH": f"{self.bin}:{os.environ['PATH']}"}

    def run(self, heading: str) -> str:
        there = self.program if self.program.exists() else self.folder
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.script(heading)],
            cwd=there,
            env=self.environment,
            timeout=300,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def seed(self) -> dict:
        command = [sys.executable, "app.py", "seed", "--json", "--tier", "Enterprise"]
        environment = self.environment | {"SVC_DATA_DIR": str(self.data_dir)}
        return json.loads(
            subprocess.run(
                command, cwd=self.program, env=environment, check=True, capture_output=True
            ).stdout
        )


def ask(address: str, path: str, key: str | None = None, verify: str | bool = True, **more):
    with requests.Session() as session:
        session.trust_env, session.verify = False, verify
        method = "POST" if "json" in more else "GET"
        return session.request(
            method, address + path, headers={"X-API-Key": key} if key else {}, timeout=60, **more
        )


def publish(address: str, seeded: dict, verify: str | bool = True) -> str:
    """A production that was really made and published: its identifier."""
    brief = {name: seeded[name] for name in ("languageId", "countryId", "avatarId")} | {
        "topic": "Tides"
    }
    path = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
    production = ask(address, path, seeded["testKey"], verify, json=brief).json()["productionId"]
    deadline = time.monotonic() + PUBLISH_SECONDS
    while (
        ask(address, f"/v1/productions/{production}", seeded["testKey"], verify).json()["status"]
        != "Published"
    ):
        assert time.monotonic() < deadline
        time.sleep(0.3)  # the real engine works in its own time
    return production


def content(address: str, production: str, key: str) -> dict[str, bytes]:
    """Every deliverable of a production, downloaded."""
    listed = ask(address, f"/v1/productions/{production}/deliverables", key).json()["data"]
    return {
        each["deliverableId"]: ask(
            "", address + "/files/" + each["sasUrl"].split("/files/")[1]
        ).content
        for each in listed
    }
