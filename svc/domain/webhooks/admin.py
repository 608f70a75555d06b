"""Webhooks in the console: their health, and actions on them,
which are entered in the audit log.
"""

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from svc.base import clock, ids, states
from svc.base.crypto.signing import KeyRing
from svc.base.errors import NotFound
from svc.domain import edits, form_fields, partner_status
from svc.domain.audit import audit
from svc.domain.caller import Caller
from svc.domain.paging import Page, page_by_key, page_by_text
from svc.domain.people.users import Viewer
from svc.domain.tables.webhooks import Subscription
from svc.domain.webhooks import deliveries, event_types, signing_secrets, subscriptions
from svc.store.database import Row
from svc.store.expressions import JOIN, SQL, fn
from svc.store.models import webhooks as models
from svc.store.models.partners import Account, Partner
from svc.store.models.people import User
from svc.store.queries import Prepared, slot

LATEST = 50  # deliveries from which the health of a subscription is derived
QUEUED = "Queued"  # the filter for subscriptions for which deliveries are queued
STANDINGS = (*subscriptions.STANDING_CONDITIONS, QUEUED)  # by which subscriptions are filtered
# What a page is ``of`` that is sorted by something else than the time of registration: of one
# partner alone, which has few.
BY_ENDPOINT, BY_FAILURES, BY_SUCCESS = "endpoint", "failures", "success"
MOST_ADDRESSES = 100  # that are offered to filter deliveries by
MOST_QUEUED = 10_000  # deliveries that are counted

_SUBSCRIPTION, _DELIVERY = models.Subscription, models.Delivery
_SHOWN = (
    _SUBSCRIPTION.select(
        _SUBSCRIPTION, Partner.name.alias("partner_name"), User.name.alias("creator_name")
    )
    .join_from(_SUBSCRIPTION, Partner, on=Partner.id == _SUBSCRIPTION.partner_id)
    .join_from(_SUBSCRIPTION, User, JOIN.LEFT_OUTER, on=User.id == _SUBSCRIPTION.creator)
    .where(_SUBSCRIPTION.deleted_at.is_null())
)
_SORTED_BY = {
    BY_FAILURES: _SUBSCRIPTION.failure_count,
    BY_SUCCESS: fn.coalesce(_SUBSCRIPTION.last_delivery_at, 0),
}
_ADDRESSES = Prepared(
    _SUBSCRIPTION.select(_SUBSCRIPTION.endpoint_url)
    .where(_SUBSCRIPTION.partner_id == slot("partner_id"), _SUBSCRIPTION.deleted_at.is_null())
    .distinct()
    .order_by(_SUBSCRIPTION.endpoint_url)
    .limit(MOST_ADDRESSES)
)
_OF_SUBSCRIPTION = _DELIVERY.subscription_id == slot("id")
_IS_QUEUED = _DELIVERY.status == "Pending"
# Without test events, whose production is the nil UUID: they say nothing of how deliveries go.
_LATEST = Prepared(
    _DELIVERY.select(_DELIVERY.status)
    .where(_OF_SUBSCRIPTION, _DELIVERY.production_id != ids.NIL)
    .order_by(_DELIVERY.created_at.desc(), _DELIVERY.id.desc())
    .limit(slot("limit"))
)


def _count_query(*conditions: Any) -> Any:
    """Return the query of how many deliveries there are, at most MOST_QUEUED."""
    some = _DELIVERY.select(SQL("1")).where(*conditions).limit(MOST_QUEUED)
    return _DELIVERY.select(fn.count(SQL("1"))).from_(some.alias("some"))


_QUEUED = Prepared(_count_query(_OF_SUBSCRIPTION, _IS_QUEUED))
# The second condition is that of the index deliveries_missed.
_PARKED = Prepared(
    _count_query(
        _OF_SUBSCRIPTION,
        _DELIVERY.status == "Parked",
        _DELIVERY.status.in_(("Failed", "Parked", "Skipped")),
    )
)
_DELIVERY_OF_EVENT = Prepared(
    _DELIVERY.select(_DELIVERY.id).where(
        _OF_SUBSCRIPTION,
        _DELIVERY.created_at == slot("now"),
        _DELIVERY.event_id == slot("event_id"),
    )
)
_SANDBOXES = Prepared(
    Account.select(Account.creator, fn.coalesce(User.name, Account.name).alias("name"))
    .join(User, JOIN.LEFT_OUTER, on=User.id == Account.creator)
    .where(Account.partner_id == slot("partner_id"), Account.environment == states.SANDBOX)
    .order_by(Account.created_at, Account.id)
)
_PARTNER = Prepared(Partner.select().where(Partner.id == slot("id")))


class ListedSubscription(Subscription):
    """A subscription with the names of its partner and of the sandbox's owner."""

    partner_name: str
    creator_name: str | None


_ONE = Prepared(_SHOWN.where(_SUBSCRIPTION.id == slot("id")), ListedSubscription)


@dataclass(frozen=True)
class Health:
    """The results of a subscription's latest deliveries, without tests: states, oldest first,
    and the share that succeeded.
    """

    latest: tuple[str, ...]
    ended: int  # of them: those that were sent, and succeeded or were given up
    rate: float | None  # 0 to 1, of those that have ended; None: no delivery has ended
    queued: int
    parked: int  # wait for the end of a pause, or for reinstatement


def list_page(partner_id: str | None, page: Page, standing: str | None = None) -> dict[str, Any]:
    """Return a page of subscriptions, by time, as rows with the names of the partner and of the
    sandbox's owner.

    ``standing``: of STANDINGS; None: any.
    """
    values: dict[str, Any] = {**page.params, "partner_id": partner_id}
    if page.is_first and not page.ascending:
        values["id"] = "g"  # after every id
    of_partner = partner_id is not None
    query = _page_query(
        of_partner, standing, page.of if of_partner else "", page.ascending, page.is_first
    )
    return page.make_envelope(
        query.rows(**query.select_values(values)),
        lambda row: row,
        lambda row: (_get_sort_number(page.of, row), row["id"]),
    )


def _get_sort_number(of: str, row: ListedSubscription) -> int:
    """Return the number by which a row of a page is sorted; 0 where it is sorted by a text."""
    keys = {
        BY_ENDPOINT: 0,
        BY_FAILURES: row["failure_count"],
        BY_SUCCESS: row["last_delivery_at"] or 0,
    }
    return keys.get(of, row["created_at"])


@functools.cache
def _page_query(
    of_partner: bool,
    standing: str | None,
    of: str = "",
    ascending: bool = False,
    is_first: bool = False,
) -> Prepared[ListedSubscription]:
    """Return the query of a page; that of all partners is ordered by the id,
    which begins with the time of creation.
    """
    query = _SHOWN
    if standing == QUEUED:
        of_it = (_DELIVERY.subscription_id == _SUBSCRIPTION.id) & _IS_QUEUED
        query = query.where(fn.EXISTS(_DELIVERY.select(_DELIVERY.id).where(of_it)))
    elif standing is not None:
        query = query.where(subscriptions.STANDING_CONDITIONS[standing])
    if of_partner:
        query = query.where(_SUBSCRIPTION.partner_id == slot("partner_id"))
        if of == BY_ENDPOINT:
            last = _SUBSCRIPTION.alias("last_row")
            query = page_by_text(
                query, _SUBSCRIPTION, last, lambda model: model.endpoint_url, ascending, is_first
            )
        else:
            query = page_by_key(
                query, _SORTED_BY.get(of, _SUBSCRIPTION.created_at), _SUBSCRIPTION.id, ascending
            )
    else:
        is_next = _SUBSCRIPTION.id > slot("id") if ascending else _SUBSCRIPTION.id < slot("id")
        order = _SUBSCRIPTION.id.asc() if ascending else _SUBSCRIPTION.id.desc()
        query = query.where(is_next).order_by(order).limit(slot("limit"))
    return Prepared(query, ListedSubscription)


def list_addresses(partner_id: str) -> list[str]:
    """Return the different endpoints of a partner's subscriptions, at most MOST_ADDRESSES."""
    return [row["endpoint_url"] for row in _ADDRESSES.rows(partner_id=partner_id)]


def find(partner_id: str | None, subscription_id: str) -> ListedSubscription:
    """Return one subscription.

    NotFound: it is absent, deleted, or another partner's. ``partner_id`` None: operators only.
    """
    row = _ONE.row(id=subscription_id)
    if row is None or partner_id not in (None, row["partner_id"]):
        raise NotFound("There is no such webhook; it may have been deleted.")
    return row


def count_queued(partner_id: str | None) -> int:
    """Return how many deliveries are queued for all subscriptions that :func:`list_page` lists,
    at most MOST_QUEUED.
    """
    owner = {} if partner_id is None else {"partner_id": partner_id}
    return int(_queued_query(*owner).value(**owner))


@functools.cache
def _queued_query(*columns: str) -> Prepared[Row]:
    """Return the query of :func:`count_queued` for subscriptions with these columns given."""
    some = (
        _DELIVERY.select(SQL("1"))
        .join(_SUBSCRIPTION, on=_SUBSCRIPTION.id == _DELIVERY.subscription_id)
        .where(
            _IS_QUEUED,
            _SUBSCRIPTION.deleted_at.is_null(),
            *(getattr(_SUBSCRIPTION, name) == slot(name) for name in columns),
        )
        .limit(MOST_QUEUED)
    )
    return Prepared(_DELIVERY.select(fn.count(SQL("1"))).from_(some.alias("some")))


def measure_delivery_health(subscription_id: str, number: int = LATEST) -> Health:
    """Return the health of a subscription by its latest ``number`` deliveries."""
    latest = [row["status"] for row in _LATEST.rows(id=subscription_id, limit=number)]
    ended = [status for status in latest if status in ("Succeeded", "Failed")]
    rate = ended.count("Succeeded") / len(ended) if ended else None
    queued, parked = (query.value(id=subscription_id) for query in (_QUEUED, _PARKED))
    return Health(tuple(reversed(latest)), len(ended), rate, queued, parked)


def add(
    viewer: Viewer,
    partner_id: str,
    creator: str | None,
    form: dict[str, Any],
    now: int,
    ring: KeyRing,
    check_url: Callable[[str], None],
) -> dict[str, Any]:
    """Register a subscription for a partner's live accounts or for the sandboxes of ``creator``;
    return the API's answer.

    ``form``: ``endpointUrl``, ``eventTypes`` and ``accountIds``, of which an empty list means all.
    Raises the errors of ``subscriptions.register``.
    """
    caller = _make_caller(viewer, partner_id, creator)
    if creator is not None and creator not in list_sandboxes(partner_id):
        raise NotFound("There is no such sandbox.")
    url = form["endpointUrl"].strip()
    check_url(url)  # resolves the name, so before the transaction
    with audit.recording(viewer.actor, "webhook.add", None, now, in_turn_of=partner_id) as entry:
        subscription = subscriptions.register(
            caller,
            endpoint_url=url,
            event_types=form["eventTypes"],
            account_ids=form["accountIds"] or None,
            account_scope_id=None,
            now=now,
            ring=ring,
            check_url=lambda _: None,
        )
        entry.describe(
            url,
            subject_id=subscription["subscriptionId"],
            partner_id=partner_id,
            after={
                "eventTypes": subscription["eventTypes"],
                "accountIds": subscription["accountIds"],
            },
        )
    return subscription


def delete(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Delete a subscription. NotFound."""
    subscription = find(viewer.partner_id, subscription_id)
    with _record_action(viewer, "webhook.delete", subscription, now):
        subscriptions.delete(
            _make_caller(viewer, subscription["partner_id"], subscription["creator"], ends=True),
            subscription_id,
            now,
        )


def list_form_values(subscription: Subscription) -> dict[str, Any]:
    """Return the values of a subscription that :func:`change` changes, as a form shows them."""
    seen = subscriptions.represent(subscription)
    return {"endpointUrl": seen["endpointUrl"], "eventTypes": sorted(seen["eventTypes"])}


def change(
    viewer: Viewer,
    subscription_id: str,
    form: dict[str, Any],
    now: int,
    check_url: Callable[[str], None],
    seen: str = "",
) -> None:
    """Change endpoint and event types. ``form``: as :func:`list_form_values`; ``seen``: the version
    that the form was filled in with.

    NotFound, EditConflict, and the errors of ``subscriptions.change``.
    """
    subscription = find(viewer.partner_id, subscription_id)
    caller, url = _make_creator_caller(viewer, subscription), form["endpointUrl"].strip()
    check_url(url)  # resolves the name, so before the transaction
    with edits.open_merge(
        seen,
        lambda: list_form_values(find(viewer.partner_id, subscription_id)),
        {**form, "endpointUrl": url},
        subscription["partner_id"],
    ) as merged:
        url, types = merged["endpointUrl"], merged["eventTypes"]
        with _record_action(
            viewer, "webhook.edit", subscription, now, {"endpointUrl": url, "eventTypes": types}
        ):
            subscriptions.change(
                caller,
                subscription_id,
                endpoint_url=url,
                event_types=types,
                now=now,
                check_url=lambda _: None,
            )


def pause(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Let deliveries wait until :func:`resume`. NotFound."""
    subscription = find(viewer.partner_id, subscription_id)
    with _record_action(viewer, "webhook.pause", subscription, now):
        subscriptions.pause(_make_creator_caller(viewer, subscription), subscription_id, now)


def resume(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Send the deliveries that waited, in order. NotFound."""
    subscription = find(viewer.partner_id, subscription_id)
    with _record_action(viewer, "webhook.resume", subscription, now):
        subscriptions.resume(_make_creator_caller(viewer, subscription), subscription_id, now)


def ping(
    viewer: Viewer,
    subscription_id: str,
    now: int,
    correlation_id: str | None = None,
    event_type: str = event_types.PING_EVENT,
) -> str:
    """Send a test event and return the id of its delivery.

    Raises:
        NotFound: There is none that the caller may see.
        SubscriptionNotActive: It is not Active.
        RateLimitExceeded: There were too many lately.
    """
    subscription = find(viewer.partner_id, subscription_id)
    after = None if event_type == event_types.PING_EVENT else {"eventType": event_type}
    with _record_action(viewer, "webhook.ping", subscription, now, after):
        event = subscriptions.ping(
            _make_creator_caller(viewer, subscription),
            subscription_id,
            now,
            correlation_id,
            event_type,
        )["eventId"]
        return str(_DELIVERY_OF_EVENT.one(id=subscription_id, now=now, event_id=event)["id"])


def roll_secret(
    viewer: Viewer, subscription_id: str, overlap_hours: int, now: int, ring: KeyRing
) -> dict[str, Any]:
    """Replace the signing secret and return the API's answer. NotFound, InvalidRequest."""
    subscription = find(viewer.partner_id, subscription_id)
    with _record_action(
        viewer, "webhook.roll-secret", subscription, now, {"overlapHours": overlap_hours}
    ):
        return signing_secrets.roll(
            _make_creator_caller(viewer, subscription), subscription_id, overlap_hours, now, ring
        )


def reinstate(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Make a Failed subscription Active again. A partner's people may do so only if self-service is
    enabled.

    Raises:
        NotFound: There is none that the caller may see.
        SelfServeDisabled: The operator does not let partners do it.
        SubscriptionNotFailed: It is not Failed.
        SubscriptionLimitReached: The partner has as many active ones as it may.
    """
    subscription = find(viewer.partner_id, subscription_id)
    with _record_action(viewer, "webhook.reinstate", subscription, now):
        if viewer.is_operator:
            partner_status.require_active(subscription["partner_id"])
            subscriptions.reactivate(subscription_id, now)
        else:
            subscriptions.reinstate(
                _make_creator_caller(viewer, subscription), subscription_id, now
            )


def redeliver(viewer: Viewer, subscription_id: str, delivery_id: str, now: int) -> None:
    """Send one delivery again. NotFound, SubscriptionNotActive."""
    subscription = find(viewer.partner_id, subscription_id)
    with _record_action(
        viewer, "webhook.redeliver", subscription, now, {"deliveryId": delivery_id}
    ):
        deliveries.redeliver(
            _make_creator_caller(viewer, subscription), subscription_id, delivery_id, now
        )


def replay(viewer: Viewer, subscription_id: str, form: dict[str, str], now: int) -> int:
    """Send the deliveries of a period again; return their number. ``form``: ``from``, ``to`` and
    ``missed``, as submitted.

    Raises:
        NotFound: There is none that the caller may see.
        InvalidRequest: A field is not valid; the error names it.
        SubscriptionNotActive: It is not Active.
        ReplayInProgress: A replay is going on already.
    """
    subscription = find(viewer.partner_id, subscription_id)
    window = form_fields.read(
        {"from": _parse_instant, "to": form_fields.optional(_parse_last_instant)},
        {name: form[name] for name in ("from", "to")},
    )
    with _record_action(
        viewer,
        "webhook.replay",
        subscription,
        now,
        {"from": form["from"], "to": form["to"] or None},
    ):
        replayed = deliveries.replay(
            _make_creator_caller(viewer, subscription),
            subscription_id,
            window["from"],
            window["to"],
            now,
            missed=bool(form["missed"]),
        )
    return int(replayed["queued"])


def _make_creator_caller(viewer: Viewer, subscription: Subscription) -> Caller:
    return _make_caller(viewer, subscription["partner_id"], subscription["creator"])


def _make_caller(
    viewer: Viewer, partner_id: str, creator: str | None, *, ends: bool = False
) -> Caller:
    """Return the caller that represents this person to the API's functions: a key of the partner
    with every scope.

    PartnerNotActive: as in the API, except for an operator with ``ends``, who deletes something."""
    partner = _PARTNER.row(id=partner_id)
    if partner is None or not viewer.sees(partner_id):
        raise NotFound("There is no such partner.")
    if not (ends and viewer.is_operator):
        partner_status.check(partner["status"])
    return Caller(
        "",
        "",
        viewer.name,
        "test" if creator else "live",
        creator,
        None,
        None,
        partner_id,
        partner["name"],
        partner["status"],
        partner["tier"],
        bool(partner["key_rotation"]),
        bool(partner["self_lifecycle"]),
        None,
    )


def _record_action(
    viewer: Viewer,
    action: str,
    subscription: Subscription,
    now: int,
    after: dict[str, Any] | None = None,
) -> AbstractContextManager[audit.Entry]:
    return audit.recording(
        viewer.actor,
        action,
        subscription["endpoint_url"],
        now,
        subject_id=subscription["id"],
        partner_id=subscription["partner_id"],
        after=after,
        in_turn_of=subscription["partner_id"],
    )


def _parse_instant(value: str) -> int:
    """Return the milliseconds of a time from a form, in UTC."""
    try:
        return clock.parse(value.strip())
    except (ValueError, OverflowError):
        raise ValueError("Give a time such as 2026-11-20T09:30, in UTC.") from None


def _parse_last_instant(value: str) -> int:
    """Return the end of a period from a form. People see times by the second: one without
    milliseconds stands for its whole second, so that the period has what they saw.
    """
    at = _parse_instant(value)
    return at if {".", ","} & set(value) else at + clock.SECOND - 1


def list_sandboxes(partner_id: str) -> dict[str, str]:
    """Return the creators of a partner's sandbox accounts, which identify the sandboxes,
    with their names.
    """
    return {row["creator"]: row["name"] for row in _SANDBOXES.rows(partner_id=partner_id)}
