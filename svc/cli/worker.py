"""gunicorn's worker with threads, fit to stand alone: it answers what is no HTTP in the envelope, and waits for nobody."""

import json
import socket
import time
import uuid
from datetime import UTC, datetime

from gunicorn import util
from gunicorn.http.errors import ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName, ParseException
from gunicorn.workers.gthread import TConn, ThreadWorker

from svc.base.errors import InternalError, InvalidRequest, ServiceError
from svc.cli import supervisor

READ_SECONDS = 10.0
CROWDED_SECONDS = 2.0  # the same while other connections wait for a thread
_OURS = (ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName)  # ParseExceptions that no client caused


class Worker(ThreadWorker):
    """``gunicorn --worker-class svc.cli.worker.Worker``.

    gunicorn lets a client that sends half a request keep a thread for ever: as many such clients as there are threads stop the
    service. Here a request has :data:`READ_SECONDS` to arrive; then its connection is closed for reading, so that what is
    missing counts as the end.
    """

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self._begun: dict[TConn, float] = {}  # connections that a thread is busy with, and when that began

    def run(self) -> None:
        """Serve; when that ends, stop the engine before the interpreter waits for its threads to finish their work."""
        try:
            super().run()
        finally:
            if self._engine is not None:
                self._engine.stop()

    @property
    def _engine(self):
        """The engine of the application; None while that is being loaded."""
        return getattr(getattr(self, "wsgi", None), "extensions", {}).get("engine")

    def handle_exit(self, sig, frame) -> None:
        """Told to end: running steps are given back at once, not when the last request has been answered."""
        if self.alive and self._engine is not None:
            self.method_queue.defer(self._engine.begin_to_stop)
        super().handle_exit(sig, frame)

    def handle(self, conn: TConn):
        self._begun[conn] = time.monotonic()
        try:
            return super().handle(conn)
        finally:
            self._begun.pop(conn, None)

    def murder_pending(self) -> None:
        """Called about once a second; also ends the patience with whoever has not sent the whole request."""
        super().murder_pending()
        supervisor.alive()
        busy = self.nr_conns - len(self.keepalived_conns) - len(self.pending_conns)
        late = time.monotonic() - (CROWDED_SECONDS if busy > self.cfg.threads else READ_SECONDS)
        for conn in [conn for conn, begun in list(self._begun.items()) if begun < late]:
            try:
                conn.sock.shutdown(socket.SHUT_RD)  # harmless while an answer is being written
            except OSError:
                pass  # it is closed already

    def handle_error(self, req, client, addr, exc) -> None:
        """Answer a request that never reached the application (specification, "Errors": every non-2xx response)."""
        if isinstance(exc, ParseException) and not isinstance(exc, _OURS):
            refusal = InvalidRequest(f"The request cannot be read as HTTP: {str(exc)[:200]}.")
            self.log.info("refused from %s: %s", (addr or ("",))[0], exc)
        else:
            refusal = InternalError()
            self.log.error("a request failed outside the application", exc_info=exc)
        try:
            util.write_nonblock(client, _response(refusal))
        except OSError:
            pass  # the client has gone


def _response(refusal: ServiceError) -> bytes:
    correlation_id = uuid.uuid4().hex
    body = json.dumps({
        "error": refusal.code, "message": refusal.message, "retryAfterSeconds": None, "correlationId": correlation_id,
    })  # fmt: skip
    head = (
        f"HTTP/1.1 {refusal.status} {'Bad Request' if refusal.status == 400 else 'Internal Server Error'}",
        f"Date: {datetime.now(UTC):%a, %d %b %Y %H:%M:%S GMT}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"X-Correlation-Id: {correlation_id}",
        "X-Content-Type-Options: nosniff",
    )
    return "\r\n".join([*head, "", body]).encode("ascii")
