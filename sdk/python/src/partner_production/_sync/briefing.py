"""Batches of briefs, and templates of briefs."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

import time
from collections.abc import Iterator, Sequence
from typing import Literal, Unpack

from partner_production import errors
from partner_production._sync.feed import Events, held, rest
from partner_production._sync.transport import Transport
from partner_production.calls import Call, path
from partner_production.models import (
    Batch,
    BatchItem,
    Brief,
    NewTemplate,
    Preview,
    PreviewValues,
    Production,
    Template,
    Values,
)
from partner_production.options import Cancel, PostOptions, RequestOptions
from partner_production.waits import OnBatch, tell

_ENDS = ("production.published", "production.failed", "production.cancelled", "batch.completed")
# Of the counts of a batch: those of what has ended.
_ENDED = ("refused", "published", "failed", "cancelled", "removed")
_SETTLING = 5  # seconds
_TEMPLATE = "/v1/accounts/{account}/templates/{template}"


class Batches:
    """Many briefs in one call; a webhook that names ``batch.completed`` hears when the last
    production has ended.
    """

    def __init__(self, transport: Transport, events: Events):
        self._transport, self._events = transport, events

    def trigger(
        self,
        account_id: str,
        briefs: Sequence[Brief],
        *,
        mode: Literal["each", "atomic"] = "each",
        **options: Unpack[PostOptions],
    ) -> Batch:
        """Trigger up to 1,000 briefs: ``each`` by itself, or ``atomic``, all or none.

        With one key it happens once.
        """
        call = Call(
            "POST",
            path("/v1/accounts/{id}/batches", id=account_id),
            body={"mode": mode, "items": list(briefs)},
            **options,
        )
        return self._transport.send(call, Batch)

    def list(self, account_id: str, **options: Unpack[RequestOptions]) -> Iterator[Batch]:
        """Yield the batches of an account, newest first."""
        return self._transport.entries(
            Call("GET", path("/v1/accounts/{id}/batches", id=account_id), **options), Batch
        )

    def get(self, batch_id: str, **options: Unpack[RequestOptions]) -> Batch:
        """Return a batch with the numbers of its briefs by state."""
        return self._transport.send(
            Call("GET", path("/v1/batches/{id}", id=batch_id), **options), Batch
        )

    def items(
        self, batch_id: str, **options: Unpack[RequestOptions]
    ) -> Iterator[BatchItem]:
        """Yield each brief's production, or why it was refused."""
        return self._transport.entries(
            Call("GET", path("/v1/batches/{id}/items", id=batch_id), **options), BatchItem
        )

    def cancel(self, batch_id: str, **options: Unpack[PostOptions]) -> Batch:
        """Cancel every production of a batch that has not ended."""
        return self._transport.send(
            Call("POST", path("/v1/batches/{id}/cancel", id=batch_id), **options), Batch
        )

    def resume(self, batch_id: str, **options: Unpack[PostOptions]) -> Batch:
        """Trigger the cancelled productions of a batch again, each as a new one in its place."""
        return self._transport.send(
            Call("POST", path("/v1/batches/{id}/resume", id=batch_id), **options), Batch
        )

    def wait(
        self,
        batch_id: str,
        *,
        on_change: OnBatch | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> Batch:
        """Wait until every production of a batch has ended, however it ended, and return the batch.

        Args:
            on_change: Called with the batch at first, and with other ``counts`` whenever
                productions have ended.
            timeout: Seconds; by default as long as it takes.
            cancel: An event; once it is set, the waiting ends.

        Raises:
            WaitTimedOut: The time is over; the batch goes on, and is the ``batch`` of the error.
            CallCancelled: ``cancel`` was set.
        """
        until = None if timeout is None else time.monotonic() + timeout
        options = RequestOptions() if cancel is None else RequestOptions(cancel=cancel)
        cursor = self._events.latest(**options)
        batch = self.get(batch_id, **options)
        tell(on_change, batch)
        while batch["status"] != "Finished":
            if until is not None and time.monotonic() >= until:
                raise errors.waited_for_batch(batch, timeout or 0)
            feed = held(self._events, cursor, _settles(batch, until), cancel)
            cursor, ends = (
                feed["nextCursor"],
                [each for each in feed["data"] if each.get("eventType") in _ENDS],
            )
            if ends or not feed["data"]:
                before, batch = batch, self.get(batch_id, **options)
                if batch["counts"] != before["counts"]:
                    tell(on_change, batch)
            if batch["status"] != "Finished":
                rest(feed, until, cancel)
        return batch


def _settles(batch: Batch, until: float | None) -> float | None:
    """Return until when to wait for events: not for long where no production is left to tell of
    one, as the end of a batch is recorded some seconds after theirs.
    """
    if any(count for state, count in batch["counts"].items() if state not in _ENDED):
        return until
    soon = time.monotonic() + _SETTLING
    return soon if until is None else min(soon, until)


class Templates:
    """Briefs with variables such as ``{{city}}``."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self, account_id: str, template: NewTemplate, **options: Unpack[PostOptions]
    ) -> Template:
        """Add a template."""
        return self._transport.send(
            Call(
                "POST", path("/v1/accounts/{id}/templates", id=account_id), body=template, **options
            ),
            Template,
        )

    def list(
        self, account_id: str, **options: Unpack[RequestOptions]
    ) -> Iterator[Template]:
        """Yield the templates of an account."""
        return self._transport.entries(
            Call("GET", path("/v1/accounts/{id}/templates", id=account_id), **options), Template
        )

    def get(
        self, account_id: str, template_id: str, **options: Unpack[RequestOptions]
    ) -> Template:
        """Return a template."""
        return self._transport.send(
            Call("GET", path(_TEMPLATE, account=account_id, template=template_id), **options),
            Template,
        )

    def replace(
        self,
        account_id: str,
        template_id: str,
        template: NewTemplate,
        **options: Unpack[RequestOptions],
    ) -> Template:
        """Replace a template."""
        call = Call(
            "PUT",
            path(_TEMPLATE, account=account_id, template=template_id),
            body=template,
            **options,
        )
        return self._transport.send(call, Template)

    def delete(
        self, account_id: str, template_id: str, **options: Unpack[RequestOptions]
    ) -> None:
        """Remove a template."""
        call = Call(
            "DELETE",
            path(_TEMPLATE, account=account_id, template=template_id),
            is_done_if_gone=True,
            **options,
        )
        self._transport.send(call, object)

    def preview(
        self,
        account_id: str,
        template_id: str,
        values: PreviewValues,
        **options: Unpack[PostOptions],
    ) -> Preview:
        """Return the brief that a template becomes with these values, its estimate,
        and its script if it is wanted.
        """
        address = path(_TEMPLATE + "/preview", account=account_id, template=template_id)
        return self._transport.send(Call("POST", address, body=values, **options), Preview)

    def trigger(
        self,
        account_id: str,
        template_id: str,
        values: Values,
        **options: Unpack[PostOptions],
    ) -> Production:
        """Trigger a template with these values, once, however often the request must be sent."""
        address = path(_TEMPLATE + "/productions", account=account_id, template=template_id)
        call = Call("POST", address, body=values, **options)
        return self._transport.send(call, Production)

    def trigger_table(
        self,
        account_id: str,
        template_id: str,
        table: str,
        *,
        mode: Literal["each", "atomic"] = "each",
        **options: Unpack[PostOptions],
    ) -> Batch:
        """Trigger a template once for each row of a CSV table, as a batch."""
        address = path(_TEMPLATE + "/batches", account=account_id, template=template_id)
        body = {"csv": table, "mode": mode}
        return self._transport.send(Call("POST", address, body=body, **options), Batch)
