"""The feed of all events that the key may see."""

import time
from collections.abc import AsyncIterator
from typing import Unpack

from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call
from partner_production.models import Event, EventFeed
from partner_production.options import AsyncCancel, AsyncRequestOptions
from partner_production.waits import async_longest_hold, async_sleep


class Events:
    """The events of every production that the key may see, in one order."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def page(
        self,
        cursor: str | None = None,
        *,
        since: str | None = None,
        wait_seconds: int = 0,
        limit: int = 100,
        **options: Unpack[AsyncRequestOptions],
    ) -> EventFeed:
        """Return the events after ``cursor``; keep its ``nextCursor``, from which the next call
        goes on.

        Args:
            cursor: ``nextCursor`` of an earlier page, or ``latest``; by default the oldest event.
            since: Without a cursor: events from this moment on, in ISO 8601.
            wait_seconds: How long to wait for an event if there is none, at most 30.
        """
        query = {"cursor": cursor, "from": since, "waitSeconds": wait_seconds, "limit": limit}
        return await self._transport.send(
            Call("GET", "/v1/events", query, waits=wait_seconds, **options), EventFeed
        )

    async def latest(self, **options: Unpack[AsyncRequestOptions]) -> str:
        """Return the cursor after the newest event."""
        return (await self.page("latest", limit=1, **options))["nextCursor"]

    async def follow(
        self,
        cursor: str | None = None,
        *,
        since: str | None = None,
        **options: Unpack[AsyncRequestOptions],
    ) -> AsyncIterator[Event]:
        """Yield events as they happen, without end.

        A program that must miss none keeps the cursors of ``page`` instead.
        """
        cancel = options.get("cancel")
        while True:
            seconds = async_longest_hold(cancel)
            feed = await self.page(
                cursor, since=None if cursor else since, wait_seconds=seconds, **options
            )
            for event in feed["data"]:
                yield event
            cursor = feed["nextCursor"]
            await rest(feed, None, cancel)


async def held(
    events: Events, cursor: str, until: float | None, cancel: AsyncCancel | None
) -> EventFeed:
    """Wait for events, and return those that came; none may have come.

    ``until``: when to stop waiting, of ``time.monotonic()``.
    """
    longest = async_longest_hold(cancel)
    seconds = longest if until is None else max(0, min(longest, round(until - time.monotonic())))
    options = AsyncRequestOptions() if cancel is None else AsyncRequestOptions(cancel=cancel)
    return await events.page(cursor, wait_seconds=seconds, **options)


async def next_of(
    events: Events, production_id: str, cursor: str, until: float | None, cancel: AsyncCancel | None
) -> tuple[str, int]:
    """Wait for events, and return the next cursor with the number of the last one of a production;
    0: none came.
    """
    feed = await held(events, cursor, until, cancel)
    numbers = [
        event["sequenceNumber"]
        for event in feed["data"]
        if event.get("productionId") == production_id
    ]
    if not numbers:
        await rest(feed, until, cancel)
    return feed["nextCursor"], numbers[-1] if numbers else 0


async def rest(feed: EventFeed, until: float | None, cancel: AsyncCancel | None) -> None:
    """Wait as long as the service asks, where it did not hold the request."""
    asked = max(0, feed["pollAfterSeconds"])
    left = asked if until is None else min(asked, max(0, until - time.monotonic()))
    if left:
        await async_sleep(left, cancel)
