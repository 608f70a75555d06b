"""The servers of the benchmarks, each a process group of its own: ours, and a bare Flask view both
under ``python app.py serve``'s gunicorn settings and by gunicorn itself.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
BARE = ["-m", "tests.bench.serve_bare"]
BY_GUNICORN = ["-m", "tests.bench.serve_by_gunicorn"]
OURS = ["app.py", "serve"]
_START_SECONDS = 30.0
_PROBE = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


class Server:
    """A running server; ``first_answer`` is how many seconds its start took,
    to the end of its first answer.
    """

    def __init__(self, command: list[str], data_dir: Path, probe: bytes, **environment: str):
        self.port = _free_port()
        outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        began = time.perf_counter()
        with (data_dir / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, *command, "--port", str(self.port)],
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=outer | {"SVC_DATA_DIR": str(data_dir), "SVC_ENGINE": "off"} | environment,
            )
        while not _answers(self.port, probe):
            if self._process.poll() is not None or time.perf_counter() - began > _START_SECONDS:
                self.stop()
                raise SystemExit((data_dir / "server.log").read_text())
            time.sleep(0.005)
        self.first_answer = time.perf_counter() - began

    @property
    def worker(self) -> int:
        """The process that serves: gunicorn's one worker."""
        return int(
            Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
            .read_text()
            .split()[0]
        )

    def cpu_seconds(self) -> float:
        """How much processor time the worker has used."""
        fields = Path(f"/proc/{self.worker}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def reload(self) -> None:
        """Tell it to reload."""
        self._process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """End it in good order: what it has finished is in the history then."""
        self._process.terminate()
        try:
            self._process.wait(20)
        finally:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)


@contextmanager
def serving(
    command: list[str], data_dir: Path, probe: bytes = _PROBE, **environment: str
) -> Iterator[Server]:
    """A server that answers, ended when the block ends.

    ``probe``: the request that it must have answered.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    server = Server(command, data_dir, probe, **environment)
    try:
        yield server
    finally:
        server.stop()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _answers(port: int, probe: bytes) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(probe)
            return connection.recv(65536).startswith(b"HTTP/1.1 ")
    except OSError:
        return False
