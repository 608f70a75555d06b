"""Export and erasure of a partner's data, both rows and files."""

import contextlib
import io
import json
import tarfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from svc.adapters.storage import fetch_file, open_store
from svc.base import atomic_file, states
from svc.base.errors import (
    AlreadyTerminal,
    CancelInProgress,
    CommandError,
    FileStoreUnavailable,
    NotFound,
)
from svc.base.protocols import Files
from svc.base.settings import Settings
from svc.domain import file_removal
from svc.domain.audit.audit import Actor
from svc.domain.lifecycle import endings, lifecycle
from svc.domain.partners import create as create_partner
from svc.domain.partners import erase as partner_records
from svc.domain.productions import productions
from svc.work import work_folder
from svc.work.doctor import findings
from svc.work.files.removal import Remover
from svc.work.files.uploads import TABLES, Uploads

_LOOK_EVERY = 0.2  # seconds, while the engine cancels running productions
_PATIENCE = 60.0


def find_partner_name(partner_id: str) -> str:
    """Return the partner's name. CommandError: there is no such partner."""
    try:
        return create_partner.find_partner_name(partner_id)
    except NotFound:
        raise CommandError(f"There is no partner {partner_id}.") from None


def export(partner_id: str, settings: Settings, target: Path) -> dict[str, int]:
    """Write a partner's rows, as JSON lines by table, and files to a tar archive; return the number
    of rows by table.

    The archive has mode 0600. CommandError: there is no such partner, or ``target`` exists.
    """
    find_partner_name(partner_id)
    if target.exists():
        raise CommandError(f"{target} already exists; files are not overwritten.")
    counted = {}
    with atomic_file.replace(target) as partial, atomic_file.open_durably(partial) as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            for table in partner_records.list_tables_with_partner():
                lines = [
                    json.dumps(row, ensure_ascii=False)
                    for row in partner_records.export_rows(table, partner_id)
                ]
                counted[table] = len(lines)
                _add_file(tar, f"{table}.jsonl", "".join(f"{line}\n" for line in lines).encode())
            files = open_store(settings)
            for path in _uploads(partner_id, settings, files):
                tar.add(path, path.relative_to(settings.data_dir).as_posix())
            _add_files(tar, files, partner_records.list_productions(partner_id))
    return counted


def _add_file(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    tar.addfile(entry, io.BytesIO(content))


def _add_files(tar: tarfile.TarFile, files: Files, productions: Iterable[str]) -> None:
    """Add the finished files of ``productions``, one at a time on this machine."""
    for production in productions:
        for name in files.list_names(production):
            try:
                with fetch_file(files, name) as path:
                    tar.add(path, f"media/{name}")
            except FileStoreUnavailable as failed:
                raise CommandError(f"{failed}. Nothing is written; run this again.") from failed


def _uploads(partner_id: str, settings: Settings, files: Files) -> list[Path]:
    """Return a partner's uploaded pictures, fonts and music,
    which are fetched if another machine took them.
    """
    names = _names_of_uploads(partner_id)
    try:
        Uploads(files, settings.assets_dir).fetch(names)
    except FileStoreUnavailable as failed:
        raise CommandError(f"{failed}. Nothing is written; run this again.") from failed
    return [path for path in (settings.assets_dir / name for name in names) if path.exists()]


def _names_of_uploads(partner_id: str) -> list[str]:
    return [
        row["file"] for table in TABLES for row in partner_records.export_rows(table, partner_id)
    ]


def erase(
    partner_id: str,
    settings: Settings,
    clock: Callable[[], int],
    actor: Actor,
    patience: float = _PATIENCE,
) -> dict[str, int]:
    """Remove a partner with all rows and files, after cancelling its productions; return the number
    of rows by table.

    CommandError: a production could not be ended within ``patience`` seconds, and another call
    continues; or the bucket does not answer, and the server removes the files later.
    """
    name = find_partner_name(partner_id)
    _end_productions(partner_records.close_partner(partner_id), settings, clock, patience)
    for production in partner_records.list_productions(partner_id):
        work_folder.remove_folder(settings.work_dir / production)
    erased = partner_records.erase(partner_id, name, actor, clock())
    files = open_store(settings)
    try:
        file_removal.remove_scheduled(Remover(files, Uploads(files, settings.assets_dir)))
    except FileStoreUnavailable as failed:
        raise CommandError(
            f"{failed}. The partner's rows are erased; the server removes the files that are left "
            "as soon as the bucket answers, and `doctor` says whether any are."
        ) from failed
    return erased


def _end_productions(
    running: list[str], settings: Settings, clock: Callable[[], int], patience: float
) -> None:
    for production_id in running:
        with contextlib.suppress(AlreadyTerminal, CancelInProgress):
            productions.request_cancel(production_id, clock())
    waited, pause = 0.0, threading.Event()
    while left := [
        production_id
        for production_id in running
        if lifecycle.find_status(production_id) not in states.TERMINAL_STATES
    ]:
        if not findings.is_driven(settings.data_dir):
            for production_id in left:
                endings.finish_cancel(production_id, clock())
        elif waited > patience:
            raise CommandError(
                f"The production {left[0]} is still being ended; run this again in a minute."
            )
        else:
            waited += _LOOK_EVERY
            pause.wait(_LOOK_EVERY)
