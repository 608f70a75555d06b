"""gunicorn's threaded worker, safe without a reverse proxy: limits slow clients,
answers malformed HTTP in the envelope.
"""

import errno
import gc
import json
import mmap
import os
import selectors
import socket
import sys
import time
import uuid
from datetime import UTC, datetime
from functools import partial

from gunicorn import util
from gunicorn.http.body import LengthReader
from gunicorn.http.errors import (
    ConfigurationProblem,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    ParseException,
)
from gunicorn.http.parser import _DRAIN_MAX_BYTES
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, TConn, ThreadWorker

from svc.base import clock, settings, threads
from svc.base import outage as trouble
from svc.base.data_dir import find_data_dir
from svc.base.errors import InternalError, InvalidRequest, ServiceError
from svc.base.processes import cpus
from svc.base.version import API_VERSION_HEADER, API_VERSIONS
from svc.domain.monitoring import start_notes
from svc.domain.webhooks import long_polls
from svc.serving import dispatch, supervisor
from svc.serving.dispatch import Turns

READ_SECONDS = 10.0  # for a whole request to arrive
CROWDED_SECONDS = 2.0  # for one to arrive while other connections wait for a thread
# How long a request waits for a thread, without holding one, while its caller holds its share of
# them.
TURN_SECONDS = 1.0
_LOOK_SECONDS = 0.02  # between looks whether the share of a caller that waits has grown
STALL_SECONDS = 20.0  # for a client to read a response, or the next chunk of a file
# How many bytes of a rejected body are still read before the connection is closed.
LONGEST_LEFT = 64 << 20
# New objects before the garbage collector runs, runs before it looks at those that survived, and
# such looks before it looks at all. While it runs no other thread has the interpreter: for 0.4 ms
# after a thousand objects, for 40 ms after twenty thousand.
_COLLECTIONS = (1_000, 20, 100)
_AGAIN_SECONDS = 5
# How long a thread that computes keeps the interpreter: a hostile brief can use Python's own 0.005.
_SWITCH_SECONDS = 0.0005
# The errors among gunicorn's ParseExceptions that no client causes.
_OURS = (ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName)


class Connection(TConn):
    """A connection that waits at most :data:`STALL_SECONDS` for its client,
    and that may be closed twice.
    """

    def init(self) -> None:
        super().init()
        self.sock.settimeout(STALL_SECONDS)

    def close(self, graceful: bool = False) -> None:
        """Close the connection.

        ``graceful``: read remaining data for up to two seconds. A client whose request is rejected
        in the middle of a large body, especially a proxy, would otherwise see a broken connection
        and no response (RFC 9112 §9.6).
        """
        if self.sock.fileno() < 0:
            return
        if graceful:
            util.close_graceful(self.sock, max_drain=LONGEST_LEFT)
        else:
            super().close()


class Worker(ThreadWorker):
    """``gunicorn --worker-class svc.serving.worker.Worker``.

    In gunicorn a client that sends half a request, or does not read its response, occupies a thread
    indefinitely; as many such clients as there are threads block the service. Here a connection
    occupies no thread before its first byte. A request then has :data:`READ_SECONDS` to arrive;
    after that its connection is closed for reading, which ends the request.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._begun: dict[TConn, float] = {}  # connections in a thread, and when the thread began
        self._turns: Turns[TConn] = Turns(
            threads.thread_shares.find_limit, lambda: threads.thread_shares.owner_limit
        )
        # created before the fork: the parent process sees what the worker writes
        self._accepts = mmap.mmap(-1, 1)
        # The parent process reads whether the worker was told to end and is not replaced.
        self.leaves = False

    def load_wsgi(self) -> None:
        """Load the application.

        During a temporary outage, wait for its end instead of ending the service.
        """
        sys.setswitchinterval(_SWITCH_SECONDS)
        gc.disable()  # it would go through all loaded modules again and again
        threads.thread_shares.set_threads(self.cfg.threads)
        data_dir = find_data_dir()
        while True:
            try:
                super().load_wsgi()
                start_notes.forget(data_dir)
                # Exclude the loaded modules from garbage collection, which would pause all requests
                # for 40 ms. A call of the API leaves some ten objects in reference cycles, a page
                # of the console hundreds: macros of Jinja, frames of errors.
                gc.freeze()
                gc.set_threshold(*_COLLECTIONS)
                gc.enable()
                return
            except SystemExit as ended:
                why = str(ended.__cause__ or f"it ended with {ended.code}")
                start_notes.record(data_dir, why, clock.now())
                raise
            except Exception as failure:
                outage = trouble.recognise(failure)
                why = outage.mend if outage else f"{type(failure).__name__}: {failure}"
                start_notes.record(data_dir, why, clock.now())
                if outage is None:
                    raise
                self.log.critical("cannot start yet: %s (%s)", outage.mend, failure)
            for _ in range(_AGAIN_SECONDS):
                self.notify()
                time.sleep(1)
                if not self.alive or not self.is_parent_alive():
                    sys.exit(0)

    def run(self) -> None:
        """Serve, then stop the engine before the interpreter waits for its threads to finish."""
        # Of the parent process this is the time for steps, too, for which no request is waited.
        self.cfg.set("graceful_timeout", min(self.cfg.graceful_timeout, settings.REQUESTS_SECONDS))
        # The engine's threads have begun: they and the processes of steps use every processor.
        cpus.keep_on_one(os.getppid() + self.age, cpus.list_siblings())
        try:
            super().run()
            if self._engine is not None:
                self._engine.drain(self._report_alive)
        finally:  # also where SIGQUIT asks for a quick end
            if self._engine is not None:
                self._engine.stop()

    def _report_alive(self) -> None:
        """Tell the parent process and systemd, which would kill a worker that does not answer."""
        self.notify()
        supervisor.report_alive()

    @property
    def accepts(self) -> bool:
        """Whether this worker has begun to accept connections; the parent process may read it."""
        return self._accepts[0] == 1

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        self._accepts[0] = 1

    @property
    def _engine(self):
        """The engine of the application; None while the application is being loaded."""
        return getattr(getattr(self, "wsgi", None), "extensions", {}).get("engine")

    def handle_exit(self, sig, frame) -> None:
        """Begin to stop: the engine does so immediately instead of after the last request, and
        requests that wait for events are answered."""
        long_polls.room.close()
        if self.alive and self._engine is not None:
            self.method_queue.defer(self._engine.begin_to_stop)
        super().handle_exit(sig, frame)

    def accept(self, listener) -> None:
        """Accept a connection, which waits for its first byte in the event loop and
        occupies no thread.
        """
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another worker accepted it, or the client has disconnected
        conn = Connection(self.cfg, client, address, listener.getsockname())
        conn.timeout = time.monotonic() + READ_SECONDS
        self.nr_conns += 1
        self.pending_conns.append(conn)
        self.poller.register(
            client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn)
        )

    def enqueue_req(self, conn: TConn) -> None:
        """Give a connection a thread, or let it wait while its caller holds its share:
        bursts are answered, not refused.
        """
        ahead = b"" if conn.parser is None else conn.parser.unreader.buf.getvalue()
        # nothing can be seen through TLS
        sign = None if self.cfg.is_ssl else dispatch.sign_of(conn.sock, ahead)
        owner = sign and threads.thread_shares.find_owner(sign)
        if self._turns.admit(conn, owner, time.monotonic()):
            super().enqueue_req(conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Dispatch the events that have arrived, and the connections whose caller may have more
        threads now.
        """
        super().wait_for_and_dispatch_events(
            min(timeout, _LOOK_SECONDS) if len(self._turns) else timeout
        )
        for conn in self._turns.admit_ready():
            super().enqueue_req(conn)

    def finish_request(self, conn: TConn, fs) -> None:
        next_conn = self._turns.free_thread(conn)
        super().finish_request(conn, fs)
        if next_conn is not None:
            super().enqueue_req(next_conn)

    def handle(self, conn: TConn):
        self._begun[conn] = time.monotonic()
        try:
            with threads.thread_shares.measure_turn():
                keeps_open = super().handle(conn)
                if not keeps_open:
                    # waits for the client: blocks one thread here, but would block the event loop
                    # later
                    conn.close(graceful=True)
                return keeps_open
        finally:
            self._begun.pop(conn, None)

    def handle_request(self, req, conn: TConn):
        body = req.body.reader
        if not isinstance(body, LengthReader) or body.length >= _DRAIN_MAX_BYTES:
            # gunicorn does not read the rest of such a body: a proxy that assumes a persistent
            # connection would lose the next request on it.
            req.force_close()
        elif body.length == 0:
            self._begun.pop(conn, None)  # the request is complete; its response may wait for events
        try:
            return super().handle_request(req, conn)
        except TimeoutError:
            raise BrokenPipeError(errno.EPIPE, "the client does not read its answer") from None

    def murder_pending(self) -> None:
        """Close expired connections, and end requests that take too long to arrive;
        called about once a second.
        """
        if not self.alive:
            linger_ends_at = time.monotonic() + STOP_KEEPALIVE_LINGER
            for conn in self.pending_conns:
                conn.timeout = min(conn.timeout, linger_ends_at)
        super().murder_pending()
        supervisor.report_alive()
        for conn in self._turns.admit_late(time.monotonic() - (TURN_SECONDS if self.alive else 0)):
            # The request is refused there, unless a thread of its caller is free by then.
            super().enqueue_req(conn)
        busy = (
            self.nr_conns - len(self.keepalived_conns) - len(self.pending_conns) - len(self._turns)
        )
        begun_before = time.monotonic() - (
            CROWDED_SECONDS if busy > self.cfg.threads else READ_SECONDS
        )
        for conn in [
            conn for conn, began_at in list(self._begun.items()) if began_at < begun_before
        ]:
            try:
                conn.sock.shutdown(socket.SHUT_RD)  # harmless while a response is being written
            except OSError:
                pass  # already closed

    def handle_error(self, req, client, addr, exc) -> None:
        """Answer a request that did not reach the application (specification, "Errors":
        every non-2xx response).
        """
        if isinstance(exc, ParseException) and not isinstance(exc, _OURS):
            refusal: ServiceError = InvalidRequest(
                f"The request is malformed HTTP: {str(exc)[:200]}."
            )
            self.log.info("refused from %s: %s", (addr or ("",))[0], exc)
        else:
            refusal = InternalError()
            self.log.error("a request failed outside the application", exc_info=exc)
        try:
            util.write_nonblock(client, _response(refusal))
        except OSError:
            pass  # the client has disconnected


def _response(refusal: ServiceError) -> bytes:
    correlation_id = uuid.uuid4().hex
    body = json.dumps(
        {
            "error": refusal.code,
            "message": refusal.message,
            "retryAfterSeconds": None,
            "correlationId": correlation_id,
        }
    )
    head = (
        (
            f"HTTP/1.1 {refusal.status} "
            f"{'Bad Request' if refusal.status == 400 else 'Internal Server Error'}"
        ),
        f"Date: {datetime.now(UTC):%a, %d %b %Y %H:%M:%S GMT}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"X-Correlation-Id: {correlation_id}",
        f"{API_VERSION_HEADER}: {API_VERSIONS[0]}",
        "X-Content-Type-Options: nosniff",
    )
    return "\r\n".join([*head, "", body]).encode("ascii")
