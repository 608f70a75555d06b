"""Middlewares that bring a request's headers into one form before the application reads them:
the client's address, the scheme of its request, and runs of spaces.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from svc.base import client_addresses

# The patterns of werkzeug for these headers take a time that grows with the square of a run of
# spaces: 0.3 s for one field of 8 KB with cookies, of which a request may have a hundred.
_READ_BY_PATTERNS = ("HTTP_COOKIE", "HTTP_ACCEPT")
_RUN = re.compile(r"[ \t]{2,}|\t")


class ClientAddress:
    """WSGI middleware that writes the client's address in one form, for all that compares, counts,
    stores or shows it; it stands inside the one that takes the address from the proxy's header.
    """

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


class HeaderSpaces:
    """WSGI middleware that shortens runs of spaces in the headers that a library reads by patterns.

    A run means what one space does (RFC 9110 §5.6.3), and no value of a cookie has any
    (RFC 6265 §4.1.1).
    """

    def __init__(self, application: Callable[..., Iterable[bytes]]):
        self._application = application

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        for name in _READ_BY_PATTERNS:
            if name in environ:
                environ[name] = _RUN.sub(" ", environ[name])
        return self._application(environ, start_response)
