"""The signing secrets of webhook subscriptions, and their rotation with an overlap in which older secrets also sign."""

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
from svc.store import database

OVERLAP_HOURS = 24  # by default
MOST_OVERLAP_HOURS = 168
MOST_KEPT = 20  # earlier secrets of a subscription that are listed
MOST_OLDER = 4  # older secrets that also sign; a further rotation ends the oldest

_ROLL = """
    UPDATE subscriptions SET secret_version = :version, secret_generation = secret_generation + 1,
        overlap_until = CASE WHEN :most > 0 THEN max(coalesce(overlap_until, 0), :until) END WHERE id = :id
"""
_RETIRE = """
    INSERT INTO rolled_secrets (subscription_id, generation, secret_version, rolled_at, ends_at)
    VALUES (:id, :generation, :old_version, :now, :until)
"""
_END_OLDEST = """
    UPDATE rolled_secrets SET ends_at = :now
    WHERE subscription_id = :id AND ends_at > :now AND generation <= :generation - :most
"""
_DROP_OLD = "DELETE FROM rolled_secrets WHERE subscription_id = :id AND generation <= :generation - :kept"
_OLDER = """
    SELECT secret_version, generation, rolled_at, ends_at FROM rolled_secrets WHERE subscription_id = ? ORDER BY generation DESC
"""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The signing secrets at one moment: the current one, and the older ones that still sign, newest first."""

    current: bytes
    older: tuple[bytes, ...] = ()


def roll(caller: Caller, subscription_id: str, overlap_hours: int, now: int, ring: KeyRing) -> dict[str, Any]:
    """Replace the signing secret and return the new one, which is shown only here.

    The old secret also signs for ``overlap_hours``. Earlier secrets keep their end times; 0 hours ends all at once.
    NotFound; InvalidRequest: ``overlap_hours`` is out of range.
    """
    if not 0 <= overlap_hours <= MOST_OVERLAP_HOURS:
        message = f"overlapHours must be a whole number from 0, which ends the old secret at once, to {MOST_OVERLAP_HOURS}."
        raise InvalidRequest(message, fields={"overlapHours": [message]})
    with database.write():
        subscription = subscriptions.find(caller, subscription_id)
        until = now + overlap_hours * clock.HOUR
        params = {
            "id": subscription_id,
            "now": now,
            "until": until,
            "version": ring.newest,
            "old_version": subscription["secret_version"],
            "generation": subscription["secret_generation"],
            "most": MOST_OLDER if overlap_hours else 0,
            "kept": MOST_KEPT,
        }
        for sql in (_RETIRE, _ROLL, _END_OLDEST, _DROP_OLD):
            database.execute(sql, params)
        rolled = subscriptions.find(caller, subscription_id)
    secret = signing.webhook_secret(ring, subscription_id, rolled["secret_version"], rolled["secret_generation"])
    ends_at = clock.text(until) if overlap_hours else None
    return {"subscriptionId": subscription_id, **subscriptions.shown_secret(secret), "previousSecretEndsAt": ends_at}


def in_force(ring: KeyRing, subscription_id: str, version: int, generation: int, older: str | None, at: int) -> Secrets:
    """Return the secrets that sign at ``at`` (milliseconds). ``older``: JSON list of [version, generation, end], or None."""
    current = signing.webhook_secret(ring, subscription_id, version, generation)
    if older is None:
        return Secrets(current)
    still = sorted((secret for secret in json.loads(older) if secret[2] > at), key=lambda secret: -secret[1])
    return Secrets(current, tuple(_derived(ring, subscription_id, still)))


def _derived(ring: KeyRing, subscription_id: str, older: Iterable[tuple[int, int, int]]) -> Iterator[bytes]:
    for version, generation, _ in older:
        try:
            yield signing.webhook_secret(ring, subscription_id, version, generation)
        except KeyError:  # the master key that it was derived from has been retired
            continue


def at(ring: KeyRing, subscription: SigningSubscription, moment: int) -> Secrets:
    """Return the secrets that signed at a past moment. KeyError: a master key of that time is retired."""
    rolled = [dict(row) for row in database.rows(_OLDER, (subscription["id"],))]
    present = {"secret_version": subscription["secret_version"], "generation": subscription["secret_generation"]}
    then = next((row for row in reversed(rolled) if row["rolled_at"] > moment), present)
    older = [
        (row["secret_version"], row["generation"], row["ends_at"])
        for row in rolled
        if row["rolled_at"] <= moment and row["generation"] < then["generation"]
    ]
    return in_force(ring, subscription["id"], then["secret_version"], then["generation"], json.dumps(older), moment)
