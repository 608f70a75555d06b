"""Makes a backup: one tar file with a snapshot of the database and all other files of the data
directory.

The snapshot of the database is taken first, so that all files that it refers to exist. Hard links
keep the files available while they are written, even if they are removed meanwhile.
"""

import contextlib
import errno
import fcntl
import functools
import os
import shutil
import tarfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from svc.base import atomic_file, clock, start_failures
from svc.base.crypto.age_encryption import Sealer
from svc.base.errors import CommandError
from svc.store.backup import database_file, dumps, named_files, needed_keys
from svc.store.backup.database_file import DATABASE
from svc.store.backup.dumps import DUMP
from svc.store.backup.named_files import Part
from svc.store.database import Connection
from svc.store.engine import schema
from svc.work.backup import archive
from svc.work.backup.archive import Dumped, Manifest

# What the service creates again.
_NOT_KEPT = {
    "work",
    "cache",
    "backups",
    "wake",
    "journal",
    "shared",
    "backup-index.json",
    "audit-head.json",
    "last-commit",
    start_failures.NAME,
}
_OF_THE_MOMENT = (".lock", ".part", ".trial")  # suffixes of temporary files
# The folder of hard links: it is in the data directory, because links cannot cross file systems.
HELD = "backup.part"
_MASTER_KEYS = "secret"
TRIES = 5
_LOOK_EVERY = 0.2  # seconds

Progress = Callable[[int, int], None]  # bytes done, bytes in total


def make_backup(
    data_dir: Path,
    target: Path,
    sealer: Sealer | None = None,
    *,
    database_only: bool = False,
    progress: Progress = lambda done, of: None,
) -> Manifest:
    """Write a backup of ``data_dir`` to ``target``, which appears only when it is complete,
    verified and durable.

    It can run while servers use the data directory. CommandError: it could not be made; no partial
    file remains. Files that the database names and that are gone are left out: they are ``missing``
    in the manifest, and those that are not as it says ``damaged``.

    Args:
        sealer: Encrypts the backup. It is then not read back, which would need the private key; its
            database is checked before it is encrypted.
    """
    require_database(data_dir)
    return write(
        data_dir, target, sealer, hold_snapshot(data_dir, database_only=database_only), progress
    )


@dataclass(frozen=True)
class Held:
    """What a backup is made of, in a folder. ``dumped``: the database is a dump of PostgreSQL,
    which has this.

    ``named``: what the database says of its files in the data directory; ``lacking``: those that
    the bucket lacks.
    """

    folder: Path
    dumped: Dumped | None = None
    named: Mapping[str, Part] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()

    def check(self, manifest: Manifest) -> None:
        """Raise CommandError if the database is damaged."""
        if self.dumped:
            dumps.check(self.folder / DUMP)
        else:
            database_file.check(self.folder / DATABASE, manifest.facts)


def write(
    data_dir: Path,
    target: Path,
    sealer: Sealer | None,
    holding: AbstractContextManager[Held],
    progress: Progress,
) -> Manifest:
    """Write what ``holding`` gives to ``target``; see :func:`make_backup`."""
    _require_place(data_dir, target)
    try:
        with atomic_file.replace(target) as partial:
            partial.unlink(missing_ok=True)  # left by a process that was killed
            with hold_locks(data_dir), holding as snapshot:
                _require_room(snapshot.folder, target)
                writing = (
                    functools.partial(_write_sealed, sealer=sealer)
                    if sealer
                    else archive.write_archive
                )
                made_at, identity = clock.format_time(clock.now()), uuid.uuid4().hex
                manifest = writing(
                    snapshot.folder,
                    partial,
                    made_at,
                    identity,
                    progress=progress,
                    dumped=snapshot.dumped,
                )
                if sealer:
                    snapshot.check(manifest)
            if not sealer:
                # The backup's schema may be newer than this program.
                archive.verify(partial, manifest.schema or schema.VERSION)
        atomic_file.sync_folder(target.absolute().parent)
    except (OSError, database_file.Error, tarfile.TarError) as error:
        raise CommandError(f"The backup {target} could not be made: {error}.") from error
    differences = named_files.compare_files(snapshot.named, manifest.parts)
    return replace(
        manifest, missing=(*differences.missing, *snapshot.lacking), damaged=differences.damaged
    )


def _require_place(data_dir: Path, target: Path) -> None:
    if target.exists():
        raise CommandError(f"{target} already exists; a backup does not overwrite files.")
    inside = target.absolute().parent
    if inside.is_relative_to(data_dir) and not inside.is_relative_to(data_dir / "backups"):
        raise CommandError(
            f"{target} is inside the directory that is backed up; only {data_dir / 'backups'} is "
            "excluded."
        )


def require_database(data_dir: Path) -> None:
    """Raise CommandError if there is no database to back up."""
    if not (data_dir / DATABASE).exists():
        raise CommandError(
            f"There is no database in {data_dir}; set SVC_DATA_DIR to that of the server."
        )


def _write_sealed(
    folder: Path,
    target: Path,
    made_at: str,
    identity: str,
    *,
    sealer: Sealer,
    progress: Progress,
    dumped: Dumped | None,
) -> Manifest:
    """Do the same as :func:`archive.write_archive`, with encryption through a pipe:
    no plain content reaches the disk.
    """
    reading, writing = os.pipe()
    with (
        ThreadPoolExecutor(1) as thread,
        open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,
    ):
        sealed = thread.submit(_seal_pipe, sealer, reading, file)
        try:
            with open(writing, "wb") as pipe:
                manifest = archive.write_to(folder, pipe, "w|", made_at, identity, progress, dumped)
        except BrokenPipeError:
            sealed.result()  # raises the cause
            raise
        sealed.result()
        file.flush()
        os.fsync(file.fileno())
    return manifest


def _seal_pipe(sealer: Sealer, reading: int, file: BinaryIO) -> None:
    with open(reading, "rb") as pipe:
        sealer.seal_stream(pipe, file)


@contextmanager
def hold_locks(data_dir: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold the locks against other backups and migrations.

    ``patience``: seconds to wait for another backup.
    """
    until = time.monotonic() + patience
    with (
        (data_dir / "backup.lock").open("a") as mine,
        (data_dir / "database.lock").open("a") as users,
    ):
        while not schema.try_lock(mine, fcntl.LOCK_EX):
            if time.monotonic() >= until:
                raise CommandError(f"Another backup of {data_dir} is being made; wait for it.")
            time.sleep(_LOOK_EVERY)
        fcntl.flock(users, fcntl.LOCK_SH)
        yield


@contextmanager
def hold_snapshot(
    data_dir: Path, *, database_only: bool = False, compact: bool = True
) -> Iterator[Held]:
    """Give a snapshot of the database and links to the files that belong to it.

    ``compact``: compact the snapshot; otherwise pages keep their positions, so that unchanged ones
    can be deduplicated.
    """
    folder, differing = data_dir / HELD, frozenset[str]()
    try:
        for last in range(TRIES, 0, -1):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
            copy = database_file.snapshot if compact else database_file.copy_pages
            copy(data_dir / DATABASE, folder / DATABASE)
            named = _link_contents(data_dir, folder, database_only)
            # What is odd now may have been removed since the snapshot: the next one does not name
            # it, unless it is lost.
            before, differing = differing, find_differing_links(named, folder)
            is_whole = differing <= before and not needed_keys.list_missing_versions(
                folder / DATABASE, folder / _MASTER_KEYS
            )
            if last == 1 or is_whole:
                # Otherwise a file was removed, or a key was retired in between: the snapshot would
                # always need it.
                break
        yield Held(folder, named=named)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_differing_links(named: Mapping[str, Part], folder: Path) -> frozenset[str]:
    """Return the files that a folder of links lacks, or has in another size than
    the database says.
    """
    return frozenset(
        name for name, part in named.items() if _measure_size(folder / name) != part.size
    )


def _measure_size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _link_contents(data_dir: Path, folder: Path, database_only: bool) -> dict[str, Part]:
    if database_only:
        link_master_keys(data_dir, folder)
        return {}
    with closing(database_file.connect(folder / DATABASE)) as connection:
        return link_files(connection, data_dir, folder)


def link_files(connection: Connection, data_dir: Path, held: Path) -> dict[str, Part]:
    """Link the files that belong to the database of ``connection`` into a folder, and return what
    it says about them.
    """
    unmade = named_files.list_unmade_productions(connection)
    known = named_files.list_productions(connection)
    for name in _list_files(data_dir):
        folder = name.split("/")[1] if name.startswith("media/") else ""
        if folder in unmade or (_is_uuid(folder) and folder not in known):
            continue  # created after the snapshot
        link = held / name
        link.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            _link_file(data_dir / name, link)
        except FileNotFoundError:
            continue
    return named_files.list_local_files(connection)


def link_master_keys(data_dir: Path, folder: Path) -> None:
    """Link the master keys into the folder of a snapshot; a database that was never served
    has none yet.
    """
    with contextlib.suppress(FileNotFoundError):
        _link_file(data_dir / _MASTER_KEYS, folder / _MASTER_KEYS)


def _link_file(source: Path, link: Path) -> None:
    """Make a hard link, or a copy if the media are on another disk or the file system
    has no links.
    """
    try:
        os.link(source, link)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
            raise
        shutil.copyfile(source, link)


def _list_files(data_dir: Path) -> Iterator[str]:
    """Yield the files to back up besides the database, relative to the data directory."""
    for folder, folders, files in os.walk(data_dir):
        inside = Path(folder).relative_to(data_dir)
        top = inside == Path()
        folders[:] = [
            name
            for name in folders
            if not (top and name in _NOT_KEPT) and not name.endswith(_OF_THE_MOMENT)
        ]
        for name in files:
            if top and (name in _NOT_KEPT or name.startswith(DATABASE)):
                continue
            if not name.endswith(_OF_THE_MOMENT) and (Path(folder) / name).is_file():
                yield (inside / name).as_posix()


def _is_uuid(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False


def _require_room(held: Path, target: Path) -> None:
    needed = sum(path.stat().st_size + 1024 for path in held.rglob("*") if path.is_file()) + (
        1 << 20
    )
    databases = (held / DATABASE, held / DUMP)
    # They are read back into a separate file.
    needed += sum(path.stat().st_size for path in databases if path.exists())
    free = shutil.disk_usage(target.absolute().parent).free
    if free < needed:
        raise OSError(
            f"it takes {needed >> 20} MiB, and {free >> 20} MiB are free on the disk of "
            f"{target.absolute().parent}"
        )
