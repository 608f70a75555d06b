"""A webhook receiver as a partner would write it from the specification:
it verifies the signature before it reads the body.
"""

import base64
import binascii
import hashlib
import hmac
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from svc.domain.webhooks import event_types

LARGEST = 1024 * 1024  # bytes of a body; the largest event has a hundred deliverables, some 20 KB
_SECRET_SECONDS = 10.0  # an event may arrive before the answer with the secret has been read


@dataclass(frozen=True)
class Received:
    """A received delivery.

    ``problem``: why it is not trusted; None: it is verified, and ``event`` is its envelope.
    """

    headers: dict[str, str]
    body: bytes
    event: dict
    problem: str | None = None


def is_signed(signing_secret: str, body: bytes, header: str) -> bool:
    """Return whether ``header`` is the X-SERVICE-Signature
    of ``body`` (specification, "Signature verification").
    """
    key = base64.urlsafe_b64decode(signing_secret + "=" * (-len(signing_secret) % 4))
    expected_signature = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected_signature.encode(), header.encode("utf-8", "replace"))


class Receiver:
    """An HTTP server for webhooks on this machine, in a thread; a context manager.

    ``take``: called for each delivery, from several threads; it returns the status to answer a
    verified delivery with. All others are answered with 401.
    """

    def __init__(self, take: Callable[[Received], int], port: int = 0):
        self._take = take
        self._secret: str | None = None
        self._secret_known = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._make_handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks"

    def __enter__(self) -> "Receiver":
        threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="receiver", daemon=True
        ).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()

    def trust(self, signing_secret: str) -> None:
        """Set the secret to verify with; earlier deliveries have waited for it."""
        self._secret = signing_secret
        self._secret_known.set()

    def receive(self, headers: dict[str, str], body: bytes) -> int:
        """Handle a delivery and return the status to answer it with."""
        delivery = self._verify(headers, body)
        status = self._take(delivery)
        return status if delivery.problem is None else 401

    def _verify(self, headers: dict[str, str], body: bytes) -> Received:
        if not self._secret_known.wait(_SECRET_SECONDS):
            return Received(headers, body, {}, "it arrived before the signing secret was known")
        signature = headers.get("x-service-signature", "")
        # There is one while an earlier secret still signs, too.
        older_signatures = headers.get("x-service-signature-previous", "").split(" ")
        try:
            if not any(
                is_signed(self._secret or "", body, each) for each in (signature, *older_signatures)
            ):
                return Received(
                    headers,
                    body,
                    {},
                    f"its X-SERVICE-Signature is {'wrong' if signature else 'missing'}",
                )
            return Received(headers, body, json.loads(body))
        except (ValueError, binascii.Error) as bad:
            return Received(headers, body, {}, f"it is not valid JSON: {bad}")

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        receive = self.receive

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60  # seconds that a keep-alive connection may be idle

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                if length > LARGEST:
                    self.close_connection = True
                    return self._answer(413)
                headers = {name.lower(): value for name, value in self.headers.items()}
                return self._answer(receive(headers, self.rfile.read(length)))

            def _answer(self, status: int) -> None:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_) -> None:
                pass  # the receiver of the deliveries shows them

        return Handler


class Sequences:
    """Checks that the events of each production arrive in sequence and without gaps.

    ``from_the_start``: every production is observed from its first event, so that any first number
    but 1 is a gap.
    """

    def __init__(self, from_the_start: bool):
        self._from_the_start = from_the_start
        self._last: dict[tuple[str, int], int] = {}
        self._lock = threading.Lock()

    def note(self, event: dict) -> str:
        """Record a verified event; return "new", "repeated" (deliveries come at least once) or
        "gap" (one is missing).
        """
        number = event["sequenceNumber"]
        if number == 0:  # a test event
            return "new"
        before_first = event_types.FURTHER_NUMBERS if number > event_types.FURTHER_NUMBERS else 0
        counter = event["productionId"], before_first
        with self._lock:
            last_number = self._last.get(
                counter, before_first if self._from_the_start else number - 1
            )
            self._last[counter] = max(last_number, number)
        return (
            "new" if number == last_number + 1 else "repeated" if number <= last_number else "gap"
        )
