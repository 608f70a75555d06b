"""The hash chain of the audit log: each entry's hash covers the previous entry, and a seal proves
that this service wrote it.

The content of an entry (actor, subject, before, after) is hashed with a random salt: it can be
redacted later, when a partner is erased, without breaking the chain and without being guessable
from its hash. The seal is an HMAC, with a key derived from a master key, of the hash and the
current content: an attacker who can write to the database but does not have the file ``secret``
cannot add, change, redact or remove an entry undetected, nor begin the chain anew, for its end is
sealed too (:mod:`svc.domain.audit.audit_head`). If the end is not as the service left it, an entry
says so before the next one is added, and the log counts as broken for ever.
"""

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from svc.base import clock
from svc.base.crypto.key_ring import FileRing
from svc.domain import master_keys
from svc.domain.audit import audit_head
from svc.domain.audit.audit_head import Forged, Head
from svc.domain.tables.people import AuditEntry
from svc.store.database import db
from svc.store.expressions import fn
from svc.store.models import people as models
from svc.store.queries import Prepared, slot, slots

log = logging.getLogger("svc.audit")

ERASED = "(erased)"
BROKEN = "audit.broken"  # the action of an entry that records a break
_SERVICE, _SUBJECT = "the service", "Audit log"
_FIRST = bytes(32)  # the previous hash of the first entry
_UNCHAINED = "is not in the chain"
_SET_BACK = (
    f"The database is older than this machine has seen it (`{audit_head.NOTE}` in the data "
    "directory): somebody put an older state back. If that was you, who restored a backup, remove "
    "that file"
)
_BATCH = 1000  # rows that are read or resealed at a time

_ENTRY = models.AuditEntry
_CHAIN = ("salt", "content_hash", "hash", "seal", "key_version")
_THIS_ONE = _ENTRY.id == slot("id")
_NEXT = _ENTRY.select().where(_ENTRY.id > slot("after")).order_by(_ENTRY.id).limit(slot("most"))
_ANY = _ENTRY.alias("any")
_LAST = Prepared(_ENTRY.select().where(_ENTRY.id == _ANY.select(fn.max(_ANY.id))), AuditEntry)
_CHAINED = Prepared(
    _ENTRY.select(_ENTRY.id)
    .where(
        _ENTRY.hash.is_null(False)
        | _ENTRY.seal.is_null(False)
        | _ENTRY.salt.is_null(False)
        | _ENTRY.content_hash.is_null(False)
        | _ENTRY.key_version.is_null(False)
    )
    .limit(1)
)
_ADD = Prepared(
    _ENTRY.insert(
        slots(
            "id",
            "at",
            "actor_id",
            "actor",
            "action",
            "partner_id",
            "subject_id",
            "subject",
            "before",
            "after",
            "redacted_at",
            *_CHAIN,
        )
    )
)
_FIND = Prepared(_ENTRY.select().where(_THIS_ONE), AuditEntry)
_FROM = Prepared(_NEXT, AuditEntry)
_OF_VERSION = Prepared(_NEXT.where(_ENTRY.key_version == slot("version")), AuditEntry)
_SEAL = Prepared(_ENTRY.update(slots(*_CHAIN)).where(_THIS_ONE))
_SEAL_AGAIN = Prepared(_ENTRY.update(slots("seal", "key_version")).where(_THIS_ONE))
_TO_REDACT = Prepared(
    _ENTRY.select()
    .where(
        _ENTRY.partner_id == slot("partner_id"),
        _ENTRY.redacted_at.is_null(),
        _ENTRY.action != "partner.erase",
    )
    .order_by(_ENTRY.id)
    .limit(slot("most")),
    AuditEntry,
)
_REDACT = Prepared(
    _ENTRY.update(
        actor=slot("actor"),
        subject=ERASED,
        before=None,
        after=None,
        redacted_at=slot("now"),
        salt=None,
    ).where(_THIS_ONE)
)
_USER = Prepared(models.User.select(models.User.id).where(models.User.id == slot("id")))


@dataclass(frozen=True)
class Verdict:
    """The result of a verification.

    ``entries``: the number of intact entries. ``head``: the hash of the last one, in hex.
    """

    entries: int
    redacted: int
    unchained: int  # entries from before the chain was introduced, if nothing has been added since
    head: str
    broken_id: int | None = None  # the first entry that is not intact, or that is missing
    why: str = ""  # the predicate of a sentence whose subject is that entry
    # Whether the given head is in the chain; None: no head was given.
    knows_head: bool | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether nothing was found that this service did not do."""
        return self.broken_id is None and self.knows_head is not False


def append(entry: dict[str, Any]) -> None:
    """Append an entry (column to value) to the chain when the present transaction is committed."""
    db.before_commit(lambda: _append_entry(entry))


def _append_entry(entry: dict[str, Any]) -> None:
    _insert_entry(entry, _find_end(entry["at"]))


def _insert_entry(entry: dict[str, Any], last: Head) -> Head:
    """Insert an entry behind ``last``, and seal it as the new end."""
    row = {"id": last.id + 1, **entry, "redacted_at": None}
    chained = {**row, **_chain_columns(row, last.hash)}
    _ADD.execute(**chained)
    head = Head(last.id + 1, chained["hash"])
    audit_head.seal_head(_open_ring(), head)
    return head


def _add_own(action: str, after: dict[str, Any], last: Head, now: int) -> Head:
    """Insert an entry of the service about the log itself."""
    entry = {
        "at": now,
        "actor_id": None,
        "actor": _SERVICE,
        "action": action,
        "partner_id": None,
        "subject_id": None,
        "subject": _SUBJECT,
        "before": None,
        "after": json.dumps(after),
    }
    return _insert_entry(entry, last)


def _find_end(now: int) -> Head:
    """Return the end of the chain, for the next entry to follow.

    If it is not as the service left it, an entry says so first: what happens is recorded in any
    case, and verify() finds the break for ever. Nothing that is there is sealed anew.
    """
    last = _LAST.row()
    problem = _problem_at_end(last)
    if problem is None and last is not None and last["hash"] is None:
        return _take_over(now)
    if problem is None:
        return Head(last["id"], last["hash"] or _FIRST) if last else Head(0, _FIRST)
    log.error(
        "the audit log was changed by somebody else: %s; `python app.py audit verify` says more",
        problem,
    )
    try:
        head = audit_head.read_head(_open_ring())
    except Forged:
        head = None
    # No number of a removed entry is used again.
    known = [head.id if head else 0, last["id"] if last else 0]
    follows = last["hash"] if last and last["hash"] else head.hash if head else _FIRST
    return _add_own(BROKEN, {"why": problem}, Head(max(known), follows), now)


def _problem_at_end(last: AuditEntry | None) -> str | None:
    """Return why the end of the log is not as the service left it,
    as a sentence without its full stop; None: it is.
    """
    ring = _open_ring()
    try:
        head = audit_head.read_head(ring)
    except Forged as forged:
        return f"the seal of the newest entry {forged}"
    if head is None:
        return _find_problem_before_head(last)
    if last is None or last["id"] < head.id:
        return f"the entries up to {head.id} were removed from the end"
    if (last["id"], last["hash"]) != (head.id, head.hash):
        return f"entry {head.id} was the newest, and entry {last['id']} is now"
    problem = _find_fault_of_content(ring, last)
    return f"entry {last['id']} {problem}" if problem else None


def _find_problem_before_head(last: AuditEntry | None) -> str | None:
    """Return the first problem of a log of which no head is sealed.

    That is so before the first entry, and after the upgrade to this release.
    """
    if known := audit_head.read_noted_head():
        return f"the seal of the newest entry, which was {known.id} or a later one, was removed"
    if last is None:
        return None
    if last["hash"] is None:
        return f"entry {last['id']} is not in the chain" if _CHAINED.row() else None
    verdict = verify()
    return None if verdict.broken_id is None else f"entry {verdict.broken_id} {verdict.why}"


def _take_over(now: int) -> Head:
    """Chain the entries from before the chain was introduced, record that,
    and return the last one.
    """
    previous, number = _FIRST, 0
    for row in read_entries():
        chained = _chain_columns(row, previous)
        _SEAL.execute(**chained, id=row["id"])
        previous, number, last_id = chained["hash"], number + 1, row["id"]
    return _add_own("audit.begin", {"entriesBefore": number}, Head(last_id, previous), now)


def verify(head: str | None = None) -> Verdict:
    """Verify the whole log, oldest entry first. ``head``: a hash in hex, stored elsewhere, that
    must be in the chain.

    Other processes may add entries meanwhile.
    """
    ring, previous, last_id = _open_ring(), _FIRST, 0
    intact = redacted = unchained = 0
    known = None if head is None else False
    # The heads are read before the entries, so that the entries of these heads must be among them.
    expected = _Expected.now(ring)
    for row in read_entries():
        digest = row["hash"]
        if digest is None and not intact and not expected.is_begun:
            unchained += 1
            continue
        problem = (
            _find_fault(ring, row, previous, last_id)
            if not unchained
            else "follows entries that are not in the chain"
        )
        problem = _describe_recorded_break(ring, row) or problem or expected.fault(row)
        if problem or digest is None:
            return Verdict(
                intact,
                redacted,
                0,
                previous.hex() if intact else "",
                row["id"],
                problem or _UNCHAINED,
                known,
            )
        previous, last_id, intact = digest, row["id"], intact + 1
        redacted += row["redacted_at"] is not None
        if head is not None and digest.hex() == head.lower():
            known = True
    shown = previous.hex() if intact else ""
    if after := expected.fault_after(last_id, ring):
        return Verdict(intact, redacted, 0, shown, *after, known)
    return Verdict(intact, redacted, unchained, shown, knows_head=known)


@dataclass(frozen=True)
class _Expected:
    """What the log must contain at least: the head that is sealed in the database,
    and the one that this machine noted.
    """

    sealed: Head | None
    noted: Head | None
    is_begun: bool  # whether the chain has

    @classmethod
    def now(cls, ring: FileRing) -> "_Expected":
        noted = audit_head.read_noted_head()  # first: it is never newer than the sealed one
        try:
            sealed = audit_head.read_head(ring)
        except Forged:
            return cls(None, noted, is_begun=True)
        return cls(sealed, noted, is_begun=bool(sealed or noted))

    def fault(self, row: AuditEntry) -> str | None:
        """Return why an intact entry is not whole nevertheless."""
        for head in (self.sealed, self.noted):
            if head and head.id == row["id"] and head.hash != row["hash"]:
                return (
                    "is not the one that was there before. "
                    f"{_SET_BACK if head is self.noted else ''}"
                ).strip()
        return None

    def fault_after(self, last_id: int, ring: FileRing) -> tuple[int, str] | None:
        """Return what is wrong behind the last entry, which was intact, and with which entry."""
        try:
            # once more: entries may have been added meanwhile, but each with its seal
            newest = audit_head.read_head(ring)
        except Forged as forged:
            return last_id + 1, f"may have been removed: the seal of the newest entry {forged}"
        if newest is None and self.is_begun:
            return last_id + 1, "may have been removed: the seal of the newest entry was"
        if self.sealed and self.sealed.id > last_id:
            return last_id + 1, f"was removed, with all up to {self.sealed.id}"
        if self.noted and self.noted.id > last_id:
            return last_id + 1, f"was removed, with all up to {self.noted.id}. {_SET_BACK}"
        if newest and newest.id < last_id:
            return newest.id + 1, "follows the newest entry that this service sealed"
        return None


def _describe_recorded_break(ring: FileRing, row: AuditEntry) -> str | None:
    """Return what an entry says about a break that this service found;
    None: the entry is about something else.
    """
    if row["action"] != BROKEN or not _is_sealed(ring, row):
        return None
    return (
        "records that the log was changed by somebody else: "
        f"{json.loads(row['after'] or '{}').get('why')}"
    )


def _find_fault(ring: FileRing, row: AuditEntry, previous: bytes, last_id: int) -> str | None:
    """Return why an entry does not validly follow the hash ``previous``; None: it does."""
    if problem := _find_fault_of_content(ring, row):
        return problem
    if not hmac.compare_digest(
        _hash_row(row, previous, row["content_hash"] or b""), row["hash"] or b""
    ):
        return f"does not follow entry {last_id}: entries between them were removed, added or moved"
    return None


def _find_fault_of_content(ring: FileRing, row: AuditEntry) -> str | None:
    """Return why an entry is not as this service wrote it, wherever it stands; None: it is."""
    if row["hash"] is None or row["seal"] is None or row["content_hash"] is None:
        return _UNCHAINED
    if row["key_version"] not in ring.versions:
        return f"was sealed with master key {row['key_version']}, which `secret` does not contain"
    if not _is_sealed(ring, row):
        return "was changed, or was not written by this service"
    if row["redacted_at"] is None and not hmac.compare_digest(
        _hash_content(row, row["salt"] or b""), row["content_hash"]
    ):
        return "was changed after it was written"
    return None


def redact(partner_id: str, now: int) -> int:
    """Remove names and values from the entries of an erased partner, and return the number of
    entries.

    The action, the time, the ids and the chain stay.
    """
    number, is_begun = 0, False
    while batch := _TO_REDACT.rows(partner_id=partner_id, most=_BATCH):
        with db.transaction():
            if batch[-1]["hash"] is None and not is_begun:
                # chains entries from before the chain, but not those that somebody took out of it
                is_begun = bool(_find_end(now))
                continue
            for row in batch:
                _redact_row(row, now)
        number += len(batch)
    return number


def _redact_row(row: AuditEntry, now: int) -> None:
    ring = _open_ring()
    had_valid_seal = row["key_version"] in ring.versions and _is_sealed(ring, row)
    is_deleted_user = row["actor_id"] is not None and not _USER.row(id=row["actor_id"])
    actor = ERASED if is_deleted_user else row["actor"]
    _REDACT.execute(id=row["id"], actor=actor, now=now)
    # Without a valid seal it stays broken: an entry that this service did not write is never
    # sealed.
    if had_valid_seal:
        _seal_again(_FIND.one(id=row["id"]), ring)


def seal_again(version: int) -> int:
    """Reseal the entries of master key ``version`` with the newest one, and return their number.

    Entries with an invalid seal are left as they are.
    """
    ring, after, number = _open_ring(), 0, 0
    while batch := _OF_VERSION.rows(after=after, version=version, most=_BATCH):
        with db.transaction():
            for row in batch:
                if _is_sealed(ring, row):
                    _seal_again(row, ring)
                    number += 1
        after = batch[-1]["id"]
    with db.transaction():
        audit_head.seal_again(ring, version)
    return number


def _seal_again(row: AuditEntry, ring: FileRing) -> None:
    version = ring.newest
    seal = _sealed(ring, version, row, row["hash"] or b"")
    _SEAL_AGAIN.execute(id=row["id"], seal=seal, key_version=version)


def read_entries() -> Iterator[AuditEntry]:
    """Yield all entries, oldest first."""
    after = 0
    while batch := _FROM.rows(after=after, most=_BATCH):
        yield from batch
        after = batch[-1]["id"]


def _chain_columns(row: Mapping[str, Any], previous: bytes) -> dict[str, Any]:
    """Return the chain columns of a row that follows the hash ``previous``."""
    ring, salt = _open_ring(), secrets.token_bytes(32)
    version, content_hash = ring.newest, _hash_content(row, salt)
    digest = _hash_row(row, previous, content_hash)
    seal = _sealed(ring, version, row, digest)
    return {
        "salt": salt,
        "content_hash": content_hash,
        "hash": digest,
        "seal": seal,
        "key_version": version,
    }


def _hash_content(row: Mapping[str, Any], salt: bytes) -> bytes:
    return hmac.digest(salt, _encode_columns(row, "actor", "subject", "before", "after"), "sha256")


def _hash_row(row: Mapping[str, Any], previous: bytes, content_hash: bytes) -> bytes:
    lasting = _encode_columns(row, "id", "at", "actor_id", "action", "partner_id", "subject_id")
    return hashlib.sha256(previous + content_hash + lasting).digest()


def _sealed(ring: FileRing, version: int, row: Mapping[str, Any], digest: bytes) -> bytes:
    readable = _encode_columns(row, "actor", "subject", "before", "after", "redacted_at")
    return hmac.digest(ring.derive("audit", version), digest + readable, "sha256")


def _is_sealed(ring: FileRing, row: AuditEntry) -> bool:
    version, digest, seal = row["key_version"], row["hash"], row["seal"]
    if version is None or digest is None or seal is None:
        return False
    return hmac.compare_digest(_sealed(ring, version, row, digest), seal)


def _encode_columns(row: Mapping[str, Any], *columns: str) -> bytes:
    return json.dumps([row[name] for name in columns], ensure_ascii=True).encode()


def _open_ring() -> FileRing:
    """Return the master keys in the directory of the open database."""
    return _ring_of(db.path().parent)


@lru_cache(maxsize=4)
def _ring_of(folder: Path) -> FileRing:
    return master_keys.open_ring(folder / "secret", clock.now())
