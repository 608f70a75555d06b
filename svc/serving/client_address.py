"""Writes the address of a request's client in one form, for all that compares, counts,
stores or shows it, and the scheme by which that client asked.
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


class ForwardedScheme:
    """WSGI middleware that takes the scheme from the header of the proxies in front.

    Most of them replace ``X-Forwarded-Proto`` and others add to it, so that behind several proxies
    it has one value or as many as there are.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]], proxies: int):
        self._application = application
        self._proxies = proxies

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        if forwarded := environ.get("HTTP_X_FORWARDED_PROTO"):
            scheme = forwarded.split(",")[-self._proxies :][0].strip().lower()
            if scheme in ("http", "https"):
                environ["wsgi.url_scheme"] = scheme
        return self._application(environ, start_response)
