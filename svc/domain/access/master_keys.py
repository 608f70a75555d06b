"""Fingerprints of the master keys in the database: they show whether the file ``secret`` belongs to
it.

With a missing or different secret, all links, webhook signatures and certificates are invalid,
although the service seems to work; so the service refuses to start.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from svc.base.crypto import key_ring
from svc.base.crypto.key_ring import FileRing
from svc.base.errors import SettingsError, StartRefused
from svc.domain.tables.access import MasterKey
from svc.store.backup import database_file
from svc.store.database import Connection, db
from svc.store.expressions import fn
from svc.store.models import access as models
from svc.store.models.productions import Production
from svc.store.models.webhooks import Subscription
from svc.store.queries import Prepared, slot, slots

_KEY = models.MasterKey
_RECORDED = Prepared(
    _KEY.select(_KEY.version, _KEY.fingerprint, _KEY.retired_at).order_by(_KEY.version), MasterKey
)
_RECORD = Prepared(_KEY.insert(slots("version", "fingerprint", "added_at")).on_conflict("nothing"))
# Whether anything was signed with the secret, for databases of releases that did not store
# fingerprints.
_IN_USE = (
    Prepared(Subscription.select(Subscription.id).limit(1)),
    Prepared(Production.select(Production.id).limit(1)),
)
_RETIRE = Prepared(
    _KEY.update(retired_at=fn.coalesce(_KEY.retired_at, slot("now"))).where(
        _KEY.version == slot("version")
    )
)


def open_ring(path: Path, now: int) -> FileRing:
    """Return the master keys at ``path``, which belong to the open database; create them on the
    first start.

    StartRefused: the file is missing or belongs to another database. Several processes may call
    this concurrently.
    """
    known = list_recorded()  # read first: a key is written to the file before the database
    if not path.exists():
        if known or any(query.rows() for query in _IN_USE):
            raise StartRefused(f"{path} is missing: {operator_hint(path)}.")
        key_ring.make(path)
    message = describe_mismatch(path, known)
    if message:
        raise StartRefused(f"{message}: {operator_hint(path)}.")
    ring = FileRing(path, matches_database)
    record_fingerprints(key_ring.read(path), now)
    return ring


def list_recorded() -> list[MasterKey]:
    """Return the master keys in the open database, also retired ones."""
    return _RECORDED.rows()


def list_recorded_by(connection: Connection) -> list[MasterKey]:
    """As :func:`list_recorded`, for the database of ``connection``."""
    return _RECORDED.rows_by(connection)


def is_in_use(connection: Connection) -> bool:
    """Return whether anything in the database of ``connection`` was signed with the secret."""
    return any(query.rows_by(connection) for query in _IN_USE)


def describe_mismatch(path: Path, recorded: Iterable[MasterKey]) -> str | None:
    """Return why the keys at ``path`` do not match ``recorded``, the rows of :func:`list_recorded`;
    None: they match.
    """
    try:
        keys = key_ring.read(path)
    except FileNotFoundError:
        return f"{path} is missing"
    except (OSError, SettingsError):
        return f"{path} contains no usable key"
    message = describe_difference(keys, recorded)
    return f"{path} {message}" if message else None


def describe_difference(keys: Mapping[int, bytes], recorded: Iterable[MasterKey]) -> str | None:
    """Return how ``keys`` (by version) differ from the recorded ones, as a part of a sentence;
    None: they match.
    """
    for row in recorded:
        if row["retired_at"] is None and row["version"] not in keys:
            return f"does not contain master key {row['version']}"
        if (
            row["version"] in keys
            and key_ring.fingerprint(keys[row["version"]]) != row["fingerprint"]
        ):
            return "is the secret of another installation"
    return None


def matches_database(keys: Mapping[int, bytes]) -> bool:
    """Return whether ``keys`` (by version) match the open database."""
    return describe_difference(keys, list_recorded()) is None


def operator_hint(path: Path) -> str:
    """Return how to solve the problem, for the end of a sentence."""
    return (
        f"restore {path.name} from a backup of this installation, or restore database and secret "
        "together: `python app.py restore FILE` into an empty directory"
    )


def record_fingerprints(keys: Mapping[int, bytes], now: int) -> None:
    """Store the fingerprints of ``keys`` (by version); existing ones stay unchanged."""
    known = {row["version"] for row in list_recorded()}
    if known >= keys.keys():
        return
    with db.transaction():
        _RECORD.execute_many(_values(keys, now))


def rotate(secret: Path, path: Path, now: int) -> int:
    """Add a master key to the file ``secret`` and its fingerprint to the database at ``path``;
    return its version.

    Servers may be running. StartRefused: the secret does not belong to that database.
    """
    with closing(database_file.connect(path)) as connection:
        if message := describe_mismatch(secret, list_recorded_by(connection)):
            raise StartRefused(f"{message}: {operator_hint(secret)}.")
        version = key_ring.rotate(secret)
        _RECORD.execute_many_by(connection, _values(key_ring.read(secret), now))
    return version


def rotate_open(secret: Path, now: int) -> int:
    """As :func:`rotate`, for the open database."""
    message = describe_mismatch(secret, list_recorded())
    if message:
        raise StartRefused(f"{message}: {operator_hint(secret)}.")
    version = key_ring.rotate(secret)
    record_fingerprints(key_ring.read(secret), now)
    return version


def retire(secret: Path, version: int, now: int) -> None:
    """Remove a master key from the file ``secret``. It is first marked as retired in the database,
    so that it may be missing.

    SettingsError: there is no such key, or it is the newest.
    """
    key_ring.require_retirable(key_ring.read(secret), version)
    with db.transaction():
        _RETIRE.execute(version=version, now=now)
    key_ring.retire(secret, version)


def _values(keys: Mapping[int, bytes], now: int) -> list[dict[str, Any]]:
    return [
        {"version": version, "fingerprint": key_ring.fingerprint(value), "added_at": now}
        for version, value in sorted(keys.items())
    ]
