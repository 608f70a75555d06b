"""The times at which what failed is tried again, in words."""

from svc.base.clock import MINUTE, SECOND
from svc.domain import retry_schedule
from svc.domain.retry_schedule import DeliveryRetry


def test_the_document_has_the_retry_times_of_the_schedule(app, monkeypatch):
    document = app.test_client().get("/openapi.json").text
    assert f"is retried: {retry_schedule.describe_delivery_retries()}." in document
    delays = (0, 30 * SECOND, MINUTE, 10 * MINUTE)
    retries = {
        number: DeliveryRetry("first_failed_at", delay) for number, delay in enumerate(delays)
    }
    monkeypatch.setattr(retry_schedule, "DELIVERY_RETRIES", retries)
    assert retry_schedule.describe_delivery_retries() == (
        "at once, after 30 seconds, after 1 minute and after 10 minutes"
    )
