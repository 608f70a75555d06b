"""Webhooks and their deliveries."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Unpack

from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call, path
from partner_production.models import (
    Delivery,
    DeliveryStatus,
    EventType,
    NewSubscription,
    Ping,
    Queued,
    RolledSecret,
    Subscription,
    Window,
)
from partner_production.options import AsyncPostOptions, AsyncRequestOptions


class Webhooks:
    """The webhooks of the partner."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def create(
        self,
        endpoint_url: str,
        event_types: Sequence[EventType],
        *,
        account_ids: Sequence[str] | None = None,
        account_scope_id: str | None = None,
        **options: Unpack[AsyncPostOptions],
    ) -> NewSubscription:
        """Subscribe an endpoint.

        The answer alone has ``signingSecret``: keep it where the receiver finds it.
        """
        body: dict[str, Any] = {"endpointUrl": endpoint_url, "eventTypes": list(event_types)}
        if account_ids is not None:
            body["accountIds"] = list(account_ids)
        if account_scope_id is not None:
            body["accountScopeId"] = account_scope_id
        call = Call("POST", "/v1/webhooks", body=body, **options)
        return await self._transport.send(call, NewSubscription)

    def list(self, **options: Unpack[AsyncRequestOptions]) -> AsyncIterator[Subscription]:
        """Yield every webhook."""
        return self._transport.entries(Call("GET", "/v1/webhooks", **options), Subscription)

    async def get(
        self, subscription_id: str, **options: Unpack[AsyncRequestOptions]
    ) -> Subscription:
        """Return a webhook."""
        return await self._transport.send(
            Call("GET", path("/v1/webhooks/{id}", id=subscription_id), **options), Subscription
        )

    async def change(
        self,
        subscription_id: str,
        *,
        endpoint_url: str | None = None,
        event_types: Sequence[EventType] | None = None,
        **options: Unpack[AsyncRequestOptions],
    ) -> Subscription:
        """Change where events are sent, or which; the secret and everything else stay."""
        body: dict[str, object] = {} if endpoint_url is None else {"endpointUrl": endpoint_url}
        if event_types is not None:
            body["eventTypes"] = list(event_types)
        return await self._transport.send(
            Call("PATCH", path("/v1/webhooks/{id}", id=subscription_id), body=body, **options),
            Subscription,
        )

    async def pause(
        self, subscription_id: str, **options: Unpack[AsyncPostOptions]
    ) -> Subscription:
        """Send nothing until :meth:`resume`; what happens meanwhile waits."""
        return await self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/pause", id=subscription_id), **options),
            Subscription,
        )

    async def resume(
        self, subscription_id: str, **options: Unpack[AsyncPostOptions]
    ) -> Subscription:
        """Send again, beginning with what has waited."""
        return await self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/resume", id=subscription_id), **options),
            Subscription,
        )

    async def delete(self, subscription_id: str, **options: Unpack[AsyncRequestOptions]) -> None:
        """End a webhook."""
        await self._transport.send(
            Call(
                "DELETE",
                path("/v1/webhooks/{id}", id=subscription_id),
                is_done_if_gone=True,
                **options,
            ),
            object,
        )

    async def roll_secret(
        self, subscription_id: str, *, overlap_hours: int = 24, **options: Unpack[AsyncPostOptions]
    ) -> RolledSecret:
        """Make a new signing secret; the old one signs too for ``overlap_hours``."""
        call = Call(
            "POST",
            path("/v1/webhooks/{id}/secret/roll", id=subscription_id),
            body={"overlapHours": overlap_hours},
            **options,
        )
        return await self._transport.send(call, RolledSecret)

    async def ping(
        self,
        subscription_id: str,
        *,
        event_type: EventType | None = None,
        **options: Unpack[AsyncPostOptions],
    ) -> Ping:
        """Have a test event sent to the endpoint, or a sample of ``event_type``;
        at most one a minute.
        """
        body = None if event_type is None else {"eventType": event_type}
        return await self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/ping", id=subscription_id), body=body, **options),
            Ping,
        )

    async def reinstate(
        self, subscription_id: str, **options: Unpack[AsyncPostOptions]
    ) -> Subscription:
        """Have events sent again to an endpoint that had failed too often."""
        return await self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/reinstate", id=subscription_id), **options),
            Subscription,
        )

    def deliveries(
        self,
        subscription_id: str,
        *,
        status: Sequence[DeliveryStatus] = (),
        **options: Unpack[AsyncRequestOptions],
    ) -> AsyncIterator[Delivery]:
        """Yield the deliveries of a webhook, newest first, with every attempt."""
        query = {"status": list(status) or None}
        return self._transport.entries(
            Call("GET", path("/v1/webhooks/{id}/deliveries", id=subscription_id), query, **options),
            Delivery,
        )

    async def redeliver(
        self,
        subscription_id: str,
        delivery_id: str,
        **options: Unpack[AsyncPostOptions],
    ) -> Delivery:
        """Send a delivery again."""
        address = path(
            "/v1/webhooks/{id}/deliveries/{delivery}/redeliver",
            id=subscription_id,
            delivery=delivery_id,
        )
        return await self._transport.send(Call("POST", address, **options), Delivery)

    async def replay(
        self,
        subscription_id: str,
        window: Window,
        **options: Unpack[AsyncPostOptions],
    ) -> Queued:
        """Send the events of a period again; one replay at a time."""
        address = path("/v1/webhooks/{id}/replay", id=subscription_id)
        return await self._transport.send(Call("POST", address, body=window, **options), Queued)
