"""A root shell beside a service with a user of its own: commands leave nothing behind that the
service cannot use.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.front import Gunicorn, running

from svc.base import clock, start_failures
from svc.base.processes import owner
from tests.support.service_user import SERVICE, as_service, reach
from tests.support.stranger import Place
from tests.torture.victim import answers
from tests.work.test_recovery import until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder():
    """A folder that the service's user may enter, unlike those of pytest."""
    reach()
    made = Path(tempfile.mkdtemp(prefix="root."))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def data_dir(folder) -> Path:
    """As systemd makes it for the unit: StateDirectory=."""
    path = folder / "data"
    path.mkdir(mode=0o710)
    os.chown(path, SERVICE, SERVICE)
    return path


class Service(Gunicorn):
    """gunicorn as the unit starts it: as the service's user, with a log of root's."""

    def __init__(self, data_dir: Path, **settings: str):
        super().__init__(data_dir, workers=1, **settings)
        self.command, self.more = as_service(self.command), {"umask": 0o077}


def run(
    data_dir: Path, *words: str, check: bool = True, before: Sequence[str] = (), **more
) -> subprocess.CompletedProcess:
    """A command of the root shell, whose umask is the usual one."""
    outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    done = subprocess.run(
        [*reach(), *before, sys.executable, "app.py", *words],
        cwd=ROOT,
        env=outer | {"SVC_DATA_DIR": str(data_dir)},
        umask=0o022,
        capture_output=True,
        text=True,
        timeout=300,
        **more,
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def not_the_services(data_dir: Path) -> list[str]:
    """What in the data directory belongs to somebody else, or may be read by others."""
    found = (data_dir, *data_dir.rglob("*"))
    return [
        f"{each.relative_to(data_dir)} {each.lstat().st_uid} {stat.S_IMODE(each.lstat().st_mode):o}"
        for each in found
        if each.lstat().st_uid != SERVICE
        or each.lstat().st_gid != SERVICE
        or stat.S_IMODE(each.lstat().st_mode) & 0o067
    ]


def test_every_command_of_a_root_shell_leaves_the_directory_to_the_service(data_dir, folder):
    seeded = json.loads(run(data_dir, "seed", "--json").stdout)
    assert not_the_services(data_dir) == []
    service = Service(data_dir, SVC_BACKUP_EVERY_HOURS="24")
    with running(service):
        until(lambda: "this process runs the engine" in service.said(), "a driver")
        account = json.loads(
            run(data_dir, "account", "list", "--partner", seeded["partnerId"], "--json").stdout
        )[0]["id"]
        picture = ROOT / "svc/public/static/pictures/looks.png"
        shutil.copy(picture, folder / "logo.png")
        (folder / "logo.png").chmod(0o600)  # root's alone
        for words in (
            ["key-ring", "rotate"],
            ["key-ring", "list"],
            ["partner", "list"],
            ["alert", "list"],
            ["maintenance", "on"],
            ["maintenance", "off"],
            ["account", "logo", account, str(folder / "logo.png")],
            ["partner", "export", seeded["partnerId"], str(folder / "partner.tar")],
            ["backup", str(folder / "production.tar")],
            ["backup", "--verify", str(folder / "production.tar")],
        ):
            run(data_dir, *words)
            assert not_the_services(data_dir) == [], words
        assert (folder / "production.tar").stat().st_uid == 0
        found = run(data_dir, "doctor", "--json", check=False)
        assert [
            each for each in json.loads(found.stdout)["findings"] if each["verdict"] == "problem"
        ] == []
        assert not_the_services(data_dir) == []
    assert "Traceback" not in service.said() and "Permission denied" not in service.said()
    with running(service):  # and a new start finds nothing that it may not use
        assert answers(service.port)


def test_a_restore_into_the_services_directory_is_the_services(data_dir, folder):
    run(data_dir, "seed")
    run(data_dir, "backup", str(folder / "production.tar"))
    shutil.rmtree(data_dir)
    data_dir.mkdir(mode=0o710)
    os.chown(data_dir, SERVICE, SERVICE)
    run(data_dir, "restore", str(folder / "production.tar"))
    assert not_the_services(data_dir) == []
    with running(Service(data_dir)) as service:
        assert answers(service.port)


@pytest.mark.parametrize("starts", ["serve", "gunicorn"])
def test_what_root_starts_by_hand_runs_as_the_service(data_dir, starts):
    gunicorn = Gunicorn(data_dir, workers=1)
    if starts == "serve":
        gunicorn.command = [sys.executable, "app.py", "serve", "--port", str(gunicorn.port)]
    gunicorn.command, gunicorn.more = [*reach(), *gunicorn.command], {"umask": 0o022}
    with running(gunicorn):
        until(lambda: "this process runs the engine" in gunicorn.said(), "a driver")
        assert {Path(f"/proc/{each}").stat().st_uid for each in gunicorn.workers()} == {SERVICE}
    assert not_the_services(data_dir) == []
    with running(Service(data_dir)) as service:
        assert answers(service.port)


@pytest.mark.parametrize("words", [["serve"], ["worker"]])
def test_why_root_could_not_start_one_is_left_to_the_service(data_dir, words):
    """Settings are read before root becomes the service's user."""
    env = ["env", "SVC_RENDER_WORKERS=none"]
    refused = run(data_dir, *words, before=env, check=False)
    assert refused.returncode == 2 and "SVC_RENDER_WORKERS" in refused.stderr
    assert "SVC_RENDER_WORKERS" in start_failures.find(data_dir, clock.now()).why
    assert not_the_services(data_dir) == []


def test_the_documented_commands_in_a_root_shell(folder):
    place = Place(folder / "place").install()
    place.folder.chmod(0o711)
    place.data_dir.mkdir(mode=0o710)
    os.chown(place.data_dir, SERVICE, SERVICE)
    run(place.data_dir, "seed")
    with running(Service(place.data_dir)) as service:
        place.run("Back up")
        assert not_the_services(place.data_dir) == []
        assert (place.backups / "production.tar").exists() and answers(service.port)


def test_a_directory_of_roots_own_stays_roots(folder):
    own = folder / "own"
    run(own, "seed")
    assert {each.stat().st_uid for each in (own, *own.rglob("*"))} == {0}
    assert owner.find_owner_to_become(own) is None


def test_what_was_left_open_is_closed_at_the_start_and_the_proxy_keeps_its_way_to_the_media(
    tmp_path,
):
    data_dir = tmp_path / "data"
    for name in ("media/x", "cache", "backups"):
        (data_dir / name).mkdir(parents=True)
    for path in (data_dir, *data_dir.rglob("*")):
        path.chmod(0o755)
    (data_dir / "secret").touch(mode=0o644)
    (data_dir / "secret").chmod(0o644)
    owner.remove_access_of_others(data_dir, proxy_reads=True)
    modes = {
        name: stat.S_IMODE((data_dir / name).stat().st_mode)
        for name in ("", "media", "media/x", "cache", "secret")
    }
    assert modes == {"": 0o711, "media": 0o755, "media/x": 0o755, "cache": 0o710, "secret": 0o600}
    data_dir.chmod(0o710)
    owner.remove_access_of_others(data_dir, proxy_reads=True)
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o710
    owner.remove_access_of_others(data_dir, proxy_reads=False)
    assert stat.S_IMODE((data_dir / "media").stat().st_mode) == 0o710
