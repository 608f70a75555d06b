"""The real server as a child process, for the demo: it is started, awaited, and always stopped."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import requests

from svc.base.errors import CommandError
from svc.base.processes.entry_points import ROOT

PREFERRED_PORT = 8080
_START_SECONDS = 120.0  # until a server that does not answer is given up
_GRACE_SECONDS = 20.0
_PORT_SECONDS = 2.0  # until a port that is still taken counts as another program's
_LOOK_EVERY = 0.05
_TAIL = 15  # lines of the log that a failure shows
_BACKLOG = 128  # connections that wait until the server accepts them

# Becomes the command of its arguments after the first, with that descriptor as the socket to serve:
# systemd's protocol for sockets (sd_listen_fds), which gunicorn knows.
_HAND_OVER = """
import os, sys
descriptor = int(sys.argv[1])
if descriptor != 3:
    os.dup2(descriptor, 3)
    os.close(descriptor)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.argv[2], sys.argv[2:])
"""


class Server:
    """``python app.py serve`` on its own data directory; a context manager.

    ``root``: of the program, ``program``: its file.
    """

    root, program = ROOT, "app.py"

    def __init__(self, data_dir: Path, port: int | None = None, **settings: str):
        """``port``: None for a free port.

        ``settings``: more ``SVC_…`` variables; this process's own are ignored.
        """
        self.port = find_free_port(port)
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = data_dir / "server.log"
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("SVC_")
        }
        ours = {
            "SVC_DATA_DIR": str(data_dir),
            "SVC_BASE_URL": self.address,
            "SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8",
        }
        self._environment = environment | ours | settings
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
        """Start the server and return when it answers.

        The port is opened here and handed over, so that no other server can answer in its place.
        CommandError: another program has the port, or the server does not answer; the sentence then
        ends with the last lines of its log.
        """
        self.log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _await_listening(self.port, _PORT_SECONDS) as listener, self.log.open("wb") as log:
            descriptor = listener.fileno()
            command = [
                sys.executable,
                str(self.root / self.program),
                "serve",
                "--port",
                str(self.port),
            ]
            self._process = subprocess.Popen(
                [sys.executable, "-c", _HAND_OVER, str(descriptor), *command],
                pass_fds=(descriptor,),
                cwd=self.root,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while not self._is_answering():
            self.check()
            if time.monotonic() > deadline:
                raise CommandError(
                    f"The server did not answer within {_START_SECONDS:.0f} s.\n"
                    f"{self.read_log_tail()}"
                )
            time.sleep(_LOOK_EVERY)

    def _require_process(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the server was not started")
        return self._process

    def check(self) -> None:
        """Check that the server is running. CommandError: it has ended by itself."""
        if self._require_process().poll() is not None:
            raise CommandError(
                f"The server ended with status {self._require_process().returncode}.\n"
                f"{self.read_log_tail()}"
            )

    def wait(self) -> None:
        """Wait until the server ends. CommandError: always, as this process did not end it."""
        self._require_process().wait()
        self.check()

    def stop(self) -> None:
        """Stop the server gracefully, or by force after a grace period;
        its own children end with it.
        """
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
        """Kill the server and its workers immediately, like a power failure."""
        if self._require_process().poll() is None:
            os.killpg(self._require_process().pid, signal.SIGKILL)
            self._require_process().wait()

    def read_log_tail(self) -> str:
        """Return the last lines of its log, and the path of the log."""
        lines = (
            self.log.read_text("utf-8", "replace").splitlines()[-_TAIL:]
            if self.log.exists()
            else []
        )
        return "\n".join([f"The end of {self.log}:", *(lines or ["(nothing)"])])

    def _is_answering(self) -> bool:
        with requests.Session() as session:
            session.trust_env = False  # no proxy for this machine
            try:
                return session.get(f"{self.address}/openapi.json", timeout=10).ok
            except requests.RequestException:  # also one that ended while it answered
                return False


def find_free_port(port: int | None) -> int:
    """Return ``port`` if no program listens there (0: any free port). None: 8080 or, if it is
    taken, any free port.

    CommandError: ``port`` is taken.
    """
    if port is None:
        try:
            return find_free_port(PREFERRED_PORT)
        except CommandError:
            return find_free_port(0)
    with _await_listening(port) as listener:
        return listener.getsockname()[1]


def _await_listening(port: int, patience: float = 0.0) -> socket.socket:
    """Return a socket that listens on ``port`` of 127.0.0.1. CommandError: the port is taken, for
    ``patience`` seconds.

    The workers of a server that was killed hold its port a moment longer than their parent lives.
    """
    ends_at = time.monotonic() + patience
    while True:
        try:
            return socket.create_server(("127.0.0.1", port), backlog=_BACKLOG)
        except OSError as taken:
            if time.monotonic() < ends_at:
                time.sleep(_LOOK_EVERY)
                continue
            message = (
                f"Port {port} of 127.0.0.1 is taken; end the program that listens there, or "
                "choose another port with --port."
            )
            raise CommandError(message) from taken
