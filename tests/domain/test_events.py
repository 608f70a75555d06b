"""Events take gapless numbers, and each subscription that hears one gets bytes of
its own, frozen.
"""

import json

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, Partner, claim, record, states

from svc.base import ids
from svc.domain.webhooks import event_types, events
from svc.store import wake
from svc.store.database import db

partner = outbox_fixtures.partner


def bodies():
    return [
        json.loads(row["body"])
        for row in plain_sql.rows("SELECT body FROM deliveries ORDER BY created_at, sequence")
    ]


def test_sequence_numbers_start_at_one_and_have_no_gaps(partner):
    production, other = partner.produce(), partner.produce()
    with db.transaction():
        numbers = [
            events.record(each, event_types.PRODUCTION_QUEUED, {}, NOON)
            for each in (production, production, other, production)
        ]
    assert numbers == [1, 2, 1, 3]


def test_an_undone_transaction_leaves_neither_event_nor_delivery_nor_number(partner):
    production = partner.produce()
    partner.subscribe()
    with pytest.raises(ZeroDivisionError), db.transaction():
        events.record(production, event_types.PRODUCTION_QUEUED, {}, NOON)
        raise ZeroDivisionError
    assert bodies() == []
    record(production)
    assert [body["sequenceNumber"] for body in bodies()] == [1]


def test_the_envelope_has_exactly_the_fields_of_the_specification(partner):
    production = partner.produce()
    partner.subscribe()
    with db.transaction():
        events.record(
            production,
            event_types.PRODUCTION_QUEUED,
            {"status": "Queued"},
            NOON,
            truncated=True,
            correlation_id="asked",
        )
    [body] = bodies()
    assert ids.normalise(body.pop("eventId"))
    assert body == {
        "eventType": "production.queued",
        "productionId": production["id"],
        "accountId": partner.account,
        "timestamp": "2026-11-21T12:00:00.000Z",
        "sequenceNumber": 1,
        "correlationId": "asked",
        "truncated": True,
        "data": {"status": "Queued"},
    }


def test_the_body_is_compact_utf_8(partner):
    partner.subscribe()
    with db.transaction():
        data = {"currentStep": "Épreuve 画"}
        events.record(partner.produce(), event_types.PRODUCTION_QUEUED, data, NOON)
    [claimed] = claim(NOON)
    assert '"data":{"currentStep":"Épreuve 画"}}'.encode() in claimed.body
    assert b'": ' not in claimed.body


def test_each_subscription_gets_an_event_id_of_its_own(partner):
    partner.subscribe()
    partner.subscribe()
    record(partner.produce())
    first, second = bodies()
    assert first.pop("eventId") != second.pop("eventId")
    assert first == second


def test_a_subscription_hears_only_the_event_types_that_it_names(partner):
    subscription = partner.subscribe(event_types=["production.failed"])
    record(partner.produce())
    assert states(subscription) == []


def test_a_subscription_hears_only_the_accounts_that_it_names(partner):
    other = partner.open_account()
    listed, scoped = (
        partner.subscribe(account_ids=[other]),
        partner.subscribe(account_scope_id=other),
    )
    everything = partner.subscribe()
    record(partner.produce())
    assert (states(listed), states(scoped), len(states(everything))) == ([], [], 1)
    record(partner.produce(other))
    assert (len(states(listed)), len(states(scoped)), len(states(everything))) == (1, 1, 2)


def test_a_subscription_hears_only_what_its_key_was_permitted(partner):
    other = partner.open_account()
    narrow = partner.subscribe(partner.caller("live", permitted=[other]))
    record(partner.produce())
    assert states(narrow) == []
    record(partner.produce(other))
    assert len(states(narrow)) == 1


def test_live_and_sandbox_never_hear_each_other(partner):
    anns, bobs = partner.open_account("ann"), partner.open_account("bob")
    live, sandbox = partner.subscribe(), partner.subscribe(partner.test)
    for account in (partner.account, anns, bobs):
        record(partner.produce(account))
    heard = {
        row["subscription_id"]: json.loads(row["body"])["accountId"]
        for row in plain_sql.rows("SELECT * FROM deliveries")
    }
    assert heard == {live["subscriptionId"]: partner.account, sandbox["subscriptionId"]: anns}


def test_a_stranger_hears_nothing(partner):
    stranger = Partner()
    theirs = stranger.subscribe()
    record(partner.produce())
    assert states(theirs) == []


def test_what_happens_while_a_subscription_is_failed_is_recorded_as_skipped(partner):
    subscription = partner.subscribe()
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET status = 'Failed'")
    record(partner.produce())
    assert states(subscription) == [(1, "Skipped")]
    assert claim(NOON) == []


def test_events_are_listed_after_a_number_and_without_event_id(partner):
    production = partner.produce()
    record(production, 3)
    rows, more = events.list_after(production["id"], 1, 1)
    assert more
    assert [events.represent(row) for row in rows] == [
        {
            "eventType": "production.queued",
            "productionId": production["id"],
            "accountId": partner.account,
            "timestamp": "2026-11-21T12:00:00.000Z",
            "sequenceNumber": 2,
            "correlationId": "trace",
            "truncated": False,
            "data": {"status": "Queued", "expiresAt": None},
        }
    ]
    assert events.list_after(production["id"], 2, 1)[1] is False


def test_a_commit_wakes_the_driver(partner):
    alarm = wake.Alarm()
    record(partner.produce())
    assert alarm.wait(0)
    alarm.close()
