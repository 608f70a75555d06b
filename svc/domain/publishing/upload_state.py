"""What is stored of a publication under way at a place: its idempotency key,
its upload session and its progress.
"""

from typing import NamedTuple

from svc.domain.productions.publications import Claim
from svc.store.claims import LostClaim
from svc.store.database import Row, db
from svc.store.expressions import fn
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot, slots

_THIS_ONE = (Publication.production_id == slot("production_id")) & (
    Publication.platform == slot("platform")
)
_CLAIMED = _THIS_ONE & (Publication.claim_token == slot("token"))
_HELD = _CLAIMED & (Publication.status == "Publishing")
_FIND = Prepared(
    Publication.select(
        Publication.idempotency_key,
        Publication.session,
        Publication.sent_bytes,
        Publication.publish_at,
    ).where(_CLAIMED)
)
_BEGIN = Prepared(
    Publication.update(
        idempotency_key=fn.coalesce(Publication.idempotency_key, slot("key")),
        sent_bytes=0,
        total_bytes=slot("total_bytes"),
        claim_until=slot("until"),
    ).where(_HELD)
)
_SCHEDULE = Prepared(
    Publication.update(publish_at=fn.coalesce(Publication.publish_at, slot("publish_at"))).where(
        _HELD
    )
)
_SAVE = Prepared(Publication.update(slots("session"), claim_until=slot("until")).where(_HELD))
_PROGRESS = Prepared(
    Publication.update(slots("sent_bytes"), claim_until=slot("until")).where(_HELD)
)
_BEGIN_ANEW = Prepared(Publication.update(sent_bytes=None).where(_THIS_ONE))


class StoredUpload(NamedTuple):
    """What is stored of a publication when an attempt begins. ``anew``: by hand, or for the first
    time.

    ``publish_at``: when its place is to show it; None: at once.
    """

    key: str
    session: bytes | None
    anew: bool
    publish_at: int | None


def begin(
    claim: Claim, key: str, until: int, total_bytes: int, publish_at: int | None
) -> StoredUpload:
    """Store the idempotency key before the first byte is sent, unless an earlier attempt has stored
    one. LostClaim.

    ``key``: a new one. ``until``: the end of the lease. ``total_bytes``: of what the place is sent.
    ``publish_at``: when to show it, unless that was settled at an earlier attempt.
    """
    with db.transaction(partner=claim.partner_id):
        before = _FIND.row(**_claim_key(claim))
        anew = before is None or before["sent_bytes"] is None
        _change_held(claim, _BEGIN, key=key, total_bytes=total_bytes, until=until)
        if anew and publish_at is not None:
            _change_held(claim, _SCHEDULE, publish_at=publish_at)
        row = _FIND.one(**_claim_key(claim))
    return StoredUpload(row["idempotency_key"], row["session"], anew, row["publish_at"])


def save_session(claim: Claim, session: bytes, until: int) -> None:
    """Store the sealed session durably. LostClaim."""
    with db.transaction(partner=claim.partner_id):
        _change_held(claim, _SAVE, session=session, until=until)


def save_progress(claim: Claim, sent_bytes: int, until: int) -> None:
    """Store how much the place has, and renew the lease. LostClaim."""
    with db.transaction(durable=False, in_turn=False):
        _change_held(claim, _PROGRESS, sent_bytes=sent_bytes, until=until)


def begin_anew(production_id: str, platform: str) -> None:
    """Mark that a publication is retried by hand: what was at the place may be gone.

    Key and session stay. Inside a transaction.
    """
    _BEGIN_ANEW.execute(production_id=production_id, platform=platform)


def _change_held(claim: Claim, change: Prepared[Row], **values: str | bytes | int) -> None:
    if not change.execute(**values, **_claim_key(claim)):
        raise LostClaim


def _claim_key(claim: Claim) -> dict[str, str]:
    return {"production_id": claim.production_id, "platform": claim.platform, "token": claim.token}
