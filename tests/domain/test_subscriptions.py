"""Subscriptions: what is accepted, who sees them, pings and reinstatement."""

import base64
import json
import threading

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, RING, Partner, answer, claim, exhaust, record, states

from svc.base import clock, errors, ids
from svc.base.crypto import signing
from svc.domain.paging import Page
from svc.domain.webhooks import outbox, subscriptions
from svc.store.database import db

partner = outbox_fixtures.partner


def suspend(subscription):
    with db.transaction():
        plain_sql.execute(
            "UPDATE subscriptions SET status = 'Failed', failure_count = 10 WHERE id = ?",
            (subscription,),
        )


def test_a_new_subscription_is_active_and_shows_its_secret_once(partner):
    created = partner.subscribe()
    secret = base64.urlsafe_b64decode(created.pop("signingSecret") + "==")
    assert secret == signing.derive_webhook_secret(RING, created["subscriptionId"], 1)
    assert base64.b64decode(created.pop("standardWebhooksSecret").removeprefix("whsec_")) == secret
    assert created == {
        "subscriptionId": created["subscriptionId"],
        "endpointUrl": "https://hooks.example.com/x",
        "eventTypes": ["production.queued", "production.failed"],
        "accountIds": None,
        "accountScopeId": None,
        "status": "Active",
        "pausedAt": None,
        "failureCount": 0,
        "lastDeliveryAt": None,
        "createdAt": "2026-11-21T12:00:00.000Z",
    }
    assert subscriptions.get(partner.live, created["subscriptionId"]) == created


@pytest.mark.sqlite("reads the file")
def test_no_secret_is_in_the_database(partner):
    created = partner.subscribe()
    raw = base64.urlsafe_b64decode(created["signingSecret"] + "==")
    db.peewee_database.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = db.path().read_bytes()
    assert created["subscriptionId"].encode() in stored
    assert not any(
        secret in stored for secret in (raw, raw.hex().encode(), created["signingSecret"].encode())
    )


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"event_types": []}, errors.InvalidRequest),
        ({"event_types": ["production.exploded"]}, errors.InvalidEventType),
        ({"account_ids": [ids.NIL]}, errors.InvalidRequest),
        ({"account_ids": [ids.NIL] * 51}, errors.InvalidRequest),
        ({"account_scope_id": ids.NIL}, errors.InvalidRequest),
        ({"account_ids": [ids.NIL], "account_scope_id": ids.NIL}, errors.InvalidRequest),
    ],
)
def test_what_is_wrong_with_a_registration_is_named(partner, given, error):
    with pytest.raises(error) as refused:
        partner.subscribe(**given)
    assert len(str(refused.value)) > 20


def test_a_refused_url_is_refused_before_anything_is_written(partner):
    def refuse(url):
        raise errors.InvalidEndpointUrl()

    with pytest.raises(errors.InvalidEndpointUrl):
        subscriptions.register(
            partner.live,
            endpoint_url="https://x",
            event_types=["webhook.ping"],
            account_ids=None,
            account_scope_id=None,
            now=NOON,
            ring=RING,
            check_url=refuse,
        )
    assert subscriptions.list_page(partner.live, Page())["data"] == []


def test_both_names_of_the_ping_event_may_be_subscribed_to_and_repeats_are_dropped(partner):
    types = ["webhook.ping", "webhook.test", "webhook.ping"]
    assert partner.subscribe(event_types=types)["eventTypes"] == ["webhook.ping", "webhook.test"]


def test_accounts_of_another_environment_are_not_permitted(partner):
    anns, bobs = partner.open_account("ann"), partner.open_account("bob")
    assert partner.subscribe(partner.test, account_ids=[anns, anns.upper()])["accountIds"] == [anns]
    for caller, account in (
        (partner.test, bobs),
        (partner.test, partner.account),
        (partner.live, anns),
    ):
        with pytest.raises(errors.InvalidRequest):
            partner.subscribe(caller, account_scope_id=account)


def test_the_hundred_and_first_active_subscription_is_refused_and_a_deleted_one_makes_room(partner):
    first = partner.subscribe()
    for _ in range(99):
        partner.subscribe()
    with pytest.raises(errors.SubscriptionLimitReached):
        partner.subscribe()
    Partner().subscribe()
    subscriptions.delete(partner.live, first["subscriptionId"], NOON)
    partner.subscribe()


def test_two_registrations_never_take_one_last_place(partner):
    for _ in range(99):
        partner.subscribe()
    refused = []

    def register():
        try:
            partner.subscribe()
        except errors.SubscriptionLimitReached as error:
            refused.append(error)

    threads = [threading.Thread(target=register) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(refused) == 7


def test_reinstating_does_not_pass_the_limit(partner):
    failed = partner.subscribe()["subscriptionId"]
    suspend(failed)
    for _ in range(100):
        partner.subscribe()
    with pytest.raises(errors.SubscriptionLimitReached):
        subscriptions.reinstate(partner.live, failed, NOON)


def test_nobody_else_sees_a_subscription(partner):
    live, sandbox = (
        partner.subscribe()["subscriptionId"],
        partner.subscribe(partner.test)["subscriptionId"],
    )
    others = [
        (Partner().live, live),
        (partner.test, live),
        (partner.live, sandbox),
        (partner.caller("test", "bob"), sandbox),
    ]
    for caller, subscription in others:
        for act in (
            subscriptions.get,
            lambda *who: subscriptions.delete(*who, NOON),
            lambda *who: subscriptions.ping(*who, NOON),
            lambda *who: subscriptions.reinstate(*who, NOON),
        ):
            with pytest.raises(errors.NotFound):
                act(caller, subscription)
        assert subscription not in [
            each["subscriptionId"] for each in subscriptions.list_page(caller, Page())["data"]
        ]


def test_pages_are_newest_first_and_a_row_added_meanwhile_moves_nothing(partner):
    made = [partner.subscribe(now=NOON + number // 2)["subscriptionId"] for number in range(5)]
    first = subscriptions.list_page(partner.live, Page(limit=2))
    partner.subscribe(now=NOON + 9)
    last = subscriptions.list_page(
        partner.live, Page(100, (NOON + 1, first["data"][-1]["subscriptionId"]))
    )
    assert first["hasMore"] and not last["hasMore"]
    shown = [each["subscriptionId"] for each in first["data"] + last["data"]]
    assert sorted(shown) == sorted(made)
    assert shown == sorted(
        made,
        key=lambda each: (subscriptions.get(partner.live, each)["createdAt"], each),
        reverse=True,
    )


def test_a_deleted_subscription_is_gone_for_good_but_what_was_queued_goes_out(partner):
    subscription = partner.subscribe()
    production = partner.produce()
    record(production)
    subscriptions.delete(partner.live, subscription["subscriptionId"], NOON)
    record(production)
    assert [each.subscription_id for each in claim(NOON)] == [subscription["subscriptionId"]]
    assert states(subscription) == [(1, "Pending")]
    for act in (subscriptions.get, lambda *who: subscriptions.delete(*who, NOON)):
        with pytest.raises(errors.NotFound):
            act(partner.live, subscription["subscriptionId"])


@pytest.mark.parametrize(
    "held_back_by",
    [{"paused_at": NOON}, {"status": "Failed"}, {"paused_at": NOON, "status": "Failed"}],
)
def test_what_a_pause_or_a_suspension_held_back_goes_out_in_order_when_the_subscription_is_deleted(
    partner, held_back_by
):
    subscription = partner.subscribe()
    first, second = partner.produce(), partner.produce()
    record(first, 2)
    record(second)
    with db.transaction():
        outbox.park(subscription["subscriptionId"])
        for column, value in held_back_by.items():
            plain_sql.execute(f"UPDATE subscriptions SET {column} = ?", (value,))
    # while it is paused this is queued too; while it is suspended it is skipped
    record(first, now=NOON + 1)
    assert claim(NOON + 2) == []
    subscriptions.delete(partner.live, subscription["subscriptionId"], NOON + 2)
    record(second, now=NOON + 3)
    sent = []
    while claimed := claim(NOON + 3):
        sent += [
            (json.loads(each.body)["productionId"], json.loads(each.body)["sequenceNumber"])
            for each in claimed
        ]
        answer(claimed, NOON + 3)
    expected = [(first["id"], 1), (first["id"], 2), (second["id"], 1)]
    if "status" not in held_back_by:
        expected.append((first["id"], 3))
    assert sorted(sent) == sorted(expected)
    assert [number for production, number in sent if production == first["id"]] == list(
        range(1, len(expected))
    )


def test_a_ping_is_a_test_event_of_no_production(partner):
    subscription = partner.subscribe()
    pinged = subscriptions.ping(partner.live, subscription["subscriptionId"], NOON)
    [claimed] = claim(NOON)
    body = json.loads(claimed.body)
    assert pinged == {
        "subscriptionId": subscription["subscriptionId"],
        "eventId": body["eventId"],
        "eventType": "webhook.test",
    }
    assert (body["productionId"], body["accountId"], body["sequenceNumber"]) == (
        ids.NIL,
        ids.NIL,
        0,
    )
    assert (body["eventType"], body["truncated"], set(body["data"])) == (
        "webhook.test",
        False,
        {"type", "message"},
    )


def test_a_second_ping_within_a_minute_is_told_how_long_to_wait(partner):
    subscription = partner.subscribe()["subscriptionId"]
    subscriptions.ping(partner.live, subscription, NOON)
    with pytest.raises(errors.RateLimitExceeded) as refused:
        subscriptions.ping(partner.live, subscription, NOON + clock.MINUTE - 1)
    assert refused.value.retry_after == 1
    subscriptions.ping(partner.live, subscription, NOON + clock.MINUTE)


def test_of_many_pings_at_once_one_goes_out(partner):
    subscription = partner.subscribe()["subscriptionId"]
    answers = []

    def ping():
        try:
            answers.append(subscriptions.ping(partner.live, subscription, NOON))
        except errors.RateLimitExceeded:
            pass

    threads = [threading.Thread(target=ping) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(answers) == 1


def test_a_failed_subscription_is_not_pinged(partner):
    subscription = partner.subscribe()["subscriptionId"]
    suspend(subscription)
    with pytest.raises(errors.SubscriptionNotActive):
        subscriptions.ping(partner.live, subscription, NOON)


def test_reinstating_makes_it_active_and_forgets_its_failures(partner):
    subscription = partner.subscribe()["subscriptionId"]
    with pytest.raises(errors.SubscriptionNotFailed):
        subscriptions.reinstate(partner.live, subscription, NOON)
    suspend(subscription)
    found = subscriptions.reinstate(partner.live, subscription, NOON)
    assert (found["status"], found["failureCount"]) == ("Active", 0)


def test_reinstating_needs_the_self_serve_lifecycle(partner):
    other = Partner(lifecycle=False)
    subscription = other.subscribe()["subscriptionId"]
    with pytest.raises(errors.SelfServeDisabled):
        subscriptions.reinstate(other.live, subscription, NOON)


def test_what_was_parked_goes_out_in_order_after_reinstatement_and_what_was_skipped_does_not(
    partner,
):
    subscription = partner.subscribe()
    now = NOON
    for _ in range(9):
        record(partner.produce(), now=now)
        now = exhaust(now)
    record(partner.produce(), now=now)
    waiting = partner.produce()
    for at in (now, now, now + clock.MINUTE):
        answer(claim(at), at, 500)
    record(waiting, 2, now=now + clock.MINUTE)
    answer(claim(now + 5 * clock.MINUTE), now + 5 * clock.MINUTE, 500)
    record(waiting, 1, now=now + 6 * clock.MINUTE)
    assert subscriptions.get(partner.live, subscription["subscriptionId"])["status"] == "Failed"
    assert states(subscription)[-3:] == [(1, "Parked"), (2, "Parked"), (3, "Skipped")]
    assert claim(now + clock.HOUR) == []
    subscriptions.reinstate(partner.live, subscription["subscriptionId"], now + clock.HOUR)
    sent = []
    while claimed := claim(now + clock.HOUR):
        sent += [json.loads(each.body)["sequenceNumber"] for each in claimed]
        answer(claimed, now + clock.HOUR)
    assert sent == [1, 2]
