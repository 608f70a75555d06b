"""An application on a port of its own, in a thread of this process."""

from collections.abc import Iterator
from contextlib import contextmanager

from werkzeug.serving import WSGIRequestHandler, make_server

from tests.support.serving import serving

_ANSWER = "tests.answer"


@contextmanager
def served(app) -> Iterator[int]:
    """The port at which a WSGI application answers; at the end its requests are over."""
    server = make_server("127.0.0.1", 0, _remembering(app), threaded=True, request_handler=_Handler)
    try:
        with serving(server):
            yield server.port
    finally:
        server.server_close()


class _Handler(WSGIRequestHandler):
    """Werkzeug's, without a log, which closes the answer whose reader has gone too.

    A browser goes when it has seen enough of a film. Where the connection is reset, werkzeug may
    leave the file open until the collector finds it: a warning, hence an error of whatever test
    runs then.
    """

    def log(self, *_) -> None:
        pass

    def connection_dropped(self, _, environ=None) -> None:
        if environ and (answer := environ.get(_ANSWER)) and hasattr(answer, "close"):
            answer.close()


def _remembering(app):
    def call(environ, start_response):
        environ[_ANSWER] = app(environ, start_response)
        return environ[_ANSWER]

    return call
