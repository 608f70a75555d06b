"""The partner itself: its key, its usage, its requests."""

from collections.abc import AsyncIterator
from typing import Unpack

from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call
from partner_production.models import Request, Rotation, Usage, Verification
from partner_production.options import AsyncPostOptions, AsyncRequestOptions


class Partner:
    """What belongs to the partner as a whole."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def verify(self, **options: Unpack[AsyncRequestOptions]) -> Verification:
        """Return whose key this is and what it may do."""
        return await self._transport.send(
            Call("GET", "/v1/partners/verify", **options), Verification
        )

    async def rotate_key(self, **options: Unpack[AsyncPostOptions]) -> Rotation:
        """Make a new key and return it, once; the old one, which this client goes on using,
        ends after 24 hours.
        """
        call = Call("POST", "/v1/partners/keys/rotate", body={}, **options)
        return await self._transport.send(call, Rotation)

    async def usage(self, *, months: int = 1, **options: Unpack[AsyncRequestOptions]) -> Usage:
        """Return requests, productions and spend of the last months, the current one included."""
        return await self._transport.send(
            Call("GET", "/v1/partner/usage", {"months": months}, **options), Usage
        )

    def requests(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        status_class: int | None = None,
        correlation_id: str | None = None,
        **options: Unpack[AsyncRequestOptions],
    ) -> AsyncIterator[Request]:
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
