"""What is stored of a publication under way at a place: its idempotency key, its upload session and its progress."""

from typing import NamedTuple

from svc.domain.productions.publications import Claim
from svc.store import database
from svc.store.claims import LostClaim

_OF = "WHERE production_id = ? AND platform = ? AND claim_token = ?"


class Begun(NamedTuple):
    """What is stored of a publication when an attempt begins. ``anew``: by hand, or for the first time.

    ``publish_at``: when its place is to show it; None: at once.
    """

    key: str
    session: bytes | None
    anew: bool
    publish_at: int | None


def begin(claim: Claim, key: str, until: int, total_bytes: int, publish_at: int | None) -> Begun:
    """Store the idempotency key before the first byte is sent, unless an earlier attempt has stored one. LostClaim.

    ``key``: a new one. ``until``: the end of the lease. ``total_bytes``: of what the place is sent.
    ``publish_at``: when to show it, unless that was settled at an earlier attempt.
    """
    with database.write():
        before = database.row(f"SELECT sent_bytes FROM publications {_OF}", _where(claim))
        anew = before is None or before["sent_bytes"] is None
        begun = "idempotency_key = coalesce(idempotency_key, ?), sent_bytes = 0, total_bytes = ?, claim_until = ?"
        _held(claim, begun, (key, total_bytes, until))
        if anew and publish_at is not None:
            _held(claim, "publish_at = coalesce(publish_at, ?)", (publish_at,))
        row = database.one(f"SELECT idempotency_key, session, publish_at FROM publications {_OF}", _where(claim))
    return Begun(row["idempotency_key"], row["session"], anew, row["publish_at"])


def save(claim: Claim, session: bytes, until: int) -> None:
    """Store the sealed session durably. LostClaim."""
    with database.write():
        _held(claim, "session = ?, claim_until = ?", (session, until))


def progress(claim: Claim, sent_bytes: int, until: int) -> None:
    """Store how much the place has, and renew the lease. LostClaim."""
    with database.write(durable=False):
        _held(claim, "sent_bytes = ?, claim_until = ?", (sent_bytes, until))


def begin_anew(production_id: str, platform: str) -> None:
    """Mark that a publication is retried by hand: what was at the place may be gone. Key and session stay. Inside write()."""
    sql = "UPDATE publications SET sent_bytes = NULL WHERE production_id = ? AND platform = ?"
    database.execute(sql, (production_id, platform))


def _held(claim: Claim, assignments: str, values: tuple[str | bytes | int, ...]) -> None:
    sql = f"UPDATE publications SET {assignments} {_OF} AND status = 'Publishing'"
    if not database.execute(sql, (*values, *_where(claim))):
        raise LostClaim


def _where(claim: Claim) -> tuple[str, str, str]:
    return claim.production_id, claim.platform, claim.token
