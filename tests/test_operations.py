"""docs/operations.md works as it stands: a stranger backs up,
restores elsewhere and upgrades by its commands.
"""

import os
import shutil
import stat
import subprocess
import sys
import time

import pytest
import requests

from svc.cli.demo.demo_server import Server, find_free_port
from tests.support.processes import processes_with
from tests.support.stranger import Place, ask, block, content, publish

NEWER = "INSERT INTO meta VALUES ('from_the_new_release', 'yes');\n"
ASKED = "SELECT value FROM meta WHERE name = 'from_the_new_release'"


@pytest.mark.slow
def test_a_stranger_backs_up_restores_elsewhere_and_upgrades(tmp_path):
    first, second = Place(tmp_path / "first").install(), Place(tmp_path / "second").install()
    with Server(first.data_dir, 0) as server:
        seeded = first.seed()
        production = publish(server.address, seeded)
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
    assert (second.folder / "systemctl.log").read_text() == "restart partner-production\n"
    assert sorted(each.name for each in second.backups.iterdir()) == [
        "before-upgrade.tar",
        "production.tar",
    ]
    program = "from app import create_app; create_app(); "
    program += f"from svc.store.database import db; print(*db.row({ASKED!r}))"
    started = subprocess.run(
        [sys.executable, "-c", program],
        cwd=second.program,
        env=second.environment | {"SVC_DATA_DIR": str(second.data_dir)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert started.stdout == "yes\n"


def restored(place: Place, production: str, key: str, there: dict, status: dict) -> None:
    """Run the commands of the section, the last of which serves, and find everything as it was."""
    port = find_free_port(0)
    script = place.script("Restore on another machine").replace(
        "app.py serve", f"app.py serve --port {port}"
    )
    with (place.folder / "log").open("wb") as log:
        command = ["bash", "-euo", "pipefail", "-c", script]
        serving = subprocess.Popen(
            command,
            cwd=place.program,
            env=place.environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while not answers(address):
            assert serving.poll() is None and time.monotonic() < deadline, (
                place.folder / "log"
            ).read_text()
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


def test_each_section_has_its_commands():
    for heading in ("Back up", "Restore on another machine", "Upgrade"):
        assert ".venv/bin/python app.py" in block(heading)
