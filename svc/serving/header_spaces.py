"""Shortens runs of spaces in the headers that a library reads by patterns."""

import re
from collections.abc import Callable, Iterable
from typing import Any

# The patterns of werkzeug for these headers take a time that grows with the square of a run of
# spaces: 0.3 s for one field of 8 KB with cookies, of which a request may have a hundred.
_READ_BY_PATTERNS = ("HTTP_COOKIE", "HTTP_ACCEPT")
_RUN = re.compile(r"[ \t]{2,}|\t")


class HeaderSpaces:
    """WSGI middleware.

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
