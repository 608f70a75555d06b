"""The hash chain of the audit log: each entry's hash covers the previous entry, and a seal proves that this service wrote it.

The content of an entry (actor, subject, before, after) is hashed with a random salt: it can be redacted later, when a partner
is erased, without breaking the chain and without being guessable from its hash. The seal is an HMAC, with a key derived from a
master key, of the hash and the current content: an attacker who can write to the database but does not have the file
``secret`` cannot add, change, redact or remove an entry undetected. The exception is the removal of the newest entries, which
leaves a shorter valid chain: to detect it, compare with a head that was stored elsewhere.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from svc.base import clock
from svc.base.crypto.key_ring import FileRing
from svc.domain import rows
from svc.domain.access import master_keys
from svc.domain.tables.people import AuditEntry
from svc.store import database

ERASED = "(erased)"
_FIRST = bytes(32)  # the previous hash of the first entry
_UNCHAINED = "is not in the chain"
_BATCH = 1000  # rows that are read or resealed at a time

_LAST = "SELECT id, hash FROM audit WHERE id = (SELECT max(id) FROM audit)"
_FROM = "SELECT * FROM audit WHERE id > ? ORDER BY id LIMIT ?"
_SEAL = "UPDATE audit SET salt = ?, content_hash = ?, hash = ?, seal = ?, key_version = ? WHERE id = ?"
_OF_VERSION = "SELECT * FROM audit WHERE id > ? AND key_version = ? ORDER BY id LIMIT ?"
_TO_REDACT = """
    SELECT * FROM audit WHERE partner_id = ? AND redacted_at IS NULL AND action != 'partner.erase' ORDER BY id LIMIT ?
"""
_REDACT = """
    UPDATE audit SET actor = ?, subject = ?, before = NULL, after = NULL, redacted_at = ?, salt = NULL WHERE id = ?
"""


@dataclass(frozen=True)
class Verdict:
    """The result of a verification. ``entries``: the number of intact entries. ``head``: the hash of the last one, in hex."""

    entries: int
    redacted: int
    unchained: int  # entries from before the chain was introduced, if nothing has been added since
    head: str
    broken_id: int | None = None  # the first entry that is not intact
    why: str = ""
    knows_head: bool | None = None  # whether the given head is in the chain; None: no head was given


def append(entry: dict[str, Any]) -> int:
    """Append an entry (column to value) to the chain, and return its id. Call it inside write(), which serialises writers."""
    last: database.Row | dict[str, Any] | None = database.row(_LAST)
    if last is not None and last["hash"] is None:
        last = _take_over(entry["at"])
    row = {"id": last["id"] + 1 if last else 1, **entry, "redacted_at": None}
    chained = {**row, **_chained(row, last["hash"] if last else _FIRST)}
    database.insert("audit", chained)
    return int(row["id"])


def _take_over(now: int) -> dict[str, Any]:
    """Chain the entries from before the chain was introduced, record that, and return the last row."""
    previous, number = _FIRST, 0
    for row in entries():
        chained = _chained(row, previous)
        database.execute(_SEAL, (*chained.values(), row["id"]))
        previous, number, last_id = chained["hash"], number + 1, row["id"]
    entry = {
        "id": last_id + 1, "at": now, "actor_id": None, "actor": "the service", "action": "audit.begin", "partner_id": None,
        "subject_id": None, "subject": "Audit log", "before": None, "after": json.dumps({"entriesBefore": number}),
        "redacted_at": None,
    }  # fmt: skip
    chained = {**entry, **_chained(entry, previous)}
    database.insert("audit", chained)
    return chained


def verify(head: str | None = None) -> Verdict:
    """Verify the whole log, oldest entry first. ``head``: a hash in hex, stored elsewhere, that must be in the chain."""
    ring, previous, last_id = _ring(), _FIRST, 0
    intact = redacted = unchained = 0
    known = None if head is None else False
    for row in entries():
        digest = row["hash"]
        if digest is None and not intact:
            unchained += 1
            continue
        problem = _fault(ring, row, previous, last_id) if not unchained else "follows entries that are not in the chain"
        if problem or digest is None:
            return Verdict(intact, redacted, 0, previous.hex() if intact else "", row["id"], problem or _UNCHAINED, known)
        previous, last_id, intact = digest, row["id"], intact + 1
        redacted += row["redacted_at"] is not None
        if head is not None and digest.hex() == head.lower():
            known = True
    return Verdict(intact, redacted, unchained, previous.hex() if intact else "", knows_head=known)


def _fault(ring: FileRing, row: AuditEntry, previous: bytes, last_id: int) -> str | None:
    """Return why an entry does not validly follow the hash ``previous``; None: it does."""
    if row["hash"] is None or row["seal"] is None or row["content_hash"] is None:
        return _UNCHAINED
    if row["key_version"] not in ring.versions:
        return f"was sealed with master key {row['key_version']}, which `secret` does not contain"
    if not _is_sealed(ring, row):
        return "was changed, or was not written by this service"
    if row["redacted_at"] is None and not hmac.compare_digest(_content_hash(row, row["salt"] or b""), row["content_hash"]):
        return "was changed after it was written"
    if not hmac.compare_digest(_hash(row, previous, row["content_hash"]), row["hash"]):
        return f"does not follow entry {last_id}: entries between them were removed, added or moved"
    return None


def redact(partner_id: str, now: int) -> int:
    """Remove names and values from the entries of an erased partner, and return the number of entries.

    The action, the time, the ids and the chain stay.
    """
    number = 0
    while batch := rows.every(AuditEntry, _TO_REDACT, (partner_id, _BATCH)):
        with database.write():
            if batch[-1]["hash"] is None:
                _take_over(now)
                continue
            for row in batch:
                _redact(row, now)
        number += len(batch)
    return number


def _redact(row: AuditEntry, now: int) -> None:
    ring = _ring()
    had_valid_seal = row["key_version"] in ring.versions and _is_sealed(ring, row)
    is_deleted_user = row["actor_id"] is not None and not database.row("SELECT 1 FROM users WHERE id = ?", (row["actor_id"],))
    actor = ERASED if is_deleted_user else row["actor"]
    database.execute(_REDACT, (actor, ERASED, now, row["id"]))
    if had_valid_seal:  # otherwise it stays broken: an entry that this service did not write is never sealed
        _seal_again(rows.one(AuditEntry, "SELECT * FROM audit WHERE id = ?", (row["id"],)), ring)


def seal_again(version: int) -> int:
    """Reseal the entries of master key ``version`` with the newest one, and return their number.

    Entries with an invalid seal are left as they are.
    """
    ring, after, number = _ring(), 0, 0
    while batch := rows.every(AuditEntry, _OF_VERSION, (after, version, _BATCH)):
        with database.write():
            for row in batch:
                if _is_sealed(ring, row):
                    _seal_again(row, ring)
                    number += 1
        after = batch[-1]["id"]
    return number


def _seal_again(row: AuditEntry, ring: FileRing) -> None:
    version = ring.newest
    seal = _sealed(ring, version, row, row["hash"] or b"")
    database.execute("UPDATE audit SET seal = ?, key_version = ? WHERE id = ?", (seal, version, row["id"]))


def entries() -> Iterator[AuditEntry]:
    """Yield all entries, oldest first."""
    after = 0
    while batch := rows.every(AuditEntry, _FROM, (after, _BATCH)):
        yield from batch
        after = batch[-1]["id"]


def _chained(row: Mapping[str, Any], previous: bytes) -> dict[str, Any]:
    """Return the chain columns of a row that follows the hash ``previous``, in the order of _SEAL."""
    ring, salt = _ring(), secrets.token_bytes(32)
    version, content_hash = ring.newest, _content_hash(row, salt)
    digest = _hash(row, previous, content_hash)
    seal = _sealed(ring, version, row, digest)
    return {"salt": salt, "content_hash": content_hash, "hash": digest, "seal": seal, "key_version": version}


def _content_hash(row: Mapping[str, Any], salt: bytes) -> bytes:
    return hmac.digest(salt, _text(row, "actor", "subject", "before", "after"), "sha256")


def _hash(row: Mapping[str, Any], previous: bytes, content_hash: bytes) -> bytes:
    kept = _text(row, "id", "at", "actor_id", "action", "partner_id", "subject_id")
    return hashlib.sha256(previous + content_hash + kept).digest()


def _sealed(ring: FileRing, version: int, row: Mapping[str, Any], digest: bytes) -> bytes:
    readable = _text(row, "actor", "subject", "before", "after", "redacted_at")
    return hmac.digest(ring.derive("audit", version), digest + readable, "sha256")


def _is_sealed(ring: FileRing, row: AuditEntry) -> bool:
    version, digest, seal = row["key_version"], row["hash"], row["seal"]
    if version is None or digest is None or seal is None:
        return False
    return hmac.compare_digest(_sealed(ring, version, row, digest), seal)


def _text(row: Mapping[str, Any], *columns: str) -> bytes:
    return json.dumps([row[name] for name in columns], ensure_ascii=True).encode()


def _ring() -> FileRing:
    """Return the master keys in the directory of the open database."""
    return _ring_of(database.path().parent)


@lru_cache(maxsize=4)
def _ring_of(folder: Path) -> FileRing:
    return master_keys.open_ring(folder / "secret", clock.now())
