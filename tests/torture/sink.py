"""The torture's receiver, a process of its own that no kill touches:
``python -m tests.torture.sink PORT FILE SEED``.

Every delivery that came whole becomes a line of FILE, in the order of arrival and before it is
answered. By a rule of the SEED some events are answered 500 the first time that they come, and some
slowly.
"""

import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FAIL_PERCENT, SLOW_PERCENT = 8, 25
SLOW_SECONDS = 0.05


class Journal:
    """What arrived, in order."""

    def __init__(self, file: Path, seed: str):
        self._file, self._seed = file.open("a", buffering=1), seed
        self._seen: set[str] = set()
        self._turn = threading.Lock()

    def note(self, path: str, headers, body: bytes) -> tuple[int, float]:
        """Write an arrival down; what to answer, and after how many seconds."""
        event = json.loads(body)
        lot = (
            int.from_bytes(hashlib.sha256(f"{self._seed}{event['eventId']}".encode()).digest()[:4])
            % 100
        )
        with self._turn:
            first = event["eventId"] not in self._seen
            self._seen.add(event["eventId"])
            status = 500 if first and lot < FAIL_PERCENT else 200
            self._file.write(
                json.dumps(
                    {
                        "path": path,
                        "event": event["eventId"],
                        "production": event["productionId"],
                        "sequence": event["sequenceNumber"],
                        "status": status,
                        "marked": "X-SERVICE-Possible-Duplicate" in headers,
                        "signature": headers["X-SERVICE-Signature"],
                        "digest": hashlib.sha256(body).hexdigest(),
                    }
                )
                + "\n"
            )
        return status, SLOW_SECONDS if lot >= 100 - SLOW_PERCENT else 0.0


def handler(note: Callable) -> type[BaseHTTPRequestHandler]:
    """``note``: of a :class:`Journal`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # the sender was killed in the middle of it
                self.close_connection = True
                return
            status, seconds = note(self.path, self.headers, body)
            time.sleep(seconds)
            self.wfile.write(b"HTTP/1.1 %d .\r\nContent-Length: 0\r\n\r\n" % status)

        def log_message(self, *_) -> None:
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_) -> None:
        pass  # connections of a server that was killed


if __name__ == "__main__":
    _Server(
        ("127.0.0.1", int(sys.argv[1])), handler(Journal(Path(sys.argv[2]), sys.argv[3]).note)
    ).serve_forever()
