"""The synchronous client: one object with everything that the API can do."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from types import TracebackType

import httpx

from partner_production._sync.accounts import Accounts, Places
from partner_production._sync.briefing import Batches, Templates
from partner_production._sync.deliverables import Deliverables
from partner_production._sync.feed import Events
from partner_production._sync.partner import Partner
from partner_production._sync.productions import Productions
from partner_production._sync.subscriptions import Webhooks
from partner_production._sync.transport import Transport
from partner_production.retries import Retries


class Client(Places):
    """The API of one server with one key; a context manager.

    Args:
        base_url: The address of the service, such as ``https://media.example.com``.
        api_key: The key, ``svc_live_…`` or ``svc_test_…``.
        timeout: Seconds without a byte after which a request counts as lost.
        retries: When requests are sent again.
        http_client: A client of httpx to send with, such as one with a proxy; it is then yours to close.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30,
        retries: Retries | None = None,
        http_client: httpx.Client | None = None,
    ):
        if not api_key:
            raise ValueError("the API key is empty")
        transport = Transport(base_url, api_key, timeout, retries or Retries(), http_client)
        super().__init__(transport)
        self.accounts = Accounts(transport)
        self.events = Events(transport)
        self.productions = Productions(transport, self.events)
        self.batches = Batches(transport)
        self.templates = Templates(transport)
        self.deliverables = Deliverables(transport)
        self.webhooks = Webhooks(transport)
        self.partner = Partner(transport)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
