"""Incremental backups of the data directory, in a repository that stores unchanged files
and pages once.
"""

from collections.abc import Sequence
from pathlib import Path

from svc.adapters import objects
from svc.base import clock
from svc.base.crypto.age_encryption import Opener, Sealer
from svc.base.errors import CommandError
from svc.base.text.counted import count
from svc.store.backup import database_file, named_files
from svc.store.backup.database_file import DATABASE
from svc.store.database import db
from svc.work.backup import archive
from svc.work.backup import make as backup
from svc.work.backup.archive import Manifest
from svc.work.backup.make import Progress
from svc.work.backup.repository import (
    DATABASE_ONLY,
    FULL,
    Entry,
    Index,
    Repository,
    Stored,
    Written,
)

_INDEX = "backup-index.json"
_SHOWN = 10  # files in a sentence
_PATIENCE = 600.0  # seconds to wait for another backup


def open_repository(
    place: str | Path, recipients: Sequence[str] = (), opener: Opener | None = None
) -> Repository:
    """Return the repository at a directory or a URL.

    CommandError: ``place`` or a recipient's public key is invalid.
    """
    return Repository(objects.open_store(place), Sealer(recipients), opener)


def open_scheduled(data_dir: Path, place: str, recipients: str) -> Repository:
    """Return the repository of what is made by the clock, where nobody looks: a directory outside
    of the data directory is not made anew, because its disk may not be mounted.

    ``recipients``: public keys, comma between. CommandError: as for :func:`open_repository`.
    """
    must_exist = not Path(place).is_relative_to(data_dir)
    return Repository(
        objects.open_store(place, must_exist), Sealer(list(filter(None, recipients.split(","))))
    )


def add_backup(
    data_dir: Path,
    repo: Repository,
    *,
    database_only: bool = False,
    keep: int | None = None,
    patience: float = 0.0,
    progress: Progress = lambda done, of: None,
) -> Written:
    """Add a backup of ``data_dir`` while servers may run; ``keep``: then prune to that number.

    CommandError: it failed.
    """
    backup.require_database(data_dir)
    kind = DATABASE_ONLY if database_only else FULL
    _require_outside(data_dir, repo)
    try:
        with backup.hold_locks(data_dir, patience):
            with backup.hold_snapshot(
                data_dir, database_only=database_only, compact=False
            ) as snapshot:
                database_file.check(snapshot.folder / DATABASE)
                index = None if database_only else Index.read(data_dir / _INDEX)
                written = repo.add(
                    snapshot.folder,
                    kind,
                    clock.now(),
                    index,
                    progress=progress,
                    named=snapshot.named,
                )
            if missing := repo.list_missing(written.entry):
                raise CommandError(
                    f"The backup {written.entry.id} is incomplete: "
                    f"{count(len(missing), 'object is', 'objects are')} missing."
                )
            if keep:
                repo.prune(keep, clock.now())
    except (OSError, db.Error) as error:
        raise CommandError(f"The backup in {repo.objects} could not be made: {error}.") from error
    return written


def describe_gaps(
    missing: Sequence[str], damaged: Sequence[str], recovered: Sequence[str] = ()
) -> str:
    """Return what a backup does not have as the database says,
    in sentences for the operator; empty: nothing.
    """
    sentences = [
        f"{what}: {', '.join(map(named_files.describe_file, names[:_SHOWN]))}"
        f"{f', and {len(names) - _SHOWN} more' if len(names) > _SHOWN else ''}."
        for names, what in (
            (
                missing,
                f"Missing, and in no backup: {count(len(missing), 'file')} that the database names",
            ),
            (
                damaged,
                (
                    "In the backup of another size or SHA-256 than the database says: "
                    f"{count(len(damaged), 'file')}"
                ),
            ),
            (
                recovered,
                (
                    "Missing or damaged in the data directory, and in the backup as in an earlier "
                    f"one: {count(len(recovered), 'file')}"
                ),
            ),
        )
        if names
    ]
    return " ".join(
        [*sentences, "`python app.py doctor --deep` says how to mend that."] if sentences else []
    )


def _require_outside(data_dir: Path, repo: Repository) -> None:
    root = getattr(repo.objects, "root", None)
    if root and root.is_relative_to(data_dir) and not root.is_relative_to(data_dir / "backups"):
        raise CommandError(
            f"{root} is inside the directory that is backed up; only {data_dir / 'backups'} is "
            "excluded."
        )


def verify_backup(
    repo: Repository, entry: Entry, progress: Progress = lambda done, of: None
) -> Manifest | None:
    """Check a backup completely and return its manifest, which also says which files are not as its
    database says.

    None: it is encrypted and there is no key, so that only the presence of its objects was checked.
    CommandError: it is incomplete or damaged.
    """
    if missing := repo.list_missing(entry):
        raise CommandError(
            f"The backup {entry.id} in {repo.objects} lacks {count(len(missing), 'object')}, such "
            f"as {min(missing)}."
        )
    if entry.encrypted and not repo.opener:
        return None
    return archive.check(Stored(repo, entry), None, progress, entry.kind != DATABASE_ONLY)


def prune_backups(data_dir: Path, repo: Repository, keep: int) -> dict[str, int]:
    """Remove old backups, when none is being made; return how many backups,
    objects and segments were removed.
    """
    with backup.hold_locks(data_dir, _PATIENCE):
        return dict(repo.prune(keep, clock.now()))
