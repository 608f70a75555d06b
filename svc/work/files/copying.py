"""Copies of an installation's files to its bucket, or back to its data directory, each read again
and compared by hash.

A file that is there already, with the same content, is not sent again. Scenes that can be rendered
again stay where they are.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from svc.adapters.storage import WORK_FOLDER, Storage, open_store
from svc.base import outage
from svc.base.crypto.key_ring import FileRing
from svc.base.errors import CommandError, FileStoreUnavailable
from svc.base.protocols import Files
from svc.base.settings import Settings
from svc.domain.lifecycle import deliverables, render_queue, steps
from svc.domain.partners import recorded_uploads
from svc.store import database, inspection
from svc.store.backup import named_files
from svc.store.backup.named_files import Part
from svc.store.copying.layout import StepFiles
from svc.store.database import Connection, db
from svc.work import work_folder
from svc.work.files import bucket_files, uploads
from svc.work.files.bucket_files import Missing
from svc.work.files.work_archives import WorkArchives

log = logging.getLogger("svc.copy")


@dataclass(frozen=True)
class Moved:
    """How many files were copied, how many were there already, which the database names but are
    nowhere, and what the copy says of the files of steps."""

    copied: int
    there: int
    missing: tuple[str, ...] = ()
    steps: list[StepFiles] = field(default_factory=list)


def to_bucket(settings: Settings) -> Moved:
    """Send the files of the data directory, as SQLite's database names them, to the bucket.

    CommandError: one is not what the database says, or the bucket does not answer.
    """
    with _translate_errors(), inspection.open_read_only(settings.database, False) as connection:
        files, parts, sources = open_store(settings), dict[str, Part](), dict[str, Path]()
        work = _WorkToSend(
            steps.list_files_of_unfinished(connection), _work_archives(settings), settings.work_dir
        )
        for name, part, path in _list_local_files(settings, connection):
            if name.startswith(f"{WORK_FOLDER}/") and name.split("/")[1] in work.productions:
                continue  # an earlier state
            parts[name] = part or bucket_files.measure_file(path)
            if path.is_file():
                sources[name] = path
        elsewhere = {name: part for name, part in parts.items() if name not in sources}
        missing = bucket_files.find_missing(files, elsewhere)
        copied, there = bucket_files.send(
            files, sources, parts, deliverables.list_download_names(connection)
        )
        said = work.send(files)
        present = there + len(elsewhere) - len(missing) + work.there
        return Moved(copied + work.sent, present, tuple(sorted(missing)), said)


def to_directory(settings: Settings, address: str) -> Moved:
    """Fetch the files of the bucket, as the database of PostgreSQL at ``address`` names them, to
    the data directory.

    The errors are those of :func:`to_bucket`.
    """
    with database.needing_postgres():
        from svc.store.backup import postgres_snapshot as postgres
    with _translate_errors(), postgres.hold(address) as snapshot:
        files = open_store(settings)
        belonging, missing = bucket_files.list_files_of_database(files, snapshot.connection)
        unfinished = steps.list_files_of_unfinished(snapshot.connection)
        copied = there = 0
        for name, part, path in _places(
            settings, belonging, recorded_uploads.read_hashes_by(snapshot.connection)
        ):
            if path.is_file() and bucket_files.measure_file(path) == part:
                there += 1
                continue
            bucket_files.fetch(files, name, part, path)
            copied += 1
    with _translate_errors():
        _unpack(settings, address)
    moved = copied + sum(name.startswith(f"{WORK_FOLDER}/") for name in belonging)
    here = [
        StepFiles(None, name, position)
        for name, files in unfinished.items()
        for position in range(len(files))
    ]
    return Moved(moved, there, tuple(sorted(missing)), here)


def _list_local_files(
    settings: Settings, connection: Connection
) -> Iterator[tuple[str, Part | None, Path]]:
    """Yield the files that belong to a database: their names in a bucket,
    what they must be if it says so, and their paths.
    """
    named = named_files.list_bucket_files(connection)
    for name, part in named.items():
        yield name, part, settings.media_dir / name
    known = named_files.list_productions(connection)
    for path in settings.media_dir.rglob("*") if settings.media_dir.is_dir() else ():
        name = path.relative_to(settings.media_dir).as_posix()
        if (
            name not in named
            and name.split("/")[0] in known
            and path.is_file()
            and not path.name.endswith(".part")
        ):
            yield name, None, path
    sizes = uploads.read_recorded_sizes_by(connection)
    for file, digest in recorded_uploads.read_hashes_by(connection).items():
        place = uploads.make_bucket_name(digest)
        yield place, Part(sizes[place], digest), settings.assets_dir / file


def _places(
    settings: Settings, belonging: dict[str, Part], hashes: dict[str, str]
) -> Iterator[tuple[str, Part, Path]]:
    """Yield the files of a bucket, what they must be, and their paths;
    those of unfinished productions are archives.
    """
    for name, part in belonging.items():
        if name.split("/")[0] not in ("uploads", WORK_FOLDER):
            yield name, part, settings.media_dir / name
    for file, digest in hashes.items():
        if uploads.make_bucket_name(digest) in belonging:
            yield (
                uploads.make_bucket_name(digest),
                belonging[uploads.make_bucket_name(digest)],
                settings.assets_dir / file,
            )


def _unpack(settings: Settings, address: str) -> None:
    """Bring the work folders of unfinished productions to this machine."""
    database.open_database(settings.database, address)
    try:
        work_archives = _work_archives(settings)
        for production_id in render_queue.list_unfinished():
            work_archives.fetch(production_id, sys.maxsize, lambda _: None)
    finally:
        db.close()


def _work_archives(settings: Settings) -> WorkArchives:
    return WorkArchives(Storage(settings, FileRing(settings.secret)), settings.work_dir)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except Missing as missing:
        raise CommandError(
            f"The bucket lacks the file {missing}, which the database names."
        ) from missing
    except FileStoreUnavailable as failed:
        raise CommandError(f"{failed}. What was copied stays; copy again to go on.") from failed
    except (OSError, ValueError) as failed:
        raise CommandError(
            f"A file could not be copied: {failed}. What was copied stays; copy again to go on."
        ) from failed


class _WorkToSend:
    """The work of the productions in ``unfinished`` of which only this machine has the newest
    state.

    ``unfinished``: what svc.domain.lifecycle.steps.list_files_of_unfinished returns.
    """

    def __init__(
        self, unfinished: dict[str, list[str | None]], work_archives: WorkArchives, work_dir: Path
    ):
        self._work_archives, self._work_dir = work_archives, work_dir
        self.productions = {name: files for name, files in unfinished.items() if files[-1] is None}
        self.sent = self.there = 0

    def send(self, files: Files) -> list[StepFiles]:
        """Send each work folder as one archive; return what the rows of the steps say then.

        A folder that is lost, or that no machine takes, is left out: its steps are run again. The
        errors are those of bucket_files.send.
        """
        said = []
        for production_id, before in self.productions.items():
            last = len(before) - 1
            described = self._send(files, production_id, last)
            said += [StepFiles(None, production_id, position) for position in range(last)]
            said.append(StepFiles(described, production_id, last))
        return said

    def _send(self, files: Files, production_id: str, position: int) -> str | None:
        if not work_folder.has_all_files(self._work_dir / production_id):
            return None
        try:
            with self._work_archives.pack_folder(production_id, position) as (archive, path):
                part = Part(archive.size_bytes, archive.sha256)
                sent, there = bucket_files.send(
                    files, {archive.name: path}, {archive.name: part}, {}
                )
                self.sent, self.there = self.sent + sent, self.there + there
                return archive.to_json()
        except FileStoreUnavailable:
            raise
        except (OSError, ValueError) as error:
            if outage.recognise(error) is not None:
                raise
            log.warning(
                "the work of the production %s is left out, and made again: %s",
                production_id,
                error,
            )
            return None
