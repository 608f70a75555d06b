"""Tells the allocator of threads when a request begins in a thread and when its response
has been sent.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from svc.base import threads


class RequestThreads:
    """WSGI middleware, outside of all others that handle the request."""

    def __init__(self, application: Callable[..., Iterable[bytes]]):
        self._application = application

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        request = threads.thread_shares.begin_request()
        try:
            body = self._application(environ, start_response)
        except BaseException:
            request.end()
            raise
        close = _chain_calls(getattr(body, "close", None), request.end)
        file = environ.get("wsgi.file_wrapper")
        # the server sends its file by itself: it must stay what it is
        if isinstance(file, type) and isinstance(body, file):
            body.close = close  # type: ignore[attr-defined]
            return body
        return _Body(body, close)


class _Body:
    """A body that calls ``close`` at its end."""

    __slots__ = ("_body", "close")

    def __init__(self, body: Iterable[bytes], close: Callable[[], None]):
        self._body, self.close = body, close

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)


def _chain_calls(
    first: Callable[[], object] | None, second: Callable[[], object]
) -> Callable[[], None]:
    def close() -> None:
        try:
            if first is not None:
                first()
        finally:
            second()

    return close
