"""Publications: the publishing of a released production on each platform,
as a queue with leases and retries.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.domain import retry_schedule
from svc.domain.lifecycle import lifecycle
from svc.domain.productions import distribution, publication_queues
from svc.domain.productions.publication_queues import IS_DUE, IS_OPEN, DuePublication
from svc.domain.tables.productions import PublishableVideo
from svc.store import claims, wake
from svc.store.database import MOMENT, Busy, Row, db
from svc.store.expressions import Case, fn, is_same, least
from svc.store.models.partners import Account
from svc.store.models.productions import Deliverable, Production
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot, slots

LEASE = 5 * clock.MINUTE
# The longest exchange that a lost process may have under way with a place: svc.adapters.transfers.
LAST_EXCHANGE = clock.MINUTE
_COUNTED_AFTER = clock.HOUR  # when the figures of a place are read first

_OF_PRODUCTION = Publication.production_id == slot("production_id")
_THIS_ONE = _OF_PRODUCTION & (Publication.platform == slot("platform"))
_CLAIM = Prepared(
    Publication.update(
        slots("claim_token", "claim_boot", "claim_until"), status="Publishing"
    ).where(_THIS_ONE, IS_DUE)
)
_IS_HELD_BY = _THIS_ONE & (Publication.claim_token == slot("token"))
_HOLD = Prepared(Publication.update(next_attempt_at=None).where(_IS_HELD_BY))
_RENEW = Prepared(Publication.update(claim_until=slot("until")).where(_IS_HELD_BY))
_GIVE_BACK = Prepared(Publication.update(claims.UNCLAIMED).where(_IS_HELD_BY))
_FIND = Prepared(Publication.select(Publication.status, Publication.attempts).where(_THIS_ONE))
_RELEASE_EARLIER_BOOTS = Prepared(
    Publication.update(claims.UNCLAIMED).where(claims.is_of_earlier_boots(Publication))
)
_LOSE = Prepared(
    Publication.update(claims.UNCLAIMED).where(
        Publication.claim_token.is_null(False),
        Publication.claim_boot == slot("boot"),
        Publication.connection_id.is_null(),
    )
)
_END_SOON = Prepared(
    Publication.update(claim_until=least(Publication.claim_until, slot("until"))).where(
        Publication.claim_token.is_null(False),
        Publication.claim_boot == slot("boot"),
        Publication.connection_id.is_null(False),
    )
)
# A post is not withdrawn that another worker has recorded, or is about to find by the same
# idempotency key.
_STANDS = Prepared(
    Publication.select(Publication.status).where(
        _THIS_ONE,
        IS_OPEN
        | (
            (Publication.status == "Published")
            & is_same(Publication.platform_post_id, slot("post_id"))
        ),
    )
)
_VIDEO = Prepared(
    Deliverable.select(
        Deliverable,
        Production.title,
        Production.account_id,
        Account.name.alias("account_name"),
        Publication.description,
    )
    .join(Production, on=Production.id == Deliverable.production_id)
    .join(Account, on=Account.id == Production.account_id)
    .join(
        Publication,
        on=(Publication.production_id == Deliverable.production_id)
        & (Publication.platform == Deliverable.platform),
    )
    .where(
        Deliverable.production_id == slot("production_id"),
        Deliverable.platform == slot("platform"),
        Deliverable.type == "Video",
    ),
    PublishableVideo,
)
_PLATFORMS = Prepared(
    Publication.select(Publication.platform).where(_OF_PRODUCTION).order_by(Publication.platform)
)
_PUBLISHED = Prepared(
    Publication.update(
        slots("platform_post_id", "post_url", "details"),
        status="Published",
        published_at=slot("now"),
        error=None,
        next_attempt_at=None,
        attempts=Publication.attempts + 1,
        figures_due=Case(
            None,
            [
                (Publication.connection_id.is_null(), None),
                (Publication.publish_at > slot("now"), Publication.publish_at + _COUNTED_AFTER),
            ],
            slot("now").cast("bigint") + _COUNTED_AFTER,
        ),
        **claims.UNCLAIMED,
    ).where(_IS_HELD_BY)
)
_FAILED = Prepared(
    Publication.update(
        slots("status", "error", "attempts", "next_attempt_at"), **claims.UNCLAIMED
    ).where(_IS_HELD_BY)
)
_POSTPONE = Prepared(
    Publication.update(slots("next_attempt_at"), **claims.UNCLAIMED).where(_IS_HELD_BY)
)
_IS_HELD = Prepared(
    Production.select(fn.count(Production.id)).where(
        Production.id == slot("production_id"), is_same(Production.held_in, Production.status)
    )
)


@dataclass(frozen=True)
class Claim:
    """A publication that this process holds until the lease ends."""

    production_id: str
    platform: str
    token: str
    partner_id: str
    correlation_id: str
    connection_id: str | None = None  # None: on a platform of this server


def claim_next(
    driver: claims.Driver, now: int, at_places: bool = False, running: Sequence[Claim] = ()
) -> Claim | None:
    """Lease and return the publication that has been due longest; None: none is due.

    The first one of a production moves it to ``Distributing``. ``at_places``: those at places to
    which accounts are connected; otherwise those on this server's own platforms, which never wait
    for a place. ``running``: what this process carries out at places.
    """
    busy: set[str] = set()  # partners whose transactions are held up: others are next
    while (chosen := publication_queues.find_next(now, at_places, running, busy)) is not None:
        partner_id = chosen["partner_id"]
        try:
            with db.transaction(partner=partner_id, moment=MOMENT):
                # read again: the limits hold for what other machines claim meanwhile, too
                row = publication_queues.find_next(now, at_places, running, busy)
                if row is None:
                    return None
                if row["partner_id"] == partner_id:
                    return _lease_publication(driver, row, now)
        except Busy:
            busy.add(partner_id)
    return None


def _lease_publication(driver: claims.Driver, row: DuePublication, now: int) -> Claim | None:
    """Lease a publication; None: its production was cancelled or rejected meanwhile, or a scenario
    holds it. Inside a transaction.
    """
    of = row["partner_id"], row["correlation_id"], row["connection_id"]
    claim = Claim(row["production_id"], row["platform"], claims.make_token(), *of)
    claimed = _CLAIM.execute(
        production_id=claim.production_id,
        platform=claim.platform,
        claim_token=claim.token,
        claim_boot=driver.boot,
        claim_until=now + LEASE,
        now=now,
    )
    if claimed and distribution.start_distributing(claim.production_id, now):
        lifecycle.note_visible_change(claim.production_id, now)
        if not _is_held(claim.production_id):
            publication_queues.call_for_next(now)
            return claim
        _change_held(claim, _HOLD)  # a sandbox scenario holds the production: it is never due
    # Cancelled or rejected in the meantime, which withdraws the publications.
    release_claim(claim)
    return None


def renew_leases(running: Sequence[Claim], until: int) -> list[Claim]:
    """Renew leases, and return the claims that were lost: the publication is another's, or free to
    be taken.

    One that was given up, by a skip or a cancel, is not lost: nobody else carries it out, and what
    its attempt posts is withdrawn by that attempt.
    """
    lost = []
    for claim in running:
        with db.transaction(durable=False, in_turn=False):
            if not _change_held(claim, _RENEW, until=until):
                row = _FIND.row(production_id=claim.production_id, platform=claim.platform)
                if row is None or row["status"] in ("Pending", "Publishing"):
                    lost.append(claim)
    return lost


def release_claim(claim: Claim) -> None:
    """Release a claim, so that another process can take the publication."""
    with db.transaction(partner=claim.partner_id):
        _change_held(claim, _GIVE_BACK)


def postpone(claim: Claim, until: int) -> None:
    """Release a claim whose attempt a failure of our own ended, which counts as none: it is begun
    again at ``until``.
    """
    with db.transaction(partner=claim.partner_id):
        _change_held(claim, _POSTPONE, next_attempt_at=until)


def release_after_exchange(claim: Claim, now: int) -> None:
    """End the lease of a claim whose exchange was broken off when a request that may still be under
    way has ended: until then, the place cannot be asked what it has.
    """
    with db.transaction(partner=claim.partner_id):
        _change_held(claim, _RENEW, until=now + LAST_EXCHANGE)


def release_earlier_boots(driver: claims.Driver) -> int:
    """Release every claim of an earlier boot, whose process is gone, and return their number.

    Inside a transaction.
    """
    return _RELEASE_EARLIER_BOOTS.execute(boot=driver.boot, place=driver.place)


def release_claims_of(boot: str, now: int) -> int:
    """Release the claims of a process that gives no sign of life; return their number. Its late
    results change nothing.

    A process that is only cut off may have a request under way to a place, which cannot be asked
    yet what it has: there the lease ends when that request has ended.
    """
    with db.transaction():
        freed = _LOSE.execute(boot=boot)
        _END_SOON.execute(boot=boot, until=now + LAST_EXCHANGE)
        if freed:
            wake.wake_on_commit()
            publication_queues.call_for_next(now)
    return freed


def is_first_attempt(claim: Claim) -> bool:
    """Return whether the publication has not been attempted before."""
    return bool(
        _FIND.one(production_id=claim.production_id, platform=claim.platform)["attempts"] == 0
    )


def find_video(claim: Claim) -> PublishableVideo | None:
    """Return the video deliverable to publish, with title, account_id and account_name;
    None: the platform has none.
    """
    return _VIDEO.row(production_id=claim.production_id, platform=claim.platform)


def list_platforms(production_id: str) -> list[str]:
    """Return the names of the platforms on which a production is published."""
    return [row["platform"] for row in _PLATFORMS.rows(production_id=production_id)]


def record_published(
    claim: Claim,
    platform_post_id: str | None,
    now: int,
    url: str | None = None,
    details: dict[str, Any] | None = None,
) -> bool:
    """Commit a publication, and return whether the post may stay.

    If not (it was cancelled or skipped, or another post is recorded), the caller withdraws the
    post. It may stay when an earlier call, whose answer was lost, or another worker recorded it,
    and while another worker goes on with it. ``url``: where people see it. ``details``: what pages
    of this server need of it.
    """
    with db.transaction(partner=claim.partner_id):
        stored = json.dumps(details, ensure_ascii=False) if details is not None else None
        held = _change_held(
            claim,
            _PUBLISHED,
            platform_post_id=platform_post_id,
            post_url=url,
            details=stored,
            now=now,
        )
        if held:
            lifecycle.note_visible_change(claim.production_id, now)
            distribution.finish_distributing(claim.production_id, now)
        publication_queues.call_for_next(now)
        place = {"production_id": claim.production_id, "platform": claim.platform}
        return held or _STANDS.row(**place, post_id=platform_post_id) is not None


def record_failed(
    claim: Claim, error: str, retryable: bool, now: int, retry_after: int | None = None
) -> None:
    """Commit a failed attempt: the publication is retried later, or is ``Failed``; other platforms
    are not affected.

    ``retry_after``: seconds that the place wants to be left alone.
    """
    waits = (
        retry_schedule.PLACE_DELAYS if claim.connection_id else retry_schedule.PUBLICATION_DELAYS
    )
    with db.transaction(partner=claim.partner_id):
        attempts = (
            _FIND.one(production_id=claim.production_id, platform=claim.platform)["attempts"] + 1
        )
        again = retryable and attempts <= len(waits)
        due = now + max(waits[attempts - 1], (retry_after or 0) * clock.SECOND) if again else None
        status = "Publishing" if again else "Failed"
        held = _change_held(
            claim, _FAILED, status=status, error=error, attempts=attempts, next_attempt_at=due
        )
        if held:
            lifecycle.note_visible_change(claim.production_id, now)
            distribution.finish_distributing(claim.production_id, now)
        wake.wake_on_commit()
        publication_queues.call_for_next(now)


def _is_held(production_id: str) -> bool:
    return bool(_IS_HELD.value(production_id=production_id))


def _change_held(claim: Claim, change: Prepared[Row], **values: Any) -> bool:
    """Change the publication, and return whether this process still holds it."""
    place = {"production_id": claim.production_id, "platform": claim.platform, "token": claim.token}
    return bool(change.execute(**place, **values))
