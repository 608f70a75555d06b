"""Batches of briefs, and templates of briefs."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from collections.abc import Iterator, Sequence
from typing import Literal

from partner_production._sync.transport import Transport
from partner_production.calls import Call, once, path
from partner_production.models import Batch, BatchItem, Brief, NewTemplate, Preview, PreviewValues, Production, Template, Values

_TEMPLATE = "/v1/accounts/{account}/templates/{template}"


class Batches:
    """Many briefs in one call; a subscription to ``batch.completed`` hears when the last production has ended."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def trigger(
        self,
        account_id: str,
        briefs: Sequence[Brief],
        *,
        mode: Literal["each", "atomic"] = "each",
        idempotency_key: str | None = None,
    ) -> Batch:
        """Trigger up to 1,000 briefs: ``each`` by itself, or ``atomic``, all or none. With one key it happens once."""
        call = Call(
            "POST",
            path("/v1/accounts/{id}/batches", id=account_id),
            body={"mode": mode, "items": list(briefs)},
            idempotency_key=once(idempotency_key),
        )
        return self._transport.send(call, Batch)

    def list(self, account_id: str) -> Iterator[Batch]:
        """Yield the batches of an account, newest first."""
        return self._transport.entries(Call("GET", path("/v1/accounts/{id}/batches", id=account_id)), Batch)

    def get(self, batch_id: str) -> Batch:
        """Return a batch with the numbers of its briefs by state."""
        return self._transport.send(Call("GET", path("/v1/batches/{id}", id=batch_id)), Batch)

    def items(self, batch_id: str) -> Iterator[BatchItem]:
        """Yield each brief's production, or why it was refused."""
        return self._transport.entries(Call("GET", path("/v1/batches/{id}/items", id=batch_id)), BatchItem)

    def cancel(self, batch_id: str) -> Batch:
        """Cancel every production of a batch that has not ended."""
        return self._transport.send(Call("POST", path("/v1/batches/{id}/cancel", id=batch_id)), Batch)

    def resume(self, batch_id: str) -> Batch:
        """Trigger the cancelled productions of a batch again, each as a new one in its place."""
        return self._transport.send(Call("POST", path("/v1/batches/{id}/resume", id=batch_id)), Batch)


class Templates:
    """Briefs with variables such as ``{{city}}``."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(self, account_id: str, template: NewTemplate) -> Template:
        """Add a template. It is not repeated if its answer is lost."""
        return self._transport.send(
            Call("POST", path("/v1/accounts/{id}/templates", id=account_id), body=template), Template
        )

    def list(self, account_id: str) -> Iterator[Template]:
        """Yield the templates of an account."""
        return self._transport.entries(Call("GET", path("/v1/accounts/{id}/templates", id=account_id)), Template)

    def get(self, account_id: str, template_id: str) -> Template:
        """Return a template."""
        return self._transport.send(Call("GET", path(_TEMPLATE, account=account_id, template=template_id)), Template)

    def replace(self, account_id: str, template_id: str, template: NewTemplate) -> Template:
        """Replace a template."""
        call = Call("PUT", path(_TEMPLATE, account=account_id, template=template_id), body=template)
        return self._transport.send(call, Template)

    def delete(self, account_id: str, template_id: str) -> None:
        """Remove a template."""
        call = Call("DELETE", path(_TEMPLATE, account=account_id, template=template_id), is_done_if_gone=True)
        self._transport.send(call, object)

    def preview(self, account_id: str, template_id: str, values: PreviewValues) -> Preview:
        """Return the brief that a template becomes with these values, its estimate, and its script if it is wanted."""
        address = path(_TEMPLATE + "/preview", account=account_id, template=template_id)
        return self._transport.send(Call("POST", address, body=values, is_reading=True), Preview)

    def trigger(
        self, account_id: str, template_id: str, values: Values, *, idempotency_key: str | None = None
    ) -> Production:
        """Trigger a template with these values, once, however often the request must be sent."""
        address = path(_TEMPLATE + "/productions", account=account_id, template=template_id)
        call = Call("POST", address, body=values, idempotency_key=once(idempotency_key))
        return self._transport.send(call, Production)

    def trigger_table(
        self,
        account_id: str,
        template_id: str,
        table: str,
        *,
        mode: Literal["each", "atomic"] = "each",
        idempotency_key: str | None = None,
    ) -> Batch:
        """Trigger a template once for each row of a CSV table, as a batch."""
        address = path(_TEMPLATE + "/batches", account=account_id, template=template_id)
        body = {"csv": table, "mode": mode}
        return self._transport.send(Call("POST", address, body=body, idempotency_key=once(idempotency_key)), Batch)
