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
from svc.base.crypto.key_ring import FileRing, Recorded
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
    _KEY.select(_KEY.version, _KEY.fingerprint, _KEY.retired_at, _KEY.waits_since).order_by(
        _KEY.version
    ),
    MasterKey,
)
_RECORD = Prepared(
    _KEY.insert(slots("version", "fingerprint", "added_at", "waits_since")).on_conflict("nothing")
)
# Whether anything was signed with the secret, for databases of releases that did not store
# fingerprints.
_IN_USE = (
    Prepared(Subscription.select(Subscription.id).limit(1)),
    Prepared(Production.select(Production.id).limit(1)),
)
# How many seconds a process may act on what the database said of the keys.
_HOLDS_SECONDS = 3.0
_END_WAITING = Prepared(_KEY.update(waits_since=None).where(_KEY.version == slot("version")))
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
    if not db.place():
        _end_waiting(path, now)
    known = list_recorded()  # read first: a key is written to the file before the database
    if not path.exists():
        if known or any(query.rows() for query in _IN_USE):
            raise StartRefused(f"{path} is missing: {operator_hint(path)}.")
        key_ring.make(path)
    message = describe_mismatch(path, known)
    if message:
        raise StartRefused(f"{message}: {operator_hint(path)}.")
    record_fingerprints(key_ring.read(path), now)
    return read_ring(path)


def _end_waiting(path: Path, now: int) -> None:
    """Let a key sign at once that waited for other machines, before its tables were copied here:
    now there are none. One that is not here is retired, as nothing was signed with it.
    """
    waiting = [row["version"] for row in list_recorded() if row["waits_since"] is not None]
    if not waiting or not path.exists():
        return
    held = key_ring.read(path)
    with db.transaction():
        for version in waiting:
            _END_WAITING.execute(version=version)
            if version not in held:
                _RETIRE.execute(version=version, now=now)


def read_ring(path: Path) -> FileRing:
    """Return the master keys at ``path``, which were seen to belong to the open database.

    SettingsError: there is no usable key.
    """
    return FileRing(path, matches_database, _read_states, _HOLDS_SECONDS if db.place() else None)


def _read_states() -> dict[int, Recorded]:
    return {
        row["version"]: Recorded(
            row["fingerprint"], row["retired_at"] is not None, row["waits_since"] is not None
        )
        for row in list_recorded()
    }


def list_recorded() -> list[MasterKey]:
    """Return the master keys in the open database, also retired ones."""
    return _RECORDED.rows()


def list_recorded_by(connection: Connection) -> list[MasterKey]:
    """Return :func:`list_recorded` of the database of ``connection``."""
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
        if row["version"] not in keys and not (row["retired_at"] or row["waits_since"]):
            return f"does not contain master key {row['version']}"
        if (
            row["version"] in keys
            and key_ring.compute_fingerprint(keys[row["version"]]) != row["fingerprint"]
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
    """Store the fingerprints of ``keys`` (by version); existing ones stay unchanged.

    Where several machines share the database, a further key waits until all of them have it.
    """
    known = {row["version"] for row in list_recorded()}
    if known >= keys.keys():
        return
    waits_since = now if known and db.place() else None
    with db.transaction():
        _RECORD.execute_many(_make_rows(keys, now, waits_since))


def rotate(secret: Path, path: Path, now: int) -> int:
    """Add a master key to the file ``secret`` and its fingerprint to the database at ``path``;
    return its version.

    Servers may be running. StartRefused: the secret does not belong to that database.
    """
    with closing(database_file.connect(path)) as connection:
        if message := describe_mismatch(secret, list_recorded_by(connection)):
            raise StartRefused(f"{message}: {operator_hint(secret)}.")
        version = key_ring.rotate(secret)
        _RECORD.execute_many_by(connection, _make_rows(key_ring.read(secret), now))
    return version


def retire(secret: Path, version: int, now: int) -> None:
    """Remove a master key from the file ``secret``. It is first marked as retired in the database,
    so that it may be missing.

    SettingsError: there is no such key, or it is the newest.
    """
    key_ring.require_retirable(key_ring.read(secret), version)
    mark_retired(version, now)
    key_ring.retire(secret, version)


def mark_retired(version: int, now: int) -> None:
    """Record that a master key neither signs nor verifies any more."""
    with db.transaction():
        _RETIRE.execute(version=version, now=now)


def _make_rows(
    keys: Mapping[int, bytes], now: int, waits_since: int | None = None
) -> list[dict[str, Any]]:
    return [
        {
            "version": version,
            "fingerprint": key_ring.compute_fingerprint(value),
            "added_at": now,
            "waits_since": waits_since,
        }
        for version, value in sorted(keys.items())
    ]
