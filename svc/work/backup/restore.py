"""Restores a backup into an empty data directory, which cannot be served until it is
complete; can resume.
"""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from svc.base import atomic_file
from svc.base.errors import CommandError
from svc.base.file_hash import hash_file
from svc.store.backup import database_file
from svc.store.backup.database_file import DATABASE
from svc.store.backup.named_files import Part
from svc.store.engine import schema
from svc.store.engine.schema import RESTORING
from svc.work.backup import archive
from svc.work.backup.archive import Manifest, Readable


def restore(
    path: Path,
    data_dir: Path,
    progress: Callable[[int, int], None] = lambda done, of: None,
    source: str = "",
) -> Manifest:
    """Restore the backup at ``path``. Called again after an interruption, it restores the missing
    files.

    ``source``: the arguments of `restore`, if ``path`` is a copy.

    CommandError: the backup cannot be read or is damaged, or ``data_dir`` has other content.
    """
    with archive.open_archive(path) as opened:
        return restore_from(opened, data_dir, progress, source or shlex.quote(str(path.absolute())))


def restore_from(
    opened: Readable,
    data_dir: Path,
    progress: Callable[[int, int], None] = lambda done, of: None,
    source: str = "",
) -> Manifest:
    """Restore an open backup: :class:`archive.Archive`, or any other object with a manifest and
    extractable parts.

    ``source``: the arguments of `restore` with which an operator continues.
    """
    if opened.manifest.database != DATABASE:
        raise CommandError(
            "This backup is of PostgreSQL: set SVC_DATABASE_URL to an empty database, and "
            "restore again."
        )
    with begin_restore(opened, data_dir, progress, source) as manifest:
        database_file.check(data_dir / DATABASE, manifest.facts)
        database_file.disown_bucket(data_dir / DATABASE)
    return manifest


@contextmanager
def begin_restore(
    opened: Readable,
    data_dir: Path,
    progress: Callable[[int, int], None] = lambda done, of: None,
    source: str = "",
) -> Iterator[Manifest]:
    """Bring all parts of a backup into a directory, which can be served when the block has ended
    without an exception.
    """
    _mark_unfinished(data_dir, opened.manifest, source)
    try:
        _write_missing(opened, data_dir, progress)
    except OSError as error:
        what_next = "Remove the cause and run the command again: it continues from there."
        raise CommandError(
            f"The restoration into {data_dir} stopped: {error}. {what_next}"
        ) from error
    yield opened.manifest
    (data_dir / RESTORING).unlink()
    atomic_file.sync_folder(data_dir)


def is_begun(data_dir: Path, manifest: Manifest) -> bool:
    """Return whether this very backup is partly restored in a directory."""
    mark = data_dir / RESTORING
    return mark.exists() and schema.read_restoration(data_dir)[0] == manifest.id


def _mark_unfinished(data_dir: Path, manifest: Manifest, source: str) -> None:
    """Mark the directory, which cannot be served until the mark is removed."""
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    mark = data_dir / RESTORING
    if mark.exists():
        if not is_begun(data_dir, manifest):
            raise CommandError(
                f"{data_dir} contains another backup that is only partly restored: continue with "
                "that one (`python app.py restore "
                f"{schema.read_restoration(data_dir)[1] or 'FILE'}`), or empty the directory."
            )
        return
    if any(data_dir.iterdir()):
        raise CommandError(
            f"{data_dir} is not empty; a backup is restored into an empty directory: set "
            "SVC_DATA_DIR to one."
        )
    atomic_file.write_durably(
        mark, f"{manifest.id}\n{source}".encode("utf-8", "surrogateescape"), 0o666
    )
    atomic_file.sync_folder(data_dir)


def _write_missing(opened: Readable, data_dir: Path, progress: Callable[[int, int], None]) -> None:
    """Write the missing files, the database last."""
    folders, done = {data_dir}, 0
    total = sum(part.size for part in opened.manifest.parts.values())
    for name in sorted(opened.manifest.parts, key=lambda name: name == opened.manifest.database):
        target = data_dir / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_there(target, opened.manifest.parts[name]):
            with atomic_file.replace(target) as partial:
                opened.extract(name, partial)
            folders.add(target.parent)
        done += opened.manifest.parts[name].size
        progress(done, total)
    for folder in folders:
        atomic_file.sync_folder(folder)


def _is_there(target: Path, part: Part) -> bool:
    if not target.exists() or target.stat().st_size != part.size:
        return False
    return hash_file(target).sha256 == part.sha256
