"""The master keys that a database needs from the file ``secret`` beside it."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from svc.base.crypto import key_ring
from svc.base.errors import SettingsError
from svc.store.backup import database_file
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.models.access import MasterKey
from svc.store.queries import Prepared

_NEEDED = Prepared(
    MasterKey.select(MasterKey.version, MasterKey.fingerprint).where(MasterKey.retired_at.is_null())
)


def list_missing_versions(database: Path, secret: Path) -> list[int]:
    """Return the versions that the database has not retired and that the file does not contain."""
    with closing(database_file.connect(database)) as connection:
        return list_missing_versions_by(connection, secret)


def list_missing_versions_by(connection: sqlite3.Connection, secret: Path) -> list[int]:
    """Return :func:`list_missing_versions` over a connection."""
    needed = dict(map(tuple, _NEEDED.rows_by(connection)))
    held = _fingerprints(secret)
    return sorted(version for version, mark in needed.items() if held.get(version) != mark)


def _fingerprints(secret: Path) -> Mapping[int, str]:
    try:
        return {
            version: key_ring.compute_fingerprint(key)
            for version, key in key_ring.read(secret).items()
        }
    except (OSError, SettingsError):
        return {}
