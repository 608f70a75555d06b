"""Tells the allocator of threads when a request begins in a thread and when its response has been sent."""

from collections.abc import Callable, Iterable
from typing import Any

from werkzeug.wsgi import ClosingIterator

from svc.base import threads


class RequestThreads:
    """WSGI middleware, outside of all others that handle the request."""

    def __init__(self, application: Callable[..., Iterable[bytes]]):
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        request = threads.of_process.begin()
        try:
            body = self._application(environ, start_response)
        except BaseException:
            request.end()
            raise
        file = environ.get("wsgi.file_wrapper")
        if isinstance(file, type) and isinstance(body, file):  # the server sends its file by itself: it must stay what it is
            close = getattr(body, "close", None)
            body.close = _in_turn(close, request.end)  # type: ignore[attr-defined]
            return body
        return ClosingIterator(body, request.end)


def _in_turn(first: Callable[[], object] | None, then: Callable[[], object]) -> Callable[[], None]:
    def close() -> None:
        try:
            if first is not None:
                first()
        finally:
            then()

    return close
