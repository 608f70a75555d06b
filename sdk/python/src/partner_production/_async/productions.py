"""Productions: trigger them, follow them, wait for them."""

import base64
import time
from collections.abc import AsyncIterator, Sequence

from partner_production import errors
from partner_production._async.feed import Events, next_of
from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call, once, path
from partner_production.models import (
    Brief,
    Estimate,
    Event,
    NewTranslation,
    Performance,
    Production,
    ProductionDeliveries,
    ProductionWithSteps,
    ScenePreview,
    Script,
    ScriptChange,
    Translation,
)
from partner_production.waits import AsyncOnEvent, async_sleep, async_tell

FINAL = ("Published", "Failed", "Cancelled")
_PLACE_SECONDS = 5.0  # between tries to get a place among the concurrent productions


class Productions:
    """The productions of the accounts that the key may use."""

    def __init__(self, transport: AsyncTransport, events: Events):
        self._transport, self._events = transport, events

    async def trigger(
        self, account_id: str, brief: Brief, *, idempotency_key: str | None = None, wait_for_place: float = 0
    ) -> Production:
        """Trigger a production, once, however often the request must be sent.

        Args:
            idempotency_key: One for each intention, such as an order number; by default a fresh one. With the same key
                the first answer comes again for 24 hours.
            wait_for_place: How many seconds to wait until a production has finished where too many run already.
        """
        call = Call(
            "POST", path("/v1/accounts/{id}/productions", id=account_id), body=brief, idempotency_key=once(idempotency_key)
        )
        until = time.monotonic() + wait_for_place
        while True:
            try:
                return await self._transport.send(call, Production)
            except errors.Conflict as refused:
                if refused.code != "CONCURRENCY_LIMIT_REACHED" or time.monotonic() >= until:
                    raise
            await async_sleep(min(_PLACE_SECONDS, max(until - time.monotonic(), 0)))

    async def estimate(self, account_id: str, brief: Brief) -> Estimate:
        """Return cost, duration and warnings of a brief, and every gate that would refuse it now, without triggering it."""
        address = path("/v1/accounts/{id}/productions/estimate", id=account_id)
        return await self._transport.send(Call("POST", address, body=brief, is_reading=True), Estimate)

    async def get(self, production_id: str) -> ProductionWithSteps:
        """Return a production as it is now."""
        return await self._transport.send(Call("GET", path("/v1/productions/{id}", id=production_id)), ProductionWithSteps)

    def list(
        self,
        account_id: str,
        *,
        status: Sequence[str] = (),
        since: str | None = None,
        until: str | None = None,
        external_id: str | None = None,
        group_id: str | None = None,
        words: str | None = None,
    ) -> AsyncIterator[Production]:
        """Yield the productions of an account, newest first.

        Args:
            status: Only those in these states.
            since: Only those that were triggered at or after this time, in ISO 8601.
            until: … at or before this time.
            external_id: Only those with this reference of yours.
            group_id: Only those that are the same in several languages.
            words: Only those whose title has words that begin with these.
        """
        query = {
            "status": list(status) or None, "from": since, "to": until, "externalId": external_id, "groupId": group_id,
            "q": words,
        }  # fmt: skip
        return self._transport.entries(Call("GET", path("/v1/accounts/{id}/productions", id=account_id), query), Production)

    async def script(self, production_id: str) -> Script:
        """Return the latest version of the script of a production that was triggered with ``"review": "script"``."""
        return await self._transport.send(Call("GET", path("/v1/productions/{id}/script", id=production_id)), Script)

    async def change_script(self, production_id: str, change: ScriptChange) -> Script:
        """Change a script that is under review: all scenes in their order. Conflict: another version is the latest."""
        return await self._transport.send(
            Call("PUT", path("/v1/productions/{id}/script", id=production_id), body=change), Script
        )

    async def preview_scene(self, production_id: str, scene_id: int) -> bytes:
        """Return a small MP4 video of a scene that is under review, with its narration. It takes some seconds."""
        address = path("/v1/productions/{id}/script/preview", id=production_id)
        call = Call("POST", address, body={"sceneId": scene_id}, is_reading=True)
        made = await self._transport.send(call, ScenePreview)
        return base64.b64decode(made["content"])

    async def approve_script(self, production_id: str, version: int | None = None) -> Production:
        """Let a production go on with its script. ``version``: the one that was read; None: the latest."""
        address = path("/v1/productions/{id}/script/approve", id=production_id)
        return await self._transport.send(Call("POST", address, body={"version": version}, is_reading=True), Production)

    async def reject_script(self, production_id: str, version: int | None = None, reason: str | None = None) -> Production:
        """End a production whose script is under review: it fails, and is not made. ``version``: as for approve_script."""
        address = path("/v1/productions/{id}/script/reject", id=production_id)
        body = {"version": version, "reason": reason}
        return await self._transport.send(Call("POST", address, body=body, is_reading=True), Production)

    async def reopen_script(self, production_id: str) -> Production:
        """Let the script of a finished production be reviewed again before its release, to correct it."""
        address = path("/v1/productions/{id}/script/reopen", id=production_id)
        return await self._transport.send(Call("POST", address, is_reading=True), Production)

    async def translation(self, production_id: str) -> Translation:
        """Return what people are to translate of a brief that was triggered with ``languageIds``, also as XLIFF."""
        return await self._transport.send(Call("GET", path("/v1/productions/{id}/translation", id=production_id)), Translation)

    async def translate(self, production_id: str, received: NewTranslation) -> Translation:
        """Send the translation of a brief, as segments or as XLIFF. Its production begins."""
        return await self._transport.send(
            Call("PUT", path("/v1/productions/{id}/translation", id=production_id), body=received), Translation
        )

    async def cancel(self, production_id: str) -> Production:
        """Cancel a production. Its status may be another one for a few seconds, while its work is being stopped."""
        return await self._transport.send(Call("DELETE", path("/v1/productions/{id}", id=production_id)), Production)

    def events(self, production_id: str, *, after_sequence: int = 0) -> AsyncIterator[Event]:
        """Yield the events of a production, oldest first."""
        query = {"afterSequence": after_sequence}
        return self._transport.entries(Call("GET", path("/v1/productions/{id}/events", id=production_id), query), Event)

    def deliveries(self, production_id: str) -> AsyncIterator[ProductionDeliveries]:
        """Yield, for each webhook, which of a production's events arrived and which did not."""
        return self._transport.entries(
            Call("GET", path("/v1/productions/{id}/deliveries", id=production_id)), ProductionDeliveries
        )

    async def performance(self, production_id: str) -> Performance:
        """Return the views of a published production."""
        return await self._transport.send(Call("GET", path("/v1/productions/{id}/performance", id=production_id)), Performance)

    async def wait_until_published(
        self, production_id: str, *, on_event: AsyncOnEvent | None = None, timeout: float | None = None
    ) -> ProductionWithSteps:
        """Wait until a production is published, and return it.

        It follows the service's event feed: a request waits there until something happens, so that this costs two requests a
        minute and is as fast as a webhook.

        Args:
            on_event: Called with each event of the production, from its first one on, once and in their order.
            timeout: Seconds; by default as long as it takes. A production of a live account may wait days for its release.

        Raises:
            ProductionFailed: It failed.
            ProductionCancelled: It was cancelled.
            WaitTimedOut: The time is over; the production goes on.
        """
        until = None if timeout is None else time.monotonic() + timeout
        cursor = await self._events.latest()
        production = await self.get(production_id)
        last = await self._tell_from(production_id, 0, on_event)
        while production["status"] not in FINAL:
            if until is not None and time.monotonic() >= until:
                raise errors.WaitTimedOut(f"production {production_id} is {production['status']} after {timeout} seconds")
            cursor, newest = await next_of(self._events, production_id, cursor, until)
            if newest and newest != last:  # a later one may have a lower number: see sequenceNumber
                last = await self._tell_from(production_id, last, on_event)
                production = await self.get(production_id)
        await self._tell_from(production_id, last, on_event)
        if production["status"] == "Published":
            return production
        raise (
            errors.ProductionFailed(production) if production["status"] == "Failed" else errors.ProductionCancelled(production)
        )

    async def _tell_from(self, production_id: str, last: int, on_event: AsyncOnEvent | None) -> int:
        """Call back with every event after ``last``, and return the number of the newest."""
        async for event in self.events(production_id, after_sequence=last):
            last = event["sequenceNumber"]
            await async_tell(on_event, event)
        return last
