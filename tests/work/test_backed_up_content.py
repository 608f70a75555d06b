"""A backup has each file of media that the database names, with its size and SHA-256, or names the
missing and the damaged ones; the good copy of an earlier backup is kept where the file is damaged.
"""

import hashlib
from pathlib import Path

import pyrage
import pytest
from click.testing import CliRunner
from support import plain_sql
from support.cast import body
from support.stage import complete_steps, make

from svc.adapters.objects import Directory
from svc.base import settings
from svc.base.clock import SECOND
from svc.base.crypto.age_encryption import Sealer
from svc.base.errors import CommandError
from svc.cli import commands
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin
from svc.store.backup import database_file
from svc.store.database import db
from svc.work.backup import archive, incremental, restore, stream
from svc.work.backup import make as backup
from svc.work.backup.repository import Repository, Stored
from svc.work.backup.shipping_process import Sender
from svc.work.doctor import files as doctor
from svc.work.doctor.findings import OK, WARNING

pytestmark = pytest.mark.sqlite("repositories and plain backups hold the file")

FILM = bytes(range(256)) * 40
ME = Actor(None, "olga")


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


@pytest.fixture
def film(partner, clock, given, app) -> Path:
    """The file of a finished production, and a logo."""
    production = body(partner.live().trigger())["productionId"]
    path = given.media_dir / production / "landscape.mp4"
    path.parent.mkdir(parents=True)
    path.write_bytes(FILM)
    finished = make(
        file=f"{production}/landscape.mp4",
        size_bytes=len(FILM),
        sha256=hashlib.sha256(FILM).hexdigest(),
    )
    complete_steps(clock, made=[finished])
    admin.set_logo(
        ME, partner.account, b"\x89PNG\r\n\x1a\n" + b"x" * 100, given.assets_dir, clock()
    )
    app.extensions["svc"].recorder.stop()  # so that nothing is written to the database any more
    return path


@pytest.fixture
def repo(tmp_path) -> Repository:
    return Repository(Directory(tmp_path / "repository"))


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def altered(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def lost(path: Path) -> None:
    path.unlink()


def named(path: Path, given) -> tuple[str]:
    return (path.relative_to(given.data_dir).as_posix(),)


def run(monkeypatch, given, *words: object):
    monkeypatch.setattr(settings, "read", lambda: given)
    return CliRunner().invoke(commands.main, ["backup", *map(str, words)])


@pytest.mark.parametrize("harm", [truncated, altered])
@pytest.mark.parametrize("place", ["backup.tar", "repository/"])
@pytest.mark.parametrize("of", ["film", "logo"])
def test_a_damaged_file_is_said_when_it_is_backed_up_and_when_that_is_verified(
    film, given, tmp_path, monkeypatch, harm, place, of
):
    [path] = [film] if of == "film" else given.assets_dir.iterdir()
    harm(path)
    target = f"{tmp_path}/{place}"
    for words in ((target,), (target, "--verify")):
        done = run(monkeypatch, given, *words)
        assert done.exit_code == 3 and "whole and sound" not in done.output, done.output
        assert (
            "another size or SHA-256 than the database says: 1 file: " in done.output
            and named(path, given)[0] in done.output
        )


@pytest.mark.parametrize("place", ["backup.tar", "repository/"])
def test_a_backup_that_has_everything_as_the_database_says_is_whole(
    film, given, tmp_path, monkeypatch, place
):
    assert run(monkeypatch, given, f"{tmp_path}/{place}").exit_code == 0
    done = run(monkeypatch, given, f"{tmp_path}/{place}", "--verify")
    assert done.exit_code == 0 and "whole and sound" in done.output


def test_a_backup_of_the_database_alone_lacks_no_files(film, given, tmp_path, monkeypatch, repo):
    assert run(monkeypatch, given, tmp_path / "backup.tar", "--database-only").exit_code == 0
    assert run(monkeypatch, given, tmp_path / "backup.tar", "--verify").exit_code == 0
    incremental.add_backup(given.data_dir, repo, database_only=True)
    assert incremental.verify_backup(repo, repo.find_newest()).missing == ()


def test_a_backup_without_any_of_the_files_is_not_called_whole(
    film, given, tmp_path, monkeypatch, repo
):
    for path in (film, *given.assets_dir.iterdir()):  # as when their disk was not mounted
        path.unlink()
    file = tmp_path / "backup.tar"
    assert run(monkeypatch, given, file).exit_code == 3
    assert "none of the files" in run(monkeypatch, given, file, "--verify").output
    written = incremental.add_backup(given.data_dir, repo)
    assert len(incremental.verify_backup(repo, written.entry).missing) == 2


@pytest.mark.parametrize("harm", [truncated, altered, lost])
def test_a_good_copy_outlives_the_backups_that_had_it(film, given, repo, tmp_path, harm):
    incremental.add_backup(given.data_dir, repo, keep=2)
    harm(film)
    for _ in range(4):
        written = incremental.add_backup(given.data_dir, repo, keep=2)
        assert (written.missing, written.damaged, written.recovered) == ((), (), named(film, given))
        assert "in the backup as in an earlier one: 1 file" in incremental.describe_gaps(
            (), (), written.recovered
        )
    assert len(repo.list_entries()) == 2
    manifest = incremental.verify_backup(repo, repo.find_newest())
    assert (manifest.missing, manifest.damaged) == ((), ())
    restore.restore_from(Stored(repo, repo.find_newest()), tmp_path / "there")
    assert (tmp_path / "there" / named(film, given)[0]).read_bytes() == FILM


@pytest.mark.parametrize("harm", [truncated, lost])
def test_a_good_copy_outlives_encrypted_backups_too(film, given, tmp_path, harm):
    key = pyrage.x25519.Identity.generate()
    sealed = Repository(Directory(tmp_path / "sealed"), Sealer((str(key.to_public()),)))
    incremental.add_backup(given.data_dir, sealed, keep=1)
    for _ in range(3):
        if film.exists():
            harm(film)  # more each time
        assert incremental.add_backup(given.data_dir, sealed, keep=1).recovered == named(
            film, given
        )


def test_a_good_copy_is_found_without_an_index(film, given, repo):
    incremental.add_backup(given.data_dir, repo)
    truncated(film)
    (given.data_dir / "backup-index.json").unlink()
    assert incremental.add_backup(given.data_dir, repo).recovered == named(film, given)


def test_a_file_that_was_never_backed_up_well_is_in_the_backup_as_it_is(
    film, given, repo, tmp_path
):
    truncated(film)
    written = incremental.add_backup(given.data_dir, repo)
    assert (written.damaged, written.recovered) == (named(film, given), ())
    film.write_bytes(FILM)  # from a plain backup
    assert incremental.add_backup(given.data_dir, repo).damaged == ()


def test_an_encrypted_file_of_a_backup_says_what_is_damaged(film, given, tmp_path):
    key = pyrage.x25519.Identity.generate()
    altered(film)
    manifest = backup.make_backup(
        given.data_dir, tmp_path / "sealed.age", Sealer((str(key.to_public()),))
    )
    assert manifest.damaged == named(film, given)


def test_a_file_that_is_replaced_while_a_backup_begins_is_no_damage(
    film, given, tmp_path, monkeypatch
):
    """A correction writes rows and files anew: the snapshot is taken again,
    as long as something is odd.
    """
    taken, shorter = [], FILM[:-100]

    def snapshot(source, target, before=database_file.snapshot):
        before(source, target)
        taken.append(target)
        if len(taken) == 1:
            film.unlink()
            film.write_bytes(shorter)
            with db.transaction():
                row = {"size": len(shorter), "sha": hashlib.sha256(shorter).hexdigest()}
                plain_sql.execute("UPDATE deliverables SET size_bytes = :size, sha256 = :sha", row)

    monkeypatch.setattr(database_file, "snapshot", snapshot)
    assert backup.make_backup(given.data_dir, tmp_path / "backup.tar").damaged == ()
    assert len(taken) == 2


@pytest.mark.parametrize(
    "harm", ["a segment is altered", "a segment is missing", "the base lacks an object"]
)
def test_verify_reads_the_changes_that_were_shipped(film, given, repo, monkeypatch, tmp_path, harm):
    at = [plain_sql.one("SELECT max(created_at) FROM productions")[0]]
    sender = Sender(given.data_dir, repo, lambda: at[0])
    sender.begin()
    sender.wait_for_base()
    for number in range(3):
        with db.transaction():
            plain_sql.execute("INSERT INTO meta VALUES (?, 'x')", (f"shipped {number}",))
        at[0] += SECOND
        sender.send_changes()
    sender.close()
    place = f"{tmp_path}/repository/"
    done = run(monkeypatch, given, place, "--verify")
    assert (
        done.exit_code == 0
        and "and 3 segments until" in done.output
        and "whole and sound" in done.output
    )
    segments = sorted((tmp_path / "repository" / "wal").glob("*/*-*"))
    if harm == "a segment is altered":
        altered(segments[1])
    elif harm == "a segment is missing":
        lost(segments[1])
    else:
        [base] = repo.list_entries()
        lost(next((tmp_path / "repository" / "objects").glob(f"*/{base.objects[-1]}")))
    failed = run(monkeypatch, given, place, "--verify")
    assert isinstance(failed.exception, CommandError)
    with pytest.raises(CommandError):
        stream.verify(repo, repo.list_entries()[0])


def test_a_moment_takes_a_file_from_the_backup_that_has_it_as_the_database_says(
    film, given, repo, tmp_path
):
    at = [plain_sql.one("SELECT max(created_at) FROM productions")[0]]
    sender = Sender(given.data_dir, repo, lambda: at[0])
    sender.begin()
    sender.wait_for_base()
    sender.close()
    incremental.add_backup(given.data_dir, repo)
    truncated(film)
    index = given.data_dir / "backup-index.json"
    index.unlink()
    repo._find_earlier_files = lambda *_: iter(
        ()
    )  # as an earlier release, which did not keep the good copy
    incremental.add_backup(given.data_dir, repo)
    with stream.make_temporary_folder() as scratch:
        moment = stream.Moment(Repository(repo.objects), at[0], Path(scratch))
        assert (moment.missing, moment.damaged) == ((), ())
        restore.restore_from(moment, tmp_path / "there")
    assert (tmp_path / "there" / named(film, given)[0]).read_bytes() == FILM


def test_the_doctor_hashes_the_media_only_with_deep(film, given):
    altered(film)  # with its size
    with db.separate_connection(1.0) as connection:
        assert [each.verdict for each in doctor.examine(given, connection, False, 0)] == [OK]
        files, content = doctor.examine(given, connection, True, 0)
    assert files.verdict == OK and content.verdict == WARNING
    assert named(film, given)[0] in content.text and named(film, given)[0] in content.mend
    film.write_bytes(FILM)
    with db.separate_connection(1.0) as connection:
        assert [each.verdict for each in doctor.examine(given, connection, True, 0)] == [OK, OK]


def test_a_backup_of_an_old_release_is_verified_by_what_its_database_says(film, given, tmp_path):
    manifest = backup.make_backup(given.data_dir, tmp_path / "backup.tar")
    assert (
        archive.verify(tmp_path / "backup.tar") == manifest
        and "damaged" not in manifest.text().decode()
    )
