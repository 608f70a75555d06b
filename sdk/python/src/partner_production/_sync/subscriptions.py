"""Webhook subscriptions and their deliveries."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from collections.abc import Iterator, Sequence

from partner_production._sync.transport import Transport
from partner_production.calls import Call, once, path
from partner_production.models import Delivery, NewSubscription, Ping, Queued, RolledSecret, Subscription, Window


class Webhooks:
    """The webhooks of the partner."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        endpoint_url: str,
        event_types: Sequence[str],
        *,
        account_ids: Sequence[str] | None = None,
        account_scope_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> NewSubscription:
        """Subscribe an endpoint. The answer alone has ``signingSecret``: keep it where the receiver finds it."""
        body = {"endpointUrl": endpoint_url, "eventTypes": list(event_types)}
        if account_ids is not None:
            body["accountIds"] = list(account_ids)
        if account_scope_id is not None:
            body["accountScopeId"] = account_scope_id
        call = Call("POST", "/v1/webhooks", body=body, idempotency_key=once(idempotency_key))
        return self._transport.send(call, NewSubscription)

    def list(self) -> Iterator[Subscription]:
        """Yield every subscription."""
        return self._transport.entries(Call("GET", "/v1/webhooks"), Subscription)

    def get(self, subscription_id: str) -> Subscription:
        """Return a subscription."""
        return self._transport.send(Call("GET", path("/v1/webhooks/{id}", id=subscription_id)), Subscription)

    def change(
        self, subscription_id: str, *, endpoint_url: str | None = None, event_types: Sequence[str] | None = None
    ) -> Subscription:
        """Change where events are sent, or which; the secret and everything else stay."""
        body: dict[str, object] = {} if endpoint_url is None else {"endpointUrl": endpoint_url}
        if event_types is not None:
            body["eventTypes"] = list(event_types)
        return self._transport.send(Call("PATCH", path("/v1/webhooks/{id}", id=subscription_id), body=body), Subscription)

    def pause(self, subscription_id: str) -> Subscription:
        """Send nothing until :meth:`resume`; what happens meanwhile waits."""
        return self._transport.send(Call("POST", path("/v1/webhooks/{id}/pause", id=subscription_id)), Subscription)

    def resume(self, subscription_id: str) -> Subscription:
        """Send again, beginning with what has waited."""
        return self._transport.send(Call("POST", path("/v1/webhooks/{id}/resume", id=subscription_id)), Subscription)

    def delete(self, subscription_id: str) -> None:
        """End a subscription."""
        self._transport.send(Call("DELETE", path("/v1/webhooks/{id}", id=subscription_id), is_done_if_gone=True), object)

    def roll_secret(self, subscription_id: str, *, overlap_hours: int = 24) -> RolledSecret:
        """Make a new signing secret; the old one signs too for ``overlap_hours``. It is not repeated if its answer is lost."""
        call = Call("POST", path("/v1/webhooks/{id}/secret/roll", id=subscription_id), body={"overlapHours": overlap_hours})
        return self._transport.send(call, RolledSecret)

    def ping(self, subscription_id: str, *, event_type: str | None = None) -> Ping:
        """Have a test event sent to the endpoint, or a sample of ``event_type``; at most one a minute."""
        body = None if event_type is None else {"eventType": event_type}
        return self._transport.send(Call("POST", path("/v1/webhooks/{id}/ping", id=subscription_id), body=body), Ping)

    def reinstate(self, subscription_id: str) -> Subscription:
        """Have events sent again to an endpoint that had failed too often."""
        return self._transport.send(Call("POST", path("/v1/webhooks/{id}/reinstate", id=subscription_id)), Subscription)

    def deliveries(self, subscription_id: str, *, status: Sequence[str] = ()) -> Iterator[Delivery]:
        """Yield the deliveries of a subscription, newest first, with every attempt."""
        query = {"status": list(status) or None}
        return self._transport.entries(Call("GET", path("/v1/webhooks/{id}/deliveries", id=subscription_id), query), Delivery)

    def redeliver(self, subscription_id: str, delivery_id: str, *, idempotency_key: str | None = None) -> Delivery:
        """Send a delivery again."""
        address = path("/v1/webhooks/{id}/deliveries/{delivery}/redeliver", id=subscription_id, delivery=delivery_id)
        return self._transport.send(Call("POST", address, idempotency_key=once(idempotency_key)), Delivery)

    def replay(self, subscription_id: str, window: Window, *, idempotency_key: str | None = None) -> Queued:
        """Send the events of a period again; one replay at a time."""
        address = path("/v1/webhooks/{id}/replay", id=subscription_id)
        return self._transport.send(Call("POST", address, body=window, idempotency_key=once(idempotency_key)), Queued)
