"""The real server as a child process, for the demo: started, waited for, and never left behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import requests

from svc.base.errors import CommandError

PREFERRED_PORT = 8080
_ROOT = Path(__file__).parents[2]
_START_SECONDS = 30.0
_GRACE_SECONDS = 20.0
_LOOK_EVERY = 0.05
_TAIL = 15  # lines of the log that a failure shows


class Server:
    """``python app.py serve`` on a data directory of its own; a context manager."""

    def __init__(self, data_dir: Path, port: int | None = None, **settings: str):
        """``port``: None takes a free one. ``settings``: more ``SVC_…`` variables; our own environment's do not count."""
        self.port = free_port(port)
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = data_dir / "server.log"
        outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        ours = {"SVC_DATA_DIR": str(data_dir), "SVC_BASE_URL": self.address, "SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8"}
        self._environment = outer | ours | settings
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Server":
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def start(self) -> None:
        """Start it; returns when it answers. CommandError: it does not, with the end of its log."""
        self.log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        command = [sys.executable, str(_ROOT / "app.py"), "serve", "--port", str(self.port)]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=_ROOT, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            self.check()
            if time.monotonic() > deadline:
                raise CommandError(f"The server did not answer within {_START_SECONDS:.0f} s.\n{self.log_tail()}")
            time.sleep(_LOOK_EVERY)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the server was not started")
        return self._process

    def check(self) -> None:
        """CommandError: the server has ended by itself."""
        if self._started().poll() is not None:
            raise CommandError(f"The server ended with status {self._started().returncode}.\n{self.log_tail()}")

    def wait(self) -> None:
        """Wait until the server ends, which is an error: somebody else must have ended it."""
        self._started().wait()
        self.check()

    def stop(self) -> None:
        """End it in good order, or by force after a time of grace; its own children end with it."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """End it at once with its workers, as a power failure would."""
        if self._started().poll() is None:
            os.killpg(self._started().pid, signal.SIGKILL)
            self._started().wait()

    def log_tail(self) -> str:
        """The last lines of its log, and where the rest is."""
        lines = self.log.read_text("utf-8", "replace").splitlines()[-_TAIL:] if self.log.exists() else []
        return "\n".join([f"The end of {self.log}:", *(lines or ["(nothing)"])])

    def _answers(self) -> bool:
        with requests.Session() as session:
            session.trust_env = False  # no proxy stands before our own machine
            try:
                return session.get(f"{self.address}/openapi.json", timeout=10).ok
            except requests.ConnectionError:
                return False


def free_port(wanted: int | None = None) -> int:
    """``wanted`` if nobody listens there (0: any); without a wish 8080 or, if taken, any other. CommandError: it is taken."""
    for port in (PREFERRED_PORT, 0) if wanted is None else (wanted,):
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
            return candidate.getsockname()[1]
    raise CommandError(f"Port {wanted} of 127.0.0.1 is taken.")
