"""The signing secrets of webhook subscriptions, and their rotation with an overlap in which older
secrets also sign.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.base.errors import InvalidRequest
from svc.domain.caller import Caller
from svc.domain.tables.webhooks import SigningSubscription
from svc.domain.webhooks import subscriptions
from svc.store.database import db
from svc.store.expressions import fn, greatest
from svc.store.models.webhooks import RolledSecret, Subscription
from svc.store.queries import Prepared, slot, slots

OVERLAP_HOURS = 24  # by default
MOST_OVERLAP_HOURS = 168
MOST_KEPT = 20  # earlier secrets of a subscription that are listed
MOST_OLDER = 4  # older secrets that also sign; a further rotation ends the oldest

_NEXT = {"secret_version": slot("version"), "secret_generation": Subscription.secret_generation + 1}
_OVERLAP = greatest(fn.coalesce(Subscription.overlap_until, 0), slot("until"))
_ROLL_WITH_OVERLAP = Prepared(
    Subscription.update(**_NEXT, overlap_until=_OVERLAP).where(Subscription.id == slot("id"))
)
_ROLL_AT_ONCE = Prepared(
    Subscription.update(**_NEXT, overlap_until=None).where(Subscription.id == slot("id"))
)
_RETIRE = Prepared(
    RolledSecret.insert(
        slots("subscription_id", "generation", "secret_version", "rolled_at", "ends_at")
    )
)
_OF_SUBSCRIPTION = RolledSecret.subscription_id == slot("subscription_id")
_END_OLDEST = Prepared(
    RolledSecret.update(ends_at=slot("now")).where(
        _OF_SUBSCRIPTION,
        RolledSecret.ends_at > slot("now"),
        RolledSecret.generation <= slot("generation"),
    )
)
_DROP_OLD = Prepared(
    RolledSecret.delete().where(_OF_SUBSCRIPTION, RolledSecret.generation <= slot("generation"))
)
_OLDER = Prepared(
    RolledSecret.select(
        RolledSecret.secret_version,
        RolledSecret.generation,
        RolledSecret.rolled_at,
        RolledSecret.ends_at,
    )
    .where(_OF_SUBSCRIPTION)
    .order_by(RolledSecret.generation.desc())
)


@dataclass(frozen=True, slots=True)
class Secrets:
    """The signing secrets at one moment: the current one, and the older ones that still
    sign, newest first.
    """

    current: bytes
    older: tuple[bytes, ...] = ()


def roll(
    caller: Caller, subscription_id: str, overlap_hours: int, now: int, ring: KeyRing
) -> dict[str, Any]:
    """Replace the signing secret and return the new one, which is shown only here.

    The old secret also signs for ``overlap_hours``. Earlier secrets keep their end times; 0 hours
    ends all at once. NotFound; InvalidRequest: ``overlap_hours`` is out of range.
    """
    if not 0 <= overlap_hours <= MOST_OVERLAP_HOURS:
        message = (
            "overlapHours must be a whole number from 0, which ends the old secret at once, to "
            f"{MOST_OVERLAP_HOURS}."
        )
        raise InvalidRequest(message, fields={"overlapHours": [message]})
    with db.transaction(partner=caller.partner_id):
        ring.refresh()
        subscription = subscriptions.find(caller, subscription_id)
        until = now + overlap_hours * clock.HOUR
        generation, most = subscription["secret_generation"], MOST_OLDER if overlap_hours else 0
        _RETIRE.execute(
            subscription_id=subscription_id,
            generation=generation,
            secret_version=subscription["secret_version"],
            rolled_at=now,
            ends_at=until,
        )
        if overlap_hours:
            _ROLL_WITH_OVERLAP.execute(id=subscription_id, version=ring.newest, until=until)
        else:
            _ROLL_AT_ONCE.execute(id=subscription_id, version=ring.newest)
        _END_OLDEST.execute(subscription_id=subscription_id, now=now, generation=generation - most)
        _DROP_OLD.execute(subscription_id=subscription_id, generation=generation - MOST_KEPT)
        rolled = subscriptions.find(caller, subscription_id)
    secret = signing.derive_webhook_secret(
        ring, subscription_id, rolled["secret_version"], rolled["secret_generation"]
    )
    ends_at = clock.format_time(until) if overlap_hours else None
    return {
        "subscriptionId": subscription_id,
        **subscriptions.show_secret(secret),
        "previousSecretEndsAt": ends_at,
    }


def find_secrets_in_force(
    ring: KeyRing, subscription_id: str, version: int, generation: int, older: str | None, at: int
) -> Secrets:
    """Return the secrets that sign at ``at`` (milliseconds).

    ``older``: JSON list of [version, generation, end], or None.
    """
    current = signing.derive_webhook_secret(ring, subscription_id, version, generation)
    if older is None:
        return Secrets(current)
    still = sorted(
        (secret for secret in json.loads(older) if secret[2] > at), key=lambda secret: -secret[1]
    )
    return Secrets(current, tuple(_derive_older_secrets(ring, subscription_id, still)))


def _derive_older_secrets(
    ring: KeyRing, subscription_id: str, older: Iterable[tuple[int, int, int]]
) -> Iterator[bytes]:
    for version, generation, _ in older:
        try:
            yield signing.derive_webhook_secret(ring, subscription_id, version, generation)
        except KeyError:  # the master key that it was derived from has been retired
            continue


def find_secrets_at(ring: KeyRing, subscription: SigningSubscription, moment: int) -> Secrets:
    """Return the secrets that signed at a past moment.

    KeyError: a master key of that time is retired.
    """
    rolled = [dict(row) for row in _OLDER.rows(subscription_id=subscription["id"])]
    present = {
        "secret_version": subscription["secret_version"],
        "generation": subscription["secret_generation"],
    }
    then = next((row for row in reversed(rolled) if row["rolled_at"] > moment), present)
    older = [
        (row["secret_version"], row["generation"], row["ends_at"])
        for row in rolled
        if row["rolled_at"] <= moment and row["generation"] < then["generation"]
    ]
    return find_secrets_in_force(
        ring,
        subscription["id"],
        then["secret_version"],
        then["generation"],
        json.dumps(older),
        moment,
    )
