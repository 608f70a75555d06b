"""The feed of all events that the key may see."""

import time
from collections.abc import AsyncIterator

from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call
from partner_production.models import Event, EventFeed
from partner_production.waits import async_sleep

LONGEST_WAIT = 30  # seconds that the service holds a request


class Events:
    """The events of every production that the key may see, in one order."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def page(
        self, cursor: str | None = None, *, since: str | None = None, wait_seconds: int = 0, limit: int = 100
    ) -> EventFeed:
        """Return the events after ``cursor``; keep its ``nextCursor``, from which the next call goes on.

        Args:
            cursor: ``nextCursor`` of an earlier page, or ``latest``; by default the oldest event.
            since: Without a cursor: events from this moment on, in ISO 8601.
            wait_seconds: How long to wait for an event if there is none, at most 30.
        """
        query = {"cursor": cursor, "from": since, "waitSeconds": wait_seconds, "limit": limit}
        return await self._transport.send(Call("GET", "/v1/events", query, waits=wait_seconds), EventFeed)

    async def latest(self) -> str:
        """Return the cursor after the newest event."""
        return (await self.page("latest", limit=1))["nextCursor"]

    async def follow(self, cursor: str | None = None, *, since: str | None = None) -> AsyncIterator[Event]:
        """Yield events as they happen, without end. A program that must miss none keeps the cursors of ``page`` instead."""
        while True:
            feed = await self.page(cursor, since=None if cursor else since, wait_seconds=LONGEST_WAIT)
            for event in feed["data"]:
                yield event
            cursor = feed["nextCursor"]
            await _pause(feed, None)


async def next_of(events: Events, production_id: str, cursor: str, until: float | None) -> tuple[str, int]:
    """Wait for events, and return the next cursor with the number of the last one of a production; 0: none came.

    ``until``: when to stop waiting, of ``time.monotonic()``.
    """
    seconds = LONGEST_WAIT if until is None else max(0, min(LONGEST_WAIT, round(until - time.monotonic())))
    feed = await events.page(cursor, wait_seconds=seconds)
    numbers = [event["sequenceNumber"] for event in feed["data"] if event["productionId"] == production_id]
    if not numbers:
        await _pause(feed, until)
    return feed["nextCursor"], numbers[-1] if numbers else 0


async def _pause(feed: EventFeed, until: float | None) -> None:
    """Wait as long as the service asks, where it did not hold the request."""
    left = feed["pollAfterSeconds"] if until is None else min(feed["pollAfterSeconds"], max(0, until - time.monotonic()))
    if left:
        await async_sleep(left)
