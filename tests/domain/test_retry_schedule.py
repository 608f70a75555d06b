"""The times at which what failed is tried again, in words: in the API's document and in docs/."""

import re

from num2words import num2words

from svc.base.clock import MINUTE, SECOND
from svc.domain import retry_schedule
from svc.domain.retry_schedule import DeliveryRetry
from tests.support.documents import read

FAILURES = {"first_failed_at": ("first", "F1"), "second_failed_at": ("second", "F2")}
FIRST, *LATER = retry_schedule.DELIVERY_RETRIES.values()


def page(name: str) -> str:
    return re.sub(r"\s+", " ", read(f"docs/{name}"))


def spell(delay: int) -> str:
    minutes = delay // MINUTE
    return f"{num2words(minutes)} minute" + ("" if minutes == 1 else "s")


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


def test_the_documents_name_the_retry_times_of_deliveries():
    assert FIRST.delay == 0
    second, third = (
        f"{spell(each.delay)} after the {FAILURES[each.counts_from][0]}" for each in LATER
    )
    assert f"retried at once, {second} failure, and {third}." in page("webhooks.md")
    for number, each in enumerate(LATER, 2):
        named = f"retry {number} at {FAILURES[each.counts_from][1]} + {each.delay // 1000} s"
        assert named in page("decisions.md")
        minutes = f"{each.delay // MINUTE} minute" + "s" * (each.delay > MINUTE)
        timing = f"{minutes} after the {FAILURES[each.counts_from][0]} failure"
        assert timing in page("specification.md")


def test_the_documents_name_the_retry_times_of_steps_and_of_places():
    first, *later = (delay // 1000 for delay in retry_schedule.STEP_DELAYS)
    second, third = (f"{each // 60} minutes" for each in later)
    assert f"tried again after {first} seconds, {second} and {third};" in page("media.md")
    first, *later = (delay // 1000 for delay in retry_schedule.PLACE_DELAYS)
    *minutes, last = (str(each // 60) for each in later)
    named = f"tried again after {first} seconds, {', '.join(minutes)} and {last} minutes"
    assert named in page("platforms.md")
