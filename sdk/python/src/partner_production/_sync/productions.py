"""Productions: trigger them, follow them, wait for them."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

import base64
import binascii
import logging
import time
from collections.abc import Iterator, Sequence
from typing import Unpack

from partner_production import errors
from partner_production._sync.feed import Events, next_of
from partner_production._sync.transport import Transport
from partner_production.calls import Call, path
from partner_production.models import (
    Brief,
    Estimate,
    Event,
    NewTranslation,
    Performance,
    Production,
    ProductionDeliveries,
    ProductionStatus,
    ProductionWithSteps,
    ScenePreview,
    Script,
    ScriptChange,
    Translation,
)
from partner_production.options import Cancel, PostOptions, RequestOptions
from partner_production.waits import OnEvent, OnHold, sleep, tell

FINAL = ("Published", "Failed", "Cancelled")
_PLACE_SECONDS = 5.0  # between tries to get a place among the concurrent productions
_log = logging.getLogger("partner_production")


class Productions:
    """The productions of the accounts that the key may use."""

    def __init__(self, transport: Transport, events: Events):
        self._transport, self._events = transport, events

    def trigger(
        self,
        account_id: str,
        brief: Brief,
        *,
        idempotency_key: str | None = None,
        wait_for_place: float = 0,
        **options: Unpack[RequestOptions],
    ) -> Production:
        """Trigger a production, once, however often the request must be sent.

        Args:
            idempotency_key: One for each intention, such as an order number; by default a fresh
                one. With the same key the first answer comes again for 24 hours.
            wait_for_place: How many seconds to wait until a production has finished where too many
                run already.
        """
        call = Call(
            "POST",
            path("/v1/accounts/{id}/productions", id=account_id),
            body=brief,
            idempotency_key=idempotency_key,
            **options,
        )
        until = time.monotonic() + wait_for_place
        while True:
            try:
                return self._transport.send(call, Production)
            except errors.Conflict as refused:
                if refused.code != "CONCURRENCY_LIMIT_REACHED" or time.monotonic() >= until:
                    raise
            sleep(min(_PLACE_SECONDS, max(until - time.monotonic(), 0)), call.cancel)

    def estimate(
        self, account_id: str, brief: Brief, **options: Unpack[PostOptions]
    ) -> Estimate:
        """Return cost, duration and warnings of a brief, and every gate that would refuse it now,
        without triggering it.
        """
        address = path("/v1/accounts/{id}/productions/estimate", id=account_id)
        return self._transport.send(Call("POST", address, body=brief, **options), Estimate)

    def get(
        self, production_id: str, **options: Unpack[RequestOptions]
    ) -> ProductionWithSteps:
        """Return a production as it is now."""
        return self._transport.send(
            Call("GET", path("/v1/productions/{id}", id=production_id), **options),
            ProductionWithSteps,
        )

    def list(
        self,
        account_id: str,
        *,
        status: Sequence[ProductionStatus] = (),
        since: str | None = None,
        until: str | None = None,
        external_id: str | None = None,
        group_id: str | None = None,
        words: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Iterator[Production]:
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
            "status": list(status) or None,
            "from": since,
            "to": until,
            "externalId": external_id,
            "groupId": group_id,
            "q": words,
        }
        return self._transport.entries(
            Call("GET", path("/v1/accounts/{id}/productions", id=account_id), query, **options),
            Production,
        )

    def script(self, production_id: str, **options: Unpack[RequestOptions]) -> Script:
        """Return the latest version of the script of a production that was
        triggered with ``"review": "script"``.
        """
        return self._transport.send(
            Call("GET", path("/v1/productions/{id}/script", id=production_id), **options), Script
        )

    def change_script(
        self, production_id: str, change: ScriptChange, **options: Unpack[RequestOptions]
    ) -> Script:
        """Change a script that is under review: all scenes in their order.

        Conflict: another version is the latest.
        """
        return self._transport.send(
            Call(
                "PUT", path("/v1/productions/{id}/script", id=production_id), body=change, **options
            ),
            Script,
        )

    def preview_scene(
        self, production_id: str, scene_id: int, **options: Unpack[PostOptions]
    ) -> bytes:
        """Return a small MP4 video of a scene that is under review, with its narration.

        It takes some seconds.
        """
        address = path("/v1/productions/{id}/script/preview", id=production_id)
        call = Call("POST", address, body={"sceneId": scene_id}, **options)
        answer = self._transport.respond(call, ScenePreview)
        try:
            return base64.b64decode(answer.body["content"], validate=True)
        except binascii.Error as bad:
            reason = "The content of the answer is no Base64."
            raise errors.InvalidResponse(answer.status, answer.headers, reason) from bad

    def approve_script(
        self, production_id: str, version: int | None = None, **options: Unpack[PostOptions]
    ) -> Production:
        """Let a production go on with its script.

        ``version``: the one that was read; None: the latest.
        """
        address = path("/v1/productions/{id}/script/approve", id=production_id)
        return self._transport.send(
            Call("POST", address, body={"version": version}, **options), Production
        )

    def reject_script(
        self,
        production_id: str,
        version: int | None = None,
        reason: str | None = None,
        **options: Unpack[PostOptions],
    ) -> Production:
        """End a production whose script is under review: it fails, and is not made.

        ``version``: as for approve_script.
        """
        address = path("/v1/productions/{id}/script/reject", id=production_id)
        body = {"version": version, "reason": reason}
        return self._transport.send(Call("POST", address, body=body, **options), Production)

    def reopen_script(
        self, production_id: str, **options: Unpack[PostOptions]
    ) -> Production:
        """Let the script of a finished production be reviewed again before its release,
        to correct it.
        """
        address = path("/v1/productions/{id}/script/reopen", id=production_id)
        return self._transport.send(Call("POST", address, **options), Production)

    def translation(
        self, production_id: str, **options: Unpack[RequestOptions]
    ) -> Translation:
        """Return what people are to translate of a brief that was triggered with ``languageIds``,
        also as XLIFF.
        """
        return self._transport.send(
            Call("GET", path("/v1/productions/{id}/translation", id=production_id), **options),
            Translation,
        )

    def translate(
        self, production_id: str, received: NewTranslation, **options: Unpack[RequestOptions]
    ) -> Translation:
        """Send the translation of a brief, as segments or as XLIFF. Its production begins."""
        return self._transport.send(
            Call(
                "PUT",
                path("/v1/productions/{id}/translation", id=production_id),
                body=received,
                **options,
            ),
            Translation,
        )

    def cancel(
        self, production_id: str, **options: Unpack[RequestOptions]
    ) -> Production:
        """Cancel a production.

        Its status may be another one for a few seconds, while its work is being stopped.
        """
        return self._transport.send(
            Call("DELETE", path("/v1/productions/{id}", id=production_id), **options), Production
        )

    def events(
        self, production_id: str, *, after_sequence: int = 0, **options: Unpack[RequestOptions]
    ) -> Iterator[Event]:
        """Yield the events of a production, oldest first."""
        query = {"afterSequence": after_sequence}
        return self._transport.entries(
            Call("GET", path("/v1/productions/{id}/events", id=production_id), query, **options),
            Event,
        )

    def deliveries(
        self, production_id: str, **options: Unpack[RequestOptions]
    ) -> Iterator[ProductionDeliveries]:
        """Yield, for each webhook, which of a production's events arrived and which did not."""
        return self._transport.entries(
            Call("GET", path("/v1/productions/{id}/deliveries", id=production_id), **options),
            ProductionDeliveries,
        )

    def performance(
        self, production_id: str, **options: Unpack[RequestOptions]
    ) -> Performance:
        """Return the views of a published production."""
        return self._transport.send(
            Call("GET", path("/v1/productions/{id}/performance", id=production_id), **options),
            Performance,
        )

    def wait_until_published(
        self,
        production_id: str,
        *,
        on_event: OnEvent | None = None,
        on_hold: OnHold | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> ProductionWithSteps:
        """Wait until a production is published, and return it.

        It follows the service's event feed: a request waits there until something happens, so that
        this costs two requests a minute and is as fast as a webhook. Errors have the ``production``
        as it was last read.

        Args:
            on_event: Called with each event of the production, from its first one on, once and in
                their order.
            on_hold: Called with the production when it begins to wait for somebody: its
                ``holdReason`` says for what, or its status is ``AwaitingApproval``.
            timeout: Seconds; by default as long as it takes. A production of a live account may
                wait days for its release.
            cancel: An event; once it is set, the waiting ends.

        Raises:
            ProductionFailed: It failed.
            ProductionCancelled: It was cancelled.
            WaitTimedOut: The time is over; the production goes on. The error says why it waits.
            CallCancelled: ``cancel`` was set.
        """
        production: ProductionWithSteps | None = None
        hold = None
        try:
            for production in self._changes(production_id, on_event, timeout, cancel):
                before, hold = hold, errors.hold_of(production)
                if hold is not None and hold != before:
                    _log.info("production %s waits: %s", production_id, hold)
                    tell(on_hold, production)
        except errors.PartnerProductionError as error:
            if error.production is None and production is not None:
                error.production = production
            raise
        # the first change is the production as it is found
        assert production is not None  # noqa: S101
        if production["status"] == "Published":
            return production
        kind = (
            errors.ProductionFailed
            if production["status"] == "Failed"
            else errors.ProductionCancelled
        )
        raise kind(production)

    def _changes(
        self,
        production_id: str,
        on_event: OnEvent | None,
        timeout: float | None,
        cancel: Cancel | None,
    ) -> Iterator[ProductionWithSteps]:
        """Yield a production as it is found, and after each of its events, until it has ended.

        WaitTimedOut.
        """
        until = None if timeout is None else time.monotonic() + timeout
        options = RequestOptions() if cancel is None else RequestOptions(cancel=cancel)
        cursor = self._events.latest(**options)
        production = self.get(production_id, **options)
        last = self._tell_from(production_id, 0, on_event, options)
        yield production
        while production["status"] not in FINAL:
            if until is not None and time.monotonic() >= until:
                raise errors.waited_for_production(production, timeout or 0)
            cursor, newest = next_of(self._events, production_id, cursor, until, cancel)
            if newest and newest != last:  # a later one may have a lower number: see sequenceNumber
                last = self._tell_from(production_id, last, on_event, options)
                production = self.get(production_id, **options)
                yield production
        self._tell_from(production_id, last, on_event, options)

    def _tell_from(
        self,
        production_id: str,
        last: int,
        on_event: OnEvent | None,
        options: RequestOptions,
    ) -> int:
        """Call back with every event after ``last``, and return the number of the newest."""
        for event in self.events(production_id, after_sequence=last, **options):
            last = event["sequenceNumber"]
            tell(on_event, event)
        return last
