"""Webhooks and their deliveries."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from collections.abc import Iterator, Sequence
from typing import Any, Unpack

from partner_production._sync.transport import Transport
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
from partner_production.options import PostOptions, RequestOptions


class Webhooks:
    """The webhooks of the partner."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        endpoint_url: str,
        event_types: Sequence[EventType],
        *,
        account_ids: Sequence[str] | None = None,
        account_scope_id: str | None = None,
        **options: Unpack[PostOptions],
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
        return self._transport.send(call, NewSubscription)

    def list(self, **options: Unpack[RequestOptions]) -> Iterator[Subscription]:
        """Yield every webhook."""
        return self._transport.entries(Call("GET", "/v1/webhooks", **options), Subscription)

    def get(
        self, subscription_id: str, **options: Unpack[RequestOptions]
    ) -> Subscription:
        """Return a webhook."""
        return self._transport.send(
            Call("GET", path("/v1/webhooks/{id}", id=subscription_id), **options), Subscription
        )

    def change(
        self,
        subscription_id: str,
        *,
        endpoint_url: str | None = None,
        event_types: Sequence[EventType] | None = None,
        **options: Unpack[RequestOptions],
    ) -> Subscription:
        """Change where events are sent, or which; the secret and everything else stay."""
        body: dict[str, object] = {} if endpoint_url is None else {"endpointUrl": endpoint_url}
        if event_types is not None:
            body["eventTypes"] = list(event_types)
        return self._transport.send(
            Call("PATCH", path("/v1/webhooks/{id}", id=subscription_id), body=body, **options),
            Subscription,
        )

    def pause(
        self, subscription_id: str, **options: Unpack[PostOptions]
    ) -> Subscription:
        """Send nothing until :meth:`resume`; what happens meanwhile waits."""
        return self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/pause", id=subscription_id), **options),
            Subscription,
        )

    def resume(
        self, subscription_id: str, **options: Unpack[PostOptions]
    ) -> Subscription:
        """Send again, beginning with what has waited."""
        return self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/resume", id=subscription_id), **options),
            Subscription,
        )

    def delete(self, subscription_id: str, **options: Unpack[RequestOptions]) -> None:
        """End a webhook."""
        self._transport.send(
            Call(
                "DELETE",
                path("/v1/webhooks/{id}", id=subscription_id),
                is_done_if_gone=True,
                **options,
            ),
            object,
        )

    def roll_secret(
        self, subscription_id: str, *, overlap_hours: int = 24, **options: Unpack[PostOptions]
    ) -> RolledSecret:
        """Make a new signing secret; the old one signs too for ``overlap_hours``."""
        call = Call(
            "POST",
            path("/v1/webhooks/{id}/secret/roll", id=subscription_id),
            body={"overlapHours": overlap_hours},
            **options,
        )
        return self._transport.send(call, RolledSecret)

    def ping(
        self,
        subscription_id: str,
        *,
        event_type: EventType | None = None,
        **options: Unpack[PostOptions],
    ) -> Ping:
        """Have a test event sent to the endpoint, or a sample of ``event_type``;
        at most one a minute.
        """
        body = None if event_type is None else {"eventType": event_type}
        return self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/ping", id=subscription_id), body=body, **options),
            Ping,
        )

    def reinstate(
        self, subscription_id: str, **options: Unpack[PostOptions]
    ) -> Subscription:
        """Have events sent again to an endpoint that had failed too often."""
        return self._transport.send(
            Call("POST", path("/v1/webhooks/{id}/reinstate", id=subscription_id), **options),
            Subscription,
        )

    def deliveries(
        self,
        subscription_id: str,
        *,
        status: Sequence[DeliveryStatus] = (),
        **options: Unpack[RequestOptions],
    ) -> Iterator[Delivery]:
        """Yield the deliveries of a webhook, newest first, with every attempt."""
        query = {"status": list(status) or None}
        return self._transport.entries(
            Call("GET", path("/v1/webhooks/{id}/deliveries", id=subscription_id), query, **options),
            Delivery,
        )

    def redeliver(
        self,
        subscription_id: str,
        delivery_id: str,
        **options: Unpack[PostOptions],
    ) -> Delivery:
        """Send a delivery again."""
        address = path(
            "/v1/webhooks/{id}/deliveries/{delivery}/redeliver",
            id=subscription_id,
            delivery=delivery_id,
        )
        return self._transport.send(Call("POST", address, **options), Delivery)

    def replay(
        self,
        subscription_id: str,
        window: Window,
        **options: Unpack[PostOptions],
    ) -> Queued:
        """Send the events of a period again; one replay at a time."""
        address = path("/v1/webhooks/{id}/replay", id=subscription_id)
        return self._transport.send(Call("POST", address, body=window, **options), Queued)
