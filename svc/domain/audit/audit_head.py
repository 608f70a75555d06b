"""The end of the audit chain: sealed in the database with each entry, and noted in the data
directory of each machine.

The sealed head makes the removal of the newest entries visible, and a chain that is begun anew.
Whoever can write to the database can still put an older state of it back as a whole, with the head
that was valid then; the note, a file that only the service's own machine can change, shows that
too. It is one entry behind, so the very newest entry can be taken back like this.
"""

import hmac
import json
import logging
from dataclasses import dataclass
from pathlib import Path

from svc.base import atomic_file
from svc.base.crypto.key_ring import FileRing
from svc.store import meta
from svc.store.database import db
from svc.store.models.people import AuditEntry
from svc.store.queries import Prepared, slot

log = logging.getLogger("svc.audit")

NOTE = "audit-head.json"
_HASH = Prepared(AuditEntry.select(AuditEntry.hash).where(AuditEntry.id == slot("id")))


@dataclass(frozen=True, slots=True)
class Head:
    """The newest entry of the chain."""

    id: int
    hash: bytes


class Forged(Exception):
    """The head in the database is not one that this service sealed;
    the message is the predicate of a sentence.
    """


def read_head(ring: FileRing) -> Head | None:
    """Return the sealed head in the database; None: there is none.

    Forged: its seal does not hold.
    """
    text = meta.read_text("audit_head")
    if text is None:
        return None
    try:
        values = json.loads(text)
        head = Head(int(values["id"]), bytes.fromhex(values["hash"]))
        version = int(values["key"])
        seal = values["seal"]
        seal = bytes.fromhex(seal)
    except (ValueError, TypeError, KeyError) as error:
        raise Forged("is unreadable") from error
    if version not in ring.versions:
        raise Forged(f"was sealed with master key {version}, which `secret` does not contain")
    if not hmac.compare_digest(_seal_head(ring, version, head), seal):
        raise Forged("was changed, or was not written by this service")
    return head


def seal_head(ring: FileRing, head: Head) -> None:
    """Seal a new head in the database, inside a transaction, and note the one before it in the data
    directory.

    The one before it, because a note must never know of an entry that a power failure can still
    take away.
    """
    try:
        before = read_head(ring)
    except Forged:
        before = None
    _store_head(ring, head)
    folder = db.path().parent
    known = read_noted_head()
    # Without such an entry the note stays, which shows that an older state was put back.
    if before and (known is None or has_entry(known)):
        db.on_durable(lambda: _write_note(folder, before))


def seal_again(ring: FileRing, version: int) -> None:
    """Reseal the head with the newest master key, inside a transaction,
    if master key ``version`` sealed it validly.
    """
    try:
        head = read_head(ring)
    except Forged:
        return
    if head and json.loads(meta.read_text("audit_head") or "{}").get("key") == version:
        _store_head(ring, head)


def read_noted_head() -> Head | None:
    """Return the head that this machine noted in its data directory; None: it noted none."""
    try:
        values = json.loads((db.path().parent / NOTE).read_text("utf-8"))
        return Head(int(values["id"]), bytes.fromhex(values["hash"]))
    except (OSError, ValueError, TypeError, KeyError):
        # a file that a power failure emptied proves nothing
        return None


def has_entry(head: Head) -> bool:
    """Return whether the database has the entry."""
    stored: bytes | None = _HASH.value(id=head.id)
    return stored == head.hash


def _store_head(ring: FileRing, head: Head) -> None:
    version = ring.newest
    seal = _seal_head(ring, version, head).hex()
    meta.put(
        "audit_head",
        json.dumps({"id": head.id, "hash": head.hash.hex(), "key": version, "seal": seal}),
    )


def _seal_head(ring: FileRing, version: int, head: Head) -> bytes:
    return hmac.digest(
        ring.derive("audit head", version),
        json.dumps([head.id, head.hash.hex()]).encode(),
        "sha256",
    )


def _write_note(folder: Path, head: Head) -> None:
    """Write the note.

    Of two processes, the older head may win: it proves less, but nothing wrong.
    """
    try:
        with atomic_file.replace(folder / NOTE, unique=True) as partial:
            partial.write_text(json.dumps({"id": head.id, "hash": head.hash.hex()}), "utf-8")
    except OSError as error:
        # the entry is committed, and a full disk must not undo what it records
        log.warning("cannot note the head of the audit log in %s: %s", folder / NOTE, error)
