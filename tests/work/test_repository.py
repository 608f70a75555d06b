"""The repository of backups: each content once, nothing lost by a kill between any two lines,
damage found, pruning exact.
"""

import shutil
from contextlib import closing
from pathlib import Path

import pyrage
import pytest
from support import plain_sql
from support.cast import body
from support.stage import complete_steps, make, publish_all

from svc.adapters.objects import Directory
from svc.base import clock as wall_clock
from svc.base.crypto.age_encryption import Opener, Sealer
from svc.base.errors import CommandError
from svc.store.backup import database_file
from svc.store.database import db
from svc.store.engine import schema
from svc.work.backup import incremental, restore
from svc.work.backup.repository import BASE, DATABASE_ONLY, FULL, Repository, Stored

pytestmark = pytest.mark.sqlite("repositories hold pages of the file")


@pytest.fixture
def data_dir(app, partner, clock) -> Path:
    """With a production that was published, and its files."""
    folder = app.extensions["svc"].settings.data_dir
    production = body(partner.trigger())["productionId"]
    for name, content in (("transcript.txt", b"tides"), ("video.mp4", bytes(range(256)) * 40_000)):
        path = folder / "media" / production / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    app.extensions["svc"].recorder.stop()  # so that nothing is written to the database any more
    return folder


@pytest.fixture
def repo(tmp_path) -> Repository:
    return Repository(Directory(tmp_path / "repository"))


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a data directory besides its database."""
    kept = (each for each in folder.rglob("*") if each.is_file() and each.parent != folder)
    return {str(each.relative_to(folder)): each.read_bytes() for each in kept} | {
        "secret": (folder / "secret").read_bytes()
    }


def rows(path: Path) -> dict[str, list]:
    """Every row of every table."""
    with closing(database_file.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        return {
            name: sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"').fetchall()))
            for name in tables
        }


def restored(repo: Repository, target: Path, entry=None) -> Path:
    restore.restore_from(Stored(repo, entry or repo.find_newest()), target)
    with closing(database_file.connect(target / "service.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    return target


def test_what_is_restored_is_what_was_there(data_dir, repo, tmp_path):
    written = incremental.add_backup(data_dir, repo)
    assert (written.entry.kind, written.entry.files) == (FULL, 4)
    assert incremental.verify_backup(repo, written.entry).rows["productions"] == 1
    there = restored(repo, tmp_path / "there")
    assert contents(there) == {
        name: text for name, text in contents(data_dir).items() if "journal" not in name
    }
    assert rows(there / "service.db") == rows(data_dir / "service.db")
    assert (there / "secret").stat().st_mode & 0o777 == 0o600


def test_unchanged_media_are_stored_once_and_not_read_again(data_dir, repo, monkeypatch):
    first = incremental.add_backup(data_dir, repo)
    read = []
    opened = Path.open
    monkeypatch.setattr(
        Path,
        "open",
        lambda self, *more, **other: (read.append(self.name), opened(self, *more, **other))[1],
    )
    second = incremental.add_backup(data_dir, repo)
    assert "video.mp4" not in read and "transcript.txt" not in read
    assert first.new_bytes > 60_000 and second.new <= 3
    media = {name for name in first.entry.objects if name in second.entry.objects}
    assert len(media) >= len(first.entry.objects) - 3


def test_only_the_pages_that_changed_are_stored_anew(data_dir, repo):
    with db.transaction():
        for number in range(3000):
            plain_sql.execute("INSERT INTO meta VALUES (?, ?)", (f"filler {number}", "x" * 1000))
    first = incremental.add_backup(data_dir, repo, database_only=True)
    with db.transaction():
        plain_sql.execute("UPDATE meta SET value = 'y' WHERE name = 'filler 1500'")
    second = incremental.add_backup(data_dir, repo, database_only=True)
    assert first.new > 10 and second.new <= 5


def test_a_file_that_changed_in_place_is_stored_anew(data_dir, repo, tmp_path):
    incremental.add_backup(data_dir, repo)
    [video] = data_dir.glob("media/*/video.mp4")
    video.unlink()
    video.write_bytes(b"another")
    incremental.add_backup(data_dir, repo)
    [there] = restored(repo, tmp_path / "there").glob("media/*/video.mp4")
    assert there.read_bytes() == b"another"


def test_the_database_alone_is_backed_up_with_the_secret_and_without_media(
    data_dir, repo, tmp_path
):
    entry = incremental.add_backup(data_dir, repo, database_only=True).entry
    there = restored(repo, tmp_path / "there", entry)
    assert sorted(each.name for each in there.iterdir()) == ["secret", "service.db"]


class Killed(BaseException):
    """What ends a process between two lines."""


class Dying(Directory):
    """A directory whose process is killed at the n-th change."""

    def __init__(self, root: Path, after: int):
        super().__init__(root)
        self.left = after

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed

    def put(self, name, content):
        self._count()
        super().put(name, content)

    def delete(self, name):
        self._count()
        super().delete(name)


@pytest.mark.slow
def test_a_kill_between_any_two_changes_leaves_earlier_backups_whole(data_dir, repo, tmp_path):
    first = incremental.add_backup(data_dir, repo).entry
    whole, number = restored(repo, tmp_path / "whole", first), 0
    while True:
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(tmp_path / "repository", tmp_path / "copy")
        (data_dir / "backup-index.json").unlink()
        with db.transaction():
            plain_sql.execute("INSERT OR REPLACE INTO meta VALUES ('number', ?)", (str(number),))
        try:
            incremental.add_backup(data_dir, Repository(Dying(tmp_path / "copy", number)), keep=1)
        except Killed:
            ended = False
        else:
            ended = True
        after = Repository(Directory(tmp_path / "copy"))
        for entry in after.list_entries():
            incremental.verify_backup(after, entry)
        if first.id in {entry.id for entry in after.list_entries()}:
            again = restored(after, tmp_path / f"there-{number}", first)
            assert contents(again) == contents(whole)
        else:
            assert after.list_entries()  # the new one, which is whole
        if ended:
            break
        number += 1
        incremental.add_backup(
            data_dir, after, keep=1
        )  # and the next one goes on as if nothing had been
        assert len(after.list_entries()) == 1
    assert number > 5


def test_pruning_removes_only_what_no_manifest_names(data_dir, repo, clock):
    entries = []
    for number in range(4):
        [video] = data_dir.glob("media/*/video.mp4")
        video.unlink()
        video.write_bytes(f"film {number}".encode())
        entries.append(incremental.add_backup(data_dir, repo).entry)
    removed = repo.prune(2, wall_clock.now())
    assert removed["backups"] == 2 and removed["objects"] > 0
    kept = repo.list_entries()
    assert {entry.id for entry in kept} == {entry.id for entry in entries[2:]}
    there = {name.rpartition("/")[2] for name in repo.objects.list_names("objects")}
    assert there == {name for entry in kept for name in entry.objects}
    for entry in kept:
        incremental.verify_backup(repo, entry)


def test_nothing_is_pruned_while_a_manifest_cannot_be_read(data_dir, repo, tmp_path):
    entries = [incremental.add_backup(data_dir, repo).entry for _ in range(3)]
    (tmp_path / "repository" / "manifests" / f"{entries[0].id}.json").write_text("{}")
    before = sorted(repo.objects.list_names("objects"))
    with pytest.raises(CommandError, match="manifest of the backup .* is damaged"):
        repo.prune(1, wall_clock.now())
    assert sorted(repo.objects.list_names("objects")) == before


def test_any_object_that_changed_or_is_missing_is_found(data_dir, repo, tmp_path):
    entry = incremental.add_backup(data_dir, repo).entry
    for name in entry.objects:
        path = tmp_path / "repository" / "objects" / name[:2] / name
        sound = path.read_bytes()
        path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
        with pytest.raises(CommandError, match="damaged"):
            incremental.verify_backup(repo, entry)
        path.unlink()
        with pytest.raises(CommandError, match="lacks 1 object,"):
            incremental.verify_backup(repo, entry)
        path.write_bytes(sound)
    assert incremental.verify_backup(repo, entry)


def test_a_backup_of_before_release_1_0_0_is_refused_with_what_to_do(data_dir, repo, monkeypatch):
    incremental.add_backup(data_dir, repo)
    monkeypatch.setattr(schema, "OLDEST", schema.VERSION + 1)
    with pytest.raises(CommandError, match="restore it with release 1.0.0"):
        Stored(repo, repo.find_newest())


def test_an_interrupted_restoration_goes_on(data_dir, repo, tmp_path, monkeypatch):
    incremental.add_backup(data_dir, repo)
    extract, done = Stored.extract, []

    def full(self, name, target):
        if len(done) == 2:
            raise OSError(28, "No space left on device")
        done.append(name)
        extract(self, name, target)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Stored, "extract", full)
        with pytest.raises(CommandError, match="run the command again"):
            restored(repo, tmp_path / "there")
    again = []
    monkeypatch.setattr(Stored, "extract", lambda *given: (again.append(given[1]), extract(*given)))
    restored(repo, tmp_path / "there")
    assert not set(done) & set(again)


def test_an_encrypted_backup_needs_no_private_key_to_be_made_and_continued_and_pruned(
    data_dir, tmp_path
):
    identity = pyrage.x25519.Identity.generate()
    sealed = Repository(Directory(tmp_path / "repository"), Sealer([str(identity.to_public())]))
    first = incremental.add_backup(data_dir, sealed)
    second = incremental.add_backup(data_dir, sealed, keep=1)
    assert second.new <= 3 < first.new and [entry.id for entry in sealed.list_entries()] == [
        second.entry.id
    ]
    assert incremental.verify_backup(sealed, second.entry) is None
    secret = (data_dir / "secret").read_bytes().strip()
    for path in (tmp_path / "repository").rglob("*"):
        assert path.is_dir() or (
            secret not in path.read_bytes() and b"tides" not in path.read_bytes()
        )
    with pytest.raises(CommandError, match="is encrypted; name the file with its private key"):
        restored(sealed, tmp_path / "there")
    wrong = Repository(sealed.objects, opener=Opener([pyrage.x25519.Identity.generate()]))
    with pytest.raises(CommandError, match="cannot be decrypted"):
        restored(wrong, tmp_path / "there")
    mine = Repository(sealed.objects, opener=Opener([identity]))
    assert incremental.verify_backup(mine, second.entry).rows["productions"] == 1
    assert rows(restored(mine, tmp_path / "there") / "service.db") == rows(data_dir / "service.db")


def test_bases_stay_for_as_many_days_as_backups_are_kept(data_dir, repo):
    now = wall_clock.now()
    folder = repo.objects.root.parent / "base"
    folder.mkdir()
    archive_copy(data_dir / "service.db", folder / "service.db")
    for days in (9, 8, 6, 1):
        repo.add(folder, BASE, now - days * wall_clock.DAY)
    repo.prune(7, now)
    left = [round((now - entry.at) / wall_clock.DAY) for entry in repo.list_entries()]
    assert left == [8, 6, 1]  # the one of eight days ago begins the days that are kept


def test_no_base_is_removed_for_its_age_on_the_day_after_the_clock_was_set_ahead(data_dir, repo):
    now = wall_clock.now()
    folder = repo.objects.root.parent / "base"
    folder.mkdir()
    archive_copy(data_dir / "service.db", folder / "service.db")
    bases = [repo.add(folder, BASE, now - days * wall_clock.DAY).entry.id for days in (3, 2, 1, 0)]
    ahead = now + 40 * wall_clock.DAY
    bases.append(repo.add(folder, BASE, ahead).entry.id)
    for hours in (0, 23):  # also by a backup that is made meanwhile
        repo.prune(7, ahead + hours * wall_clock.HOUR)
        assert [entry.id for entry in repo.list_entries()] == bases
    repo.prune(7, ahead + wall_clock.DAY)  # nobody set it back: the machine was off for so long
    assert [entry.id for entry in repo.list_entries()] == bases[-2:]


@pytest.mark.parametrize("kind", [FULL, DATABASE_ONLY])
def test_what_is_made_after_the_clock_was_set_back_is_newer_than_what_is_dated_later(
    data_dir, repo, kind
):
    now = wall_clock.now()
    folder = repo.objects.root.parent / "backup"
    folder.mkdir()
    archive_copy(data_dir / "service.db", folder / "service.db")
    for days in (300, 301, 302):  # by a clock that was ahead
        repo.add(folder, kind, now + days * wall_clock.DAY)
    made = []
    for hours in (0, 1, 2, 3):
        at = now + hours * wall_clock.HOUR
        made.append(repo.add(folder, kind, at).entry.id)
        repo.prune(3, at)
        assert repo.find_newest((kind,), at).id == made[-1]
    assert [entry.id for entry in repo.list_entries()] == made[1:]


def archive_copy(source: Path, target: Path) -> None:
    with (
        closing(database_file.connect(source)) as connection,
        closing(database_file.connect(target)) as copy,
    ):
        connection.backup(copy)
