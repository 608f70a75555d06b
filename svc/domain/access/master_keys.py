"""The fingerprints of the master keys in the database: whether the file ``secret`` is the one that belongs to it.

A database without its secret, or with another one, breaks every link, webhook and certificate at once while everything seems to
work; so the service refuses to start with it.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from svc.base.crypto import key_ring
from svc.base.crypto.key_ring import FileRing
from svc.base.errors import SettingsError, StartRefused
from svc.store import database, inspection
from svc.store.backup import archive

_SELECT = "SELECT version, fingerprint, retired_at FROM master_keys ORDER BY version"
_INSERT = "INSERT OR IGNORE INTO master_keys (version, fingerprint, added_at) VALUES (?, ?, ?)"
# What was signed by a secret: all that a database of a release that kept no fingerprints knows of it.
_IN_USE = "SELECT EXISTS (SELECT 1 FROM subscriptions) OR EXISTS (SELECT 1 FROM productions)"


def open_ring(path: Path, now: int) -> FileRing:
    """The master keys at ``path``, which belong to the open database; made on the first start.

    StartRefused: they are not there, or not the ones that belong to it. Several processes may do this at the same moment.
    """
    known = recorded()  # first: what stands there was in the file before
    if not path.exists():
        if known or database.one(_IN_USE)[0]:
            raise StartRefused(f"{path} is missing: {mend(path)}.")
        key_ring.make(path)
    wrong = problem(path, known)
    if wrong:
        raise StartRefused(f"{wrong}: {mend(path)}.")
    ring = FileRing(path, belongs)
    record(key_ring.read(path), now)
    return ring


def recorded() -> list[database.Row]:
    """The master keys that the open database knows: version, fingerprint, retired_at."""
    return database.rows(_SELECT)


def recorded_by(connection: database.Connection) -> list[database.Row]:
    """As :func:`recorded`, of the database of another connection."""
    return connection.execute(_SELECT).fetchall()


def is_in_use(connection: database.Connection) -> bool:
    """Whether something in the database of another connection was signed by a secret."""
    return bool(connection.execute(_IN_USE).fetchone()[0])


def problem(path: Path, recorded: Iterable[database.Columns]) -> str | None:
    """Why the keys at ``path`` are not those of the database with these rows of :func:`recorded`; None: they are."""
    try:
        keys = key_ring.read(path)
    except FileNotFoundError:
        return f"{path} is missing"
    except (OSError, SettingsError):
        return f"{path} holds no usable key"
    wrong = difference(keys, recorded)
    return f"{path} {wrong}" if wrong else None


def difference(keys: Mapping[int, bytes], recorded: Iterable[database.Columns]) -> str | None:
    """How these keys, by version, differ from those of the database, for a sentence; None: they are the same."""
    for row in recorded:
        if row["retired_at"] is None and row["version"] not in keys:
            return f"lacks master key {row['version']}"
        if row["version"] in keys and key_ring.fingerprint(keys[row["version"]]) != row["fingerprint"]:
            return "is the secret of another installation"
    return None


def belongs(keys: Mapping[int, bytes]) -> bool:
    """Whether these keys, by version, are those of the open database."""
    return difference(keys, recorded()) is None


def mend(path: Path) -> str:
    """What puts it right, for the end of a sentence."""
    return (
        f"put {path.name} back from a backup of this installation, or bring database and secret back together: "
        "`python app.py restore FILE` into an empty directory"
    )


def record(keys: Mapping[int, bytes], now: int) -> None:
    """Keep the fingerprints of these master keys, by version; those that are there stay as they are."""
    known = {row["version"] for row in recorded()}
    if known >= keys.keys():
        return
    with database.write():
        for values in _values(keys, now):
            database.execute(_INSERT, values)


def rotate(secret: Path, path: Path, now: int) -> int:
    """Add a master key to the file ``secret`` and its fingerprint to the database at ``path``, beside running servers; its
    version. StartRefused: the secret is not the one of that database."""
    with closing(archive.connect(path)) as connection:
        connection.row_factory = database.Row
        keeps = inspection.has_table(connection, "master_keys")  # since schema 18
        wrong = problem(secret, recorded_by(connection) if keeps else ())
        if wrong:
            raise StartRefused(f"{wrong}: {mend(secret)}.")
        version = key_ring.rotate(secret)
        if keeps:
            connection.executemany(_INSERT, _values(key_ring.read(secret), now))
    return version


def retire(secret: Path, version: int, now: int) -> None:
    """Remove a master key from the file ``secret``. The open database notes it first: from then on the file may lack the key.

    SettingsError: there is no such key, or it is the newest.
    """
    key_ring.require_retirable(key_ring.read(secret), version)
    with database.write():
        database.execute("UPDATE master_keys SET retired_at = coalesce(retired_at, ?) WHERE version = ?", (now, version))
    key_ring.retire(secret, version)


def _values(keys: Mapping[int, bytes], now: int) -> list[tuple[int, str, int]]:
    return [(version, key_ring.fingerprint(value), now) for version, value in sorted(keys.items())]
