"""Webhook subscriptions: endpoints with their event types, accounts and signing secrets, and what
is done with them: changes, pauses, test events, reinstatement.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from svc.base import clock, ids
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.base.errors import (
    InvalidEventType,
    InvalidRequest,
    NotFound,
    RateLimitExceeded,
    SelfServeDisabled,
    SubscriptionLimitReached,
    SubscriptionNotActive,
    SubscriptionNotFailed,
)
from svc.domain import partner_status
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.caller import Caller
from svc.domain.paging import Page, page_newest_first
from svc.domain.tables.webhooks import MatchingSubscription, Subscription
from svc.domain.webhooks import endpoint_health, outbox
from svc.domain.webhooks.event_types import NAMES, PING, PING_EVENT, SAMPLES, SUBSCRIBABLE
from svc.store import wake
from svc.store.database import db
from svc.store.expressions import Case, elements, fn, is_same, is_subset, position_of
from svc.store.models import webhooks as models
from svc.store.models.partners import Account, Partner
from svc.store.queries import Prepared, slot, slots
from svc.store.read_cache import ReadCache

MOST_ACTIVE = 100  # specification, "Behaviour rules" 4
MOST_A_DAY = 1000  # registrations of a partner
MOST_ACCOUNTS = 50  # specification, "Behaviour rules" 5
PING_INTERVAL = clock.MINUTE  # between two test events of a subscription
# How a subscription stands: its status in the API, or what its badge says of one that is Active.
ACTIVE, FAILING, PAUSED, SUSPENDED = "Active", "Failing", "Paused", "Failed"

_SUB = models.Subscription
_THIS_ONE, _IS_THERE = _SUB.id == slot("id"), _SUB.deleted_at.is_null()
_IS_ACTIVE, _IS_PAUSED = _SUB.status == "Active", _SUB.paused_at.is_null(False)
STANDING_CONDITIONS: dict[str, Any] = {  # by how a subscription stands
    ACTIVE: _IS_ACTIVE,  # failing and paused ones, too
    FAILING: _IS_ACTIVE & ~_IS_PAUSED & _SUB.failing_since.is_null(False),
    PAUSED: _IS_ACTIVE & _IS_PAUSED,  # whether it failed before or not: nothing is sent to it
    SUSPENDED: _SUB.status == "Failed",
}
# A key restricted to some accounts sees the subscriptions whose events are all of those accounts.
IS_OWNED = (
    (_SUB.partner_id == slot("partner"))
    & (_SUB.environment == slot("environment"))
    & is_same(_SUB.creator, slot("creator"))
    & _IS_THERE
    & (
        slot("permitted").cast("text").is_null()
        | _SUB.account_scope_id.in_(elements(slot("permitted")))
        | (_SUB.account_ids.is_null(False) & is_subset(_SUB.account_ids, slot("permitted")))
        | (
            _SUB.permitted_account_ids.is_null(False)
            & is_subset(_SUB.permitted_account_ids, slot("permitted"))
        )
    )
)
_OWN_ONE = _THIS_ONE & IS_OWNED
_PAGE_OF_MINE = page_newest_first(_SUB.select().where(IS_OWNED), _SUB.created_at, _SUB.id)
_PAGE = Prepared(_PAGE_OF_MINE, Subscription)
_AMONG = Prepared(_PAGE_OF_MINE.where(_SUB.id.in_(elements(slot("ids")))), Subscription)
_ADD = Prepared(
    _SUB.insert(
        slots(
            "id",
            "partner_id",
            "environment",
            "creator",
            "endpoint_url",
            "event_types",
            "account_ids",
            "account_scope_id",
            "permitted_account_ids",
            "secret_version",
            "created_at",
        )
    )
)
_FIND_MINE = Prepared(_SUB.select().where(_OWN_ONE), Subscription)
_FIND = Prepared(_SUB.select().where(_THIS_ONE, _IS_THERE), Subscription)
_PARTNER = Prepared(_SUB.select(_SUB.partner_id).where(_THIS_ONE))
_DELETE = Prepared(_SUB.update(deleted_at=slot("now")).where(_OWN_ONE))


_MATCHING = Prepared(
    _SUB.select(
        _SUB.id,
        _SUB.partner_id,
        Case(
            None,
            [
                (Partner.status == partner_status.CLOSED, partner_status.CLOSED),
                ((_SUB.status == "Active") & (_SUB.paused_at > 0), "Paused"),
            ],
            _SUB.status,
        ).alias("status"),
        _SUB.troubled,
    )
    .join(Account, on=Account.id == slot("account"))
    .join(Partner, on=Partner.id == _SUB.partner_id)
    .where(
        _SUB.partner_id == slot("partner"),
        _IS_THERE,
        _SUB.environment == Account.environment,
        is_same(_SUB.creator, Account.creator),
        # The lists are JSON that this module wrote, so an element is found by its quoted text.
        position_of(slot("quoted_type"), _SUB.event_types) > 0,
        _SUB.account_scope_id.is_null() | (_SUB.account_scope_id == slot("account")),
        _SUB.account_ids.is_null() | (position_of(slot("quoted_account"), _SUB.account_ids) > 0),
        _SUB.permitted_account_ids.is_null()
        | (position_of(slot("quoted_account"), _SUB.permitted_account_ids) > 0),
    ),
    MatchingSubscription,
)
_LATELY = Prepared(
    _SUB.select(fn.count(_SUB.id)).where(
        _SUB.id > slot("since"), _SUB.id < slot("latest"), _SUB.partner_id == slot("partner_id")
    )
)
_REACTIVATE = Prepared(
    _SUB.update(status="Active", failure_count=0, failing_since=None).where(_THIS_ONE)
)
_BY_SECRET_VERSION = Prepared(
    _SUB.select(_SUB.secret_version, fn.count(_SUB.id))
    .where(_IS_THERE)
    .group_by(_SUB.secret_version)
)
_ACTIVE = Prepared(
    _SUB.select(fn.count(_SUB.id)).where(
        _SUB.partner_id == slot("partner_id"), _IS_THERE, _SUB.status == "Active"
    )
)
_ACCOUNTS = Prepared(
    Account.select(Account.id, Account.partner_id, Account.environment, Account.creator).where(
        Account.id.in_(elements(slot("ids")))
    )
)
# What is counted about the endpoint begins anew with another one.
_SAME_URL = _SUB.endpoint_url == slot("url")
_CHANGE = Prepared(
    _SUB.update(
        event_types=slot("types"),
        endpoint_url=slot("url"),
        failure_count=Case(None, [(_SAME_URL, _SUB.failure_count)], 0),
        failing_since=Case(None, [(_SAME_URL | (_SUB.status == "Failed"), _SUB.failing_since)]),
        troubled=Case(None, [(_SAME_URL, _SUB.troubled)], 0),
    ).where(_OWN_ONE)
)
_PAUSE = Prepared(_SUB.update(paused_at=slot("now")).where(_OWN_ONE, _SUB.paused_at.is_null()))
_RESUME = Prepared(_SUB.update(paused_at=None).where(_OWN_ONE, _SUB.paused_at.is_null(False)))
_PING = Prepared(
    _SUB.update(last_ping_at=slot("now")).where(
        _OWN_ONE,
        _SUB.status == "Active",
        _SUB.last_ping_at.is_null()
        | (_SUB.last_ping_at <= slot("before"))
        | (_SUB.last_ping_at > slot("latest")),
    )
)
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

    ``check_url`` raises HttpsRequired or InvalidEndpointUrl; ``first`` stores the answer for the
    Idempotency-Key.

    Raises:
        InvalidRequest: A field is not valid; the error names it.
        InvalidEventType: There is no event type of that name.
        SubscriptionLimitReached: The partner has as many active ones as it may.
    """
    accounts, scope = _check_accounts(caller, account_ids, account_scope_id)
    types = check_event_types(event_types)
    check_url(endpoint_url)  # resolves the name, so before the transaction
    subscription_id, permitted = ids.make_id(now), _format_list(caller.permitted)
    with first.transaction(caller.partner_id) as keep:
        _needs_room(caller.partner_id)
        _require_few(caller.partner_id, now)
        ring.refresh()
        _ADD.execute(
            id=subscription_id,
            partner_id=caller.partner_id,
            environment=caller.account_environment,
            creator=caller.sandbox_owner,
            endpoint_url=endpoint_url,
            event_types=json.dumps(types),
            account_ids=_format_list(accounts),
            account_scope_id=scope,
            permitted_account_ids=permitted,
            secret_version=ring.newest,
            created_at=now,
        )
        created = find(caller, subscription_id)
        secret = signing.derive_webhook_secret(ring, subscription_id, created["secret_version"])
        return keep(represent(created) | show_secret(secret))


def get(caller: Caller, subscription_id: str) -> dict[str, Any]:
    """Return one subscription. NotFound: it is absent, deleted, or not visible to this key."""
    return represent(find(caller, subscription_id))


def list_page(caller: Caller, page: Page) -> dict[str, Any]:
    """Return a page of the subscriptions that the key may see, newest first."""
    return page.make_envelope(_PAGE.rows(**make_owner_slots(caller), **page.params), represent)


def find_among(caller: Caller, subscription_ids: list[str], page: Page) -> list[Subscription]:
    """Return a page of the subscriptions that the key may see, and one more, newest first.

    Only those of ``subscription_ids`` are returned.
    """
    return _AMONG.rows(**make_owner_slots(caller), **page.params, ids=json.dumps(subscription_ids))


def change(
    caller: Caller,
    subscription_id: str,
    *,
    endpoint_url: str | None,
    event_types: list[str] | None,
    now: int,
    check_url: Callable[[str], None],
) -> dict[str, Any]:
    """Change the endpoint and the event types, and return the subscription. None: it stays as it
    is.

    Deliveries that wait are sent to the new endpoint; those that are already queued are sent
    whatever their type. A suspended subscription stays suspended until it is reinstated.
    ``check_url`` raises HttpsRequired or InvalidEndpointUrl.

    Raises:
        NotFound: There is none that the caller may see.
        InvalidRequest: A field is not valid; the error names it.
        InvalidEventType: There is no event type of that name.
    """
    types = None if event_types is None else check_event_types(event_types)
    if endpoint_url is not None:
        check_url(endpoint_url)  # resolves the name, so before the transaction
    with db.transaction(partner=caller.partner_id):
        before = find(caller, subscription_id)
        url = before["endpoint_url"] if endpoint_url is None else endpoint_url
        stored_types = before["event_types"] if types is None else json.dumps(types)
        _CHANGE.execute(**make_owner_slots(caller), id=subscription_id, url=url, types=stored_types)
        if url != before["endpoint_url"] and before["status"] == "Active":
            endpoint_health.close_alerts(subscription_id, now)
        return get(caller, subscription_id)


def pause(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Let deliveries wait until :func:`resume`, and return the subscription;
    attempts that are under way end. NotFound.
    """
    with db.transaction(partner=caller.partner_id):
        if _PAUSE.execute(**make_owner_slots(caller), id=subscription_id, now=now):
            outbox.park(subscription_id)
        return get(caller, subscription_id)


def resume(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Send the deliveries that waited, in order, and return the subscription;
    a suspended one stays suspended. NotFound.
    """
    with db.transaction(partner=caller.partner_id):
        resumed = _RESUME.execute(**make_owner_slots(caller), id=subscription_id)
        subscription = find(caller, subscription_id)
        if resumed and subscription["status"] == "Active":
            outbox.release_parked(subscription_id, now)
            wake.wake_on_commit()
        return represent(subscription)


def delete(caller: Caller, subscription_id: str, now: int) -> None:
    """Mark a subscription as deleted: nothing new is queued for it, but queued deliveries still go
    out. NotFound.

    Those that a pause or a suspension held back go out too: they are queued
    (specification, "Behaviour rules" 9).
    """
    with db.transaction(partner=caller.partner_id):
        if not _DELETE.execute(**make_owner_slots(caller), id=subscription_id, now=now):
            raise make_not_found_error()
        endpoint_health.close_alerts(subscription_id, now)
        outbox.release_parked(subscription_id, now)
        wake.wake_on_commit()


def reinstate(caller: Caller, subscription_id: str, now: int) -> dict[str, Any]:
    """Make a Failed subscription Active again.

    Raises:
        NotFound: There is none that the caller may see.
        SelfServeDisabled: The operator does not let partners do it.
        SubscriptionNotFailed: It is not Failed.
        SubscriptionLimitReached: The partner has as many active ones as it may.
    """
    with db.transaction(partner=caller.partner_id):
        find(caller, subscription_id)
        if not caller.self_lifecycle:
            raise SelfServeDisabled()
        reactivate(subscription_id, now)
        return get(caller, subscription_id)


def reactivate(subscription_id: str, now: int) -> None:
    """Reinstate a subscription, for partner or operator; its parked deliveries go out in order.

    Raises:
        NotFound: There is none that the caller may see.
        SubscriptionNotFailed: It is not Failed.
        SubscriptionLimitReached: Others have become active in the meantime.
    """
    with db.transaction(partner=_PARTNER.value(id=subscription_id)):
        subscription = _FIND.row(id=subscription_id)
        if subscription is None:
            raise make_not_found_error()
        if subscription["status"] != "Failed":
            raise SubscriptionNotFailed()
        _needs_room(subscription["partner_id"])
        _REACTIVATE.execute(id=subscription_id)
        endpoint_health.close_alerts(subscription_id, now)
        if subscription["paused_at"] is None:
            outbox.release_parked(subscription_id, now)
            wake.wake_on_commit()


def ping(
    caller: Caller,
    subscription_id: str,
    now: int,
    correlation_id: str | None = None,
    event_type: str = PING_EVENT,
) -> dict[str, Any]:
    """Queue one test event, which is delivered once and without retries, even while the
    subscription is paused.

    ``correlation_id``: of the causing request, for the event; None: a new one.

    Raises:
        NotFound: There is none that the caller may see.
        SubscriptionNotActive: It is not Active.
        RateLimitExceeded: The last test event was under a minute ago.
    """
    with db.transaction(partner=caller.partner_id):
        is_sent = _PING.execute(
            **make_owner_slots(caller),
            id=subscription_id,
            now=now,
            before=now - PING_INTERVAL,
            latest=now + clock.SKEW,
        )
        subscription = find(caller, subscription_id)
        if subscription["status"] != "Active":
            raise SubscriptionNotActive()
        if not is_sent:
            wait = clock.count_seconds_until(
                (subscription["last_ping_at"] or now) + PING_INTERVAL, now
            )
            raise RateLimitExceeded(
                f"A webhook can be pinged once a minute; try again in {wait} s.", retry_after=wait
            )
        event = _make_test_event(
            PING_EVENT if event_type == PING else event_type,
            now,
            correlation_id or ids.make_id(now),
        )
        [event_id] = outbox.enqueue([subscription], event, now)
    return {"subscriptionId": subscription_id, "eventId": event_id, "eventType": event["eventType"]}


def _make_test_event(event_type: str, now: int, correlation_id: str) -> dict[str, Any]:
    return {
        "eventType": event_type,
        "productionId": ids.NIL,
        "accountId": ids.NIL,
        "timestamp": clock.format_time(now),
        "sequenceNumber": 0,
        "correlationId": correlation_id,
        "truncated": False,
        "data": SAMPLES[event_type],
    }


def find_matching(partner_id: str, account_id: str, event_type: str) -> list[MatchingSubscription]:
    """Return the subscriptions that receive an event: id, partner_id, status, troubled.

    Inside the event's transaction.
    """
    return _hearing.get(
        (partner_id, account_id, event_type),
        lambda: _MATCHING.rows(
            partner=partner_id,
            account=account_id,
            quoted_type=f'"{event_type}"',
            quoted_account=f'"{account_id}"',
        ),
    )


def find(caller: Caller, subscription_id: str) -> Subscription:
    """Return the row of a subscription. NotFound: there is none that the key may see."""
    subscription = _FIND_MINE.row(**make_owner_slots(caller), id=subscription_id)
    if subscription is None:
        raise make_not_found_error()
    return subscription


def count_by_secret_version() -> dict[int, int]:
    """Return the number of subscriptions by the version of the master key that their secret
    is derived from.
    """
    return {row[0]: row[1] for row in _BY_SECRET_VERSION.rows()}


def show_secret(secret: bytes) -> dict[str, str]:
    """Return a signing secret for display, in the specification's format and in that of the
    Standard Webhooks libraries.
    """
    return {
        "signingSecret": signing.encode_base64url(secret),
        "standardWebhooksSecret": signing.format_standard_secret(secret),
    }


def represent(subscription: Subscription) -> dict[str, Any]:
    """Return a subscription as in the API."""
    return {
        "subscriptionId": subscription["id"],
        "endpointUrl": subscription["endpoint_url"],
        "eventTypes": json.loads(subscription["event_types"]),
        "accountIds": json.loads(subscription["account_ids"])
        if subscription["account_ids"]
        else None,
        "accountScopeId": subscription["account_scope_id"],
        "status": subscription["status"],
        "pausedAt": clock.format_time(subscription["paused_at"]),
        "failureCount": subscription["failure_count"],
        "lastDeliveryAt": clock.format_time(subscription["last_delivery_at"]),
        "createdAt": clock.format_time(subscription["created_at"]),
    }


def make_not_found_error() -> NotFound:
    """Return the error for a subscription that is not there for the caller."""
    return NotFound("There is no such webhook; GET /v1/webhooks lists yours.")


def make_owner_slots(caller: Caller) -> dict[str, Any]:
    """Return the values of the slots in :data:`IS_OWNED`."""
    return {
        "partner": caller.partner_id,
        "environment": caller.account_environment,
        "creator": caller.sandbox_owner,
        "permitted": caller.permitted_text,
    }


def _format_list(values: Iterable[str] | None) -> str | None:
    return None if values is None else json.dumps(sorted(values))


def _needs_room(partner_id: str) -> None:
    """Check the limit, inside the transaction that adds one,
    so that two requests cannot take the last place.
    """
    if _ACTIVE.value(partner_id=partner_id) >= MOST_ACTIVE:
        raise SubscriptionLimitReached()


def _require_few(partner_id: str, now: int) -> None:
    """Raise RateLimitExceeded if the partner registered too many lately.

    Deleted ones stay, too (specification, "Webhook subscription").
    """
    # ids begin with the time: a range of the table
    since, latest = ids.make_lowest_id(now - clock.DAY), ids.make_lowest_id(now + clock.SKEW)
    if _LATELY.value(partner_id=partner_id, since=since, latest=latest) >= MOST_A_DAY:
        message = (
            f"A partner registers at most {MOST_A_DAY:,} webhooks in 24 hours; change those that "
            "you have (PATCH)."
        )
        raise RateLimitExceeded(message, retry_after=clock.HOUR // clock.SECOND)


def check_event_types(event_types: list[str]) -> list[str]:
    """Return ``event_types`` without repetitions.

    InvalidRequest: there are none; InvalidEventType.
    """
    if not event_types:
        raise _make_error("eventTypes", "Name at least one event type in eventTypes.")
    unknown = [event_type for event_type in event_types if event_type not in SUBSCRIBABLE]
    if unknown:
        known = ", ".join(NAMES)
        raise InvalidEventType(
            f"eventTypes contains unknown event types: {', '.join(unknown)[:200]}. The event "
            f"types are: {known}."
        )
    return list(dict.fromkeys(event_types))


def _check_accounts(
    caller: Caller, account_ids: list[str] | None, scope: str | None
) -> tuple[list[str] | None, str | None]:
    """Return the two account fields, checked, in lower case and without duplicates."""
    account_ids = account_ids or None  # an empty list is as if there were none
    if account_ids is not None and scope is not None:
        raise _make_error("accountScopeId", "Send accountIds or accountScopeId, not both.")
    if account_ids is None:
        return None, None if scope is None else _check_permitted(caller, [scope], "accountScopeId")[
            0
        ]
    if len(account_ids) > MOST_ACCOUNTS:
        message = (
            f"accountIds may hold up to {MOST_ACCOUNTS} entries; omit it to receive the events of "
            "all accounts of this key."
        )
        raise _make_error("accountIds", message)
    return _check_permitted(caller, account_ids, "accountIds"), None


def _check_permitted(caller: Caller, account_ids: list[str], field: str) -> list[str]:
    requested = list(dict.fromkeys(account_id.lower() for account_id in account_ids))
    permitted = {
        row["id"] for row in _ACCOUNTS.rows(ids=json.dumps(requested)) if caller.reaches(*row)
    }
    missing = [account_id for account_id in requested if account_id not in permitted]
    if missing:
        names = ", ".join(missing)[:400]
        raise _make_error(
            field, f"This key may not address {names}; GET /v1/partner/accounts lists its accounts."
        )
    return requested


def _make_error(field: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, fields={field: [message]})
