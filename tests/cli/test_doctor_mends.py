"""The doctor in broken states: a real data directory is broken,
and the command that the doctor names mends it.
"""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pyrage
import pytest
from support.front import Process

from svc.base.processes import owner
from svc.store.backup import database_file
from svc.store.engine import schema
from svc.work.backup import archive, incremental
from tests.store.buckets import serving
from tests.support.service_user import SERVICE, as_service, reach
from tests.torture.victim import answers, free_port
from tests.work.test_recovery import until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MEGABYTE = 1 << 20
_HOLDER = """
import sys, time
from svc.store.backup import database_file
connection = database_file.connect(sys.argv[1])
connection.execute(sys.argv[2])
print(flush=True)
time.sleep(600)
"""


class Place:
    """A data directory that can be broken, with the programs that are started on it."""

    def __init__(self, folder: Path, template: Path | None = None):
        self.folder, self.data_dir, self.port = folder, folder / "data", free_port()
        self.backup = self.data_dir / "backups" / "backup-20261101T000000Z.tar"
        self.environment = {"SVC_DATA_DIR": str(self.data_dir), "SVC_DISK_FLOOR_MEGABYTES": "1"}
        self.runs_as_service, self.started, self.server = False, [], None
        if template:
            subprocess.run(["cp", "--archive", template, self.data_dir], check=True)

    def command(self, *words: str) -> list[str]:
        command = [sys.executable, "app.py", *words]
        return as_service(command) if self.runs_as_service else command

    @property
    def whole_environment(self) -> dict[str, str]:
        outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        return (
            outer
            | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
            | self.environment
        )

    def run(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.command(*words),
            cwd=ROOT,
            env=self.whole_environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def serve(self) -> None:
        """Start the server as the doctor's `python app.py serve` does;
        returns when an engine's heart beats.
        """
        self.server = Process(
            self.command("serve", "--port", str(self.port)),
            self.folder / "serve.log",
            self.environment,
        )
        self.started.append(self.server)
        self.server.launch()
        self.server.wait_until(lambda: answers(self.port))
        until(lambda: "this process runs the engine" in self.server.said(), "a driver")

    def examine(self) -> tuple[int, list[dict]]:
        """What the doctor's exit code is, and its problems;
        that it changed nothing has been made sure of.
        """
        before = self.seen()
        done = self.run("doctor", "--json")
        assert "Traceback" not in done.stderr and done.stdout, done.stderr
        assert self.seen() == before or self.server is not None, "the doctor changed something"
        return done.returncode, [
            each for each in json.loads(done.stdout)["findings"] if each["verdict"] == "problem"
        ]

    def seen(self) -> dict:
        """Every file with what it is, but for the index of the log, which readers share."""
        files = sorted(each for each in self.folder.rglob("*") if not each.name.endswith("-shm"))
        return {
            str(each): (
                each.lstat().st_mode,
                each.lstat().st_size,
                each.lstat().st_mtime_ns,
                each.lstat().st_uid,
            )
            for each in files
        }

    def edit(self, sql: str, *parameters) -> None:
        with closing(database_file.connect(self.data_dir / "service.db")) as connection:
            connection.execute(sql, parameters)

    def hold(self, statement: str) -> None:
        """Another program that keeps the database locked."""
        held = subprocess.Popen(
            [sys.executable, "-c", _HOLDER, self.data_dir / "service.db", statement],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        self.started.append(held)
        held.stdout.readline()

    def mend(self, command: str) -> None:
        """What the doctor names, to the letter; a setting is set, HOST is ours,
        and FILE is the backup that somebody has.
        """
        command = command.replace("//HOST ", "//media.example.com ")
        if re.fullmatch(r"[A-Z_]+=\S+( +#.*)?", command):
            name, _, value = command.partition(" ")[0].partition("=")
            self.environment[name] = value
        elif command.startswith("python app.py serve"):
            self.serve()
        else:
            command = command.replace("FILE", str(self.folder / "kept.tar"))
            command = command.replace("PRIVATE-KEY", str(self.folder / "identity"))
            done = subprocess.run(
                ["sh", "-ec", command],
                cwd=ROOT,
                env=self.whole_environment,
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, done.stdout + done.stderr

    def end(self) -> None:
        for each in self.started:
            if isinstance(each, Process):
                each.end()
            else:
                each.kill()
                each.communicate()


@dataclass(frozen=True)
class State:
    """``breaks``: what is done to a place.

    ``finding``: its name; ``says``: words of its text; ``mend``: how that begins.
    """

    name: str
    breaks: Callable[[Place], object]
    finding: str
    says: str
    mend: str
    more: dict[str, str] = field(default_factory=dict)


def damage(place: Place) -> None:
    with (place.data_dir / "service.db").open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(40_000))


def forge_secret(place: Place) -> None:
    (place.data_dir / "secret").write_text(f"1:{'ab' * 32}\n")


def rotate_and_go_back(place: Place) -> None:
    before = (place.data_dir / "secret").read_text()
    assert place.run("key-ring", "rotate").returncode == 0
    assert (
        place.run("backup", str(place.data_dir / "backups/backup-20261102T000000Z.tar")).returncode
        == 0
    )
    (place.data_dir / "secret").write_text(before)


def repeat_in_repository(place: Place, *options: str) -> None:
    """The backup of an earlier release has gone; in its place there is what is made
    by the clock.
    """
    place.backup.unlink()
    folder = Path(place.environment.get("SVC_BACKUP_DIR", place.backup.parent))
    folder.mkdir(mode=0o700, exist_ok=True)
    done = place.run("backup", *options)
    assert done.returncode == 0 and any(folder.glob("manifests/*.json")), done.stderr


def elsewhere(place: Place) -> None:
    place.environment["SVC_BACKUP_DIR"] = str(place.folder / "another disk")
    (place.folder / "another disk").mkdir(mode=0o700)
    repeat_in_repository(place)


def encrypted(place: Place) -> None:
    key = pyrage.x25519.Identity.generate()
    (place.folder / "identity").write_text(f"{key}\n")
    repeat_in_repository(place, "--recipient", str(key.to_public()))


def to_bucket(place: Place) -> None:
    shutil.rmtree(place.backup.parent)
    place.environment["SVC_BACKUP_URL"] = "s3://backups/doctor"
    done = place.run("backup")
    assert done.returncode == 0, done.stderr


def ship_alone(place: Place) -> None:
    """Nothing but a stream of the database."""
    place.backup.unlink()
    # whose first one is made later
    place.environment |= {"SVC_BACKUP_SHIP_SECONDS": "1", "SVC_BACKUP_EVERY_HOURS": "24"}
    place.serve()
    until(lambda: any(place.backup.parent.glob("manifests/*.json")), "a base of the stream")
    place.end()
    place.server = None
    del place.environment["SVC_BACKUP_SHIP_SECONDS"], place.environment["SVC_BACKUP_EVERY_HOURS"]


def lose_secret(place: Place) -> None:
    (place.data_dir / "secret").unlink()


def go_back_to_a_secret_in_a_file(place: Place) -> None:
    """The file is older than the repository, and lacks what was rotated since."""
    before = (place.data_dir / "secret").read_text()
    kept = place.backup.read_bytes()
    assert place.run("key-ring", "rotate").returncode == 0
    repeat_in_repository(place)
    place.backup.write_bytes(kept)
    os.utime(place.backup, (1, 1))
    (place.data_dir / "secret").write_text(before)


def stop_half_way(place: Place) -> None:
    """A restoration that was killed when the first file was there."""
    shutil.rmtree(place.data_dir)
    place.data_dir.mkdir()
    with archive.open_archive(place.folder / "kept.tar") as kept:
        (place.data_dir / schema.RESTORING).write_text(kept.manifest.id)
        kept.extract("secret", place.data_dir / "secret")


def stop_half_way_from_repository(place: Place) -> None:
    """As the doctor's own command for a damaged database leaves it,
    when it is killed as soon as a file is there.
    """
    repeat_in_repository(place)
    aside = place.data_dir.with_name("data.damaged")
    place.data_dir.rename(aside)
    place.data_dir.mkdir(mode=0o710)
    repo = incremental.open_repository(aside / "backups")
    stored = repo.open_entry(repo.find_newest())
    (place.data_dir / schema.RESTORING).write_text(stored.manifest.id)
    stored.extract("secret", place.data_dir / "secret")


def fill_with_repository(place: Place) -> None:
    """The older one of two backups has what makes the difference."""
    ballast = place.data_dir / "assets" / "ballast"
    ballast.parent.mkdir(exist_ok=True)
    ballast.write_bytes(os.urandom(4 * MEGABYTE))
    repeat_in_repository(place)
    ballast.unlink()
    assert place.run("backup").returncode == 0
    there = os.statvfs(place.data_dir)
    free = there.f_bavail * there.f_frsize // 1_000_000
    place.environment["SVC_DISK_FLOOR_MEGABYTES"] = str(free + 2)


def give_to_root(place: Place, *names: str) -> None:
    """As a root shell of an earlier release left it, for a service of its own user."""
    for each in (place.data_dir, *place.data_dir.rglob("*")):
        os.chown(each, SERVICE, SERVICE)
    for name in names:
        path = place.data_dir / name
        path.touch(mode=0o600)
        for each in (path, *path.rglob("*")):
            os.chown(each, 0, 0)
    place.folder.chmod(0o711)
    place.runs_as_service = True


def fill_with_cache(place: Place) -> None:
    (place.data_dir / "cache").mkdir(exist_ok=True)
    with (place.data_dir / "cache/scene").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(16384)):
                pass
        except OSError:
            pass


def fill_with_backups(place: Place) -> None:
    shutil.copy(place.backup, place.backup.with_name("backup-20261003T000000Z.tar"))
    with place.backup.with_name("backup-20261003T000000Z.tar").open("ab", buffering=0) as file:
        try:
            while file.write(bytes(16384)):
                pass
        except OSError:
            pass


def remount_read_only(place: Place) -> None:
    subprocess.run(["mount", "-o", "remount,ro", place.folder], check=True)


def stop_heart(place: Place) -> None:
    place.serve()
    path = place.data_dir / "driver.lock"
    inode = path.stat().st_ino
    lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    [driver] = {
        int(words[4])
        for words in lines
        if words[1] == "FLOCK" and int(words[5].split(":")[2]) == inode
    }
    with closing(database_file.connect(place.data_dir / "service.db")) as connection:
        connection.execute("BEGIN IMMEDIATE")  # or it might be stopped in a transaction of its own
        os.kill(driver, signal.SIGSTOP)
        long_ago = str(int(time.time() - 60) * 1000)
        connection.execute("UPDATE meta SET value = ? WHERE name = 'heartbeat'", (long_ago,))
        connection.execute("COMMIT")


def seen(scheme: str, host: str, forwarded: bool) -> Callable[[Place], None]:
    noted = {"scheme": scheme, "host": host, "forwarded": forwarded}

    def note(place: Place) -> None:
        text = json.dumps(noted | {"at": int(time.time() * 1000)})
        place.edit("INSERT OR REPLACE INTO meta VALUES ('address_seen', ?)", text)

    return note


def remove_backups(place: Place) -> None:
    shutil.rmtree(place.data_dir / "backups")
    place.edit("DELETE FROM meta WHERE name = 'backup'")


STATES = [
    State(
        "there is no data directory",
        lambda it: shutil.rmtree(it.data_dir),
        "directory",
        "no data directory",
        "python app.py serve",
    ),
    State(
        "nobody serves", lambda it: None, "engine", "No engine is running", "python app.py serve"
    ),
    State(
        "the secret is open to others",
        lambda it: (it.data_dir / "secret").chmod(0o644),
        "modes",
        "secret",
        "chmod 600",
    ),
    State(
        "the database is open to others",
        lambda it: (it.data_dir / "service.db").chmod(0o644),
        "modes",
        "service.db",
        "chmod 600",
    ),
    State(
        "the directory is open to others",
        lambda it: it.data_dir.chmod(0o755),
        "modes",
        "755",
        "chmod 700",
    ),
    State(
        "the backups are open to others",
        lambda it: (it.data_dir / "backups").chmod(0o755),
        "modes",
        "backups",
        "chmod 700",
    ),
    State(
        "the secret is missing",
        lambda it: (it.data_dir / "secret").unlink(),
        "secret",
        "missing",
        "tar --extract",
    ),
    State(
        "the secret is another's", forge_secret, "secret", "another installation", "tar --extract"
    ),
    State(
        "the secret is empty",
        lambda it: (it.data_dir / "secret").write_text(""),
        "secret",
        "no usable key",
        "tar --extract",
    ),
    State(
        "the secret lacks a key",
        rotate_and_go_back,
        "secret",
        "does not contain master key 2",
        "tar --extract",
    ),
    State(
        "the secret is missing and no backup is here",
        lambda it: [(it.data_dir / "secret").unlink(), it.backup.unlink()],
        "secret",
        "missing",
        "tar --extract --file FILE",
    ),
    State("pages of the database are damaged", damage, "database", "is damaged", "mv "),
    State(
        "the database is something else",
        lambda it: (it.data_dir / "service.db").write_bytes(b"not a database" * 1000),
        "database",
        "is damaged",
        "mv ",
    ),
    State(
        "the database is missing",
        lambda it: (it.data_dir / "service.db").unlink(),
        "database",
        "missing",
        "mv ",
    ),
    State(
        "the database is empty",
        lambda it: os.truncate(it.data_dir / "service.db", 0),
        "database",
        "empty",
        "mv ",
    ),
    State(
        "the secret is missing and a repository has it",
        lambda it: [repeat_in_repository(it), lose_secret(it)],
        "secret",
        "missing",
        "SVC_DATA_DIR=",
    ),
    State(
        "the secret is another's and a repository has it",
        lambda it: [repeat_in_repository(it), forge_secret(it)],
        "secret",
        "another installation",
        "SVC_DATA_DIR=",
    ),
    State(
        "the secret lacks a key and a repository has it",
        go_back_to_a_secret_in_a_file,
        "secret",
        "does not contain master key 2",
        "SVC_DATA_DIR=",
    ),
    State(
        "the secret is missing and an encrypted repository has it",
        lambda it: [encrypted(it), lose_secret(it)],
        "secret",
        "missing",
        "SVC_DATA_DIR=",
    ),
    State(
        "the secret is missing and a stream alone has it",
        lambda it: [ship_alone(it), lose_secret(it)],
        "secret",
        "missing",
        "SVC_DATA_DIR=",
    ),
    State(
        "pages of the database are damaged and a repository has it",
        lambda it: [repeat_in_repository(it), damage(it)],
        "database",
        "is damaged",
        "mv ",
    ),
    State(
        "pages of the database are damaged and an encrypted repository has it",
        lambda it: [encrypted(it), damage(it)],
        "database",
        "is damaged",
        "mv ",
    ),
    State(
        "the database is missing and a repository elsewhere has it",
        lambda it: [elsewhere(it), (it.data_dir / "service.db").unlink()],
        "database",
        "missing",
        "mv ",
    ),
    State(
        "the database is empty and a stream alone has it",
        lambda it: [ship_alone(it), os.truncate(it.data_dir / "service.db", 0)],
        "database",
        "empty",
        "mv ",
    ),
    State(
        "a restoration was interrupted",
        stop_half_way,
        "restore",
        "only partly restored",
        "python app.py restore FILE",
    ),
    State(
        "a restoration from a repository was interrupted",
        stop_half_way_from_repository,
        "restore",
        "only partly restored",
        "SVC_DATA_DIR=",
    ),
    State(
        "a program writes and does not end",
        lambda it: it.hold("BEGIN IMMEDIATE"),
        "database",
        "keeps the database locked",
        "kill ",
    ),
    State(
        "a program has the database for itself",
        lambda it: [it.edit("PRAGMA journal_mode = delete"), it.hold("BEGIN EXCLUSIVE")],
        "database",
        "keeps the database locked",
        "kill ",
    ),
    State("the engine hangs", stop_heart, "engine", "heartbeat has stopped", "kill -KILL"),
    State(
        "no backup was made",
        remove_backups,
        "backup",
        "None has been made",
        "mkdir ",
        {"SVC_BACKUP_EVERY_HOURS": "24"},
    ),
    State(
        "partners come by another address",
        seen("https", "media.example.com", False),
        "address",
        "media.example.com",
        "SVC_BASE_URL=",
    ),
    State(
        "a proxy is not counted",
        seen("http", "127.0.0.1", True),
        "proxy",
        "not trusted",
        "SVC_TRUSTED_PROXIES=1",
    ),
]
AS_ANOTHER_USER = [
    State(
        "the directory is root's",
        lambda it: (give_to_root(it), os.chown(it.data_dir, 0, 0), it.data_dir.chmod(0o700)),
        "owner",
        "who runs this",
        "chown --recursive",
    ),
    State(
        "a lock file is root's",
        lambda it: give_to_root(it, "backup.lock"),
        "owner",
        "backup.lock",
        "chown --recursive",
    ),
    State(
        "the shared memory is root's",
        lambda it: give_to_root(it, "shared", "shared.lock"),
        "owner",
        "shared",
        "chown --recursive",
    ),
    State(
        "the folder of backups is root's",
        lambda it: give_to_root(it, "backups"),
        "backups",
        "No backup can be written",
        "chown ",
    ),
]
ON_A_SMALL_DISK = [
    State(
        "the disk is full of what can be made again",
        fill_with_cache,
        "space",
        "MB are free",
        "find ",
        {"SVC_DISK_FLOOR_MEGABYTES": "15"},
    ),
    State(
        "the disk is full of backups",
        fill_with_backups,
        "space",
        "backups are on the same disk",
        "rm ",
    ),
    State(
        "the disk is full of backups in a repository",
        fill_with_repository,
        "space",
        "2 backups are on the same disk",
        "SVC_BACKUP_KEEP=1 ",
    ),
    State(
        "the disk is mounted read-only",
        remount_read_only,
        "disk",
        "read-only",
        "mount -o remount,rw",
    ),
]

IN_A_BUCKET = [
    State(
        "the secret is another's and a bucket has it",
        lambda it: [to_bucket(it), forge_secret(it)],
        "secret",
        "another installation",
        "SVC_DATA_DIR=",
    ),
    State(
        "pages of the database are damaged and a bucket has it",
        lambda it: [to_bucket(it), damage(it)],
        "database",
        "is damaged",
        "mv ",
    ),
]


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A data directory that was in use, with a backup of it."""
    place = Place(tmp_path_factory.mktemp("template"))
    place.run("seed")
    place.serve()
    place.end()
    place.backup.parent.mkdir(mode=0o700)
    assert place.run("backup", str(place.backup)).returncode == 0
    return place.data_dir


@pytest.fixture
def place(template):
    folder = Path(tempfile.mkdtemp(prefix="doctor."))
    made = Place(folder, template)
    shutil.copy(made.backup, folder / "kept.tar")
    try:
        yield made
    finally:
        made.end()
        shutil.rmtree(folder)


def is_found_and_mended(place: Place, state: State) -> None:
    """The doctor is right about the state, and after the command that it names has
    nothing to say.
    """
    place.environment |= state.more
    state.breaks(place)
    status, problems = place.examine()
    found = next(
        (each for each in problems if each["name"] == state.finding and state.says in each["text"]),
        None,
    )
    assert status == 1 and found, problems
    assert found["mend"].startswith(state.mend), found
    for each in problems:  # what else is a problem is one because of it
        if each["name"] != "engine":
            place.mend(each["mend"])
    if place.server is None:
        place.serve()
    elif state.finding == "engine" and found["mend"].startswith("kill"):
        place.mend(found["mend"])
    until(lambda: place.examine() == (0, []), "the doctor's content")


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_a_broken_state_is_found_and_mended_by_the_command_that_is_named(place, state):
    is_found_and_mended(place, state)


@pytest.mark.parametrize("state", AS_ANOTHER_USER, ids=lambda state: state.name)
def test_what_root_left_is_found_and_mended_by_the_command_that_is_named(place, state):
    reach()
    is_found_and_mended(place, state)
    assert owner.find_owner(place.data_dir).uid == SERVICE


@pytest.fixture
def small(place, template):
    """The place on a file system of its own, of a few megabytes."""
    if os.geteuid() or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    shutil.rmtree(place.data_dir)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place.folder], check=True)
    try:
        subprocess.run(["cp", "--archive", template, place.data_dir], check=True)
        yield place
    finally:
        place.end()
        place.started.clear()
        subprocess.run(["umount", "--lazy", place.folder], check=True)


@pytest.mark.parametrize("state", ON_A_SMALL_DISK, ids=lambda state: state.name)
def test_a_disk_in_trouble_is_found_and_mended_by_the_command_that_is_named(small, state):
    is_found_and_mended(small, state)


@pytest.mark.parametrize("state", IN_A_BUCKET, ids=lambda state: state.name)
def test_what_is_in_a_bucket_is_named_and_mends(place, monkeypatch, state):
    with serving("backups") as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        is_found_and_mended(place, state)


def test_what_was_just_restored_has_no_problem_but_that_nobody_serves(place):
    shutil.rmtree(place.data_dir)
    assert place.run("restore", str(place.folder / "kept.tar")).returncode == 0
    status, problems = place.examine()
    assert (status, [each["name"] for each in problems]) == (1, ["engine"])


def test_a_log_that_a_killed_server_left_is_read_and_left(place):
    place.serve()
    place.server.kill()
    wal = place.data_dir / "service.db-wal"
    assert wal.stat().st_size
    before = wal.read_bytes()
    status, problems = place.examine()
    assert (status, [each["name"] for each in problems]) == (
        1,
        ["engine"],
    ) and wal.read_bytes() == before


def test_a_lock_that_is_asked_for_is_not_kept(place):
    path = place.data_dir / "driver.lock"
    path.touch()
    place.examine()
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_there_are_twenty_states():
    assert len({state.name for state in (*STATES, *AS_ANOTHER_USER, *ON_A_SMALL_DISK)}) >= 20
