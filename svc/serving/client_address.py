"""Writes the address of a request's client in one form, for all that compares, counts,
stores or shows it.
"""

from collections.abc import Callable, Iterable
from typing import Any

from svc.base import client_addresses


class ClientAddress:
    """WSGI middleware, inside the one that takes the address from the proxy's header."""

    def __init__(self, application: Callable[..., Iterable[bytes]]):
        self._application = application

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        environ["REMOTE_ADDR"] = client_addresses.normalise(environ.get("REMOTE_ADDR", ""))
        return self._application(environ, start_response)
