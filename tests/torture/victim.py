"""The processes of the torture: the server that is killed, and the receiver that is not."""

import http.client
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_START_SECONDS = 60.0
# below the ports of outgoing connections: a client that dialled itself would be answered
_UNCLAIMED = range(20_000, 32_000)


class Victim:
    """``python app.py serve`` in a process group of its own,
    started and killed again and again on one data directory.
    """

    def __init__(self, data_dir: Path, **settings: str):
        """``settings``: more environment."""
        self.data_dir, self.port, self._settings = data_dir, free_port(), settings
        self._log = data_dir / "server.log"
        self._process: subprocess.Popen | None = None

    def launch(self) -> None:
        """Start it, and do not wait."""
        outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        ours = {
            "SVC_DATA_DIR": str(self.data_dir),
            "SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8",
            "SVC_RENDER_WORKERS": "2",
        }
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "app.py", "serve", "--port", str(self.port)],
                cwd=_ROOT,
                env=outer | ours | self._settings,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def has(self, pid: int) -> bool:
        """Whether a process is one of the server's."""
        try:
            return self._process is not None and os.getpgid(pid) == self._process.pid
        except ProcessLookupError:
            return False

    def wait(self) -> None:
        """Wait until it answers. SystemExit: it does not, with its log."""
        deadline = time.monotonic() + _START_SECONDS
        while not answers(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise SystemExit(
                    f"the server does not start:\n{self._log.read_text('utf-8', 'replace')}"
                )
            time.sleep(0.01)

    def kill(self) -> list[str]:
        """SIGKILL for the whole group; its log, if that has an error of ours."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        said = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
        return [said] if "Traceback" in said else []

    def stop(self) -> list[str]:
        """End it in good order; its log, if that has an error of ours."""
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        return self.kill()


class Sink:
    """The receiver's process; a context manager."""

    def __init__(self, file: Path, seed: int):
        self.port = free_port()
        self._command = [
            sys.executable,
            "-m",
            "tests.torture.sink",
            str(self.port),
            str(file),
            str(seed),
        ]

    def __enter__(self) -> "Sink":
        self._process = subprocess.Popen(self._command, cwd=_ROOT, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + _START_SECONDS
        while not _listens(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the receiver does not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.wait()


def answers(port: int) -> bool:
    """Whether an HTTP server answers there, whatever it says."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        asking.request("GET", "/v1/webhooks")
        return asking.getresponse().status == 401
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asking.close()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=10).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    """A port that nobody listens on, and that no outgoing connection is given."""
    for port in random.SystemRandom().sample(_UNCLAIMED, 100):
        with socket.socket() as candidate:
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise SystemExit("no port is free")
