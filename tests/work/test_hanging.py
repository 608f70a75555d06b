"""A real endpoint that accepts and never answers, real threads, the real engine; only the waits are
shorter, to a tenth.

How late a retry may be is said in tests/work/test_requests_in_flight.py, by a clock that is told.
"""

import functools
import math

import pytest

from svc.adapters.http import Sender
from svc.domain import retry_schedule
from svc.domain.webhooks import endpoint_health
from svc.work import engine
from tests.bench import hanging
from tests.support import plain_sql
from tests.work.test_recovery import until

PACE = 10
TIMEOUT = 15 / PACE  # seconds
PER_MINUTE = 240


OF_OTHERS = """
    SELECT 1 FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
    WHERE s.endpoint_url NOT LIKE '%/silent' AND d.status = 'Pending'
"""


def all_has_come() -> None:
    sql = "SELECT 1 FROM alerts WHERE name = 'WebhookEndpointUnreachable'"
    until(
        lambda: plain_sql.row(sql) and not plain_sql.row(OF_OTHERS),
        "the suspension, and the deliveries of the others",
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_retries_at_an_endpoint_that_never_answers_are_sent_when_they_are_due(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(
        retry_schedule,
        "DELIVERY_RETRIES",
        {
            failures: retry_schedule.DeliveryRetry(counted_from, delay // PACE)
            for failures, (counted_from, delay) in retry_schedule.DELIVERY_RETRIES.items()
        },
    )
    monkeypatch.setattr(engine, "Sender", functools.partial(Sender, seconds=TIMEOUT))
    found = hanging.run(tmp_path / "data", PER_MINUTE, TIMEOUT, beyond=3, wait=all_has_come)
    assert min(sum(found.late.values(), [])) >= 0
    assert (
        min(len(found.late[number]) for number in (2, 3, 4))
        >= endpoint_health.FAILURES_TO_SUSPENSION
    )
    assert found.suspended >= 0 and found.warned >= 0
    assert found.took and math.inf not in found.took
