"""``backup`` and ``restore`` as an operator calls them: one file, a repository, a moment;
plain and encrypted.
"""

import os
import random
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pyrage
import pytest
from support import plain_sql
from support.cast import Clock

from svc.base import clock as wall_clock
from svc.store.backup import database_file
from svc.store.database import db
from svc.work.backup import incremental
from svc.work.backup.shipping_process import Sender

pytestmark = pytest.mark.slow

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture
def data_dir(app, partner) -> Path:
    folder = app.extensions["svc"].settings.data_dir
    (folder / "assets").mkdir()
    (folder / "assets" / "logo.png").write_bytes(b"logo" * 100)
    return folder


@pytest.fixture
def run(data_dir, tmp_path):
    def invoke(
        *words: object, status: int = 0, data: Path = data_dir, **settings: str
    ) -> subprocess.CompletedProcess:
        environment = {**os.environ, "SVC_DATA_DIR": str(data), **settings}
        done = subprocess.run(
            [sys.executable, str(APP), *map(str, words)],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return invoke


@pytest.fixture
def identity(tmp_path) -> tuple[Path, str]:
    """A file with a private key as `age-keygen` writes it, and the public key."""
    key = pyrage.x25519.Identity.generate()
    path = tmp_path / "identity.txt"
    path.write_text(f"# created: 2026-11-21\n# public key: {key.to_public()}\n{key}\n")
    return path, str(key.to_public())


def same(one: Path, other: Path) -> bool:
    """Whether two databases have the same rows."""
    return rows(one) == rows(other)


def rows(path: Path) -> dict[str, list]:
    with closing(database_file.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {
            name: sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"').fetchall()))
            for name in tables
        }


def test_a_plain_backup_says_that_it_holds_the_secret_and_an_encrypted_one_does_not(
    run, data_dir, identity, tmp_path
):
    path, recipient = identity
    assert "not encrypted and holds `secret`" in run("backup", tmp_path / "plain.tar").stderr
    sealed = tmp_path / "sealed.tar.age"
    made = run("backup", sealed, "--recipient", recipient)
    assert made.stderr == "" and "whole and sound" in made.stdout
    assert (
        sealed.read_bytes().startswith(b"age-encryption.org/v1")
        and sealed.stat().st_mode & 0o777 == 0o600
    )
    assert (data_dir / "secret").read_bytes().strip() in (tmp_path / "plain.tar").read_bytes()
    assert (data_dir / "secret").read_bytes().strip() not in sealed.read_bytes()
    assert (
        "name the file with its private key" in run("backup", "--verify", sealed, status=2).stderr
    )
    assert "whole and sound" in run("backup", "--verify", sealed, "--identity", path).stdout
    assert "--identity" in run("restore", sealed, data=tmp_path / "there", status=2).stderr
    run("restore", sealed, "--identity", path, data=tmp_path / "there")
    assert same(tmp_path / "there" / "service.db", data_dir / "service.db")
    assert (tmp_path / "there" / "secret").read_bytes() == (data_dir / "secret").read_bytes()
    assert not [each for each in tmp_path.rglob("*") if each.name.endswith(".part")]


def test_the_settings_name_whom_backups_are_encrypted_to(run, identity, tmp_path):
    run("backup", tmp_path / "sealed.age", SVC_BACKUP_RECIPIENTS=identity[1])
    assert (tmp_path / "sealed.age").read_bytes().startswith(b"age-encryption.org/v1")
    assert (
        "is not a public key; use one"
        in run("backup", tmp_path / "x", "--recipient", "age1x", status=2).stderr
    )
    private = (identity[0]).read_text().split()[-1]
    refused = run("backup", tmp_path / "x", "--recipient", private, status=2).stderr
    assert "is not a public key; use one" in refused and private not in refused


def test_a_private_key_may_be_protected_by_a_passphrase(run, identity, tmp_path):
    path, recipient = identity
    protected, words = tmp_path / "identity.age", tmp_path / "words"
    protected.write_bytes(pyrage.passphrase.encrypt(path.read_bytes(), "correct horse"))
    words.write_text("correct horse\n")
    run("backup", tmp_path / "sealed", "--recipient", recipient)
    assert (
        "--passphrase-file"
        in run("backup", "--verify", tmp_path / "sealed", "--identity", protected, status=2).stderr
    )
    run(
        "backup",
        "--verify",
        tmp_path / "sealed",
        "--identity",
        protected,
        "--passphrase-file",
        words,
    )
    for content, status in ((b"correct horse\r\n", 0), (b"correct h\xf6rse", 2)):
        words.write_bytes(content)
        options = ("--identity", protected, "--passphrase-file", words)
        done = run("backup", "--verify", tmp_path / "sealed", *options, status=status)
        assert status == 0 or "words is not in UTF-8" in done.stderr
    words.write_text("wrong")
    wrong = run(
        "backup",
        "--verify",
        tmp_path / "sealed",
        "--identity",
        protected,
        "--passphrase-file",
        words,
        status=2,
    )
    assert "cannot be opened with this passphrase" in wrong.stderr


def test_an_encrypted_file_that_was_changed_or_cut_off_is_refused(run, identity, tmp_path):
    path, recipient = identity
    sealed = tmp_path / "sealed"
    run("backup", sealed, "--recipient", recipient)
    sound = sealed.read_bytes()
    for wrong in (sound[:-1], sound[: len(sound) // 2], sound[:-100] + b"x" + sound[-99:]):
        sealed.write_bytes(wrong)
        run("backup", "--verify", sealed, "--identity", path, status=2)
        run("restore", sealed, "--identity", path, data=tmp_path / "there", status=2)
        assert not (tmp_path / "there").exists()


def test_a_repository_is_listed_verified_restored_and_pruned(run, data_dir, tmp_path):
    place = f"{tmp_path / 'repository'}/"
    first = run("backup", place).stdout
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('number', '1')")
    second = run("backup", place).stdout
    run("backup", place, "--database-only")
    listed = run("backup", place, "--list").stdout.splitlines()
    assert [line.split()[1] for line in listed[1:]] == ["full", "full", "database"]
    old, new = first.split()[1].strip(","), second.split()[1].strip(",")
    assert "whole and sound" in run("backup", place, "--verify", "--id", old).stdout
    run("restore", place, data=tmp_path / "newest")
    run("restore", place, "--id", old, data=tmp_path / "oldest")
    assert same(tmp_path / "newest" / "service.db", data_dir / "service.db")
    assert "('number', '1')" not in rows(tmp_path / "oldest" / "service.db")["meta"]
    assert (tmp_path / "newest" / "assets" / "logo.png").read_bytes() == b"logo" * 100
    assert "use --yes" in run("backup", place, "--prune", status=2).stderr
    assert "1 backup," in run("backup", place, "--prune", "--yes", SVC_BACKUP_KEEP="1").stdout
    left = run("backup", place, "--list").stdout
    assert old not in left and new in left
    assert "There is no backup" in run("backup", place, "--verify", "--id", old, status=2).stderr


def test_a_moment_is_restored(run, data_dir, tmp_path):
    place = tmp_path / "repository"
    place.mkdir()
    run("backup", place)
    hand = Clock(wall_clock.now())
    sender = Sender(data_dir, incremental.open_repository(place), hand)
    sender.begin()
    sender.wait_for_base()
    before = hand.at
    hand.tick()
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('mistake', '1')")
    sender.send_changes()
    sender.close()
    run("restore", place, "--at", wall_clock.format_time(before), data=tmp_path / "before")
    assert "('mistake', '1')" not in rows(tmp_path / "before" / "service.db")["meta"]
    later = run(
        "restore", place, "--at", wall_clock.format_time(hand.tick(60)), data=tmp_path / "after"
    )
    assert same(tmp_path / "after" / "service.db", data_dir / "service.db")
    assert "what was committed after that is not in it" in later.stderr
    early = run("restore", place, "--at", "2020-01-01T00:00:00Z", data=tmp_path / "early", status=2)
    assert "the earliest moment is" in early.stderr
    assert (
        "not an ISO 8601 datetime"
        in run("restore", place, "--at", "noon", data=tmp_path / "early", status=2).stderr
    )


@pytest.mark.parametrize("kind", ["file", "encrypted file", "repository", "encrypted repository"])
def test_a_lost_secret_alone_is_brought_back_if_it_is_the_one_of_the_database(
    run, data_dir, identity, tmp_path, kind
):
    place = f"{tmp_path / 'kept'}{'/' if kind.endswith('repository') else ''}"
    to, by = (
        (["--recipient", identity[1]], ["--identity", identity[0]])
        if kind.startswith("encrypted")
        else ([], [])
    )
    run("backup", place, *to)
    secret, beside = data_dir / "secret", data_dir / "secret.restored"
    right = secret.read_text()
    assert (
        "nothing was written" in run("restore", place, *by, "--secret-only").stdout
        and not beside.exists()
    )
    secret.unlink()
    if by:
        assert (
            "--identity" in run("restore", place, "--secret-only", status=2).stderr
            and not secret.exists()
        )
    run("restore", place, *by, "--secret-only")
    assert secret.read_text() == right and secret.stat().st_mode & 0o777 == 0o600
    foreign = f"1:{'ab' * 32}\n"
    secret.write_text(foreign)
    said = run("restore", place, *by, "--secret-only").stdout
    assert f"mv {beside} {secret}" in said and (secret.read_text(), beside.read_text()) == (
        foreign,
        right,
    )
    assert beside.stat().st_mode & 0o777 == 0o600 and not list(data_dir.glob("*.part"))


def test_a_secret_that_the_database_does_not_know_is_not_brought_back(run, data_dir, tmp_path):
    secret = data_dir / "secret"
    right = secret.read_text()
    secret.write_text(f"1:{'ab' * 32}\n")
    run("backup", f"{tmp_path / 'foreign'}/")
    secret.unlink()
    assert (
        "in none of these backups"
        in run("restore", tmp_path / "foreign", "--secret-only", status=2).stderr
    )
    run("restore", tmp_path / "foreign", "--secret-only", data=tmp_path / "nothing", status=2)
    assert not secret.exists() and not (tmp_path / "nothing").exists()
    secret.write_text(right)
    run("key-ring", "rotate")
    run("backup", f"{tmp_path / 'foreign'}/")
    secret.unlink()
    with db.transaction():
        plain_sql.execute("UPDATE master_keys SET retired_at = 1 WHERE version = 1")
    run("restore", tmp_path / "foreign", "--secret-only")
    assert [line[:2] for line in secret.read_text().splitlines()] == ["2:"], (
        "a key that was retired since is valid again"
    )


def test_options_that_do_not_fit_are_said(run, tmp_path):
    run("backup", tmp_path / "x.tar")
    run("backup", f"{tmp_path}/")
    for words in (
        ["backup", tmp_path / "x.tar", "--list"],
        ["backup", "--list", "--verify"],
        ["restore", tmp_path / "x.tar", "--at", "2026-11-20T00:00Z"],
        ["restore", tmp_path / "nope.tar"],
        ["restore", tmp_path / "x.tar", "--secret-only", "--at", "2026-11-20T00:00Z"],
        ["backup", "ftp://x"],
        ["backup", tmp_path / "x.tar"],
        # of a variable that is not set: neither the default place nor the newest backup is meant
        ["backup", ""],
        ["backup", f"{tmp_path}/", "--verify", "--id", ""],
        ["restore", ""],
        ["restore", tmp_path, "--at", ""],
        ["restore", tmp_path, "--id", ""],
        ["restore", tmp_path / "x.tar", "--at", ""],
        # a typing mistake is no place without backups
        ["backup", f"{tmp_path}/nope/", "--list"],
        ["backup", f"{tmp_path}/nope/", "--prune", "--yes"],
        ["backup", tmp_path / "nope", "--verify"],
    ):
        run(
            *words,
            status=2,
            data=tmp_path / "there" if words[0] == "restore" else tmp_path / "data",
        )


def test_a_file_that_is_not_there_is_not_called_one_for_its_options(run, tmp_path):
    done = run("restore", tmp_path / "nope.tar", "--at", "noon", data=tmp_path / "there", status=2)
    assert "does not exist" in done.stderr and "is one file" not in done.stderr


def test_a_backup_that_is_killed_again_and_again_leaves_every_earlier_one_whole(
    data_dir, run, tmp_path
):
    """Killed before its first step, begun again and killed before the second one of what is left,
    and so on until it ends.
    """
    chance, place = random.Random(3), tmp_path / "repository"
    repo, kept = incremental.open_repository(place), 2
    media = data_dir / "fonts"
    media.mkdir()
    for number in range(kept + 1):  # so that one is pruned
        (media / f"{number}.bin").write_bytes(chance.randbytes(200_000))
        if number < kept:
            incremental.add_backup(data_dir, repo)
    with db.transaction():
        for part in range(50):
            plain_sql.execute(
                "INSERT INTO meta VALUES (?, ?)", (str(part), "x" * chance.randrange(2000))
            )
    step, code = 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        step += 1
        command = [
            sys.executable,
            "-m",
            "tests.support.killed_at",
            str(step),
            str(tmp_path),
            "svc.work.backup.process",
        ]
        done = subprocess.run(
            [*command, str(data_dir), str(place), str(kept), ""],
            cwd=APP.parent,
            capture_output=True,
            text=True,
            timeout=120,
        )
        code = done.returncode
        assert code in (0, -signal.SIGKILL), done.stderr
        for entry in repo.list_entries():
            assert incremental.verify_backup(repo, entry)
    assert step > 10 and len(repo.list_entries()) == kept
    named = {name for entry in repo.list_entries() for name in entry.objects}
    assert {name.rpartition("/")[2] for name in repo.objects.list_names("objects")} == named
    run("restore", place, data=tmp_path / "there")
    assert same(tmp_path / "there" / "service.db", data_dir / "service.db")
    assert sorted(each.read_bytes() for each in (tmp_path / "there" / "fonts").iterdir()) == sorted(
        each.read_bytes() for each in media.iterdir()
    )
