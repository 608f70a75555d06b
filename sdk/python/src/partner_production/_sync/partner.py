"""The partner itself: its key, its usage, its requests."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from collections.abc import Iterator
from typing import Unpack

from partner_production._sync.transport import Transport
from partner_production.calls import Call
from partner_production.models import Request, Rotation, Usage, Verification
from partner_production.options import PostOptions, RequestOptions


class Partner:
    """What belongs to the partner as a whole."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def verify(self, **options: Unpack[RequestOptions]) -> Verification:
        """Return whose key this is and what it may do."""
        return self._transport.send(
            Call("GET", "/v1/partners/verify", **options), Verification
        )

    def rotate_key(self, **options: Unpack[PostOptions]) -> Rotation:
        """Make a new key and return it, once; the old one, which this client goes on using,
        ends after 24 hours.
        """
        call = Call("POST", "/v1/partners/keys/rotate", body={}, **options)
        return self._transport.send(call, Rotation)

    def usage(self, *, months: int = 1, **options: Unpack[RequestOptions]) -> Usage:
        """Return requests, productions and spend of the last months, the current one included."""
        return self._transport.send(
            Call("GET", "/v1/partner/usage", {"months": months}, **options), Usage
        )

    def requests(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        status_class: int | None = None,
        correlation_id: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> Iterator[Request]:
        """Yield the requests of the partner, newest first; by default those of the last 24 hours.

        Args:
            since: Only from this time on, in ISO 8601; at most 30 days before ``until``.
            until: Only up to this time; by default now.
            status_class: 2, 4 or 5.
            correlation_id: Only those of this ``X-Correlation-Id``.
        """
        query = {
            "from": since,
            "to": until,
            "status": status_class,
            "correlationId": correlation_id,
        }
        return self._transport.entries(
            Call("GET", "/v1/partner/requests", query, **options), Request
        )
