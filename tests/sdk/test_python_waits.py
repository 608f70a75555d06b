"""Waiting by the Python SDK: for batches, with the reason of a hold,
and until the caller asks to stop.
"""

import httpx
import pytest
from partner_production import CallCancelled, ConnectionFailed, WaitTimedOut

from tests.support.sdk_service import Service, ok

HALVES = ("_async", "_sync")


class Story:
    """A production whose states follow each other, one with each request for events."""

    def __init__(self, *states: dict, feed=None):
        self.states, self.shown, self.feed = states, 0, feed

    def __call__(self, request: httpx.Request) -> httpx.Response | Exception:
        path, query = request.url.path, request.url.params
        events = [{"sequenceNumber": n + 1, "productionId": "p1"} for n in range(self.shown + 1)]
        if path.endswith("/v1/events"):
            if query.get("cursor") != "latest":
                if self.feed is not None:
                    return self.feed
                self.shown = min(self.shown + 1, len(self.states) - 1)
                events = [{"sequenceNumber": self.shown + 1, "productionId": "p1"}]
            return ok({"data": events, "nextCursor": "1", "pollAfterSeconds": 0})
        if path.endswith("/events"):
            return ok(
                {
                    "data": [
                        each
                        for each in events
                        if each["sequenceNumber"] > int(query["afterSequence"])
                    ]
                }
            )
        return ok({"productionId": "p1", "holdReason": None, **self.states[self.shown]})


def held(reason: str) -> dict:
    return {"status": "Producing", "holdReason": reason}


def test_a_wait_says_why_a_production_waits(ask):
    told, story = (
        [],
        Story(
            held("Translation"),
            held("Translation"),
            {"status": "Producing"},
            held("ScriptReview"),
            {"status": "AwaitingApproval"},
            {"status": "Published"},
        ),
    )

    def on_hold(production):
        told.append(production["holdReason"] or production["status"])

    ask(
        Service(story),
        lambda client: client.productions.wait_until_published("p1", on_hold=on_hold),
    )
    assert told == ["Translation", "ScriptReview", "AwaitingApproval"]
    with pytest.raises(WaitTimedOut) as raised:
        ask(
            Service(Story(held("ScriptReview"))),
            lambda client: client.productions.wait_until_published("p1", timeout=0),
        )
    assert str(raised.value) == (
        "production p1 is Producing (ScriptReview: its script waits for approval) after 0 seconds"
    )
    assert raised.value.production["holdReason"] == "ScriptReview"


def test_whatever_ends_a_wait_carries_the_production(ask):
    story = Story({"status": "Producing"}, feed=httpx.ReadTimeout("slow"))
    with pytest.raises(ConnectionFailed) as raised:
        ask(Service(story), lambda client: client.productions.wait_until_published("p1"))
    assert raised.value.production["status"] == "Producing"


def test_a_wait_ends_when_the_caller_asks_to_stop(ask):
    cancel = ask.event()
    story = Story({"status": "Queued"}, {"status": "Producing"}, {"status": "Producing"})
    told = []

    def on_event(event):
        told.append(event["sequenceNumber"])
        if len(told) == 2:
            cancel.set()

    service = Service(story)
    with pytest.raises(CallCancelled) as raised:
        ask(
            service,
            lambda client: client.productions.wait_until_published(
                "p1", on_event=on_event, cancel=cancel
            ),
        )
    assert (told, raised.value.production["status"]) == ([1, 2], "Queued")


class BatchStory:
    """A batch of two whose productions end one after the other,
    while the feed tells of these and of others.
    """

    def __init__(self, recorded_after: int = 0):
        """``recorded_after``: how often it is read with all productions ended before it is
        ``Finished``.
        """
        self.feed = ["production.step.complete", "production.published", "", "production.failed"]
        self.gets, self.waits, self.ended, self.recorded_after = 0, [], 0, recorded_after

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/v1/events"):
            if request.url.params.get("cursor") == "latest":
                return ok({"data": [], "nextCursor": "1", "pollAfterSeconds": 0})
            self.waits.append(int(request.url.params["waitSeconds"]))
            kind = self.feed.pop(0) if self.feed else ""
            self.ended += kind in ("production.published", "production.failed")
            data = [{"eventType": kind, "sequenceNumber": 1, "productionId": "p1"}] if kind else []
            return ok({"data": data, "nextCursor": "2", "pollAfterSeconds": 0})
        self.gets += 1
        counts = {
            "published": min(self.ended, 1),
            "failed": max(0, self.ended - 1),
            "producing": 2 - self.ended,
        }
        finished = self.ended == 2 and self.recorded_after == 0
        self.recorded_after -= self.ended == 2
        return ok({"batchId": "b1", "status": "Finished" if finished else "Open", "counts": counts})

    def monotonic(self) -> float:
        return float(sum(self.waits))


def test_a_batch_is_waited_for_until_its_productions_have_ended(ask):
    told, story = [], BatchStory()
    ended = ask(
        Service(story),
        lambda client: client.batches.wait(
            "b1", on_change=lambda each: told.append(each["counts"])
        ),
    )
    assert (ended["status"], ended["counts"]["failed"]) == ("Finished", 1)
    assert [each["producing"] for each in told] == [2, 1, 0]
    assert story.gets == 4  # at first, at each end, and once when nothing came; not for a step


def test_the_end_of_a_batch_of_which_no_event_tells_is_asked_for_soon(ask):
    story = BatchStory(recorded_after=2)
    assert ask(Service(story), lambda client: client.batches.wait("b1"))["status"] == "Finished"
    assert story.waits == [30, 30, 30, 30, 5, 5]


def test_waiting_for_a_batch_ends_when_the_time_is_over(ask, monkeypatch):
    story = BatchStory()
    story.feed = []
    for module in (f"{half}.{name}" for half in HALVES for name in ("feed", "briefing")):
        monkeypatch.setattr(f"partner_production.{module}.time", story)
    with pytest.raises(
        WaitTimedOut, match="batch b1 is Open \\(2 producing\\) after 75 seconds"
    ) as raised:
        ask(Service(story), lambda client: client.batches.wait("b1", timeout=75))
    assert (story.waits, raised.value.batch["batchId"]) == ([30, 30, 15], "b1")
