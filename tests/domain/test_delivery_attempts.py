"""What is shown of attempts: the answer that was kept, what a ping found out,
and the request as it was.
"""

import pytest
from support import outbox_fixtures, plain_sql
from support.outbox import NOON, RING, claim, record

from svc.base.clock import DAY, HOUR
from svc.base.crypto import signing
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import outbox, subscriptions
from svc.domain.webhooks.outbox import Attempt
from svc.store import claims
from svc.store.database import db

CERTIFICATE = {
    "subject": "hooks.example.com",
    "issuer": "R11",
    "names": ["hooks.example.com"],
    "expires_at": NOON + 9 * DAY,
}

partner, subscription = outbox_fixtures.partner, outbox_fixtures.subscription


def end(**kept) -> dict:
    """End what is due with this answer or these findings; the one attempt as it is shown."""
    [claimed] = claim(NOON)
    outbox.record_outcomes(
        [Attempt(claimed.id, claimed.token, NOON, NOON, None, "an error", 1.0, **kept)]
    )
    [shown] = delivery_attempts.list_attempts(claimed.id)
    return shown


def ping(partner, subscription, **found) -> dict:
    subscriptions.ping(partner.live, subscription["subscriptionId"], NOON)
    return end(findings=found)["findings"]


def test_an_attempt_that_kept_nothing_shows_null(partner, subscription):
    record(partner.produce())
    shown = end()
    assert (shown["answer"], shown["findings"]) == (None, None)


def test_an_answer_is_shown_as_it_was_kept(partner, subscription):
    record(partner.produce())
    answer = {
        "headers": {"Retry-After": "3"},
        "body": "später \N{REPLACEMENT CHARACTER} \N{SNOWMAN}\n</script>",
    }
    assert end(answer=answer)["answer"] == answer


def test_a_ping_that_did_not_come_far_has_nulls(partner, subscription):
    assert ping(partner, subscription) == {
        "addresses": [],
        "tlsVersion": None,
        "certificate": None,
        "resolveMs": None,
        "connectMs": None,
        "tlsMs": None,
        "firstByteMs": None,
    }


@pytest.mark.parametrize(
    ("left", "days"), [(9 * DAY, 9), (DAY - 1, 0), (0, 0), (-1, -1), (-3 * DAY, -3)]
)
def test_the_days_that_a_certificate_has_left_are_whole_and_counted_at_the_ping(
    partner, subscription, left, days
):
    certificate = CERTIFICATE | {"expires_at": NOON + left}
    found = ping(partner, subscription, certificate=certificate, tls_version="TLSv1.3", tls_ms=2.5)
    assert (found["certificate"]["daysLeft"], found["tlsVersion"], found["tlsMs"]) == (
        days,
        "TLSv1.3",
        2.5,
    )


def test_a_request_is_signed_by_the_secret_that_its_subscription_had(partner, subscription):
    ring = signing.KeyRing({1: b"m" * 32, 2: b"n" * 32})
    record(partner.produce())
    end()
    delivery = plain_sql.row("SELECT * FROM deliveries")
    [before], [after] = (
        delivery_attempts.list_attempts_with_requests(RING, delivery),
        delivery_attempts.list_attempts_with_requests(ring, delivery),
    )
    assert before == after
    secret = signing.derive_webhook_secret(RING, subscription["subscriptionId"], 1)
    assert signing.encode_base64url(secret) == subscription["signingSecret"]
    assert before["request"]["headers"]["X-SERVICE-Signature"] == signing.make_service_signature(
        secret, delivery["body"]
    )
    assert before["request"]["headers"]["webhook-timestamp"] == str(NOON // 1000)


def test_of_two_rounds_only_the_attempt_that_was_marked_is_shown_so(partner, subscription):
    record(partner.produce())
    claim(NOON)
    with db.transaction():
        outbox.recover(claims.Driver("another boot"), NOON + HOUR)
    [again] = claim(NOON + HOUR)
    outbox.record_outcomes(
        [Attempt(again.id, again.token, NOON + HOUR, NOON + HOUR, 200, None, 1.0)]
    )
    delivery = plain_sql.row("SELECT * FROM deliveries")
    marked = [
        "X-SERVICE-Possible-Duplicate" in each["request"]["headers"]
        for each in delivery_attempts.list_attempts_with_requests(RING, delivery)
    ]
    assert marked == [False, True]
