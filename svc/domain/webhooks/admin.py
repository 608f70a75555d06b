"""Webhook subscriptions in the console: their health, and actions on them, which are entered in the audit log."""

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from svc.base import clock, ids, states
from svc.base.crypto.signing import KeyRing
from svc.base.errors import NotFound
from svc.domain import edits, form_fields, rows
from svc.domain.caller import Caller
from svc.domain.paging import Page, newest_first
from svc.domain.partners import status as partner_status
from svc.domain.people import audit
from svc.domain.people.users import Viewer
from svc.domain.tables.webhooks import Subscription
from svc.domain.webhooks import changes, sample_events, signing_secrets, subscriptions
from svc.domain.webhooks import log as delivery_log
from svc.domain.webhooks import standing as standings
from svc.store import database
from svc.store.expressions import JOIN, fn
from svc.store.models import webhooks as models
from svc.store.models.partners import Partner
from svc.store.models.people import User
from svc.store.queries import Prepared, slot

LATEST = 50  # deliveries from which the health of a subscription is derived
QUEUED = "Queued"  # the filter for subscriptions for which deliveries are queued
STANDINGS = (*standings.CONDITIONS, QUEUED)  # by which subscriptions are filtered
MOST_ADDRESSES = 100  # that are offered to filter deliveries by
MOST_QUEUED = 10_000  # deliveries that are counted

_SHOWN = """
    SELECT s.*, w.name AS partner_name, u.name AS creator_name FROM subscriptions s
    JOIN partners w ON w.id = s.partner_id LEFT JOIN users u ON u.id = s.creator
"""
_ADDRESSES = Prepared(
    models.Subscription.select(models.Subscription.endpoint_url)
    .where(
        models.Subscription.partner_id == slot("partner_id"),
        models.Subscription.deleted_at.is_null(),
    )
    .distinct()
    .order_by(models.Subscription.endpoint_url)
    .limit(MOST_ADDRESSES)
)
_ONE = f"{_SHOWN} WHERE s.id = ? AND s.deleted_at IS NULL"
# Without test events, whose production is the nil UUID: they say nothing of how deliveries go.
_LATEST = f"""
    SELECT status FROM deliveries WHERE subscription_id = ? AND production_id <> '{ids.NIL}'
    ORDER BY created_at DESC, id DESC LIMIT ?
"""
_QUEUED = f"""
    SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE subscription_id = :id AND status = 'Pending' LIMIT {MOST_QUEUED}) AS w
"""
_QUEUED_OF_ALL = f"""
    SELECT count(*) FROM (
        SELECT 1 FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
        WHERE d.status = 'Pending' AND s.deleted_at IS NULL AND (:partner IS NULL OR s.partner_id = :partner)
        LIMIT {MOST_QUEUED}
    ) AS w
"""
_PARKED = """
    SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE subscription_id = :id
        AND status = 'Parked' AND status IN ('Failed', 'Parked', 'Skipped') LIMIT 10000) AS w
"""  # the second condition is that of the index deliveries_missed
_SANDBOXES = """
    SELECT a.creator, coalesce(u.name, a.name) AS name FROM accounts a LEFT JOIN users u ON u.id = a.creator
    WHERE a.partner_id = ? AND a.environment = 'sandbox' ORDER BY a.created_at, a.id
"""
_PARTNER = "SELECT * FROM partners WHERE id = ?"


class ListedSubscription(Subscription):
    """A subscription with the names of its partner and of the sandbox's owner."""

    partner_name: str
    creator_name: str | None


@dataclass(frozen=True)
class Health:
    """The results of a subscription's latest deliveries, without tests: states, oldest first, and the share that succeeded."""

    latest: tuple[str, ...]
    ended: int  # of them: those that were sent, and succeeded or were given up
    rate: float | None  # 0 to 1, of those that have ended; None: no delivery has ended
    queued: int
    parked: int  # wait for the end of a pause, or for reinstatement


def page(partner_id: str | None, page: Page, standing: str | None = None) -> dict[str, Any]:
    """Return a page of subscriptions, newest first, as rows with the names of the partner and of the sandbox's owner.

    ``standing``: of STANDINGS; None: any.
    """
    values: dict[str, Any] = {**page.params}
    if partner_id is None:
        del values["created"]
        values["id"] = "g" if page.is_first else values["id"]  # after every id
    else:
        values["partner_id"] = partner_id
    query = _page_query(partner_id is not None, standing)
    return page.envelope(query.rows(**values), lambda row: row)


@functools.cache
def _page_query(of_partner: bool, standing: str | None) -> Prepared[ListedSubscription]:
    """Return the query of a page; that of all partners is ordered by the id, which begins with the time of creation."""
    each = models.Subscription
    query = (
        each.select(each, Partner.name.alias("partner_name"), User.name.alias("creator_name"))
        .join(Partner, on=Partner.id == each.partner_id)
        .join(User, JOIN.LEFT_OUTER, on=User.id == each.creator)
        .where(each.deleted_at.is_null())
    )
    if standing == QUEUED:
        delivery = models.Delivery
        of_it = (delivery.subscription_id == each.id) & (delivery.status == "Pending")
        query = query.where(fn.EXISTS(delivery.select(delivery.id).where(of_it)))
    elif standing is not None:
        query = query.where(standings.CONDITIONS[standing])
    if of_partner:
        query = newest_first(query.where(each.partner_id == slot("partner_id")), each.created_at, each.id)
    else:
        query = query.where(each.id < slot("id")).order_by(each.id.desc()).limit(slot("limit"))
    return Prepared(query, ListedSubscription)


def addresses(partner_id: str) -> list[str]:
    """Return the different endpoints of a partner's subscriptions, at most MOST_ADDRESSES."""
    return [row["endpoint_url"] for row in _ADDRESSES.rows(partner_id=partner_id)]


def find(partner_id: str | None, subscription_id: str) -> ListedSubscription:
    """Return one subscription. NotFound: it is absent, deleted, or another partner's. ``partner_id`` None: operators only."""
    row = rows.first(ListedSubscription, _ONE, (subscription_id,))
    if row is None or partner_id not in (None, row["partner_id"]):
        raise NotFound("There is no such webhook subscription; it may have been deleted.")
    return row


def shown(subscription: Subscription) -> dict[str, Any]:
    """Return a subscription as in the API."""
    return subscriptions.view(subscription)


def queued(partner_id: str | None) -> int:
    """Return how many deliveries are queued for all subscriptions that :func:`page` lists, at most MOST_QUEUED."""
    return int(database.one(_QUEUED_OF_ALL, {"partner": partner_id})[0])


def health(subscription_id: str, number: int = LATEST) -> Health:
    """Return the health of a subscription by its latest ``number`` deliveries."""
    latest = [row["status"] for row in database.rows(_LATEST, (subscription_id, number))]
    ended = [status for status in latest if status in ("Succeeded", "Failed")]
    rate = ended.count("Succeeded") / len(ended) if ended else None
    queued, parked = (database.one(sql, {"id": subscription_id})[0] for sql in (_QUEUED, _PARKED))
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
    """Register a subscription for a partner's live accounts or for the sandboxes of ``creator``; return the API's answer.

    ``form``: ``endpointUrl``, ``eventTypes`` and ``accountIds``, of which an empty list means all. Raises the errors of
    ``subscriptions.register``.
    """
    caller = _caller(viewer, partner_id, creator)
    if creator is not None and creator not in sandboxes(partner_id):
        raise NotFound("There is no such sandbox.")
    url = form["endpointUrl"].strip()
    check_url(url)  # resolves the name, so before the transaction
    with database.write():
        subscription = subscriptions.register(
            caller, endpoint_url=url, event_types=form["eventTypes"], account_ids=form["accountIds"] or None,
            account_scope_id=None, now=now, ring=ring, check_url=lambda _: None,
        )  # fmt: skip
        audit.record(
            viewer.actor,
            "webhook.add",
            url,
            now,
            subject_id=subscription["subscriptionId"],
            partner_id=partner_id,
            after={"eventTypes": subscription["eventTypes"], "accountIds": subscription["accountIds"]},
        )
    return subscription


def delete(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Delete a subscription. NotFound."""
    subscription = find(viewer.partner_id, subscription_id)
    with _entered(viewer, "webhook.delete", subscription, now):
        subscriptions.delete(
            _caller(viewer, subscription["partner_id"], subscription["creator"], ends=True), subscription_id, now
        )


def as_form(subscription: Subscription) -> dict[str, Any]:
    """Return what of a subscription :func:`change` changes, as a form shows it."""
    seen = shown(subscription)
    return {"endpointUrl": seen["endpointUrl"], "eventTypes": sorted(seen["eventTypes"])}


def change(
    viewer: Viewer, subscription_id: str, form: dict[str, Any], now: int, check_url: Callable[[str], None], seen: str = ""
) -> None:
    """Change endpoint and event types. ``form``: as :func:`as_form`; ``seen``: the version that the form was filled in with.

    NotFound, EditConflict, and the errors of ``changes.change``.
    """
    subscription = find(viewer.partner_id, subscription_id)
    caller, url = _as(viewer, subscription), form["endpointUrl"].strip()
    check_url(url)  # resolves the name, so before the transaction
    with edits.merging(seen, lambda: as_form(find(viewer.partner_id, subscription_id)), {**form, "endpointUrl": url}) as given:
        url, types = given["endpointUrl"], given["eventTypes"]
        with _entered(viewer, "webhook.edit", subscription, now, {"endpointUrl": url, "eventTypes": types}):
            changes.change(caller, subscription_id, endpoint_url=url, event_types=types, now=now, check_url=lambda _: None)


def pause(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Let deliveries wait until :func:`resume`. NotFound."""
    subscription = find(viewer.partner_id, subscription_id)
    with _entered(viewer, "webhook.pause", subscription, now):
        changes.pause(_as(viewer, subscription), subscription_id, now)


def resume(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Send the deliveries that waited, in order. NotFound."""
    subscription = find(viewer.partner_id, subscription_id)
    with _entered(viewer, "webhook.resume", subscription, now):
        changes.resume(_as(viewer, subscription), subscription_id, now)


def ping(
    viewer: Viewer, subscription_id: str, now: int, correlation_id: str | None = None, event_type: str = states.PING_EVENT
) -> str:
    """Send a test event and return the id of its delivery. NotFound, SubscriptionNotActive, RateLimitExceeded."""
    subscription = find(viewer.partner_id, subscription_id)
    after = None if event_type == states.PING_EVENT else {"eventType": event_type}
    with _entered(viewer, "webhook.ping", subscription, now, after):
        event = sample_events.send(_as(viewer, subscription), subscription_id, now, correlation_id, event_type)["eventId"]
        sql = "SELECT id FROM deliveries WHERE subscription_id = ? AND created_at = ? AND event_id = ?"
        return str(database.one(sql, (subscription_id, now, event))["id"])


def roll_secret(viewer: Viewer, subscription_id: str, overlap_hours: int, now: int, ring: KeyRing) -> dict[str, Any]:
    """Replace the signing secret and return the API's answer. NotFound, InvalidRequest."""
    subscription = find(viewer.partner_id, subscription_id)
    with _entered(viewer, "webhook.roll-secret", subscription, now, {"overlapHours": overlap_hours}):
        return signing_secrets.roll(_as(viewer, subscription), subscription_id, overlap_hours, now, ring)


def reinstate(viewer: Viewer, subscription_id: str, now: int) -> None:
    """Make a Failed subscription Active again. A partner's people may do so only if self-service is enabled.

    NotFound, SelfServeDisabled, SubscriptionNotFailed, SubscriptionLimitReached.
    """
    subscription = find(viewer.partner_id, subscription_id)
    with _entered(viewer, "webhook.reinstate", subscription, now):
        if viewer.is_operator:
            partner_status.require_active(subscription["partner_id"])
            subscriptions.reactivate(subscription_id, now)
        else:
            subscriptions.reinstate(_as(viewer, subscription), subscription_id, now)


def redeliver(viewer: Viewer, subscription_id: str, delivery_id: str, now: int) -> None:
    """Send one delivery again. NotFound, SubscriptionNotActive."""
    subscription = find(viewer.partner_id, subscription_id)
    with _entered(viewer, "webhook.redeliver", subscription, now, {"deliveryId": delivery_id}):
        delivery_log.redeliver(_as(viewer, subscription), subscription_id, delivery_id, now)


def replay(viewer: Viewer, subscription_id: str, form: dict[str, str], now: int) -> int:
    """Send the deliveries of a period again; return their number. ``form``: ``from``, ``to`` and ``missed``, as submitted.

    NotFound, InvalidRequest, SubscriptionNotActive, ReplayInProgress.
    """
    subscription = find(viewer.partner_id, subscription_id)
    window = form_fields.read(
        {"from": _instant, "to": form_fields.optional(_instant)}, {name: form[name] for name in ("from", "to")}
    )
    with _entered(viewer, "webhook.replay", subscription, now, {"from": form["from"], "to": form["to"] or None}):
        replayed = delivery_log.replay(
            _as(viewer, subscription), subscription_id, window["from"], window["to"], now, missed=bool(form["missed"])
        )
    return int(replayed["queued"])


def _as(viewer: Viewer, subscription: Subscription) -> Caller:
    return _caller(viewer, subscription["partner_id"], subscription["creator"])


def _caller(viewer: Viewer, partner_id: str, creator: str | None, *, ends: bool = False) -> Caller:
    """Return the caller that represents this person to the API's functions: a key of the partner with every scope.

    PartnerNotActive: as in the API, except for an operator with ``ends``, who deletes something."""
    partner = database.row(_PARTNER, (partner_id,))
    if partner is None or not viewer.sees(partner_id):
        raise NotFound("There is no such partner.")
    if not (ends and viewer.is_operator):
        partner_status.check(partner["status"])
    return Caller(
        "", "", viewer.name, "test" if creator else "live", creator, None, None, partner_id, partner["name"],
        partner["status"], partner["tier"], bool(partner["key_rotation"]), bool(partner["self_lifecycle"]), None,
    )  # fmt: skip


def _entered(
    viewer: Viewer, action: str, subscription: Subscription, now: int, after: dict[str, Any] | None = None
) -> AbstractContextManager[None]:
    return audit.entered(
        viewer.actor,
        action,
        subscription["endpoint_url"],
        now,
        subject_id=subscription["id"],
        partner_id=subscription["partner_id"],
        after=after,
    )


def _instant(value: str) -> int:
    """Return the milliseconds of a time from a form, in UTC."""
    try:
        return clock.parse(value.strip())
    except (ValueError, OverflowError):
        raise ValueError("Give a time such as 2026-11-20T09:30, in UTC.") from None


def sandboxes(partner_id: str) -> dict[str, str]:
    """Return the creators of a partner's sandbox accounts, which identify the sandboxes, with their names."""
    return {row["creator"]: row["name"] for row in database.rows(_SANDBOXES, (partner_id,))}
