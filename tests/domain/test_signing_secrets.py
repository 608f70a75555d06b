"""Signing secrets are rolled: the new one signs at once, older ones besides until their end,
and the record stays true.
"""

import json

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, RING, Partner, answer, claim, exhaust, record

from svc.base import clock, errors
from svc.base.clock import HOUR, MINUTE
from svc.base.crypto.signing import KeyRing
from svc.cli.demo import receiver
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import deliveries, signing_secrets, subscriptions

partner, subscription = outbox_fixtures.partner, outbox_fixtures.subscription


def roll(partner, subscription, hours=24, now=NOON, ring=RING) -> str:
    return signing_secrets.roll(partner.live, subscription["subscriptionId"], hours, now, ring)[
        "signingSecret"
    ]


def sent(now: int, ring=RING) -> tuple[bytes, dict]:
    """The one delivery that is due, as it would be sent now."""
    [claimed] = claim(now)
    headers = delivery_attempts.make_request_headers(ring, claimed, now)
    answer([claimed], now)
    return claimed.body, headers


def signers(secrets: dict[str, str], body: bytes, headers: dict) -> tuple[list[str], list[str]]:
    """The names of the secrets whose signatures are in the header of the specification,
    and in the one beside it.
    """
    older = headers.get("X-SERVICE-Signature-Previous", "").split()
    assert len(headers["webhook-signature"].split()) == 1 + len(older)
    return tuple(
        [
            name
            for each in values
            for name, secret in secrets.items()
            if receiver.is_signed(secret, body, each)
        ]
        for values in ([headers["X-SERVICE-Signature"]], older)
    )


def test_a_rolled_secret_signs_at_once_and_the_old_one_besides_until_its_end(partner, subscription):
    secrets = {"old": subscription["signingSecret"], "new": roll(partner, subscription, 2)}
    assert secrets["old"] != secrets["new"]
    for now, expected in ((NOON, ["old"]), (NOON + 2 * HOUR - 1, ["old"]), (NOON + 2 * HOUR, [])):
        record(partner.produce(), now=now)
        assert signers(secrets, *sent(now)) == (["new"], expected)


def test_an_overlap_of_nothing_ends_every_older_secret_at_once(partner, subscription):
    roll(partner, subscription)
    secrets = {"new": roll(partner, subscription, 0)}
    record(partner.produce())
    body, headers = sent(NOON)
    assert signers(secrets, body, headers) == (["new"], [])
    assert "X-SERVICE-Signature-Previous" not in headers


def test_rolled_twice_within_the_overlap_each_older_secret_keeps_its_own_end(partner, subscription):
    secrets = {"first": subscription["signingSecret"], "second": roll(partner, subscription, 2)}
    secrets["third"] = roll(partner, subscription, 1, NOON + MINUTE)
    for now, expected in (
        (NOON + MINUTE, ["second", "first"]),
        (NOON + HOUR + MINUTE, ["first"]),
        (NOON + 2 * HOUR, []),
    ):
        record(partner.produce(), now=now)
        assert signers(secrets, *sent(now)) == (["third"], expected)


def test_of_more_than_four_older_secrets_the_oldest_end(partner, subscription):
    secrets = {"0": subscription["signingSecret"]}
    for number in range(1, 7):
        secrets[str(number)] = roll(partner, subscription)
    record(partner.produce())
    assert signers(secrets, *sent(NOON)) == (["6"], ["5", "4", "3", "2"])


def test_a_retry_is_signed_by_what_is_valid_when_it_is_sent(partner, subscription):
    record(partner.produce())
    answer(claim(NOON), NOON, 500)
    secrets = {"old": subscription["signingSecret"], "new": roll(partner, subscription, 1)}
    answer(claim(NOON), NOON, 500)
    assert signers(secrets, *sent(NOON + MINUTE)) == (["new"], ["old"])
    [delivery] = plain_sql.rows("SELECT id FROM deliveries")
    deliveries.redeliver(
        partner.live, subscription["subscriptionId"], delivery["id"], NOON + 2 * HOUR
    )
    assert signers(secrets, *sent(NOON + 2 * HOUR)) == (["new"], [])
    deliveries.replay(partner.live, subscription["subscriptionId"], NOON, None, NOON + 3 * HOUR)
    assert signers(secrets, *sent(NOON + 3 * HOUR)) == (["new"], [])


def test_what_is_shown_of_an_attempt_is_what_signed_it_then(partner, subscription):
    record(partner.produce())
    secrets, shown = {"0": subscription["signingSecret"]}, []
    for number, at in ((1, NOON), (2, NOON + 2), (3, NOON + MINUTE)):
        [claimed] = claim(at)
        shown.append(delivery_attempts.make_request_headers(RING, claimed, at))
        answer([claimed], at, 500)
        secrets[str(number)] = roll(partner, subscription, number % 3, at + 1)
    delivery = plain_sql.row("SELECT * FROM deliveries")
    assert [
        each["request"]["headers"]
        for each in delivery_attempts.list_attempts_with_requests(RING, delivery)
    ] == shown


def test_a_new_master_key_makes_the_new_secret_and_the_old_one_keeps_its_own(partner, subscription):
    rotated = KeyRing({1: b"m" * 32, 2: b"n" * 32})
    secrets = {
        "old": subscription["signingSecret"],
        "new": roll(partner, subscription, ring=rotated),
    }
    record(partner.produce())
    assert signers(secrets, *sent(NOON, rotated)) == (["new"], ["old"])
    assert subscriptions.count_by_secret_version() == {2: 1}
    record(partner.produce())
    # with the master key the old secret is gone, and the new one signs on
    retired = KeyRing({2: b"n" * 32})
    assert signers(secrets, *sent(NOON, retired)) == (["new"], [])
    delivery = plain_sql.row("SELECT * FROM deliveries ORDER BY id LIMIT 1")
    [attempt] = delivery_attempts.list_attempts_with_requests(retired, delivery)
    assert "X-SERVICE-Signature" in attempt["request"]["headers"]


def test_what_a_retired_master_key_signed_is_shown_without_signatures(partner, subscription):
    record(partner.produce())
    sent(NOON)
    roll(partner, subscription, now=NOON + 1, ring=KeyRing({1: b"m" * 32, 2: b"n" * 32}))
    [attempt] = delivery_attempts.list_attempts_with_requests(
        KeyRing({2: b"n" * 32}), plain_sql.row("SELECT * FROM deliveries")
    )
    assert set(attempt["request"]["headers"]) == {
        "Content-Type",
        "User-Agent",
        "webhook-id",
        "webhook-timestamp",
    }


def test_what_was_queued_for_a_deleted_subscription_is_signed_as_it_was_rolled(
    partner, subscription
):
    record(partner.produce())
    secrets = {"old": subscription["signingSecret"], "new": roll(partner, subscription)}
    subscriptions.delete(partner.live, subscription["subscriptionId"], NOON)
    assert signers(secrets, *sent(NOON)) == (["new"], ["old"])
    with pytest.raises(errors.NotFound):
        roll(partner, subscription)


def test_a_suspended_subscription_can_be_rolled_and_is_signed_anew_after_its_reinstatement(
    partner, subscription
):
    for _ in range(11):
        record(partner.produce())
    exhaust(NOON)
    secrets = {"new": roll(partner, subscription, 0)}
    assert (
        subscriptions.reinstate(partner.live, subscription["subscriptionId"], NOON + HOUR)["status"]
        == "Active"
    )
    record(partner.produce(), now=NOON + HOUR)
    for each in claim(NOON + HOUR):
        assert signers(
            secrets, each.body, delivery_attempts.make_request_headers(RING, each, NOON + HOUR)
        ) == (["new"], [])


@pytest.mark.parametrize("hours", [-1, 169, 10**9])
def test_an_overlap_out_of_bounds_is_refused_and_nothing_is_rolled(partner, subscription, hours):
    with pytest.raises(errors.InvalidRequest):
        roll(partner, subscription, hours)
    assert plain_sql.row("SELECT secret_generation FROM subscriptions")[0] == 0


def test_strangers_roll_nothing(partner, subscription):
    for caller in (Partner().live, partner.test):
        with pytest.raises(errors.NotFound):
            signing_secrets.roll(caller, subscription["subscriptionId"], 24, NOON, RING)


def test_no_rolled_secret_is_in_the_database(partner, subscription):
    secret = roll(partner, subscription)
    stored = json.dumps([dict(row) for row in plain_sql.rows("SELECT * FROM rolled_secrets")])
    stored += json.dumps([dict(row) for row in plain_sql.rows("SELECT * FROM subscriptions")])
    assert secret not in stored and subscription["signingSecret"] not in stored


def test_the_secret_that_is_shown_is_the_one_that_libraries_take(partner, subscription):
    rolled = signing_secrets.roll(partner.live, subscription["subscriptionId"], 24, NOON, RING)
    for each in (subscription, rolled):
        raw = each["standardWebhooksSecret"].removeprefix("whsec_")
        assert (
            len(raw) == 44
            and raw.rstrip("=").translate(str.maketrans("+/", "-_")) == each["signingSecret"]
        )
    assert rolled["previousSecretEndsAt"] == clock.format_time(NOON + 24 * HOUR)
