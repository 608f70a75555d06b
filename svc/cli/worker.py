"""gunicorn's worker with threads, fit to stand alone: it answers what is no HTTP in the envelope, and waits for nobody."""

import errno
import gc
import json
import mmap
import selectors
import socket
import sys
import time
import uuid
from datetime import UTC, datetime
from functools import partial

from gunicorn import util
from gunicorn.http.body import LengthReader
from gunicorn.http.errors import ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName, ParseException
from gunicorn.http.parser import _DRAIN_MAX_BYTES
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, TConn, ThreadWorker

from svc.base import trouble
from svc.base.errors import InternalError, InvalidRequest, ServiceError
from svc.cli import supervisor
from svc.domain import long_polls

READ_SECONDS = 10.0  # for a whole request to arrive
CROWDED_SECONDS = 2.0  # the same while other connections wait for a thread
STALL_SECONDS = 20.0  # for a client to take an answer, or the next piece of a file
LONGEST_LEFT = 64 << 20  # bytes of a refused body that are still taken before the connection is closed
_OBJECTS = 20_000  # that are new before cycles are looked for among them
_AGAIN_SECONDS = 5
_OURS = (ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName)  # ParseExceptions that no client caused


class Connection(TConn):
    """A connection that waits for no client longer than :data:`STALL_SECONDS`, and that may be closed twice."""

    def init(self) -> None:
        super().init()
        self.sock.settimeout(STALL_SECONDS)

    def close(self, graceful: bool = False) -> None:
        """Close it. ``graceful``: take what the client is still sending for up to two seconds: whoever is refused in the
        middle of a large body, a proxy above all, would else see a broken connection, and no answer (RFC 9112 §9.6)."""
        if self.sock.fileno() < 0:
            return
        if graceful:
            util.close_graceful(self.sock, max_drain=LONGEST_LEFT)
        else:
            super().close()


class Worker(ThreadWorker):
    """``gunicorn --worker-class svc.cli.worker.Worker``.

    gunicorn lets a client that sends half a request, or does not read its answer, keep a thread for ever: as many such clients
    as there are threads stop the service. Here a connection has no thread before its first byte. A request then has
    :data:`READ_SECONDS` to arrive; after that its connection is closed for reading, so that what is missing counts as the end.
    """

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self._begun: dict[TConn, float] = {}  # connections that a thread is busy with, and when that began
        self._accepts = mmap.mmap(-1, 1)  # made before the fork: the parent process sees what the worker writes
        self.leaves = False  # for the parent process: it has been told to end, and another one is not started for it

    def load_wsgi(self) -> None:
        """Load the application; while the machine is in trouble that passes, wait for that rather than end the service."""
        while True:
            try:
                super().load_wsgi()
                long_polls.room.fit(self.cfg.threads)
                # What has been loaded stays: to look through it all again would stop everybody for 40 ms. A request makes
                # hundreds of objects and hardly a cycle.
                gc.freeze()
                gc.set_threshold(_OBJECTS)
                return
            except Exception as failure:
                found = trouble.recognise(failure)
                if found is None:
                    raise
                self.log.critical("cannot start yet: %s (%s)", found.mend, failure)
            for _ in range(_AGAIN_SECONDS):
                self.notify()
                time.sleep(1)
                if not self.alive or not self.is_parent_alive():
                    sys.exit(0)

    def run(self) -> None:
        """Serve; when that ends, stop the engine before the interpreter waits for its threads to finish their work."""
        try:
            super().run()
        finally:
            if self._engine is not None:
                self._engine.stop()

    @property
    def accepts(self) -> bool:
        """Whether this worker has begun to accept connections; its parent process may ask."""
        return self._accepts[0] == 1

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        self._accepts[0] = 1

    @property
    def _engine(self):
        """The engine of the application; None while that is being loaded."""
        return getattr(getattr(self, "wsgi", None), "extensions", {}).get("engine")

    def handle_exit(self, sig, frame) -> None:
        """Told to end: running steps are given back at once, not when the last request has been answered, and requests that
        wait for events are answered."""
        long_polls.room.close()
        if self.alive and self._engine is not None:
            self.method_queue.defer(self._engine.begin_to_stop)
        super().handle_exit(sig, frame)

    def accept(self, listener) -> None:
        """Take a connection, which waits for its first byte in the loop, where waiting costs nothing."""
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another worker was faster, or the client has gone
        conn = Connection(self.cfg, client, address, listener.getsockname())
        conn.timeout = time.monotonic() + READ_SECONDS
        self.nr_conns += 1
        self.pending_conns.append(conn)
        self.poller.register(client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def handle(self, conn: TConn):
        self._begun[conn] = time.monotonic()
        try:
            kept = super().handle(conn)
            if not kept:
                conn.close(graceful=True)  # waits for the client to end too: here for one thread, later for the whole loop
            return kept
        finally:
            self._begun.pop(conn, None)

    def handle_request(self, req, conn: TConn):
        body = req.body.reader
        if not isinstance(body, LengthReader) or body.length >= _DRAIN_MAX_BYTES:
            # gunicorn gives up reading what is left of such a body: a proxy that thinks the connection is kept would lose the
            # next request on it.
            req.force_close()
        elif body.length == 0:
            self._begun.pop(conn, None)  # it has arrived whole; its answer may wait for events
        try:
            return super().handle_request(req, conn)
        except TimeoutError:
            raise BrokenPipeError(errno.EPIPE, "the client does not read its answer") from None

    def murder_pending(self) -> None:
        """Called about once a second; also ends the patience with whoever has not sent the whole request."""
        if not self.alive:
            soon = time.monotonic() + STOP_KEEPALIVE_LINGER
            for conn in self.pending_conns:
                conn.timeout = min(conn.timeout, soon)
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
            refusal: ServiceError = InvalidRequest(f"The request cannot be read as HTTP: {str(exc)[:200]}.")
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
