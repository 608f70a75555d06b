"""Batches of briefs, and templates of briefs."""

from collections.abc import AsyncIterator, Sequence
from typing import Literal

from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call, once, path
from partner_production.models import Batch, BatchItem, Brief, NewTemplate, Preview, PreviewValues, Production, Template, Values

_TEMPLATE = "/v1/accounts/{account}/templates/{template}"


class Batches:
    """Many briefs in one call; a subscription to ``batch.completed`` hears when the last production has ended."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def trigger(
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
        return await self._transport.send(call, Batch)

    def list(self, account_id: str) -> AsyncIterator[Batch]:
        """Yield the batches of an account, newest first."""
        return self._transport.entries(Call("GET", path("/v1/accounts/{id}/batches", id=account_id)), Batch)

    async def get(self, batch_id: str) -> Batch:
        """Return a batch with the numbers of its briefs by state."""
        return await self._transport.send(Call("GET", path("/v1/batches/{id}", id=batch_id)), Batch)

    def items(self, batch_id: str) -> AsyncIterator[BatchItem]:
        """Yield each brief's production, or why it was refused."""
        return self._transport.entries(Call("GET", path("/v1/batches/{id}/items", id=batch_id)), BatchItem)

    async def cancel(self, batch_id: str) -> Batch:
        """Cancel every production of a batch that has not ended."""
        return await self._transport.send(Call("POST", path("/v1/batches/{id}/cancel", id=batch_id)), Batch)

    async def resume(self, batch_id: str) -> Batch:
        """Trigger the cancelled productions of a batch again, each as a new one in its place."""
        return await self._transport.send(Call("POST", path("/v1/batches/{id}/resume", id=batch_id)), Batch)


class Templates:
    """Briefs with variables such as ``{{city}}``."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def create(self, account_id: str, template: NewTemplate) -> Template:
        """Add a template. It is not repeated if its answer is lost."""
        return await self._transport.send(
            Call("POST", path("/v1/accounts/{id}/templates", id=account_id), body=template), Template
        )

    def list(self, account_id: str) -> AsyncIterator[Template]:
        """Yield the templates of an account."""
        return self._transport.entries(Call("GET", path("/v1/accounts/{id}/templates", id=account_id)), Template)

    async def get(self, account_id: str, template_id: str) -> Template:
        """Return a template."""
        return await self._transport.send(Call("GET", path(_TEMPLATE, account=account_id, template=template_id)), Template)

    async def replace(self, account_id: str, template_id: str, template: NewTemplate) -> Template:
        """Replace a template."""
        call = Call("PUT", path(_TEMPLATE, account=account_id, template=template_id), body=template)
        return await self._transport.send(call, Template)

    async def delete(self, account_id: str, template_id: str) -> None:
        """Remove a template."""
        call = Call("DELETE", path(_TEMPLATE, account=account_id, template=template_id), is_done_if_gone=True)
        await self._transport.send(call, object)

    async def preview(self, account_id: str, template_id: str, values: PreviewValues) -> Preview:
        """Return the brief that a template becomes with these values, its estimate, and its script if it is wanted."""
        address = path(_TEMPLATE + "/preview", account=account_id, template=template_id)
        return await self._transport.send(Call("POST", address, body=values, is_reading=True), Preview)

    async def trigger(
        self, account_id: str, template_id: str, values: Values, *, idempotency_key: str | None = None
    ) -> Production:
        """Trigger a template with these values, once, however often the request must be sent."""
        address = path(_TEMPLATE + "/productions", account=account_id, template=template_id)
        call = Call("POST", address, body=values, idempotency_key=once(idempotency_key))
        return await self._transport.send(call, Production)

    async def trigger_table(
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
        return await self._transport.send(Call("POST", address, body=body, idempotency_key=once(idempotency_key)), Batch)
