"""Restores only the file ``secret`` from a backup, if it is the one that the database knows."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from svc.base.crypto import key_ring
from svc.base.errors import CommandError
from svc.base.settings import Settings
from svc.domain import master_keys
from svc.domain.tables.access import MasterKey
from svc.store.database import db
from svc.work.doctor import database as database_check


def restore_secret(
    settings: Settings, readers: Iterable[Callable[[], Mapping[int, bytes]]]
) -> Path | None:
    """Write the secret of the first backup that has it, and return its path; None: the present one
    is correct.

    ``readers``: each returns the keys of a backup. Keys retired since are left out.

    CommandError: no backup has it, or the database does not identify it.
    """
    recorded = _load_recorded_keys(settings)
    if master_keys.describe_mismatch(settings.secret, recorded) is None:
        return None
    keys = _find_fitting_keys(settings, readers, recorded)
    retired = {row["version"] for row in recorded if row["retired_at"] is not None}
    target = settings.secret
    if os.path.lexists(target):
        target = settings.secret.with_name(database_check.RESTORED)
        target.unlink(missing_ok=True)
    key_ring.put(target, {version: key for version, key in keys.items() if version not in retired})
    return target


def _load_recorded_keys(settings: Settings) -> list[MasterKey]:
    if database_check.has_our_schema(settings):
        try:
            with database_check.open_read_only(settings) as connection:
                return master_keys.list_recorded_by(connection)
        except db.Error:
            pass  # the database is damaged
    raise CommandError(
        f"{settings.database} is missing, damaged or of another release: it cannot show which "
        "secret is its own. Restore the whole backup into an empty directory."
    )


def _find_fitting_keys(
    settings: Settings,
    readers: Iterable[Callable[[], Mapping[int, bytes]]],
    recorded: list[MasterKey],
) -> Mapping[int, bytes]:
    failure = None
    for read in readers:
        try:
            keys = read()
        except CommandError as error:
            failure = failure or error
            continue
        if master_keys.describe_difference(keys, recorded) is None:
            return keys
    raise failure or CommandError(f"The secret of {settings.database} is in none of these backups.")
