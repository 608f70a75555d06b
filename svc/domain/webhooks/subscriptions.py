"""Webhook subscriptions: endpoints with their event types, accounts and signing secrets."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from svc.base import clock, ids, states
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.base.errors import (
    InvalidEventType,
    InvalidRequest,
    NotFound,
    RateLimitExceeded,
    SelfServeDisabled,
    SubscriptionLimitReached,
    SubscriptionNotFailed,
)
from svc.domain import rows
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.tables.webhooks import MatchingSubscription, Subscription
from svc.domain.webhooks import endpoint_health, outbox
from svc.store import database, wake
from svc.store.read_cache import ReadCache

MOST_ACTIVE = 100  # specification, "Behaviour rules" 4
MOST_A_DAY = 1000  # registrations of a partner
MOST_ACCOUNTS = 50  # specification, "Behaviour rules" 5

_INSERT = """
    INSERT INTO subscriptions (id, partner_id, environment, creator, endpoint_url, event_types, account_ids,
                               account_scope_id, permitted_account_ids, status, secret_version, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'Active', ?, ?)
"""
# A key restricted to some accounts sees the subscriptions whose events are all of those accounts.
_WITHIN = "SELECT 1 FROM json_each({}) WHERE value NOT IN (SELECT value FROM json_each(:permitted))"
MINE = f"""
    partner_id = :partner AND environment = :environment AND creator IS NOT DISTINCT FROM :creator AND deleted_at IS NULL
    AND (:permitted IS NULL OR account_scope_id IN (SELECT value FROM json_each(:permitted))
         OR (account_ids IS NOT NULL AND NOT EXISTS ({_WITHIN.format("account_ids")}))
         OR (permitted_account_ids IS NOT NULL AND NOT EXISTS ({_WITHIN.format("permitted_account_ids")})))
"""
_PAGE = f"""
    SELECT * FROM subscriptions WHERE {MINE} AND (created_at, id) < (:created, :id)
    ORDER BY created_at DESC, id DESC LIMIT :limit
"""
_AMONG = f"""
    SELECT * FROM subscriptions WHERE {MINE} AND id IN (SELECT value FROM json_each(:ids))
      AND (created_at, id) < (:created, :id) ORDER BY created_at DESC, id DESC LIMIT :limit
"""
# The lists are JSON that this module wrote, of event types and UUIDs, so an element can be found by its quoted text.
_MATCHING = """
    SELECT s.id, s.partner_id, CASE WHEN s.status = 'Active' AND s.paused_at > 0 THEN 'Paused' ELSE s.status END AS status,
        s.troubled
    FROM subscriptions s JOIN accounts a ON a.id = :account
    WHERE s.partner_id = :partner AND s.deleted_at IS NULL AND s.environment = a.environment
      AND s.creator IS NOT DISTINCT FROM a.creator
      AND instr(s.event_types, '"' || :event_type || '"') > 0
      AND (s.account_scope_id IS NULL OR s.account_scope_id = :account)
      AND (s.account_ids IS NULL OR instr(s.account_ids, '"' || :account || '"') > 0)
      AND (s.permitted_account_ids IS NULL OR instr(s.permitted_account_ids, '"' || :account || '"') > 0)
"""
_LATELY = "SELECT COUNT(*) FROM subscriptions WHERE id > :since AND partner_id = :partner"
_REACTIVATE = "UPDATE subscriptions SET status = 'Active', failure_count = 0, failing_since = NULL WHERE id = ?"
_hearing = ReadCache("hearing")  # rows of _MATCHING


def register(
    caller: Caller,
    *,
    endpoint_url: str,
    event_types: list[str],
    account_ids: list[str] | None,
    account_scope_id: str | None,
    now: int,
    ring: KeyRing,
    check_url: Callable[[str], None],
    first: FirstAnswer = NOT_KEPT,
) -> dict[str, Any]:
    """Register a subscription and return it with its signing secret, which is shown only here.

    ``check_url`` raises HttpsRequired or InvalidEndpointUrl; ``first`` stores the answer for the Idempotency-Key. Raises
    InvalidRequest, InvalidEventType, SubscriptionLimitReached.
    """
    accounts, scope = _accounts(caller, account_ids, account_scope_id)
    types = known_types(event_types)
    check_url(endpoint_url)  # resolves the name, so before the transaction
    subscription_id, permitted = ids.new(now), _listed(caller.permitted)
    with first.transaction() as keep:
        _needs_room(caller.partner_id)
        _require_few(caller.partner_id, now)
        database.execute(_INSERT, (
            subscription_id, caller.partner_id, caller.account_environment, caller.sandbox_owner, endpoint_url,
            json.dumps(types), _listed(accounts), scope, permitted, ring.newest, now,
        ))  # fmt: skip
        created = find(caller, subscription_id)
        secret = signing.webhook_secret(ring, subscription_id, created["secret_version"])
        return keep(view(created) | shown_secret(secret))


def get(caller: Caller, subscription_id: str) -> dict[str, Any]:
    """Return one subscription. NotFound: it is absent, deleted, or not visible to this key."""
    return view(find(caller, subscription_id))


def page(caller: Caller, page: Page) -> dict[str, Any]:
    """Return a page of the subscriptions that the key may see, newest first."""
    params = whose(caller) | page.params
    return page.envelope(rows.every(Subscription, _PAGE, params), view)


def among(caller: Caller, subscription_ids: list[str], page: Page) -> list[Subscription]:
    """Return those subscriptions of ``subscription_ids`` that the key may see, newest first: a page and one more."""
    params = whose(caller) | page.params
    return rows.every(Subscription, _AMONG, params | {"ids": json.dumps(subscription_ids)})


def delete(caller: Caller, subscription_id: str, now: int) -> None:
    """Mark a subscription as deleted: nothing new is queued for it, but queued deliveries still go out. NotFound.

    Those that a pause or a suspension held back go out too: they are queued (specification, "Behaviour rules" 9).
    """
    sql = f"UPDATE subscriptions SET deleted_at = :now WHERE id = :id AND {MINE}"
    with database.write():
        if not database.execute(sql, whose(caller) | {"id": subscription_id, "now": now}):
            raise absent()
        endpoint_health.settled(subscription_id, now)
        outbox.release_parked(subscription_id, now)
        wake.on_commit()


def reinstate(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Make a Failed subscription Active again. NotFound, SelfServeDisabled, SubscriptionNotFailed, SubscriptionLimitReached."""
    with database.write():
        find(caller, subscription_id)
        if not caller.self_lifecycle:
            raise SelfServeDisabled()
        reactivate(subscription_id, now)
        return get(caller, subscription_id)


def reactivate(subscription_id: str, now: int) -> None:
    """Reinstate a subscription, for partner or operator; its parked deliveries go out in order.

    NotFound, SubscriptionNotFailed; SubscriptionLimitReached: others have become active in the meantime.
    """
    with database.write():
        subscription = database.row("SELECT * FROM subscriptions WHERE id = ? AND deleted_at IS NULL", (subscription_id,))
        if subscription is None:
            raise absent()
        if subscription["status"] != "Failed":
            raise SubscriptionNotFailed()
        _needs_room(subscription["partner_id"])
        database.execute(_REACTIVATE, (subscription_id,))
        endpoint_health.settled(subscription_id, now)
        if subscription["paused_at"] is None:
            outbox.release_parked(subscription_id, now)
            wake.on_commit()


def matching(partner_id: str, account_id: str, event_type: str) -> list[MatchingSubscription]:
    """Return the subscriptions that receive an event: id, partner_id, status, troubled. Inside the event's transaction."""
    params = {"partner": partner_id, "account": account_id, "event_type": event_type}
    return _hearing.get(tuple(params.values()), lambda: rows.every(MatchingSubscription, _MATCHING, params))


def find(caller: Caller, subscription_id: str) -> Subscription:
    """Return the row of a subscription. NotFound: there is none that the key may see."""
    sql = f"SELECT * FROM subscriptions WHERE id = :id AND {MINE}"
    subscription = rows.first(Subscription, sql, whose(caller) | {"id": subscription_id})
    if subscription is None:
        raise absent()
    return subscription


def by_secret_version() -> dict[int, int]:
    """Return the number of subscriptions by the version of the master key that their secret is derived from."""
    sql = "SELECT secret_version, COUNT(*) FROM subscriptions WHERE deleted_at IS NULL GROUP BY secret_version"
    return {row[0]: row[1] for row in database.rows(sql)}


def shown_secret(secret: bytes) -> dict[str, str]:
    """Return a signing secret for display, in the specification's format and in that of the Standard Webhooks libraries."""
    return {"signingSecret": signing.base64url(secret), "standardWebhooksSecret": signing.standard_secret(secret)}


def view(subscription: Subscription) -> dict[str, Any]:
    """Return a subscription as in the API."""
    return {
        "subscriptionId": subscription["id"],
        "endpointUrl": subscription["endpoint_url"],
        "eventTypes": json.loads(subscription["event_types"]),
        "accountIds": json.loads(subscription["account_ids"]) if subscription["account_ids"] else None,
        "accountScopeId": subscription["account_scope_id"],
        "status": subscription["status"],
        "pausedAt": clock.text(subscription["paused_at"]),
        "failureCount": subscription["failure_count"],
        "lastDeliveryAt": clock.text(subscription["last_delivery_at"]),
        "createdAt": clock.text(subscription["created_at"]),
    }


def absent() -> NotFound:
    """Return the error for a subscription that is not there for the caller."""
    return NotFound("There is no such webhook subscription; GET /v1/webhooks lists yours.")


def whose(caller: Caller) -> dict[str, Any]:
    """Return the parameters of :data:`MINE`."""
    return {
        "partner": caller.partner_id,
        "environment": caller.account_environment,
        "creator": caller.sandbox_owner,
        "permitted": caller.permitted_text,
    }


def _listed(values: Iterable[str] | None) -> str | None:
    return None if values is None else json.dumps(sorted(values))


def _needs_room(partner_id: str) -> None:
    """Check the limit, inside the transaction that adds one, so that two requests cannot take the last place."""
    sql = "SELECT COUNT(*) FROM subscriptions WHERE partner_id = ? AND deleted_at IS NULL AND status = 'Active'"
    if database.one(sql, (partner_id,))[0] >= MOST_ACTIVE:
        raise SubscriptionLimitReached()


def _require_few(partner_id: str, now: int) -> None:
    """Raise RateLimitExceeded if the partner registered too many lately.

    Deleted ones stay, too (specification, "Webhook subscription").
    """
    lately = {"partner": partner_id, "since": ids.earliest(now - clock.DAY)}  # ids begin with the time: a range of the table
    if database.one(_LATELY, lately)[0] >= MOST_A_DAY:
        message = f"A partner registers at most {MOST_A_DAY:,} subscriptions in 24 hours; change those that you have (PATCH)."
        raise RateLimitExceeded(message, retry_after=clock.HOUR // clock.SECOND)


def known_types(event_types: list[str]) -> list[str]:
    """Return ``event_types`` without repetitions. InvalidRequest: there are none; InvalidEventType."""
    if not event_types:
        raise _invalid("eventTypes", "Name at least one event type in eventTypes.")
    unknown = [event_type for event_type in event_types if event_type not in states.SUBSCRIBABLE]
    if unknown:
        known = ", ".join((*states.EVENT_TYPES, *states.FURTHER_EVENT_TYPES))
        raise InvalidEventType(
            f"eventTypes contains unknown event types: {', '.join(unknown)[:200]}. The event types are: {known}."
        )
    return list(dict.fromkeys(event_types))


def _accounts(caller: Caller, account_ids: list[str] | None, scope: str | None) -> tuple[list[str] | None, str | None]:
    """Return the two account fields, checked, in lower case and without duplicates."""
    account_ids = account_ids or None  # an empty list is as if there were none
    if account_ids is not None and scope is not None:
        raise _invalid("accountScopeId", "Send accountIds or accountScopeId, not both.")
    if account_ids is None:
        return None, None if scope is None else _permitted(caller, [scope], "accountScopeId")[0]
    if len(account_ids) > MOST_ACCOUNTS:
        message = (
            f"accountIds may hold up to {MOST_ACCOUNTS} entries; omit it to receive the events of all accounts of this key."
        )
        raise _invalid("accountIds", message)
    return _permitted(caller, account_ids, "accountIds"), None


def _permitted(caller: Caller, account_ids: list[str], field: str) -> list[str]:
    requested = list(dict.fromkeys(account_id.lower() for account_id in account_ids))
    sql = "SELECT id, partner_id, environment, creator FROM accounts WHERE id IN (SELECT value FROM json_each(?))"
    permitted = {row["id"] for row in database.rows(sql, (json.dumps(requested),)) if caller.reaches(*row)}
    missing = [account_id for account_id in requested if account_id not in permitted]
    if missing:
        names = ", ".join(missing)[:400]
        raise _invalid(field, f"This key may not address {names}; GET /v1/partner/accounts lists its accounts.")
    return requested


def _invalid(field: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, fields={field: [message]})
