"""The client: one object with everything that the API can do."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Literal, Unpack

import httpx

from partner_production._async.accounts import Accounts, Places
from partner_production._async.briefing import Batches, Templates
from partner_production._async.deliverables import Deliverables
from partner_production._async.feed import Events
from partner_production._async.partner import Partner
from partner_production._async.productions import Productions
from partner_production._async.subscriptions import Webhooks
from partner_production._async.transport import AsyncTransport
from partner_production.api_version import API_VERSION
from partner_production.calls import Call
from partner_production.options import AsyncPostOptions
from partner_production.responses import Response
from partner_production.retries import Retries


class AsyncClient(Places):
    """The API of one server with one key; a context manager.

    Args:
        base_url: The address of the service, such as ``https://media.example.com``.
        api_key: The key, ``svc_live_…`` or ``svc_test_…``.
        timeout: Seconds without a byte after which a request counts as lost; each call can be given
            another.
        retries: When requests are sent again.
        http_client: A client of httpx to send with, such as one with a proxy; it is then yours to
            close.
        api_version: The dated version of the API to name in each request; None: none is named.

    Raises:
        ValueError: The address or the key cannot be sent. No error shows the key.
        ConnectionFailed: A proxy that the environment names needs a package, or cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30,
        retries: Retries | None = None,
        http_client: httpx.AsyncClient | None = None,
        api_version: str | None = API_VERSION,
    ):
        transport = AsyncTransport(
            base_url, api_key, timeout, retries or Retries(), http_client, api_version
        )
        super().__init__(transport)
        self.accounts = Accounts(transport)
        self.events = Events(transport)
        self.productions = Productions(transport, self.events)
        self.batches = Batches(transport, self.events)
        self.templates = Templates(transport)
        self.deliverables = Deliverables(transport)
        self.webhooks = Webhooks(transport)
        self.partner = Partner(transport)

    async def request(
        self,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        **options: Unpack[AsyncPostOptions],
    ) -> Response:
        """Send a request that no method has, and return its answer with status, headers and body.

        It carries the API key and, by POST, an ``Idempotency-Key``, and is sent again as all
        others.

        Args:
            path: From ``/v1`` on, with its identifiers quoted.
            query: What comes after ``?``; None leaves a name out.
            body: What to send as JSON.
        """
        if not path.startswith("/"):
            raise ValueError(f"the path {path!r} does not begin with /")
        return await self._transport.respond(Call(method, path, query or {}, body, **options))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
