"""Backups of an installation on PostgreSQL: a dump, the files of the data directory, and the files
of the bucket or their list.

The dump and the list are of one snapshot of the database, so that they agree.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from svc.adapters.storage import open_store
from svc.base.crypto.age_encryption import Sealer
from svc.base.errors import CommandError, FileStoreUnavailable
from svc.base.protocols import Files
from svc.base.settings import Settings
from svc.domain.lifecycle import deliverables
from svc.store import database
from svc.store.backup import dumps, needed_keys
from svc.store.backup.dumps import DUMP
from svc.store.backup.named_files import Part
from svc.work.backup import make as backups
from svc.work.backup import restore as restoration
from svc.work.backup.archive import Dumped, Manifest, Readable
from svc.work.backup.make import Held, Progress
from svc.work.files import bucket_files
from svc.work.files.bucket_files import Missing

_BUCKET = "bucket"  # the folder of a backup with the files of the bucket
_SECRET = "secret"  # noqa: S105 - a file's name


def make_backup(
    settings: Settings,
    target: Path,
    sealer: Sealer | None,
    *,
    database_only: bool,
    with_bucket: bool,
    progress: Progress,
) -> Manifest:
    """Write a backup to the new file ``target``; see svc.work.backup.make.make_backup.

    ``with_bucket``: put the files of the bucket into it, and not only their names, sizes and
    hashes.
    """
    if not settings.secret.exists():
        raise CommandError(
            f"There is no secret in {settings.data_dir}; set SVC_DATA_DIR to that of a server."
        )
    if with_bucket and not settings.storage_url:
        raise CommandError(
            "SVC_STORAGE_URL is not set: the files are in the data directory, which every "
            "backup has."
        )
    try:
        return backups.write(
            settings.data_dir,
            target,
            sealer,
            _hold_snapshot(settings, database_only, with_bucket),
            progress,
        )
    except FileStoreUnavailable as failed:
        raise CommandError(f"The backup {target} could not be made: {failed}.") from failed


@contextmanager
def _hold_snapshot(settings: Settings, database_only: bool, with_bucket: bool) -> Iterator[Held]:
    folder, odd = settings.data_dir / backups.HELD, frozenset[str]()
    with database.needing_postgres():
        from svc.store.backup import postgres_snapshot as postgres
    try:
        for last in range(backups.TRIES, 0, -1):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
            try:
                with postgres.hold(settings.database_url) as snapshot:
                    dumped, named, lacking = _gather_parts(
                        settings, snapshot, folder, database_only, with_bucket
                    )
                    before, odd = odd, backups.find_differing_links(named, folder) | lacking
                    is_whole = odd <= before and not needed_keys.list_missing_versions_by(
                        snapshot.connection, folder / _SECRET
                    )
                    if last == 1 or is_whole:
                        # Otherwise a file was removed or a key was retired in between: see
                        # svc.work.backup.make.hold_snapshot.
                        break
            except Missing as removed:
                # A file was removed while the files were fetched; the next snapshot does not name
                # it.
                if last == 1:
                    raise CommandError(
                        f"The backup could not be made: the bucket lost {removed} meanwhile."
                    ) from removed
        yield Held(folder, dumped, named, tuple(sorted(lacking)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _gather_parts(
    settings: Settings, snapshot: Any, folder: Path, database_only: bool, with_bucket: bool
) -> tuple[Dumped, dict[str, Part], set[str]]:
    """Return what was dumped, the files of the data directory that the database names,
    and those that the bucket lacks.
    """
    dumps.require("pg_dump", snapshot.server)
    dumps.dump(snapshot.server, snapshot.name, folder / DUMP)
    if database_only:
        backups.link_master_keys(settings.data_dir, folder)
        named = dict[str, Part]()
    else:
        named = backups.link_files(snapshot.connection, settings.data_dir, folder)
    belonging, lacking = dict[str, Part](), set[str]()
    if settings.storage_url and not database_only:
        files = open_store(settings)
        belonging, lacking = bucket_files.list_files_of_database(files, snapshot.connection)
        for name, part in belonging.items() if with_bucket else ():
            bucket_files.fetch(files, name, part, folder / _BUCKET / name)
    return Dumped(snapshot.schema, snapshot.rows, belonging), named, lacking


def restore_backup(
    opened: Readable,
    settings: Settings,
    progress: Callable[[int, int], None],
    source: str,
) -> tuple[Manifest, list[str]]:
    """Restore an open backup into an empty data directory, an empty database, and the bucket; may
    be repeated.

    ``source``: the arguments of `restore` with which an operator continues.
    Returns the manifest, and the files that belong to the backup and that the bucket lacks.
    CommandError: what is in the way.
    """
    manifest = opened.manifest
    if manifest.database != DUMP:
        raise CommandError(
            "This backup is of SQLite: restore it without SVC_DATABASE_URL; `copy` moves it to "
            "PostgreSQL then."
        )
    if manifest.bucket and not settings.storage_url:
        raise CommandError(
            "This backup is of an installation with a bucket: set SVC_STORAGE_URL to that one, or "
            "to an empty one."
        )
    with database.needing_postgres():
        from svc.store.backup import postgres_snapshot as postgres
    server = postgres.find_server(settings.database_url)
    dumps.require("pg_restore", server)
    _require_empty(postgres, settings, manifest)
    with restoration.begin_restore(opened, settings.data_dir, progress, source):
        if not postgres.inspect_database(settings.database_url)[1]:
            dumps.restore(server, settings.data_dir / DUMP)
        with postgres.hold(settings.database_url) as restored:
            if (restored.schema, restored.rows) != manifest.facts:
                raise CommandError(
                    "The restored database has other numbers of rows than the backup says."
                )
            lacking = _send_missing(
                settings, manifest, deliverables.list_download_names(restored.connection)
            )
        postgres.disown_bucket(settings.database_url)
        shutil.rmtree(settings.data_dir / _BUCKET, ignore_errors=True)
        (settings.data_dir / DUMP).unlink()
    return manifest, lacking


def _require_empty(postgres: Any, settings: Settings, manifest: Manifest) -> None:
    contents = postgres.inspect_database(settings.database_url)
    if contents[1] and not (
        restoration.is_begun(settings.data_dir, manifest) and contents == manifest.facts
    ):
        raise CommandError(
            "The database of SVC_DATABASE_URL is not empty; a backup is restored into an empty "
            "database."
        )


def _send_missing(settings: Settings, manifest: Manifest, names: dict[str, str]) -> list[str]:
    if not settings.storage_url:
        return []
    files: Files = open_store(settings)
    held = {
        name: settings.data_dir / _BUCKET / name
        for name in manifest.bucket
        if f"{_BUCKET}/{name}" in manifest.parts
    }
    try:
        bucket_files.send(files, held, manifest.bucket, names)
        there = set(files.list_names(""))
    except FileStoreUnavailable as failed:
        raise CommandError(
            f"The files could not be sent: {failed}. Run the command again: it continues "
            "from there."
        ) from failed
    return [name for name in manifest.bucket if name not in there]
