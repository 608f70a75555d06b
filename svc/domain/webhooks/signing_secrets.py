"""The signing secrets of webhook subscriptions: rolled, with an overlap in which the older one signs besides."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.base.errors import InvalidRequest
from svc.domain.caller import Caller
from svc.domain.tables import SigningSubscription
from svc.domain.webhooks import subscriptions
from svc.store import database

OVERLAP_HOURS = 24  # unless it is said otherwise
MOST_OVERLAP_HOURS = 168
MOST_OLDER = 4  # older secrets that sign besides; one more roll ends the oldest of them

_ROLL = """
    UPDATE subscriptions SET secret_version = :version, secret_generation = secret_generation + 1,
        overlap_until = iif(:most, max(coalesce(overlap_until, 0), :until), NULL) WHERE id = :id
"""
_RETIRE = """
    INSERT INTO rolled_secrets (subscription_id, generation, secret_version, rolled_at, ends_at)
    VALUES (:id, :generation, :old_version, :now, :until)
"""
_END_OLDEST = """
    UPDATE rolled_secrets SET ends_at = :now
    WHERE subscription_id = :id AND ends_at > :now AND generation <= :generation - :most
"""
_OLDER = """
    SELECT secret_version, generation, rolled_at, ends_at FROM rolled_secrets WHERE subscription_id = ? ORDER BY generation DESC
"""


@dataclass(frozen=True, slots=True)
class Secrets:
    """What signs at one moment: the secret in force, and the older ones that still sign, newest first."""

    current: bytes
    older: tuple[bytes, ...] = ()


def roll(caller: Caller, subscription_id: str, overlap_hours: int, now: int, ring: KeyRing) -> dict[str, Any]:
    """Give a subscription a new signing secret, shown here alone; the old one signs besides for ``overlap_hours``.

    Older ones that still do keep their own ends; 0 hours ends them all at once, so that the new one alone signs.
    NotFound; InvalidRequest: of ``overlap_hours``.
    """
    if not 0 <= overlap_hours <= MOST_OVERLAP_HOURS:
        message = f"overlapHours must be a whole number from 0, which ends the old secret at once, to {MOST_OVERLAP_HOURS}."
        raise InvalidRequest(message, fields={"overlapHours": [message]})
    with database.write():
        found = subscriptions.find(caller, subscription_id)
        until = now + overlap_hours * clock.HOUR
        given = {
            "id": subscription_id, "now": now, "until": until, "version": ring.newest, "old_version": found["secret_version"],
            "generation": found["secret_generation"], "most": MOST_OLDER if overlap_hours else 0,
        }  # fmt: skip
        for sql in (_RETIRE, _ROLL, _END_OLDEST):
            database.execute(sql, given)
        rolled = subscriptions.find(caller, subscription_id)
    secret = signing.webhook_secret(ring, subscription_id, rolled["secret_version"], rolled["secret_generation"])
    ends_at = clock.text(until) if overlap_hours else None
    return {"subscriptionId": subscription_id, **subscriptions.shown_secret(secret), "previousSecretEndsAt": ends_at}


def in_force(ring: KeyRing, subscription_id: str, version: int, generation: int, older: str | None, at: int) -> Secrets:
    """What signs at ``at``, by what a claim has of a subscription. ``older``: JSON of [version, generation, end], or None."""
    current = signing.webhook_secret(ring, subscription_id, version, generation)
    if older is None:
        return Secrets(current)
    still = sorted((each for each in json.loads(older) if each[2] > at), key=lambda each: -each[1])
    return Secrets(current, tuple(_derived(ring, subscription_id, still)))


def _derived(ring: KeyRing, subscription_id: str, older: Iterable[tuple[int, int, int]]) -> Iterator[bytes]:
    for version, generation, _ in older:
        try:
            yield signing.webhook_secret(ring, subscription_id, version, generation)
        except KeyError:  # the master key it was derived from has been retired, and it with that
            continue


def at(ring: KeyRing, subscription: SigningSubscription, moment: int) -> Secrets:
    """What signed at a moment that has passed, for the record. KeyError: a master key of then is retired."""
    rolled = [dict(row) for row in database.rows(_OLDER, (subscription["id"],))]
    present = {"secret_version": subscription["secret_version"], "generation": subscription["secret_generation"]}
    then = next((each for each in reversed(rolled) if each["rolled_at"] > moment), present)
    older = [
        (each["secret_version"], each["generation"], each["ends_at"])
        for each in rolled
        if each["rolled_at"] <= moment and each["generation"] < then["generation"]
    ]
    return in_force(ring, subscription["id"], then["secret_version"], then["generation"], json.dumps(older), moment)
