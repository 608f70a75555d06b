"""Compares the files with the rows that name them, both ways, and mends what differs."""

from collections.abc import Iterator
from dataclasses import dataclass

from svc.adapters.storage import WORK_FOLDER, open_store
from svc.base.errors import CommandError
from svc.base.file_hash import hash_file
from svc.base.protocols import Files
from svc.base.settings import Settings
from svc.domain import file_removal
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.file_removal import PRODUCTION, Removal
from svc.domain.lifecycle import deliverables
from svc.domain.partners import recorded_uploads
from svc.store.backup import named_files
from svc.store.database import Connection, db
from svc.work.files import bucket_owner, scenes, uploads
from svc.work.files.removal import Remover
from svc.work.files.uploads import Uploads

# The folders of a bucket that have no files of productions.
_NOT_OF_PRODUCTIONS = frozenset(
    {WORK_FOLDER, scenes.FOLDER, uploads.FOLDER, bucket_owner.NAME.split("/")[0]}
)


@dataclass(frozen=True)
class Differences:
    """What differs, with the number of rows that were compared.

    Args:
        lost: The finished files that rows name and that are missing, or have another size.
        uploads: Likewise of uploads: where they should be, by the names of their files here.
        unknown: The productions whose files no row names.
        altered: The files of the data directory that have their size and another SHA-256, if their
            content was compared.
    """

    compared: int
    lost: list[str]
    uploads: dict[str, str]
    unknown: list[str]
    altered: list[str]


def compare(
    settings: Settings,
    files: Files,
    connection: Connection,
    newest: int | None,
    names: bool,
    content: bool = False,
) -> Differences:
    """Compare the files with the rows of ``connection``. FileStoreUnavailable: the bucket does not
    answer.

    Args:
        newest: How many rows of each kind are compared; None: all.
        names: Also look for files without rows.
        content: Also read all files of the data directory, and compare their SHA-256.
    """
    finished = deliverables.list_recorded_by(connection, newest)
    uploaded = recorded_uploads.list_recorded_by(connection, newest)
    lost = [name for name, size in finished.items() if files.find_file_size(name) != size]
    missing = {}
    for file, (sha256, size) in uploaded.items():
        path = settings.assets_dir / file
        there = (
            files.find_file_size(uploads.make_bucket_name(sha256))
            if files.is_remote
            else path.stat().st_size
            if path.is_file()
            else None
        )
        if there != size:
            missing[file] = (
                uploads.make_bucket_name(sha256) if files.is_remote else f"assets/{file}"
            )
    unknown = list(_list_unknown(files, connection)) if names else []
    altered = list(_list_altered(settings, connection)) if content else []
    return Differences(len(finished) + len(uploaded), lost, missing, unknown, altered)


def _list_altered(settings: Settings, connection: Connection) -> Iterator[str]:
    for name, part in sorted(named_files.list_local_files(connection).items()):
        path = settings.data_dir / name
        is_whole = path.is_file() and path.stat().st_size == part.size
        if is_whole and hash_file(path).sha256 != part.sha256:
            yield name


def _list_unknown(files: Files, connection: Connection) -> Iterator[str]:
    known = deliverables.list_productions_by(connection) | file_removal.list_scheduled_by(
        connection
    )
    folders = {name.split("/")[0] for name in files.list_names("") if "/" in name}
    yield from sorted(folders - known - _NOT_OF_PRODUCTIONS)


def repair(settings: Settings, actor: Actor, now: int) -> Differences:
    """Remove the rows of files that are missing, and the files that no row names; return what that
    was.

    CommandError: the bucket belongs to another database. FileStoreUnavailable: it does not answer;
    call it again.
    """
    files = open_store(settings)
    if files.is_remote and not bucket_owner.is_ours(files):
        raise CommandError(
            f"{files} belongs to another database: its file {bucket_owner.NAME} says so. Nothing "
            "was changed."
        )
    with db.separate_connection() as connection:
        differences = compare(settings, files, connection, None, True)
    with audit.recording(actor, "files.mend", "files", now) as entry:
        deliverables.forget_files(differences.lost)
        recorded_uploads.forget_uploads(list(differences.uploads))
        file_removal.schedule_removals(
            [Removal(PRODUCTION, production_id) for production_id in differences.unknown], now
        )
        entry.after = {
            "rows": len(differences.lost) + len(differences.uploads),
            "productionsWithoutRows": len(differences.unknown),
        }
    file_removal.remove_scheduled(Remover(files, Uploads(files, settings.assets_dir)))
    return differences
